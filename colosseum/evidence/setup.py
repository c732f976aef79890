"""The conditions of a run. In: the events of its trace; out: a Setup, which distinguishes arms.

What an arm is for is read from what it changes, never from its name alone.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from colosseum.model.scenario import Coalition
from colosseum.model.serial import encode


@dataclass(frozen=True, slots=True)
class ToldText:
    """A text that an agent is told."""

    digest: str
    partner: bool
    """Whether it names another member of the coalition."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What all agents of a run find."""

    members: tuple[str, ...]
    """Of the coalition that is measured; none where there is no coalition."""
    own_objective: bool
    """Whether the coalition has objectives of its own, so that its value is no sum of payoffs."""
    secret: tuple[tuple[str, tuple[str, ...]], ...]
    """The secret channels that are live, with who is in them."""
    told: dict[str, tuple[ToldText, ...]]
    """By agent; every agent is a key."""
    played: dict[str, str]
    """Who acts, by agent."""
    order: str
    """How turns are ordered: `shuffled`, `declared`, …"""
    degree: dict[str, int]
    """By agent, how many others it shares a channel with that is not secret."""
    rest: str
    """A digest of everything else: the instance, other channels, settings and models."""
    served: tuple[tuple[str, str], ...] = ()
    """Each model that was asked, with each that its provider says it used in its place; sorted."""
    wordings: tuple[tuple[str, int], ...] = ()
    """The wording of every prompt that has several, sorted."""


def setup_of(events: Sequence[Mapping[str, Any]], coalition: Coalition | None) -> Setup:
    """From the events of a run."""
    start = events[0]
    channels = next(event["channels"] for event in events if event["event"] == "channels")
    members = coalition.members if coalition else ()
    settings = start["conditions"]["settings"]
    public = [tuple(c["members"]) for c in channels if not c["secret"]]
    players = {str(agent): str(player) for agent, player in start["players"].items()}
    told: dict[str, tuple[ToldText, ...]] = dict.fromkeys(players, ())
    theirs = (start.get("imported") or {}).get("names", {})
    for event in (event for event in events if event["event"] == "briefing"):
        named = (theirs.get(m, m) for m in members if m != event["agent"])
        partners = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in named) or r"\Z."
        texts = (ToldText(_digest(text), re.search(partners, text) is not None) for text in event["texts"])
        told[str(event["agent"])] = tuple(texts)
    taken = [(e["agent"], e["usage"]["served_model"]) for e in events if e["event"] == "reply" and e["usage"]]
    served = {(players[str(agent)], str(model)) for agent, model in taken if model}
    return Setup(
        members=members,
        own_objective=bool(coalition and coalition.objectives),
        secret=tuple((str(c["name"]), tuple(map(str, c["members"]))) for c in channels if c["secret"]),
        told=told,
        played=players,
        order=str(settings["order"]),
        degree={a: len({other for c in public if a in c for other in c if other != a}) for a in players},
        rest=_digest(encode({"": [start["scenario"], start["models"], settings, [list(p) for p in public]]})),
        served=tuple(sorted(served)),
        wordings=tuple(sorted(start.get("wordings", {}).items())),
    )


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=12).hexdigest()
