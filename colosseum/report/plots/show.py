"""Plots on a page. In: effects, and how actions and words agree; out: those that suit the study, with captions."""

from collections.abc import Mapping
from itertools import zip_longest

from rich.console import Console

from colosseum.evidence.registry import label
from colosseum.evidence.statistics import Correlation
from colosseum.report.numbers import number
from colosseum.report.page import list_facts, say
from colosseum.report.plots.effects import Effects, limits
from colosseum.report.plots.intervals import MARKS, PLAIN, interval_plots
from colosseum.report.plots.lines import line_plots


def show_plots(effects: Effects, agreement: Mapping[str, Correlation | str], console: Console) -> None:
    """Lines along a swept number, else rows of intervals; then how actions and words go together."""
    if effects.sweep.numeric:
        _show_lines(effects, console)
    else:
        show_intervals(effects, console)
    _show_agreement(effects, agreement, console)


def _show_lines(effects: Effects, console: Console) -> None:
    plots = list(line_plots(effects, width=console.width, ascii_only=console.options.ascii_only))
    for found, following in zip_longest(plots, plots[1:]):
        _show(found.title, found.rows, console)
        if following is None or following.legend != found.legend:
            list_facts(console, found.legend)


def show_intervals(effects: Effects, console: Console) -> None:
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


def _show_agreement(effects: Effects, agreement: Mapping[str, Correlation | str], console: Console) -> None:
    if not agreement:
        return
    say(console)
    first = label(next(iter(effects.margins)))
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
