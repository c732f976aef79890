"""The lexicographically first optimum. In: a query and one optimum of it; out: the first of all, by declared order of
variables and domains, so that reports of equal tasks are equal.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from colosseum.model.values import Value
from colosseum.solve.arrays import Floats
from colosseum.solve.backend import Found, Query, worth
from colosseum.solve.backends.highs_component import Component
from colosseum.solve.rounding import grain

if TYPE_CHECKING:
    from colosseum.solve.backends.highs import Highs

MARGIN = 1e-7
"""By how much a relaxed figure, relative to max(1, |value|), must clear a value to be believed."""
MOST_SEARCHED = 2_000
"""Columns that searches for an earlier value may go through in all; past it the optimum at hand is kept."""


def first(search: "Highs", query: Query, found: Found, *, until: float) -> Found:
    """The first optimum, if it is known to be; `found` is an optimum of the query by the integer program.

    Components do not mind each other. In each, variable by variable, earlier values are tried: reduced costs and
    relaxations close most of them, a dive finds optima, and only what that leaves open is searched.
    """
    if found.assignment is None or found.value is None:
        return found
    scale = max(1.0, abs(found.value))
    walk = _Walk(
        search, query, found.assignment, found.value - grain(found.value), until, allowance=MOST_SEARCHED
    )
    search.stop_at(until)
    costs = search.costs(query).weights
    for component, part in zip(search.components, found.parts, strict=True):
        names = [name for name in search.decided_by(component) if name not in query.fixed]
        walk.through(_Stretch(component, names, costs[component.columns], part - MARGIN * scale))
    return replace(found, assignment=walk.best, value=None, first=walk.known)


@dataclass
class _Stretch:
    """The part of the walk in one component."""

    component: Component
    names: list[str]
    """The variables that it decides, but those that the query fixes, in declared order."""
    weights: Floats
    least: float
    """What it adds to an optimum at least."""
    alone: bool = False
    """Whether there is no other optimum with the values passed so far."""
    searched: bool = False
    """Whether branch and bound was asked for any other optimum."""
    closed: set[int] = field(default_factory=set)
    """Columns that are 0 at every optimum with the values passed so far."""


@dataclass
class _Walk:
    """From one optimum to the first: after each variable, `best` is the first as far as the walk has come."""

    search: "Highs"
    query: Query
    """What is asked, with the variables fixed that the walk has passed."""
    best: dict[str, Value]
    least: float
    """What an optimum is worth at least, up to rounding."""
    until: float
    """When the walk ends where it is, on the clock of `time.monotonic`."""
    allowance: int
    """Columns that searches may still go through."""
    known: bool = True

    def through(self, stretch: _Stretch) -> None:
        """Pass the variables of a component."""
        if any(map(self._place, stretch.names)):
            self._close(stretch)
            stretch.alone = not any(self._open(stretch, name) for name in stretch.names)
        moved = False
        for number, name in enumerate(stretch.names):
            if stretch.alone or self._over or not any(map(self._place, stretch.names[number:])):
                return
            if moved and self._place(name):
                self._close(stretch)
                moved = False
            before = self.best[name]
            self._earliest(stretch, name, self._open(stretch, name))
            self.query = self.query.holding({**self.query.fixed, name: self.best[name]})
            moved = moved or self.best[name] != before

    @property
    def _over(self) -> bool:
        """Whether the walk has ended for lack of room."""
        return not self.known

    def _place(self, name: str) -> int:
        """Where a variable's value stands in its domain."""
        return self.search.lowered.program.places[name][self.best[name]]

    def _open(self, stretch: _Stretch, name: str) -> list[int]:
        """The places of earlier values that an optimum may have."""
        choice = self.search.lowered.program.choices[name]
        return [place for place in range(self._place(name)) if choice[place] not in stretch.closed]

    def _taken_columns(self, stretch: _Stretch) -> list[int]:
        """The columns of the values at hand that the walk has not passed."""
        choices = self.search.lowered.program.choices
        return [choices[name][self._place(name)] for name in stretch.names if name not in self.query.fixed]

    def _close(self, stretch: _Stretch) -> None:
        """Note the columns that no optimum takes: leaving 0 costs more than an optimum may be worth less."""
        component = stretch.component
        relaxed = component.relax(stretch.weights, self.search.box_of(component, self.query.fixed))
        if relaxed.status == "optimal" and relaxed.point is not None:
            lost = component.relaxation.reduced_costs() > relaxed.bound - stretch.least
            stretch.closed.update(component.columns[lost & (relaxed.point == 0.0)].tolist())

    def _earliest(self, stretch: _Stretch, name: str, places: Sequence[int]) -> None:
        """Change `best` so that a variable's value stands at the first of these places that an optimum has.

        All places are tried at once, and in halves where that leaves it open.
        """
        while places and not (stretch.alone or self._over):
            if time.monotonic() > self.until:
                self.known = False
                return
            taken = self._taken(stretch, name, places)
            if taken is None and len(places) > 1:
                half = len(places) // 2
                self._earliest(stretch, name, places[:half])
                places = () if self._place(name) < places[half] else places[half:]
                continue
            if not (taken or (taken is None and self._searched(stretch, name, places[0]))):
                return
            places = [place for place in places if place < self._place(name)]

    def _taken(self, stretch: _Stretch, name: str, places: Sequence[int]) -> bool | None:
        """Whether the relaxation, or for a single value a dive, finds an optimum with one of these values.

        `best` is that optimum then. None where it is left open.
        """
        component, choice = stretch.component, self.search.lowered.program.choices[name]
        others = np.searchsorted(component.columns, np.delete(choice, places))
        box = component.fixed(self.search.box_of(component, self.query.fixed), others, 0.0)
        relaxed = component.relax(stretch.weights, box)
        if relaxed.status == "infeasible" or (relaxed.status == "optimal" and relaxed.bound < stretch.least):
            return False
        found = relaxed if component.whole(relaxed) else None
        if found is None and len(places) == 1 and relaxed.status == "optimal":
            found = component.dive(stretch.weights, box, relaxed, stretch.least)
        if found is not None and found.point is not None and self._believed(self._moved(stretch, found.point)):
            return True
        return None

    def _searched(self, stretch: _Stretch, name: str, place: int) -> bool:
        """Whether branch and bound finds an optimum with this value, which is `best` then."""
        columns = len(stretch.component.columns)
        if not stretch.searched and columns < self.allowance and self._alone(stretch):
            return False
        self.allowance -= columns
        fixed = {**self.query.fixed, name: self.search.task.variable[name].domain[place]}
        found = self.search.solve(self.query.holding(fixed), until=self.until) if self.allowance > 0 else None
        if found is None or found.status == "limit":
            self.known = False
            return False
        return found.assignment is not None and self._believed(found.assignment)

    def _alone(self, stretch: _Stretch) -> bool:
        """Whether branch and bound proves that no other assignment of the component is an optimum."""
        component, box = stretch.component, self.search.box_of(stretch.component, self.query.fixed)
        with component.other_than(self._taken_columns(stretch)):
            other = component.search(stretch.weights, box)
        stretch.searched = True
        stretch.alone = other.status == "infeasible" or (other.status == "optimal" and other.bound < stretch.least)
        return stretch.alone

    def _moved(self, stretch: _Stretch, point: Floats) -> dict[str, Value]:
        """`best` with a component's variables as at a whole point of it."""
        values = np.zeros(len(self.search.box.low))
        values[stretch.component.columns] = point
        decoded = self.search.lowered.program.decode(values)
        return {**self.best, **{name: decoded[name] for name in stretch.names}}

    def _believed(self, assignment: dict[str, Value]) -> bool:
        """Whether an assignment is an optimum, which is `best` then."""
        value = worth(self.search.task, self.query, assignment)
        if value is None or value < self.least:
            return False
        self.best = assignment
        return True
