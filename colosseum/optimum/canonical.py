"""The lexicographically first optimum. In: a query and one optimum of it; out: the first of all, by declared order of
variables and domains, so that reports of equal tasks are equal.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

from colosseum.model.values import Value
from colosseum.optimum.engine import TIGHT, Answer, Component
from colosseum.optimum.search import Found, Query, Search

MARGIN = 1e-7
"""By how much a relaxed figure, relative to max(1, |value|), must clear a value to be believed."""
MOST_SEARCHED = 2_000
"""Columns that searches for an earlier value may go through in all; past it the optimum at hand is kept."""


def first(search: Search, query: Query, found: Found) -> tuple[dict[str, Value], bool]:
    """The first optimum, and whether it is known to be; `found` is an optimum of the query.

    Components do not mind each other. In each, one more row keeps what it adds to the value; then, variable by
    variable, the relaxation says how early in its domain a value may stand, and only what that leaves open is searched.
    """
    best = dict(found.assignment or {})
    value = search.worth(query, best)
    if value is None:
        return best, False
    scale = max(1.0, abs(value))
    walk = _Walk(search, query, best, value - TIGHT * scale, time.monotonic() + search.time_limit)
    search.stop_at(walk.until)
    for component, part in zip(search.components, found.parts, strict=True):
        with component.worth_at_least(query.form.coefficients, part - MARGIN * scale):
            walk.through(component)
    return walk.best, walk.known


@dataclass
class _Walk:
    """From one optimum to the first: after each variable, `best` is the first as far as the walk has come."""

    search: Search
    query: Query
    """With the variables fixed that the walk has passed."""
    best: dict[str, Value]
    least: float
    """What an optimum is worth at least, up to rounding."""
    until: float
    """When the walk ends where it is, on the clock of `time.monotonic`."""
    known: bool = True
    allowance: int = MOST_SEARCHED

    def through(self, component: Component) -> None:
        """Pass the variables that a component decides."""
        choices = self.search.lowered.program.choices
        names = [v.name for v in self.search.task.variables if choices[v.name][0] in component.place]
        for name in names:
            if self.known and name not in self.query.fixed:
                self._earliest(component, names, name)
                self.query = self.query.holding({**self.query.fixed, name: self.best[name]})

    def _earliest(self, component: Component, names: list[str], name: str) -> None:
        """Change `best` so that a variable's value stands as early in its domain as an optimum lets it."""
        domain = self.search.task.variable[name].domain
        now = domain.index(self.best[name])
        if now == 0:
            return
        places = {column: -float(place) for place, column in enumerate(self.search.lowered.program.choices[name])}
        relaxed = component.relax(places, self.search.columns(self.query.fixed))
        earliest = max(0, math.ceil(-relaxed.bound - MARGIN)) if relaxed.status == "optimal" else 0
        for value in domain[earliest:now]:
            if time.monotonic() > self.until:
                self.known = False
            fixed = {**self.query.fixed, name: value}
            if not self.known or self._taken(component, names, places, fixed) or not self.known:
                return

    def _taken(
        self, component: Component, names: list[str], places: Mapping[int, float], fixed: Mapping[str, Value]
    ) -> bool:
        """Whether an optimum has these values, which is `best` then: by the relaxation, by a dive, or by a search."""
        columns = self.search.columns(fixed)
        relaxed = component.relax(places, columns)
        if relaxed.status == "infeasible":
            return False
        if relaxed.status == "optimal" and (point := component.dive(places, columns, relaxed)):
            candidate = self._moved(point, names)
            if self._optimal(candidate):
                self.best = candidate
                return True
        self.allowance -= len(component.columns)
        found = self.search.best(self.query.holding(fixed), until=self.until) if self.allowance > 0 else None
        if found is None or found.status == "limit":
            self.known = False
            return False
        if found.assignment is None or not self._optimal(found.assignment):
            return False
        self.best = found.assignment
        return True

    def _moved(self, point: Answer, names: list[str]) -> dict[str, Value]:
        """`best` with a component's variables as at a whole point of it."""
        program = self.search.lowered.program
        decoded = program.decode([point.values.get(column, 0.0) for column in range(len(program.columns))])
        return {**self.best, **{name: decoded[name] for name in names}}

    def _optimal(self, assignment: dict[str, Value]) -> bool:
        value = self.search.worth(self.query, assignment)
        return value is not None and value >= self.least
