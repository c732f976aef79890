"""Charts for a page. In: the description of a chart; out: its shapes, and inline SVG.

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
    named,
    picture,
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
MIDDLE, RADIUS = (WIDTH / 2, 130.0), 98.0
"""Of the circle of agents."""
MOST_LINES: Final = 150
"""More public channels of two are faint."""


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
        case NetworkChart():
            height, shapes = _network(chart)
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
    rows, high = chart.rows, DOTTED if any(row.dots for row in chart.rows) else PLAIN
    look = looks([row.series for row in rows if row.series], chart.series)
    top = 8.0 if chart.margin is None else 30.0
    bottom = top + len(rows) * high + HEAD * sum(1 for group, _ in groupby(row.group for row in rows) if group)
    dots = (dot.x for row in rows for dot in row.dots)
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
        shapes += _row(row, look.get(row.series, TONES[row.tone]), across, y, high)
        y += high
    return bottom + 42, shapes


def _row(row: IntervalRow, look: Look, across: Scale, y: float, high: float) -> Iterator[Shape]:
    role, form = look
    yield Mark(9, y + 11, form, role)
    note, tone = min(width_of(row.note), 240.0), "soft" if row.tone == "plain" else TONES[row.tone][0]
    yield named(19, y + 16, row.name, RIGHT - 30 - note, "over")
    yield named(RIGHT, y + 16, row.note, note + 4, f"over {tone}", "end")
    colour, sign = look if row.series else ("faint", "circle")
    for place, dot in enumerate(row.dots):  # on three lanes, so that few hide each other
        yield Mark(across(dot.x), y + 23 + 5 * (place % 3), sign, f"dot {colour}", 2.8, dot.title, dot.run)
    middle = y + high - 8
    if row.low is not None and row.high is not None:
        words = f"95 % interval: {signed(row.low, 3)} to {signed(row.high, 3)}"
        yield rule(across(row.low), middle, across(row.high), middle, f"bar {role}", words)
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
    """What can be had and the axes, then the series, then the words of guides where there is room."""
    edge = [(across(x), up(y)) for x, y in chart.boundary]
    if edge:
        corners = [(LEFT, edge[-1][1]), (LEFT, up.end), (RIGHT, up.end), (RIGHT, up.start), (edge[0][0], up.start)]
        yield Line([*edge, *corners], "area tint", "beyond what any decisions allow", closed=True)
        yield Line(edge, "curve")
    ticks = sorted({spot.x for series in panel.values() for spot in series}) if chart.joined else []
    yield from left_axis(up, chart.up)
    yield from bottom_axis(across, up.end, up.start, chart.across, ticks if len(ticks) <= MOST_TICKS else ())
    words: list[Shape] = []
    for axis, value, name in chart.guides:
        if axis == "across":
            ends, word = (across(value), up.end, across(value), up.start), (across(value), up.end - 4)
        else:
            ends, word = (LEFT, up(value), RIGHT, up(value)), (RIGHT, up(value) - 5)
        yield rule(*ends, "margin" if value else "zero", name)
        words.append(named(*word, name, 150, "soft halo", "middle" if axis == "across" else "end"))
    yield from (*_series(chart, panel, look, across, up), *words)


def _series(
    chart: Plot, panel: Mapping[str, Sequence[Spot]], look: Mapping[str, Look], across: Scale, up: Scale
) -> Iterator[Shape]:
    """Lines with intervals stand a little apart; marks at the same place stand around it."""
    met: Counter[Place] = Counter()
    step = 5.0 if chart.joined and any(spot.y_limits for series in panel.values() for spot in series) else 0.0
    for number, (name, series) in enumerate(panel.items()):
        aside = step * (number - (len(panel) - 1) / 2)
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


# ---- networks ------------------------------------------------------------------------------------------------------


def _network(chart: NetworkChart) -> tuple[float, list[Shape]]:
    """Agents on a circle. A public channel of two is a line; any other is a square with a line to each member."""
    turns = {agent: 2 * pi * n / len(chart.agents) - pi / 2 for n, agent in enumerate(chart.agents)}
    places = {agent: (MIDDLE[0] + RADIUS * cos(turn), MIDDLE[1] + RADIUS * sin(turn)) for agent, turn in turns.items()}
    links, bottom = list(_links(chart, places)), MIDDLE[1] + RADIUS + 36
    entries = {"in the coalition": ("member", "diamond"), "not in it": ("outsider", "circle"),
               "secret channel": ("hub-secret", "square"), "public channel": ("hub-public", "square")}  # fmt: skip
    high, key = legend(entries, bottom)
    lines, words = ([link for link in links if isinstance(link, Text) == text] for text in (False, True))
    return bottom + high, [*lines, *_agents(chart, turns, places), *words, *key]


def _links(chart: NetworkChart, places: Mapping[str, Place]) -> Iterator[Shape]:
    """Channels; secret ones lie above public ones."""
    pairs = [channel.members for channel in chart.channels if _is_line(channel)]
    faint = " many" if len(pairs) > MOST_LINES else ""
    for agent in chart.agents:
        others = [places[other] for one, other in pairs if one == agent and other in places]
        if others:
            yield Line([place for other in others for place in (places[agent], other)], f"rule public{faint}")
    met: Counter[Place] = Counter()
    for channel in sorted(chart.channels, key=lambda channel: channel.secret):
        ends = [places[agent] for agent in channel.members if agent in places]
        if _is_line(channel) or not ends:
            continue
        middle = round(sum(x for x, _ in ends) / len(ends)), round(sum(y for _, y in ends) / len(ends))
        hub, role = _around(middle, met[middle], 26), "secret" if channel.secret else "public"
        met[middle] += 1
        title = f"{channel.name}, {role}: {', '.join(channel.members)}"
        yield from (Line((hub, end), f"rule {role}", title) for end in ends)
        yield Mark(*hub, "square", f"hub-{role}", 5, title)
        yield named(hub[0], hub[1] - 9, channel.name, 120, "halo", "middle")


def _agents(chart: NetworkChart, turns: Mapping[str, float], places: Mapping[str, Place]) -> Iterator[Shape]:
    """Agents with their names, members first."""
    size = min(8.0, 200 / len(chart.agents))
    for agent in sorted(chart.agents, key=lambda agent: agent not in chart.coalition):
        inside, (x, y), dx, dy = agent in chart.coalition, places[agent], cos(turns[agent]), sin(turns[agent])
        role, form = ("member", "diamond") if inside else ("outsider", "circle")
        yield Mark(x, y, form, role, size, f"{agent}, in the coalition" if inside else agent)
        side = "middle" if abs(dx) < 0.2 else "start" if dx > 0 else "end"
        room = WIDTH - 8 if side == "middle" else WIDTH / 2 - RADIUS * abs(dx) - 18
        below = 4 + (16 if side == "middle" else 8) * dy
        yield named(x + 14 * dx, y + below, agent, room, "strong" if inside else "", side)


def _is_line(channel: Channel) -> bool:
    return not channel.secret and len(channel.members) == 2
