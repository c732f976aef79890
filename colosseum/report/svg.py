"""Charts for a page. In: the description of a chart; out: its shapes, and inline SVG.

One function for each kind of chart. Readable at 390 px, without colour and by a screen reader; names are escaped.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from math import cos, sin, sqrt
from typing import TYPE_CHECKING, Final, assert_never

from colosseum.report.charts.words import signed
from colosseum.report.document import AnyChart, IntervalChart, IntervalRow, Plot
from colosseum.report.scale import Scale, scale
from colosseum.report.shapes import (
    LEFT,
    RIGHT,
    TONES,
    WIDTH,
    Line,
    Look,
    Mark,
    Place,
    Shape,
    Text,
    apart,
    bottom_axis,
    left_axis,
    legend,
    looks,
    named,
    picture,
    rule,
    width_of,
)

if TYPE_CHECKING:
    from markupsafe import Markup

ROW, HEAD = 50.0, 24.0
"""Heights of a row and of a heading."""
TALL = 260.0
"""The height of a plot."""
MOST_TICKS: Final = 8
"""Values of a line that have ticks of their own."""


def svg(chart: AnyChart) -> "Markup":
    """The chart as inline SVG of WIDTH; a page needs `picture.css` besides."""
    from markupsafe import Markup

    height, shapes = drawn(chart)
    title, caption = (words.replace("`", "") for words in (chart.title, chart.caption))
    made = picture().render(name=chart.name, title=title, caption=caption, width=WIDTH, height=height, shapes=shapes)
    return Markup(made)


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
    across = scale([0.0, chart.margin, *dots, *(end for row in rows for end in row.ends)], 8, RIGHT)
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
        shapes += _row(row, across, y)
        y += ROW
    return bottom + 42, shapes


def _row(row: IntervalRow, across: Scale, y: float) -> Iterator[Shape]:
    role, form = TONES[row.tone]
    yield Mark(9, y + 11, form, role)
    note = min(width_of(row.note), 240.0)
    yield named(19, y + 16, row.name, RIGHT - 30 - note, "over")
    yield named(RIGHT, y + 16, row.note, note + 4, f"over {role}", "end")
    for place, dot in enumerate(row.dots):  # on three lanes, so that few hide each other
        yield Mark(across(dot.x), y + 23 + 5 * (place % 3), "circle", "dot faint", 2.8, dot.title, dot.run)
    middle = y + ROW - 8
    if row.low is not None and row.high is not None:
        words = f"95 % interval: {signed(row.low, 3)} to {signed(row.high, 3)}"
        yield rule(across(row.low), middle, across(row.high), middle, f"bar {role}", words)
    if row.mean is not None:
        yield Mark(across(row.mean), middle, form, role, 4.5, f"mean of {row.name}: {signed(row.mean)}")


# ---- plots ---------------------------------------------------------------------------------------------------------


def _plot(chart: Plot) -> tuple[float, list[Shape]]:
    """What can be had and the axes, then the series, then the words of guides where there is room, and the key."""
    every = [spot for series in chart.spots.values() for spot in series]
    xs = [x for spot in every for x in (spot.x, *(spot.x_limits or ()))] + [x for x, _ in chart.boundary]
    ys = [y for spot in every if spot.y is not None for y in (spot.y, *(spot.y_limits or ()))]
    across = scale([*xs, *(v for axis, v, _ in chart.guides if axis == "across")], LEFT + 8, RIGHT - 8)
    heights = [*ys, *(y for _, y in chart.boundary), *(v for axis, v, _ in chart.guides if axis == "up")]
    up = scale(heights, bottom := 40 + TALL, 40)
    look = looks(filter(None, chart.spots), chart.series)
    edge = [(across(x), up(y)) for x, y in chart.boundary]
    shapes = list[Shape]()
    if edge:
        corners = [(LEFT, edge[-1][1]), (LEFT, up.end), (RIGHT, up.end), (RIGHT, up.start), (edge[0][0], up.start)]
        shapes += [Line([*edge, *corners], "area tint", "beyond what any decisions allow", closed=True)]
        shapes += [Line(edge, "curve")]
    ticks = sorted({spot.x for spot in every}) if chart.joined else []
    shapes += left_axis(up, chart.up)
    shapes += bottom_axis(across, up.end, up.start, chart.across, ticks if len(ticks) <= MOST_TICKS else ())
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
    """Lines with intervals stand a little apart; marks at the same place stand around it."""
    met: Counter[Place] = Counter()
    step = 5.0 if chart.joined and any(spot.y_limits for series in chart.spots.values() for spot in series) else 0.0
    for number, (name, series) in enumerate(chart.spots.items()):
        aside = step * (number - (len(chart.spots) - 1) / 2)
        for known, run in groupby(series, key=lambda spot: spot.y is not None):
            if known and chart.joined:
                yield Line([(across(spot.x) + aside, up(spot.y or 0.0)) for spot in run], f"curve {look[name][0]}")
        for spot in (spot for spot in series if spot.y is not None):
            (x, y), (role, form) = (across(spot.x) + aside, up(spot.y or 0.0)), look.get(name, ("", "circle"))
            if spot.x_limits:
                yield rule(across(spot.x_limits[0]), y, across(spot.x_limits[1]), y, f"thin {role}")
            if spot.y_limits:
                yield rule(x, up(spot.y_limits[0]), x, up(spot.y_limits[1]), f"thin {role}")
            size, dot = 4.0 if role else 2.5, "dot " if spot.run else ""
            yield Mark(*_around((x, y), met[x, y], 5.5), form, f"{dot}{role}", size, spot.title, spot.run)
            met[x, y] += bool(name and not chart.joined)
            off, anchor = (-8, "end") if x > (LEFT + RIGHT) / 2 else (8, "start")
            yield named(x + off, y - 6, spot.name, 150, "halo", anchor)
