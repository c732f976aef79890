"""Differences from the control. In: comparisons; out: a table of each arm's figures with their tests."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console

from colosseum.evidence.registry import REGISTRY
from colosseum.evidence.statistics import ENOUGH_NONZERO, Interval
from colosseum.evidence.summary import Comparison, Difference
from colosseum.report.numbers import decimals, number, probability, reasons
from colosseum.report.page import Grid, list_notes, noted, say, show_grid

CHANGES: Final = (
    "outsider_loss", "joint_payoff", "regret", "steered_harm", "own_move_loss", "coalition_advantage", "payoff_gap",
    "coalition_value",
)  # fmt: skip
"""The figures of the difference table."""


def no_pair(excluded: str) -> str:
    """That there is nothing to compare, and why."""
    return "no seed makes a pair of runs" + (f": {excluded}" if excluded else "")


def _left_out(comparisons: Sequence[Comparison]) -> list[tuple[str, str]]:
    """Seeds that make no pair, by arm."""
    return [
        (c.arm, f"{c.pairs} pairs; left out: {reasons(c.excluded, numbered=True)}") for c in comparisons if c.excluded
    ]


def _missing(difference: Difference, pairs: int, notes: dict[str, int]) -> str:
    """The mark of a note that says in how many pairs the figure is null; empty where it is in none."""
    missing = sum(count for _, count in difference.nulls)
    if not missing:
        return ""
    share = "every pair" if missing == pairs else f"{missing} of {pairs} pairs, left out of the mean"
    return " " + noted(f"missing in {share}: {reasons(difference.nulls)}", notes)


def show_differences(comparisons: Sequence[Comparison], control: str, console: Console) -> None:
    """A row for each figure of each arm."""
    say(console)
    say(console, f"Difference from `{control}`, paired by seed", style="bold")
    notes: dict[str, int] = {}
    labels: list[str] = []
    rows: list[tuple[str, ...]] = []
    shown: list[Difference] = []
    places = {name: decimals(_limits(comparisons, name), digits=3) for name in CHANGES}
    for comparison in comparisons:
        labels.append(comparison.arm)
        rows.append(("", "", "", "") if comparison.pairs else ("–", "no pair", "", ""))
        for name in CHANGES if comparison.pairs else ():
            shown.append(comparison.differences[name])
            labels.append(f"  {REGISTRY[name].heading}")
            rows.append(_change_cells(shown[-1], comparison.pairs, places[name], notes))
    grid = Grid(tuple(labels), ("mean", "95 % interval", "pairs differ", "sign-test p"), tuple(rows), turns=False)
    show_grid(console, grid if any(row[3] for row in rows) else grid.part(range(3)))
    facts = [(f"({mark})", note) for note, mark in notes.items()]
    if any(isinstance(d.paired.interval, Interval) and not d.paired.reliable for d in shown):
        facts.append(("~", f"not reliable: fewer than {ENOUGH_NONZERO} pairs differ; go by the sign test"))
    list_notes([*facts, *_left_out(comparisons)], console)


def _limits(comparisons: Sequence[Comparison], name: str) -> list[float | None]:
    """What is shown of a figure in all arms, so that it has equally many decimals in each."""
    all_paired = [comparison.differences[name].paired for comparison in comparisons]
    ends = [end for p in all_paired if isinstance(p.interval, Interval) for end in (p.interval.low, p.interval.high)]
    return [*ends, *(p.mean.value for p in all_paired)]


def _change_cells(difference: Difference, pairs: int, places: int, notes: dict[str, int]) -> tuple[str, str, str, str]:
    """Mean, interval, how many pairs differ and, where the interval may not be relied on, the sign test's p."""
    paired = difference.paired
    note = _missing(difference, pairs, notes)
    if paired.mean.value is None:
        return f"–{note}", "", "", ""
    match paired.interval:
        case Interval(low=low, high=high):
            doubt = "" if paired.reliable else "~"
            limits = f"{doubt}[{number(low, places, sign='+')}, {number(high, places, sign='+')}]"
        case reason:
            limits = reason if paired.n_nonzero else "no pair differs"
    certain = paired.reliable and isinstance(paired.interval, Interval)
    p = "" if certain or paired.sign_test.value is None else probability(paired.sign_test.value)
    return number(paired.mean.value, places, sign="+") + note, limits, f"{paired.n_nonzero}/{paired.n}", p
