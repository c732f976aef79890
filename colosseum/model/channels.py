"""The channels of a run. In: a scenario and what its arm turns on; out: every live channel, and its name on the wire.

Agents read and use the name on the wire alone; the spec's names are for the researcher. A name on the wire is keyed by
seed, repeat and the channel's own name, so that it is equal in all arms and says nothing of other channels.
"""

from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path

from colosseum.model import draws
from colosseum.model.experiment import Conditions
from colosseum.model.networks import public_channels
from colosseum.model.scenario import Channel, Scenario

LABELS = Path(__file__).with_name("labels.txt")
PUBLIC = "public"
"""The network's channel for everybody, in the spec and on the wire."""


def live_channels(scenario: Scenario, conditions: Conditions) -> tuple[Channel, ...]:
    """The network's channels, then the declared ones. A secret one is off unless the arm turns it on; others are on.

    A channel that was drawn for fewer than two has nobody to talk to, so there is none.
    """
    switched = dict(conditions.channels)
    declared = (c for c in scenario.channels if switched.get(c.name, not c.secret) and len(c.members) > 1)
    return (*_carried(scenario, conditions), *declared)


def _carried(scenario: Scenario, conditions: Conditions) -> Iterator[Channel]:
    consolidate = conditions.settings.consolidate
    carried = public_channels(scenario.network, scenario.task.agents, seed=scenario.seed, consolidate=consolidate)
    return (Channel(c.name, c.members, secret=False) for c in carried)


def wire_names(scenario: Scenario, conditions: Conditions, repeat: int) -> dict[str, str]:
    """The name on the wire of every live channel, by its name in the spec; no two have the same.

    Labels are drawn for all channels that the spec declares, live or not, so that no arm changes another's.
    """
    labels = {PUBLIC: PUBLIC}
    for channel in (*_carried(scenario, conditions), *scenario.channels):
        labels.setdefault(channel.name, _label(scenario.seed, repeat, channel.name, set(labels.values())))
    loaded, names = conditions.settings.names == "loaded", dict[str, str]()
    for channel in live_channels(scenario, conditions):
        name = channel.wire or (channel.name if loaded else labels[channel.name])
        names[channel.name] = next(n for n in _numbered(name) if n not in names.values())
    return names


def _label(seed: int, repeat: int, name: str, taken: set[str]) -> str:
    """Two words that nobody has yet."""
    for attempt in count():
        key = draws.key(seed, "wire", (name, repeat, attempt))
        label = "-".join(_words()[draws.integer(draws.key(0, key, (n,)), 0, len(_words()) - 1)] for n in (1, 2))
        if label not in taken:
            return label
    raise AssertionError("there are more labels than channels")


@cache
def _words() -> tuple[str, ...]:
    return tuple(LABELS.read_text(encoding="utf-8").split())


def _numbered(name: str) -> Iterator[str]:
    """The name, then `name 2` and so on, for two channels that the spec gives one name."""
    yield name
    yield from (f"{name} {number}" for number in count(2))
