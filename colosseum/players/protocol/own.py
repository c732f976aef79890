"""A spec's own templates. In: the folder that `protocol "FOLDER"` names; out: Templates, or what is wrong and where.

A folder comes with specs of strangers: each text is checked, and tried with facts of every kind, before the first run.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from itertools import product
from pathlib import Path

from colosseum.diagnostics import Diagnostic, Source, report
from colosseum.language.files import read_source, within
from colosseum.model.template_files import AsIs, sections, wrong_texts
from colosseum.players.protocol.templates import FILES, Templates, shipped, shipped_file, templates
from colosseum.players.view import CallFailed

SAMPLES: Mapping[str, tuple[object, ...]] = {
    "phase": ("planning", "survey", "execution"), "memory": ("none", "notes", "all"), "round": (1,), "rounds": (0, 2),
    "steps": (1, 3), "channels": ((), (("team", ("A", "B"), True, (AsIs("{}"),)),)), "posts": ((AsIs("{}"),),),
    "variables": ((), (("v", AsIs("1")),)), "claims": ((), (("c", "it is so"),)), "decided": ((), (("A", "v", 1),)),
    "notes": ((), ((1, "hm"),)), "scale": (((0, AsIs("no")),),), "number": (1,), "author": ("A",), "text": ("hm",),
    "agents": (("A", "B"),), "briefing": ((AsIs("text"),),), "tools": ((AsIs("text"),),), "most": (1,),
    "written": (None, AsIs("text")), "length": (2,), "lowest": (0,), "highest": (5,),
}  # fmt: skip
"""What facts may be, where they are not Lines."""
NAMES = {"channels": (("team",),), "variables": (("v",),), "claims": (("c",),), "number": ("integer",)}
"""The same in tools."""


def protocol_folder(main: Path | None, name: str | None) -> tuple[Templates, list[Diagnostic]]:
    """The templates of a folder below a spec's, else those that ship; with errors, those that ship."""
    if main is None or name is None:
        return shipped(), []
    read = [_read(path, f"{name}/{path.name}") for path in sorted((main.resolve().parent / name).glob("*.jinja"))]
    found, own = [each for each in read if isinstance(each, Diagnostic)], dict[str, str]()
    for source in (each for each in read if isinstance(each, Source)):
        file = Path(source.name).stem
        own[file] = source.text
        known = {each.name: each.facts for each in sections(shipped_file(file))}
        found += wrong_texts(source, known, partial(_tried, file, source.text))
    return (shipped(), found) if found else (_made(tuple(own.items())), [])


@lru_cache(maxsize=16)
def _made(own: tuple[tuple[str, str], ...]) -> Templates:
    return templates(dict(own))


def _read(path: Path, name: str) -> Source | Diagnostic:
    if path.stem not in FILES:
        help_ = f"they are {', '.join(f'{each}.jinja' for each in FILES)}"
        return report("C059", None, f"`{name}` is none of the templates", help=help_)
    inside = within(path, path.parent) is not None
    return read_source(path, name=name, span=None) if inside else report("C059", None, f"`{name}` leads elsewhere")


def _tried(file: str, content: str, name: str, facts: tuple[str, ...]) -> str:
    """What goes wrong with a text at some facts; empty where nothing does."""
    own, tool = templates({file: content}), file == "tools"
    known = {**SAMPLES, **NAMES} if tool else SAMPLES
    for chosen in product(*(known.get(fact, (AsIs("text"),)) for fact in facts)):
        try:
            (own.tool if tool else own.say)(name, **dict(zip(facts, chosen, strict=True)))
        except CallFailed as failed:
            return failed.reason
        except ValueError as error:
            return f"the tool `{name}` is not JSON as it should be: {error}"
    return ""
