"""Means with intervals on a terminal. In: the description of the chart, a width; out: rows, in ASCII if asked."""

from textwrap import wrap
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from colosseum.report.document import IntervalChart, IntervalRow
from colosseum.report.pictures import Scale, scale
from colosseum.report.words import clean, signed

WIDEST, LEAST = 60, 20
"""Cells of a drawing."""
LONGEST: Final = 24
"""Cells of a name; a longer one is cut."""
SIGNS, PLAIN_SIGNS = "●○├─┤│┊┼", "ox[-]|:+"
"""A mean with an interval, one without, an interval from end to end, 0, the margin, and 0 within an interval."""


def interval_rows(chart: IntervalChart, width: int, *, ascii_only: bool) -> list[str]:
    """One line for each row, with 0 and the margin. The notes stand at the right if there is room."""
    signs = PLAIN_SIGNS if ascii_only else SIGNS
    label = min(LONGEST, max(cell_len(clean(row.name)) for row in chart.rows))
    note = max(cell_len(clean(row.note)) for row in chart.rows) + 2
    cells = width - label - 4
    notes = cells - note >= LEAST
    cells = max(LEAST, min(WIDEST, cells - note * notes))
    axis = scale([0.0, chart.margin, *(end for row in chart.rows for end in row.ends)], 0, cells - 1, margin=0)
    rows, group = list[str](), ""
    for row in chart.rows:
        if row.group != group:
            group = row.group
            rows.append(f"  {_fitted(group, width - 2)}".rstrip())
        words = f"  {clean(row.note)}" if notes else ""
        rows.append(f"  {_fitted(row.name, label)}  {_track(row, chart, axis, cells, signs)}{words}".rstrip())
    low, high = (signed(end, 2, sign="+") for end in (axis.low, axis.high))
    name, room = clean(chart.axis), cells - len(low) - len(high)
    below = [f"{name:^{room}}"] if cell_len(name) < room - 1 else [" " * room, *wrap(name, cells)]
    rows += [" " * (label + 4) + line for line in (f"{low}{below[0]}{high}", *below[1:])]
    return [*rows, *(f"  {line}" for line in wrap(_legend(chart, signs), max(LEAST, width - 2)))]


def _track(row: IntervalRow, chart: IntervalChart, axis: Scale, cells: int, signs: str) -> str:
    mean, alone, begin, dash, end, zero, rule, within = tuple(signs)
    track = [" "] * cells
    track[round(axis(chart.margin))] = rule
    track[round(axis(0.0))] = zero
    if row.low is not None and row.high is not None:
        first, last = round(axis(row.low)), round(axis(row.high))
        track[first : last + 1] = [within if sign == zero else dash for sign in track[first : last + 1]]
        track[first], track[last] = begin, end
    if row.mean is not None:
        track[round(axis(row.mean))] = alone if row.low is None else mean
    return "".join(track)


def _legend(chart: IntervalChart, signs: str) -> str:
    mean, alone, begin, dash, end, zero, rule, _ = tuple(signs)
    said = [f"{begin}{dash}{mean}{dash}{end} mean and 95 % interval"]
    said += [f"{alone} mean, no interval"] * any(row.low is None for row in chart.rows)
    return "; ".join([*said, f"{zero} 0", f"{rule} margin {chart.margin:g}"])


def _fitted(name: str, cells: int) -> str:
    """A name cut or filled to exactly this width."""
    line = Text(clean(name))
    line.truncate(cells, overflow="ellipsis", pad=True)
    return line.plain
