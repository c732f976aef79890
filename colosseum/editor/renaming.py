"""Renames a name in all specs that read its file. In: where it stands and the new name; out: edits, or a refusal."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from colosseum.diagnostics import Severity, Span
from colosseum.editor.analysis import Analysis, analyse
from colosseum.editor.occurrences import WORD, Occurrence
from colosseum.model.spec import BUILT_IN

MOST_SPECS = 200
"""Specs that are looked through for uses of a name."""
Uses: TypeAlias = dict[Path, list[Span]]
"""By file, the places of a name."""


class RenameRefused(Exception):  # noqa: N818 - a finding about a spec, not an error of ours
    """Why a name cannot be changed, or its uses not be found."""


def uses(analysis: Analysis, occurrence: Occurrence, specs: Mapping[Path, Analysis]) -> Uses:
    """Every place of a name, in its spec and in other specs that read the file that declares it."""
    declared = analysis.declaration(occurrence.meaning)
    readers = [each for each in specs.values() if declared and declared.source.path in each.files]
    spans = {(o.span.source.path, o.span.start): o.span for each in (analysis, *readers)
             for o in each.occurrences if o.meaning == occurrence.meaning and o.span.source.path}  # fmt: skip
    found: Uses = {}
    for (path, _), span in sorted(spans.items()):
        found.setdefault(path, []).append(span)
    return found


def specs_below(folder: Path, buffers: Mapping[Path, str]) -> dict[Path, Analysis]:
    """The specs in a folder and those that are open. Raises RenameRefused where there are too many."""
    paths = sorted({*map(Path.resolve, folder.rglob("*.colo")), *(p for p in buffers if p.suffix == ".colo")})
    if len(paths) > MOST_SPECS:
        raise RenameRefused(f"{folder} has more than {MOST_SPECS} specs: open a smaller folder")
    return {path: found for path in paths if (found := analyse(path, buffers, checked=False)[0])}


def refusal(analysis: Analysis, occurrence: Occurrence) -> str:
    """Why a name can have no other, whatever that is; empty where it can."""
    kind, _, name = occurrence.meaning
    declared = analysis.declaration(occurrence.meaning)
    if kind in ("function", "setting", "trace") or name in (*BUILT_IN, "agents", "network"):
        return f"`{name}` is a word of the language"
    if analysis.spec.doubts:
        return "some statements cannot be read, and may have the name: mend their errors first"
    if declared is None:
        return f"nothing here declares `{name}`"
    if declared.source.path is None or declared.source.path.suffix != ".colo":
        return f"`{name}` comes from `{declared.source.name}`: change it there"
    if declared.text.strip('"') != name:
        return f"`{name}` is made by `{' '.join(declared.text.split())}`"
    return ""


def renamed(analysis: Analysis, occurrence: Occurrence, new: str, folder: Path, buffers: Mapping[Path, str]) -> Uses:
    """The places to change. Raises RenameRefused, also where a spec would then have an error that it has not now."""
    wrong = "" if WORD.fullmatch(new) else f"`{new}` is no name: names are letters, digits and `_`"
    if reason := refusal(analysis, occurrence) or wrong:
        raise RenameRefused(reason)
    specs = specs_below(folder, buffers)
    found = uses(analysis, occurrence, specs)
    after = {**buffers, **{path: _replaced(spans, new) for path, spans in found.items()}}
    for path, each in specs.items():
        if not found.keys().isdisjoint(each.files):
            now, then = (analyse(path, texts, checked=True)[1] for texts in (buffers, after))
            fresh = Counter(d.code for d in then) - Counter(d.code for d in now)
            if errors := [d.message for d in then if d.code in fresh and d.severity is Severity.ERROR]:
                raise RenameRefused(f"`{path.name}` would have an error: {errors[0]}")
    return found


def _replaced(spans: list[Span], new: str) -> str:
    """The text of a file with another name at these spans."""
    text = spans[0].source.text
    for span in reversed(spans):
        text = text[: span.start] + new + text[span.end :]
    return text
