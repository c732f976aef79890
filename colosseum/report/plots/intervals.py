"""Effects as dots with their intervals, a row an arm. In: effects; out: lines of text, 0 and the margin marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from colosseum.evidence.registry import label
from colosseum.evidence.weighing import Weighed
from colosseum.report.chart import ASCII, SIGNS, Axis, below, ticks
from colosseum.report.numbers import number
from colosseum.report.plots.effects import Effect, Effects, limits

WIDEST: Final = 56
"""Cells of the axis."""
LEAST: Final = 20
LONGEST: Final = 24
"""Cells of a row's name; a longer one is cut."""
MARKS: Final = ("●", "○", "├", "─", "┤", "│", "┊", "┼")
"""A mean with an interval, one without, an interval from end to end, 0, the margin, and 0 within an interval."""
PLAIN: Final = ("o", "x", "[", "-", "]", "|", ":", "+")


@dataclass(frozen=True)
class _Row:
    """A heading, or an arm with what it shows."""

    name: str
    part: Weighed | None = None


def interval_plots(effects: Effects, *, width: int, ascii_only: bool) -> Iterator[tuple[str, list[str]]]:
    """A title and the lines of a plot for each figure that decides; none for one that is null everywhere."""
    by = effects.sweep.inner if len(effects.arms) == 1 and effects.sweep.values else "arm"
    for name, margin in effects.margins.items():
        rows = list(_rows(effects, name))
        parts = [row.part for row in rows if row.part]
        if any(part.estimate.value is not None for part in parts):
            lines = _plot(rows, parts, f"{label(name)}, u", margin, width=width, ascii_only=ascii_only)
            yield f"Change of {label(name)} against `{effects.control}`, by {by}", lines


def _rows(effects: Effects, name: str) -> Iterator[_Row]:
    """Grouped by point where there are several; with one arm only, a row is a value of what is swept."""
    sweep, alone = effects.sweep, len(effects.arms) == 1
    if not sweep.values:
        yield from (_Row(effect.arm, _part(effect, name)) for effect in effects.all)
        return
    heading = ""
    for effect in effects.all:
        place = sweep.place(effect.factors, sweep.outer if alone else None)
        if place != heading:
            heading = place
            yield _Row(f"  {place}")
        value = effect.factors.get(sweep.inner, "")
        yield _Row(sweep.words(sweep.inner, value) if alone else effect.arm, _part(effect, name))


def _part(effect: Effect, name: str) -> Weighed | None:
    return next((part for part in effect.parts if part.signal == name), None)


def _plot(
    rows: Sequence[_Row], parts: Sequence[Weighed], name: str, margin: float, *, width: int, ascii_only: bool
) -> list[str]:
    signs, frame = (PLAIN, ASCII) if ascii_only else (MARKS, SIGNS)
    label = min(LONGEST, max(cell_len(row.name) for row in rows if row.part) if parts else 0)
    cells = max(LEAST, min(WIDEST, width - label - 4))
    axis = _axis(name, parts, margin)
    lines = [_line(row, axis, margin, label, cells, signs) for row in rows]
    return [*lines, *below(axis, label + 3, cells, frame[2:])]


def _axis(name: str, parts: Sequence[Weighed], margin: float) -> Axis:
    seen = [end for part in parts for end in limits(part) or ()]
    means = [part.estimate.value for part in parts if part.estimate.value is not None]
    low, high = min(0.0, *seen, *means), max(margin, *seen, *means)
    ends = ((high, number(high, 2, sign="+")), (low, number(low, 2, sign="+")))
    return Axis(name, low, high, ticks((0.0, "0"), (margin, f"{margin:g}"), *ends))


def _line(row: _Row, axis: Axis, margin: float, label: int, cells: int, signs: Sequence[str]) -> str:
    """One row: its name, and what lies where on the axis."""
    mean, alone, begin, dash, end, zero, rule, within = signs
    if row.part is None:
        return row.name
    track = [" "] * cells

    def column(value: float) -> int:
        return round(axis.share(value) * (cells - 1))

    track[column(margin)], track[column(0.0)] = rule, zero
    found, value = limits(row.part), row.part.estimate.value
    if found:
        first, last = map(column, found)
        track[first : last + 1] = [within if sign == zero else dash for sign in track[first : last + 1]]
        track[first], track[last] = begin, end
    if value is not None:
        track[column(value)] = mean if found else alone
    name = row.name if cell_len(row.name) <= label else f"{row.name[: label - 1]}…"
    return f"  {name}{' ' * (label - cell_len(name))}  {''.join(track)}".rstrip()
