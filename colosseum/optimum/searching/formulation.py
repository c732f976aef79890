"""Programs as PuLP formulates them. In: columns and rows; out: a PuLP problem, and the live HiGHS object behind it.

PuLP's own way of building a HiGHS object adds one column after the other; here the same problem is passed as arrays.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import highspy
import numpy as np
import pulp

from colosseum.optimum.lowering.program import Affine, Program, Row


def formulate(program: Program, columns: Sequence[int], rows: Sequence[int], objective: Affine) -> Any:
    """A PuLP problem over some columns and rows of a program, maximising the objective."""
    problem = pulp.LpProblem("colosseum", pulp.LpMaximize)
    made = {}
    for number in columns:
        column = program.columns[number]
        kind = pulp.LpInteger if column.integer else pulp.LpContinuous
        made[number] = problem.add_variable(column_name(number), column.low, column.high, kind)
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


def column_name(number: int) -> str:
    """What PuLP calls a column."""
    return f"c{number:07d}"


class _Arrays(pulp.HiGHS):  # type: ignore[misc]
    """PuLP's HiGHS, built at once from the arrays of the rows that the problem was formulated from."""

    def __init__(self, program: Program, columns: Sequence[int], rows: Sequence[int], **options: Any) -> None:
        super().__init__(**options)
        self.program, self.columns = program, [program.columns[c] for c in columns]
        self.place = {column: i for i, column in enumerate(columns)}
        self.rows: list[Row] = [program.rows[r] for r in rows]

    def buildSolverModel(self, lp: Any) -> None:  # noqa: N802 - PuLP's name
        """Minimises, from costs of 0, as every query sets its own."""
        infinity, place = highspy.kHighsInf, self.place
        starts = np.cumsum([0, *(len(row.coefficients) for row in self.rows)], dtype=np.int32)
        index = np.array([place[c] for row in self.rows for c in row.coefficients], dtype=np.int32)
        value = np.array([v for row in self.rows for v in row.coefficients.values()], dtype=np.float64)
        whole = np.array([self.mip and column.integer for column in self.columns], dtype=np.int32)
        lp.solverModel.passModel(
            len(self.columns), len(self.rows), len(index), int(highspy.MatrixFormat.kRowwise),
            int(highspy.ObjSense.kMinimize), 0.0, np.zeros(len(self.columns)),
            np.array([column.low for column in self.columns]), np.array([column.high for column in self.columns]),
            np.array([-infinity if row.low is None else row.low for row in self.rows]),
            np.array([infinity if row.high is None else row.high for row in self.rows]),
            starts[:-1], index, value, whole,
        )  # fmt: skip


def live(
    problem: Any,
    program: Program,
    columns: Sequence[int],
    rows: Sequence[int],
    *,
    mip: bool,
    options: Mapping[str, str | float],
) -> "highspy.Highs":
    """A HiGHS object for a problem that was formulated from these columns and rows; both gaps 0, one thread."""
    solver = _Arrays(program, columns, rows, mip=mip, msg=False, gapRel=0.0, gapAbs=0.0, threads=1, **options)
    solver.createAndConfigureSolver(problem)
    solver.buildSolverModel(problem)
    highs: highspy.Highs = problem.solverModel
    return highs


def write_lp(program: Program, objective: Affine, path: str) -> None:
    """Write the whole program with one objective in CPLEX LP format; column names are explained in comments."""
    problem = formulate(program, range(len(program.columns)), range(len(program.rows)), objective)
    problem.writeLP(path)
    legend = "".join(f"\\ {column_name(i)}: {program.label(i)}\n" for i in range(len(program.columns)))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(legend + text)
