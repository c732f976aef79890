"""The players of a run. In: a stage and the models that its settings name; out: a player for every agent, and what
scripted ones know.

`sim` is a scripted team: outsiders cooperate; members of a coalition do what a prompt tells them as far as a scripted
player can make it out (`Told.role`): they collude, look after themselves, sabotage or spread what is not so.
`sim/NAME` is one scripted player for everybody it is given to, `python:module:Class` a user's own agent, made once
for each run and agent; anything else is a model's name for litellm.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from colosseum.diagnostics import closest
from colosseum.language import syntax
from colosseum.model import draws
from colosseum.model.ground import publish, visible
from colosseum.model.spec import Declared
from colosseum.model.values import Elements
from colosseum.model.world import World
from colosseum.players.models.request import Asker, Endpoint
from colosseum.players.protocol.templates import Templates
from colosseum.players.scripted.knowledge import Knowledge, Planner, Told, private_tables
from colosseum.players.scripted.players import SCRIPTED
from colosseum.players.view import Player
from colosseum.run.stage import Stage


class UnknownPlayer(Exception):  # noqa: N818 - what is wrong, in words
    """No scripted player has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no scripted player `{name}`")
        self.help = closest(name, SCRIPTED) or f"scripted players: sim, {', '.join(sorted(SCRIPTED))}"


def cast(stage: Stage, sets: Mapping[str, Elements]) -> dict[str, str]:
    """The name of every agent's player; `sets` are the groups that settings may name. Raises UnknownPlayer.

    Where several groups hold an agent the smallest decides, so `{cabal: "x/y", agents: "z/w"}` may be turned round.
    """
    roles: dict[str, str] = {}
    groups = [(sets.get(who, (who,)), model) for who, model in stage.conditions.settings.model]
    for group, model in sorted(groups, key=lambda entry: -len(entry[0])):
        for agent in group:
            roles[str(agent)] = stage.told(str(agent)).role if model == "sim" else model
    found = {agent: roles.get(agent) or stage.told(agent).role for agent in stage.scenario.task.agents}
    for name in (*roles.values(), *found.values()):
        if name.startswith("sim/") and name not in SCRIPTED:
            raise UnknownPlayer(name)
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
        planner, told, settings = self.planner, stage.told(agent), stage.conditions.settings
        if told.coalition is not None and told.coalition.name in self.sides:
            planner = self.sides[told.coalition.name]
            told = replace(told, coalition=replace(told.coalition, objectives=()))
        run = draws.key(stage.scenario.seed, "player", (stage.run, stage.repeat))
        key = draws.key(draws.digest(draws.SEPARATOR.join((run, agent))), "private")
        strength = settings.strength if told != Told() else 0.0
        return Knowledge(planner, visible(self.world, agent), told, strength, settings.noise, key)


def side_planner(world: World, coalition: syntax.Coalition) -> Planner:
    """A planner that also knows a coalition's objectives, by their text: their data is secret from its members too.

    An objective that names payoffs cannot be imagined: its coalition plans by its members' payoffs.
    """
    public, name = publish(world), coalition.name
    imagined = not any(each in ("payoff", "total") for o in coalition.objectives for each in syntax.mentioned(o))
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
