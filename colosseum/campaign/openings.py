"""What agents are sent at their first turn of a phase. In: a trial; out: messages and tools, and what differs.

The requests are made by the functions that make them in a run, before anybody has said or decided anything. No model
is asked.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Final, Literal

from colosseum.players.models.messages import Dialect, Message, asked
from colosseum.players.models.tools import Tool
from colosseum.players.view import Phase, Position
from colosseum.run.events import STRICT
from colosseum.run.stage import Spoken, Stage, survey_steps, view
from colosseum.run.trial import Trial

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SCHEMA: Final = 1
_WORDS = re.compile(r"\s+|[^\s\w]|\w+")


@dataclass(frozen=True)
class Opening:
    """What one agent is sent at its first turn of a phase."""

    __pydantic_config__ = STRICT

    agent: str
    """Who is told."""
    player: str
    """Who plays it; scripted players read none of this."""
    dialect: Dialect
    """How its model calls tools."""
    messages: tuple[Message, ...]
    """In OpenAI's shape, as the model's client gets them."""
    tools: tuple[Tool, ...]
    """Empty where tools are described in the messages."""

    @property
    def parts(self) -> dict[str, str]:
        """The texts by what they are: each message, and each tool as a line of JSON."""
        told: dict[str, str] = {m["role"]: m["content"] or "" for m in self.messages}  # one of each at first
        offered = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in self.tools)
        return {**told, **({"tools": offered} if offered else {})}


@dataclass(frozen=True)
class ArmOpenings:
    """What the agents of one arm are sent."""

    __pydantic_config__ = STRICT

    arm: str
    """Its name."""
    agents: tuple[Opening, ...]
    """Those that have a turn in the phase, in declared order."""


@dataclass(frozen=True)
class Stretch:
    """Words that both arms have, or only one of them."""

    __pydantic_config__ = STRICT

    kind: Literal["same", "deleted", "inserted"]
    """`deleted` stands only in the arm compared with, `inserted` only in the other."""
    text: str
    """The words with the blanks between them."""


@dataclass(frozen=True)
class Change:
    """One text of one agent in two arms."""

    __pydantic_config__ = STRICT

    agent: str
    """Who is told."""
    part: str
    """`system`, `user` or `tools`."""
    words: tuple[Stretch, ...]
    """All of both texts, in order; one stretch where they are the same."""


@dataclass(frozen=True)
class Compared:
    """One arm against another."""

    __pydantic_config__ = STRICT

    arm: str
    """The arm."""
    against: str
    """The arm that it is compared with."""
    texts: tuple[Change, ...]
    """Of every agent, also those in which no word differs."""


@dataclass(frozen=True)
class Prompts:
    """What the agents of one or more arms are sent, and how arms differ."""

    __pydantic_config__ = STRICT

    schema: Literal[1]
    """Of this format."""
    scenario: str
    """The scenario's name."""
    experiment: str
    """Empty where the spec has none."""
    point: str
    """The sweep point; empty where nothing is swept."""
    seed: int
    """Of the instance."""
    repeat: int
    """Of the seed, from 1: repeats may draw other wordings."""
    phase: Phase
    """Whose first turn it is."""
    arms: tuple[ArmOpenings, ...]
    """The arms asked for; with a comparison, the arm compared with comes first."""
    compared: tuple[Compared, ...]
    """Every other arm against the first; empty where no comparison was asked for."""


PHASES: tuple[Phase, ...] = ("planning", "survey", "execution")


@cache
def adapter() -> "TypeAdapter[Prompts]":
    """What pydantic makes of the types, for JSON and its schema."""
    from pydantic import TypeAdapter

    return TypeAdapter(Prompts)


def openings_of(trial: Trial, phase: Phase, *, text_tools: bool = False, agents: Sequence[str] = ()) -> ArmOpenings:
    """What the agents of a trial are sent, or those named; `text_tools` describes tools in the text for every model.

    Agents without a turn in the phase are left out: those who own nothing have none in the execution phase, and nobody
    has one in a phase that the run does not have.
    """
    return ArmOpenings(trial.arm, tuple(
        _opening(trial, agent, phase, text_tools=text_tools)
        for agent in trial.stage.scenario.task.agents
        if (not agents or agent in agents) and _has_turn(trial.stage, agent, phase)
    ))  # fmt: skip


def _has_turn(stage: Stage, agent: str, phase: Phase) -> bool:
    match phase:
        case "planning":
            return stage.conditions.settings.rounds > 0
        case "survey":
            return bool(stage.claims)
        case "execution":
            return bool(stage.scenario.task.owned[agent])


def _opening(trial: Trial, agent: str, phase: Phase, *, text_tools: bool) -> Opening:
    stage, settings, words = trial.stage, trial.stage.conditions.settings, trial.stage.templates
    steps = survey_steps(stage) if phase == "survey" else settings.steps
    position = Position(phase, 1 if phase == "planning" else settings.rounds + 1, settings.rounds, steps)
    seen = view(stage, agent, position, Spoken((), ()), steps=(), data=None)
    player = trial.roles[agent]
    endpoint = trial.endpoints.get(player)
    dialect: Dialect = "text" if text_tools else endpoint.dialect if endpoint else "native"
    told, offered = asked(seen, words, dialect)
    return Opening(agent, player, dialect, tuple(told), offered)


def compare(before: ArmOpenings, after: ArmOpenings) -> Compared:
    """Every text of every agent, word by word; an agent that one arm gives no turn has no text there."""
    ours, theirs = ({each.agent: each.parts for each in arm.agents} for arm in (before, after))
    return Compared(after.arm, before.arm, tuple(
        Change(agent, part, tuple(differing(ours.get(agent, {}).get(part, ""), theirs.get(agent, {}).get(part, ""))))
        for agent in {**ours, **theirs}
        for part in {**ours.get(agent, {}), **theirs.get(agent, {})}
    ))  # fmt: skip


def differing(before: str, after: str) -> Iterator[Stretch]:
    """Both texts as stretches of words: lines are matched first, then the words of lines that changed."""
    ours, theirs = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for kind, found in groupby(_stretches(ours, theirs), key=lambda each: each.kind):
        yield Stretch(kind, "".join(each.text for each in found))


def _stretches(before: Sequence[str], after: Sequence[str], *, words: bool = False) -> Iterator[Stretch]:
    """Lines, or the words of a few lines."""
    for change, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        ours, theirs = "".join(before[a:b]), "".join(after[c:d])
        if change == "replace" and not words:
            yield from _stretches(_WORDS.findall(ours), _WORDS.findall(theirs), words=True)
            continue
        if change == "equal":
            yield Stretch("same", ours)
            continue
        if ours:
            yield Stretch("deleted", ours)
        if theirs:
            yield Stretch("inserted", theirs)
