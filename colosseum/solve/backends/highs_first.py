"""The lexicographically first optimum. In: a query and one optimum of it; out: the first of all, by declared order of
variables and domains, so that reports of equal tasks are equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, takewhile
from operator import mul
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
MOST_RANKS = 1_000
"""Joint values of variables that are told apart at once: all their ranks together must not outweigh a better payoff."""
MOST_SEARCHED = 2_000
"""Columns that searches for an earlier value may go through in all; past it the optimum at hand is kept."""


def first(search: "Highs", query: Query, found: Found, *, until: float) -> Found:
    """The first optimum, if it is known to be; `found` is an optimum of the query by the integer program.

    Components do not mind each other. In each, a few variables at a time, later values cost a little more; where the
    relaxation of that is no optimum, earlier values are tried variable by variable.
    """
    if found.assignment is None or found.value is None:
        return found
    margin = MARGIN * max(1.0, abs(found.value))
    walk = _HighsWalk(search, query, found.assignment, found.value - grain(found.value), 2.0 * margin, until)
    search.stop_at(until)
    costs = search.costs(query).weights
    for component, part in zip(search.components, found.parts, strict=True):
        names = [name for name in search.decided_by(component) if name not in query.fixed]
        walk.through(_Stretch(component, names, costs[component.columns], part - margin))
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
    closed: set[int] = field(default_factory=set)
    """Columns that are 0 at every optimum with the values passed so far."""


@dataclass
class _HighsWalk:
    """From one optimum to the first: after each variable, `best` is the first as far as the walk has come."""

    search: "Highs"
    query: Query
    """What is asked, with the variables fixed that the walk has passed."""
    best: dict[str, Value]
    least: float
    """What an optimum is worth at least, up to rounding."""
    step: float
    """What tells two ranks apart for certain."""
    until: float
    """When the walk ends where it is, by the clock of the search."""
    allowance: int = MOST_SEARCHED
    """Columns that searches may still go through."""
    known: bool = True

    def through(self, stretch: _Stretch) -> None:
        """Pass the variables of a component."""
        names, variable = stretch.names, self.search.task.variable
        while self.known and any(map(self._place, names)):
            ranks = accumulate((len(variable[name].domain) for name in names), mul)
            count = max(1, sum(1 for _ in takewhile(lambda joint: joint <= MOST_RANKS, ranks)))
            block, names = names[:count], names[count:]
            if not self._at_once(stretch, block):
                self._one_by_one(stretch, block)
            self._pass(block)

    def _pass(self, names: Sequence[str]) -> None:
        self.query = self.query.holding({**self.query.fixed, **{name: self.best[name] for name in names}})

    def _place(self, name: str) -> int:
        """Where a variable's value stands in its domain."""
        return self.search.lowered.program.places[name][self.best[name]]

    def _at_once(self, stretch: _Stretch, names: Sequence[str], *, searched: bool = False) -> bool:
        """Change `best` so that it is the first as far as these variables go; whether that could be.

        Each joint value costs a step more than the one before it. Let p be the best point then, an optimum, and y any
        other: what y is worth less is no more than rounding, and below a step. So p does not rank behind y.
        """
        component, weights, cost = stretch.component, stretch.weights.copy(), self.step
        for name in reversed(names):
            choice = self.search.lowered.program.choices[name]
            weights[np.searchsorted(component.columns, choice)] -= cost * np.arange(len(choice))
            cost *= len(choice)
        box = self.search.box_of(component, self.query.fixed)
        answer = component.search(weights, box) if searched else component.relax(weights, box)
        if answer.status != "optimal" or answer.point is None or not component.whole(answer):
            return False
        return self._believed(self._moved(stretch, answer.point))

    def _one_by_one(self, stretch: _Stretch, names: Sequence[str]) -> None:
        """The same: reduced costs and relaxations close most earlier values, and what they leave open is searched."""
        self._close(stretch)
        choices = self.search.lowered.program.choices
        for number, name in enumerate(names):
            places = [place for place in range(self._place(name)) if choices[name][place] not in stretch.closed]
            if not self._earliest(stretch, name, places):
                self.allowance -= len(stretch.component.columns)
                open_ = self.search.clock() < self.until and self.allowance > 0
                if open_ and self._at_once(stretch, names[number:], searched=True):
                    return
                self.known = open_ and self._searched(name)
            if not self.known:
                return
            self._pass([name])

    def _searched(self, name: str) -> bool:
        """The same of one variable, by an exact search for each value; False where one comes to no end."""
        for value in self.search.task.variable[name].domain[: self._place(name)]:
            found = self.search.solve(self.query.holding({**self.query.fixed, name: value}), until=self.until)
            if found.status == "limit" or (found.assignment is not None and self._believed(found.assignment)):
                return found.status != "limit"
        return True

    def _close(self, stretch: _Stretch) -> None:
        """Note the columns that no optimum takes: leaving 0 costs more than an optimum may be worth less."""
        component = stretch.component
        relaxed = component.relax(stretch.weights, self.search.box_of(component, self.query.fixed))
        if relaxed.status == "optimal" and relaxed.point is not None:
            lost = component.relaxation.reduced_costs() > relaxed.bound - stretch.least
            stretch.closed.update(component.columns[lost & (relaxed.point == 0.0)].tolist())

    def _earliest(self, stretch: _Stretch, name: str, places: Sequence[int]) -> bool:
        """Change `best` so that a variable's value stands at the first of these places that an optimum has.

        All places are tried at once, and in halves where that leaves it open. False where it stays open.
        """
        while places:
            taken = self._taken(stretch, name, places) if self.search.clock() < self.until else None
            if taken is None:
                half = len(places) // 2
                return half > 0 and self._earliest(stretch, name, places[:half]) and (
                    self._place(name) < places[half] or self._earliest(stretch, name, places[half:])
                )  # fmt: skip
            places = [place for place in places if place < self._place(name)] if taken else ()
        return True

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
