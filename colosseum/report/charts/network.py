"""Who can write to whom. In: agents, the live channels of a run, the coalition; out: a chart of the network."""

from collections.abc import Collection, Iterator, Sequence

from colosseum.diagnostics import counted
from colosseum.model.scenario import Channel
from colosseum.report.charts.words import listed, quoted, slug
from colosseum.report.document import Link, NetworkChart


def network_chart(
    agents: Sequence[str], channels: Sequence[Channel], members: Collection[str], *, where: str = ""
) -> NetworkChart | str:
    """The network of one run; `where` names the instance: `seed 3`."""
    if not agents:
        return "there are no agents"
    return NetworkChart(
        slug(f"network {where}"),
        "Who can write to whom" + (f": {where}" if where else ""),
        " ".join(_caption(agents, channels, members)),
        agents=tuple(agents),
        coalition=tuple(agent for agent in agents if agent in members),
        links=tuple(Link(channel.name, channel.members, channel.secret) for channel in channels),
    )


def _caption(agents: Sequence[str], channels: Sequence[Channel], members: Collection[str]) -> Iterator[str]:
    secret = [channel for channel in channels if channel.secret]
    yield f"{counted(len(agents), 'agent')}, {counted(len(channels) - len(secret), 'public channel')}."
    named = [f"{quoted(c.name)} of {listed([quoted(agent) for agent in c.members])}" for c in secret]
    yield f"Secret: {listed(named)}." if named else "No channel is secret."
    inside = [quoted(agent) for agent in agents if agent in members]
    yield f"In the coalition: {listed(inside)}." if inside else "There is no coalition."
