"""Charts for a page. In: the description of a chart; out: inline SVG.

One function for each kind of chart. Readable at 390 px, without colour and by a screen reader; names are escaped.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import cos, pi, sin, sqrt
from typing import TYPE_CHECKING, Final, assert_never

from colosseum.model.scenario import Channel
from colosseum.report.charts.words import signed
from colosseum.report.document import AnyChart, IntervalChart, IntervalRow, NetworkChart, Plot, Spot
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
    markup,
    named,
    rule,
    width_of,
)

if TYPE_CHECKING:
    from markupsafe import Markup

DOTTED, PLAIN, HEAD = 50.0, 34.0, 24.0
"""Heights of a row with dots, of one without, and of a heading."""
TALL, LOW = 260.0, 85.0
"""The height of a plot, of all its panels together; and of a panel at least."""
MOST_TICKS: Final = 8
"""Values of a line that have ticks of their own."""


def svg(chart: AnyChart) -> "Markup":
    """The chart as inline SVG of WIDTH; a page needs `picture.css` besides."""
    match chart:
        case IntervalChart():
            height, shapes = _intervals(chart)
        case Plot():
            height, shapes = _plot(chart)
        case NetworkChart():
            height, shapes = _network(chart)
        case _:
            assert_never(chart)
    return markup(chart.name, chart.title, chart.caption, height=height, shapes=shapes)


def _around(place: Place, turn: int, reach: float) -> Place:
    """A place beside another: each `turn` has its own, in a spiral."""
    far = reach * sqrt(turn)
    return place[0] + far * cos(2.4 * turn), place[1] + far * sin(2.4 * turn)


# ---- means with intervals ------------------------------------------------------------------------------------------


def _intervals(chart: IntervalChart) -> tuple[float, list[Shape]]:
    """A row has the name and the note, then the dots, then the mean on its interval. The axis stands below."""
    rows, high = chart.rows, DOTTED if any(row.dots for row in chart.rows) else PLAIN
    look = looks([row.series for row in rows if row.series], chart.series)
    top = 8.0 if chart.margin is None else 30.0
    bottom = top + len(rows) * high + HEAD * sum(1 for group, _ in groupby(row.group for row in rows) if group)
    dots = (dot.value for row in rows for dot in row.dots)
    across = scale([*chart.guides, *dots, *(end for row in rows for end in row.ends)], 8, RIGHT)
    shapes = list(bottom_axis(across, top, bottom, chart.axis, sign=chart.margin is not None))
    if chart.margin is not None:
        words = f"margin {chart.margin:g}"
        shapes.append(Text(min(across(chart.margin), RIGHT - width_of(words)), top - 8, words, "soft"))
    y, group = top, ""
    for row in rows:
        if row.group != group:
            group = row.group
            shapes.append(named(4, y + 17, group, WIDTH - 8, "strong over"))
            y += HEAD
        for value in chart.guides:  # between names, which they would cross
            shapes.append(rule(across(value), y + 20, across(value), y + high, "margin" if value else "zero"))
        shapes += _row(row, look.get(row.series, TONES[row.tone]), across, y, high, stem=chart.zero)
        y += high
    return bottom + 42, shapes


def _row(row: IntervalRow, look: Look, across: Scale, y: float, high: float, *, stem: bool) -> Iterator[Shape]:
    role, form = look
    yield Mark(9, y + 11, form, role)
    note, tone = width_of(row.note), "soft" if row.tone == "plain" else TONES[row.tone][0]
    yield named(19, y + 16, row.name, RIGHT - 30 - note, "over")
    yield named(RIGHT, y + 16, row.note, note + 4, f"over {tone}", "end")
    colour, sign = look if row.series else ("faint", "circle")
    for place, dot in enumerate(row.dots):  # on three lanes, so that few hide each other
        yield Mark(across(dot.value), y + 23 + 5 * (place % 3), sign, f"dot {colour}", 2.8, dot.title, dot.run)
    middle = y + high - 8
    if row.low is not None and row.high is not None:
        words = f"95 % interval: {signed(row.low, 3)} to {signed(row.high, 3)}"
        yield rule(across(row.low), middle, across(row.high), middle, f"bar {role}", words)
    elif row.mean is not None and not row.dots and stem:
        yield rule(across(0), middle, across(row.mean), middle, f"bar {role}")
    if row.mean is not None:
        yield Mark(across(row.mean), middle, form, role, 4.5, f"mean of {row.name}: {signed(row.mean)}")


# ---- plots ---------------------------------------------------------------------------------------------------------


def _plot(chart: Plot) -> tuple[float, list[Shape]]:
    """Panels one below the other, then what the series are called."""
    every = [spot for _, _, spot in chart.spots]
    xs = [x for spot in every for x in (spot.x, *(spot.x_limits or ()))] + [x for x, _ in chart.boundary]
    ys = [y for spot in every if spot.y is not None for y in (spot.y, *(spot.y_limits or ()))]
    across = scale([*xs, *(v for axis, v, _ in chart.guides if axis == "across")], LEFT + 8, RIGHT - 8)
    up = scale([*ys, *(y for _, y in chart.boundary), *(v for axis, v, _ in chart.guides if axis == "up")])
    look = looks([name for _, name, _ in chart.spots if name], chart.series)
    shapes, y, tall = list[Shape](), 0.0, max(LOW, TALL / len(chart.panels))
    for heading, panel in chart.panels.items():
        if heading:
            shapes.append(named(4, y + 16, heading, WIDTH - 8, "strong"))
            y += HEAD
        bottom = y + 40 + tall
        shapes += _panel(chart, panel, look, across, Scale(up.low, up.high, bottom, bottom - tall))
        y = bottom + 44
    high, key = legend(look, y)
    return y + high, [*shapes, *key]


def _panel(
    chart: Plot, panel: Mapping[str, Sequence[Spot]], look: Mapping[str, Look], across: Scale, up: Scale
) -> Iterator[Shape]:
    """What can be had, axes and guides, then the series; names and guides have words as far as there is room."""
    edge = [(across(x), up(y)) for x, y in chart.boundary]
    if edge:
        corners = [(LEFT, edge[-1][1]), (LEFT, up.end), (RIGHT, up.end), (RIGHT, up.start), (edge[0][0], up.start)]
        yield Line([*edge, *corners], "area tint", "beyond what any decisions allow", closed=True)
        yield Line(edge, "curve")
    ticks = sorted({spot.x for series in panel.values() for spot in series}) if chart.joined else []
    yield from left_axis(up, chart.up)
    yield from bottom_axis(across, up.end, up.start, chart.across, ticks if len(ticks) <= MOST_TICKS else ())
    words, names = list[Text](), list[Text]()
    for axis, value, said in chart.guides:
        role = "margin" if value else "zero"
        if axis == "across":
            yield rule(across(value), up.end, across(value), up.start, role, said)
            words.append(named(across(value), up.end - 4, said, 150, "soft", "middle"))
        else:
            yield rule(LEFT, up(value), RIGHT, up(value), role, said)
            words.append(named(RIGHT, up(value) - 5, said, 150, "soft halo", "end"))
    met: Counter[Place] = Counter()
    for number, (name, series) in enumerate(panel.items()):
        aside = 5.0 * (number - (len(panel) - 1) / 2) if any(spot.y_limits for spot in series) and chart.joined else 0.0
        for spot_known, known in groupby(series, key=lambda spot: spot.y is not None):
            if chart.joined and spot_known:
                yield Line([(across(spot.x) + aside, up(spot.y or 0.0)) for spot in known], f"curve {look[name][0]}")
        for spot in series:
            place = across(spot.x) + aside, up(spot.y or 0.0)
            yield from _spot(spot, place, look.get(name, ("", "circle")), across, up, met[place])
            met[place] += bool(name and not chart.joined)
            right = place[0] > (LEFT + RIGHT) / 2
            names.append(named(place[0] + (-8 if right else 8), place[1] - 6, spot.name, 150, "halo",
                               "end" if right else "start"))  # fmt: skip
    yield from apart(text for text in (*names, *words) if text.words)


def _spot(spot: Spot, place: Place, look: Look, across: Scale, up: Scale, turn: int) -> Iterator[Shape]:
    """A mark with its intervals; further ones at the same place stand around it, each on its `turn`."""
    (x, y), (role, form) = place, look
    if spot.y is None:
        return
    if spot.x_limits:
        yield rule(across(spot.x_limits[0]), y, across(spot.x_limits[1]), y, f"thin {role}")
    if spot.y_limits:
        yield rule(x, up(spot.y_limits[0]), x, up(spot.y_limits[1]), f"thin {role}")
    size, dot = 4.0 if role else 2.5, "dot " if spot.run else ""
    yield Mark(*_around(place, turn, 5.5), form, f"{dot}{role}", size, spot.title, spot.run)


# ---- networks ------------------------------------------------------------------------------------------------------


def _network(chart: NetworkChart) -> tuple[float, list[Shape]]:
    """Agents on a circle. A public channel of two is a line; any other is a square with a line to each member."""
    radius, x, y = 98.0, WIDTH / 2, 130.0
    turns = {agent: 2 * pi * n / len(chart.agents) - pi / 2 for n, agent in enumerate(chart.agents)}
    places = {agent: (x + radius * cos(turn), y + radius * sin(turn)) for agent, turn in turns.items()}
    shapes, hubs, words = list[Shape](), list[Shape](), list[Text]()
    pairs = [channel.members for channel in chart.channels if _is_line(channel)]
    faint = " many" if len(pairs) > 150 else ""
    for agent in chart.agents:
        ends = [places[other] for one, other in pairs if one == agent and other in places]
        web = [place for end in ends for place in (places[agent], end)]
        shapes += [Line(web, f"rule public{faint}")] if web else []
    met: Counter[Place] = Counter()
    for channel in sorted(chart.channels, key=lambda channel: channel.secret):
        ends = [places[agent] for agent in channel.members if agent in places]
        if _is_line(channel) or not ends:
            continue
        middle = round(sum(a for a, _ in ends) / len(ends)), round(sum(b for _, b in ends) / len(ends))
        hub, role = _around(middle, met[middle], 26), "secret" if channel.secret else "public"
        met[middle] += 1
        title = f"{channel.name}, {role}: {', '.join(channel.members)}"
        shapes += [Line((hub, end), f"rule {role}", title) for end in ends]
        hubs.append(Mark(*hub, "square", f"hub-{role}", 5, title))
        words.append(named(hub[0], hub[1] - 9, channel.name, 120, "halo", "middle"))
    size, names = min(8.0, 200 / len(chart.agents)), list[Text]()
    for agent in sorted(chart.agents, key=lambda agent: agent not in chart.coalition):
        inside, (a, b), dx, dy = agent in chart.coalition, places[agent], cos(turns[agent]), sin(turns[agent])
        role, form = ("member", "diamond") if inside else ("outsider", "circle")
        hubs.append(Mark(a, b, form, role, size, f"{agent}, in the coalition" if inside else agent))
        side = "middle" if abs(dx) < 0.2 else "start" if dx > 0 else "end"
        room = WIDTH - 8 if side == "middle" else WIDTH / 2 - radius * abs(dx) - 18
        below = 4 + (16 if side == "middle" else 8) * dy
        names.append(named(a + 14 * dx, b + below, agent, room, "strong" if inside else "", side))
    entries = {"in the coalition": ("member", "diamond"), "not in it": ("outsider", "circle"),
               "secret channel": ("hub-secret", "square"), "public channel": ("hub-public", "square")}  # fmt: skip
    high, key = legend(entries, y + radius + 36)
    return y + radius + 36 + high, [*shapes, *hubs, *apart([*names, *words]), *key]


def _is_line(channel: Channel) -> bool:
    return not channel.secret and len(channel.members) == 2
