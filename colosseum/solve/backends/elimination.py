"""Elimination on arrays. In: a task and a query; out: a proven optimum, or that too many variables hang together.

It shares nothing with the integer program but the meaning of terms, and is the fastest where few variables hang
together at a time: its cost is known before any work is done. What F_n, single payoffs and objectives put on the same
variables is stacked once, turned as its bucket needs it; another mixture of them is one product with each stack.
"""

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, prod
from typing import ClassVar

import numpy as np

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.arrays import Floats
from colosseum.solve.backend import Engine, Found, Query, checked
from colosseum.solve.buckets import (
    MOST_JOINT,
    Buckets,
    Ordering,
    Places,
    Solution,
    best_order,
    given_order,
    smallest_first,
)
from colosseum.solve.earliest import earliest
from colosseum.solve.factors import MOST_TABLE, Factor, Factors, Kind
from colosseum.solve.goal import Goal
from colosseum.solve.rounding import grain

MOST_CELLS = 8 * MOST_TABLE
"""Joint values that all tables given may have together."""
LITTLE = 50_000
"""Joint values of so little work that declared order is as good as any."""
LOOKED_FOR = 4_000_000
"""Joint values from which the best order is looked for; less is believed to a quick one, …"""
HOPE = 4
"""… which may make so much more work than the best."""
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
class FactorGroup:
    """The factors that are over the same variables once some are fixed."""

    scope: tuple[str, ...]
    weighed: list[tuple[Kind, Factor]]
    hard: list[Factor]


@dataclass(eq=False)
class Contents:
    """What a mixture and its plans share; it refers to neither, so that all go as soon as nobody needs them."""

    factors: Factors
    groups: Sequence[FactorGroup]
    asked: bool = False
    """Whether the tables have been evaluated."""


class Mixture:
    """The factors of some kinds and all hard rules, by scope, with some variables fixed."""

    def __init__(self, factors: Factors, groups: Sequence[FactorGroup], *, most: int) -> None:
        self.contents, self.groups, self.most = Contents(factors, groups), groups, most
        self.scopes = [group.scope for group in groups]
        used = frozenset[str]().union(*self.scopes)
        self.sizes = {name: size for name, size in factors.choices.items() if name in used}
        """Of the variables that matter, in declared order."""
        self.near: dict[int, bool] = {}
        """Whether so much work may be enough."""

    def may_take(self, most: int) -> bool:
        """Whether it may be done by so much work, as one quick order shows: the best takes longer to find."""
        if most >= LOOKED_FOR:
            return True
        if most not in self.near:
            quick = smallest_first(self.scopes, self.sizes, most=min(most, self.most))
            self.near[most] = quick is not None and quick.cost <= HOPE * most
        return self.near[most]

    @cached_property
    def best(self) -> "MixturePlan | None":
        """The way that makes least work; None where it is too large."""
        return self._plan(best_order(self.scopes, self.sizes, most=self.most))

    @cached_property
    def in_turn(self) -> "MixturePlan | None":
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
        asked = {factor: g.scope for g in self.groups for factor in (*(f for _, f in g.weighed), *g.hard)}
        return sum(factors.work(f, scope) for f, scope in asked.items() if f not in factors.tables) // NODES

    def _plan(self, order: Ordering | None) -> "MixturePlan | None":
        return None if order is None else MixturePlan(self.contents, order, Buckets(self.scopes, self.sizes, order))


@dataclass(eq=False)
class MixturePlan:
    """One order of elimination for a mixture."""

    contents: Contents
    order: Ordering
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
    groups: dict[tuple[str, ...], FactorGroup] = {}
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
            group = groups.setdefault(scope, FactorGroup(scope, [], []))
            if kind is None:
                group.hard.append(factor)
            else:
                group.weighed.append((kind, factor))
    return Mixture(factors, list(groups.values()), most=most)


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
    orders: ClassVar[bool] = True

    def __init__(self, task: Task, *, most: int = MOST_JOINT) -> None:
        """`most` is how many joint values the variables may have that hang together when one is eliminated."""
        self.task, self.most = task, most
        self.factors = Factors(task)
        self.mixtures: dict[tuple[frozenset[Kind], frozenset[str]], Mixture | None] = {}
        self.kept = 0

    def cost(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, most: int | None = None) -> Cost | None:
        """What an elimination takes; None where it is more than `most`. Nothing is evaluated to know it."""
        mixed = self._mixture(self.factors.weights(goal), fixed or {})
        if mixed is None or not (most is None or mixed.may_take(most)) or mixed.best is None:
            return None
        cost = Cost(mixed.cells + mixed.best.order.cost, mixed.making)
        return cost if most is None or cost.each <= most else None

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
        slack = grain(solved.value)
        first = _first(solved, mixed, slack, in_turn=plan is mixed.in_turn) if query.canonical else None
        assignment = self._decoded(solved.first(slack=0.0) if first is None else first, query.fixed)
        value = checked(self.task, query, assignment, solved.value, self.name)
        return Found("optimal", assignment, None, value, self.name, first=first is not None)

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
    """The values that its tables have, at least 1."""
    return 1 if mixed is None else mixed.cells


def _first(solved: Solution, mixed: Mixture, slack: float, *, in_turn: bool) -> Places | None:
    """The first optimum, or None where finding it is too much work."""
    if in_turn:
        return solved.first(slack=slack)
    return earliest(solved.plain(), mixed.sizes, least=solved.value - slack)
