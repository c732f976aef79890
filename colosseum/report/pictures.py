"""Charts as pictures. In: the description of a chart; out: elements of an SVG of WIDTH.

Readable at 390 px, without colour and by a screen reader; names are escaped.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, TypeAlias

from markupsafe import Markup
from rich.cells import cell_len, set_cell_size

from colosseum.diagnostics.harmless import clean
from colosseum.report.document import IntervalChart, IntervalRow, Plot, Tone, numbers
from colosseum.report.words import signed

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


WIDTH: Final = 420.0
"""The width of every view box. Type of size 13 stays readable when this is shown in 360 pixels."""
LEFT, RIGHT = 46.0, 412.0
CELL: Final = 8.0
"""The width of a sign of size 13, in a wide font; wide signs have two."""
FORMS: Final = {
    "circle": "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0Z", "square": "M-1-1H1V1H-1Z", "triangle": "M0-1.25L1.25 1H-1.25Z",
    "diamond": "M0-1.25L1.25 0L0 1.25L-1.25 0Z", "wedge": "M0 1.25L1.25-1H-1.25Z", "cross": "M-1-1L1 1M1-1L-1 1",
}  # fmt: skip
"""Outlines of marks, so that arms differ without colour."""
HUES: Final = 6
"""Colours of arms; `series-0` is the control's grey."""
Place: TypeAlias = tuple[float, float]
Look: TypeAlias = tuple[str, str]
"""Class and form."""
TONES: Final[dict[Tone, Look]] = {
    "bad": ("up", "triangle"), "clear": ("down", "circle"), "open": ("open", "diamond"), "plain": ("soft", "square"),
}  # fmt: skip
"""How a reading looks, also without colour."""


def _titled(title: str) -> Markup:
    return Markup("<title>{}</title>").format(clean(title)) if title else Markup("")


def named(x: float, y: float, name: str, room: float, role: str = "", anchor: str = "start") -> Markup:
    """A name on the base line y, shortened to the room. The whole name is then its title."""
    whole, cells = clean(name), max(2, int(room / CELL))
    cut = cell_len(whole) > cells
    shown = f"{set_cell_size(whole, cells - 1).rstrip()}…" if cut else whole
    if not whole:
        return Markup("")
    made = Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}{}</text>')
    return made.format(role, x, y, anchor, shown, _titled(whole if cut else ""))


def rule(x1: float, y1: float, x2: float, y2: float, role: str, title: str = "") -> Markup:
    made = Markup('<path class="rule {}" d="M{:.1f} {:.1f}L{:.1f} {:.1f}">{}</path>')
    return made.format(role, x1, y1, x2, y2, _titled(title))


def mark(place: Place, look: Look, size: float, title: str = "") -> Markup:
    """A sign of half this width."""
    role, form = look
    made = Markup('<path class="mark {} {}" transform="translate({:.1f} {:.1f}) scale({:g})" d="{}">{}</path>')
    return made.format(form, role, *place, size, FORMS[form], _titled(title))


def width_of(text: str) -> float:
    """The estimated width of a text."""
    return cell_len(text) * CELL


def looks(names: Iterable[str], series: Sequence[str]) -> dict[str, Look]:
    """The look of each name. The first of `series` is grey and round; names outside `series` start with the second."""
    wanted, forms = dict.fromkeys(names), list(FORMS)[1:]
    known = list(series) if set(wanted) <= set(series) else ["", *wanted]
    turns = ((f"series-{n % HUES + 1}", forms[n % len(forms)]) for n in range(len(known)))
    every = [("series-0", "circle"), *turns]
    return {name: every[known.index(name)] for name in sorted(wanted, key=known.index)}


def bottom_axis(across: Scale, top: float, bottom: float, name: str, *, sign: str = "-") -> Iterator[Markup]:
    """Vertical rules at round numbers, and the name of the axis."""
    for tick, words in across.ticks(sign):
        yield rule(across(tick), top, across(tick), bottom, "grid")
        yield named(across(tick), bottom + 16, words, 60, "soft", "middle")
    yield named((across.start + across.end) / 2, bottom + 34, name, WIDTH - 8, "soft", "middle")


def left_axis(up: Scale, name: str) -> Iterator[Markup]:
    """Horizontal rules at round numbers, and the name of the axis above them."""
    for tick, words in up.ticks():
        yield rule(LEFT, up(tick), RIGHT, up(tick), "grid")
        yield named(LEFT - 6, up(tick) + 4, words, 60, "soft", "end")
    yield named(4, up.end - 24, name, WIDTH - 8, "soft")


def legend(entries: Mapping[str, Look], top: float) -> tuple[float, list[Markup]]:
    """Its height, and marks with their names, on as many lines as they need."""
    found: list[Markup] = []
    x, y = 8.0, top + 12
    for name, look in entries.items():
        wide = min(WIDTH - 40, width_of(clean(name)))
        if x > 8 and x + 14 + wide > WIDTH - 4:
            x, y = 8.0, y + 20
        found += [mark((x + 4, y - 4), look, 4), named(x + 14, y, name, WIDTH - 30, "soft")]
        x += 14 + wide + 16
    return (y - top + 8 if entries else 0.0), found


ROW, HEAD = 50.0, 24.0
"""Heights of a row and of a heading."""
TALL: Final = 260.0
"""The height of a plot."""


def drawn(chart: IntervalChart | Plot) -> tuple[float, list[Markup]]:
    """Its height and its elements."""
    return _intervals(chart) if isinstance(chart, IntervalChart) else _plot(chart)


def _intervals(chart: IntervalChart) -> tuple[float, list[Markup]]:
    """A row has the name and the note, then the dots, then the mean on its interval. The axis stands below."""
    rows, top, words = chart.rows, 30.0, f"margin {chart.margin:g}"
    bottom = top + len(rows) * ROW + HEAD * sum(1 for group, _ in groupby(row.group for row in rows) if group)
    dots = (dot for row in rows for dot in row.dots)
    ends = (end for row in rows for end in numbers(row.change).values() if end is not None)
    across = scale([0.0, chart.margin, *dots, *ends], 8, RIGHT)
    found = list(bottom_axis(across, top, bottom, chart.axis, sign="+"))
    found.append(named(min(across(chart.margin), RIGHT - width_of(words)), top - 8, words, WIDTH, "soft"))
    y, group = top, ""
    for row in rows:
        if row.group != group:
            group = row.group
            found.append(named(4, y + 17, group, WIDTH - 8, "strong over"))
            y += HEAD
        for value in (0.0, chart.margin):  # between names, which they would cross
            found.append(rule(across(value), y + 20, across(value), y + ROW, "margin" if value else "zero"))
        found += _row(row, chart.level, across, y)
        y += ROW
    return bottom + 42, found


def _row(row: IntervalRow, level: str, across: Scale, y: float) -> Iterator[Markup]:
    role, form = TONES[row.tone]
    mean, limits = row.change.value, row.change.limits
    words = row.note if mean is None else f"{row.note}, {signed(mean, 3, sign='+')}"
    room = min(width_of(words), 240.0)
    yield mark((9, y + 11), (role, form), 4)
    yield named(19, y + 16, row.name, RIGHT - 30 - room, "over")
    yield named(RIGHT, y + 16, words, room + 4, f"over {role}", "end")
    for place, dot in enumerate(row.dots):  # on three lanes, so that few hide each other
        yield mark((across(dot), y + 23 + 5 * (place % 3)), ("faint", "circle"), 2.8)
    middle = y + ROW - 8
    if limits:
        words = f"{level} % interval: {signed(limits[0], 3)} to {signed(limits[1], 3)}"
        yield rule(across(limits[0]), middle, across(limits[1]), middle, f"bar {role}", words)
    if mean is not None:
        yield mark((across(mean), middle), (role, form), 4.5, f"mean of {row.name}: {signed(mean)}")


def _plot(chart: Plot) -> tuple[float, list[Markup]]:
    """The axes, then the guides, the series, and the key."""
    every = [spot for series in chart.spots.values() for spot in series]
    least, point = chart.margins
    xs = [x for spot in every for x in (spot.x, *(spot.x_limits or ()))]
    ys = [y for spot in every for y in (spot.y, *(spot.y_limits or ()))]
    across = scale([0.0, least, *xs], LEFT + 8, RIGHT - 8)
    up = scale([0.0, point, *ys], 40 + TALL, 40)
    found = [*left_axis(up, chart.up), *bottom_axis(across, up.end, up.start, chart.across)]
    for x, y, role in ((0.0, 0.0, "zero"), (least, point, "margin")):
        found += [rule(across(x), up.end, across(x), up.start, role), rule(LEFT, up(y), RIGHT, up(y), role)]
    words = f"margin {least:g}" if least else ""
    found.append(named(across(least), up.end - 4, words, 150, "soft halo", "middle"))
    found.append(named(RIGHT, up(point) - 5, f"{point:g} point", 150, "soft halo", "end"))
    look = looks(chart.spots, chart.series)
    high, key = legend(look, up.start + 44)
    return up.start + 44 + high, [*found, *_series(chart, look, across, up), *key]


def _series(chart: Plot, look: Mapping[str, Look], across: Scale, up: Scale) -> Iterator[Markup]:
    """Marks with their intervals."""
    for name, series in chart.spots.items():
        role, form = look[name]
        for spot in series:
            x, y = across(spot.x), up(spot.y)
            if spot.x_limits:
                yield rule(across(spot.x_limits[0]), y, across(spot.x_limits[1]), y, f"thin {role}")
            if spot.y_limits:
                yield rule(x, up(spot.y_limits[0]), x, up(spot.y_limits[1]), f"thin {role}")
            yield mark((x, y), (role, form), 4.0, spot.title)
