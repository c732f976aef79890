"""Max-plus elimination on arrays. In: tables over few variables; out: an order, the greatest sum, and where it is.

Bucket elimination: the tables that know a variable are added up and the variable is maximised out, which leaves a
table over its neighbours (Dechter, "Bucket elimination", Artificial Intelligence 113, 1999). The variable that goes
first has the first axis everywhere, so that tables meet without being turned and maxima run over whole rows. Finding
the best order is as hard as the optimum itself: greedy rules stand in, and the cheapest order is taken (section 3).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from heapq import heapify, heappop, heappush
from itertools import combinations
from math import prod
from random import Random
from typing import TypeAlias

import numpy as np

from colosseum.solve.arrays import Floats

MOST_JOINT = 1 << 24
"""Joint values that the sum of tables from which a variable goes may have; it is never written out whole."""
WORTH_A_SECOND_TRY = 200_000
"""Joint values in all from which a better order pays for being looked for."""
PAYS_A_TRY = 2_000_000
"""Joint values for each of which one more order is tried, …"""
MOST_TRIES = 16
"""… up to so many."""
A_FEW = 4
"""Orders that are tried where none has been found."""


@dataclass(frozen=True)
class Ordering:
    """Variables in the order of their elimination."""

    names: tuple[str, ...]
    cost: int
    """Joint values of all tables that it goes through."""


class FillGraph:
    """Which variables share a table, while they are eliminated one by one."""

    def __init__(self, scopes: Iterable[Sequence[str]], sizes: Mapping[str, int], *, most: int) -> None:
        """`sizes` has the variables in declared order, which decides between equals."""
        self.names = list(sizes)
        self.sizes = list(sizes.values())
        self.most = most
        place = {name: number for number, name in enumerate(self.names)}
        self.near: list[set[int]] = [set() for _ in self.names]
        for scope in scopes:
            for one, other in combinations([place[name] for name in scope], 2):
                self.near[one].add(other)
                self.near[other].add(one)

    def joint(self, variable: int) -> int:
        """The joint values of a variable and its neighbours, counted no further than one past the most."""
        found = self.sizes[variable]
        for other in self.near[variable]:
            found *= self.sizes[other]
            if found > self.most:
                return self.most + 1
        return found

    def missing(self, variable: int) -> int:
        """How many pairs of its neighbours share no table yet."""
        near = self.near[variable]
        return sum(len(near) - 1 - len(near & self.near[other]) for other in near) // 2

    def eliminate(self, variable: int) -> set[int]:
        """Take it out: its neighbours share a table from now on."""
        near = self.near[variable]
        for other in near:
            self.near[other] |= near
            self.near[other] -= {other, variable}
        self.near[variable] = set()
        return near


def best_order(scopes: Sequence[Sequence[str]], sizes: Mapping[str, int], *, most: int = MOST_JOINT) -> Ordering | None:
    """The cheapest order that some rules of thumb find; None where each needs a table past the most.

    The smallest table next, the fewest new neighbours next, or as declared; where much work is left, also the smallest
    table next with other decisions between equals, as often as that pays.
    """
    first = smallest_first(scopes, sizes, most=most)
    if first is not None and first.cost < WORTH_A_SECOND_TRY:
        return first
    graph = FillGraph(scopes, sizes, most=most)
    if sum(len(near) ** 2 for near in graph.near) > WORTH_A_SECOND_TRY:
        return first
    fewest = _greedy(graph, lambda graph, variable: graph.missing(variable) * graph.most + graph.joint(variable))
    found = [first, fewest, given_order(scopes, sizes, list(sizes)[::-1], most=most)]
    best = _cheapest(found)
    for number in range(A_FEW if best is None else min(MOST_TRIES, best.cost // PAYS_A_TRY)):
        names = list(sizes)
        Random(number).shuffle(names)
        found.append(_greedy(FillGraph(scopes, {name: sizes[name] for name in names}, most=most), FillGraph.joint))
    return _cheapest(found)


def smallest_first(scopes: Sequence[Sequence[str]], sizes: Mapping[str, int], *, most: int) -> Ordering | None:
    """The order that takes the smallest table next, which is found soonest; None where it needs one past the most."""
    return _greedy(FillGraph(scopes, sizes, most=most), FillGraph.joint)


def _cheapest(found: Sequence[Ordering | None]) -> Ordering | None:
    return min((order for order in found if order is not None), key=lambda order: order.cost, default=None)


def _greedy(graph: FillGraph, price: Callable[[FillGraph, int], int]) -> Ordering | None:
    """The cheapest first, again after each elimination."""
    prices = [price(graph, variable) for variable in range(len(graph.names))]
    queue = [(p, variable) for variable, p in enumerate(prices)]
    heapify(queue)
    gone, names, cost = [False] * len(prices), list[str](), 0
    while queue:
        said, variable = heappop(queue)
        if gone[variable] or said != prices[variable]:
            continue
        joint = graph.joint(variable)
        if joint > graph.most:
            return None
        gone[variable] = True
        names.append(graph.names[variable])
        cost += joint
        near = graph.eliminate(variable)
        for other in near if price is FillGraph.joint else near.union(*(graph.near[o] for o in near)):
            now = price(graph, other)
            if now != prices[other]:
                prices[other] = now
                heappush(queue, (now, other))
    return Ordering(tuple(names), cost)


def given_order(
    scopes: Sequence[Sequence[str]], sizes: Mapping[str, int], names: Sequence[str], *, most: int = MOST_JOINT
) -> Ordering | None:
    """A given order with its cost; None where it needs a table past the most."""
    turn = {name: place for place, name in enumerate(names)}
    return _greedy(FillGraph(scopes, sizes, most=most), lambda graph, variable: turn[graph.names[variable]])


WRITTEN_OUT = 1 << 15
"""Joint values up to which a sum of tables is written out before it is maximised."""

Places: TypeAlias = dict[str, int]
"""By variable: the place of its value in its domain."""


@dataclass(eq=False)
class Bucket:
    """A variable, and what is added up when it goes."""

    name: str
    rest: list[str] = field(default_factory=list)
    """The other variables that it shares a table with then, in the order in which they go."""
    tables: list[int] = field(default_factory=list)
    """Numbers of the tables that come here."""
    below: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    """Numbers of the buckets whose results come here, with the shapes in which they do."""
    shape: tuple[int, ...] = ()
    """Of the sum of all that: the domain sizes of the variable and of the rest."""


class Buckets:
    """Which tables are added where: made once for all tables over the same variables."""

    def __init__(self, scopes: Sequence[Sequence[str]], sizes: Mapping[str, int], order: Ordering) -> None:
        self.sizes, self.scopes = sizes, scopes
        self.turn = {name: turn for turn, name in enumerate(order.names)}
        self.buckets = [Bucket(name) for name in order.names]
        self.numbers = [number for number, scope in enumerate(scopes) if not scope]
        """Tables over no variable."""
        near: list[set[int]] = [set() for _ in order.names]
        for number, scope in enumerate(scopes):
            if scope:
                turns = sorted(self.turn[name] for name in scope)
                self.buckets[turns[0]].tables.append(number)
                near[turns[0]].update(turns[1:])
        for turn, bucket in enumerate(self.buckets):
            later = sorted(near[turn])
            bucket.rest = [order.names[t] for t in later]
            bucket.shape = self._shape(bucket, (bucket.name, *bucket.rest))
            if later:
                near[later[0]].update(later[1:])
        for turn, bucket in enumerate(self.buckets):
            if bucket.rest:
                above = self.buckets[self.turn[bucket.rest[0]]]
                above.below.append((turn, self._shape(above, bucket.rest)))

    def _shape(self, bucket: Bucket, scope: Sequence[str]) -> tuple[int, ...]:
        """A table's shape among the tables of a bucket: 1 for the variables that it lacks."""
        return tuple(self.sizes[name] if name in scope else 1 for name in (bucket.name, *bucket.rest))

    def laid(self, number: int, table: Floats) -> Floats:
        """A table, its axes in the order of its scope, as its bucket adds it up."""
        scope = self.scopes[number]
        if not scope:
            return table
        axes = sorted(range(len(scope)), key=lambda axis: self.turn[scope[axis]])
        bucket = self.buckets[self.turn[scope[axes[0]]]]
        return np.ascontiguousarray(table.transpose(axes)).reshape(self._shape(bucket, scope))

    def solve(self, tables: Sequence[Floats]) -> "Solution":
        """Eliminate every variable from tables that are laid."""
        found = Solution(self, tables, float(sum(tables[number] for number in self.numbers)))
        for turn, bucket in enumerate(self.buckets):
            whole, result = _eliminated(found.parts(turn), bucket.shape)
            found.wholes.append(whole)
            found.results.append(result)
            if not bucket.rest:
                found.value += float(result)
        return found


@dataclass(eq=False)
class Solution:
    """What elimination left of each bucket."""

    buckets: Buckets
    tables: Sequence[Floats]
    value: float
    """The greatest sum of all tables; −∞ where they cannot hold together."""
    wholes: list[Floats | None] = field(default_factory=list)
    """The sum of what went into each, where it was written out."""
    results: list[Floats] = field(default_factory=list)
    """The greatest sum over the rest of each."""

    def plain(self) -> list[tuple[list[str], Floats]]:
        """The tables with an axis for each of their variables, in the order in which they go."""
        found = []
        for scope, table in zip(self.buckets.scopes, self.tables, strict=True):
            names = sorted(scope, key=self.buckets.turn.__getitem__)
            found.append((names, table.reshape([self.buckets.sizes[name] for name in names])))
        return found

    def parts(self, turn: int) -> list[Floats]:
        """What a bucket adds up."""
        bucket = self.buckets.buckets[turn]
        inside = [self.tables[number] for number in bucket.tables]
        return inside + [self.results[below].reshape(shape) for below, shape in bucket.below]

    def first(self, *, slack: float) -> Places:
        """Where the sum is at most `slack` below the greatest: the first such place, last to go coming first.

        What one variable gives away is lost for those behind it, so that the whole stays within the slack.
        """
        places: Places = {}
        for turn in reversed(range(len(self.results))):
            bucket, whole = self.buckets.buckets[turn], self.wholes[turn]
            at: tuple[slice | int, ...] = (slice(None), *[places[name] for name in bucket.rest])
            column = reduce(np.add, [_column(part, at) for part in self.parts(turn)]) if whole is None else whole[at]
            place = int(column.argmax())
            if slack:
                below = column[place] - column
                place = int((below <= slack).argmax())
                slack -= float(below[place])
            places[bucket.name] = place
        return places

    def marginals(self) -> dict[str, Floats]:
        """For each value of each variable the greatest sum with it."""
        found: dict[str, Floats] = {}
        above: list[Floats] = [np.zeros(())] * len(self.results)
        for turn in reversed(range(len(self.results))):
            bucket = self.buckets.buckets[turn]
            if not bucket.rest:
                above[turn] = np.array(self.value - float(self.results[turn]))
            parts = [*self.parts(turn), above[turn][np.newaxis]]
            whole = np.broadcast_to(reduce(np.add, parts), bucket.shape)
            found[bucket.name] = whole.max(axis=tuple(range(1, whole.ndim)))
            for below, kept in bucket.below:
                others = tuple(axis for axis, size in enumerate(kept) if size == 1)
                result, never = self.results[below], np.isneginf(self.results[below])
                above[below] = np.where(never, -np.inf, whole.max(axis=others) - np.where(never, 0.0, result))
        return found


def _column(part: Floats, at: tuple[slice | int, ...]) -> Floats:
    """A table along its first axis, with the other variables at these places; it lacks those of axes of length 1."""
    column: Floats = part[tuple(place if size > 1 else 0 for place, size in zip(at, part.shape, strict=True))]
    return column


def _eliminated(parts: Sequence[Floats], shape: Sequence[int]) -> tuple[Floats | None, Floats]:
    """The sum, unless it is too large to write out, and its greatest values over the first axis."""
    if not parts:
        return np.zeros(shape), np.zeros(())
    whole: Floats
    if prod(shape) <= WRITTEN_OUT or len(parts) == 1:
        whole = reduce(np.add, parts)
        return whole, np.maximum.reduce(whole, axis=0)
    largest, *others = sorted(parts, key=lambda part: -part.size)
    found, room = np.full(shape[1:], -np.inf), np.empty(shape[1:])
    for place in range(shape[0]):
        np.add(largest[place], others[0][place], out=room)
        for other in others[1:]:
            room += other[place]
        np.maximum(found, room, out=found)
    return None, found
