"""What a coalition could have done in a run if all others kept their decisions. In: a solver, a coalition and what was
realised; out: its best moves by three measures, what it could ever have, and the λ at which it did its best. Each is
asked for once, when it is needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

from colosseum.model.scenario import Coalition, Requirement
from colosseum.model.terms import Compare, Constant, Total
from colosseum.model.values import Value
from colosseum.solve.backend import Query, Status
from colosseum.solve.goal import WELFARE, Goal, bent, coalition_goal
from colosseum.solve.questions.preferred import ends, least_of
from colosseum.solve.rounding import ROUNDING, grain, rounded
from colosseum.solve.scoring import goal_worth, score
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver

SATISFICING = 0.01
"""Which share of the span may be missing from what is good enough."""
SOON = 5.0
"""Seconds for a constant of a task that no other figure than a share of it needs."""
MOST_STEPS = 200
"""Moves that may cut before the set is given up; a handful do as a rule."""
NONE_EXPLAINS = "no λ explains the move"
OPEN = f"the λ are not proven: {NOT_PROVEN}"


@dataclass(frozen=True)
class Worth:
    """What an assignment is worth to the team and to the coalition."""

    joint_payoff: float
    """F_n."""
    coalition_value: float
    """F_c."""


@dataclass(eq=False)
class AskedOnce(Solver):
    """A solver that remembers what it has proven: many runs of a task end alike, and ask alike."""

    known: dict[tuple[Goal, float, bool, frozenset[tuple[str, Value]]], Optimum] = field(
        default_factory=dict, init=False
    )

    def _optimise(self, query: Query) -> Optimum:
        asked = query.goal, query.sign, query.canonical, frozenset(query.fixed.items())
        if asked not in self.known:
            found = super()._optimise(query)
            if found.status == "limit":
                return found
            self.known[asked] = found
        return self.known[asked]


class Counterfactuals:
    """Over y_S, the coalition's joint moves that keep the hard rules beside x̃_{−S}. Raises what Solver.maximise does.

    None is feasible where the others' decisions break a rule on their own, or leave none that the coalition can keep.
    """

    def __init__(self, solver: Solver, coalition: Coalition, realised: Mapping[str, Value]) -> None:
        self.solver, self.coalition = solver, coalition
        self.goal: Goal = coalition_goal(coalition)
        self.others = {v.name: realised[v.name] for v in solver.task.variables if v.owner not in coalition.members}
        self.here = outcome(solver, self.goal, realised)

    @cached_property
    def nominal(self) -> Optimum:
        """`max_{y_S} F_n(y_S ⊕ x̃_{−S})`: what remains possible for the team."""
        return self.solver.maximise(WELFARE, fixed=self.others)

    @cached_property
    def honest(self) -> Optimum:
        """`F_c^hon`: the F_c of a nominal best response, the least of them where there are several."""
        return least_of(self.solver, self.nominal, WELFARE, self.goal, fixed=self.others)

    @cached_property
    def greatest(self) -> Optimum:
        """`max_{y_S} F_c(y_S ⊕ x̃_{−S})`: the most that the coalition could have had."""
        return self.solver.maximise(self.goal, fixed=self.others)


class Stakes:
    """What a coalition can have in a task, whatever anybody does: constants of the two. Raises as above."""

    def __init__(self, solver: Solver, coalition: Coalition, optimum: Optimum, minimum: Optimum) -> None:
        self.solver, self.optimum, self.minimum = solver, optimum, minimum
        self.goal = coalition_goal(coalition)

    @cached_property
    def greatest(self) -> Optimum:
        """`max F_c`, where that is proven soon: questions of each run wait for it."""
        with self.solver.within(SOON):
            return self.solver.maximise(self.goal)

    @cached_property
    def at_optimum(self) -> float | None:
        """`F_c(x*)`; none where there is no optimum."""
        x = self.optimum.assignment
        return None if x is None else outcome(self.solver, self.goal, x).coalition_value

    @cached_property
    def among_optima(self) -> tuple[Optimum, Optimum]:
        """The least and the greatest F_c of assignments with `F_n = F_n*`."""
        return ends(self.solver, self.optimum, WELFARE, self.goal)

    @cached_property
    def good_enough(self) -> tuple[Optimum, Optimum]:
        """The least and the greatest F_c of assignments within SATISFICING of the span of F_n*.

        The threshold is one more hard rule of a task of its own, so that answers are checked like any. Where the span
        is not known they are not, either.
        """
        best, least = self.optimum.proven, self.minimum.proven
        if best is None or least is None:
            status: Status = "infeasible" if self.optimum.status == "infeasible" else "limit"
            return (Optimum(status, None, None, None, canonical=False, seconds=0.0),) * 2
        if best - least <= grain(best):
            return self.among_optima
        room = SATISFICING * (best - least) + grain(best)
        rule = Compare(">=", Total(tuple(p.term for p in self.solver.task.payoffs)), Constant(best - room))
        demand = Requirement("good enough", "good enough", rule, None, None)
        task = replace(self.solver.task, requirements=(*self.solver.task.requirements, demand))
        demanding = Solver(task, until=self.solver.until)
        return demanding.minimise(self.goal), demanding.maximise(self.goal)


def outcome(solver: Solver, goal: Goal, x: Mapping[str, Value]) -> Worth:
    """F_n and F_c at an assignment, from one score."""
    scored = score(solver.task, x)
    return Worth(scored.value, goal_worth(goal, scored, x))


@dataclass(frozen=True)
class Strengths:
    """The λ in [low, high]; none, and why, where no λ is known to belong to them."""

    low: float | None
    high: float | None
    reason: str = ""


def strengths(held: Counterfactuals) -> Strengths:
    """The λ at which the coalition's realised move maximises F_λ, others held; the run keeps the hard rules.

    `φ(λ) = max_{y_S} F_λ(y_S ⊕ x̃_{−S}) − F_λ(x̃)` is convex, piecewise linear and never below 0; the set is where it is
    0. A move y with `a = F_n(y) − F_n(x̃)` and `b = F_c(x̃) − F_c(y)` is better than x̃ where `(1 − λ)·a − λ·b > 0`, so no
    λ of the set lies there. What a maximiser at an end of the interval cuts off so brings the end to where that move is
    as good as x̃ (Newton's step on φ); an end at which nothing is better stays.
    """
    walk = _Unsearched(held)
    if not (walk.cut_by(held.nominal) and walk.cut_by(held.greatest)):
        return Strengths(None, None, OPEN)
    for _ in range(MOST_STEPS):
        if walk.low > walk.high + ROUNDING:
            return Strengths(None, None, NONE_EXPLAINS)
        if (end := walk.unsettled()) is None:
            return Strengths(min(walk.low, walk.high), max(walk.low, walk.high))
        found = held.solver.maximise(bent(held.coalition, strength=end), fixed=held.others)
        if not walk.cut_by(found, at=end):
            break
    return Strengths(None, None, OPEN)


class _Unsearched:
    """What is left of [0, 1]."""

    def __init__(self, held: Counterfactuals) -> None:
        self.held = held
        self.low, self.high = 0.0, 1.0
        self.settled = {0.0, 1.0}
        """Where nothing is better; that is known of 0 and 1 once the maximisers of F_n and F_c have left them."""

    def unsettled(self) -> float | None:
        """An end at which something may still be better; of two that are as good as one, the lower decides."""
        if self.low not in self.settled:
            return self.low
        return self.high if self.high not in self.settled and self.high > self.low + ROUNDING else None

    def cut_by(self, found: Optimum, *, at: float | None = None) -> bool:
        """Leave out the λ at which a move is better; False where it is not proven to be the best `at` its λ."""
        if found.status != "optimal" or found.assignment is None:
            return False
        here, there = self.held.here, outcome(self.held.solver, self.held.goal, found.assignment)
        self._cut(*_differences(here, there))
        if at is not None and self.low - ROUNDING <= at <= self.high + ROUNDING:
            self.settled.add(at)
        return True

    def _cut(self, more: float, less: float) -> None:
        """`more` is a, by how much the team would gain; `less` is b, by how much the coalition would lose."""
        if more + less > 0:
            self.low = max(self.low, more / (more + less))
        elif more + less < 0:
            self.high = min(self.high, more / (more + less))
        elif more > 0:
            self.low = inf


def _differences(here: Worth, there: Worth) -> tuple[float, float]:
    """a and b, without noise."""
    more, less = there.joint_payoff - here.joint_payoff, here.coalition_value - there.coalition_value
    return rounded(more, here.joint_payoff), rounded(less, here.coalition_value)
