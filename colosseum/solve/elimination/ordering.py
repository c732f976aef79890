"""Orders for eliminating variables. In: scopes and domain sizes; out: an order, and how much work it makes.

Finding the best order is as hard as the optimum itself: greedy rules stand in, and the cheapest order is taken
(Dechter, "Bucket elimination", Artificial Intelligence 113, 1999, section 3).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import combinations
from random import Random

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
class Order:
    """Variables in the order of their elimination."""

    names: tuple[str, ...]
    cost: int
    """Joint values of all tables that it goes through."""


class Graph:
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


def best_order(scopes: Sequence[Sequence[str]], sizes: Mapping[str, int], *, most: int = MOST_JOINT) -> Order | None:
    """The cheapest order that some rules of thumb find; None where each needs a table past the most.

    The smallest table next, the fewest new neighbours next, or as declared; where much work is left, also the smallest
    table next with other decisions between equals, as often as that pays.
    """
    first = _greedy(Graph(scopes, sizes, most=most), Graph.joint)
    if first is not None and first.cost < WORTH_A_SECOND_TRY:
        return first
    graph = Graph(scopes, sizes, most=most)
    if sum(len(near) ** 2 for near in graph.near) > WORTH_A_SECOND_TRY:
        return first
    fewest = _greedy(graph, lambda graph, variable: graph.missing(variable) * graph.most + graph.joint(variable))
    found = [first, fewest, given_order(scopes, sizes, list(sizes)[::-1], most=most)]
    best = _cheapest(found)
    for number in range(A_FEW if best is None else min(MOST_TRIES, best.cost // PAYS_A_TRY)):
        names = list(sizes)
        Random(number).shuffle(names)
        found.append(_greedy(Graph(scopes, {name: sizes[name] for name in names}, most=most), Graph.joint))
    return _cheapest(found)


def _cheapest(found: Sequence[Order | None]) -> Order | None:
    return min((order for order in found if order is not None), key=lambda order: order.cost, default=None)


def _greedy(graph: Graph, price: Callable[[Graph, int], int]) -> Order | None:
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
        for other in near if price is Graph.joint else near.union(*(graph.near[o] for o in near)):
            now = price(graph, other)
            if now != prices[other]:
                prices[other] = now
                heappush(queue, (now, other))
    return Order(tuple(names), cost)


def given_order(
    scopes: Sequence[Sequence[str]], sizes: Mapping[str, int], names: Sequence[str], *, most: int = MOST_JOINT
) -> Order | None:
    """A given order with its cost; None where it needs a table past the most."""
    graph, cost = Graph(scopes, sizes, most=most), 0
    place = {name: number for number, name in enumerate(graph.names)}
    for name in names:
        joint = graph.joint(place[name])
        if joint > most:
            return None
        cost += joint
        graph.eliminate(place[name])
    return Order(tuple(names), cost)


def estimate(scopes: Sequence[Sequence[str]], sizes: Mapping[str, int], *, most: int = MOST_JOINT) -> int | None:
    """How many joint values an elimination goes through, before any work is done; None where it is too large."""
    order = best_order(scopes, sizes, most=most)
    return None if order is None else order.cost
