"""Live HiGHS objects. In: a matrix once, then costs and bounds as often as one likes; out: proven best points.

Queries change costs and bounds only, so that the simplex method goes on from its last basis; a search begins anew, with
the columns that are left. One thread, a fixed seed, both gaps 0: what is called optimal is.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import cycle
from math import inf, isfinite
from typing import TypeAlias, cast

import highspy
import numpy as np
from highspy.highs import HighsCallbackEvent

from colosseum.solve.arrays import Floats
from colosseum.solve.backend import A_SECOND, Clock, Status, WorkClock
from colosseum.solve.lowering.program import Matrix, without_fixed
from colosseum.solve.scoring import AGREEMENT, grain

Options: TypeAlias = Mapping[str, str | int | float | bool]

TOLERANCE, OF_COSTS, LOOSE = 1e-9, 1e-12, 1e-6
"""By how much a row, a bound or a reduced cost may be off. Searches take so much of the greatest cost, up to LOOSE:
with the first, where costs reach 1 000 000, they have called worse points optimal."""
TOLERANCES = "primal_feasibility_tolerance", "dual_feasibility_tolerance", "mip_feasibility_tolerance"
ALWAYS: Options = {
    "output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_abs_gap": 0.0, **dict.fromkeys(TOLERANCES, TOLERANCE),
}  # fmt: skip
WARM: Options = {  # without presolve its basis stays warm
    "presolve": "off", "solver": "simplex", "random_seed": 0, "primal_simplex_bound_perturbation_multiplier": 0.0,
    "simplex_primal_edge_weight_strategy": 0,  # Dantzig's rule: of a few pivots, those that look best are quicker
}  # fmt: skip
STRICTLY: Options = {"mip_heuristic_run_feasibility_jump": False, "mip_heuristic_run_root_reduced_cost": False}
"""Without two searches for first points: two fifths of the time of a knapsack with 50 items."""
KNOWN: Options = {"mip_heuristic_run_rens": False, "mip_heuristic_run_rins": False}
"""Searches that begin from a known point leave these two out: a quarter of the time of a knapsack of 100 items."""
PRESOLVED: Options = {**STRICTLY, "presolve": "on", "random_seed": 1}
PLAIN: Options = {**STRICTLY, "presolve": "off", "random_seed": 0}
STATUS: Mapping[highspy.HighsModelStatus, Status] = {  # all else is "limit"
    highspy.HighsModelStatus.kOptimal: "optimal",
    highspy.HighsModelStatus.kInfeasible: "infeasible",
    highspy.HighsModelStatus.kUnboundedOrInfeasible: "infeasible",
}
DUAL, PRIMAL = 1, 4  # hiGHS's numbers of the two simplex methods
MOST_PIVOTS = 20
"""Pivots of the primal method for each column and row: without perturbation it might go round in circles."""
FEW, NEAR, SOON = 200, 2, 0.1
"""Where so many columns have a choice, a first point is looked for among so many of them for each row, for this share
of the time: rules may leave no point there."""
WORK_OF_A_RUN, WORK_OF_A_LOOK = 70, 1_800
"""Pivots that take as long as to begin a relaxation, and as branch and bound goes on between two looks at a clock."""


@dataclass(frozen=True)
class Best:
    """The best point of a program."""

    status: Status
    point: Floats | None
    """One value a column; None when there is no point."""
    bound: float  # no point is better than this


class Live:
    """A program under the costs that are asked for; it maximises."""

    relaxed = False
    """Whether all columns may take fractions."""

    def __init__(self, matrix: Matrix, options: Options, clock: Clock) -> None:
        self.highs, self.matrix, self.clock = highspy.Highs(), matrix, clock  # type: ignore[no-untyped-call]
        self.looks = 0
        """How often it may still look at the clock, where that counts work."""
        self.places, self.costs = np.arange(len(matrix.low), dtype=np.int32), np.zeros(len(matrix.low))
        for name, value in {**ALWAYS, **options}.items():
            self.highs.setOptionValue(name, value)
        columns, rows = len(matrix.low), len(matrix.row_low)
        self.highs.passModel(
            columns, rows, len(matrix.index), int(highspy.MatrixFormat.kRowwise), int(highspy.ObjSense.kMinimize), 0.0,
            np.zeros(columns), matrix.low, matrix.high, matrix.row_low, matrix.row_high,
            matrix.starts[:-1].astype(np.int32), matrix.index.astype(np.int32), matrix.weights,
            np.array(matrix.whole & (not self.relaxed), dtype=np.int32),
        )  # fmt: skip

    def ask(self, costs: Floats, *, until: float, above: float = -inf) -> Best:
        """The best point of those that are worth more than `above`."""
        highs, left = self.highs, until - self.clock()
        if left <= 0:
            return Best("limit", None, inf)
        moved, self.costs = self.places[costs != self.costs], costs
        highs.changeColsCost(len(moved), moved, -costs[moved])
        highs.setOptionValue("objective_bound", -above)
        if isinstance(self.clock, WorkClock):
            self._work(self.clock, round(left * A_SECOND))
        else:  # HiGHS counts from the first run on
            highs.setOptionValue("time_limit", left + highs.getRunTime())
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
        if not self.relaxed:
            self.highs.cbMipInterrupt += self._look
        self._run()
        if not self.relaxed:
            self.highs.cbMipInterrupt -= self._look  # a circle would keep both
        pivots = WORK_OF_A_RUN + self.highs.getInfo().simplex_iteration_count if self.relaxed else 0
        clock.done += a_pivot * (pivots + WORK_OF_A_LOOK * (most - self.looks))

    def _look(self, event: HighsCallbackEvent) -> None:
        self.looks -= 1
        event.interrupt(self.looks <= 0)


class LiveProgram(Live):
    """The relaxation of a program, asked again and again under other costs and bounds, and searches that go on from it.

    Where the last point is still feasible the primal method goes on from there, else the dual method. Repeated optima
    of soft tickets (20 by 25) take five times as long by the dual method alone.
    """

    relaxed = True

    def __init__(self, whole: Matrix, clock: Clock) -> None:
        super().__init__(whole, WARM, clock)
        self.reach = float(max(whole.high.max(initial=1.0), -whole.low.min(initial=0.0)))  # of any column, at most
        self.asked = whole
        """The same program within the bounds that were asked for last."""
        self.last, self.point = cast(Matrix | None, None), whole.low
        """The program in which the last best point is feasible, None where there was none; and that point."""

    def relax(self, costs: Floats, bounded: Matrix, *, until: float) -> Best:
        """The best point of the relaxation, which no other exceeds: the optimum where it is whole."""
        if (before := self.asked) is not bounded:
            moved = self.places[(bounded.low != before.low) | (bounded.high != before.high)]
            self.highs.changeColsBounds(len(moved), moved, bounded.low[moved], bounded.high[moved])
            there = self.last is before and bool(np.all((self.point >= bounded.low) & (self.point <= bounded.high)))
            self.asked, self.last = bounded, bounded if there else None
        best = self.ask(costs, until=until)
        self.point = self.point if best.point is None else best.point
        return best

    def _run(self) -> None:
        highs, done = self.highs, (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kTimeLimit)
        pivots = MOST_PIVOTS * (highs.getNumCol() + highs.getNumRow())
        warm = self.last is self.asked
        for method, most in ((PRIMAL, pivots), (DUAL, highspy.kHighsIInf))[not warm :]:
            highs.setOptionValue("simplex_strategy", method)
            highs.setOptionValue("simplex_iteration_limit", most)
            highs.run()
            if highs.getModelStatus() in done:
                break
        self.last = self.asked if highs.getModelStatus() == done[0] else None

    def search(self, costs: Floats, bounded: Matrix, *, most: float, until: float) -> Best:
        """The best point by branch and bound; `most` is what none exceeds, by the relaxation of the same query.

        Either way to search alone has called worse points optimal and full programs empty: what `most` does not prove,
        neither must improve by a grain. A good point near the relaxation's comes first and leaves them few columns.
        """
        enough = most - grain(most) if isfinite(most) else most
        near, soon = self._near(bounded), (1.0 - SOON) * self.clock() + SOON * until
        answers, unrefuted = [] if near is bounded else [self._searched(PRESOLVED, costs, near, soon)], list[Best]()
        for options in cycle((PRESOLVED, PLAIN)):
            point = max((a.point for a in answers if a.point is not None), key=lambda p: float(costs @ p), default=None)
            value = -inf if point is None else float(costs @ point)
            if value >= enough or len(unrefuted) > 1:
                break
            above = value + grain(value) if isfinite(value) else value
            found = self._searched(options, costs, self._held(bounded, most - value), until, above=above)
            better = found.point is not None and float(costs @ found.point) > above
            answers, unrefuted = [*answers, found], [found] if better else [*unrefuted, found]
        ended = all(proof.status != "limit" for proof in unrefuted)
        bound = min(most, max((proof.bound for proof in unrefuted), default=most))
        if point is None:
            return Best("infeasible" if ended else "limit", None, bound)
        proven = value >= enough or (ended and bound <= value + AGREEMENT * max(1.0, abs(value)))
        return Best("optimal" if proven else "limit", point, max(bound, value))

    def _searched(self, options: Options, costs: Floats, left: Matrix, until: float, *, above: float = -inf) -> Best:
        """What a search finds that is worth more than `above`; columns that have no choice are left out.

        Whole columns are rounded: one at 0.999999 that costs 1 000 000 is 1 too much; a strict tolerance comes next.
        """
        free, rest = without_fixed(left)
        fixed, points = float(costs[~free] @ left.low[~free]), list[Floats]()
        loose = float(np.clip(OF_COSTS * np.abs(costs).max(initial=0.0), TOLERANCE, LOOSE))
        how = {**options, **(KNOWN if isfinite(above) else {}), "mip_pool_soft_limit": len(rest.low)}
        for tolerance in dict.fromkeys((loose, TOLERANCE)):
            how |= dict.fromkeys(TOLERANCES, tolerance)
            found = Live(rest, how, self.clock).ask(costs[free], until=until, above=above - fixed)
            if found.point is None:
                break
            low, high = (np.where(rest.whole, np.round(found.point), end) for end in (rest.low, rest.high))
            whole = Live(replace(rest, low=low, high=high), PLAIN, self.clock).ask(costs[free], until=until)
            points.append(left.low.copy())
            points[-1][free] = found.point if whole.point is None else whole.point
            if found.status == "limit" or found.bound - costs[free] @ points[-1][free] <= grain(found.bound):
                break
        return Best(found.status, max(points, key=lambda p: float(costs @ p), default=None), found.bound + fixed)

    def _held(self, bounded: Matrix, room: float) -> Matrix:
        """Where nothing loses more than `room` on the relaxation's point: no column of greater reduced cost moves."""
        still = self._reduced_costs(bounded) > room + AGREEMENT * max(1.0, abs(room))
        point = np.round(self.highs.getSolution().col_value)
        low, high = (np.where(still, point, end) for end in (bounded.low, bounded.high))
        return replace(bounded, low=low, high=high) if still.any() else bounded

    def _near(self, bounded: Matrix) -> Matrix:
        """The program with NEAR columns a row, those of the least reduced costs; the same where there are few."""
        costs, free = np.sort(self._reduced_costs(bounded)), np.sum(bounded.low < bounded.high)
        more = free - NEAR * len(bounded.row_low) if free >= FEW else 0
        return self._held(bounded, float(costs[-more])) if more > 0 else bounded

    def _reduced_costs(self, bounded: Matrix) -> Floats:
        """What a step of each whole column from its bound costs at least; 0 where that is not known."""
        known = bounded.whole & (bounded.low < bounded.high) & (self.last is bounded)
        return np.where(known, np.abs(self.highs.getSolution().col_dual), 0.0)
