"""Optima of a task, by whichever engine is likely to prove them soonest. In: a task and goals; out: proven optima.

Nothing is called optimal without a proof: an engine that ran out of time leaves a value, a bound and the gap.
"""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.backend import Backend, Clock, Engine, Found, Query, Status, WorkClock, worth
from colosseum.solve.backends import BACKENDS
from colosseum.solve.backends.elimination import Elimination
from colosseum.solve.backends.highs import Highs
from colosseum.solve.backends.networked import PROCESSES, Networked
from colosseum.solve.canonical import first
from colosseum.solve.goal import Goal
from colosseum.solve.lowering.lower import Lowered
from colosseum.solve.lowering.rules import DEFAULT_LIMITS, LoweringLimits
from colosseum.solve.network import small
from colosseum.solve.scoring import goal_value

TIME_LIMIT = 120.0
"""Seconds that one query may take."""
NOT_PROVEN = "the time limit was reached, or rounding left it open"
"""Why a status is "limit"."""
LITTLE = 1_000_000
"""Joint values that elimination goes through in less time than it takes to ask another engine, about 0.01 s, …"""
MUCH = 1 << 27
"""… and in about a second."""
A_SEARCH = 100_000
"""Joint values that elimination goes through, for each value of the variables, in the time of a branch and bound."""
A_MOMENT = 0.1
"""Seconds that toulbar2 has before the best order of an elimination is looked for."""
SOME, FEW = 16, 1_000
"""Queries of small tables after which the relaxation is tried first, and values of the variables up to which it is:
repeated optima come soonest by it where it is whole."""
SHARE = 0.25
"""Of a query's time, what toulbar2 may take, which may come to no end."""


@dataclass(frozen=True)
class Optimum:
    """The best assignment for a goal, or why there is none."""

    status: Status
    value: float | None
    """The exact value at the assignment, recomputed in the model; None when there is no assignment."""
    assignment: dict[str, Value] | None
    bound: float | None
    """No assignment is worth more than this (less, for a minimum); equal to the value when optimal."""
    canonical: bool
    """Whether it is the lexicographically first of all optima, by declared order of variables and domains."""
    seconds: float
    by: Engine = "highs"
    """The engine that found it, and proved it where it is optimal."""
    reason: str = ""
    """Why it is not proven."""

    @property
    def proven(self) -> float | None:
        """The value; None where it is not proven to be the best."""
        return self.value if self.status == "optimal" else None

    @property
    def gap(self) -> float | None:
        """`|bound − value|`, 0 when proven."""
        return None if self.value is None or self.bound is None else abs(self.bound - self.value)


@dataclass(eq=False)
class Solver:
    """A task with its engines, each made when it is first asked; they keep what the next query can use."""

    task: Task
    time_limit: float = TIME_LIMIT
    """What a query may take, by the clock."""
    limits: LoweringLimits = DEFAULT_LIMITS
    until: float = math.inf
    """When a question of many queries ends, by the clock; a query that comes later is left open."""
    by_work: bool = field(default=False, kw_only=True)
    """Whether limits go by seconds of work: what HiGHS comes to is the same on every machine then."""
    only: Engine | None = field(default=None, kw_only=True)
    """The one engine that is to be asked."""
    slow: bool = field(default=False, init=False)
    """Whether toulbar2 has come to no end: it is asked last from then on."""
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
        return Highs(self.task, self.limits, clock=self.clock)

    @cached_property
    def elimination(self) -> Elimination:
        """The engine for few variables at a time."""
        return Elimination(self.task)

    @cached_property
    def toulbar2(self) -> Networked | None:
        """The engine for tables, where it is installed; it counts no work."""
        usable = PROCESSES["toulbar2"].installed and not self.by_work
        return Networked("toulbar2", self.task, self.elimination.factors) if usable else None

    @property
    def lowered(self) -> Lowered:
        """The task as an integer program. Raises NotLowered."""
        return self.highs.lowered

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

    @property
    def _stop(self) -> float:
        """When a query that is asked now ends."""
        return min(self.until, self.clock() + self.time_limit)

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of greatest value with some variables fixed.

        A canonical one is the first of all; where that is not known in the end (`Optimum.canonical`), or where it is
        cut off, it is what a new solver answers, whatever this one was asked before.
        Raises NotLowered, and Fault where a payoff is undefined at the answer.
        """
        return self._optimise(Query(goal, 1.0, fixed or {}, canonical))

    def minimise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of least value."""
        return self._optimise(Query(goal, -1.0, fixed or {}, canonical))

    def reach(self, goal: Goal) -> float:
        """How much more a goal may be worth at its best than at its worst, at most: what the relaxation lets it.

        Infinite where that is not known. Raises NotLowered.
        """
        return sum(self.highs.bound(Query(goal, sign, {}), until=self._stop) for sign in (1.0, -1.0))

    def _optimise(self, query: Query) -> Optimum:
        start, self.asked = time.perf_counter(), self.asked + 1
        if self.late:
            return Optimum("limit", None, None, None, canonical=False, seconds=0.0, reason=NOT_PROVEN)
        until = self._stop
        found = self.alone.solve(query, until=until) if self.alone else self._best(query, until)
        if query.canonical and found.status == "optimal" and not found.first:
            found = self._first(query, found, until)
        if query.canonical and found.status != "infeasible" and not (found.first or self.asked == 1 or self.late):
            return self.anew(self.task)._optimise(query)
        if self.by_work and found.status == "limit" and found.assignment is None:
            found = self._anything(query, found)
        return told(self.task, query, found, time.perf_counter() - start)

    def anew(self, task: Task) -> "Solver":
        """A solver that was asked nothing yet, for the same question."""
        new = Solver(task, self.time_limit, self.limits, self.until, by_work=self.by_work, only=self.only)
        new.clock = self.clock
        return new

    def _anything(self, query: Query, found: Found) -> Found:
        """An assignment that keeps the hard rules, where the search for the best has come to none."""
        kept = self.anew(replace(self.task, payoffs=())).maximise(Goal(), fixed=query.fixed)
        if kept.assignment is None:
            return replace(found, status=kept.status)
        return replace(found, assignment=kept.assignment, value=worth(self.task, query, kept.assignment))

    def _first(self, query: Query, found: Found, until: float) -> Found:
        """The first of all optima, where that is known for little; else the one that was found."""
        found_by: dict[Engine, Backend] = {"highs": self.highs, "elimination": self.elimination}
        engines = [self.alone or found_by.get(found.by, self.toulbar2)]
        if found.by == "highs" and not self.alone:
            order = self.elimination.plan(query)
            engines.append(self.elimination if order is not None and order.cost <= MUCH else self.toulbar2)
        for engine in filter(None, engines):
            ask = self.highs.tried if engine is self.highs else engine.solve
            stop = until if engine is self.highs else self._aside(until)
            again = found if found.by == engine.name else engine.solve(query, until=stop)
            if again.status == "optimal" and not again.first:
                again = first(self.task, query, again, partial(ask, until=stop), ranks=engine.name != "pulp")
            if again.first:
                return again
        return found

    def _best(self, query: Query, until: float) -> Found:
        """Any optimum, by four rules: engines for tables, where the query is nothing but small ones; the relaxation,
        before them where it was a proof; elimination, where that takes no longer than a search; a search.
        """
        relaxed, tables = self._relaxed, self._by_tables
        values = sum(len(v.domain) for v in self.task.variables)
        ways = (relaxed, tables) if self.whole or (self.asked == SOME and values <= FEW) else (tables, relaxed)
        most = min(MUCH, A_SEARCH * values)
        for way in (*ways, partial(self._eliminated, most=most)):
            if found := way(query, until):
                return found
        return self._searched(query, until)

    def _relaxed(self, query: Query, until: float) -> Found | None:
        """What the relaxation proves."""
        found = self.highs.relaxed(query, until=until)
        self.whole = found is not None
        return found

    def _eliminated(self, query: Query, until: float, *, most: int) -> Found | None:
        """The best assignment by elimination, where that goes through so few joint values."""
        order = self.elimination.plan(query)
        if order is None or order.cost > most:
            return None
        found = self.elimination.solve(query, until=self._aside(until))
        return None if found.status == "limit" else found

    def _by_tables(self, query: Query, until: float) -> Found | None:
        """The best assignment where the query is nothing but small tables, and an engine comes to an end soon enough.

        Nobody knows how long toulbar2 will search: it has a moment, then comes elimination, if that takes no more than
        a second; else toulbar2 has a share of all time.
        """
        if not small(self.elimination.factors, query):
            return None
        found = self._eliminated(query, until, most=LITTLE)
        if found or self.toulbar2 is None or self.slow:
            return found
        until = self._aside(until)
        found = self.toulbar2.solve(query, until=min(until, time.monotonic() + A_MOMENT))
        if found.status == "limit":
            share = time.monotonic() + SHARE * (until - time.monotonic())
            found = self._eliminated(query, until, most=MUCH) or self.toulbar2.solve(query, until=share)
        self.slow = found.status == "limit"
        return None if self.slow else found

    def _aside(self, until: float) -> float:
        """When an engine must stop that counts no work: after as many seconds by the clock."""
        return time.monotonic() + self.time_limit if self.by_work else until

    def _searched(self, query: Query, until: float) -> Found:
        """By HiGHS, and by toulbar2 in the end."""
        found = again = self.highs.solve(query, until=until - SHARE * (until - self.clock()))
        if self.toulbar2 is not None and found.status == "limit":
            again = self.toulbar2.solve(query, until=self._aside(until))
        return found if again.status == "limit" else again


def told(task: Task, query: Query, found: Found, seconds: float) -> Optimum:
    """What an engine found, in the goal's own sign."""
    bound = None if found.bound is None else query.sign * found.bound
    why = found.reason or NOT_PROVEN if found.status == "limit" else ""
    if found.assignment is None:
        return Optimum(found.status, None, None, bound, canonical=False, seconds=seconds, by=found.by, reason=why)
    value = goal_value(task, query.goal, found.assignment) if found.value is None else query.sign * found.value
    bound = value if found.status == "optimal" else bound
    return Optimum(found.status, value, found.assignment, bound, found.first, seconds, found.by, why)
