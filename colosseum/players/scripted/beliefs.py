"""Best plans under beliefs. In: the public world and the private facts that somebody believes; out: assignments.

A Planner holds nothing that is secret from its users, so all of them may share it. What it remembers is keyed by what
was put in, and its optima are canonical: an answer depends on the question alone, never on what was asked before.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from colosseum.language import syntax
from colosseum.model.environment import Environment, Place
from colosseum.model.evaluate import elements
from colosseum.model.imagine import PublicWorld, imagine, publish
from colosseum.model.scenario import Cell, Coalition, Objective, Task
from colosseum.model.spec import Spec, mentioned, walk
from colosseum.model.values import Fault, Value
from colosseum.model.world import World
from colosseum.optimum.goal import Goal, bent
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.optimum.solve import Optimum, Solver
from colosseum.players.scripted.phrases import word

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
    """Best plans under beliefs, remembered."""

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
        """What follows from these facts; None when they are too odd to make a task."""
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

    def task(self, known: Mapping[Cell, Value]) -> Task | None:
        """The task as believed."""
        belief = self.belief(known)
        return None if belief is None else belief.solver.task

    def bent(self, coalition: Coalition, strength: float, known: Mapping[Cell, Value]) -> Goal:
        """F_λ as believed."""
        belief = self.belief(known) if self.side else None
        believed = coalition if belief is None else replace(coalition, objectives=belief.objectives)
        return bent(believed, strength=strength)

    def best(self, goal: Goal, known: Mapping[Cell, Value], fixed: Mapping[str, Value]) -> dict[str, Value] | None:
        """The best assignment for a goal with some variables fixed, as believed; None when there is none to be had."""
        found = self._optimum(goal, known, fixed, canonical=True)
        return None if found is None else found.assignment

    def worth(self, goal: Goal, known: Mapping[Cell, Value], fixed: Mapping[str, Value]) -> float | None:
        """What the best assignment is worth, as believed."""
        found = self._optimum(goal, known, fixed, canonical=False)
        return None if found is None else found.value

    def _optimum(
        self, goal: Goal, known: Mapping[Cell, Value], fixed: Mapping[str, Value], *, canonical: bool
    ) -> Optimum | None:
        belief = self.belief(known)
        if belief is None:
            return None
        variables = belief.solver.task.variable
        held = {n: v for n, v in fixed.items() if n in variables and v in variables[n].domain}
        try:
            return belief.solver.maximise(goal, fixed=held, canonical=canonical)
        except (NotLowered, Fault):
            return None


# ---- what is private -----------------------------------------------------------------------------------------------


def private_tables(spec: Spec, statements: Iterable[syntax.Node]) -> frozenset[str]:
    """The private tables that statements mention, also by way of derived tables.

    Read off the text, not off the data: which entries count may itself depend on what is secret.
    """
    found: set[str] = set()
    todo = [name for statement in statements for name in mentioned(statement)]
    while todo:
        name = todo.pop()
        symbol = spec.symbols.get(name)
        if symbol is None or symbol.kind != "table" or name in found:
            continue
        found.add(name)
        if name in spec.derived:
            todo += mentioned(symbol.statement)
    return frozenset(name for name in found if spec.symbols[name].private)


def team_tables(spec: Spec) -> frozenset[str]:
    """The private tables that the team's task is computed from."""
    return private_tables(spec, (s for kind in (syntax.Variable, syntax.Reward, syntax.Require) for s in spec.of(kind)))


def side_tables(spec: Spec, coalition: str) -> frozenset[str]:
    """The private tables that a coalition's own objectives are computed from."""
    return private_tables(spec, (o for s in spec.of(syntax.Coalition) if s.name == coalition for o in s.objectives))


def side_planner(world: World, coalition: str) -> Planner:
    """A planner that also knows a coalition's objectives, by their text: their data is secret from its members too.

    An objective that names payoffs as well cannot be imagined: its coalition plans by its members' payoffs.
    """
    public = publish(world)
    spec, symbol = public.world.spec, world.spec.symbols[coalition]
    assert isinstance(symbol.statement, syntax.Coalition)
    objectives = symbol.statement.objectives
    side = frozenset(f"objective {o.name}" for o in objectives)
    if any(isinstance(node, syntax.Name) and node.id in ("payoff", "total") for o in objectives for node in walk(o)):
        return Planner(public, side)
    rewards = tuple(
        syntax.Reward(
            name=f"objective {o.name}",
            name_span=o.name_span,
            indices=o.indices,
            recipients=None,
            when=o.when,
            value=o.value,
            span=o.span,
        )
        for o in objectives
    )
    composition = replace(spec.composition, statements=(*spec.composition.statements, *rewards))
    told = Spec(composition, {**spec.symbols, coalition: symbol}, spec.sheets)
    sets = {**public.world.sets, coalition: world.sets[coalition]}
    return Planner(replace(public, world=replace(public.world, spec=told, sets=sets)), side)
