"""HiGHS without PuLP. In: a program as arrays, costs and fixings; out: the best point, from live objects or new ones.

It is given what the project's own path has: the relaxation first, by the primal method where costs alone have changed,
then branch and bound; the same tolerances, both gaps 0, one thread. It is spared everything around: no decoding, no
proof that the assignment is worth what the solver says, no second search.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import highspy
import numpy as np

from colosseum.model.scenario import Task
from colosseum.solve.arrays import Floats
from colosseum.solve.backends.highs_live import TOLERANCE, WARM
from colosseum.solve.goal import WELFARE, Goal
from colosseum.solve.lowering.lower import lower
from colosseum.solve.lowering.program import Matrix, matrix

from . import RivalAnswer, clock, worth

TIGHT = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
Options = Mapping[str, str | float]
PLAIN: Options = {"output_flag": False, "presolve": "off", "threads": 1, "random_seed": 0}
RELAXED: Options = {**PLAIN, **TIGHT, "solver": "simplex"}
BRANCHED: Options = {**PLAIN, **TIGHT, "mip_feasibility_tolerance": TOLERANCE, "mip_rel_gap": 0.0, "mip_abs_gap": 0.0}
ALONE: Options = {"output_flag": False, "threads": 1, "random_seed": 0, "mip_rel_gap": 0.0, "mip_abs_gap": 0.0}
DUAL, PRIMAL = 1, 4
INTEGRAL = 1e-7
"""How far from a whole number a column may lie to be taken as whole."""
BUSY = 3.0
"""How much longer by the wall clock, which is HiGHS's own, a search may take on a busy machine."""


@dataclass
class Direct:
    """A relaxation that stays alive, and branch and bound that is made when it is first needed."""

    matrix: Matrix
    relaxation: highspy.Highs = field(init=False)
    integer: highspy.Highs | None = field(init=False, default=None)
    bounds_kept: bool = field(init=False, default=False)
    """Whether the last relaxation was optimal within the columns' own bounds, as they are now."""

    def __post_init__(self) -> None:
        self.relaxation = passed(self.matrix, RELAXED, whole=False)
        rule = "simplex_primal_edge_weight_strategy"
        self.relaxation.setOptionValue(rule, WARM[rule])

    def maximise(self, costs: Floats, fixed: Mapping[int, float]) -> Floats | None:
        """The best point; None where there is none."""
        primal = self.bounds_kept and not fixed
        self.relaxation.setOptionValue("simplex_strategy", PRIMAL if primal else DUAL)
        self.relaxation.setOptionValue("primal_simplex_bound_perturbation_multiplier", 0.0 if primal else 1.0)
        point = self._ask(self.relaxation, costs, fixed, moved=not self.bounds_kept or bool(fixed))
        self.bounds_kept = point is not None and not fixed
        if point is None or np.all(np.abs(point - np.round(point))[self.matrix.whole] <= INTEGRAL):
            return point
        self.integer = self.integer or passed(self.matrix, BRANCHED, whole=True)
        return self._ask(self.integer, costs, fixed, moved=True)

    def _ask(self, highs: highspy.Highs, costs: Floats, fixed: Mapping[int, float], *, moved: bool) -> Floats | None:
        size = len(costs)
        places = np.arange(size, dtype=np.int32)
        highs.changeColsCost(size, places, -costs)
        if moved:
            low, high = self.matrix.low.copy(), self.matrix.high.copy()
            held = np.fromiter(fixed, dtype=np.int32, count=len(fixed))
            low[held] = high[held] = np.fromiter(fixed.values(), dtype=np.float64, count=len(fixed))
            highs.changeColsBounds(size, places, low, high)
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        return np.array(highs.getSolution().col_value)


def solve(task: Task, *, limit: float, goal: Goal = WELFARE, sign: float = 1.0) -> RivalAnswer:
    """Maximise as HiGHS does it when left alone: presolve, heuristics, cuts; both gaps 0. Lowering is not timed."""
    lowered = lower(task)
    weights, table = sign * lowered.objective(goal).weights, matrix(lowered.program)
    began = clock()
    highs = passed(table, {**ALONE, "time_limit": BUSY * limit}, whole=True)
    highs.changeColsCost(len(weights), np.arange(len(weights), dtype=np.int32), -weights)
    built = clock()
    highs.run()
    ended = clock()
    build, solving = built - began, ended - built
    match highs.getModelStatus():
        case highspy.HighsModelStatus.kInfeasible:
            return RivalAnswer("infeasible", build=build, solve=solving)
        case highspy.HighsModelStatus.kOptimal:
            x = lowered.program.decode(np.array(highs.getSolution().col_value))
            return RivalAnswer("optimal", worth(task, goal, x), build=build, solve=solving)
        case _:
            return RivalAnswer("limit", build=build, solve=solving)


def passed(matrix: Matrix, options: Options, *, whole: bool) -> highspy.Highs:
    """A HiGHS object that was passed the arrays at once."""
    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    for name, value in options.items():
        highs.setOptionValue(name, value)
    kinds = np.array(matrix.whole & whole, dtype=np.int32)
    highs.passModel(
        len(matrix.low), len(matrix.row_low), len(matrix.index), int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize), 0.0, np.zeros(len(matrix.low)), matrix.low, matrix.high, matrix.row_low,
        matrix.row_high, matrix.starts[:-1].astype(np.int32), matrix.index.astype(np.int32), matrix.weights, kinds,
    )  # fmt: skip
    return highs
