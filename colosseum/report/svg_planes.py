"""Planes and networks for a page. In: the description of a chart; out: height and shapes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import cos, hypot, pi, sin, sqrt
from typing import Final

from colosseum.report.axes import LEFT, RIGHT, Look, bottom_axis, left_axis, legend, looks, rule
from colosseum.report.document import NetworkChart, Plane, PlanePoint
from colosseum.report.scale import Scale, scale
from colosseum.report.shapes import WIDTH, Line, Mark, Place, Shape, Text, apart, named, run_link, width_of

MOST_AGENTS: Final = 24
"""Above this, only members are named."""
MOST_LINKS: Final = 150
"""Above this, public channels of two are one faint web without names."""


# ---- planes --------------------------------------------------------------------------------------------------------


def plane_shapes(chart: Plane) -> tuple[float, list[Shape]]:
    top, bottom = 46.0, 310.0
    xs = [*(x for p in chart.points for x in (p.x, *(p.x_limits or ()))), *(x for x, _ in chart.curve)]
    ys = [*(y for p in chart.points for y in (p.y, *(p.y_limits or ()))), *(y for _, y in chart.curve)]
    across = scale([*xs, *(v for axis, v, _ in chart.guides if axis == "across")], LEFT, RIGHT, margin=0.08)
    up = scale([*ys, *(v for axis, v, _ in chart.guides if axis == "up")], bottom, top, margin=0.08)
    look = looks([point.series for point in chart.points if point.series], chart.series)
    shapes = list(_curve([(across(x), up(y)) for x, y in chart.curve], top, bottom))
    shapes += bottom_axis(across, top, bottom, chart.across)
    shapes += left_axis(up, chart.up, above=26)
    words: list[Text] = []
    for axis, value, said in chart.guides:
        place = across(value) if axis == "across" else up(value)
        ends = (place, top, place, bottom) if axis == "across" else (LEFT, place, RIGHT, place)
        shapes.append(rule(*ends, "margin" if value else "zero", said))
        wide = width_of(said, 12) / 2
        words.append(
            Text(min(max(place, LEFT + wide), RIGHT - wide), top - 4, said, "soft", "middle")
            if axis == "across" else Text(RIGHT, place - 5, said, "soft halo", "end")
        )  # fmt: skip
    met: Counter[Place] = Counter()
    names: list[Text] = []
    for point in chart.points:
        x, y = across(point.x), up(point.y)
        turn = met[x, y] if point.series else 0
        met[x, y] += bool(point.series)
        shapes += _point(point, look.get(point.series, ("", "circle")), across, up, turn)
        if point.name:
            right = x > (LEFT + RIGHT) / 2
            names.append(named(x + (-8 if right else 8), y - 6, point.name, 150, "halo", "end" if right else "start"))
    written = apart([text for text in (*words, *names) if text.words])
    shapes += written
    shown = {text.words for text in written}
    entries = look if any(point.series and point.name not in shown for point in chart.points) else {}
    high, key = legend(entries, bottom + 46)
    return bottom + 44 + high, [*shapes, *key]


def _curve(places: Sequence[Place], top: float, bottom: float) -> Iterator[Shape]:
    """The boundary; the area beyond it is tinted."""
    if places:
        beyond = [(places[0][0], bottom), *places, (LEFT, places[-1][1]), (LEFT, top), (RIGHT, top), (RIGHT, bottom)]
        yield Line(beyond, "area tint", "beyond what any decisions allow", closed=True)
        yield Line(places, "curve")


def _point(point: PlanePoint, look: Look, across: Scale, up: Scale, turn: int) -> Iterator[Shape]:
    """A mark with its intervals. Marks at the same place stand around it, each moved by its `turn`."""
    x, y, (role, form) = across(point.x), up(point.y), look
    if point.x_limits:
        yield rule(across(point.x_limits[0]), y, across(point.x_limits[1]), y, f"thin {role}")
    if point.y_limits:
        yield rule(x, up(point.y_limits[0]), x, up(point.y_limits[1]), f"thin {role}")
    reach = 5.5 * sqrt(turn)
    x, y = x + reach * cos(2.4 * turn), y + reach * sin(2.4 * turn)
    size = 4.0 if point.series else 2.5
    yield Mark(x, y, form, f"dot {role}" if point.run else role, size, point.title, run_link(point.run))


# ---- networks ------------------------------------------------------------------------------------------------------


def network_shapes(chart: NetworkChart) -> tuple[float, list[Shape]]:
    """Agents on a circle. A channel of two is a line, a larger one is a square with a line to each member."""
    radius, x, y = 98.0, WIDTH / 2, 130.0
    turns = {agent: 2 * pi * n / len(chart.agents) - pi / 2 for n, agent in enumerate(chart.agents)}
    places = {agent: (x + radius * cos(turn), y + radius * sin(turn)) for agent, turn in turns.items()}
    size = 8.0 if len(chart.agents) <= MOST_AGENTS else 4.0
    lines, marks, words, hubs = list[Shape](), list[Shape](), list[Text](), list[Place]()
    plain = [link.members for link in chart.links if not link.secret and len(link.members) == 2]
    shown = [link for link in chart.links if len(plain) <= MOST_LINKS or link.secret or len(link.members) != 2]
    for agent in chart.agents if len(plain) > MOST_LINKS else ():
        others = [places[other] for one, other in plain if one == agent and other in places]
        lines.append(Line(_web(places[agent], others), "rule public many"))
    for link in sorted(shown, key=lambda link: link.secret):
        ends = [places[agent] for agent in link.members if agent in places]
        if not ends:
            continue
        role, many = "secret" if link.secret else "public", len(link.members) > 2
        title = f"{link.name}, {role}: {', '.join(link.members)}"
        middle = sum(a for a, _ in ends) / len(ends), sum(b for _, b in ends) / len(ends)
        if many:
            middle = _free(middle, [*hubs, *places.values()])
            hubs.append(middle)
            marks.append(Mark(*middle, "square", f"hub-{role}", 5, title))
        web = _web(middle, ends) if many else _beside(ends[0], ends[-1], 4.0 if link.secret else 0.0)
        lines.append(Line(web, f"rule {role}", title))
        if many or link.secret:
            words.append(named(middle[0], middle[1] - 9, link.name, 120, "halo", "middle"))
    for agent in sorted(chart.agents, key=lambda agent: agent not in chart.coalition):
        inside, (a, b) = agent in chart.coalition, places[agent]
        title = f"{agent}, in the coalition" if inside else agent
        marks.append(Mark(a, b, "diamond" if inside else "circle", "member" if inside else "outsider", size, title))
        if inside or len(chart.agents) <= MOST_AGENTS:
            dx, dy = cos(turns[agent]), sin(turns[agent])
            side = "middle" if abs(dx) < 0.2 else "start" if dx > 0 else "end"
            room = WIDTH - 8 if side == "middle" else WIDTH / 2 - radius * abs(dx) - 18
            role = "strong" if inside else ""
            words.insert(0, named(a + 14 * dx, b + 4 + (16 if side == "middle" else 8) * dy, agent, room, role, side))
    bottom = y + radius + 34
    shapes = [*lines, *marks, *apart(words)]
    kinds = [("public", "public channel"), ("secret", "secret channel")]
    used = [(role, said) for role, said in kinds if any(link.secret == (role == "secret") for link in chart.links)]
    for number, (role, said) in enumerate(used):
        start = 8.0 + 150 * number
        shapes += [rule(start, bottom + 8, start + 28, bottom + 8, role), Text(start + 34, bottom + 12, said, "soft")]
    high, key = legend({"in the coalition": ("member", "diamond"), "not in it": ("outsider", "circle")}, bottom + 20)
    return bottom + 20 + high, [*shapes, *key]


def _free(place: Place, taken: Sequence[Place]) -> Place:
    """The nearest free place."""
    x, y = place
    tried = ((x + 5 * turn * cos(2.4 * turn), y + 5 * turn * sin(2.4 * turn)) for turn in range(40))
    return next((spot for spot in tried if all(hypot(spot[0] - a, spot[1] - b) > 24 for a, b in taken)), place)


def _web(middle: Place, ends: Sequence[Place]) -> list[Place]:
    """One line that goes to each end and back."""
    return [place for end in ends for place in (middle, end)]


def _beside(one: Place, other: Place, off: float) -> tuple[Place, Place]:
    """A straight line, moved aside by `off`, so that it hides no other."""
    (a, b), (c, d) = one, other
    long = hypot(c - a, d - b) or 1.0
    dx, dy = -(d - b) / long * off, (c - a) / long * off
    return (a + dx, b + dy), (c + dx, d + dy)
