"""What each agent may see: the one place where it is decided. In: the state of a run; out: a View.

A property test changes what is secret from an agent and compares its prompts byte for byte.
"""

from dataclasses import dataclass
from functools import cached_property

from colosseum.audit.channels import live_channels
from colosseum.model import draws
from colosseum.model.experiment import Conditions
from colosseum.model.scenario import Channel, Claim, Prompt, Scenario
from colosseum.model.values import Value
from colosseum.players.scripted.knowledge import Knowledge, Library
from colosseum.players.scripted.roles import Told, told
from colosseum.players.view import ChannelView, Position, Post, Step, View


@dataclass(frozen=True)
class Stage:
    """A scenario under one arm's conditions: what is fixed for a whole run."""

    scenario: Scenario
    conditions: Conditions
    repeat: int
    run: str = ""
    """Keys the noise of scripted players: two runs that differ in arm, point or repeat are two throws of the dice."""

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """Every live channel."""
        return live_channels(self.scenario, self.conditions)

    def variant(self, prompt: Prompt) -> str:
        """The variant of a prompt that holds here."""
        return dict(self.conditions.variants).get(prompt.name, prompt.variants[0].name)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Those that everybody is asked about; none where there is no survey."""
        return () if self.conditions.settings.survey is False else self.scenario.claims

    @cached_property
    def briefings(self) -> dict[str, tuple[str, ...]]:
        """The texts every agent is told, in declared order; empty ones are not told."""
        told: dict[str, list[str]] = {agent: [] for agent in self.scenario.task.agents}
        for prompt in self.scenario.prompts:
            chosen = self.variant(prompt)
            for agent, words in next(v.texts for v in prompt.variants if v.name == chosen):
                told[agent] += [words] if words else []
        return {agent: tuple(texts) for agent, texts in told.items()}

    def told(self, agent: str) -> Told | None:
        """What prompts other than the control tell the agent as a member of a coalition."""
        return told(self.scenario, agent, variant=self.variant, channels=self.channels)


@dataclass(frozen=True)
class Spoken:
    """What has happened so far in a run."""

    posts: tuple[Post, ...]
    decided: tuple[tuple[str, str, Value], ...]
    """(agent, variable, value) in the order the decisions were taken."""


def survey_steps(stage: Stage) -> int:
    """Replies that the survey may take: enough for those who answer about one claim at a time."""
    return max(stage.conditions.settings.steps, len(stage.claims) + 1)


def knowledge(stage: Stage, library: Library, agent: str) -> Knowledge:
    """The data of an agent's view."""
    settings = stage.conditions.settings
    return library.knowledge(
        agent,
        told=stage.told(agent),
        strength=settings.strength,
        noise=settings.noise,
        run=draws.key(stage.scenario.seed, "player", (stage.run, stage.repeat)),
    )


def view(
    stage: Stage, agent: str, position: Position, spoken: Spoken, *, steps: tuple[Step, ...], data: Knowledge | None
) -> View:
    """All that an agent may see now.

    Posts of its own channels only, numbered anew so that no gap tells of others; decisions of agents it shares a
    channel with only, and none but its own where decisions are simultaneous.
    """
    own = [c for c in stage.channels if agent in c.members]
    names = {c.name for c in own}
    read = (p for p in spoken.posts if p.channel in names)
    posts = [p if p.number == n else Post(n, p.round, p.channel, p.author, p.text) for n, p in enumerate(read, start=1)]
    near = {agent}
    if stage.conditions.settings.decisions == "sequential":
        near |= {member for channel in own for member in channel.members}
    return View(
        me=agent,
        agents=stage.scenario.task.agents,
        position=position,
        briefing=stage.briefings[agent],
        variables=stage.scenario.task.owned[agent],
        channels=tuple(
            ChannelView(c.name, c.members, c.secret, tuple(p for p in posts if p.channel == c.name)) for c in own
        ),
        decided=tuple(d for d in spoken.decided if d[0] in near),
        steps=steps,
        claims=tuple((c.name, c.text) for c in stage.claims) if position.phase == "survey" else (),
        data=data,
    )
