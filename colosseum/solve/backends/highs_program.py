"""One program with its live solvers. In: costs and bounds of its columns; out: its best point, and how that is known.

The relaxation goes on from its warm basis, and dives from there; branch and bound comes last. Each solver is made when
it is first asked.
"""

from functools import cached_property
from math import ceil, floor, isfinite

import numpy as np

from colosseum.solve.arrays import Floats, Places
from colosseum.solve.backend import Clock
from colosseum.solve.backends.highs_live import TIGHTLY, TOLERANCE, Best, Box, Live, Options, Simplex
from colosseum.solve.lowering.program import Matrix
from colosseum.solve.rounding import grain

INTEGRAL = 1e-7
"""How far from a whole number a relaxed column may lie to be taken as whole."""
STRICTLY: Options = {**TIGHTLY, "mip_feasibility_tolerance": TOLERANCE, "mip_heuristic_run_feasibility_jump": False}
"""At tolerances at which what holds for the solver holds for the model, and without a search for a first point that
takes as long whether or not one is known."""
LOOSE = 1e-6
"""How far a point may lie below what searches told of it, relative to max(1, |value|), and count as the same."""
MOST_TURNS = 100
"""How often a dive may turn to the other value of a column."""
DIVING = 0.25
"""The share of a query's time that a dive may take; what it leaves is for branch and bound."""


class LiveProgram:
    """Columns and rows with the solvers that know them. Maximises; costs and boxes have one entry a column."""

    def __init__(self, whole: Matrix, clock: Clock) -> None:
        self.matrix, self.clock = whole, clock
        self.box = Box(whole.low, whole.high)
        """The bounds that columns have of themselves."""
        self.whole_places = np.flatnonzero(whole.whole)

    def relax(self, costs: Floats, box: Box, *, until: float) -> Best:
        """The best point of the LP relaxation, from the last basis: a bound, and the optimum where it is whole."""
        return self.relaxation.ask(costs, box, until=until, clock=self.clock)

    def dive(self, costs: Floats, box: Box, relaxed: Best, *, least: float, until: float) -> Best | None:
        """A whole point that is worth at least so much, or None where this simple way finds none.

        One column after the other that should be whole and is not goes up where enough is left then, else down; where
        that is too little too, the last that went up goes down, a limited number of times. Choices come before numbers.
        It proves one hospital in 0.08 s for which branch and bound takes 0.6.
        """
        turns, answer, held, left = 0, relaxed, box, list[Box]()
        until = self.clock() + DIVING * (until - self.clock())
        while self.clock() <= until:
            if answer.point is not None and answer.status == "optimal" and answer.bound >= least:
                loose = self._loose(answer.point)
                if not len(loose):
                    return answer
                column = int(loose[np.argmax(np.where(self.box.high[loose] > 1.0, 0.0, answer.point[loose]))])
                left.append(held.fixing(column, floor(answer.point[column])))
                held = held.fixing(column, ceil(answer.point[column]))
            elif left and turns < MOST_TURNS:
                held, turns = left.pop(), turns + 1
            else:
                break
            answer = self.relax(costs, held, until=until)
        return None

    def search(self, costs: Floats, box: Box, *, most: float, until: float) -> Best:
        """The best point by branch and bound; `most` is what none exceeds.

        Either search of HiGHS alone has called worse points optimal and full programs empty, never both on the same:
        what the first does not prove by `most`, the second must find no better.
        """
        told = [self.presolved.ask(costs, box, until=until, clock=self.clock)]
        first = told[0].point
        if first is None or costs @ first < reached(most):
            told.append(self.plain.ask(costs, box, until=until, clock=self.clock))
        bound = min(most, max(answer.bound for answer in told))
        point = max((a.point for a in told if a.point is not None), key=lambda p: float(costs @ p), default=None)
        if point is None:
            empty = all(answer.status == "infeasible" for answer in told)
            return Best("infeasible" if empty else "limit", None, bound)
        value = float(costs @ point)
        near = bound <= value + LOOSE * max(1.0, abs(bound)) and all(answer.status != "limit" for answer in told)
        return Best("optimal" if near or value >= reached(most) else "limit", point, bound)

    @cached_property
    def relaxation(self) -> Simplex:
        """The simplex method on the relaxation; without presolve its basis stays warm."""
        return Simplex(self.matrix, self.box)

    @cached_property
    def presolved(self) -> Live:
        """Branch and bound with presolve, at tight tolerances."""
        return Live(self.matrix, self.box, {**STRICTLY, "presolve": "on", "random_seed": 1}, whole=True)

    @cached_property
    def plain(self) -> Live:
        """Another without it."""
        return Live(self.matrix, self.box, {**STRICTLY, "presolve": "off", "random_seed": 0}, whole=True)

    def whole(self, answer: Best) -> bool:
        """Whether the integer columns take whole values at a point."""
        return answer.point is not None and not len(self._loose(answer.point))

    def _loose(self, point: Floats) -> Places:
        """The places of integer columns that are not whole."""
        values = point[self.whole_places]
        loose: Places = self.whole_places[np.abs(values - np.round(values)) > INTEGRAL]
        return loose


def reached(bound: float) -> float:
    """What is worth so much is worth as much as the bound."""
    return bound - grain(bound) if isfinite(bound) else bound
