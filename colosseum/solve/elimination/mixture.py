"""Goals that count the same things, ready to be eliminated. In: factors; out: their weighted sums, table by table.

What F_n, single payoffs and objectives put on the same variables is stacked once, turned as its bucket needs it;
another mixture of them is one product with each stack.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from colosseum.model.values import Value
from colosseum.solve.arrays.fields import Floats
from colosseum.solve.elimination.buckets import Buckets
from colosseum.solve.elimination.factors import MOST_TABLE, Factor, Factors, Kind
from colosseum.solve.elimination.ordering import Order, best_order, given_order

MOST_CELLS = 8 * MOST_TABLE
"""Joint values that all tables given may have together."""
LITTLE = 1_000_000
"""Joint values of so little work that declared order is as good as any."""
NODES = 32
"""A term's nodes that are evaluated in the time in which one joint value is gone through."""
PRICE_OF_ORDER = 4
"""How much more work declared order may make where the first of all optima is asked for."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Tables over the same variables, turned and one below the other."""

    kinds: tuple[Kind, ...]
    weighed: Floats
    """One row of values for each kind."""
    shape: tuple[int, ...]
    """Of each table."""
    hard: Floats | None

    def sum(self, weights: Mapping[Kind, float]) -> Floats:
        """`Σ weight · table`, −∞ where a hard rule is broken."""
        if not self.kinds:
            return np.zeros(self.shape) if self.hard is None else self.hard
        found: Floats
        if len(self.kinds) == 1:
            found = weights[self.kinds[0]] * self.weighed[0]
        else:
            found = np.array([weights[kind] for kind in self.kinds]) @ self.weighed
        found = found.reshape(self.shape)
        return found if self.hard is None else found + self.hard


@dataclass(eq=False)
class Group:
    """The factors that are over the same variables once some are fixed."""

    scope: tuple[str, ...]
    weighed: list[tuple[Kind, Factor]]
    hard: list[Factor]


@dataclass(eq=False)
class Contents:
    """What a mixture and its plans share; it refers to neither, so that all go as soon as nobody needs them."""

    factors: Factors
    groups: Sequence[Group]
    asked: bool = False
    """Whether the tables have been evaluated."""


class Mixture:
    """The factors of some kinds and all hard rules, by scope, with some variables fixed."""

    def __init__(self, factors: Factors, groups: Sequence[Group], *, most: int) -> None:
        self.contents, self.groups, self.most = Contents(factors, groups), groups, most
        self.scopes = [group.scope for group in groups]
        used = frozenset[str]().union(*self.scopes)
        self.sizes = {name: size for name, size in factors.choices.items() if name in used}
        """Of the variables that matter, in declared order."""

    @cached_property
    def best(self) -> "Plan | None":
        """The way that makes least work; None where it is too large."""
        return self._plan(best_order(self.scopes, self.sizes, most=self.most))

    @cached_property
    def in_turn(self) -> "Plan | None":
        """The way back from the last variable to the first, where it makes not much more work than the best."""
        best = self.best
        if best is None:
            return None
        order = given_order(self.scopes, self.sizes, list(self.sizes)[::-1], most=self.most)
        affordable = order is not None and order.cost <= max(LITTLE, PRICE_OF_ORDER * best.order.cost)
        return self._plan(order) if affordable else None

    @cached_property
    def cells(self) -> int:
        """How many values its tables have."""
        return sum((len(g.weighed) + len(g.hard)) * prod(self.sizes[name] for name in g.scope) for g in self.groups)

    @property
    def making(self) -> int:
        """What evaluating the tables that nobody has asked for yet comes to, in joint values gone through."""
        return 0 if self.contents.asked else self._unmade

    @cached_property
    def _unmade(self) -> int:
        factors = self.contents.factors
        asked = {factor for g in self.groups for factor in (*(f for _, f in g.weighed), *g.hard)}
        return sum(factors.work(factor) for factor in asked.difference(factors.tables)) // NODES

    def _plan(self, order: Order | None) -> "Plan | None":
        return None if order is None else Plan(self.contents, order, Buckets(self.scopes, self.sizes, order))


@dataclass(eq=False)
class Plan:
    """One order of elimination for a mixture."""

    contents: Contents
    order: Order
    buckets: Buckets
    free: list[Stack] | None = None
    """The stacks where no variable is fixed."""

    def tables(self, weights: Mapping[Kind, float], fixed: Mapping[str, Value]) -> list[Floats]:
        """One table for each scope, as the buckets take them; `fixed` has values of the mixture's fixed variables."""
        self.contents.asked = True
        if fixed:
            stacks = [self._stack(number, fixed) for number in range(len(self.contents.groups))]
        else:
            self.free = self.free or [self._stack(number, {}) for number in range(len(self.contents.groups))]
            stacks = self.free
        return [stack.sum(weights) for stack in stacks]

    def _stack(self, number: int, fixed: Mapping[str, Value]) -> Stack:
        group, table = self.contents.groups[number], self.contents.factors.table
        weighed = [self.buckets.laid(number, table(factor, fixed)) for _, factor in group.weighed]
        hard = [self.buckets.laid(number, table(factor, fixed)) for factor in group.hard]
        (shape,) = {laid.shape for laid in (*weighed, *hard)}
        return Stack(
            kinds=tuple(kind for kind, _ in group.weighed),
            weighed=np.array(weighed).reshape(len(weighed), prod(shape)),
            shape=shape,
            hard=sum(hard[1:], start=hard[0]) if hard else None,
        )


def mixture(factors: Factors, kinds: Collection[Kind], held: frozenset[str], *, most: int) -> Mixture | None:
    """The mixture of these kinds; None where a table would be too large, or all of them together."""
    groups: dict[tuple[str, ...], Group] = {}
    cells = 0
    if any(factors.beyond(kind, held, most=MOST_TABLE) for kind in kinds):
        return None
    for kind in (None, *kinds):
        for factor in factors.hard if kind is None else factors.of(kind):
            scope = tuple(name for name in factor.scope if name not in held)
            size = factors.size(scope, most=MOST_TABLE)
            cells += size
            if size > MOST_TABLE or cells > MOST_CELLS:
                return None
            group = groups.setdefault(scope, Group(scope, [], []))
            if kind is None:
                group.hard.append(factor)
            else:
                group.weighed.append((kind, factor))
    return Mixture(factors, list(groups.values()), most=most)
