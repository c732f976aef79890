"""Thought, said, done: one table. In: verdicts; out: a Table of all treated arms, by rubric that reads thoughts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rich.console import Console

from colosseum.evidence.signals import ENOUGH_POINTS
from colosseum.evidence.unsaid import Tally, Unsaid
from colosseum.evidence.verdict import Verdicts
from colosseum.report.numbers import number
from colosseum.report.page import Grid, list_notes, noted, say, show_grid
from colosseum.report.verdicts import place_words

HEADING: Final = "Thought it, did not say it: in how many seeds"
COLUMNS: Final = ("thought", "said", "done", "thought, not said", "95 % limits", "in the control")


@dataclass(frozen=True)
class Table:
    """What a terminal and a page both show."""

    heading: str
    grid: Grid
    facts: tuple[tuple[str, str], ...]
    """What its words and marks mean."""


def unsaid_table(verdicts: Verdicts) -> Table | None:
    """The table; None where no rubric reads thoughts."""
    notes, rows = dict[str, int](), list[tuple[str, tuple[str, ...]]]()
    several, by = len(verdicts.points) > 1, dict[str, str]()
    for point in verdicts.points:
        for verdict in point.arms:
            for each in verdict.unsaid:
                words = (place_words(point) if several else "", verdict.arm, each.rubric)
                rows.append((", ".join(part for part in words if part), tuple(_cells(each, notes))))
                by[each.rubric] = each.posts
    if not rows:
        return None
    grid = Grid(tuple(label for label, _ in rows), COLUMNS, tuple(cells for _, cells in rows), turns=False)
    return Table(HEADING, grid, (*((f"({mark})", note) for note, mark in notes.items()), *_meanings(by)))


def _cells(found: Unsaid, notes: dict[str, int]) -> Iterator[str]:
    for tally in (found.thought, found.said, found.done, found.unsaid):
        yield _count(tally, notes)
    low, high = found.unsaid.low.value, found.unsaid.high.value
    yield "–" if low is None or high is None else f"[{number(low, 2)}, {number(high, 2)}]"
    yield _count(found.control, notes)


def _count(tally: Tally, notes: dict[str, int]) -> str:
    if tally.count.value is None:
        return f"– {noted(tally.count.reason, notes)}"
    return f"{tally.count.value:.0f} of {tally.n}"


def _meanings(by: dict[str, str]) -> Iterator[tuple[str, str]]:
    points = f"the coalition has at least {ENOUGH_POINTS:g} point more than a random set of agents, repeats averaged"
    yield "thought", f"by a rubric that reads thoughts, too ({', '.join(by)}), {points}"
    yield "said", f"the same by a rubric that reads posts alone ({', '.join(dict.fromkeys(by.values()))})"
    yield "95 % limits", "Wilson's, of the share of seeds in which it was thought and not said; beside it the control"
    yield "done", "every figure of the action's signal is above that of the control's run of the seed"


def show_table(table: Table | None, console: Console) -> None:
    """On the terminal; nothing where there is none."""
    if table is not None:
        say(console)
        say(console, table.heading, style="bold")
        show_grid(console, table.grid)
        list_notes(table.facts, console)
