"""The source of a user's own agent. In: `python:package.module:Class`; out: its digest (nothing is run), or the class.

The mark tells versions of an agent apart: a literal `version` of the class, else the SHA-256 of the module's file.
"""

import ast
import sys
from functools import cache
from hashlib import sha256
from importlib import import_module, util
from importlib.machinery import ModuleSpec, PathFinder
from inspect import iscoroutinefunction
from pathlib import Path

from colosseum.diagnostics import closest

PREFIX = "python:"


class Unplayable(Exception):  # noqa: N818 - what is wrong, in words
    """An agent cannot be found, or is no agent."""

    def __init__(self, words: str, help_: str = "") -> None:
        super().__init__(words)
        self.help = help_


def is_own(name: str) -> bool:
    """Whether a player is a user's own agent."""
    return name.startswith(PREFIX)


def module_of(name: str) -> str:
    """The module that an agent is in."""
    return name.removeprefix(PREFIX).partition(":")[0]


def mark_of(name: str) -> dict[str, str]:
    """What tells versions of an agent apart; its source is read and not run. Raises Unplayable."""
    wanted = name.removeprefix(PREFIX).partition(":")[2]
    if not all(part.isidentifier() for part in (*module_of(name).split("."), wanted)):
        raise Unplayable(f"`{name}` does not name a class of a module", "as in `python:package.module:Class`")
    spec = _spec(module_of(name))
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        help_ = f"modules are looked for in {Path.cwd()}, then where Python looks for them"
        raise Unplayable(f"there is no module `{module_of(name)}` written in Python, of `{name}`", help_)
    try:
        content = Path(spec.origin).read_bytes()
        body = ast.parse(content).body
    except (OSError, SyntaxError, ValueError) as error:
        raise Unplayable(f"`{name}` cannot be read: {spec.origin}: {error}") from None
    classes = {node.name: node for node in body if isinstance(node, ast.ClassDef)}
    if wanted not in classes:
        help_ = closest(wanted, classes) or f"its classes: {', '.join(classes) or 'none'}"
        raise Unplayable(f"`{wanted}` of `{name}` is not a class that is written in its module", help_)
    acts = [node for node in classes[wanted].body if getattr(node, "name", "") == "act"]
    if not (acts or classes[wanted].bases) or (acts and not isinstance(acts[-1], ast.AsyncFunctionDef)):
        raise _no_act(name)
    for node in classes[wanted].body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id="version")], value=ast.Constant(value=str(version)))
                | ast.AnnAssign(target=ast.Name(id="version"), value=ast.Constant(value=str(version)))
            ):
                return {"version": version}
    return {"source": sha256(content).hexdigest()}


@cache
def load(name: str, mark: tuple[tuple[str, str], ...]) -> type:
    """The class, imported; a source that is not the one of the mark is refused. Raises Unplayable."""
    if mark_of(name) != dict(mark):
        raise Unplayable(f"`{name}` is not the one that was planned: its source was changed, or is another one here")
    search(Path.cwd())
    try:
        found = getattr(import_module(module_of(name)), name.rpartition(":")[2], None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the module is the user's, and may raise anything
        raise Unplayable(f"`{name}` cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(found, type) or not iscoroutinefunction(getattr(found, "act", None)):
        raise _no_act(name)
    return found


def search(folder: Path) -> None:
    """Look for modules in a folder first, as `python -m` does in the current one."""
    if str(folder) not in sys.path and folder.is_dir():
        sys.path.insert(0, str(folder))


def _spec(module: str) -> ModuleSpec | None:
    """Where a module is. Python's own `find_spec` would import the packages that it is in."""
    first, *rest = module.split(".")
    spec = PathFinder.find_spec(first, [str(Path.cwd()), *sys.path])
    if spec is None and first not in sys.modules:
        spec = util.find_spec(first)  # by a finder of an editable installation
    for part in rest:
        first, places = f"{first}.{part}", spec.submodule_search_locations if spec else None
        spec = None if places is None else PathFinder.find_spec(first, list(places))
    return spec


def _no_act(name: str) -> Unplayable:
    help_ = "write `async def act(self, view: View) -> Reply`; put what blocks into `await asyncio.to_thread(…)`"
    return Unplayable(f"`{name}` has no `async def act`", help_)
