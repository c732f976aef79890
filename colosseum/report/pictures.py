"""Charts as pictures. In: the description of a chart; out: where everything stands in an SVG of WIDTH.

`picture.svg.j2` draws it, readable at 390 px, without colour and by a screen reader.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from rich.cells import cell_len, set_cell_size

from colosseum.diagnostics.harmless import clean
from colosseum.report.document import AnyChart, IntervalChart, Plot, Tone, numbers

STEPS: Final = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """From values to places. `start` is greater than `end` where y goes up."""

    low: float
    high: float
    start: float = 0.0
    end: float = 1.0

    def __call__(self, value: float) -> float:
        """The place of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, sign: str = "-") -> Iterator[tuple[float, str]]:
        """Round numbers within it, about five, with words as short as they are."""
        least = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(least))
        step = power * next(step for step in STEPS if step * power >= least * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        for tick in (place * step for place in range(first, last + 1)):
            yield tick, f"{tick:{sign}g}".replace("-", "−") if tick else "0"


def scale(values: Iterable[float], start: float, end: float) -> Scale:
    """A scale that holds all values, with 4 % of it free at each end, and with room also when they are equal."""
    found = list(values)
    low, high = min(found), max(found)
    equal = high - low <= 1e-9 * max(abs(low), abs(high), 1e-9)
    room = abs(low) * 0.1 or 1.0 if equal else 0.04 * (high - low)
    return Scale(low - room, high + room, start, end)


WIDTH: Final = 420.0  # the width of every view box. Type of size 13 stays readable when this is shown in 360 pixels.
LEFT, RIGHT = 46.0, 412.0
ROW, HEAD, TALL = 50.0, 24.0, 260.0  # heights of a row, of a heading and of a plot
CELL: Final = 8.0  # the width of a sign of size 13, in a wide font; wide signs have two
FORMS: Final = {
    "circle": "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0Z", "square": "M-1-1H1V1H-1Z", "triangle": "M0-1.25L1.25 1H-1.25Z",
    "diamond": "M0-1.25L1.25 0L0 1.25L-1.25 0Z", "wedge": "M0 1.25L1.25-1H-1.25Z", "cross": "M-1-1L1 1M1-1L-1 1",
}  # fmt: skip
"""Outlines of marks, so that arms differ without colour."""
HUES: Final = 6  # colours of arms; `series-0` is the control's grey
Look: TypeAlias = tuple[str, str]  # class and form
TONES: Final[dict[Tone, Look]] = {
    "bad": ("up", "triangle"), "clear": ("down", "circle"), "open": ("open", "diamond"), "plain": ("soft", "square"),
}  # fmt: skip
"""How a reading looks, also without colour."""


def width_of(text: str) -> float:
    """The estimated width of a text."""
    return cell_len(text) * CELL


def shortened(name: str, room: float) -> tuple[str, str]:
    """A name as it has room, and the whole of it where that is shorter."""
    whole, cells = clean(name), max(2, int(room / CELL))
    if cell_len(whole) <= cells:
        return whole, ""
    return f"{set_cell_size(whole, cells - 1).rstrip()}…", whole


def looks(names: Iterable[str], series: Sequence[str]) -> dict[str, Look]:
    """The look of each name. The first of `series` is grey and round; names outside `series` start with the second."""
    wanted, forms = dict.fromkeys(names), list(FORMS)[1:]
    known = list(series) if set(wanted) <= set(series) else ["", *wanted]
    turns = ((f"series-{n % HUES + 1}", forms[n % len(forms)]) for n in range(len(known)))
    every = [("series-0", "circle"), *turns]
    return {name: every[known.index(name)] for name in sorted(wanted, key=known.index)}


def drawn(chart: AnyChart) -> dict[str, Any]:
    """What the template draws by, with the `height` of it all."""
    return _intervals(chart) if isinstance(chart, IntervalChart) else _plot(chart)


def _intervals(chart: IntervalChart) -> dict[str, Any]:
    """Rows with their places, below headings; the axis stands below."""
    dots = (dot for row in chart.rows for dot in row.dots)
    ends = (end for row in chart.rows for end in numbers(row.change).values() if end is not None)
    top, rows, group = 30.0, [], ""
    y = top
    for row in chart.rows:
        y += HEAD if row.group != group else 0
        rows.append((row, y, row.group if row.group != group else "", *TONES[row.tone]))
        y, group = y + ROW, row.group
    across = scale([0.0, chart.margin, *dots, *ends], 8, RIGHT)
    return {"rows": rows, "across": across, "top": top, "bottom": y, "height": y + 42}


def _plot(chart: Plot) -> dict[str, Any]:
    """Both axes, the look of each series, and the key below, on as many lines as it needs."""
    every = [spot for series in chart.spots.values() for spot in series]
    xs = [x for spot in every for x in (spot.x, *(spot.x_limits or ()))]
    ys = [y for spot in every for y in (spot.y, *(spot.y_limits or ()))]
    across = scale([0.0, chart.margins[0], *xs], LEFT + 8, RIGHT - 8)
    up = scale([0.0, chart.margins[1], *ys], 40 + TALL, 40)
    look, key = looks(chart.spots, chart.series), []
    x, y = 8.0, up.start + 56
    for name in look:
        wide = min(WIDTH - 40, width_of(clean(name)))
        if x > 8 and x + 14 + wide > WIDTH - 4:
            x, y = 8.0, y + 20
        key.append((name, x, y))
        x += 14 + wide + 16
    return {"across": across, "up": up, "look": look, "key": key, "height": y + 8 if key else up.start + 44}
