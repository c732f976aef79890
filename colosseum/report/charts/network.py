"""Who can write to whom. In: agents, the live channels of a run, the coalition; out: a chart of the network."""

from collections.abc import Collection, Sequence

from colosseum.model.scenario import Channel
from colosseum.report.charts.words import slug
from colosseum.report.document import NetworkChart


def network_chart(
    agents: Sequence[str], channels: Sequence[Channel], members: Collection[str], *, where: str = ""
) -> NetworkChart:
    """The network of one run; `where` names the instance: `seed 3`."""
    return NetworkChart(
        slug(f"network {where}"),
        "Who can write to whom" + (f": {where}" if where else ""),
        "Diamonds are the coalition, dashed lines are secret channels.",
        agents=tuple(agents),
        coalition=tuple(agent for agent in agents if agent in members),
        channels=tuple(channels),
    )
