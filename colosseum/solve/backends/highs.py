"""HiGHS, warm. In: a task and a query; out: proven optima of its integer program.

One live program answers all queries of a task, from the basis of the last. The relaxation comes first.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite
from typing import ClassVar

import numpy as np

from colosseum.model.scenario import Requirement, Task
from colosseum.model.values import Value
from colosseum.solve.backend import Clock, Engine, Optimum, Query, checked, worth
from colosseum.solve.backends.highs_live import LiveProgram
from colosseum.solve.lowering.conditions import settle
from colosseum.solve.lowering.lower import Lowered, lower
from colosseum.solve.lowering.program import matrix, total
from colosseum.solve.scoring import AGREEMENT, Disagreement, grain, hard_broken

SMALL = 1_000  # columns of a program that is searched at each step of a walk


@dataclass
class Highs:
    """The engine for one task."""

    name: ClassVar[Engine] = "highs"
    task: Task
    clock: Clock = time.monotonic  # what tells when to stop
    base: "Highs | None" = None
    """The engine for a task with the same hard requirements and some of the payoffs, which are not lowered again."""
    known: tuple[tuple[int, int], LiveProgram] | None = field(init=False, default=None)

    @cached_property
    def lowered(self) -> Lowered:
        """The task as an integer program. Raises NotLowered."""
        if self.base is None and not self.task.payoffs:
            return lower(self.task)
        self.base = self.base or Highs(replace(self.task, payoffs=()))
        self.base.lowered.payoffs()
        return self.base.lowered.under(self.task)

    @property
    def live(self) -> LiveProgram:
        """The solvers of the program as it is now: objectives may have added columns and rows."""
        program = self.lowered.program
        shape = len(program.columns), len(program.rows)
        if self.known is None or self.known[0] != shape:
            self.known = shape, LiveProgram(matrix(program), self.clock)
        return self.known[1]

    def relaxed(self, query: Query, *, until: float) -> Optimum | None:
        """The answer where the relaxation alone proves one; None where it does not."""
        return _Attempt(self, query, until).relaxed()

    def tried(self, query: Query, *, until: float) -> Optimum | None:
        """The same for a query of a walk to the first optimum, proven to a grain; a small program is searched."""
        attempt = _Attempt(self, query, until)
        found = attempt.relaxed(checked=False) or (attempt.searched() if len(attempt.weights) <= SMALL else None)
        return None if found and attempt.bound - (found.value or 0.0) > grain(found.value or 0.0) else found

    def solve(self, query: Query, *, until: float) -> Optimum:
        """The best assignment, by the relaxation or branch and bound.

        Rows hold to a tolerance: an assignment that they let through and the model does not is forbidden as such.
        """
        bound = inf
        while self.clock() <= until:
            attempt = _Attempt(self, query, until)
            found = attempt.relaxed() or attempt.searched()
            if found is not None:
                return found
            bound = attempt.bound
        return Optimum("limit", bound=bound if isfinite(bound) else None)


class _Attempt:
    """One query on the program as it is now: what each way proves, the cheapest first."""

    def __init__(self, engine: Highs, query: Query, until: float) -> None:
        """Ask the relaxation. Raises NotLowered."""
        self.engine, self.query, self.until = engine, query, until
        self.costs = engine.lowered.objective(query.goal, query.ranks)
        self.weights, self.live = self.costs.weights, engine.live
        self.bounded = engine.lowered.program.fixed(self.live.matrix, query.fixed)
        self.best = self.live.relax(self.weights, self.bounded, until=until)

    @property
    def bound(self) -> float:
        """What no assignment is worth more than."""
        return self.costs.constant + self.best.bound

    def relaxed(self, *, checked: bool = True) -> Optimum | None:
        """What the relaxation proves, if anything: that there is nothing, or the whole numbers near its best point."""
        if self.best.status == "infeasible":
            return Optimum("infeasible")
        if (point := self.best.point) is None or self.best.status != "optimal":
            return None
        assignment = self.engine.lowered.program.decode(point)
        if not checked and np.all(np.abs(point - np.round(point))[self.live.matrix.whole] < AGREEMENT):
            return Optimum("optimal", self.bound, assignment)
        value = worth(self.engine.task, self.query, assignment)
        if value is None or not -AGREEMENT * max(1.0, abs(value)) <= self.bound - value <= grain(value):
            return None
        return Optimum("optimal", value, assignment, value)

    def searched(self) -> Optimum | None:
        """What branch and bound proves, or leaves open; None where the program has got more rows, and is to be asked
        again: against a broken rule, or a tie that stood otherwise in the model.

        Raises Disagreement when an assignment is not what the solver thought, and no tie explains it.
        """
        self.best = self.live.search(self.weights, self.bounded, most=self.best.bound, until=self.until)
        status, task, point = self.best.status, self.engine.task, self.best.point
        if point is None:
            return Optimum(status, bound=self.bound if isfinite(self.bound) else None)
        assignment = self.engine.lowered.program.decode(point)
        if missed := hard_broken(task.requirements, assignment):
            self._forbid(missed[0], assignment)
            return None
        try:
            thought = self.costs.constant + float(self.weights @ point)
            value = checked(task, self.query, assignment, thought, self.engine.name)
        except Disagreement:
            if settle(self.engine.lowered.lowering, point, assignment):
                return None
            raise
        return Optimum(status, value, assignment, value if status == "optimal" else self.bound)

    def _forbid(self, missed: Requirement, assignment: Mapping[str, Value]) -> None:
        """Exclude the values at which a requirement is broken; no other goal may take them either."""
        program, scope = self.engine.lowered.program, sorted(missed.condition.scope)
        program.row(total([program.indicator(name, assignment[name]) for name in scope]), high=len(scope) - 1.0)
