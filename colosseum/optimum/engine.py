"""The seam to PuLP and HiGHS; the one file that imports them. In: a program; out: proven optima of linear costs.

A component is formulated once in PuLP; the HiGHS object behind it stays alive, and a query changes costs and bounds
only, on the LP relaxation with its warm basis or on branch and bound with both gaps 0, one thread, a fixed seed.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import highspy
import numpy as np
import pulp

from colosseum.optimum.program import Affine, Program

Status: TypeAlias = Literal["optimal", "infeasible", "limit"]
TIGHT = 1e-9
"""How far, relative to max(1, |value|), a bound may lie above a value that is called optimal."""
INTEGRAL = 1e-7
"""How far from a whole number a relaxed column may lie to be taken as whole."""
TOLERANCE = 1e-9
"""By how much a row, a bound or a reduced cost may be off; the default of 1e-6 shows in values of large differences."""
TIGHTLY: dict[str, str | float] = {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}

MOST_TURNS = 100
"""How often a dive may turn to the other value of a column."""


@dataclass(frozen=True)
class Answer:
    """The best point of one component."""

    status: Status
    values: dict[int, float]
    """By column; empty when there is no point."""
    bound: float
    """No point is better than this."""


class Component:
    """One component of a program, with its live solvers. Maximises."""

    def __init__(self, program: Program, columns: Sequence[int], rows: Sequence[int], *, time_limit: float) -> None:
        self.program, self.columns, self.rows, self.time_limit = program, list(columns), list(rows), time_limit
        self.whole_columns = [c for c in self.columns if program.columns[c].integer]
        self.place = {column: i for i, column in enumerate(self.columns)}
        self.places = np.arange(len(self.columns), dtype=np.int32)
        self.until = math.inf
        """When the solver must stop, on the clock of `time.monotonic`."""
        self.low = np.array([program.columns[c].low for c in self.columns])
        self.high = np.array([program.columns[c].high for c in self.columns])

    def relax(self, costs: Mapping[int, float], fixed: Mapping[int, float]) -> Answer:
        """The best point of the LP relaxation, from the last basis: a bound, and the optimum where it is whole."""
        return self._query(self.relaxation, costs, fixed)

    def branch(self, costs: Mapping[int, float], fixed: Mapping[int, float], most: float | None) -> Answer:
        """The best point, by branch and bound, twice where the first does not reach `most`.

        `most` is what no point exceeds, None where that is not known. Either search alone has called worse points
        optimal (HiGHS 1.13 to 1.15: with presolve on small programs, without it at tight tolerances on large ones too),
        never both on the same. What the second finds counts as far as its whole columns hold under the tight tolerances
        of the relaxation.
        """
        first = self._query(self.integer, costs, fixed)
        if first.status == "optimal" and most is not None and first.bound >= reached(most):
            return first
        second = self._query(self.presolved, costs, fixed)
        if second.status != "optimal":
            return first
        whole = {c: float(round(second.values[c])) for c in self.whole_columns}
        polished = self.relax(costs, {**fixed, **whole})
        if polished.status != "optimal" or (first.status == "optimal" and first.bound >= polished.bound):
            return first
        return polished

    def dive(self, costs: Mapping[int, float], fixed: Mapping[int, float], relaxed: Answer) -> Answer | None:
        """A whole point that is worth as much as the relaxation, or None where this simple way finds none.

        One column after the other that should be whole and is not goes to 1 where that costs nothing, else to 0; where
        that costs too, the last that went to 1 goes to 0, a limited number of times.
        """
        least, turns, answer = reached(relaxed.bound), 0, relaxed
        held, left = dict(fixed), list[dict[int, float]]()
        while True:
            if answer.status == "optimal" and answer.bound >= least:
                loose = [c for c in self.whole_columns if not _is_whole(answer.values[c])]
                if not loose:
                    return answer
                column = max(loose, key=answer.values.__getitem__)
                left.append({**held, column: 0.0})
                held = {**held, column: 1.0}
            elif left and turns < MOST_TURNS:
                held, turns = left.pop(), turns + 1
            else:
                return None
            if time.monotonic() > self.until:
                return None
            answer = self.relax(costs, held)

    @contextmanager
    def worth_at_least(self, costs: Mapping[int, float], least: float) -> Iterator[None]:
        """Within the block, the relaxation knows points only at which the costs add up to this much."""
        terms = [(self.place[c], v) for c, v in costs.items() if v and c in self.place]
        places, values = np.array([p for p, _ in terms], dtype=np.int32), np.array([v for _, v in terms])
        row = self.relaxation.getNumRow()
        if terms:
            self.relaxation.addRow(least, highspy.kHighsInf, len(terms), places, values)
        try:
            yield
        finally:
            if terms:
                self.relaxation.deleteRows(1, np.array([row], dtype=np.int32))

    def _query(self, solver: "highspy.Highs", costs: Mapping[int, float], fixed: Mapping[int, float]) -> Answer:
        size = len(self.columns)
        places = self.places
        solver.changeColsCost(size, places, np.array([-costs.get(c, 0.0) for c in self.columns]))
        low, high = self.low, self.high
        if fixed:
            low, high = low.copy(), high.copy()
            for column, value in fixed.items():
                if column in self.place:
                    low[self.place[column]] = high[self.place[column]] = value
        solver.changeColsBounds(size, places, low, high)
        return self._run(solver)

    def _run(self, solver: "highspy.Highs") -> Answer:
        left = max(0.0, min(self.time_limit, self.until - time.monotonic()))
        solver.setOptionValue("time_limit", solver.getRunTime() + left)
        solver.run()
        status = solver.getModelStatus()
        if status in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
            return Answer("infeasible", {}, float("-inf"))
        info, solution = solver.getInfo(), solver.getSolution()
        if status == highspy.HighsModelStatus.kOptimal:
            return Answer("optimal", self._point(solution), -float(info.objective_function_value))
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        return Answer("limit", self._point(solution) if found else {}, -float(info.mip_dual_bound))

    def _point(self, solution: "highspy.HighsSolution") -> dict[int, float]:
        return dict(zip(self.columns, solution.col_value, strict=True))

    def whole(self, answer: Answer) -> bool:
        """Whether the integer columns take whole values."""
        return all(_is_whole(answer.values[c]) for c in self.whole_columns)

    @cached_property
    def integer(self) -> "highspy.Highs":
        """A live branch-and-bound solver, without presolve and at tight tolerances."""
        return self._build(
            {**TIGHTLY, "mip_feasibility_tolerance": TOLERANCE, "presolve": "off", "random_seed": 0}, mip=True
        )

    @cached_property
    def presolved(self) -> "highspy.Highs":
        """Another, with presolve and at the tolerances it is made for."""
        return self._build({"presolve": "on", "random_seed": 1}, mip=True)

    @cached_property
    def relaxation(self) -> "highspy.Highs":
        """The live simplex solver of the relaxation; presolve off keeps its basis warm."""
        return self._build({**TIGHTLY, "presolve": "off", "solver": "simplex", "random_seed": 0}, mip=False)

    def _build(self, options: Mapping[str, str | float], *, mip: bool) -> "highspy.Highs":
        problem = formulate(self.program, self.columns, self.rows, Affine())
        solver = pulp.HiGHS(mip=mip, msg=False, gapRel=0.0, gapAbs=0.0, threads=1, **options)
        solver.createAndConfigureSolver(problem)
        solver.buildSolverModel(problem)
        highs: highspy.Highs = problem.solverModel
        return highs


def reached(bound: float) -> float:
    """What is worth so much is worth as much as the bound."""
    return bound - TIGHT * max(1.0, abs(bound))


def _is_whole(value: float) -> bool:
    return abs(value - round(value)) <= INTEGRAL


def formulate(program: Program, columns: Sequence[int], rows: Sequence[int], objective: Affine) -> Any:
    """A PuLP problem over some columns and rows of a program, maximising the objective."""
    problem = pulp.LpProblem("colosseum", pulp.LpMaximize)
    made = {}
    for number in columns:
        column = program.columns[number]
        kind = pulp.LpInteger if column.integer else pulp.LpContinuous
        made[number] = problem.add_variable(f"c{number:07d}", column.low, column.high, kind)
    problem.addVariables(list(made.values()))  # in PuLP 3, columns that no row mentions are not known otherwise
    costs = [(made[c], v) for c, v in objective.coefficients.items() if c in made]
    problem.setObjective(pulp.LpAffineExpression(costs, constant=objective.constant))
    for number in rows:
        row = program.rows[number]
        body = pulp.LpAffineExpression([(made[c], v) for c, v in row.coefficients.items()])
        sides = [(row.low, pulp.LpConstraintGE), (row.high, pulp.LpConstraintLE)]
        if row.low is not None and row.low == row.high:
            sides = [(row.low, pulp.LpConstraintEQ)]
        for side, sense in sides:
            if side is not None:
                problem.addConstraint(pulp.LpConstraint(body, sense, rhs=side))
    return problem


def write_lp(program: Program, objective: Affine, path: str) -> None:
    """Write the whole program with one objective in CPLEX LP format; column names are explained in comments."""
    problem = formulate(program, range(len(program.columns)), range(len(program.rows)), objective)
    problem.writeLP(path)
    legend = "".join(f"\\ c{i:07d}: {column.name}\n" for i, column in enumerate(program.columns))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(legend + text)
