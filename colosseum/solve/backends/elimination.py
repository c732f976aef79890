"""Elimination on arrays. In: a task and a query; out: a proven optimum, or that too many variables hang together.

The tables that know a variable are added up and the variable is maximised out, which leaves a table over its neighbours
(Dechter, "Bucket elimination", Artificial Intelligence 113, 1999). Its cost is known before any table is made. The best
order is as hard to find as the optimum: a greedy rule stands in, or declared order (section 3). The variable that goes
first has the first axis everywhere, so that maxima run over whole rows.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial, reduce
from heapq import heapify, heappop, heappush
from math import isfinite, prod
from typing import ClassVar

import numpy as np

from colosseum.model.scenario import Task
from colosseum.solve.arrays import Floats
from colosseum.solve.backend import Engine, Optimum, Query, checked
from colosseum.solve.network import Factors, Kind, Scope, assigned, network, outline
from colosseum.solve.scoring import grain

MOST_TABLE = 1 << 22  # joint values that a table given may have, …
MOST_CELLS = 8 * MOST_TABLE  # … and all of them together
NODES = 32
"""A term's nodes that are evaluated in the time in which one joint value is gone through; factors are made once."""
PRICE_OF_ORDER = 4  # how much more work declared order may make where the first of all optima is asked for
MOST_PLANS = 1_000  # orders that are kept for queries that put other weights on the same
MOST_JOINT = 1 << 24  # joint values that the sum of tables from which a variable goes may have
LITTLE = 20_000  # joint values of so little work that declared order is as good as any


class Elimination:
    """A task's factors; another goal that counts the same things costs a weighted sum and one elimination."""

    name: ClassVar[Engine] = "elimination"

    def __init__(self, task: Task) -> None:
        self.task, self.factors = task, Factors(task)
        self.planned = lru_cache(MOST_PLANS)(partial(planned_order, self.factors))  # of `self` it would be a circle

    def plan(self, query: Query) -> "Ordering | None":
        """How a query is answered; None where too many variables hang together. No table is made to know it."""
        return self.planned(frozenset(self.factors.weights(query)), frozenset(query.fixed), query.canonical)

    def solve(self, query: Query, *, until: float) -> Optimum:
        """The best assignment, or "limit" where it is too large. Raises Fault where a payoff is undefined there.

        It is the first of all where declared order, from the last variable to the first, is not much more work.
        """
        if time.monotonic() > until:
            return Optimum("limit", by=self.name, reason="there is no time left")
        if any(value not in self.task.variable[name].domain for name, value in query.fixed.items()):
            return Optimum("infeasible", by=self.name)
        order = self.plan(query)
        if order is None:
            return Optimum("limit", by=self.name, reason="too many variables hang together for elimination")
        made = network(self.factors, query)
        solved = eliminate(made.tables.items(), order)
        value = made.constant + solved.value
        if not isfinite(value):
            return Optimum("infeasible", by=self.name)
        first = query.canonical and [*order.turn] == [*order.sizes][::-1]
        assignment = assigned(self.task, query, solved.first(slack=grain(value) if first else 0.0))
        worth = checked(self.task, query, assignment, value, self.name)
        return Optimum("optimal", worth, assignment, worth, canonical=first, by=self.name)


def planned_order(parts: Factors, kinds: frozenset[Kind], fixed: frozenset[str], canonical: bool) -> "Ordering | None":
    """How queries that count these things, with these variables fixed, are answered."""
    scopes = outline(parts, kinds, fixed, most=MOST_TABLE, in_all=MOST_CELLS)
    if scopes is None:
        return None
    sizes = {name: size for name, size in parts.choices.items() if name not in fixed}
    order = best_order(scopes, sizes, patience=PRICE_OF_ORDER if canonical else 1)
    cost = 0
    for scope, factors in scopes.items():
        nodes = sum(term.extent[0] for factor in factors for _, term in factor.parts)
        cost += prod(sizes[name] for name in scope) * (len(factors) + nodes // NODES)
    return order and replace(order, cost=order.cost + cost)


# ---- orders and tables -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ordering:
    """Variables in the order of their elimination."""

    sizes: Mapping[str, int]  # of the domains, in declared order
    scopes: tuple[Scope, ...]
    """Each with the others that it shares a table with when it goes, in the order in which they go."""
    cost: int
    """Joint values that it goes through, those of the tables given included once they are known."""
    placed: dict[Scope, tuple[int, list[int], list[int]]] = field(default_factory=dict, compare=False)
    """By the scope of a table: its bucket, its axes there, and its shape."""

    @cached_property
    def turn(self) -> dict[str, int]:
        """When each variable goes."""
        return {scope[0]: turn for turn, scope in enumerate(self.scopes)}


def best_order(
    scopes: Iterable[Scope], sizes: Mapping[str, int], *, most: int = MOST_JOINT, patience: int = 1
) -> Ordering | None:
    """The last declared next, where that is little work, or less than `patience` times the smallest table next.

    None where both need a table past the most. `sizes` is in declared order, which decides between equals.
    """
    scopes = list(scopes)
    smallest, backwards = ordered(scopes, sizes, most=most), ordered(scopes, sizes, list(sizes)[::-1], most=most)
    if backwards and (smallest is None or backwards.cost < max(LITTLE, patience * smallest.cost)):
        return backwards
    return smallest


def ordered(
    scopes: Iterable[Scope], sizes: Mapping[str, int], names: Sequence[str] | None = None, *, most: int = MOST_JOINT
) -> Ordering | None:
    """Variables in a given order, or the one with the smallest table next, with their cost; None past the most."""
    near = {name: {name} for name in sizes}
    for scope in scopes:
        for name in scope:
            near[name].update(scope)

    def joint(name: str) -> int:
        return prod(sizes[other] for other in near[name])

    place = {name: number for number, name in enumerate(names or sizes)}
    price = place.__getitem__ if names else joint
    queue = [(price(name), place[name], name) for name in sizes]
    heapify(queue)
    gone, cost = dict[str, set[str]](), 0
    while queue:
        said, _, name = heappop(queue)
        if name in gone or said != price(name):
            continue
        cost += joint(name)
        if joint(name) > most:
            return None
        gone[name] = near[name] - {name}
        for other in gone[name]:
            near[other] = (near[other] | gone[name]) - {name}
            heappush(queue, (price(other), place[other], other))
    turn = {name: number for number, name in enumerate(gone)}
    return Ordering(sizes, tuple((name, *sorted(rest, key=turn.__getitem__)) for name, rest in gone.items()), cost)


def eliminate(tables: Iterable[tuple[Scope, Floats]], order: Ordering) -> "Solution":
    """Eliminate every variable from tables, each with an axis for each variable of its scope."""
    found = Solution(order, [[] for _ in order.scopes])
    for scope, table in tables:
        found.add(scope, table)
    for turn, scope in enumerate(order.scopes):
        parts = found.parts[turn] or [np.zeros([order.sizes[name] for name in scope])]
        joint = reduce(np.add, parts)
        found.parts[turn] = [joint] if joint.size <= LITTLE else parts  # which takes more memory, and less time
        found.add(scope[1:], np.maximum.reduce(joint, axis=0))
    return found


@dataclass(eq=False)
class Solution:
    """What elimination left of each variable's bucket."""

    order: Ordering
    parts: list[list[Floats]]
    """What each adds up: an axis for each variable of its scope, of length 1 for those that a table lacks."""
    value: float = 0.0
    """The greatest sum of all tables; −∞ where they cannot hold together."""

    def add(self, scope: Scope, table: Floats) -> None:
        """Put a table into the bucket of the first of its variables to go."""
        if not scope:
            self.value += float(table)
            return
        if scope not in self.order.placed:
            axes = sorted(range(len(scope)), key=lambda axis: self.order.turn[scope[axis]])
            turn = self.order.turn[scope[axes[0]]]
            shape = [self.order.sizes[name] if name in scope else 1 for name in self.order.scopes[turn]]
            self.order.placed[scope] = turn, axes, shape
        turn, axes, shape = self.order.placed[scope]
        self.parts[turn].append(np.ascontiguousarray(table.transpose(axes)).reshape(shape))

    def first(self, *, slack: float) -> dict[str, int]:
        """Places of values where the sum is at most `slack` below the greatest: the first, the last to go first."""
        places = dict[str, int]()
        for (name, *rest), parts in zip(reversed(self.order.scopes), reversed(self.parts), strict=True):
            at = [places[other] for other in rest]  # 0 along axes of length 1, which a table lacks
            along: list[tuple[slice | int, ...]] = [
                (slice(None), *(d if n > 1 else 0 for d, n in zip(at, part.shape[1:], strict=True))) for part in parts
            ]
            columns = [part[there] for part, there in zip(parts, along, strict=True)]
            column = reduce(np.add, columns, np.zeros(self.order.sizes[name]))
            place = int(column.argmax())
            if slack:
                below = column[place] - column
                place = int((below <= slack).argmax())
                slack -= float(below[place])
            places[name] = place
        return places
