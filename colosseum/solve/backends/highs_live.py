"""Live HiGHS objects. In: a matrix once, then costs and bounds as often as one likes; out: proven best points.

Queries change costs and bounds only, so that the simplex method goes on from its last basis. One thread, a fixed seed,
both gaps 0: what is called optimal is.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import highspy
import numpy as np
from highspy.highs import HighsCallbackEvent

from colosseum.solve.arrays import Floats
from colosseum.solve.backend import Clock, Status, WorkClock
from colosseum.solve.lowering.program import Matrix

Options: TypeAlias = Mapping[str, str | float | bool]

TOLERANCE = 1e-9
"""By how much a row, a bound or a reduced cost may be off; the default of 1e-6 shows in values of large differences."""
TIGHTLY: Options = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
ALWAYS: Options = {"output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_abs_gap": 0.0}
OPTIMAL, OUT_OF_TIME = highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kTimeLimit
NOWHERE = (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible)
DUAL, PRIMAL = 1, 4
"""HiGHS's numbers of the two simplex methods."""
WORK_OF_A_RUN, WORK_OF_A_LOOK = 70, 1_800
"""Pivots that take as long as to begin a relaxation, and as branch and bound goes on between two looks at a clock."""
LARGEST_COST = 0
"""HiGHS's number of Dantzig's rule: of a few pivots, those that look best are quicker than those that are weighed."""
MOST_PIVOTS = 20
"""Pivots of the primal method for each column and row: without perturbation it might go round in circles."""


@dataclass(frozen=True, eq=False)
class Box:
    """Bounds of columns."""

    low: Floats
    high: Floats

    def fixing(self, column: int, value: float) -> "Box":
        """The box with a column fixed."""
        low, high = self.low.copy(), self.high.copy()
        low[column] = high[column] = value
        return Box(low, high)


@dataclass(frozen=True)
class Best:
    """The best point of a program."""

    status: Status
    point: Floats | None
    """One value a column; None when there is no point."""
    bound: float
    """No point is better than this."""


class Live:
    """One HiGHS object that is asked again and again; it maximises."""

    def __init__(self, matrix: Matrix, box: Box, options: Options, *, whole: bool) -> None:
        self.highs, self.box, self.whole = highspy.Highs(), box, whole  # type: ignore[no-untyped-call]
        self.looks = 0
        """How often branch and bound may still look at the clock, where that counts work."""
        self.places = np.arange(len(box.low), dtype=np.int32)
        for name, value in {**ALWAYS, **options}.items():
            self.highs.setOptionValue(name, value)
        columns, rows = len(matrix.low), len(matrix.row_low)
        self.highs.passModel(
            columns, rows, len(matrix.index), int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMinimize), 0.0,
            np.zeros(columns), box.low, box.high, matrix.row_low, matrix.row_high,
            matrix.starts[:-1].astype(np.int32), matrix.index.astype(np.int32), matrix.weights,
            np.array(matrix.whole & whole, dtype=np.int32),
        )  # fmt: skip

    def ask(self, costs: Floats, box: Box, *, until: float, clock: Clock) -> Best:
        """The best point for other costs and bounds."""
        highs, left = self.highs, max(0.0, until - clock())
        highs.changeColsCost(len(self.places), self.places, -costs)
        if box is not self.box:
            highs.changeColsBounds(len(self.places), self.places, box.low, box.high)
            self.box = box
        if not isinstance(clock, WorkClock):
            before = 0.0 if self.whole else highs.getRunTime()  # the simplex method's clock goes on from run to run
            highs.setOptionValue("time_limit", before + left)
            self._run()
        elif left:
            self._work(clock, int(left))
        else:
            return Best("limit", None, math.inf)
        status = highs.getModelStatus()
        if status == OPTIMAL:
            return Best("optimal", np.array(highs.getSolution().col_value), -highs.getObjectiveValue())
        if status in NOWHERE:
            return Best("infeasible", None, -math.inf)
        info = highs.getInfo()
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        point = np.array(highs.getSolution().col_value) if found else None
        return Best("limit", point, -float(info.mip_dual_bound))

    def _run(self) -> None:
        self.highs.run()

    def _work(self, clock: WorkClock, left: int) -> None:
        """Run and count the work; a relaxation always comes to its end."""
        a_pivot = len(self.places) + self.highs.getNumRow()
        self.looks = most = 1 + left // (a_pivot * WORK_OF_A_LOOK)
        self.highs.cbMipInterrupt += self._look
        self._run()
        self.highs.cbMipInterrupt -= self._look
        pivots = 0 if self.whole else WORK_OF_A_RUN + self.highs.getInfo().simplex_iteration_count
        clock.done += a_pivot * (pivots + WORK_OF_A_LOOK * (most - self.looks))

    def _look(self, event: HighsCallbackEvent) -> None:
        self.looks -= 1
        if self.looks <= 0:
            event.interrupt()


class Simplex(Live):
    """A relaxation. Where costs alone have changed the last point is still feasible, and the primal method goes on from
    there, without perturbation, since a few pivots are all it takes; else the dual method restores feasibility.

    Repeated optima of 6 to 50 agents take 1.2 to 3 times as long by the dual method alone.
    """

    def __init__(self, matrix: Matrix, box: Box) -> None:
        alone: Options = {"presolve": "off", "solver": "simplex", "random_seed": 0}
        undisturbed: Options = {"primal_simplex_bound_perturbation_multiplier": 0.0}
        super().__init__(matrix, box, {**TIGHTLY, **alone, **undisturbed}, whole=False)
        self.highs.setOptionValue("simplex_primal_edge_weight_strategy", LARGEST_COST)
        self.last: Box | None = None
        """The bounds of the last point; None where it had none."""

    def _run(self) -> None:
        highs = self.highs
        if self.last is self.box:
            highs.setOptionValue("simplex_strategy", PRIMAL)
            highs.setOptionValue("simplex_iteration_limit", MOST_PIVOTS * (highs.getNumCol() + highs.getNumRow()))
            highs.run()
            if highs.getModelStatus() in (OPTIMAL, OUT_OF_TIME):
                return
        highs.setOptionValue("simplex_strategy", DUAL)
        highs.setOptionValue("simplex_iteration_limit", highspy.kHighsIInf)
        highs.run()
        self.last = self.box if highs.getModelStatus() == OPTIMAL else None
