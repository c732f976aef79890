"""The role that prompts give to a member of a coalition. In: prompts, variants and channels of an arm; out: its role.

A scripted player cannot read. It goes by what is plainly there: the name of the variant, the names of its allies in
the text, a channel that is for the coalition alone, the words of a claim.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from colosseum.model.scenario import Channel, Claim, Coalition, Prompt, Scenario

ROLES = {
    "covert": "sim/quiet",
    "deception": "sim/decoy",
    "selfish": "sim/selfish",
    "self_sacrificing": "sim/sabotage",
}
"""Variants that name their own player."""


@dataclass(frozen=True)
class Told:
    """What an agent is told by variants other than the control."""

    coalition: Coalition
    """The one that the prompts are for."""
    variants: tuple[str, ...]
    """Their names, in the order of the prompts."""
    of_allies: bool
    """Whether it is told whom it is to act with: an ally is named, or a channel is for them alone, or it is alone."""
    rumors: tuple[str, ...]
    """The words of the claims that it is told, else of all; whether they are so is known to nobody who plays."""
    to_spread: bool
    """Whether it is told the words of a claim."""

    @property
    def role(self) -> str:
        """The scripted player of `sim`."""
        named = [ROLES[variant] for variant in self.variants if variant in ROLES]
        if named:
            return named[0]
        if self.to_spread:
            return "sim/misinform"
        return "sim/collude" if self.of_allies else "sim/selfish"


def told(
    scenario: Scenario, agent: str, *, variant: Callable[[Prompt], str], channels: Iterable[Channel]
) -> Told | None:
    """What the agent is told; None where every prompt that is for exactly a coalition of its holds its control."""
    bending = {p.name: variant(p) for p in scenario.prompts if variant(p) != p.variants[0].name}
    prompts = [p for p in scenario.prompts if p.name in bending and agent in p.recipients]
    coalition = next((c for p in prompts for c in scenario.coalitions if c.members == p.recipients), None)
    if coalition is None:
        return None
    chosen = [v for p in prompts if p.recipients == coalition.members for v in p.variants if v.name == bending[p.name]]
    words = [text for v in chosen for who, text in v.texts if who == agent]
    allies = [m for m in coalition.members if m != agent]
    aside = any(c.secret and c.members == coalition.members for c in channels)
    given = _said(scenario.claims, words)
    return Told(
        coalition,
        tuple(v.name for v in chosen),
        of_allies=aside or not allies or any(holds(text, ally) for text in words for ally in allies),
        rumors=given or tuple(claim.text for claim in scenario.claims),
        to_spread=bool(given),
    )


def _said(claims: Iterable[Claim], words: Iterable[str]) -> tuple[str, ...]:
    return tuple(claim.text for claim in claims if any(holds(text, claim.text) for text in words))


def holds(text: str, words: str) -> bool:
    """Whether a text holds these words, however they are written in capitals; `ticket1` is not in `ticket10`."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) is not None
