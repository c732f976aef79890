"""Optima of a task. In: a lowered program and goals; out: assignments in the spec's words, recomputed exactly.

Nothing is called optimal without a proof: a solver that ran out of time leaves a value, a bound and the gap.
"""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.elimination.eliminate import Elimination
from colosseum.solve.goal import Goal
from colosseum.solve.lowering.lower import Lowered, lower
from colosseum.solve.lowering.rules import DEFAULT_LIMITS, Limits
from colosseum.solve.scoring import goal_value
from colosseum.solve.searching.canonical import first
from colosseum.solve.searching.live import Status
from colosseum.solve.searching.search import Found, Query, Search, Way

TIME_LIMIT = 120.0
"""Seconds that one query may take, and as many for the first of its optima."""
NOT_PROVEN = "the time limit was reached, or rounding left it open"
"""Why a status is "limit"."""
LITTLE = 50_000
"""Joint values that an elimination may go through before anything else is tried."""


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
    by: Way = "integer program"
    """How it was found."""

    @property
    def proven(self) -> float | None:
        """The value; None where it is not proven to be the best."""
        return self.value if self.status == "optimal" else None

    @property
    def gap(self) -> float | None:
        """`|bound − value|`, 0 when proven."""
        return None if self.value is None or self.bound is None else abs(self.bound - self.value)


@dataclass
class Solver:
    """A task's program with live solvers; queries change costs and bounds only."""

    task: Task
    time_limit: float = TIME_LIMIT
    limits: Limits = DEFAULT_LIMITS
    until: float = math.inf
    """When a question of many queries ends, by the monotonic clock; a query that comes later is left open."""
    lowered: Lowered = field(init=False)
    search: Search = field(init=False)
    fresh: bool = field(init=False, default=True)
    """Whether nothing was asked yet."""

    def __post_init__(self) -> None:
        self.lowered = lower(self.task, limits=self.limits)
        self.search = Search(self.task, self.lowered, Elimination(self.task), self.time_limit)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """All queries of the block together may take so long."""
        outer, self.until = self.until, time.monotonic() + seconds
        try:
            yield
        finally:
            self.until = outer

    @property
    def late(self) -> bool:
        """Whether the time of the question is over."""
        return time.monotonic() > self.until

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of greatest value with some variables fixed.

        A canonical one is the first of all; where that is not known in the end (`Optimum.canonical`), it is what a new
        solver answers, whatever this one was asked before.
        Raises NotLowered, and Fault where a payoff is undefined at the answer.
        """
        return self._optimise(goal, 1.0, fixed or {}, canonical=canonical)

    def minimise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of least value."""
        return self._optimise(goal, -1.0, fixed or {}, canonical=canonical)

    def reach(self, goal: Goal) -> float:
        """How much more a goal may be worth at its best than at its worst, at most: what the relaxation lets it.

        Infinite where that is not known. Raises NotLowered.
        """
        self.search.stop_at(min(self.until, time.monotonic() + self.time_limit))
        most, least = (self.search.bound(Query(goal, sign, {})) for sign in (1.0, -1.0))
        return most + least

    def _optimise(self, goal: Goal, sign: float, fixed: Mapping[str, Value], *, canonical: bool) -> Optimum:
        start, fresh, self.fresh = time.perf_counter(), self.fresh, False
        if self.late:
            return Optimum("limit", None, None, None, canonical=False, seconds=0.0)
        query, stop = Query(goal, sign, fixed), min(self.until, time.monotonic() + self.time_limit)
        self.search.stop_at(stop)
        found = self._first(query, stop) if canonical else self.search.best(query, until=stop)
        if canonical and found.status == "optimal" and not (found.first or fresh or found.by == "elimination"):
            again = Solver(self.task, self.time_limit, self.limits, self.until)
            return again._optimise(goal, sign, fixed, canonical=True)
        bound = None if found.bound is None else sign * found.bound
        if found.assignment is None:
            return Optimum(found.status, None, None, bound, canonical=False, seconds=_since(start), by=found.by)
        value = goal_value(self.task, goal, found.assignment) if found.value is None else sign * found.value
        bound = value if found.status == "optimal" else bound
        return Optimum(found.status, value, found.assignment, bound, found.first, _since(start), found.by)

    def _first(self, query: Query, stop: float) -> Found:
        """The first of all optima: by elimination where that is little work, or where the search needed it."""
        found = self.search.eliminated(query, canonical=True, most=LITTLE)
        if found is not None and (found.first or found.status == "infeasible"):
            return found
        found = self.search.best(query, until=stop)
        if found.status != "optimal":
            return found
        if found.by == "elimination":
            return self.search.eliminated(query, canonical=True, most=self.search.hard) or found
        return first(self.search, query, found)


def _since(start: float) -> float:
    return time.perf_counter() - start
