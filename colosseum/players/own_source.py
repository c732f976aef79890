"""The source of a user's own agent. In: `python:package.module:Class`; out: its mark, without running it, or the class.

The mark tells versions of an agent apart: a literal `version` of the class, else the SHA-256 of the module's file.
"""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib import import_module, util
from importlib.machinery import ModuleSpec, PathFinder
from inspect import iscoroutinefunction
from pathlib import Path

from colosseum.diagnostics import closest

PREFIX = "python:"
FORM = "as in `python:package.module:Class`"


class Unplayable(Exception):  # noqa: N818 - what is wrong, in words
    """An agent cannot be found, or is no agent."""

    def __init__(self, words: str, help_: str = "") -> None:
        super().__init__(words)
        self.help = help_


def is_own(name: str) -> bool:
    """Whether a player is an agent of the user's own."""
    return name.startswith(PREFIX)


def module_of(name: str) -> str:
    """The module that an agent is in."""
    return name.removeprefix(PREFIX).partition(":")[0]


def mark_of(name: str) -> dict[str, str]:
    """What tells versions of an agent apart; its source is read and not run. Raises Unplayable."""
    path, content = _source(name)
    try:
        body = ast.parse(content).body
    except (SyntaxError, ValueError) as error:
        raise Unplayable(f"`{name}` cannot be read: {path}: {error}") from None
    wanted = name.rpartition(":")[2]
    found = next((node for node in body if isinstance(node, ast.ClassDef) and node.name == wanted), None)
    if found is None:
        raise _no_class(name, wanted, body)
    acts = [node for node in found.body if getattr(node, "name", "") == "act"]
    if not (acts or found.bases) or (acts and not isinstance(acts[-1], ast.AsyncFunctionDef)):
        raise _no_act(name)
    version = next(_versions(found), None)
    return {"source": sha256(content).hexdigest()} if version is None else {"version": version}


@cache
def load(name: str, mark: tuple[tuple[str, str], ...]) -> type:
    """The class, imported; a source that is not the one of the mark is refused. Raises Unplayable."""
    if mark_of(name) != dict(mark):
        raise Unplayable(f"`{name}` is not the one that was planned: its source was changed, or is another one here")
    search(Path.cwd())
    module, _, wanted = name.removeprefix(PREFIX).partition(":")
    try:
        found = getattr(import_module(module), wanted, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Unplayable(f"`{name}` cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(found, type):
        raise Unplayable(f"`{name}` is not a class")
    if not iscoroutinefunction(getattr(found, "act", None)):
        raise _no_act(name)
    return found


def search(folder: Path) -> None:
    """Look for modules in a folder first, as `python -m` does in the current one."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _source(name: str) -> tuple[Path, bytes]:
    module, colon, wanted = name.removeprefix(PREFIX).partition(":")
    if not (is_own(name) and colon and all(part.isidentifier() for part in (*module.split("."), wanted))):
        raise Unplayable(f"`{name}` does not name a class of a module", FORM)
    spec = _spec(module)
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        help_ = f"modules are looked for in {Path.cwd()}, then where Python looks for them"
        raise Unplayable(f"there is no module `{module}` written in Python, of `{name}`", help_)
    try:
        return Path(spec.origin), Path(spec.origin).read_bytes()
    except OSError as error:
        raise Unplayable(f"`{name}` cannot be read: {spec.origin}: {error.strerror}") from None


def _spec(module: str) -> ModuleSpec | None:
    """Where a module is. Python's own `find_spec` would import the packages that it is in."""
    first, *rest = module.split(".")
    spec = PathFinder.find_spec(first, [str(Path.cwd()), *sys.path])
    if spec is None and first not in sys.modules:
        spec = util.find_spec(first)  # by a finder of an editable installation
    for part in rest:
        first = f"{first}.{part}"
        places = spec.submodule_search_locations if spec else None
        spec = PathFinder.find_spec(first, list(places)) if places is not None else None
    return spec


def _versions(found: ast.ClassDef) -> Iterator[str]:
    for node in found.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="version")], value=ast.Constant(value=str(version))):
                yield version
            case ast.AnnAssign(target=ast.Name(id="version"), value=ast.Constant(value=str(version))):
                yield version


def _no_class(name: str, wanted: str, body: list[ast.stmt]) -> Unplayable:
    bound = {getattr(node, "name", "") for node in body}
    bound |= {part.id for node in body for part in getattr(node, "targets", ()) if isinstance(part, ast.Name)}
    if wanted in bound:
        return Unplayable(f"`{wanted}` in `{name}` is not a class", FORM)
    imports = [a for node in body if isinstance(node, ast.Import | ast.ImportFrom) for a in node.names]
    if any(wanted == (alias.asname or alias.name) for alias in imports):
        return Unplayable(f"`{name}` only imports `{wanted}`", "name the module in which the class is written")
    known = [node.name for node in body if isinstance(node, ast.ClassDef)]
    help_ = closest(wanted, known) or f"its classes: {', '.join(known) or 'none'}"
    return Unplayable(f"the module of `{name}` has no class `{wanted}`", help_)


def _no_act(name: str) -> Unplayable:
    help_ = "write `async def act(self, view: View) -> Reply`; put what blocks into `await asyncio.to_thread(…)`"
    return Unplayable(f"`{name}` has no `async def act`", help_)
