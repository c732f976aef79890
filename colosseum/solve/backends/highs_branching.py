"""Branch and bound, by two searches. In: a component, costs, bounds; out: its best point, and what no point exceeds.

Either search of HiGHS alone has called worse points optimal (1.13 to 1.15: with presolve on small programs, without it
at tight tolerances on large ones too), never both on the same: nothing is proven before both have come to an end.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from colosseum.solve.arrays import Floats
from colosseum.solve.backend import Status
from colosseum.solve.backends.highs_component import Component, reached
from colosseum.solve.backends.highs_live import Answer, Box, Live

LOOSE = 1e-6
"""How far apart figures of a search at its own tolerances may lie, relative to max(1, |value|), and count as one."""
CORE, ROOM = 0.2, 2
"""The core is so large a share of the whole columns, and so many times as large as what the relaxation takes of them:
those that cost the relaxation least to move.
"""
SMALL = 100
"""So many whole columns are searched at once."""
CORE_TIME = 0.25
"""The share of a search's time that the core may take."""


def branch(
    component: Component, costs: Floats, box: Box, *, most: float | None = None, least: float = -math.inf
) -> Answer:
    """The best point within a box, if any is worth `least`; `most` is what none exceeds, None where that is not known.

    The search with presolve goes through the core first, which mostly has a good point, then through what a better one
    may take, and that at tight tolerances through the same. What they find counts as far as its whole columns hold
    under tight tolerances; where they do not, it is a bound.
    """
    search = _Branching(component, costs, box, least)
    if search.relaxed.status == "infeasible":
        return search.relaxed
    search.through_core()
    loose = search.presolved()
    if search.reaches(most):
        return search.told("optimal", search.value)
    tight = search.tight()
    if search.reaches(most):
        return search.told("optimal", search.value)
    bound = max(search.value, loose.bound, tight.bound)  # outside of where they searched, nothing is worth more
    if "limit" in (loose.status, tight.status):
        return search.told("limit", bound if most is None else min(bound, most))
    if search.best is None:
        return Answer("infeasible" if tight.status == "infeasible" else "limit", None, tight.bound)
    if not _one(bound, search.value, LOOSE):
        return search.told("limit", bound)  # what either found may yet be near a point
    return search.told("optimal", search.value)


@dataclass
class _Branching:
    """What is known of the best point so far."""

    component: Component
    costs: Floats
    box: Box
    least: float
    best: Answer | None = None
    """The best point found; it holds under tight tolerances."""
    relaxed: Answer = field(init=False)
    falls: Floats = field(init=False)
    """How much less than the relaxation a point is worth for each whole column that is not where it is there."""

    def __post_init__(self) -> None:
        self.relaxed = self.component.relax(self.costs, self.box)
        self.falls = np.zeros(len(self.costs))
        if self.relaxed.status == "optimal" and self.relaxed.point is not None:
            places, found = self.component.whole_places, self.component.relaxation.reduced_costs()
            resting = self.relaxed.point[places] == np.round(self.relaxed.point[places])
            self.falls[places] = np.where(resting, found[places], 0.0)  # elsewhere it would not move by a whole step

    @property
    def value(self) -> float:
        """What the best point is worth."""
        return -math.inf if self.best is None else self.best.bound

    def reaches(self, most: float | None) -> bool:
        """Whether the best point is as good as any can be."""
        return most is not None and self.value >= reached(most)

    def told(self, status: Status, bound: float) -> Answer:
        """The best point as an answer."""
        return Answer(status, None if self.best is None else self.best.point, bound)

    def through_core(self) -> None:
        """Look for a good point among those that leave the relaxation where that costs least."""
        places = self.component.whole_places
        free = places[self.box.low[places] < self.box.high[places]]
        if len(free) > SMALL and self.relaxed.status == "optimal":
            taken = np.count_nonzero(self.relaxed.point[free]) if self.relaxed.point is not None else 0
            size = min(len(free) - 1, max(int(CORE * len(free)), ROOM * taken))
            core = self._without(float(np.sort(self.falls[free])[size]))
            self._take(self.component.timed(self.component.presolved, self.costs, core, share=CORE_TIME))

    def presolved(self) -> Answer:
        """What the search with presolve finds wherever points may be better than the best.

        Where that is worth less under tight tolerances, what it finds under these.
        """
        answer = self._from_best(self.component.presolved)
        if not self._take(answer):
            answer = self._from_best(self.component.strict)
            self._take(answer)
        return answer

    def tight(self) -> Answer:
        """What the search at tight tolerances finds there."""
        answer = self._from_best(self.component.integer)
        self._take(answer)
        return answer

    def _from_best(self, solver: Live) -> Answer:
        known = None if self.best is None else self.best.point
        return self.component.timed(solver, self.costs, self._promising(), known=known)

    def _take(self, found: Answer) -> bool:
        """Note a point that is better than the best; whether it is worth what was told, or would not be better."""
        if found.point is None or found.bound <= self.value:
            return True
        polished = self.component.polished(self.costs, self.box, found)
        if polished is not None and polished.bound > self.value:
            self.best = polished
        return polished is not None and _one(found.bound, polished.bound, LOOSE / 10)

    def _promising(self) -> Box:
        """The box without what no point takes that is better than the best, and no worse than is of use."""
        worth = max(self.value, self.least)
        if self.relaxed.status != "optimal" or worth == -math.inf:
            return self.box
        return self._without(self.relaxed.bound - worth + LOOSE * max(1.0, abs(self.relaxed.bound)))

    def _without(self, fall: float) -> Box:
        """The box with whole columns where the relaxation has them, if points fall by more when they are elsewhere."""
        if self.relaxed.point is None:
            return self.box
        settled = np.flatnonzero(self.falls > fall)
        return self.component.fixed(self.box, settled, np.round(self.relaxed.point[settled]))


def _one(bound: float, value: float, within: float) -> bool:
    """Whether a bound tells of nothing better than the value."""
    return bound <= value + within * max(1.0, abs(bound))
