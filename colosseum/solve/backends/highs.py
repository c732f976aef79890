"""HiGHS, warm. In: a task and a query; out: proven optima of its integer program.

One live program answers all queries of a task: these change costs and bounds only, and simplex goes on from its basis.
The relaxation comes first, then a dive, branch and bound last.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from colosseum.model.scenario import Requirement, Task
from colosseum.model.values import Value
from colosseum.solve.backend import Clock, Engine, Found, Query, exact, worth
from colosseum.solve.backends.highs_live import Best, Box
from colosseum.solve.backends.highs_program import LiveProgram, reached
from colosseum.solve.lowering.conditions import settle
from colosseum.solve.lowering.lower import Lowered, lower
from colosseum.solve.lowering.program import matrix, total
from colosseum.solve.lowering.rules import DEFAULT_LIMITS, LoweringLimits
from colosseum.solve.rounding import grain
from colosseum.solve.scoring import AGREEMENT, Disagreement, broken, score

MOST_TRIES = 1_000
"""Assignments that may be excluded one by one before a query is given up."""
SMALL = 500
"""Columns of a program that is searched for one value of a walk."""


@dataclass
class Highs:
    """The engine for one task."""

    name: ClassVar[Engine] = "highs"
    task: Task
    limits: LoweringLimits = DEFAULT_LIMITS
    clock: Clock = time.monotonic
    """What tells when to stop."""
    known: tuple[tuple[int, int], LiveProgram] | None = field(init=False, default=None)

    @cached_property
    def lowered(self) -> Lowered:
        """The task as an integer program. Raises NotLowered."""
        return lower(self.task, limits=self.limits)

    @property
    def live(self) -> LiveProgram:
        """The solvers of the program as it is now: objectives may have added columns and rows."""
        program = self.lowered.program
        shape = len(program.columns), len(program.rows)
        if self.known is None or self.known[0] != shape:
            self.known = shape, LiveProgram(matrix(program), self.clock)
        return self.known[1]

    def relaxed(self, query: Query, *, until: float) -> Found | None:
        """The answer where the relaxation alone proves one; None where it does not."""
        return _Attempt(self, query, until).relaxed

    def tried(self, query: Query, *, until: float) -> Found | None:
        """The same for a query of a walk to the first optimum: any assignment that is worth enough will do.

        Where a single value is left to try, a dive looks for one, and a search does in a small program.
        """
        attempt = _Attempt(self, query, until)
        if attempt.relaxed or query.ranks or any(len(places) > 1 for places in query.among.values()):
            return attempt.relaxed
        small = len(attempt.weights) <= SMALL
        return attempt.dived() or (self.solve(query, until=until) if small else None)

    def solve(self, query: Query, *, until: float) -> Found:
        """The best assignment: by the relaxation, a dive, or branch and bound.

        Rows hold to a tolerance, so `<=` between fractions can let through what the model excludes by a rounding error:
        such an assignment is forbidden in so many words, and the search goes on.
        """
        bound: float | None = None
        for _ in range(MOST_TRIES):
            attempt = _Attempt(self, query, until)
            found = attempt.relaxed or attempt.dived() or attempt.searched()
            if found is not None:
                return found
            bound = attempt.bound
            if self.clock() > until:
                break
        return Found("limit", bound=bound)

    def bound(self, query: Query, *, until: float) -> float:
        """What no assignment exceeds, by the relaxation; infinite where that comes to no end, or to nothing."""
        attempt = _Attempt(self, query, until)
        return attempt.bound + grain(attempt.bound) if attempt.best.status == "optimal" else math.inf


class _Attempt:
    """One query on the program as it is now: what each way proves, the cheapest first."""

    def __init__(self, engine: Highs, query: Query, until: float) -> None:
        """Ask the relaxation. Raises NotLowered."""
        self.engine, self.query, self.until = engine, query, until
        costs = engine.lowered.objective(query.goal)
        self.constant, self.weights = query.sign * costs.constant, query.sign * costs.weights
        for name, step in query.ranks.items():
            choice = engine.lowered.program.choices[name]
            self.weights[choice.start : choice.stop] -= step * np.arange(len(choice))
        self.live = engine.live
        self.box = self._box()
        self.best = self.live.relax(self.weights, self.box, until=until)

    @property
    def bound(self) -> float:
        """What no assignment is worth more than."""
        return self.constant + self.best.bound

    @cached_property
    def relaxed(self) -> Found | None:
        """What the relaxation proves, if anything: an assignment that is worth as much as it is an optimum."""
        if self.best.status == "infeasible" or self.bound < self.query.least:
            return Found("infeasible")
        return self._proven(self.best) if self.query.among or self.live.whole(self.best) else None

    def dived(self) -> Found | None:
        """What whole numbers near the relaxation prove, or a dive from it."""
        if (near := self._proven(self.best)) or self.best.status != "optimal":
            return near
        tried = self.query.least > -math.inf
        least = self.query.least - self.constant if tried else reached(self.best.bound)
        found = self.live.dive(self.weights, self.box, self.best, least=least, until=self.until)
        if found is None or not tried:
            return self._proven(found) if found else None
        value = worth(self.engine.task, self.query, assignment := self._decoded(found))
        return None if value is None or value < self.query.least else Found("limit", assignment)

    def searched(self) -> Found | None:
        """What branch and bound proves, or leaves open; None where the program has got more rows, and is to be asked
        again: against a broken rule, or a tie that stood otherwise in the model.

        Raises Disagreement when an assignment is not what the solver thought, and no tie explains it.
        """
        self.best = self.live.search(self.weights, self.box, most=self.best.bound, until=self.until)
        status, query, task = self.best.status, self.query, self.engine.task
        if status == "infeasible" or self.best.point is None:
            return Found(status, bound=self.bound if math.isfinite(self.bound) else None)
        assignment = self._decoded(self.best)
        if missed := next((r for r in broken(task, assignment) if r.hard), None):
            self._forbid(missed, assignment)
            return None
        value = exact(task, query, assignment, score(task, assignment))
        thought = self.constant + float(self.weights @ self.best.point)
        if abs(value - thought) > AGREEMENT * max(1.0, abs(value)):
            if settle(self.engine.lowered.lowering, self.best.point, assignment):
                return None
            told, supposed = query.sign * value, query.sign * thought
            raise Disagreement(f"the solver's assignment is worth {told!r}, not {supposed!r}")
        return Found(status, assignment, None if status == "optimal" else self.bound, value)

    def _proven(self, best: Best) -> Found | None:
        """The assignment at this point, or at whole numbers near it, if nothing can be worth more."""
        if best.status != "optimal":
            return None
        assignment = self._decoded(best)
        value = worth(self.engine.task, self.query, assignment)
        if value is None or self.bound - value > grain(value) or value - self.bound > AGREEMENT * max(1.0, abs(value)):
            return None
        return Found("optimal", assignment, None, value)

    def _decoded(self, best: Best) -> dict[str, Value]:
        assert best.point is not None
        return self.engine.lowered.program.decode(best.point)

    def _box(self) -> Box:
        """The bounds of the columns, with the query's variables fixed."""
        if not (self.query.fixed or self.query.among):
            return self.live.box
        program, low, high = self.engine.lowered.program, self.live.box.low.copy(), self.live.box.high.copy()
        for name, value in self.query.fixed.items():
            choice = program.choices[name]
            low[choice.start : choice.stop] = high[choice.start : choice.stop] = 0.0
            if (place := program.places[name].get(value)) is not None:
                low[choice[place]] = high[choice[place]] = 1.0
        for name, places in self.query.among.items():
            choice = program.choices[name]
            high[choice.start : choice[places.start]] = high[choice[places.stop - 1] + 1 : choice.stop] = 0.0
        return Box(low, high)

    def _forbid(self, missed: Requirement, assignment: Mapping[str, Value]) -> None:
        """Exclude the values at which a requirement is broken; no other goal may take them either."""
        program, scope = self.engine.lowered.program, sorted(missed.condition.scope)
        program.row(total([program.indicator(name, assignment[name]) for name in scope]), high=len(scope) - 1.0)
