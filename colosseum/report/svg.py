"""Charts for a page. In: the description of a chart; out: inline SVG.

One function for each kind of chart. Readable at 390 px, without colour and by a screen reader; names are escaped.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Final, assert_never

from colosseum.report.axes import LEFT, RIGHT, TONES, TOP, Look, bottom_axis, left_axis, legend, looks, rule
from colosseum.report.charts.words import signed
from colosseum.report.document import (
    AnyChart,
    IntervalChart,
    IntervalRow,
    LineChart,
    NetworkChart,
    Plane,
    Spot,
)
from colosseum.report.scale import Scale, scale
from colosseum.report.shapes import WIDTH, Line, Mark, Shape, Text, markup, named, run_link, width_of
from colosseum.report.svg_planes import network_shapes, plane_shapes

if TYPE_CHECKING:
    from markupsafe import Markup

DOTTED, PLAIN, HEAD = 50.0, 34.0, 24.0
"""Heights of a row with dots, of one without, and of a heading."""
PANEL: Final = 170.0


def svg(chart: AnyChart) -> "Markup":
    """The chart as inline SVG of WIDTH; a page needs `picture.css` besides."""
    match chart:
        case IntervalChart():
            height, shapes = _intervals(chart)
        case LineChart():
            height, shapes = _lines(chart)
        case Plane():
            height, shapes = plane_shapes(chart)
        case NetworkChart():
            height, shapes = network_shapes(chart)
        case _:
            assert_never(chart)
    return markup(chart.name, chart.title, chart.caption, height=height, shapes=shapes)


# ---- means with intervals ------------------------------------------------------------------------------------------


def _intervals(chart: IntervalChart) -> tuple[float, list[Shape]]:
    """A row has the name and the note, then the dots, then the mean on its interval. The axis stands below."""
    top = 8.0 if chart.margin is None else TOP
    rows, high = chart.rows, DOTTED if any(row.dots for row in chart.rows) else PLAIN
    look = looks([row.series for row in rows if row.series], chart.series)
    bottom = top + len(rows) * high + HEAD * sum(1 for group, _ in groupby(row.group for row in rows) if group)
    dots = (dot.value for row in rows for dot in row.dots)
    across = scale([*chart.guides, *dots, *(end for row in rows for end in row.ends)], 8, RIGHT)
    shapes = list(bottom_axis(across, top, bottom, chart.axis, sign=chart.margin is not None))
    if chart.margin is not None:
        x, words = across(chart.margin), f"margin {chart.margin:g}"
        left = x + 6 + width_of(words, 12) > RIGHT
        shapes.append(Text(across(0) - 8 if left else x + 6, top - 8, words, "soft", "end" if left else "start"))
        shapes.append(Text(across(0), top - 8, "0", "soft", "middle"))
    y, group = top, ""
    for row in rows:
        if row.group != group:
            group = row.group
            shapes.append(named(4, y + 17, group, WIDTH - 8, "strong over"))
            y += HEAD
        for value in chart.guides:  # between names, which they would cross
            x, (role, words) = across(value), ("margin", f"margin {value:g}") if value else ("zero", "")
            shapes.append(rule(x, y + 20, x, y + high, role, words))
        shapes += _row(row, look.get(row.series, TONES[row.tone]), across, y, high, stem=chart.zero)
        y += high
    return bottom + 42, shapes


def _row(row: IntervalRow, look: Look, across: Scale, y: float, high: float, *, stem: bool) -> Iterator[Shape]:
    role, form = look
    yield Mark(9, y + 11, form, role)
    note, tone = width_of(row.note), "soft" if row.tone == "plain" else TONES[row.tone][0]
    yield named(19, y + 16, row.name, RIGHT - 30 - note, "over")
    yield named(RIGHT, y + 16, row.note, note + 4, f"over {tone}", "end")
    colour, sign = (role, form) if row.series else ("faint", "circle")
    lanes = _lanes([across(dot.value) for dot in row.dots], 5.6, 3)
    for dot, lane in zip(row.dots, lanes, strict=True):
        x, height = across(dot.value), y + 28 + 5 * lane
        yield Mark(x, height, sign, f"dot {colour}", 2.8, dot.title, run_link(dot.run))
    middle = y + high - 8
    if row.mean is None:
        return
    if row.low is not None and row.high is not None:
        words = f"95 % interval: {signed(row.low, 3)} to {signed(row.high, 3)}"
        yield rule(across(row.low), middle, across(row.high), middle, f"bar {role}", words)
    elif not row.dots and stem:
        yield rule(across(0), middle, across(row.mean), middle, f"bar {role}")
    yield Mark(across(row.mean), middle, form, role, 4.5, f"mean of {row.name}: {signed(row.mean)}")


def _lanes(places: Sequence[float], wide: float, most: int) -> list[float]:
    """The lane of each dot, above or below the middle, so that dots do not hide each other."""
    ends: list[float] = []
    found = [0.0] * len(places)
    for number in sorted(range(len(places)), key=lambda number: places[number]):
        free = next((lane for lane, end in enumerate(ends) if places[number] - end >= wide), len(ends) % most)
        ends[free : free + 1] = [places[number]]
        found[number] = (free + 1) // 2 * (1 if free % 2 else -1)
    return found


# ---- lines ---------------------------------------------------------------------------------------------------------


def _lines(chart: LineChart) -> tuple[float, list[Shape]]:
    names = [name for lines in chart.panels.values() for name in lines]
    look = looks(names, chart.series)
    spots = [spot for lines in chart.panels.values() for line in lines.values() for spot in line]
    values = [v for spot in spots for v in (spot.mean, spot.low, spot.high) if v is not None]
    across = scale([spot.x for spot in spots], LEFT + 10, RIGHT - 10)
    shapes, y, tall = list[Shape](), 0.0, PANEL if len(chart.panels) < 3 else PANEL / 2
    for heading, lines in chart.panels.items():
        if heading:
            shapes.append(named(4, y + 16, heading, WIDTH - 8, "strong"))
            y += 22
        up = scale([0.0, *([] if chart.margin is None else [chart.margin]), *values], y + TOP + tall, y + TOP)
        shapes += _panel(chart, lines, look, across, up)
        y += TOP + tall + 44
    high, key = legend(look, y) if len(look) > 1 or not chart.panels.get("") else (0.0, [])
    return y + high, [*shapes, *key]


def _panel(
    chart: LineChart, lines: Mapping[str, Sequence[Spot]], look: Mapping[str, Look], across: Scale, up: Scale
) -> Iterator[Shape]:
    """Axes, 0 and the margin, then the lines. Lines with intervals stand a little apart."""
    xs = sorted({spot.x for line in lines.values() for spot in line})
    narrow = min((across(b) - across(a) for a, b in pairwise(xs)), default=99.0) < 24
    yield from left_axis(up, chart.up, sign=chart.signed, most=4)
    yield from bottom_axis(across, up.end, up.start, chart.across, () if narrow else xs)
    yield rule(LEFT, up(0), RIGHT, up(0), "zero")
    if chart.margin is not None:
        yield rule(LEFT, up(chart.margin), RIGHT, up(chart.margin), "margin", f"margin: {chart.margin:g}")
    step = min(7.0, 24.0 / len(lines)) if any(spot.low is not None for line in lines.values() for spot in line) else 0.0
    for place, (name, line) in enumerate(lines.items()):
        (role, form), shift = look[name], (place - (len(lines) - 1) / 2) * step
        for known, run in groupby(line, key=lambda spot: spot.mean is not None):
            if known:
                yield Line([(across(spot.x) + shift, up(spot.mean or 0.0)) for spot in run], f"curve {role}")
        for spot in line:
            if spot.mean is None:
                continue
            x, words = across(spot.x) + shift, f"{name} at {spot.x:g}: {signed(spot.mean, 3)}"
            if spot.low is not None and spot.high is not None:
                yield rule(x, up(spot.low), x, up(spot.high), f"thin {role}")
                words += f" [{signed(spot.low, 3)}, {signed(spot.high, 3)}]"
            yield Mark(x, up(spot.mean), form, role, 4, words)
