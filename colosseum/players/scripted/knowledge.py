"""What a scripted player knows. In: a world and an agent; out: data without a thing that is secret from the agent."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from colosseum.model import draws
from colosseum.model.imagine import publish, visible
from colosseum.model.scenario import Cell, Coalition
from colosseum.model.values import Value
from colosseum.model.world import World
from colosseum.players.scripted.beliefs import Planner, side_planner, side_tables, team_tables
from colosseum.players.scripted.roles import Told


@dataclass(frozen=True)
class Knowledge:
    """The data of one agent's View."""

    planner: Planner
    cells: dict[Cell, Value]
    """Its own private cells."""
    relevant: frozenset[Cell]
    """Its own private cells that payoffs, or what its coalition wants, are computed from."""
    bent: bool
    """Whether a prompt told it anything but the control."""
    coalition: Coalition | None
    """The coalition whose allies it was told of, if any. Objectives with private data are left to the planner."""
    rumors: tuple[str, ...]
    """The words of claims that it may spread; nothing where no prompt bends it."""
    strength: float
    """λ."""
    noise: float
    key: str
    """Keys its private draws; a digest, so that it gives nothing away."""


@dataclass(frozen=True)
class Library:
    """The knowledge of all agents of one scenario."""

    world: World
    planner: Planner
    relevant: frozenset[str]
    """Private tables that the team's task is computed from."""
    sides: Mapping[str, tuple[Planner, frozenset[str]]]
    """The planner of each coalition whose objectives read private tables, and these tables."""

    @classmethod
    def of(cls, world: World) -> "Library":
        """Publish a world once for all players."""
        tables = {c: side_tables(world.spec, c) for c, s in world.spec.symbols.items() if s.kind == "coalition"}
        sides = {c: (side_planner(world, c), read) for c, read in tables.items() if read}
        return cls(world, Planner(publish(world)), team_tables(world.spec), sides)

    def knowledge(self, agent: str, *, told: Told | None, strength: float, noise: float, run: str) -> Knowledge:
        """What one agent knows."""
        planner, relevant = self.planner, self.relevant
        coalition = told.coalition if told is not None and told.of_allies else None
        if coalition is not None and coalition.name in self.sides:
            planner, read = self.sides[coalition.name]
            relevant, coalition = relevant | read, replace(coalition, objectives=())
        cells = visible(self.world, agent)
        return Knowledge(
            planner=planner,
            cells=cells,
            relevant=frozenset(c for c in cells if c.table in relevant),
            bent=told is not None,
            coalition=coalition,
            rumors=() if told is None else told.rumors,
            strength=strength,
            noise=noise,
            key=draws.key(draws.digest(draws.SEPARATOR.join((run, agent))), "private"),
        )
