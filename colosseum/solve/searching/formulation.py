"""Programs as PuLP formulates them. In: columns and rows; out: a PuLP problem, for an LP file or a second solver."""

from typing import Any

import pulp

from colosseum.solve.lowering.program import Affine, Program


def formulate(program: Program, objective: Affine) -> Any:
    """A PuLP problem that maximises the objective."""
    problem = pulp.LpProblem("colosseum", pulp.LpMaximize)
    made = [
        problem.add_variable(
            column_name(number), column.low, column.high, pulp.LpInteger if column.integer else pulp.LpContinuous
        )
        for number, column in enumerate(program.columns)
    ]
    problem.addVariables(made)  # in PuLP 3, columns that no row mentions are not known otherwise
    costs = [(made[c], v) for c, v in objective.coefficients.items()]
    if objective.constant:  # a column, since LP files have no other place for it
        costs.append((problem.add_variable("constant", 1, 1), objective.constant))
    problem.setObjective(pulp.LpAffineExpression(costs))
    for row in program.rows:
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


def write_lp(program: Program, objective: Affine, path: str) -> None:
    """Write the whole program with one objective in CPLEX LP format; column names are explained in comments."""
    formulate(program, objective).writeLP(path)
    legend = "".join(f"\\ {column_name(i)}: {program.label(i)}\n" for i in range(len(program.columns)))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(legend + text)
