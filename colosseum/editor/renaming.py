"""Uses of a name in all specs that read its file. In: a name and a new one; out: places to change, or a refusal.

A refusal is JsonRpcInvalidParams with the reason, which editors show.
"""

from collections.abc import Mapping
from pathlib import Path

from pygls.exceptions import JsonRpcInvalidParams

from colosseum.diagnostics import Span
from colosseum.editor.analysis import WORD, Analysis, Meaning, analyse
from colosseum.language.vocabulary import FUNCTIONS
from colosseum.language.words import KEYWORDS
from colosseum.model.settings import SETTINGS
from colosseum.model.spec import BUILT_IN

MOST_SPECS = 200
"""Specs that are searched for uses of a name."""


def readers(analysis: Analysis, meaning: Meaning, folder: Path, texts: Mapping[Path, str]) -> list[Analysis]:
    """A spec, then all in a folder, or open, that read the file that declares a name. Refuses too many."""
    declared = analysis.declaration(meaning)
    paths = sorted({*map(Path.resolve, folder.rglob("*.colo")), *(p for p in texts if p.suffix == ".colo")})
    if len(paths) > MOST_SPECS:
        raise JsonRpcInvalidParams(f"{folder} has more than {MOST_SPECS} specs: open a smaller folder")
    specs = [found for path in paths if declared and (found := analyse(path, texts))]
    return [analysis, *(each for each in specs if declared and declared.source.path in each.files)]


def uses(meaning: Meaning, specs: list[Analysis]) -> list[Span]:
    """Every place of a name, by file and in order."""
    found = {(o.span.source.path, o.span.start): o.span for each in specs for o in each.occurrences
             if o.meaning == meaning and o.span.source.path}  # fmt: skip
    return [span for _, span in sorted(found.items())]


def renamed(meaning: Meaning, new: str, specs: list[Analysis]) -> list[Span]:
    """The places to change in a spec and its `readers`. Refuses a new name that means something there."""
    if reason := _fixed(meaning, specs[0]) or _taken(meaning, new, specs):
        raise JsonRpcInvalidParams(reason)
    return uses(meaning, specs)


def _fixed(meaning: Meaning, analysis: Analysis) -> str:
    """Why a name must stay, whatever the new one is; empty where it may change."""
    name, declared = meaning.name, analysis.declaration(meaning)
    if meaning.kind in ("function", "setting", "trace") or name in (*BUILT_IN, "agents", "network"):
        return f"`{name}` is a word of the language"
    if analysis.spec.doubts:
        return "some statements cannot be read, and may have the name: correct their errors first"
    if declared is None:
        return f"nothing here declares `{name}`"
    if declared.source.path is None or declared.source.path.suffix != ".colo" or declared.text.strip('"') != name:
        return f"`{name}` is made by `{' '.join(declared.text.split())}` in `{declared.source.name}`: change it there"
    return ""


def _taken(meaning: Meaning, new: str, specs: list[Analysis]) -> str:
    """Why a name cannot be the new one; empty where it can. Two places may have their own names that are alike."""
    if not WORD.fullmatch(new):
        return f"`{new}` is no name: names are letters, digits and `_`"
    if new.upper() in KEYWORDS or new in (*BUILT_IN, *FUNCTIONS, *SETTINGS):
        return f"`{new}` is a word of the language: choose another name"
    for each in specs:
        alike = {o.meaning.place for o in each.occurrences if o.meaning.name == new}
        alike |= {""} if new in each.spec.symbols or new in each.facts.births else set()
        if alike & {"", meaning.place} or (alike and not meaning.place):
            return f"`{new}` already means something in `{each.spec.composition.source.name}`: choose another name"
    return ""
