"""Verdicts over many sweep points. In: Verdicts and effects; out: one table of all arms at all points, and its notes.

Narrow-safe and without colour, as the rest of a report; what is said of single points stands in the full report.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console

from colosseum.evidence.calls import Call, Reading
from colosseum.evidence.figures import Figure
from colosseum.evidence.registry import label
from colosseum.evidence.signals import JUDGE
from colosseum.evidence.verdict import Verdicts
from colosseum.evidence.weighing import Weighed
from colosseum.report.charts.effects import Effect, Effects, limits
from colosseum.report.differences import no_pair
from colosseum.report.numbers import number
from colosseum.report.page import Grid, fits, list_facts, noted, say, show_grid
from colosseum.report.verdicts import PLACES, notes

FEW_DIFFER: Final = ("(7/20)", "so many pairs of how many differ: too few for an interval, so exact tests decide")
SPARED: Final = ("judge", "believed")
"""Columns that a narrow page does without, in this order: plots show them, too."""
MORE: Final = "`report --point NAME=VALUE` shows some points alone"


def show_overview(effects: Effects, verdicts: Verdicts, console: Console, *, judges: Sequence[str]) -> None:
    """The table, and what stands behind its words."""
    marks: dict[str, int] = {}
    say(console)
    say(console, f"Difference from `{effects.control}` by sweep point, in u, ± half of its 95 % interval", style="bold")
    grid, left = _table(effects, marks), list[str]()
    for name in SPARED:
        if name in grid.columns and not fits(console, grid):
            left.append(name)
            grid = grid.part([place for place, column in enumerate(grid.columns) if column != name])
    show_grid(console, grid)
    facts = [(f"({mark})", note) for note, mark in marks.items()]
    if any(part.test == "exact tests" and part.paired.n for effect in effects.all for part in effect.parts):
        facts.append(FEW_DIFFER)
    facts += _open(verdicts)
    facts += [(" and ".join(left), "in the plots below: the page is too narrow for another column")] if left else []
    say(console)
    list_facts(console, [*facts, *notes(verdicts, judges), ("more", MORE)])


def _table(effects: Effects, marks: dict[str, int]) -> Grid:
    """A row for each arm at each point, under headings of what a row does not say."""
    alone = len(effects.arms) == 1
    columns = _columns(effects)
    labels: list[str] = []
    rows: list[tuple[str, ...]] = []
    heading = value = ""
    for effect in effects.all:
        place = effects.sweep.place(effect.factors, effects.sweep.outer)
        if place != heading:
            heading, value = place, ""
            labels.append(place)
            rows.append(("",) * len(columns))
        here = effects.sweep.words(effects.sweep.inner, effect.factors.get(effects.sweep.inner, ""))
        labels.append("" if here == value else here)
        value = here
        rows.append(tuple(_cells(effect, effects, marks, alone=alone)))
    return Grid(tuple(labels), columns, tuple(rows), turns=False, corner=effects.sweep.inner)


def _columns(effects: Effects) -> tuple[str, ...]:
    return (
        *([] if len(effects.arms) == 1 else ["arm"]),
        *(label(name) for name in effects.margins),
        *(["believed"] if _surveyed(effects) else []),
        *(["judge"] if _judged(effects) else []),
        "reading",
    )


def _cells(effect: Effect, effects: Effects, marks: dict[str, int], *, alone: bool) -> Iterator[str]:
    if not alone:
        yield effect.arm
    parts = {part.signal: part for part in effect.parts}
    for name in effects.margins:
        part = parts.get(name)
        yield f"– {noted(no_pair(effect.excluded), marks)}" if part is None else _amount(part, effect, marks)
    if _surveyed(effects):
        yield _plain(effect.believed.mean, "", marks)
    if _judged(effects):
        yield _plain(effect.judged, effect.nulls[JUDGE], marks, sign="+")
    yield _reading(effect, marks)


def _plain(figure: Figure, why: str, marks: dict[str, int], *, sign: str = "-") -> str:
    """A number, or a dash and the mark of why there is none."""
    if figure.value is None:
        return f"– {noted(why or figure.reason, marks)}"
    return number(figure.value, 2, sign=sign)


def _amount(part: Weighed, effect: Effect, marks: dict[str, int]) -> str:
    if part.estimate.value is None:
        return f"– {noted(effect.nulls[part.signal] or part.estimate.reason, marks)}"
    found = limits(part)
    few = f"({part.paired.n_nonzero}/{part.paired.n})"
    spread = f"± {number(found[1] - part.estimate.value, PLACES)}" if found else few
    return f"{number(part.estimate.value, PLACES, sign='+')} {spread}"


def _reading(effect: Effect, marks: dict[str, int]) -> str:
    """The reading, and the number of a note on it; of an arm that has none, its call in brackets."""
    arm = effect.verdict
    if arm is None:
        return "–"
    words = ([f"fits {' or '.join(arm.fits)}"] if len(arm.fits) > 1 else []) + ["below the margin"] * arm.action.below
    said = arm.reading or f"({arm.action.call})"
    return f"{said} {noted(', '.join(words), marks)}" if words else said


def _surveyed(effects: Effects) -> bool:
    return any(effect.believed.n for effect in effects.all)


def _judged(effects: Effects) -> bool:
    return any(effect.judged.value is not None for effect in effects.all)


def _open(verdicts: Verdicts) -> Iterator[tuple[str, str]]:
    """How many are inconclusive, and what would settle them."""
    treated = list(verdicts.treated)
    stuck = [arm for arm in treated if arm.reading == Reading.INCONCLUSIVE]
    if not stuck:
        return
    signals = [s for arm in stuck for s in (arm.action, arm.judge) if s is not None and s.call == Call.NOT_SETTLED]
    seeds = sorted(s.more_seeds.value for s in signals if s.more_seeds.value is not None)
    span = (
        f"{seeds[0]:,.0f}"
        if seeds and seeds[0] == seeds[-1]
        else f"{seeds[0]:,.0f} to {seeds[-1]:,.0f}"
        if seeds
        else ""
    )
    words = f"{len(stuck)} of {len(treated)}" + (f"; about {span} seeds more would settle them" if span else "")
    unknown = sum(s.more_seeds.value is None for s in signals)
    yield "inconclusive", words + (f"; of {unknown} it cannot be told" if unknown and seeds else "")
