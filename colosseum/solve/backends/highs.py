"""HiGHS, warm. In: a task and a query; out: proven optima of its integer program, and the first of them.

One live program answers all queries of a task: these change costs and bounds only, and simplex goes on from its basis.
"""

from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from colosseum.model.scenario import Task
from colosseum.solve.backend import Engine, Found, Promises, Query, worth
from colosseum.solve.lowering.lower import Lowered, lower
from colosseum.solve.lowering.rules import DEFAULT_LIMITS, Limits
from colosseum.solve.searching.canonical import first
from colosseum.solve.searching.search import Search


class Highs:
    """The engine for one task."""

    name: ClassVar[Engine] = "highs"
    promises: ClassVar[Promises] = Promises(bounds=True, warm=True, first=True)

    def __init__(self, task: Task, limits: Limits = DEFAULT_LIMITS) -> None:
        self.task, self.limits = task, limits

    @cached_property
    def lowered(self) -> Lowered:
        """The task as an integer program. Raises NotLowered."""
        return lower(self.task, limits=self.limits)

    @cached_property
    def search(self) -> Search:
        """Its live solvers."""
        return Search(self.task, self.lowered)

    def solve(self, query: Query, *, until: float) -> Found:
        """The best assignment: by the relaxation, a dive, or branch and bound."""
        found = self.search.solve(query, until=until)
        return self.first(query, found, until=until) if query.canonical and found.status == "optimal" else found

    def first(self, query: Query, found: Found, *, until: float) -> Found:
        """The first of all optima, if it is known to be; `found` is an optimum by this engine."""
        moved = first(self.search, query, found, until=until)
        return moved if moved.assignment is None else replace(moved, value=worth(self.task, query, moved.assignment))

    def relaxed(self, query: Query, *, until: float) -> Found | None:
        """The answer where the relaxation alone proves one; None where it does not."""
        return self.search.relaxed(query, until=until)

    def bound(self, query: Query, *, until: float) -> float:
        """What no assignment exceeds, by the relaxation; infinite where that comes to no end, or to nothing."""
        self.search.stop_at(until)
        return self.search.bound(query)
