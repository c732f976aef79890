"""Who can talk to whom. In: agents, the live channels of a run, the coalition; out: a picture of them on a circle."""

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from math import cos, hypot, pi, sin
from typing import Final, TypeAlias

from colosseum.diagnostics import counted
from colosseum.model.scenario import Channel
from colosseum.report.html.pictures.labels import Box, around, beside
from colosseum.report.html.pictures.picture import Picture, Table, draw
from colosseum.report.html.pictures.shapes import Lines, Mark, Rule, Shape, Text
from colosseum.report.html.pictures.words import listed, name_at, quoted, width_of

MOST_NAMED: Final = 24
"""Agents on the circle that are named; beyond, only members are."""
MOST_LINKS: Final = 150
"""Public channels of two that each have a name when pointed at."""
MIDDLE, RADIUS, TOP = 240.0, 118.0, 34.0
Place: TypeAlias = tuple[float, float]


def network_picture(
    agents: Sequence[str], channels: Sequence[Channel], members: Collection[str], *, where: str = ""
) -> Picture | str:
    """Links of two are lines, a channel of more is a square with a spoke to each; secret ones are dashed.

    A str is why there is none.
    """
    if not agents:
        return "there are no agents"
    places = _circle(agents)
    hubs = _hubs([channel for channel in channels if len(channel.members) > 2], places)
    shapes = [*_links(channels, places, hubs), *_nodes(agents, places, members), *_names(agents, places, members)]
    shapes += [*_hub_names(channels, places, hubs), *_key(channels)]
    title = "Who can talk to whom" + (f": {where}" if where else "")
    return draw(
        f"network-{where}" if where else "network", title, _caption(agents, channels, members),
        height=_bottom() + 30, shapes=shapes, table=_table(channels),
    )  # fmt: skip


def _bottom() -> float:
    return TOP + 2 * RADIUS + 34


def _circle(agents: Sequence[str]) -> dict[str, Place]:
    """In declared order, clockwise from the top."""
    middle = TOP + RADIUS
    if len(agents) == 1:
        return {agents[0]: (MIDDLE, middle)}
    turns = [2 * pi * place / len(agents) - pi / 2 for place in range(len(agents))]
    return {a: (MIDDLE + RADIUS * cos(t), middle + RADIUS * sin(t)) for a, t in zip(agents, turns, strict=True)}


def _hubs(channels: Sequence[Channel], places: dict[str, Place]) -> dict[str, Place]:
    """In the middle of its members, moved where another is or where an agent is."""
    found: dict[str, Place] = {}
    for channel in channels:
        at = [places[agent] for agent in channel.members if agent in places]
        if not at:
            continue
        x, y = sum(x for x, _ in at) / len(at), sum(y for _, y in at) / len(at)
        for turn in range(40):
            taken = [*found.values(), *places.values()]
            moved = (x + 5 * turn * cos(2.4 * turn), y + 5 * turn * sin(2.4 * turn))
            if all(hypot(moved[0] - a, moved[1] - b) > 24 for a, b in taken):
                break
        found[channel.name] = moved
    return found


def _links(channels: Sequence[Channel], places: dict[str, Place], hubs: dict[str, Place]) -> Iterator[Shape]:
    """Public ones first, so that secret ones lie above them; very many of two are one faint web."""
    ends = {c.name: [places[agent] for agent in c.members if agent in places] for c in channels}
    public = [c for c in channels if not c.secret and c.name not in hubs]
    if len(public) > MOST_LINKS:
        yield Lines(tuple(pair for c in public for pair in combinations(ends[c.name], 2)), "public many")
    shown = [] if len(public) > MOST_LINKS else public
    for channel in [
        *shown,
        *(c for c in channels if c.name in hubs and not c.secret),
        *(c for c in channels if c.secret),
    ]:
        role, hub = "secret" if channel.secret else "public", hubs.get(channel.name)
        title = f"{channel.name}, {role}: {', '.join(channel.members)}"
        pairs = [(hub, end) for end in ends[channel.name]] if hub else list(combinations(ends[channel.name], 2))
        yield Lines(tuple(_beside(*pair) if channel.secret and hub is None else pair for pair in pairs), role, title)
        if hub:
            yield Mark(*hub, "square", f"hub-{role}", 5, title)


def _beside(one: Place, other: Place) -> tuple[Place, Place]:
    """A little off the straight line, where a public link may be."""
    long = hypot(other[0] - one[0], other[1] - one[1]) or 1.0
    dx, dy = -(other[1] - one[1]) / long * 4, (other[0] - one[0]) / long * 4
    return (one[0] + dx, one[1] + dy), (other[0] + dx, other[1] + dy)


def _nodes(agents: Sequence[str], places: dict[str, Place], members: Collection[str]) -> Iterator[Shape]:
    size = 8.0 if len(agents) <= MOST_NAMED else 4.0
    for agent in agents:
        inside = agent in members
        title = f"{agent}, in the coalition" if inside else agent
        yield Mark(*places[agent], "diamond" if inside else "circle", "member" if inside else "outsider", size, title)


def _names(agents: Sequence[str], places: dict[str, Place], members: Collection[str]) -> Iterator[Shape]:
    """Outside the circle, members' in bold."""
    middle, taken = TOP + RADIUS, list[Box]()
    many = len(agents) > MOST_NAMED
    for agent in sorted(agents, key=lambda agent: agent not in members):
        if many and agent not in members:
            continue
        x, y = places[agent]
        dx, dy = (x - MIDDLE) / RADIUS, (y - middle) / RADIUS
        side = "middle" if abs(dx) < 0.2 else "start" if dx > 0 else "end"
        at, room = x + 15 * dx, 440.0 if side == "middle" else MIDDLE - RADIUS * abs(dx) - 20
        base = y + 4 + (16 if side == "middle" else 9) * dy
        wide = min(room, width_of(agent))
        left = at - {"middle": wide / 2, "start": 0.0, "end": wide}[side]
        box = Box(left, base - 11, left + wide, base + 3)
        if not any(map(box.meets, taken)):
            taken.append(box)
            yield name_at(at, base, agent, room, role="strong" if agent in members else "", anchor=side)


def _hub_names(channels: Sequence[Channel], places: dict[str, Place], hubs: dict[str, Place]) -> Iterator[Shape]:
    """The names of channels of several, and of secret ones of two; public links have none."""
    found: list[tuple[Place, str]] = []
    for channel in sorted(channels, key=lambda channel: not channel.secret):
        ends = [places[agent] for agent in channel.members if agent in places]
        if channel.name in hubs:
            found.append((hubs[channel.name], channel.name))
        elif channel.secret and len(ends) == 2:
            (a, b), (c, d) = _beside(*ends)
            found.append((((a + c) / 2, (b + d) / 2), channel.name))
    within = Box(2, 2, 478, _bottom() - 4)
    taken = [around(x, y, 9) for x, y in places.values()]
    names = [name for _, name in found]
    for text in beside([at for at, _ in found], names, within=within, taken=taken, role="halo"):
        if text:
            yield text


def _key(channels: Sequence[Channel]) -> Iterator[Shape]:
    y, x = _bottom() + 14, 4.0
    entries = [("public", "public")] * any(not c.secret for c in channels)
    entries += [("secret", "secret")] * any(c.secret for c in channels)
    for role, words in entries:
        yield Rule(x, y, x + 30, y, role)
        yield Text(x + 36, y + 4, words, "soft")
        x += 36 + width_of(words, 12) + 22
    for role, form, words in (("member", "diamond", "in the coalition"), ("outsider", "circle", "not in it")):
        yield Mark(x + 6, y, form, role, 6)
        yield Text(x + 18, y + 4, words, "soft")
        x += 18 + width_of(words, 12) + 18


def _caption(agents: Sequence[str], channels: Sequence[Channel], members: Collection[str]) -> str:
    secret = [channel for channel in channels if channel.secret]
    public = len(channels) - len(secret)
    inside = [agent for agent in agents if agent in members]
    parts = [f"{counted(len(agents), 'agent')}, {counted(public, 'public channel')}."]
    if secret:
        named = listed([f"{quoted(channel.name)} of {_who(channel)}" for channel in secret])
        parts.append(f"Secret: {named}.")
    else:
        parts.append("No channel is secret.")
    parts.append(f"In the coalition: {listed([quoted(a) for a in inside])}." if inside else "There is no coalition.")
    if len(agents) > MOST_NAMED:
        parts.append("Names of others appear when pointed at.")
    return " ".join(parts)


def _who(channel: Channel) -> str:
    names = [quoted(agent) for agent in channel.members]
    return " and ".join(names) if len(names) <= 2 else listed(names)


def _table(channels: Sequence[Channel]) -> Table:
    rows = tuple((c.name, "secret" if c.secret else "public", len(c.members), ", ".join(c.members)) for c in channels)
    return Table(("channel", "kind", "agents", "members"), rows)
