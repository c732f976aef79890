"""The first messages to agents in a phase. In: a checked spec, an arm and a phase; out: Prompts.

The requests are made by the functions that make them in a run, before anybody has said or decided anything. No model
is asked.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal, cast, get_args

from colosseum.campaign.part import Part, at_point, read_design
from colosseum.diagnostics import one_of, stop
from colosseum.model.check import Checked
from colosseum.model.experiment import Arm, Conditions, Design
from colosseum.players.models.messages import Dialect, Message, asked
from colosseum.players.models.tools import Tool
from colosseum.players.view import Phase
from colosseum.run.stage import view
from colosseum.run.trace import Published
from colosseum.run.trial import Block, Trial, Trials

SCHEMA: Final = 2
MARKS: Final = (("[-", "-]"), ("{+", "+}"))
"""What stands around words that only the arm compared with has, and only the other."""
_WORDS = re.compile(r"\s+|[^\s\w]|\w+")


@dataclass(frozen=True)
class Opening(Published):
    """What one agent is sent at its first turn of a phase."""

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
class ArmOpenings(Published):
    """What the agents of one arm are sent."""

    arm: str
    """Its name."""
    agents: tuple[Opening, ...]
    """Those that have a turn in the phase, in declared order."""


@dataclass(frozen=True)
class Prompts(Published):
    """What the agents of one or more arms are sent."""

    schema: Literal[2]
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
    against: str
    """The arm that all others are compared with; empty where no comparison was asked for."""


def prompts(
    checked: Checked, *, experiment: str | None = None, arm: str | None = None, against: str | None = None,
    agent: str | None = None, point: str | None = None, seed: int | None = None, phase: str = "planning",
    text_tools: bool = False,
) -> Prompts:  # fmt: skip
    """What agents are sent at their first turn; no model is asked. Raises ColosseumError.

    None is the first arm, sweep point or seed, and all agents. Without an `arm`, all are compared with the one
    `against`. `point` is what the sweep point has to have, as `network=ring`. With `text_tools`, tools are described in
    the messages, as for models that call them there. A spec without an experiment has an arm `baseline` in which
    nothing is changed.
    """
    design = Design("", "", ("baseline",), (Arm("baseline", "", Conditions()),), (checked.seed,), 1)
    if checked.designs or experiment:
        design = read_design(checked, Part(experiment), file=checked.spec.composition.source.name)
    design, scenario = at_point(design, point), checked.expansion.scenario
    agents = scenario.task.agents
    for what, name, known in (("arm", arm, design.arms), ("arm", against, design.arms), ("agent", agent, agents)):
        one_of(what, name or known[0], known)
    at = cast(Phase, one_of("phase", phase, get_args(Phase)))
    others = [each for each in ((arm,) if arm else design.arms) if each != against]
    if not others:
        raise stop("C122", f"there is no other arm to compare `{against}` with")
    block = Block(design.cells[0].point, design.seeds[0] if seed is None else seed, 1, tuple(
        next(cell for cell in design.cells if cell.name == name)
        for name in ((against, *others) if against else others[:1])
    ))  # fmt: skip
    trials = Trials(checked.spec, checked.params)
    sent = tuple(
        ArmOpenings(trial.arm, tuple(_openings(trial, at, agent, text_tools=text_tools))) for trial in trials.of(block)
    )
    if not any(each.agents for each in sent):
        who = f"`{agent}` has no turn" if agent else "nobody has a turn"
        help_ = "planning takes `rounds`, a survey claims, and an execution turn a variable of the agent's own"
        raise stop("C122", f"{who} in the phase `{phase}`", help=help_)
    return Prompts(SCHEMA, scenario.name, design.name, block.point, block.seed, 1, at, sent, against or "")


def _openings(trial: Trial, phase: Phase, only: str | None, *, text_tools: bool) -> Iterator[Opening]:
    """What the agents of a trial that have a turn are sent, or the one that is named.

    Those who own nothing have none in the execution phase, and nobody has one in a phase that the run does not have.
    """
    stage = trial.stage
    first = {agent: at for at, agents in reversed(stage.turns) if at.phase == phase for agent in agents}
    for agent, player in trial.roles.items():
        if agent in first and only in (None, "", agent):
            endpoint = trial.endpoints.get(player)
            dialect: Dialect = "text" if text_tools else endpoint.dialect if endpoint else "native"
            seen = view(stage, agent, first[agent])
            told, offered = asked(seen, stage.templates, dialect)
            yield Opening(agent, player, dialect, tuple(told), offered)


def marked(before: str, after: str) -> str:
    """Both texts in one, with MARKS: lines are matched first, then the words of lines that changed."""
    return "".join(_marked(before.splitlines(keepends=True), after.splitlines(keepends=True)))


def _marked(before: Sequence[str], after: Sequence[str], *, words: bool = False) -> Iterator[str]:
    """Lines, or the words of a few lines; a mark ends with its line."""
    for change, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        ours, theirs = "".join(before[a:b]), "".join(after[c:d])
        if change == "replace" and not words:
            yield from _marked(_WORDS.findall(ours), _WORDS.findall(theirs), words=True)
        elif change == "equal":
            yield ours
        else:
            for (left, right), text in zip(MARKS, (ours, theirs), strict=True):
                yield "\n".join(line and f"{left}{line}{right}" for line in text.split("\n"))
