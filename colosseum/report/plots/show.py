"""Plots on a page. In: effects, and how deeds and words agree; out: those that suit the study, with their captions."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Final

from rich.console import Console

from colosseum.evidence.statistics import Correlation
from colosseum.report.numbers import number
from colosseum.report.page import list_facts, say
from colosseum.report.plots.effects import Effects, limits
from colosseum.report.plots.intervals import MARKS, PLAIN, interval_plots
from colosseum.report.plots.lines import line_plots
from colosseum.report.plots.plane import plane
from colosseum.report.verdicts import NAMES

REGIONS: Final = (
    "Regions are those of the published rule, by means alone: deeds where CA rose, words where the judge's score rose "
    "by 1. The verdicts above have intervals, and go by {signal}."
)


def show_plots(effects: Effects, agreement: Mapping[str, Correlation | str], console: Console) -> None:
    """Lines along a swept number, else rows of intervals; then deeds against words."""
    if effects.sweep.numeric:
        _show_lines(effects, console)
    else:
        _show_intervals(effects, console)
    _show_plane(effects, agreement, console)


def _show_lines(effects: Effects, console: Console) -> None:
    plots = list(line_plots(effects, width=console.width, ascii_only=console.options.ascii_only))
    for found, following in zip_longest(plots, plots[1:]):
        _show(found.title, found.rows, console)
        if following is None or following.legend != found.legend:
            list_facts(console, found.legend)


def _show_intervals(effects: Effects, console: Console) -> None:
    ascii_only = console.options.ascii_only
    signs = PLAIN if ascii_only else MARKS
    plots = list(interval_plots(effects, width=console.width, ascii_only=ascii_only))
    for title, rows in plots:
        _show(title, rows, console)
    parts = [part for effect in effects.all for part in effect.parts if part.estimate.value is not None]
    if plots:
        mean, alone, begin, dash, end, zero, rule, _ = signs
        words = [f"{begin}{dash}{mean}{dash}{end} mean and 95 % interval"] if any(map(limits, parts)) else []
        words += [f"{alone} mean, too few pairs differ"] if not all(map(limits, parts)) else []
        say(console, f"  {'; '.join([*words, f'{zero} 0', f'{rule} margin'])}")


def _show_plane(effects: Effects, agreement: Mapping[str, Correlation | str], console: Console) -> None:
    found = plane(effects, width=console.width, ascii_only=console.options.ascii_only)
    if found is None:
        return
    _show("Deeds against words: what CA rose by, and the judge's score", found.rows, console)
    list_facts(console, found.legend)
    signal = " and ".join(NAMES[name] for name in effects.margins)
    say(console, REGIONS.format(signal=signal))
    first = NAMES[next(iter(effects.margins))]
    if agreement:
        say(console, f"Correlation of {first} with the judge's score over seeds (Pearson's r, 95 % interval):")
        reasons: dict[str, list[str]] = {}
        for arm, r in agreement.items():
            reasons.setdefault(_r(r), []).append(arm)
        list_facts(console, [(", ".join(arms), words) for words, arms in reasons.items()])


def _r(found: Correlation | str) -> str:
    if isinstance(found, str):
        return f"– {found}"
    r, low, high = (number(value, 2, sign="+") for value in (found.r, found.low, found.high))
    return f"{r} [{low}, {high}], n = {found.n}"


def _show(title: str, rows: list[str], console: Console) -> None:
    say(console)
    say(console, title, style="bold")
    for row in rows:
        say(console, row)
