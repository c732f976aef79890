"""Reports too large for one file. In: the content of a page; out: the content of an index and of its parts.

A part is a page of its own, with the conversations of some cases: it opens by itself, as the index does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote

from colosseum.report.html.page import Content

MOST_RUNS: Final = 2_000
MOST_SIGNS: Final = 12_000_000
"""Of packed conversations in one file, so that it stays below 20 MB."""


@dataclass(frozen=True)
class Part:
    """A file of conversations."""

    name: str
    """Relative to the index."""
    content: Content

    @property
    def href(self) -> str:
        """Where a link leads to it, whatever signs its name has."""
        return quote(self.name, errors="surrogateescape")


def split(content: Content, stem: str) -> tuple[Content, list[Part]]:
    """The content as it is, and no part, where it is small enough; `stem` is the index's name without `.html`."""
    packs, runs = list(content.packs), content.index["runs"]
    if len(runs) <= MOST_RUNS and sum(map(len, packs)) <= MOST_SIGNS:
        return replace(content, packs=packs), []
    groups = list(_groups(packs, _runs_by_case(content.index)))
    names = [f"{stem}-parts/part-{number}.html" for number in range(1, len(groups) + 1)]
    part_of = {case: number for number, group in enumerate(groups) for case in group}
    cases = [{**case, "part": part_of[number]} for number, case in enumerate(content.index["cases"])]
    parts = [Part(name, _part(content, packs, group)) for name, group in zip(names, groups, strict=True)]
    index = {**content.index, "cases": cases, "parts": [part.href for part in parts]}
    words = tuple((part.href, _words(content.index, group)) for part, group in zip(parts, groups, strict=True))
    return replace(content, index=index, packs=(), parts=words), parts


def _runs_by_case(index: Mapping[str, Any]) -> dict[int, int]:
    found: dict[int, int] = {}
    place = index["columns"].index("case")
    for run in index["runs"]:
        found[run[place]] = found.get(run[place], 0) + 1
    return found


def _groups(packs: Sequence[str], runs: Mapping[int, int]) -> Iterator[list[int]]:
    """Cases in order, as many as fit into a file; one at least."""
    group, signs, held = list[int](), 0, 0
    for case, pack in enumerate(packs):
        if group and (signs + len(pack) > MOST_SIGNS or held + runs.get(case, 0) > MOST_RUNS // 2):
            yield group
            group, signs, held = [], 0, 0
        group.append(case)
        signs, held = signs + len(pack), held + runs.get(case, 0)
    if group:
        yield group


def _part(content: Content, packs: Sequence[str], group: Sequence[int]) -> Content:
    """Only what is read in it: the pictures and the verdicts stand in the index."""
    index, place = content.index, content.index["columns"].index("case")
    renumbered = {case: number for number, case in enumerate(group)}
    runs = [
        [renumbered[value] if n == place else value for n, value in enumerate(run)]
        for run in index["runs"] if run[place] in renumbered
    ]  # fmt: skip
    mine = {**index, "cases": [index["cases"][case] for case in group], "runs": runs}
    return replace(content, pictures=(), without=(), index=mine, packs=[packs[case] for case in group])


def _words(index: Mapping[str, Any], group: Sequence[int]) -> str:
    seeds = sorted({index["cases"][case]["seed"] for case in group})
    return f"seeds {seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"seed {seeds[0]}"
