"""Data for the scripted players of one scenario. In: a world; out: the data of an agent's View."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from colosseum.language import syntax
from colosseum.model import draws
from colosseum.model.ground import publish, visible
from colosseum.model.spec import Declared
from colosseum.model.world import World
from colosseum.players.scripted.knowledge import Knowledge, Planner, Told, private_tables
from colosseum.run.stage import Stage


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
