"""The optimum of one goal that another goal likes best. In: a solver and two goals; out: an optimum of the first.

Only mixtures of the two goals are maximised: no rows are added, so the live solvers answer from their warm basis.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from colosseum.model.values import Value
from colosseum.solve.backend import Status
from colosseum.solve.goal import Goal, mixed
from colosseum.solve.rounding import ROUNDING, grain
from colosseum.solve.scoring import goal_value, goal_worth, score
from colosseum.solve.solver import Optimum, Solver

OPENING = 8.0
"""How much more the first goal counts to begin with, both measured by how far they may reach."""
STEEPER = 10.0
"""How much more the first goal counts than where two points are worth the same: the more, the fewer steps, and the
coarser the proof."""
MOST_STEPS = 100
"""Mixtures that are tried before the question is left open; one or two do as a rule."""


def preferred_to(
    solver: Solver, known: Optimum, first: Goal, second: Goal, *, fixed: Mapping[str, Value] | None = None
) -> Optimum:
    """Among the maximisers of `first`, of which p is known, one at which `second` is greatest; value and bound are of
    `second`. Raises what `Solver.maximise` raises.

    With f and s the two goals, let r maximise `u·f + v·s` for some u, v > 0. If f(r) = f(p), r is the answer: where
    f(y) = f(p), `u·f(y) + v·s(y) ≤ u·f(r) + v·s(r)` leaves s(y) ≤ s(r). If p is worth as much in the mixture as r, it
    maximises it too, and is the answer for the same reason. Otherwise f(r) < f(p) and s(r) > s(p), and the next mixture
    is one in which r is worth less than p: so no point comes back, and as there are finitely many, the walk ends.

    Proofs are as good as the solver's: it may miss 1e-9 of a mixture's value, where v·s is scaled so that the
    difference at hand counts 1, whatever the units of the goals.
    """
    start = time.perf_counter()
    if known.status != "optimal" or known.assignment is None:
        value = None if known.assignment is None else goal_value(solver.task, second, known.assignment)
        return replace(known, value=value, bound=None, canonical=False)
    walk = _Walk(solver, first, second, fixed or {}, known.assignment)
    status, bound = walk.through()
    seconds = known.seconds + time.perf_counter() - start
    return Optimum(status, walk.best.second, walk.best.assignment, bound, canonical=False, seconds=seconds)


def known_best(x: Mapping[str, Value]) -> Optimum:
    """An assignment that is known to be among the best of a goal."""
    return Optimum("optimal", None, dict(x), None, canonical=False, seconds=0.0)


def ends(
    solver: Solver, known: Optimum, first: Goal, second: Goal, *, fixed: Mapping[str, Value] | None = None
) -> tuple[Optimum, Optimum]:
    """The least and the greatest value of `second` among the maximisers of `first`, of which one is known."""
    return least_of(solver, known, first, second, fixed=fixed), preferred_to(solver, known, first, second, fixed=fixed)


def least_of(
    solver: Solver, known: Optimum, first: Goal, second: Goal, *, fixed: Mapping[str, Value] | None = None
) -> Optimum:
    """The least; 0 is not −0."""
    found = preferred_to(solver, known, first, mixed({second: -1.0}), fixed=fixed)
    value, bound = (None if v is None else 0.0 - v for v in (found.value, found.bound))
    return replace(found, value=value, bound=bound)


@dataclass(frozen=True)
class _Point:
    """An assignment and what both goals say of it."""

    assignment: dict[str, Value]
    first: float
    second: float


@dataclass(frozen=True)
class _Weights:
    """How much both goals count in a mixture."""

    first: float
    second: float

    def gain(self, one: _Point, other: _Point) -> float:
        """How much more the one is worth; small differences are not lost in large values."""
        return self.first * (one.first - other.first) + self.second * (one.second - other.second)


class _Walk:
    """Along the frontier of two goals, from its far side to the end where the first is greatest."""

    def __init__(
        self, solver: Solver, first: Goal, second: Goal, fixed: Mapping[str, Value], best: dict[str, Value]
    ) -> None:
        self.solver, self.first, self.second, self.fixed = solver, first, second, fixed
        self.best = self._point(best)
        self.least = self.best.first - grain(self.best.first)
        """What a maximiser of the first goal is worth at least, up to rounding."""

    def through(self) -> tuple[Status, float | None]:
        """Make `best` the answer; whether it is proven, and what the second goal's value cannot exceed."""
        weights, bound = self._opening(), None
        for _ in range(MOST_STEPS):
            found = self.solver.maximise(
                mixed({self.first: weights.first, self.second: weights.second}), fixed=self.fixed
            )
            if found.bound is not None:
                bound = (found.bound - weights.first * self.best.first) / weights.second
            if found.status != "optimal" or found.assignment is None:
                return "limit", bound
            point = self._point(found.assignment)
            if point.first >= self.least:
                self.best = max(self.best, point, key=lambda p: p.second)
                return "optimal", self.best.second
            if weights.gain(point, self.best) <= ROUNDING or point.second <= self.best.second:
                return "optimal", self.best.second
            weights = _Weights(STEEPER / (self.best.first - point.first), 1.0 / (point.second - self.best.second))
        return "limit", bound

    def _opening(self) -> _Weights:
        widths = []
        for goal in (self.first, self.second):
            costs = self.solver.lowered.objective(goal)
            widths.append(costs.high - costs.low or 1.0)
        return _Weights(OPENING / widths[0], 1.0 / widths[1])

    def _point(self, assignment: dict[str, Value]) -> _Point:
        scored = score(self.solver.task, assignment)
        return _Point(assignment, *(goal_worth(goal, scored, assignment) for goal in (self.first, self.second)))
