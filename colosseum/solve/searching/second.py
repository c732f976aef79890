"""The seam to CBC, a second solver. In: a program and costs; out: what CBC makes of them, for whoever checks answers.

CBC comes with PuLP; it shares the program with the first solver, but no code.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pulp

from colosseum.solve.arrays.fields import Floats
from colosseum.solve.lowering.program import Affine, Program
from colosseum.solve.searching.formulation import column_name, formulate


@dataclass(frozen=True)
class Opinion:
    """What CBC says of a program."""

    status: Literal["optimal", "infeasible", "limit", "failed"]
    columns: Floats | None
    """The values of all columns at its optimum; None unless it proved one."""


def ask(program: Program, costs: Affine, *, time_limit: float) -> Opinion:
    """Maximise with both gaps 0 and one thread; only what CBC calls proven is called optimal."""
    problem = formulate(program, costs)
    solver = pulp.PULP_CBC_CMD(msg=False, timeLimit=time_limit, gapRel=0.0, gapAbs=0.0, threads=1)
    try:
        problem.solve(solver)
    except pulp.PulpSolverError:  # CBC is not there, cannot be started, or ends with an error
        return Opinion("failed", None)
    if problem.status == pulp.LpStatusOptimal and problem.sol_status == pulp.LpSolutionOptimal:
        found = {variable.name: variable.varValue or 0.0 for variable in problem.variables()}  # some are PuLP's own
        return Opinion("optimal", np.array([found[column_name(c)] for c in range(len(program.columns))]))
    return Opinion("infeasible" if problem.status == pulp.LpStatusInfeasible else "limit", None)
