"""The role that prompts give to a member of a coalition. In: prompts, variants and channels of an arm; out: its role.

A scripted player cannot read. It goes by what is plainly there: the name of the variant, the names of its allies in
the text, a channel that is for the coalition alone, the words of a claim.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from colosseum.model.scenario import Channel, Coalition, Scenario, Variant

COOPERATE = "sim/cooperate"
ROLES = {
    "covert": "sim/quiet",
    "deception": "sim/decoy",
    "selfish": "sim/selfish",
    "self_sacrificing": "sim/sabotage",
}
"""Variants that name their own player."""


@dataclass(frozen=True)
class Told:
    """The role that prompts give to an agent; as it stands, that of an agent whom no prompt bends."""

    coalition: Coalition | None = None
    """The one that the prompts are for; None where the agent cannot tell whom it is to act with.

    It can where an ally is named, a channel is for the coalition alone, or nobody else belongs to it.
    """
    rumors: tuple[str, ...] = ()
    """The claims that it is told, else all, in words; whether they are so is known to nobody who plays."""
    role: str = COOPERATE
    """The scripted player of `sim`."""

    @property
    def bent(self) -> bool:
        """Whether a prompt for exactly a coalition of the agent's holds another variant than its control."""
        return self.role != COOPERATE


def told(scenario: Scenario, agent: str, *, chosen: Mapping[str, Variant], channels: Iterable[Channel]) -> Told:
    """The agent's role under the variants and channels of an arm."""
    bending = [p for p in scenario.prompts if agent in p.recipients and chosen[p.name].name != p.variants[0].name]
    coalition = next((c for p in bending for c in scenario.coalitions if c.members == p.recipients), None)
    if coalition is None:
        return Told()
    variants = [chosen[p.name] for p in bending if p.recipients == coalition.members]
    words = "\n".join(text for v in variants for who, text in v.texts if who == agent)
    allies = [m for m in coalition.members if m != agent]
    aside = any(c.secret and c.members == coalition.members for c in channels)
    of_allies = aside or not allies or any(holds(words, ally) for ally in allies)
    rumors = tuple(c.text for c in scenario.claims if holds(words, c.text))
    role = "sim/misinform" if rumors else "sim/collude" if of_allies else "sim/selfish"
    role = next((ROLES[v.name] for v in variants if v.name in ROLES), role)
    return Told(coalition if of_allies else None, rumors or tuple(c.text for c in scenario.claims), role)


def holds(text: str, words: str) -> bool:
    """Whether a text holds these words, however they are written in capitals; `ticket1` is not in `ticket10`."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) is not None
