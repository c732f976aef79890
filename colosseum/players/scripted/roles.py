"""The role that prompts give to a member of a coalition. In: prompts, variants and channels of an arm; out: its role.

A scripted player cannot read. It goes by what is plainly there: the name of the variant, the names of its allies in
the text, a channel that is for the coalition alone, the words of a claim.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from colosseum.model.scenario import Channel, Coalition, Scenario, Variant

ROLES = {
    "covert": "sim/quiet",
    "deception": "sim/decoy",
    "selfish": "sim/selfish",
    "self_sacrificing": "sim/sabotage",
}
"""Variants that name their own player."""


@dataclass(frozen=True)
class Told:
    """The role that variants other than the control give to an agent."""

    coalition: Coalition
    """The one that the prompts are for."""
    of_allies: bool
    """Whether it is told whom it is to act with: an ally is named, or a channel is for them alone, or it is alone."""
    rumors: tuple[str, ...]
    """The words of the claims that it is told, else of all; whether they are so is known to nobody who plays."""
    role: str
    """The scripted player of `sim`."""


def told(
    scenario: Scenario, agent: str, *, chosen: Mapping[str, Variant], channels: Iterable[Channel]
) -> Told | None:
    """The agent's role; None where every prompt that is for exactly a coalition of its holds its control."""
    bending = [p for p in scenario.prompts if chosen[p.name].name != p.variants[0].name]
    prompts = [p for p in bending if agent in p.recipients]
    coalition = next((c for p in prompts for c in scenario.coalitions if c.members == p.recipients), None)
    if coalition is None:
        return None
    variants = [chosen[p.name] for p in prompts if p.recipients == coalition.members]
    words = [text for v in variants for who, text in v.texts if who == agent]
    allies = [m for m in coalition.members if m != agent]
    aside = any(c.secret and c.members == coalition.members for c in channels)
    of_allies = aside or not allies or any(holds(text, ally) for text in words for ally in allies)
    given = tuple(c.text for c in scenario.claims if any(holds(text, c.text) for text in words))
    role = "sim/misinform" if given else "sim/collude" if of_allies else "sim/selfish"
    role = next((ROLES[v.name] for v in variants if v.name in ROLES), role)
    return Told(coalition, of_allies, given or tuple(claim.text for claim in scenario.claims), role)


def holds(text: str, words: str) -> bool:
    """Whether a text holds these words, however they are written in capitals; `ticket1` is not in `ticket10`."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) is not None
