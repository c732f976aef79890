"""Optima of a task, by whichever engine is likely to prove them soonest. In: a task and goals; out: proven optima.

Nothing is called optimal without a proof: an engine that ran out of time leaves a value, a bound and the gap.
"""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from colosseum.language.gc_pause import gc_paused
from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.backend import NOT_PROVEN, Backend, Clock, Engine, Optimum, Query, WorkClock
from colosseum.solve.backends import BACKENDS
from colosseum.solve.backends.elimination import Elimination
from colosseum.solve.backends.engine_process import PROCESSES
from colosseum.solve.backends.highs import Highs
from colosseum.solve.backends.toulbar2 import Toulbar2
from colosseum.solve.canonical import first
from colosseum.solve.goal import Goal, mixed

__all__ = ["NOT_PROVEN", "TIME_LIMIT", "Optimum", "Solver"]

TIME_LIMIT = 120.0  # seconds that one query may take
LITTLE = 1_000_000
"""Joint values that elimination goes through in less time than it takes to ask another engine, about 0.01 s, …"""
MUCH = 1 << 27  # … and in a second
A_MOMENT = 0.1  # seconds that toulbar2 has at least
SOME, FEW = 16, 1_000
"""The relaxation is tried first at each so-manieth query of small tables, where variables have up to so many values:
repeated optima come soonest by it where it is whole, as it is for some goals of a task and not for others."""
FEW_OPEN, FEW_LEFT = 12, 20_000  # open variables, and their joint values times payoffs: less work than a relaxation
SHARE = 0.25  # of a query's time, what toulbar2 may take, which may come to no end


@dataclass(eq=False)
class Solver:
    """A task with its engines, each made when it is first asked; they keep what the next query can use."""

    task: Task
    time_limit: float = TIME_LIMIT
    """What a query may take, by the clock."""
    until: float = math.inf
    """When a question of many queries ends, by the clock; a query that comes later is left open."""
    by_work: bool = field(default=False, kw_only=True)
    """Whether limits go by seconds of work: what HiGHS comes to is the same on every machine then."""
    only: Engine | None = field(default=None, kw_only=True)
    """The one engine that is to be asked."""
    slow: bool = field(default=False, init=False)
    """Whether toulbar2 has come to no end: it has no more than a moment from then on."""
    asked: int = field(default=0, init=False)
    """How often it was asked."""
    whole: bool = field(default=False, init=False)
    """Whether the last relaxation was a proof: it comes first then."""

    @cached_property
    def clock(self) -> Clock:
        """What limits go by."""
        return WorkClock() if self.by_work else time.monotonic

    @cached_property
    def highs(self) -> Highs:
        """The engine for linear rules, and for many queries."""
        return Highs(self.task, self.clock)

    @cached_property
    def elimination(self) -> Elimination:
        """The engine for few variables at a time."""
        return Elimination(self.task)

    @cached_property
    def toulbar2(self) -> Toulbar2 | None:
        """The engine for tables, where it is installed; it counts no work."""
        usable = PROCESSES["toulbar2"].installed and not self.by_work
        return Toulbar2(self.task, self.elimination.factors) if usable else None

    @cached_property
    def alone(self) -> Backend | None:
        """The one engine that is to be asked."""
        if self.only is None:
            return None
        return self.highs if self.only == "highs" else BACKENDS[self.only](self.task)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """All queries of the block together may take so long."""
        outer, self.until = self.until, self.clock() + seconds
        try:
            yield
        finally:
            self.until = outer

    @property
    def late(self) -> bool:
        """Whether the time of the question is over."""
        return self.clock() > self.until

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of greatest value with some variables fixed.

        A canonical one is the first of all; where that is not known in the end (`Optimum.canonical`), or where it is
        cut off, it is what a new solver answers, whatever this one was asked before.
        Raises NotLowered, and Fault where a payoff is undefined at the answer.
        """
        return self._optimise(Query(goal, fixed or {}, canonical))

    def minimise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of least value."""
        return self._optimise(Query(mixed({goal: -1.0}), fixed or {}, canonical)).opposite

    def reach(self, goal: Goal) -> float:
        """How much more a goal may be worth at its best than at its worst, at most. Raises NotLowered."""
        costs = self.highs.lowered.objective(goal)
        return costs.high - costs.low

    @gc_paused()
    def _optimise(self, query: Query) -> Optimum:
        start, self.asked = time.perf_counter(), self.asked + 1
        if self.late:
            return Optimum("limit", reason=NOT_PROVEN)
        until = min(self.until, self.clock() + self.time_limit)
        found = self.alone.solve(query, until=until) if self.alone else self._best(query, until)
        if query.canonical and found.status == "optimal" and not found.canonical:
            found = self._first(query, found, until)
        if query.canonical and found.status != "infeasible" and not (found.canonical or self.asked == 1 or self.late):
            return self.anew(self.task)._optimise(query)
        why = found.reason or NOT_PROVEN if found.status == "limit" else ""
        return replace(found, seconds=time.perf_counter() - start, reason=why)

    def anew(self, task: Task) -> "Solver":
        """A solver that was asked nothing yet, for the same question."""
        new = Solver(task, self.time_limit, self.until, by_work=self.by_work, only=self.only)
        new.clock = self.clock
        if task.requirements is self.task.requirements:
            new.highs = Highs(task, self.clock, self.highs.base)
        return new

    def _first(self, query: Query, found: Optimum, until: float) -> Optimum:
        """The first of all optima, where the engine that found one (HiGHS for PuLP) knows it for little; else that."""
        tables: dict[Engine, Backend | None] = {"elimination": self.elimination, "toulbar2": self.toulbar2}
        engine = self.alone if found.by == "cp-sat" else tables.get(found.by)
        if engine is None:
            return first(self.task, query, found, partial(self.highs.tried, until=until), reach=self.highs.live.reach)
        return first(self.task, query, found, partial(engine.solve, until=math.inf if self.by_work else until))

    def _best(self, query: Query, until: float) -> Optimum:
        """Any optimum, by the first of these that comes to an end: engines for tables, where the query is nothing but
        small ones; the relaxation, before them where it was a proof; a short elimination; a search by HiGHS.
        """
        if len(self.task.variables) - len(query.fixed) <= FEW_OPEN:
            left = math.prod(len(v.domain) for v in self.task.variables if v.name not in query.fixed)
            if left * len(self.task.payoffs) <= FEW_LEFT and (found := self._eliminated(query)):
                return found
        ways = (self._by_tables, self._relaxed)
        if self.whole or (self.asked % SOME == 0 and sum(len(v.domain) for v in self.task.variables) <= FEW):
            ways = (self._relaxed, self._by_tables)
        found = ways[0](query, until) or ways[1](query, until) or self._eliminated(query)
        return found or self.highs.solve(query, until=until)

    def _relaxed(self, query: Query, until: float) -> Optimum | None:
        """What the relaxation proves."""
        found = self.highs.relaxed(query, until=until)
        self.whole = found is not None
        return found

    def _eliminated(self, query: Query, *, most: int = LITTLE) -> Optimum | None:
        """The best assignment by elimination, where that goes through so few joint values."""
        order = self.elimination.plan(query)
        short = order is not None and order.cost <= most
        return self.elimination.solve(query, until=math.inf) if short else None

    def _by_tables(self, query: Query, until: float) -> Optimum | None:
        """The best assignment where the query is nothing but small tables, and an engine comes to an end soon enough.

        Nobody knows how long toulbar2 will search: it has as long as elimination would take, if that is no more than a
        second; else a share of all time, unless that was once not enough.
        """
        if not self.elimination.factors.small(query):
            return None
        if (found := self._eliminated(query)) or self.toulbar2 is None:
            return found
        order, now = self.elimination.plan(query), time.monotonic()
        seconds = order.cost / MUCH if order else math.inf
        share = max(A_MOMENT, seconds) if seconds <= 1 else A_MOMENT if self.slow else SHARE * (until - now)
        found = self.toulbar2.solve(query, until=min(until, now + share))
        if found.status != "limit":
            return found
        self.slow = self.slow or seconds > 1
        return self._eliminated(query, most=MUCH)
