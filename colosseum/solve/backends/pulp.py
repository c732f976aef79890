"""PuLP, the plain reference. In: a task and a query; out: what CBC makes of the integer program as PuLP writes it.

It shares with HiGHS what the task means as columns and rows, and nothing else.
"""

import time
import warnings
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from colosseum.model.scenario import Task
from colosseum.solve.backend import Engine, Optimum, Query, worth
from colosseum.solve.lowering.lower import lower
from colosseum.solve.lowering.program import Affine, Program
from colosseum.solve.scoring import AGREEMENT, grain


class Pulp:
    """The engine for one task."""

    name: ClassVar[Engine] = "pulp"

    def __init__(self, task: Task) -> None:
        """Lower the task to a program of its own, with no more than its queries need. Raises NotLowered."""
        self.task, self.lowered = task, lower(task)

    def solve(self, query: Query, *, until: float) -> Optimum:
        """The best assignment. CBC's preprocessing is left out: with it worse points have been called optimal."""
        import pulp

        program, costs = self.lowered.program, self.lowered.form(query.goal)
        problem, columns = formulate(program, costs)
        for name, value in query.fixed.items():
            if value not in program.places[name]:
                return Optimum("infeasible", by=self.name)
            problem += columns[program.choices[name][program.places[name][value]]] == 1
        if (left := until - time.monotonic()) <= 0:
            return Optimum("limit", by=self.name, reason="there is no time left")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # PuLP 4 will not bring CBC along
            exact = {"gapRel": 0.0, "gapAbs": 0.0, "threads": 1, "options": ["preprocess off"]}
            solver = pulp.PULP_CBC_CMD(msg=False, timeLimit=left, **exact)
        try:
            problem.solve(solver)
        except pulp.PulpSolverError:
            return Optimum("limit", by=self.name, reason="CBC cannot be run")
        if problem.status == pulp.LpStatusInfeasible and any(self.task.hard):  # else something is possible
            return Optimum("infeasible", by=self.name)
        if problem.sol_status != pulp.LpSolutionOptimal:  # out of time the status alone would be optimal
            return Optimum("limit", by=self.name, reason=f"CBC took more than {left:.0f} seconds")
        assignment = program.decode(np.array([column.varValue or 0.0 for column in columns]))
        value, bound = worth(self.task, query, assignment), pulp.value(problem.objective) or 0.0
        if value is None or abs(bound - value) > AGREEMENT * max(1.0, abs(value)):
            return Optimum("limit", bound=bound + grain(bound), by=self.name, reason="CBC is off by a rounding error")
        return Optimum("optimal", value, assignment, value, by=self.name)


def formulate(program: Program, objective: Affine) -> tuple[Any, list[Any]]:
    """A PuLP problem that maximises the objective, and its columns in the program's order."""
    import pulp

    problem = pulp.LpProblem("colosseum", pulp.LpMaximize)
    kind = {True: pulp.LpInteger, False: pulp.LpContinuous}
    made = [
        problem.add_variable(f"c{number:07d}", column.low, column.high, kind[column.integer])
        for number, column in enumerate(program.columns)
    ]
    problem.addVariables(made)  # in PuLP 3, columns that no row mentions are not known otherwise
    costs = [(made[c], v) for c, v in objective.coefficients.items()]
    if objective.constant:  # a column, since LP files have no other place for it
        costs.append((problem.add_variable("constant", 1, 1), objective.constant))
    problem.setObjective(pulp.LpAffineExpression(costs))
    for row in program.rows:
        body = pulp.LpAffineExpression([(made[c], v) for c, v in row.coefficients.items()])
        if row.low == row.high:
            problem += body == row.low
            continue
        if isfinite(row.low):
            problem += body >= row.low
        if isfinite(row.high):
            problem += body <= row.high
    return problem, made


def write_lp(program: Program, objective: Affine, path: Path) -> None:
    """Write the whole program with one objective in CPLEX LP format; column names are explained in comments."""
    problem, columns = formulate(program, objective)
    problem.writeLP(str(path))
    legend = "".join(f"\\ {column.name}: {label}\n" for column, label in zip(columns, program.labels, strict=True))
    path.write_text(legend + path.read_text(encoding="utf-8"), encoding="utf-8")
