"""The channels of a run. In: a scenario and what its arm turns on; out: every live channel with its members."""

from colosseum.model.experiment import Conditions
from colosseum.model.networks import public_channels
from colosseum.model.scenario import Channel, Scenario


def live_channels(scenario: Scenario, conditions: Conditions) -> tuple[Channel, ...]:
    """The network's channels, then the declared ones. A secret one is off unless the arm turns it on; others are on.

    A channel that was drawn for fewer than two has nobody to talk to, so there is none.
    """
    switched = dict(conditions.channels)
    consolidate = conditions.settings.consolidate
    carried = public_channels(scenario.network, scenario.task.agents, seed=scenario.seed, consolidate=consolidate)
    public = tuple(Channel(c.name, c.members, secret=False) for c in carried)
    declared = tuple(c for c in scenario.channels if switched.get(c.name, not c.secret) and len(c.members) > 1)
    return public + declared
