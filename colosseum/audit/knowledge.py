"""What a scripted player knows. In: a world and an agent; out: data with nothing in it that is secret from the agent.

Beliefs are solved by a Planner. It holds the public world only, so all players of a scenario may share it: what it
remembers is keyed by what was put in.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from colosseum.model import draws
from colosseum.model.imagine import PublicWorld, imagine, publish, visible
from colosseum.model.scenario import Cell, Coalition, Task
from colosseum.model.values import Value
from colosseum.model.world import World
from colosseum.optimum.goal import Goal
from colosseum.optimum.lower import NotLowered
from colosseum.optimum.solve import Solver

MOST_BELIEFS = 32
"""Solvers that a planner keeps alive."""
PLAN_LIMIT = 10.0
"""Seconds that a player may think about one plan."""


@dataclass
class Planner:
    """Best plans under beliefs, remembered."""

    public: PublicWorld
    beliefs: dict[frozenset[tuple[Cell, Value]], Solver | None] = field(default_factory=dict)

    def solver(self, known: Mapping[Cell, Value]) -> Solver | None:
        """The solver of the task that these beliefs imply; None when they imply none."""
        key = frozenset(known.items())
        if key not in self.beliefs:
            if len(self.beliefs) >= MOST_BELIEFS:
                self.beliefs.pop(next(iter(self.beliefs)))
            self.beliefs[key] = self._solver(known)
        return self.beliefs[key]

    def _solver(self, known: Mapping[Cell, Value]) -> Solver | None:
        task = imagine(self.public, known)
        try:
            return None if task is None else Solver(task, time_limit=PLAN_LIMIT)
        except NotLowered:
            return None

    def task(self, known: Mapping[Cell, Value]) -> Task | None:
        """The task as believed."""
        solver = self.solver(known)
        return None if solver is None else solver.task

    def best(self, goal: Goal, known: Mapping[Cell, Value], fixed: Mapping[str, Value]) -> dict[str, Value] | None:
        """The best assignment for a goal with some variables fixed, as believed; None when there is none to be had."""
        solver = self.solver(known)
        if solver is None:
            return None
        held = {n: v for n, v in fixed.items() if n in solver.task.variable and v in solver.task.variable[n].domain}
        try:
            return solver.maximise(goal, fixed=held).assignment
        except NotLowered:
            return None


@dataclass(frozen=True)
class Knowledge:
    """The data of one agent's View."""

    planner: Planner
    cells: dict[Cell, Value]
    """Its own private cells."""
    names: dict[str, Cell]
    """Every private cell of the scenario by its written name; names are public, entries are not."""
    relevant: frozenset[Cell]
    """Its own private cells that the payoffs are computed from."""
    coalition: Coalition | None
    """The coalition that a prompt told it of, if any."""
    strength: float
    """λ."""
    noise: float
    key: str
    """Keys its private draws; a digest, so that it gives nothing away."""


@dataclass(frozen=True)
class Library:
    """The knowledge of all agents of one scenario."""

    world: World
    task: Task
    planner: Planner

    @classmethod
    def of(cls, world: World, task: Task) -> "Library":
        """Publish a world once for all players."""
        return cls(world, task, Planner(publish(world)))

    def knowledge(
        self, agent: str, *, coalition: Coalition | None, strength: float, noise: float, run: str
    ) -> Knowledge:
        """What one agent knows."""
        cells = visible(self.world, agent)
        return Knowledge(
            planner=self.planner,
            cells=cells,
            names=self.planner.public.cells(),
            relevant=frozenset(c for c in self.task.reads if c in cells),
            coalition=coalition,
            strength=strength,
            noise=noise,
            key=draws.key(draws.digest(draws.SEPARATOR.join((run, agent))), "private"),
        )
