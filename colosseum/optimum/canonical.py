"""The lexicographically first optimum. In: a query and one optimum of it; out: the first of all, by declared order of
variables and domains, so that reports of equal tasks are equal.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from colosseum.model.values import Value
from colosseum.optimum.engine import TIGHT, Component, Numbers
from colosseum.optimum.search import Found, Query, Search

MARGIN = 1e-7
"""By how much a relaxed figure, relative to max(1, |value|), must clear a value to be believed."""
MOST_SEARCHED = 2_000
"""Columns that searches for an earlier value may go through in all; past it the optimum at hand is kept."""


def first(search: Search, query: Query, found: Found) -> tuple[dict[str, Value], bool]:
    """The first optimum, and whether it is known to be; `found` is an optimum of the query.

    Components do not mind each other. In each, reduced costs say which values no optimum takes; one more row keeps what
    the component adds to the value; then, variable by variable, the relaxation says how early in its domain a value may
    stand, and only what that leaves open is searched.
    """
    best, value = dict(found.assignment or {}), found.value
    if value is None:
        return best, False
    scale = max(1.0, abs(value))
    walk = _Walk(search, query, best, value - TIGHT * scale, time.monotonic() + search.time_limit)
    search.stop_at(walk.until)
    costs = search.costs(query).weights
    for component, part in zip(search.components, found.parts, strict=True):
        names = [name for name in search.decided_by(component) if name not in query.fixed]
        if any(walk.place(name) for name in names):
            weights, least = costs[component.columns], part - MARGIN * scale
            walk.close(component, weights, least)
            with component.worth_at_least(weights, least):
                walk.through(component, names)
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
    closed: set[int] = field(default_factory=set)
    """Columns that are 0 at every optimum."""

    def place(self, name: str) -> int:
        """Where a variable's value stands in its domain."""
        return self.search.lowered.program.places[name][self.best[name]]

    def close(self, component: Component, weights: Numbers, least: float) -> None:
        """Note the columns that no optimum takes: leaving 0 costs them more than an optimum may be worth less."""
        relaxed = component.relax(weights, self.search.box_of(component, self.query.fixed))
        if relaxed.status == "optimal" and relaxed.point is not None:
            lost = component.reduced_costs() > relaxed.bound - least
            self.closed.update(component.columns[lost & (relaxed.point == 0.0)].tolist())

    def through(self, component: Component, names: list[str]) -> None:
        """Pass the variables that a component decides, in declared order."""
        for name in names:
            if self.known:
                self._earliest(component, names, name)
                self.query = self.query.holding({**self.query.fixed, name: self.best[name]})

    def _earliest(self, component: Component, names: list[str], name: str) -> None:
        """Change `best` so that a variable's value stands as early in its domain as an optimum lets it."""
        choice = self.search.lowered.program.choices[name]
        left = [place for place in range(self.place(name)) if choice[place] not in self.closed]
        if not left:
            return
        weights = self.search.weights(component, choice, [-float(place) for place in range(len(choice))])
        relaxed = component.relax(weights, self.search.box_of(component, self.query.fixed))
        earliest = max(0, math.ceil(-relaxed.bound - MARGIN)) if relaxed.status == "optimal" else 0
        for place in left:
            if time.monotonic() > self.until:
                self.known = False
            fixed = {**self.query.fixed, name: self.search.task.variable[name].domain[place]}
            if not self.known or (place >= earliest and self._taken(component, names, weights, fixed)):
                return

    def _taken(self, component: Component, names: list[str], weights: Numbers, fixed: Mapping[str, Value]) -> bool:
        """Whether an optimum has these values, which is `best` then: by the relaxation, by a dive, or by a search."""
        box = self.search.box_of(component, fixed)
        relaxed = component.relax(weights, box)
        if relaxed.status == "infeasible":
            return False
        point = component.dive(weights, box, relaxed) if relaxed.status == "optimal" else None
        if point is not None and point.point is not None:
            candidate = self._moved(component, point.point, names)
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

    def _moved(self, component: Component, point: Numbers, names: list[str]) -> dict[str, Value]:
        """`best` with a component's variables as at a whole point of it."""
        values = np.zeros(len(self.search.box.low))
        values[component.columns] = point
        decoded = self.search.lowered.program.decode(values)
        return {**self.best, **{name: decoded[name] for name in names}}

    def _optimal(self, assignment: dict[str, Value]) -> bool:
        value = self.search.worth(self.query, assignment)
        return value is not None and value >= self.least
