"""Live HiGHS objects, one component of a program at a time. In: costs and bounds of columns; out: proven best points.

A component is formulated once; a query changes costs and bounds only, on the LP relaxation with its warm basis or on
branch and bound with both gaps 0, one thread, a fixed seed.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import highspy
import numpy as np
from numpy.typing import NDArray

from colosseum.optimum.lowering.program import Affine, Program
from colosseum.optimum.rounding import grain
from colosseum.optimum.searching.formulation import formulate, live

Status: TypeAlias = Literal["optimal", "infeasible", "limit"]
Numbers: TypeAlias = NDArray[np.float64]

INTEGRAL = 1e-7
"""How far from a whole number a relaxed column may lie to be taken as whole."""
TOLERANCE = 1e-9
"""By how much a row, a bound or a reduced cost may be off; the default of 1e-6 shows in values of large differences."""
TIGHTLY: dict[str, str | float] = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
OPTIMAL, OUT_OF_TIME = highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kTimeLimit
NOWHERE = (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible)
LOOSE = 1e-6
"""How far the two searches of branch and bound may lie apart, relative to max(1, |value|), and be of one opinion."""
DUAL, PRIMAL = 1, 4
"""HiGHS's numbers of the two simplex methods."""
MOST_PIVOTS = 20
"""Pivots of the primal method for each column and row: without perturbation it might go round in circles."""
MOST_TURNS = 100
"""How often a dive may turn to the other value of a column."""


@dataclass(frozen=True, eq=False)
class Box:
    """Bounds of a component's columns."""

    low: Numbers
    high: Numbers


@dataclass(frozen=True)
class Answer:
    """The best point of one component."""

    status: Status
    point: Numbers | None
    """One value a column; None when there is no point."""
    bound: float
    """No point is better than this."""


class Component:
    """One component of a program, with its live solvers. Maximises; costs and boxes have one entry a column."""

    def __init__(self, program: Program, columns: Sequence[int], rows: Sequence[int], *, time_limit: float) -> None:
        self.program, self.rows, self.time_limit = program, list(rows), time_limit
        self.columns = np.array(columns, dtype=np.int64)
        held = [program.columns[c] for c in columns]
        self.box = Box(np.array([c.low for c in held]), np.array([c.high for c in held]))
        """The bounds that columns have of themselves."""
        self.whole_places = np.flatnonzero(np.array([c.integer for c in held]))
        self.until = math.inf
        """When the solver must stop, on the clock of `time.monotonic`."""
        self.seconds = 0.0
        """What the solvers took so far, with passing costs and bounds in and points out."""

    def relax(self, costs: Numbers, box: Box) -> Answer:
        """The best point of the LP relaxation, from the last basis: a bound, and the optimum where it is whole."""
        return self._timed(self.relaxation, costs, box)

    def branch(self, costs: Numbers, box: Box, most: float | None) -> Answer:
        """The best point, by branch and bound, twice where the first does not reach `most`.

        `most` is what no point exceeds, None where that is not known. Either search alone has called worse points
        optimal (HiGHS 1.13 to 1.15: with presolve on small programs, without it at tight tolerances on large ones too),
        never both on the same: nothing is proven before both have come to an end. What the second finds counts as far
        as its whole columns hold under the tight tolerances of the relaxation; where they do not, it is a bound.
        """
        first = self._timed(self.integer, costs, box)
        if first.status == "optimal" and most is not None and first.bound >= reached(most):
            return first
        second = self._timed(self.presolved, costs, box)
        if second.status == "limit":
            return replace(first, status="limit", bound=second.bound if most is None else most)
        if second.status != "optimal" or second.point is None:
            return first
        polished = self.relax(costs, self.fixed(box, self.whole_places, np.round(second.point[self.whole_places])))
        if polished.status == "optimal" and polished.bound > first.bound:
            return polished
        if first.status == "optimal" and second.bound > first.bound + LOOSE * max(1.0, abs(second.bound)):
            return replace(first, status="limit", bound=second.bound)  # what the second found may yet be near a point
        return first

    def dive(self, costs: Numbers, box: Box, relaxed: Answer, least: float) -> Answer | None:
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
                column = loose[np.argmax(answer.point[loose])]
                left.append(self.fixed(held, column, 0.0))
                held = self.fixed(held, column, 1.0)
            elif left and turns < MOST_TURNS:
                held, turns = left.pop(), turns + 1
            else:
                return None
            if time.monotonic() > self.until:
                return None
            answer = self.relax(costs, held)

    def whole(self, answer: Answer) -> bool:
        """Whether the integer columns take whole values."""
        return answer.point is not None and not len(self._loose(answer.point))

    def reduced_costs(self) -> Numbers:
        """How fast the value of the last relaxation falls as a column leaves its bound; 0 inside the bounds."""
        return np.abs(np.array(self.relaxation.highs.getSolution().col_dual, dtype=np.float64))

    @staticmethod
    def fixed(box: Box, places: "NDArray[np.int64] | np.int64", values: Numbers | float) -> Box:
        """The box with some columns fixed."""
        low, high = box.low.copy(), box.high.copy()
        low[places] = high[places] = values
        return Box(low, high)

    @contextmanager
    def other_than(self, columns: Sequence[int]) -> Iterator[None]:
        """Within the block, all solvers know only points at which one of these columns is 0."""
        with self._row([self.relaxation, self.integer, self.presolved], self.ones(columns), high=len(columns) - 1.0):
            yield

    @contextmanager
    def worth_at_least(self, costs: Numbers, least: float) -> Iterator[None]:
        """Within the block, the relaxation knows only points at which the costs add up to this much."""
        with self._row([self.relaxation], costs, low=least):
            yield

    def ones(self, columns: Sequence[int]) -> Numbers:
        """Costs that count some columns."""
        counted = np.zeros(len(self.columns))
        counted[np.searchsorted(self.columns, np.array(columns))] = 1.0
        return counted

    @staticmethod
    @contextmanager
    def _row(
        solvers: "Sequence[Live]", weights: Numbers, *, low: float = -math.inf, high: float = math.inf
    ) -> Iterator[None]:
        places = np.flatnonzero(weights).astype(np.int32)
        for solver in solvers:
            solver.highs.addRow(low, high, len(places), places, weights[places])
            solver.moved = True
        try:
            yield
        finally:
            for solver in solvers:
                solver.highs.deleteRows(1, np.array([solver.highs.getNumRow() - 1], dtype=np.int32))
                solver.moved = True

    @cached_property
    def problem(self) -> Any:
        """The component as PuLP formulates it, once for all its solvers."""
        return formulate(self.program, self.columns.tolist(), self.rows, Affine())

    @cached_property
    def integer(self) -> "Live":
        """Branch and bound, without presolve and at tight tolerances."""
        tight: dict[str, str | float] = {**TIGHTLY, "mip_feasibility_tolerance": TOLERANCE}
        return self._live({**tight, "presolve": "off", "random_seed": 0}, mip=True)

    @cached_property
    def presolved(self) -> "Live":
        """Another, with presolve and at the tolerances it is made for."""
        return self._live({"presolve": "on", "random_seed": 1}, mip=True)

    @cached_property
    def relaxation(self) -> "Simplex":
        """The simplex method on the relaxation; presolve off keeps its basis warm."""
        made = self._live({**TIGHTLY, "presolve": "off", "solver": "simplex", "random_seed": 0}, mip=False)
        return Simplex(made.highs, made.box)

    def _live(self, options: Mapping[str, str | float], *, mip: bool) -> "Live":
        highs = live(self.problem, self.program, self.columns.tolist(), self.rows, mip=mip, options=options)
        return Live(highs, self.box)

    def _loose(self, point: Numbers) -> "NDArray[np.int64]":
        """The places of integer columns that are not whole."""
        values = point[self.whole_places]
        loose: NDArray[np.int64] = self.whole_places[np.abs(values - np.round(values)) > INTEGRAL]
        return loose

    def _timed(self, solver: "Live", costs: Numbers, box: Box) -> Answer:
        start = time.perf_counter()
        answer = solver.ask(costs, box, seconds=max(0.0, min(self.time_limit, self.until - time.monotonic())))
        self.seconds += time.perf_counter() - start
        return answer


class Live:
    """One HiGHS object that is asked again and again."""

    def __init__(self, highs: "highspy.Highs", box: Box) -> None:
        self.highs, self.box = highs, box
        self.places = np.arange(len(box.low), dtype=np.int32)
        self.moved = True
        """Whether rows have changed since the last point."""

    def ask(self, costs: Numbers, box: Box, *, seconds: float) -> Answer:
        """The best point for other costs and bounds."""
        highs = self.highs
        highs.changeColsCost(len(self.places), self.places, -costs)
        if box is not self.box:
            highs.changeColsBounds(len(self.places), self.places, box.low, box.high)
            self.box = box
        highs.setOptionValue("time_limit", highs.getRunTime() + seconds)
        self._run()
        status = highs.getModelStatus()
        if status == OPTIMAL:
            return Answer("optimal", np.array(highs.getSolution().col_value), -highs.getObjectiveValue())
        if status in NOWHERE:
            return Answer("infeasible", None, -math.inf)
        info = highs.getInfo()
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        point = np.array(highs.getSolution().col_value) if found else None
        return Answer("limit", point, -float(info.mip_dual_bound))

    def _run(self) -> None:
        self.highs.run()


class Simplex(Live):
    """A relaxation. Where costs alone have changed the last point is still feasible, and the primal method goes on from
    there, without perturbation, since a few pivots are all it takes; else the dual method restores feasibility.
    """

    def __init__(self, highs: "highspy.Highs", box: Box) -> None:
        super().__init__(highs, box)
        self.last: Box | None = None
        """The bounds of the last point; None where it had none."""
        self.method = DUAL

    def _run(self) -> None:
        if self.last is self.box and not self.moved:
            self._by(PRIMAL)
            if self.highs.getModelStatus() in (OPTIMAL, OUT_OF_TIME):
                return
        self._by(DUAL)
        optimal = self.highs.getModelStatus() == OPTIMAL
        self.last, self.moved = (self.box if optimal else None), False

    def _by(self, method: int) -> None:
        if method != self.method:
            primal, highs, self.method = method == PRIMAL, self.highs, method
            pivots = MOST_PIVOTS * (highs.getNumCol() + highs.getNumRow())
            highs.setOptionValue("simplex_strategy", method)
            highs.setOptionValue("simplex_iteration_limit", pivots if primal else highspy.kHighsIInf)
            highs.setOptionValue("primal_simplex_bound_perturbation_multiplier", 0.0 if primal else 1.0)
        self.highs.run()


def reached(bound: float) -> float:
    """What is worth so much is worth as much as the bound."""
    return bound - grain(bound)
