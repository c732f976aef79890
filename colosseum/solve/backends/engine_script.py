"""A process with toulbar2 or CP-SAT. In: questions in whole numbers, on a connection; out: what it found there.

It imports nothing else of the package, to start in a moment; and OR-Tools and HiGHS cannot share a process.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

Answer = dict[str, Any]
"""The cheapest places, what they cost, and what none costs less than; whether the search has ended."""


def main() -> None:
    """Answer one question after the other, until nobody is there who could ask."""
    answers: dict[str, Callable[..., Answer]] = {"pytoulbar2": by_toulbar2, "ortools": by_cp_sat}
    line, answer = Connection(int(sys.argv[1])), answers[sys.argv[2]]
    with suppress(EOFError):
        while True:
            line.send(answer(*line.recv()))


def by_toulbar2(sizes: list[int], tables: list[tuple[list[int], list[float]]], seconds: int) -> Answer:
    """A cost function network: sizes of domains; variables and costs of tables, the last variable turning fastest."""
    import pytoulbar2

    problem = pytoulbar2.CFN()
    for number, size in enumerate(sizes):
        problem.AddVariable(f"v{number}", range(size))
    try:
        for scope, costs in tables:
            problem.AddFunction(scope, costs)
    except problem.Contradiction:
        return {"ended": True, "places": None}
    problem.Option.limited = False  # it keeps what the last search came to
    found = problem.Solve(timeLimit=seconds)
    places, cost = (found[0], round(found[1])) if found else (None, None)
    return {"ended": not problem.Option.limited, "places": places, "cost": cost, "bound": problem.GetDDualBound()}


def by_cp_sat(columns: list[Any], rows: list[Any], weights: list[Any], seconds: int) -> Answer:
    """An integer program: least, greatest and cost of columns; least, greatest and start of rows; column and weight of
    what stands in them, row after row.
    """
    from ortools.sat.python import cp_model

    model, sums = cp_model.CpModel(), cp_model.LinearExpr.weighted_sum
    every = [model.new_int_var(low, high, "") for low, high, _ in zip(*columns, strict=True)]
    for low, high, first, last in zip(*rows, rows[2][1:], strict=False):
        ends = (int(max(cp_model.INT_MIN, min(cp_model.INT_MAX, end))) for end in (low, high))
        placed, counted = (part[first:last] for part in weights)
        model.add_linear_constraint(sums([every[c] for c in placed], counted), *ends)
    model.minimize(sums(every, columns[2]))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.max_time_in_seconds = float(seconds)
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return {"ended": status == cp_model.INFEASIBLE, "places": None}
    cost, bound = round(solver.objective_value), solver.best_objective_bound
    places = [solver.value(column) for column in every]
    return {"ended": status == cp_model.OPTIMAL, "places": places, "cost": cost, "bound": bound}


if __name__ == "__main__":
    main()
