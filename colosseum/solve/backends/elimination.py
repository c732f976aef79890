"""Elimination on arrays. In: a task and a query; out: a proven optimum, or that too many variables hang together.

It shares nothing with the integer program but the meaning of terms, and is the fastest where few variables hang
together at a time: its cost is known before any table is made.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import isfinite, prod
from typing import ClassVar

from colosseum.model.scenario import Task
from colosseum.solve.backend import Engine, Found, Query, checked
from colosseum.solve.buckets import Ordering, best_order, eliminate, given_order
from colosseum.solve.earliest import earliest
from colosseum.solve.factors import Factors, Kind
from colosseum.solve.network import network, outline
from colosseum.solve.rounding import grain

MOST_TABLE = 1 << 22
"""Joint values that a table given may have, …"""
MOST_CELLS = 8 * MOST_TABLE
"""… and all of them together."""
NODES = 32
"""A term's nodes that are evaluated in the time in which one joint value is gone through."""
LITTLE = 50_000
"""Joint values of so little work that declared order is as good as any."""
PRICE_OF_ORDER = 4
"""How much more work declared order may make where the first of all optima is asked for."""
MOST_PLANS = 1_000
"""Plans that are kept for queries that put other weights on the same."""


@dataclass(frozen=True, eq=False)
class EliminationPlan:
    """How queries are answered that count the same things, with the same variables fixed."""

    best: Ordering
    backwards: Ordering | None
    """From the last variable to the first, where that makes not much more work than the best order."""
    cost: int
    """Joint values that the elimination goes through, and making the tables in the time of so many."""


class Elimination:
    """A task's factors; another goal that counts the same things costs a weighted sum and one elimination."""

    name: ClassVar[Engine] = "elimination"
    orders: ClassVar[bool] = True

    def __init__(self, task: Task) -> None:
        self.task, self.factors = task, Factors(task)
        self.plans: dict[tuple[frozenset[Kind], frozenset[str]], EliminationPlan | None] = {}

    def cost(self, query: Query) -> int | None:
        """The joint values that an elimination goes through; None where too many variables hang together."""
        plan = self._plan(self.factors.weights(query), query.fixed)
        return None if plan is None else plan.cost

    def solve(self, query: Query, *, until: float) -> Found:
        """The best assignment, or "limit" where it is too large. Raises Fault where a payoff is undefined there."""
        if time.monotonic() > until:
            return Found("limit", by=self.name, reason="there is no time left")
        if any(value not in self.task.variable[name].domain for name, value in query.fixed.items()):
            return Found("infeasible", by=self.name)
        weights = self.factors.weights(query)
        plan = self._plan(weights, query.fixed)
        if plan is None:
            return Found("limit", by=self.name, reason="too many variables hang together for elimination")
        made = network(self.factors, weights, query.fixed, linear=False)
        order = (plan.backwards if query.canonical else None) or plan.best
        solved = eliminate(made.tables.items(), order)
        value = made.constant + solved.value
        if not isfinite(value):
            return Found("infeasible", by=self.name)
        slack, first = grain(value) if query.canonical else 0.0, query.canonical
        places = solved.first(slack=slack)
        if query.canonical and order is not plan.backwards:
            walked = earliest(list(made.tables.items()), order.sizes, least=solved.value - slack)
            places, first = walked or places, walked is not None
        assignment = {
            v.name: query.fixed[v.name] if v.name in query.fixed else v.domain[places.get(v.name, 0)]
            for v in self.task.variables
        }
        worth = checked(self.task, query, assignment, value, self.name)
        return Found("optimal", assignment, None, worth, self.name, first=first)

    def _plan(self, weights: Mapping[Kind, float], fixed: Collection[str]) -> EliminationPlan | None:
        key = frozenset(weights), frozenset(fixed)
        if key not in self.plans:
            if len(self.plans) >= MOST_PLANS:
                self.plans.clear()
            self.plans[key] = self._planned(weights, fixed)
        return self.plans[key]

    def _planned(self, kinds: Collection[Kind], fixed: Collection[str]) -> EliminationPlan | None:
        scopes = outline(self.factors, kinds, fixed, most=MOST_TABLE, in_all=MOST_CELLS)
        if scopes is None:
            return None
        used = frozenset[str]().union(*scopes)
        sizes = {name: size for name, size in self.factors.choices.items() if name in used}
        best, backwards = best_order(scopes, sizes), given_order(scopes, sizes, list(sizes)[::-1])
        if best is None:
            return None
        if backwards is not None and backwards.cost > max(LITTLE, PRICE_OF_ORDER * best.cost):
            backwards = None
        cost = best.cost
        for scope, factors in scopes.items():
            nodes = sum(term.extent[0] for factor in factors for _, term in factor.parts)
            cost += prod(sizes[name] for name in scope) * (len(factors) + nodes // NODES)
        return EliminationPlan(best, backwards, cost)
