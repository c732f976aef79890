"""One component of a program. In: costs and boxes of its columns; out: its best point, and how it is known to be that.

The relaxation from its warm basis and dives from there, on a live solver that is made when it is first asked, as are
those of branch and bound.
"""

import math
import time
from functools import cached_property

import numpy as np

from colosseum.solve.arrays import Floats, Places
from colosseum.solve.backend import Clock
from colosseum.solve.backends.highs_live import TIGHTLY, TOLERANCE, Best, Box, Live, Options, Simplex
from colosseum.solve.backends.matching import Matching, matching
from colosseum.solve.lowering.program import Matrix
from colosseum.solve.rounding import grain

INTEGRAL = 1e-7
"""How far from a whole number a relaxed column may lie to be taken as whole."""
AT_ONCE: Options = {"mip_heuristic_run_feasibility_jump": False}
"""Without HiGHS's search for a first point, which takes as long whether or not one is known from elsewhere."""
STRICTLY: Options = {**AT_ONCE, **TIGHTLY, "mip_feasibility_tolerance": TOLERANCE}
"""At tolerances at which what holds for the solver holds for the model."""
LOOSE = 1e-6
"""How far a point may lie below what the search told of it, relative to max(1, |value|), and count as the same."""
LOADING = 10_000
"""Columns that relaxations go through before what solves matchings is loaded, which takes half a second."""
MOST_TURNS = 100
"""How often a dive may turn to the other value of a column."""


class Component:
    """One component of a program, with its live solvers. Maximises; costs and boxes have one entry a column."""

    def __init__(self, columns: Places, matrix: Matrix, clock: Clock = time.monotonic) -> None:
        self.columns, self.matrix, self.clock = columns, matrix, clock
        self.box = Box(matrix.low, matrix.high)
        """The bounds that columns have of themselves."""
        self.whole_places = np.flatnonzero(matrix.whole)
        self.until = math.inf
        """When the solver must stop, by the clock."""
        self.gone_through = 0
        """Columns of all first questions so far."""

    def best(self, costs: Floats, box: Box) -> Best:
        """The best point where the component is a matching, once it was asked enough; else that of the relaxation."""
        self.gone_through += len(self.columns)
        if self.gone_through < LOADING or self.matching is None:
            return self.relax(costs, box)
        return self.matching.best(costs, box)

    def relax(self, costs: Floats, box: Box) -> Best:
        """The best point of the LP relaxation, from the last basis: a bound, and the optimum where it is whole."""
        return self._within(self.relaxation, costs, box)

    def search(self, costs: Floats, box: Box, *, most: float = math.inf) -> Best:
        """The best point by branch and bound; `most` is what none exceeds.

        Either search of HiGHS alone has called worse points optimal and full programs empty, never both on the same:
        one goes through all, with presolve, then another without it through what may be better. What they find counts
        as far as its whole columns hold under tight tolerances; where they do not, it is a bound.
        """
        best, told = Best("infeasible", None, -math.inf), list[Best]()
        for solver in (self.presolved, self.integer):
            told.append(self._within(solver, costs, self._better(costs, box, best.bound), known=best.point))
            found = self.polished(costs, box, told[-1])
            if found and found.bound > best.bound:
                best = found
            if best.bound >= reached(most):
                return best
        bound = min(most, max(best.bound, *(answer.bound for answer in told)))
        if best.point is None:
            empty = all(answer.status == "infeasible" for answer in told)
            return best if empty else Best("limit", None, bound)
        near = bound <= best.bound + LOOSE * max(1.0, abs(bound))
        ended = near and all(answer.status != "limit" for answer in told)
        return best if ended else Best("limit", best.point, bound)

    def _better(self, costs: Floats, box: Box, least: float) -> Box:
        """The box with whole columns where the relaxation has them, if a point that is worth more must have them so."""
        if least == -math.inf:
            return box
        relaxed, places = self.relax(costs, box), self.whole_places
        if relaxed.status != "optimal" or relaxed.point is None:
            return box
        lost = self.relaxation.reduced_costs()[places] > relaxed.bound - least + LOOSE * max(1.0, abs(relaxed.bound))
        nearest = np.round(relaxed.point[places])
        settled = lost & (relaxed.point[places] == nearest)  # elsewhere it would not move by a whole step
        return self.fixed(box, places[settled], nearest[settled])

    def dive(self, costs: Floats, box: Box, relaxed: Best, least: float) -> Best | None:
        """A whole point that is worth at least so much, or None where this simple way finds none.

        One column after the other that should be whole and is not goes to 1 where enough is left then, else to 0; where
        that is too little too, the last that went to 1 goes to 0, a limited number of times.
        """
        turns, answer = 0, relaxed
        held, left = box, list[Box]()
        while True:
            if answer.point is not None and answer.status == "optimal" and answer.bound >= least:
                loose = self._loose(answer.point)
                if not len(loose):
                    return answer
                shares = np.where(self.matrix.high[loose] > 1.0, 0.0, answer.point[loose])  # numbers come last
                column = loose[np.argmax(shares)]
                left.append(self.fixed(held, column, np.floor(answer.point[column])))
                held = self.fixed(held, column, np.ceil(answer.point[column]))
            elif left and turns < MOST_TURNS:
                held, turns = left.pop(), turns + 1
            else:
                return None
            if self.clock() > self.until:
                return None
            answer = self.relax(costs, held)

    def whole(self, answer: Best, *, within: float = INTEGRAL) -> bool:
        """Whether the integer columns take whole values."""
        return answer.point is not None and not len(self._loose(answer.point, within))

    def polished(self, costs: Floats, box: Box, answer: Best) -> Best | None:
        """The best point with its whole columns at the nearest whole numbers; None where none holds tightly."""
        if answer.point is None:
            return None
        nearest = np.round(answer.point[self.whole_places])
        found = self.relax(costs, self.fixed(box, self.whole_places, nearest))
        return found if found.status == "optimal" else None

    @staticmethod
    def fixed(box: Box, places: Places | np.int64, values: Floats | float) -> Box:
        """The box with some columns fixed."""
        low, high = box.low.copy(), box.high.copy()
        low[places] = high[places] = values
        return Box(low, high)

    @cached_property
    def matching(self) -> Matching | None:
        """What the component is as a matching, if it is one."""
        return matching(self.matrix)

    @cached_property
    def presolved(self) -> Live:
        """Branch and bound with presolve, at tight tolerances."""
        return Live(self.matrix, self.box, {**STRICTLY, "presolve": "on", "random_seed": 1}, whole=True)

    @cached_property
    def integer(self) -> Live:
        """Another without it."""
        return Live(self.matrix, self.box, {**STRICTLY, "presolve": "off", "random_seed": 0}, whole=True)

    @cached_property
    def relaxation(self) -> Simplex:
        """The simplex method on the relaxation; without presolve its basis stays warm."""
        return Simplex(self.matrix, self.box)

    def _within(self, solver: Live, costs: Floats, box: Box, known: Floats | None = None) -> Best:
        """A solver's answer, within the time that is left; a search may begin at a point that is known."""
        return solver.ask(costs, box, until=self.until, clock=self.clock, known=known)

    def _loose(self, point: Floats, within: float = INTEGRAL) -> Places:
        """The places of integer columns that are not whole."""
        values = point[self.whole_places]
        loose: Places = self.whole_places[np.abs(values - np.round(values)) > within]
        return loose


def reached(bound: float) -> float:
    """What is worth so much is worth as much as the bound."""
    return bound - grain(bound)
