"""Knowledge of scripted players. In: a world, an agent and its prompts; out: its data, without any secret from it.

It holds a Planner, which several players share: its answers depend on the question alone, never on what was asked
before, as it is keyed by what was put in and its optima are canonical.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial

from colosseum.language import syntax
from colosseum.model import draws
from colosseum.model.evaluate import elements
from colosseum.model.ground import PublicWorld, Stable, imagine
from colosseum.model.scenario import Cell, Channel, Coalition, Objective, Scenario, Variant
from colosseum.model.spec import Declared
from colosseum.model.values import Fault, Value, flatten, text
from colosseum.model.world import Environment
from colosseum.players.scripted import phrases
from colosseum.solve.backends.highs import Highs
from colosseum.solve.goal import Goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.solver import Optimum, Solver

MOST_BELIEFS = 32  # solvers that a planner keeps alive
PLAN_LIMIT = 0.75  # seconds of work for a plan
ROLES = {"covert": "sim/quiet", "deception": "sim/decoy", "selfish": "sim/selfish", "self_sacrificing": "sim/sabotage"}
"""Variants that name their own player."""


@dataclass(frozen=True)
class BelievedTask:
    """The task as somebody believes it by what it knows, and the objectives of its coalition as it believes them."""

    known: Mapping[Cell, Value]
    solver: Solver
    objectives: tuple[Objective, ...]
    answers: dict[tuple[Goal, bool], dict[frozenset[tuple[str, Value]], Optimum | None]] = field(default_factory=dict)
    """By goal and by whether the first optimum was asked for, then by the values that were fixed."""

    def optimum(self, goal: Goal, fixed: Mapping[str, Value], *, first: bool = False) -> Optimum | None:
        """The best assignment with some variables fixed; None where there is no answer. Each question is asked once."""
        answers, asked = self.answers.setdefault((goal, first), {}), frozenset(fixed.items())
        # the first of more assignments is the first of fewer: agents who keep to a plan ask for the rest of it
        for before, known in answers.items() if asked not in answers else ():
            settled = known and known.status == "optimal" and (known.canonical or not first)
            if settled and known and known.assignment and before <= asked <= known.assignment.items():
                return known
        if asked not in answers:
            with suppress(NotLowered, Fault):
                found = self.solver.maximise(goal, fixed=fixed, canonical=first)
                if found.assignment is None and found.status == "limit":  # any that keeps the hard rules will do
                    kept = self.solver.anew(replace(self.solver.task, payoffs=())).maximise(Goal(), fixed=fixed)
                    found = replace(found, assignment=kept.assignment)
                answers[asked] = found
        return answers.setdefault(asked, None)


@dataclass
class Planner:
    """The task under beliefs, remembered. It holds nothing that is secret from its users."""

    public: PublicWorld
    side: frozenset[str] = frozenset()
    """Rewards of `public` that stand for objectives of the users' coalition: no part of the team's task."""
    beliefs: dict[frozenset[tuple[Cell, Value]], BelievedTask | None] = field(default_factory=dict)
    base: Highs | None = None
    """The task by what no belief changes: it is lowered once."""

    @cached_property
    def relevant(self) -> frozenset[str]:
        """The private tables that the task, or an objective of the users' coalition, is computed from."""
        spec = self.public.world.spec
        kinds = syntax.Variable | syntax.Reward | syntax.Require
        return private_tables(spec, (s for s in spec.composition.statements if isinstance(s, kinds)))

    @cached_property
    def stable(self) -> Stable | None:
        """The rewards and rules that read nothing private; None where a domain does."""
        spec = self.public.world.spec
        scored = (s for s in spec.composition.statements if isinstance(s, syntax.Reward | syntax.Require))
        public: Stable = {s.name: [] for s in scored if not private_tables(spec, (s,))}
        return None if private_tables(spec, spec.of(syntax.Variable)) else public

    @cached_property
    def ranges(self) -> dict[str, dict[str, Value]]:
        """The values that each private table may hold, by their words, for tables that say so (`of SET`)."""
        world = self.public.world
        statements = (world.spec.symbols[name].statement for name in self.public.hidden)
        return {
            s.name: {phrases.word(v): v for v in elements(s.of, Environment(world))}
            for s in statements if isinstance(s, syntax.Table) and s.of is not None
        }  # fmt: skip

    @cached_property
    def facts(self) -> Callable[[str], dict[Cell, Value]]:
        """What a text tells of private facts; their names are public, they are not."""
        return lru_cache(maxsize=4096)(partial(phrases.told, names=self.public.cells(), ranges=self.ranges))

    def belief(self, known: Mapping[Cell, Value]) -> BelievedTask | None:
        """The task that follows from these facts; None when they are too odd to make one."""
        key = frozenset(known.items())
        if key not in self.beliefs:
            if len(self.beliefs) >= MOST_BELIEFS:
                self.beliefs.pop(next(iter(self.beliefs)))
            self.beliefs[key] = self._belief(known)
        return self.beliefs[key]

    def _belief(self, known: Mapping[Cell, Value]) -> BelievedTask | None:
        stable = self.stable
        if (task := imagine(self.public, known, stable=stable)) is None:
            return None
        objectives = tuple(Objective(p.name, p.term) for p in task.payoffs if p.statement in self.side)
        task = replace(task, payoffs=tuple(p for p in task.payoffs if p.statement not in self.side))
        solver = Solver(task, PLAN_LIMIT, by_work=True)
        if not self.base and stable is not None and all(rule.statement in stable for rule in task.hard):
            self.base = Highs(replace(task, payoffs=tuple(p for p in task.payoffs if p.statement in stable)))
        solver.highs.base = self.base
        return BelievedTask(known, solver, objectives)


def private_tables(spec: Declared, statements: Iterable[syntax.Node]) -> frozenset[str]:
    """The private tables that statements mention, also by way of derived tables.

    Read off the text, not off the data: which entries count may itself depend on what is secret.
    """
    return frozenset(name for name in spec.closure(statements) - {"links"} if spec.symbols[name].private)


@dataclass(frozen=True)
class Told:
    """The role that an arm gives to an agent: `Told()` where neither a prompt nor the arm itself bends it."""

    coalition: Coalition | None = None
    """The one that the prompts are for; None where the agent cannot tell whom it is to act with."""
    rumors: tuple[str, ...] = ()
    """The claims that it is told, else all, in words; whether they are so is known to nobody who plays."""
    role: str = "sim/cooperate"
    """The scripted player of `sim`."""
    planted: bool = False  # whether the arm itself says who plays


def told(scenario: Scenario, agent: str, *, chosen: Mapping[str, Variant], channels: Iterable[Channel]) -> Told:
    """The agent's role under the variants and channels of an arm.

    A scripted player cannot read. It goes by what is plainly there: the name of the variant, the names of its allies
    in the text, a channel that is for the coalition alone, the words of a claim.
    """
    bending = [p for p in scenario.prompts if agent in p.recipients and chosen[p.name].name != p.variants[0].name]
    coalition = next((c for p in bending for c in scenario.coalitions if c.members == p.recipients), None)
    if coalition is None:
        return Told()
    variants = [chosen[p.name] for p in bending if p.recipients == coalition.members]
    words = "\n".join(text for v in variants for who, text in v.texts if who == agent)
    allies = [m for m in coalition.members if m != agent]
    aside = any(c.secret and c.members == coalition.members for c in channels)
    allied = aside or not allies or any(holds(words, ally) for ally in allies)
    rumors = tuple(c.text for c in scenario.claims if holds(words, c.text))
    role = "sim/misinform" if rumors else "sim/collude" if allied else "sim/selfish"
    role = next((ROLES[v.name] for v in variants if v.name in ROLES), role)
    return Told(coalition if allied else None, rumors or tuple(c.text for c in scenario.claims if not c.suspects), role)


def holds(text: str, words: str) -> bool:
    """Whether a text holds these words, however they are written in capitals; `ticket1` is not in `ticket10`."""
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE) is not None


@dataclass(frozen=True)
class Knowledge:
    """The data of one agent's View."""

    planner: Planner
    cells: dict[Cell, Value]
    """Its own private cells."""
    told: Told
    """Its role. A coalition's objectives that read private data are left to the planner."""
    strength: float
    """λ; 0 where no prompt bends it."""
    noise: float
    key: str
    """Keys its private draws; a digest, so that it gives nothing away."""

    @cached_property
    def own(self) -> dict[Cell, Value]:
        """Its relevant private cells as it judges them: by a factor 1 + noise · z where numbers may have a fraction."""
        found = {c: v for c, v in self.cells.items() if c.table in self.planner.relevant}
        for cell, value in found.items() if self.noise else ():
            if isinstance(value, float) and cell.table not in self.planner.ranges:
                key = draws.SEPARATOR.join((self.key, "judge", cell.table, *map(text, flatten(cell.key))))
                found[cell] = round(value * draws.normal(key, 1.0, self.noise), 4)
        return found
