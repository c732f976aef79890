"""Knowledge of scripted players. In: a world and an agent; out: its data, without a thing that is secret from it.

It holds a Planner, which several players share: its answers depend on the question alone, never on what was asked
before, as it is keyed by what was put in and its optima are canonical.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from colosseum.language import syntax
from colosseum.model import draws
from colosseum.model.environment import Environment, Place
from colosseum.model.evaluate import elements
from colosseum.model.imagine import PublicWorld, imagine, publish, visible
from colosseum.model.scenario import Cell, Coalition, Objective
from colosseum.model.spec import Spec, mentioned
from colosseum.model.values import Fault, Value
from colosseum.model.world import World
from colosseum.optimum.goal import Goal, bent
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.optimum.solve import Optimum, Solver
from colosseum.players.scripted.phrases import word
from colosseum.players.scripted.roles import Told

MOST_BELIEFS = 32
"""Solvers that a planner keeps alive."""
PLAN_LIMIT = 10.0
"""Seconds that a player may think about one plan."""


@dataclass(frozen=True)
class Belief:
    """The task that somebody believes in, and the objectives of its coalition as it believes them."""

    solver: Solver
    objectives: tuple[Objective, ...]


@dataclass
class Planner:
    """Best plans under beliefs, remembered. It holds nothing that is secret from its users."""

    public: PublicWorld
    side: frozenset[str] = frozenset()
    """Rewards of `public` that stand for objectives of the users' coalition: no part of the team's task."""
    beliefs: dict[frozenset[tuple[Cell, Value]], Belief | None] = field(default_factory=dict)

    @cached_property
    def names(self) -> dict[str, Cell]:
        """Every private cell by its written name; names are public, entries are not."""
        return self.public.cells()

    @cached_property
    def ranges(self) -> dict[str, dict[str, Value]]:
        """The values that each private table may hold, by their words, for tables that say so (`of SET`)."""
        world = self.public.world
        statements = (world.spec.symbols[name].statement for name in self.public.hidden)
        return {
            s.name: {word(v): v for v in elements(s.of, Environment(Place(world)))}
            for s in statements if isinstance(s, syntax.Table) and s.of is not None
        }  # fmt: skip

    def belief(self, known: Mapping[Cell, Value]) -> Belief | None:
        """The belief that follows from these facts; None when they are too odd to make a task."""
        key = frozenset(known.items())
        if key not in self.beliefs:
            if len(self.beliefs) >= MOST_BELIEFS:
                self.beliefs.pop(next(iter(self.beliefs)))
            self.beliefs[key] = self._belief(known)
        return self.beliefs[key]

    def _belief(self, known: Mapping[Cell, Value]) -> Belief | None:
        task = imagine(self.public, known)
        if task is None:
            return None
        objectives = tuple(Objective(p.name, p.term) for p in task.payoffs if p.statement in self.side)
        if objectives:
            task = replace(task, payoffs=tuple(p for p in task.payoffs if p.statement not in self.side))
        try:
            return Belief(Solver(task, time_limit=PLAN_LIMIT), objectives)
        except (NotLowered, Fault):
            return None

    def bent(self, coalition: Coalition, strength: float, known: Mapping[Cell, Value]) -> Goal:
        """F_λ as believed."""
        belief = self.belief(known) if self.side else None
        believed = coalition if belief is None else replace(coalition, objectives=belief.objectives)
        return bent(believed, strength=strength)

    def optimum(
        self, goal: Goal, known: Mapping[Cell, Value], fixed: Mapping[str, Value], *, canonical: bool
    ) -> Optimum | None:
        """The best assignment for a goal with some variables fixed, as believed; None when there is none to be had."""
        belief = self.belief(known)
        if belief is None:
            return None
        variables = belief.solver.task.variable
        held = {n: v for n, v in fixed.items() if n in variables and v in variables[n].domain}
        try:
            return belief.solver.maximise(goal, fixed=held, canonical=canonical)
        except (NotLowered, Fault):
            return None


def private_tables(spec: Spec, statements: Iterable[syntax.Node]) -> frozenset[str]:
    """The private tables that statements mention, also by way of derived tables.

    Read off the text, not off the data: which entries count may itself depend on what is secret.
    """
    found: set[str] = set()
    todo = [name for statement in statements for name in mentioned(statement)]
    while todo:
        name = todo.pop()
        symbol = spec.symbols.get(name)
        if symbol is not None and symbol.kind == "table" and name not in found:
            found.add(name)
            todo += mentioned(symbol.statement) if name in spec.derived else ()
    return frozenset(name for name in found if spec.symbols[name].private)


def side_planner(world: World, coalition: syntax.Coalition) -> Planner:
    """A planner that also knows a coalition's objectives, by their text: their data is secret from its members too.

    An objective that names payoffs as well cannot be imagined: its coalition plans by its members' payoffs.
    """
    public, name = publish(world), coalition.name
    spec, objectives = public.world.spec, coalition.objectives
    side = frozenset(f"objective {o.name}" for o in objectives)
    if any(each in ("payoff", "total") for o in objectives for each in mentioned(o)):
        return Planner(public, side)
    rewards = (
        syntax.Reward(f"objective {o.name}", o.name_span, o.indices, None, o.when, o.value, span=o.span)
        for o in objectives
    )
    composition = replace(spec.composition, statements=(*spec.composition.statements, *rewards))
    told = Spec(composition, {**spec.symbols, name: world.spec.symbols[name]}, spec.sheets)
    sets = {**public.world.sets, name: world.sets[name]}
    return Planner(replace(public, world=replace(public.world, spec=told, sets=sets)), side)


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
        spec = world.spec
        tables = [(c, private_tables(spec, c.objectives)) for c in spec.of(syntax.Coalition)]
        sides = {c.name: (side_planner(world, c), read) for c, read in tables if read}
        task = (s for kind in (syntax.Variable, syntax.Reward, syntax.Require) for s in spec.of(kind))
        return cls(world, Planner(publish(world)), private_tables(spec, task), sides)

    def knowledge(self, agent: str, *, told: Told | None, strength: float, noise: float, run: str) -> Knowledge:
        """The data of one agent's View."""
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
