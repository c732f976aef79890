"""Charts as pictures. In: the description of a chart; out: shapes in a view box.

One function for each kind of chart. Readable at 390 px, without colour and by a screen reader; names are escaped.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import cos, sin, sqrt
from typing import ClassVar, Final, TypeAlias, assert_never

from rich.cells import cell_len, set_cell_size

from colosseum.report.document import AnyChart, IntervalChart, IntervalRow, Plot, Tone
from colosseum.report.words import clean, signed

STEPS: Final = (1.0, 2.0, 5.0, 10.0)
MARGIN: Final = 0.04
"""The share of a scale that stays free at each end."""


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

    def ticks(self, most: int = 5) -> list[float]:
        """Round numbers within it, about `most`."""
        least = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(least))
        step = power * next(step for step in STEPS if step * power >= least * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [place * step for place in range(first, last + 1)]


def scale(values: Iterable[float], start: float = 0.0, end: float = 1.0, *, margin: float = MARGIN) -> Scale:
    """A scale that holds all values, with room also when they are equal."""
    found = list(values)
    low, high = min(found), max(found)
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-9):
        room = abs(low) * 0.1 or 1.0
        return Scale(low - room, high + room, start, end)
    room = margin * (high - low)
    return Scale(low - room, high + room, start, end)


def tick_words(ticks: Sequence[float], *, signed: bool = False) -> list[str]:
    """Round numbers as short as they are."""
    return [f"{tick:{'+' if signed else '-'}g}".replace("-", "−") if tick else "0" for tick in ticks]


# ---- shapes --------------------------------------------------------------------------------------------------------

WIDTH: Final = 420.0
"""The width of every view box. Type of size 13 stays readable when this is shown in 360 pixels."""
LEFT, RIGHT = 46.0, 412.0
CELL: Final = 8.0
"""The width of a sign of size 13, in a wide font; wide signs have two."""
FORMS: Final = ("circle", "square", "triangle", "diamond", "wedge", "cross")
"""Forms of marks, so that arms differ without colour."""
HUES: Final = 6
"""Colours of arms; `series-0` is the control's grey."""
Place: TypeAlias = tuple[float, float]
Look: TypeAlias = tuple[str, str]
"""Class and form."""
TONES: Final[dict[Tone, Look]] = {
    "bad": ("up", "triangle"), "clear": ("down", "circle"), "open": ("open", "diamond"), "plain": ("soft", "square"),
}  # fmt: skip
"""How a reading looks, also without colour."""


@dataclass(frozen=True)
class Text:
    """Words on one line."""

    kind: ClassVar = "text"
    x: float
    y: float
    """Of the base line."""
    words: str
    role: str = ""
    """Classes of the style sheet."""
    anchor: str = "start"
    title: str = ""
    """The whole text, where it was shortened."""


@dataclass(frozen=True)
class Stroke:
    """A line through places, or an area between them."""

    kind: ClassVar = "line"
    places: Sequence[Place]
    role: str
    title: str = ""
    closed: bool = False


@dataclass(frozen=True)
class Mark:
    """A sign at a place."""

    kind: ClassVar = "mark"
    x: float
    y: float
    form: str
    """A form that the template knows."""
    role: str = ""
    size: float = 4.0
    """Half its width."""
    title: str = ""
    run: str = ""
    """The trial that it leads to."""


Shape: TypeAlias = Text | Stroke | Mark


def width_of(text: str) -> float:
    """The estimated width of a text."""
    return cell_len(text) * CELL


def named(x: float, y: float, name: str, room: float, role: str = "", anchor: str = "start") -> Text:
    """A name, shortened to the room. The whole name is then its title."""
    whole, cells = clean(name), max(2, int(room / CELL))
    if cell_len(whole) <= cells:
        return Text(x, y, whole, role, anchor)
    return Text(x, y, f"{set_cell_size(whole, cells - 1).rstrip()}…", role, anchor, whole)


def looks(names: Iterable[str], series: Sequence[str]) -> dict[str, Look]:
    """The look of each name. The first of `series` is grey and round; names outside `series` start with the second."""
    wanted = dict.fromkeys(names)
    known = list(series) if set(wanted) <= set(series) else ["", *wanted]
    turns = (divmod(place, HUES) for place in range(len(known)))
    every = [("series-0", "circle"), *((f"series-{n + 1}", FORMS[1 + (n + t) % (len(FORMS) - 1)]) for t, n in turns)]
    return {name: every[known.index(name)] for name in sorted(wanted, key=known.index)}


# ---- axes and legends ----------------------------------------------------------------------------------------------


def rule(x1: float, y1: float, x2: float, y2: float, role: str, title: str = "") -> Stroke:
    return Stroke(((x1, y1), (x2, y2)), f"rule {role}", title)


def bottom_axis(across: Scale, top: float, bottom: float, name: str, *, sign: bool = False) -> Iterator[Shape]:
    """Vertical rules at round numbers, and the name of the axis."""
    ticks = across.ticks()
    words = tick_words(ticks, signed=sign)
    yield from (rule(across(tick), top, across(tick), bottom, "grid") for tick in ticks)
    yield from (Text(across(t), bottom + 16, w, "soft", "middle") for t, w in zip(ticks, words, strict=True))
    yield named((across.start + across.end) / 2, bottom + 34, name, WIDTH - 8, "soft", "middle")


def left_axis(up: Scale, name: str) -> Iterator[Shape]:
    """Horizontal rules at round numbers, and the name of the axis above them."""
    ticks = up.ticks()
    for tick, words in zip(ticks, tick_words(ticks), strict=True):
        yield rule(LEFT, up(tick), RIGHT, up(tick), "grid")
        yield Text(LEFT - 6, up(tick) + 4, words, "soft", "end")
    yield named(4, up.end - 24, name, WIDTH - 8, "soft")


def legend(entries: Mapping[str, Look], top: float) -> tuple[float, list[Shape]]:
    """Marks with their names, on as many lines as they need."""
    shapes: list[Shape] = []
    x, y = 8.0, top + 12
    for name, (role, form) in entries.items():
        wide = min(WIDTH - 40, width_of(name))
        if x > 8 and x + 14 + wide > WIDTH - 4:
            x, y = 8.0, y + 20
        shapes += [Mark(x + 4, y - 4, form, role), named(x + 14, y, name, WIDTH - 30, "soft")]
        x += 14 + wide + 16
    return (y - top + 8 if entries else 0.0), shapes


# ---- texts ---------------------------------------------------------------------------------------------------------


def apart(texts: Iterable[Text]) -> list[Text]:
    """Those that do not overlap an earlier one."""
    boxes, kept = list[tuple[float, float, float]](), list[Text]()
    for text in (text for text in texts if text.words):
        wide = width_of(text.words)
        left = text.x - {"start": 0.0, "middle": wide / 2, "end": wide}[text.anchor]
        if not any(left < end and start < left + wide and abs(text.y - y) < 16 for start, end, y in boxes):
            boxes.append((left, left + wide, text.y))
            kept.append(text)
    return kept


# ---- charts --------------------------------------------------------------------------------------------------------

ROW, HEAD = 50.0, 24.0
"""Heights of a row and of a heading."""
TALL = 260.0
"""The height of a plot."""


def drawn(chart: AnyChart) -> tuple[float, list[Shape]]:
    """Its height and its shapes, texts last and without those that would overlap an earlier one."""
    match chart:
        case IntervalChart():
            height, shapes = _intervals(chart)
        case Plot():
            height, shapes = _plot(chart)
        case _:
            assert_never(chart)
    return height, [*(s for s in shapes if not isinstance(s, Text)), *apart(s for s in shapes if isinstance(s, Text))]


def _around(place: Place, turn: int, reach: float) -> Place:
    """A place beside another: each `turn` has its own, in a spiral."""
    far = reach * sqrt(turn)
    return place[0] + far * cos(2.4 * turn), place[1] + far * sin(2.4 * turn)


# ---- means with intervals ------------------------------------------------------------------------------------------


def _intervals(chart: IntervalChart) -> tuple[float, list[Shape]]:
    """A row has the name and the note, then the dots, then the mean on its interval. The axis stands below."""
    rows, top, words = chart.rows, 30.0, f"margin {chart.margin:g}"
    bottom = top + len(rows) * ROW + HEAD * sum(1 for group, _ in groupby(row.group for row in rows) if group)
    dots = (dot.x for row in rows for dot in row.dots)
    ends = (end for row in rows for end in row.change.numbers.values() if end is not None)
    across = scale([0.0, chart.margin, *dots, *ends], 8, RIGHT)
    shapes = list(bottom_axis(across, top, bottom, chart.axis, sign=True))
    shapes.append(Text(min(across(chart.margin), RIGHT - width_of(words)), top - 8, words, "soft"))
    y, group = top, ""
    for row in rows:
        if row.group != group:
            group = row.group
            shapes.append(named(4, y + 17, group, WIDTH - 8, "strong over"))
            y += HEAD
        for value in (0.0, chart.margin):  # between names, which they would cross
            shapes.append(rule(across(value), y + 20, across(value), y + ROW, "margin" if value else "zero"))
        shapes += _row(row, chart.level, across, y)
        y += ROW
    return bottom + 42, shapes


def _row(row: IntervalRow, level: str, across: Scale, y: float) -> Iterator[Shape]:
    role, form = TONES[row.tone]
    yield Mark(9, y + 11, form, role)
    mean, limits = row.change.value, row.change.limits
    words = row.note if mean is None else f"{row.note}, {signed(mean, 3, sign='+')}"
    room = min(width_of(words), 240.0)
    yield named(19, y + 16, row.name, RIGHT - 30 - room, "over")
    yield named(RIGHT, y + 16, words, room + 4, f"over {role}", "end")
    for place, dot in enumerate(row.dots):  # on three lanes, so that few hide each other
        yield Mark(across(dot.x), y + 23 + 5 * (place % 3), "circle", "dot faint", 2.8, dot.title, dot.run)
    middle = y + ROW - 8
    if limits:
        words = f"{level} % interval: {signed(limits[0], 3)} to {signed(limits[1], 3)}"
        yield rule(across(limits[0]), middle, across(limits[1]), middle, f"bar {role}", words)
    if mean is not None:
        yield Mark(across(mean), middle, form, role, 4.5, f"mean of {row.name}: {signed(mean)}")


# ---- plots ---------------------------------------------------------------------------------------------------------


def _plot(chart: Plot) -> tuple[float, list[Shape]]:
    """What can be had and the axes, then the series, then the words of guides where there is room, and the key."""
    every = [spot for series in chart.spots.values() for spot in series]
    xs = [x for spot in every for x in (spot.x, *(spot.x_limits or ()))] + [x for x, _ in chart.boundary]
    ys = [y for spot in every for y in (spot.y, *(spot.y_limits or ()))]
    across = scale([*xs, *(v for axis, v, _ in chart.guides if axis == "across")], LEFT + 8, RIGHT - 8)
    heights = [*ys, *(y for _, y in chart.boundary), *(v for axis, v, _ in chart.guides if axis == "up")]
    up = scale(heights, bottom := 40 + TALL, 40)
    look = looks(filter(None, chart.spots), chart.series)
    edge = [(across(x), up(y)) for x, y in chart.boundary]
    shapes = list[Shape]()
    if edge:
        corners = [(LEFT, edge[-1][1]), (LEFT, up.end), (RIGHT, up.end), (RIGHT, up.start), (edge[0][0], up.start)]
        shapes += [Stroke([*edge, *corners], "area tint", "beyond what any decisions allow", closed=True)]
        shapes += [Stroke(edge, "curve")]
    shapes += left_axis(up, chart.up)
    shapes += bottom_axis(across, up.end, up.start, chart.across)
    rules, words = zip(*_guides(chart, across, up), strict=True) if chart.guides else ((), ())
    high, key = legend(look, bottom + 44)
    return bottom + 44 + high, [*shapes, *rules, *_series(chart, look, across, up), *words, *key]


def _guides(chart: Plot, across: Scale, up: Scale) -> Iterator[tuple[Shape, Shape]]:
    """A rule and its name for each."""
    for axis, value, name in chart.guides:
        if axis == "across":
            x, role = across(value), "margin" if value else "zero"
            yield rule(x, up.end, x, up.start, role, name), named(x, up.end - 4, name, 150, "soft halo", "middle")
        else:
            y, role = up(value), "margin" if value else "zero"
            yield rule(LEFT, y, RIGHT, y, role, name), named(RIGHT, y - 5, name, 150, "soft halo", "end")


def _series(chart: Plot, look: Mapping[str, Look], across: Scale, up: Scale) -> Iterator[Shape]:
    """Marks with their intervals; those at the same place stand around it."""
    met: Counter[Place] = Counter()
    for name, series in chart.spots.items():
        role, form = look.get(name, ("", "circle"))
        for spot in series:
            x, y = across(spot.x), up(spot.y)
            if spot.x_limits:
                yield rule(across(spot.x_limits[0]), y, across(spot.x_limits[1]), y, f"thin {role}")
            if spot.y_limits:
                yield rule(x, up(spot.y_limits[0]), x, up(spot.y_limits[1]), f"thin {role}")
            size, dot = 4.0 if role else 2.5, "dot " if spot.run else ""
            yield Mark(*_around((x, y), met[x, y], 5.5), form, f"{dot}{role}", size, spot.title, spot.run)
            met[x, y] += bool(name)
            off, anchor = (-8, "end") if x > (LEFT + RIGHT) / 2 else (8, "start")
            yield named(x + off, y - 6, spot.name, 150, "halo", anchor)
