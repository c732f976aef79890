"""The one place that decides what each agent may see. In: the state of a run; out: a View.

A property test changes what is secret from an agent and compares its prompts byte for byte.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from colosseum.model import draws
from colosseum.model.experiment import Conditions
from colosseum.model.networks import live_channels, wire_names
from colosseum.model.scenario import Channel, Claim, Prompt, Scenario, Variant
from colosseum.model.values import Value
from colosseum.players.protocol.templates import Templates, shipped
from colosseum.players.scripted.knowledge import Knowledge, Told, told
from colosseum.players.view import ChannelView, Memory, Note, Position, Post, Step, View


@dataclass(frozen=True)
class Stage:
    """A scenario under one arm's conditions: what is fixed for a whole run."""

    scenario: Scenario
    conditions: Conditions
    repeat: int
    run: str = ""
    """Keys the noise of scripted players: two runs that differ in arm, point or repeat are two throws of the dice."""
    templates: Templates = field(default_factory=shipped, compare=False, repr=False)
    """By which models are told."""

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """Every live channel."""
        return live_channels(self.scenario, self.conditions)

    @cached_property
    def wire(self) -> dict[str, str]:
        """What agents read as the name of each, by its name in the spec."""
        return wire_names(self.scenario, self.conditions, self.repeat)

    def variant(self, prompt: Prompt) -> str:
        """The variant of a prompt that holds here."""
        return dict(self.conditions.variants).get(prompt.name, prompt.variants[0].name)

    @cached_property
    def wordings(self) -> dict[str, int]:
        """The wording drawn of every prompt, from 1, where the variant that holds has several.

        All numbers that may be drawn are shuffled by seed and prompt, and the repeats of a seed take one after the
        other: equal in all arms and for all recipients, and different between repeats as long as there are others.
        """
        found: dict[str, int] = {}
        for prompt in self.scenario.prompts:
            most = max(len(variant.wordings) for variant in prompt.variants)
            has = next(len(v.wordings) for v in prompt.variants if v.name == self.variant(prompt))
            numbers = self.conditions.settings.paraphrase or range(1, most + 1)
            drawn = draws.shuffle(draws.key(self.scenario.seed, "paraphrase", (prompt.name,)), numbers)
            if has > 1:
                number = drawn[(self.repeat - 1) % len(drawn)]
                assert isinstance(number, int)
                found[prompt.name] = (number - 1) % has + 1  # a variant with fewer wordings goes round
        return found

    @cached_property
    def chosen(self) -> dict[str, Variant]:
        """By prompt, the variant that holds here, in the wording that was drawn alone."""
        held = {p.name: next(v for v in p.variants if v.name == self.variant(p)) for p in self.scenario.prompts}
        return {name: Variant(v.name, v.wordings[self.wordings.get(name, 1) - 1]) for name, v in held.items()}

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Those that everybody is asked about; none where there is no survey."""
        return () if self.conditions.settings.survey is False else self.scenario.claims

    @cached_property
    def briefings(self) -> dict[str, tuple[str, ...]]:
        """The texts every agent is told, in declared order; empty ones are not told."""
        told: dict[str, list[str]] = {agent: [] for agent in self.scenario.task.agents}
        for prompt in self.scenario.prompts:
            for agent, words in self.chosen[prompt.name].texts:
                told[agent] += [words] if words else []
        return {agent: tuple(texts) for agent, texts in told.items()}

    def told(self, agent: str) -> Told:
        """The role that prompts give to the agent."""
        return told(self.scenario, agent, chosen=self.chosen, channels=self.channels)


@dataclass(frozen=True)
class Spoken:
    """What has happened so far in a run."""

    posts: tuple[Post, ...]
    """On channels by their names on the wire."""
    decided: tuple[tuple[str, str, Value], ...]
    """(agent, variable, value) in the order the decisions were taken."""


def survey_steps(stage: Stage) -> int:
    """Replies that the survey may take: enough for those who answer about one claim at a time."""
    return max(stage.conditions.settings.steps, len(stage.claims) + 1)


def view(
    stage: Stage, agent: str, position: Position, spoken: Spoken, *, steps: tuple[Step, ...], data: Knowledge | None,
    notes: tuple[Note, ...] = (), earlier: tuple[View, ...] = (),
) -> View:  # fmt: skip
    """All that an agent may see now.

    Posts of its own channels only, numbered anew so that no gap tells of others; decisions of agents it shares a
    channel with only, and none but its own where decisions are simultaneous; `notes` or views of its earlier turns.
    """
    own = [(stage.wire[c.name], c) for c in stage.channels if agent in c.members]
    names = {name for name, _ in own}
    read = (p for p in spoken.posts if p.channel in names)
    posts = [p if p.number == n else Post(n, p.round, p.channel, p.author, p.text) for n, p in enumerate(read, start=1)]
    near = {agent}
    if stage.conditions.settings.decisions == "sequential":
        near |= {member for _, channel in own for member in channel.members}
    return View(
        me=agent,
        agents=stage.scenario.task.agents,
        position=position,
        briefing=stage.briefings[agent],
        variables=stage.scenario.task.owned[agent],
        channels=tuple(
            ChannelView(name, c.members, c.secret, tuple(p for p in posts if p.channel == name)) for name, c in own
        ),
        decided=tuple(d for d in spoken.decided if d[0] in near),
        steps=steps,
        claims=tuple((c.name, c.text) for c in stage.claims) if position.phase == "survey" else (),
        memory=cast(Memory, stage.conditions.settings.memory),
        notes=notes,
        earlier=earlier,
        data=data,
    )
