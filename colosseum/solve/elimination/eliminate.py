"""Optima by elimination. In: a task and goals; out: proven optima, by arrays alone, or that the task is too large.

A second way to the optimum that shares nothing with the integer program but the meaning of terms, and the faster one
where few variables hang together at a time: its cost is known before any work is done.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.elimination.buckets import Places, Solution
from colosseum.solve.elimination.earliest import earliest
from colosseum.solve.elimination.factors import Factors, Kind
from colosseum.solve.elimination.mixture import Mixture, mixture
from colosseum.solve.elimination.ordering import MOST_JOINT
from colosseum.solve.goal import Goal
from colosseum.solve.rounding import grain
from colosseum.solve.scoring import AGREEMENT, Disagreement, goal_value, hard_broken

MOST_KEPT = 1 << 24
"""Joint values of mixtures that are kept for the next goal."""


@dataclass(frozen=True)
class Cost:
    """What an elimination takes, in joint values gone through."""

    each: int
    """Every time: its tables weighed, and the elimination itself."""
    once: int
    """The first time, besides: its tables evaluated."""


@dataclass(frozen=True)
class Eliminated:
    """The best assignment for a goal, or why there is none."""

    status: Literal["optimal", "infeasible", "too large"]
    value: float | None
    """The exact value at the assignment, recomputed in the model; None when there is no assignment."""
    assignment: dict[str, Value] | None
    canonical: bool
    """Whether it is known to be the lexicographically first of all optima, by declared order."""
    seconds: float


class Elimination:
    """A task's factors; another goal that counts the same things costs a weighted sum and one elimination."""

    def __init__(self, task: Task, *, most: int = MOST_JOINT) -> None:
        """`most` is how many joint values the variables may have that hang together when one is eliminated."""
        self.task, self.most = task, most
        self.factors = Factors(task)
        self.mixtures: dict[tuple[frozenset[Kind], frozenset[str]], Mixture | None] = {}
        self.kept = 0

    def cost(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None) -> Cost | None:
        """What an elimination takes; None where it is too large. Nothing is evaluated to know it."""
        mixed = self._mixture(self.factors.weights(goal), fixed or {})
        if mixed is None or mixed.best is None:
            return None
        return Cost(mixed.cells + mixed.best.order.cost, mixed.making)

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Eliminated:
        """The assignment of greatest value with some variables fixed; a canonical one is the first of all.

        Raises Fault where a payoff is undefined at the answer.
        """
        return self._optimise(goal, 1.0, fixed or {}, canonical=canonical)

    def minimise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Eliminated:
        """The assignment of least value."""
        return self._optimise(goal, -1.0, fixed or {}, canonical=canonical)

    def _mixture(self, weights: Mapping[Kind, float], fixed: Mapping[str, Value]) -> Mixture | None:
        held = frozenset(fixed).intersection(self.factors.choices)
        key = frozenset(weights), held
        if key not in self.mixtures:
            found = mixture(self.factors, weights, held, most=self.most)
            self.kept += _size(found)
            while self.mixtures and self.kept > MOST_KEPT:
                self.kept -= _size(self.mixtures.pop(next(iter(self.mixtures))))
            self.mixtures[key] = found
        return self.mixtures[key]

    def _optimise(self, goal: Goal, sign: float, fixed: Mapping[str, Value], *, canonical: bool) -> Eliminated:
        start = time.perf_counter()
        if any(value not in self.task.variable[name].domain for name, value in fixed.items()):
            return Eliminated("infeasible", None, None, canonical=False, seconds=time.perf_counter() - start)
        weights = self.factors.weights(goal)
        mixed = self._mixture(weights, fixed)
        plan = None if mixed is None else (mixed.in_turn if canonical else None) or mixed.best
        if mixed is None or plan is None:
            return Eliminated("too large", None, None, canonical=False, seconds=time.perf_counter() - start)
        held = {name: value for name, value in fixed.items() if name in self.factors.choices}
        solved = plan.buckets.solve(plan.tables({kind: sign * weight for kind, weight in weights.items()}, held))
        if not isfinite(solved.value):
            return Eliminated("infeasible", None, None, canonical=False, seconds=time.perf_counter() - start)
        slack = grain(solved.value)
        first = _first(solved, mixed, slack, in_turn=plan is mixed.in_turn) if canonical else None
        assignment = self._decoded(solved.first(slack=0.0) if first is None else first, fixed)
        value = self._checked(goal, assignment, sign * solved.value)
        return Eliminated("optimal", value, assignment, first is not None, time.perf_counter() - start)

    def _decoded(self, places: Places, fixed: Mapping[str, Value]) -> dict[str, Value]:
        return {
            v.name: fixed[v.name] if v.name in fixed else v.domain[places.get(v.name, 0)] for v in self.task.variables
        }

    def _checked(self, goal: Goal, assignment: Mapping[str, Value], thought: float) -> float:
        """The exact value of an assignment. Raises Disagreement when it is not what the arrays say."""
        value = goal_value(self.task, goal, assignment)
        if abs(value - thought) > AGREEMENT * max(1.0, abs(value)):
            raise Disagreement(f"the assignment found by elimination is worth {value!r}, not {thought!r}")
        if broken := hard_broken(self.task.requirements, assignment):
            raise Disagreement(f"the assignment found by elimination breaks `{broken[0].name}`")
        return value


def _size(mixed: Mixture | None) -> int:
    """The values that its tables have and an elimination goes through, at least 1."""
    return 1 if mixed is None or mixed.best is None else mixed.cells + mixed.best.order.cost


def _first(solved: Solution, mixed: Mixture, slack: float, *, in_turn: bool) -> Places | None:
    """The first optimum, or None where finding it is too much work."""
    if in_turn:
        return solved.first(slack=slack)
    return earliest(solved.plain(), mixed.sizes, least=solved.value - slack)
