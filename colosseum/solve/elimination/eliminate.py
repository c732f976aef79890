"""Optima by elimination. In: a task and goals; out: proven optima, by arrays alone, or that the task is too large.

A second way to the optimum that shares nothing with the integer program but the meaning of terms, and the faster one
where few variables hang together at a time: its cost is known before any work is done.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.backend import Engine, Found, Promises, Query, checked
from colosseum.solve.elimination.buckets import Places
from colosseum.solve.elimination.factors import Factors, Kind
from colosseum.solve.elimination.mixture import Mixture, mixture
from colosseum.solve.elimination.ordering import MOST_JOINT
from colosseum.solve.goal import Goal
from colosseum.solve.rounding import grain

TOO_LARGE = "too many variables hang together for elimination"
MOST_KEPT = 1 << 24
"""Joint values of mixtures that are kept for the next goal."""


@dataclass(frozen=True)
class Cost:
    """What an elimination takes, in joint values gone through."""

    each: int
    """Every time: its tables weighed, and the elimination itself."""
    once: int
    """The first time, besides: its tables evaluated."""


class Elimination:
    """A task's factors; another goal that counts the same things costs a weighted sum and one elimination."""

    name: ClassVar[Engine] = "elimination"
    promises: ClassVar[Promises] = Promises(bounds=False, warm=True, first=True)

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

    def solve(self, query: Query, *, until: float) -> Found:
        """The best assignment, or "limit" where it is too large. Raises Fault where a payoff is undefined there."""
        if time.monotonic() > until:
            return Found("limit", by=self.name, reason="there is no time left")
        if any(value not in self.task.variable[name].domain for name, value in query.fixed.items()):
            return Found("infeasible", by=self.name)
        weights = self.factors.weights(query.goal)
        mixed = self._mixture(weights, query.fixed)
        plan = None if mixed is None else (mixed.in_turn if query.canonical else None) or mixed.best
        if mixed is None or plan is None:
            return Found("limit", by=self.name, reason=TOO_LARGE)
        held = {name: value for name, value in query.fixed.items() if name in self.factors.choices}
        solved = plan.buckets.solve(plan.tables({kind: query.sign * weight for kind, weight in weights.items()}, held))
        if not isfinite(solved.value):
            return Found("infeasible", by=self.name)
        first = query.canonical and plan is mixed.in_turn
        assignment = self._decoded(solved.first(slack=grain(solved.value) if first else 0.0), query.fixed)
        value = checked(self.task, query, assignment, solved.value, self.name)
        return Found("optimal", assignment, None, value, self.name, first=first)

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

    def _decoded(self, places: Places, fixed: Mapping[str, Value]) -> dict[str, Value]:
        return {
            v.name: fixed[v.name] if v.name in fixed else v.domain[places.get(v.name, 0)] for v in self.task.variables
        }


def _size(mixed: Mixture | None) -> int:
    """The values that its tables have and an elimination goes through, at least 1."""
    return 1 if mixed is None or mixed.best is None else mixed.cells + mixed.best.order.cost
