"""Elimination on arrays. In: a task and a query; out: a proven optimum, or that too many variables hang together.

It shares nothing with the integer program but the meaning of terms, and is the fastest where few variables hang
together at a time: its cost is known before any table is made.
"""

import time
from dataclasses import dataclass
from math import isfinite, prod
from typing import ClassVar

from colosseum.model.scenario import Task
from colosseum.solve.backend import Engine, Found, Query, checked
from colosseum.solve.buckets import Ordering, best_order, eliminate
from colosseum.solve.factors import Factors, Kind
from colosseum.solve.network import assigned, network, outline
from colosseum.solve.rounding import grain

MOST_TABLE = 1 << 22
"""Joint values that a table given may have, …"""
MOST_CELLS = 8 * MOST_TABLE
"""… and all of them together."""
NODES = 32
"""A term's nodes that are evaluated in the time in which one joint value is gone through."""
PRICE_OF_ORDER = 4
"""How much more work declared order may make where the first of all optima is asked for."""
MOST_PLANS = 1_000
"""Orders that are kept for queries that put other weights on the same."""


@dataclass
class EliminationPlan:
    """An order for queries that count the same things with the same variables fixed, and what it takes.

    That is in joint values gone through.
    """

    order: Ordering
    each: int
    """Every time: its tables weighed, and the elimination itself."""
    once: int
    """The first time, besides: its tables made."""


class Elimination:
    """A task's factors; another goal that counts the same things costs a weighted sum and one elimination."""

    name: ClassVar[Engine] = "elimination"

    def __init__(self, task: Task) -> None:
        self.task, self.factors = task, Factors(task)
        self.plans: dict[tuple[frozenset[Kind], frozenset[str], bool], EliminationPlan | None] = {}

    def plan(self, query: Query) -> EliminationPlan | None:
        """How a query is answered; None where too many variables hang together. No table is made to know it."""
        key = frozenset(self.factors.weights(query)), frozenset(query.fixed), query.canonical
        if key not in self.plans:
            if len(self.plans) >= MOST_PLANS:
                self.plans.clear()
            self.plans[key] = self._planned(query)
        return self.plans[key]

    def solve(self, query: Query, *, until: float) -> Found:
        """The best assignment, or "limit" where it is too large. Raises Fault where a payoff is undefined there.

        It is the first of all where declared order, from the last variable to the first, is not much more work.
        """
        if time.monotonic() > until:
            return Found("limit", by=self.name, reason="there is no time left")
        if any(value not in self.task.variable[name].domain for name, value in query.fixed.items()):
            return Found("infeasible", by=self.name)
        plan = self.plan(query)
        if plan is None:
            return Found("limit", by=self.name, reason="too many variables hang together for elimination")
        made, order, plan.once = network(self.factors, query, linear=False), plan.order, 0
        solved = eliminate(made.tables.items(), order)
        value = made.constant + solved.value
        if not isfinite(value):
            return Found("infeasible", by=self.name)
        first = query.canonical and [*order.turn] == [*order.sizes][::-1]
        assignment = assigned(self.task, query, solved.first(slack=grain(value) if first else 0.0))
        worth = checked(self.task, query, assignment, value, self.name)
        return Found("optimal", assignment, None, worth, self.name, first=first)

    def _planned(self, query: Query) -> EliminationPlan | None:
        scopes = outline(self.factors, query, most=MOST_TABLE, in_all=MOST_CELLS)
        if scopes is None:
            return None
        sizes = {name: size for name, size in self.factors.choices.items() if name not in query.fixed}
        order = best_order(scopes, sizes, patience=PRICE_OF_ORDER if query.canonical else 1)
        if order is None:
            return None
        each, once = order.cost, 0
        for scope, factors in scopes.items():
            cells = prod(sizes[name] for name in scope)
            each += cells * len(factors)
            once += cells * sum(term.extent[0] for factor in factors for _, term in factor.parts) // NODES
        return EliminationPlan(order, each, once)
