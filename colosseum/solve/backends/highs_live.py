"""Live HiGHS objects. In: a matrix once, then costs and bounds as often as one likes; out: proven best points.

Queries change costs and bounds only, so that the simplex method goes on from its last basis. One thread, a fixed seed,
both gaps 0: what is called optimal is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from typing import TypeAlias

import highspy
import numpy as np
from highspy.highs import HighsCallbackEvent

from colosseum.solve.arrays import Floats
from colosseum.solve.backend import A_SECOND, Clock, Status, WorkClock
from colosseum.solve.lowering.program import Matrix
from colosseum.solve.scoring import AGREEMENT, grain

Options: TypeAlias = Mapping[str, str | int | float | bool]

TOLERANCE = 1e-9
"""By how much a row, a bound or a reduced cost may be off; the default of 1e-6 shows in values of large differences."""
ALWAYS: Options = {
    "output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_abs_gap": 0.0,
    "primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE,
}  # fmt: skip
LARGEST_COST = 0
"""HiGHS's number of Dantzig's rule: of a few pivots, those that look best are quicker than those that are weighed."""
WARM: Options = {
    "presolve": "off", "solver": "simplex", "random_seed": 0, "primal_simplex_bound_perturbation_multiplier": 0.0,
    "simplex_primal_edge_weight_strategy": LARGEST_COST,
}  # fmt: skip
"""Without presolve its basis stays warm."""
STRICTLY: Options = {
    "mip_feasibility_tolerance": TOLERANCE,
    "mip_heuristic_run_feasibility_jump": False, "mip_heuristic_run_root_reduced_cost": False,
}  # fmt: skip
"""At tolerances at which what holds for the solver holds for the model, and without two searches for first points: one
takes as long whether or not a point is known, the other two fifths of the time of a knapsack with 50 items."""
STATUS: Mapping[highspy.HighsModelStatus, Status] = {
    highspy.HighsModelStatus.kOptimal: "optimal",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
    highspy.HighsModelStatus.kUnboundedOrInfeasible: "infeasible",
}
"""All else is "limit"."""
DUAL, PRIMAL = 1, 4
"""HiGHS's numbers of the two simplex methods."""
MOST_PIVOTS = 20
"""Pivots of the primal method for each column and row: without perturbation it might go round in circles."""
WORK_OF_A_RUN, WORK_OF_A_LOOK = 70, 1_800
"""Pivots that take as long as to begin a relaxation, and as branch and bound goes on between two looks at a clock."""


@dataclass(frozen=True, eq=False)
class Box:
    """Bounds of columns."""

    low: Floats
    high: Floats


@dataclass(frozen=True)
class Best:
    """The best point of a program."""

    status: Status
    point: Floats | None
    """One value a column; None when there is no point."""
    bound: float
    """No point is better than this."""


class Live:
    """Branch and bound that is asked again and again; it maximises."""

    relaxed = False
    """Whether all columns may take fractions."""

    def __init__(self, matrix: Matrix, box: Box, options: Options, clock: Clock) -> None:
        self.highs, self.box, self.clock = highspy.Highs(), box, clock  # type: ignore[no-untyped-call]
        self.looks = 0
        """How often it may still look at the clock, where that counts work."""
        self.places = np.arange(len(box.low), dtype=np.int32)
        for name, value in {**ALWAYS, **options}.items():
            self.highs.setOptionValue(name, value)
        columns, rows = len(matrix.low), len(matrix.row_low)
        self.highs.passModel(
            columns, rows, len(matrix.index), int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMinimize), 0.0,
            np.zeros(columns), box.low, box.high, matrix.row_low, matrix.row_high,
            matrix.starts[:-1].astype(np.int32), matrix.index.astype(np.int32), matrix.weights,
            np.array(matrix.whole & (not self.relaxed), dtype=np.int32),
        )  # fmt: skip

    def ask(self, costs: Floats, box: Box, *, until: float, above: float = -inf) -> Best:
        """The best point for other costs and bounds, of those that are worth more than `above`."""
        highs, left = self.highs, until - self.clock()
        if left <= 0:
            return Best("limit", None, inf)
        highs.changeColsCost(len(self.places), self.places, -costs)
        highs.setOptionValue("objective_bound", -above)
        if box is not self.box:
            highs.changeColsBounds(len(self.places), self.places, box.low, box.high)
            self.box = box
        if isinstance(self.clock, WorkClock):
            self._work(self.clock, round(left * A_SECOND))
        else:  # the simplex method's clock goes on from run to run
            highs.setOptionValue("time_limit", left + (highs.getRunTime() if self.relaxed else 0.0))
            self._run()
        status, info = STATUS.get(highs.getModelStatus(), "limit"), highs.getInfo()
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        if status == "infeasible" or (status == "limit" and self.relaxed):
            return Best(status, None, -inf if status == "infeasible" else inf)
        bound = info.objective_function_value if status == "optimal" else info.mip_dual_bound
        return Best(status, np.array(highs.getSolution().col_value) if found else None, -bound)

    def _run(self) -> None:
        self.highs.run()

    def _work(self, clock: WorkClock, left: int) -> None:
        """Run and count the work; a relaxation always comes to its end."""
        a_pivot = len(self.places) + self.highs.getNumRow()
        self.looks = most = 1 + left // (a_pivot * WORK_OF_A_LOOK)
        self.highs.cbMipInterrupt += self._look
        self._run()
        self.highs.cbMipInterrupt -= self._look
        pivots = WORK_OF_A_RUN + self.highs.getInfo().simplex_iteration_count if self.relaxed else 0
        clock.done += a_pivot * (pivots + WORK_OF_A_LOOK * (most - self.looks))

    def _look(self, event: HighsCallbackEvent) -> None:
        self.looks -= 1
        event.interrupt(self.looks <= 0)  # else it remembers that it was interrupted before


class Simplex(Live):
    """A relaxation. Where costs alone have changed the last point is still feasible, and the primal method goes on from
    there, without perturbation, since a few pivots are all it takes; else the dual method restores feasibility.

    Repeated optima of soft tickets (20 by 25) take five times as long by the dual method alone.
    """

    relaxed = True
    last: Box | None = None
    """The bounds of the last point; None where it had none."""

    def _run(self) -> None:
        highs, done = self.highs, (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kTimeLimit)
        pivots = MOST_PIVOTS * (highs.getNumCol() + highs.getNumRow())
        warm = self.last is self.box
        for method, most in ((PRIMAL, pivots), (DUAL, highspy.kHighsIInf))[not warm :]:
            highs.setOptionValue("simplex_strategy", method)
            highs.setOptionValue("simplex_iteration_limit", most)
            highs.run()
            if highs.getModelStatus() in done:
                break
        self.last = self.box if highs.getModelStatus() == done[0] else None


class LiveProgram:
    """Columns and rows with the solvers that know them, each made when it is first asked. Maximises; costs and boxes
    have one entry a column.
    """

    def __init__(self, whole: Matrix, clock: Clock) -> None:
        self.matrix, self.clock = whole, clock
        self.box = Box(whole.low, whole.high)
        """The bounds that columns have of themselves."""

    @cached_property
    def relaxation(self) -> Simplex:
        """The LP relaxation from the last basis: a bound, and the optimum where it is whole."""
        return Simplex(self.matrix, self.box, WARM, self.clock)

    @cached_property
    def presolved(self) -> Live:
        """Branch and bound with presolve, at tight tolerances."""
        return Live(self.matrix, self.box, {**STRICTLY, "presolve": "on", "random_seed": 1}, self.clock)

    @cached_property
    def plain(self) -> Live:
        """Another without it."""
        return Live(self.matrix, self.box, {**STRICTLY, "presolve": "off", "random_seed": 0}, self.clock)

    def search(self, costs: Floats, box: Box, *, most: float, until: float) -> Best:
        """The best point by branch and bound; `most` is what none exceeds.

        Either search of HiGHS alone has called worse points optimal and full programs empty, never both on the same:
        what the first does not prove by `most`, the second must find no better. It looks for nothing else, which takes
        a fourth of the time of another optimum.
        """
        enough = most - grain(most) if isfinite(most) else most
        told = [self.presolved.ask(costs, box, until=until)]
        value = -inf if told[0].point is None else float(costs @ told[0].point)
        if value < enough:
            above = value + AGREEMENT * max(1.0, abs(value)) if isfinite(value) else value
            told.append(self.plain.ask(costs, box, until=until, above=above))
        bound = min(most, max(answer.bound for answer in told))
        point = max((a.point for a in told if a.point is not None), key=lambda p: float(costs @ p), default=None)
        if point is None:
            empty = all(answer.status == "infeasible" for answer in told)
            return Best("infeasible" if empty else "limit", None, bound)
        value = float(costs @ point)
        near = bound <= value + AGREEMENT * max(1.0, abs(bound)) and all(answer.status != "limit" for answer in told)
        return Best("optimal" if near or value >= enough else "limit", point, bound)
