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
from colosseum.solve.network import table_values
from colosseum.solve.scoring import goal_value

TIME_LIMIT = 120.0
"""Seconds that one query may take, and as many for the first of its optima."""
NOT_PROVEN = "the time limit was reached, or rounding left it open"
"""Why a status is "limit"."""
FEW = 20_000
"""Joint values that elimination goes through in less time than a relaxation takes that is mostly no proof, …"""
LITTLE = 1_000_000
"""… in less time than it takes to ask another engine, about a hundredth of a second, …"""
MUCH = 1 << 27
"""… and in about a second."""
MANY_COLUMNS = 1_000
"""Columns of a program whose relaxation takes longer than a FEW joint values."""
A_COLUMN = 30_000
"""Joint values that elimination goes through in the time of a branch and bound, for each column of the program."""
CHANCE = 16
"""Every so many queries the relaxation comes first again, however often it was no proof."""
A_VALUE = 1e-4
"""Seconds that go to other engines before the program is lowered, for each value of the tables: what lowering takes,
and the first relaxation."""
A_MOMENT = 0.1
"""Seconds that toulbar2 has before the best order of an elimination is looked for."""
AT_MOST = 10.0
"""Seconds of toulbar2 where limits go by work, which it does not count; it proves in a moment, or hardly ever."""
SHARE = 0.25
"""Of a query's time, what the first engine may take that may come to no end."""


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


@dataclass
class Luck:
    """How often relaxations were a proof."""

    asked: int = 0
    tried: int = 0
    failed: int = 0

    @property
    def bad(self) -> bool:
        """Whether most were none."""
        return 2 * self.failed > self.tried

    def stand_back(self) -> bool:
        """Whether they come last this time, as most were no proof; now and then they get another chance."""
        self.asked += 1
        return self.bad and self.asked % CHANCE > 0


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
    """Whether limits go by work: what HiGHS comes to is the same on every machine then."""
    only: Engine | None = field(default=None, kw_only=True)
    """The one engine that is to be asked."""
    fresh: bool = field(default=True, init=False)
    """Whether nothing was asked yet."""
    luck: tuple[Luck, Luck] = field(default_factory=lambda: (Luck(), Luck()), init=False)
    """Of relaxations without and with variables fixed."""
    spent: float = field(default=0.0, init=False)
    """Seconds that went to other engines as long as the program was not lowered."""

    @cached_property
    def clock(self) -> Clock:
        """What limits go by."""
        return WorkClock() if self.by_work else time.monotonic

    @cached_property
    def highs(self) -> Highs:
        """The engine for linear rules, and for many queries."""
        return Highs(self.task, self.limits, clock=self.clock)

    @property
    def warm(self) -> bool:
        """Whether the integer program is there."""
        return "lowered" in self.highs.__dict__

    @cached_property
    def elimination(self) -> Elimination:
        """The engine for few variables at a time."""
        return Elimination(self.task)

    @cached_property
    def toulbar2(self) -> Networked | None:
        """The engine for tables, where it is installed."""
        installed = PROCESSES["toulbar2"].installed
        return Networked("toulbar2", self.task, self.elimination.factors) if installed else None

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

    def _on_the_wall(self, until: float) -> float:
        """The end of a query for engines that count no work."""
        return time.monotonic() + AT_MOST if self.by_work else until

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of greatest value with some variables fixed.

        A canonical one is the first of all; where that is not known in the end (`Optimum.canonical`), it is what a new
        solver answers, whatever this one was asked before.
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
        ends = (self.highs.bound(Query(goal, sign, {}), until=self._stop) for sign in (1.0, -1.0))
        return sum(ends)

    def _optimise(self, query: Query) -> Optimum:
        start, fresh, self.fresh = time.perf_counter(), self.fresh, False
        if self.late:
            return Optimum("limit", None, None, None, canonical=False, seconds=0.0, reason=NOT_PROVEN)
        if self.alone is not None:
            found = self._walked(query, self.alone)
        else:
            found = self._first(query) if query.canonical else self._best(query)
        if query.canonical and found.status == "optimal" and not (found.first or fresh):
            new = Solver(self.task, self.time_limit, self.limits, self.until, by_work=self.by_work, only=self.only)
            return new._optimise(query)
        if self.by_work and found.status == "limit" and found.assignment is None:
            found = self._anything(query, found)
        return told(self.task, query, found, time.perf_counter() - start)

    def _anything(self, query: Query, found: Found) -> Found:
        """An assignment that keeps the hard rules, where the search for the best has come to none."""
        ruled = Solver(replace(self.task, payoffs=()), self.time_limit, self.limits, by_work=self.by_work)
        kept = ruled.maximise(Goal(), fixed=query.fixed)
        if kept.assignment is None:
            return replace(found, status=kept.status)
        return replace(found, assignment=kept.assignment, value=worth(self.task, query, kept.assignment))

    def _first(self, query: Query) -> Found:
        """The first of all optima, by the engine that has it for little; else an optimum that another has found."""
        until = self._stop
        warm = self.warm and not self.luck[bool(query.fixed)].bad
        found = None if warm else self._eliminated(query, until, most=LITTLE)
        if found and (found.first or found.status == "infeasible"):
            return found
        tables = None if warm else self._by_tables(query, until)
        found = tables or self._best(query)
        if found.status != "optimal" or found.first:
            return found
        if found.by == "highs":
            found = first(self.task, query, found, partial(self.highs.tried, until=self._stop), ranks=True)
        if not found.first and (again := self._eliminated(query, until, most=MUCH)) and again.first:
            return again
        if found.first or tables or self.toulbar2 is None:
            return found
        again = self.toulbar2.solve(query, until=self._on_the_wall(until))
        return again if again.first else found

    def _walked(self, query: Query, engine: Backend) -> Found:
        """The answer of one engine; where it knows no order, earlier values are tried variable by variable."""
        until = self._stop
        found = engine.solve(query, until=until)
        if not query.canonical or found.status != "optimal" or engine.orders:
            return found
        assert found.assignment is not None
        assert found.value is not None
        ask = self.highs.tried if engine is self.highs else engine.solve
        return first(self.task, query, found, partial(ask, until=until), ranks=engine is self.highs)

    def _best(self, query: Query) -> Found:
        """Any optimum: by the relaxation where it is whole; else by elimination or tables, by a search in the end."""
        until, luck = self._stop, self.luck[bool(query.fixed)]
        query = query.holding(query.fixed)
        if not self.warm and (found := self._unlowered(query, until)):
            return found
        if luck.stand_back():
            found = self._eliminated(query, until) or self._by_tables(query, until)
        elif len(self.lowered.program.columns) > MANY_COLUMNS:
            found = self._eliminated(query, until, most=FEW)
        else:
            found = None
        if found is not None:
            return found
        luck.tried += 1
        if found := self.highs.relaxed(query, until=until):
            return found
        luck.failed += 1
        for way in (self._eliminated, self._by_tables):
            if found := way(query, until):
                return found
        return self._searched(query, until)

    def _unlowered(self, query: Query, until: float) -> Found | None:
        """The answer of an engine that needs no integer program, until these have taken as long as lowering would."""
        began = self.clock()
        values = table_values(self.elimination.factors, query)
        if values is None or self.spent > A_VALUE * values:
            return None
        found = self._eliminated(query, until) or self._by_tables(query, until)
        self.spent += self.clock() - began
        return found

    def _eliminated(self, query: Query, until: float, *, most: int = LITTLE) -> Found | None:
        """The best assignment by elimination, where that goes through so few joint values."""
        cost = self.elimination.cost(query)
        if cost is None or cost > most:
            return None
        found = self.elimination.solve(query, until=self._on_the_wall(until))
        return None if found.status == "limit" else found

    def _by_tables(self, query: Query, until: float) -> Found | None:
        """The best assignment where the query is nothing but small tables, and an engine comes to an end soon enough.

        Nobody knows how long toulbar2 will search: it has a moment, then comes elimination, if that takes no more than
        a second; else toulbar2 has a share of all time.
        """
        if self.toulbar2 is None or table_values(self.elimination.factors, query) is None:
            return None
        until = self._on_the_wall(until)
        found = self.toulbar2.solve(query, until=min(until, time.monotonic() + A_MOMENT))
        if found.status != "limit":
            return found
        cost = self.elimination.cost(query)
        if cost is not None and cost <= MUCH:
            return self._eliminated(query, until, most=MUCH)
        found = self.toulbar2.solve(query, until=_part(time.monotonic(), until, SHARE))
        return None if found.status == "limit" else found

    def _searched(self, query: Query, until: float) -> Found:
        """By elimination if that is no more than a branch and bound; else by HiGHS, and by toulbar2 in the end."""
        most = min(MUCH, A_COLUMN * len(self.lowered.program.columns))
        if found := self._eliminated(query, until, most=most):
            return found
        if self.toulbar2 is None:
            return self.highs.solve(query, until=until)
        found = self.highs.solve(query, until=_part(self.clock(), until, 1.0 - SHARE))
        if found.status != "limit":
            return found
        return _better(found, self.toulbar2.solve(query, until=self._on_the_wall(until)))


def told(task: Task, query: Query, found: Found, seconds: float) -> Optimum:
    """What an engine found, in the goal's own sign."""
    bound = None if found.bound is None else query.sign * found.bound
    why = found.reason or NOT_PROVEN if found.status == "limit" else ""
    if found.assignment is None:
        return Optimum(found.status, None, None, bound, canonical=False, seconds=seconds, by=found.by, reason=why)
    value = goal_value(task, query.goal, found.assignment) if found.value is None else query.sign * found.value
    bound = value if found.status == "optimal" else bound
    return Optimum(found.status, value, found.assignment, bound, found.first, seconds, found.by, why)


def _part(now: float, until: float, share: float) -> float:
    """When a share of what is left is over."""
    return now + share * (until - now)


def _better(one: Found, other: Found) -> Found:
    """What two engines know together."""
    if other.status != "limit":
        return other
    best = max(one, other, key=lambda found: -math.inf if found.value is None else found.value)
    bounds = [found.bound for found in (one, other) if found.bound is not None]
    return replace(best, bound=min(bounds, default=None))
