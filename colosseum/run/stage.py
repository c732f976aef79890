"""The one place that decides who plays, and what each agent may see. In: the state of a run; out: players, and a View.

`sim` is a scripted team: outsiders cooperate; members do what a prompt tells them as far as a script can make it out
(`Told.role`). `sim/NAME` is one scripted player, `python:module:Class` a user's own agent, made once for each run and
agent; anything else is a model's name for litellm. A property test changes what is secret and compares prompts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

from colosseum.diagnostics import one_of
from colosseum.language import syntax
from colosseum.model import draws
from colosseum.model.experiment import Conditions
from colosseum.model.ground import publish, visible
from colosseum.model.networks import live_channels, wire_names
from colosseum.model.scenario import Channel, Claim, Prompt, Scenario, Variant
from colosseum.model.spec import Declared
from colosseum.model.values import Elements, Value
from colosseum.model.world import World
from colosseum.players.models.request import Asker, Endpoint
from colosseum.players.protocol.templates import Templates, shipped
from colosseum.players.scripted.knowledge import Knowledge, Planner, Told, private_tables, told
from colosseum.players.scripted.players import SCRIPTED
from colosseum.players.view import ChannelView, Memory, Note, Player, Position, Post, Step, View


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
    def order(self) -> tuple[str, ...]:
        """The agents in the order of their turns; a shuffled one is drawn by seed alone, so that arms share it."""
        agents = tuple(str(a) for a in draws.shuffle(draws.key(self.scenario.seed, "order"), self.scenario.task.agents))
        members = set(self.scenario.coalitions[0].members) if self.scenario.coalitions else set()
        match self.conditions.settings.order:
            case "declared":
                return self.scenario.task.agents
            case "coalition_first":
                return tuple(sorted(agents, key=lambda a: a not in members))
            case "coalition_last":
                return tuple(sorted(agents, key=lambda a: a in members))
        return agents

    @cached_property
    def turns(self) -> tuple[tuple[Position, tuple[str, ...]], ...]:
        """All turns in order: how far the run is then, and whose turn it is; in the survey everybody's, side by side.

        The survey takes replies enough for those who answer about one claim at a time.
        """
        rounds, steps = self.conditions.settings.rounds, self.conditions.settings.steps
        planning = [Position("planning", number, rounds, steps) for number in range(1, rounds + 1)]
        survey = Position("survey", rounds + 1, rounds, max(steps, len(self.claims) + 1))
        execution = Position("execution", rounds + 1, rounds, steps)
        return (
            *((position, (agent,)) for position in planning for agent in self.order),
            *([(survey, self.order)] if self.claims else []),
            *((execution, (agent,)) for agent in self.order if self.scenario.task.owned[agent]),
        )

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
        found = told(self.scenario, agent, chosen=self.chosen, channels=self.channels)
        return replace(found, planted=self.conditions.planted)


def view(
    stage: Stage, agent: str, position: Position, *, posts: Sequence[Post] = (),
    decided: Sequence[tuple[str, str, Value]] = (), steps: tuple[Step, ...] = (), data: Knowledge | None = None,
    notes: tuple[Note, ...] = (), earlier: tuple[View, ...] = (),
) -> View:  # fmt: skip
    """All that an agent may see now of what has happened in a run, with `notes` or views of its earlier turns.

    Of `posts`, on channels by their names on the wire, those of its own channels, numbered anew so that no gap tells of
    others; of `decided`, those of agents that it shares a channel with, or its own where decisions are simultaneous.
    """
    own = [(stage.wire[c.name], c) for c in stage.channels if agent in c.members]
    names = {name for name, _ in own}
    read = (p for p in posts if p.channel in names)
    heard = [p if p.number == n else Post(n, p.round, p.channel, p.author, p.text) for n, p in enumerate(read, start=1)]
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
            ChannelView(name, c.members, c.secret, tuple(p for p in heard if p.channel == name)) for name, c in own
        ),
        decided=tuple(d for d in decided if d[0] in near),
        steps=steps,
        claims=tuple((c.name, c.text) for c in stage.claims) if position.phase == "survey" else (),
        memory=cast(Memory, stage.conditions.settings.memory),
        notes=notes,
        earlier=earlier,
        data=data,
    )


def roles_of(stage: Stage, sets: Mapping[str, Elements]) -> dict[str, str]:
    """The name of every agent's player; `sets` are the groups that settings may name. Raises ColosseumError.

    Where several groups hold an agent the smallest decides, so `{cabal: "x/y", agents: "z/w"}` may be turned round.
    """
    roles: dict[str, str] = {}
    groups = [(sets.get(who, (who,)), model) for who, model in stage.conditions.settings.model]
    for group, model in sorted(groups, key=lambda entry: -len(entry[0])):
        for agent in group:
            roles[str(agent)] = stage.told(str(agent)).role if model == "sim" else model
    found = {agent: roles.get(agent) or stage.told(agent).role for agent in stage.scenario.task.agents}
    for name in (*roles.values(), *found.values()):
        if name.startswith("sim/"):
            one_of("scripted player", name, ["sim", *sorted(SCRIPTED)])
    return found


def players(
    roles: Mapping[str, str], endpoints: Mapping[str, Endpoint], asker: Asker, templates: Templates
) -> dict[str, Player]:
    """A player for every agent; agents of one model share its player, which holds no state."""
    from colosseum.players.models.player import ModelPlayer
    from colosseum.players.own_player import OwnPlayer

    models = {name: ModelPlayer(each, asker, templates) for name, each in endpoints.items() if each.own is None}
    own = {a: OwnPlayer(endpoints[n], asker) for a, n in roles.items() if n in endpoints and n not in models}
    return {agent: own.get(agent) or models.get(name) or SCRIPTED[name] for agent, name in roles.items()}


@dataclass(frozen=True)
class Library:
    """The knowledge of all agents of one scenario."""

    world: World
    planner: Planner
    sides: Mapping[str, Planner]
    """The planner of each coalition whose objectives read private tables."""

    @classmethod
    def of(cls, world: World) -> "Library":
        """Publish a world once for all players."""
        coalitions = [c for c in world.spec.of(syntax.Coalition) if private_tables(world.spec, c.objectives)]
        return cls(world, Planner(publish(world)), {c.name: side_planner(world, c) for c in coalitions})

    def knowledge(self, stage: Stage, agent: str) -> Knowledge:
        """The data of one agent's View."""
        planner, told, asked = self.planner, stage.told(agent), stage.conditions.settings
        if told.coalition is not None and told.coalition.name in self.sides:
            planner = self.sides[told.coalition.name]
            told = replace(told, coalition=replace(told.coalition, objectives=()))
        run = draws.key(stage.scenario.seed, "player", (stage.run, stage.repeat))
        key = draws.key(draws.digest(draws.SEPARATOR.join((run, agent))), "private")
        return Knowledge(planner, visible(self.world, agent), told, asked.strength * (told != Told()), asked.noise, key)


def side_planner(world: World, coalition: syntax.Coalition) -> Planner:
    """A planner that also knows a coalition's objectives, by their text: their data is secret from its members too.

    An objective that names payoffs cannot be imagined: its coalition plans by its members' payoffs.
    """
    public, name = publish(world), coalition.name
    imagined = not any(each in ("payoff", "total") for o in coalition.objectives for each in o.mentions)
    rewards = tuple(
        syntax.Reward(f"objective {o.name}", o.name_span, o.indices, None, o.when, o.value, span=o.span)
        for o in coalition.objectives if imagined
    )  # fmt: skip
    known = public.world.spec
    composition = replace(known.composition, statements=(*known.composition.statements, *rewards))
    spec = Declared(composition, {**known.symbols, name: world.spec.symbols[name]}, known.sheets)
    sets = {**public.world.sets, name: world.sets[name]}
    whole = replace(public, world=replace(public.world, spec=spec, sets=sets))
    return Planner(whole, frozenset(reward.name for reward in rewards))
