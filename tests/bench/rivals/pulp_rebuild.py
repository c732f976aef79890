"""PuLP as it is mostly used: a problem is written for every objective. In: a program, an objective and a solver's name;
out: the best point.
"""

from collections.abc import Mapping
from math import isfinite
from typing import Literal, get_args

import numpy as np
import pulp

from colosseum.solve.arrays import Floats
from colosseum.solve.lowering.program import Affine, Program

Engine = Literal["HiGHS", "CBC"]


def maximise(program: Program, form: Affine, fixed: Mapping[int, float], *, engine: Engine) -> Floats | None:
    """The best point, proven; None where there is none. Raises RuntimeError where it is not proven."""
    problem, made = written(program, form, fixed)
    problem.solve(_solver(engine))
    if problem.status == pulp.LpStatusInfeasible:
        return None
    if problem.status != pulp.LpStatusOptimal or problem.sol_status != pulp.LpSolutionOptimal:
        raise RuntimeError(f"{engine} proved nothing: {pulp.LpStatus[problem.status]}")
    return np.array([variable.varValue or 0.0 for variable in made])


def engines() -> list[Engine]:
    """The solvers that are there."""
    return [engine for engine in get_args(Engine) if _solver(engine).available()]


def written(program: Program, form: Affine, fixed: Mapping[int, float]) -> tuple[pulp.LpProblem, list[pulp.LpVariable]]:
    """The problem, put together in the quickest way that PuLP has."""
    problem = pulp.LpProblem("rebuilt", pulp.LpMaximize)
    made = [
        problem.add_variable(
            f"c{number}", fixed.get(number, column.low), fixed.get(number, column.high),
            pulp.LpInteger if column.integer else pulp.LpContinuous,
        )
        for number, column in enumerate(program.columns)
    ]  # fmt: skip
    problem.setObjective(pulp.LpAffineExpression([(made[c], w) for c, w in form.coefficients.items()]))
    for row in program.rows:
        body = pulp.LpAffineExpression([(made[c], w) for c, w in row.coefficients.items()])
        if row.low == row.high:
            problem.addConstraint(pulp.LpConstraint(body, pulp.LpConstraintEQ, rhs=row.low))
            continue
        if isfinite(row.low):
            problem.addConstraint(pulp.LpConstraint(body, pulp.LpConstraintGE, rhs=row.low))
        if isfinite(row.high):
            problem.addConstraint(pulp.LpConstraint(body, pulp.LpConstraintLE, rhs=row.high))
    return problem, made


def _solver(engine: Engine) -> pulp.LpSolver:
    if engine == "HiGHS":
        return pulp.HiGHS(msg=False, gapRel=0.0, gapAbs=0.0, threads=1)
    return pulp.PULP_CBC_CMD(msg=False, gapRel=0.0, gapAbs=0.0, threads=1)
