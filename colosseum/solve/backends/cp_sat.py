"""A process with CP-SAT. In: networks of whole costs, on a connection; out: what it found there.

One literal a value, exactly one of each variable; a table is one literal a tuple, whose sums over the other variables
are the values' literals; rules are linear. Nothing else of the package is imported, as OR-Tools and HiGHS cannot share
a process.
"""

import sys
from contextlib import suppress
from itertools import product
from multiprocessing.connection import Connection
from typing import Any

from ortools.sat.python import cp_model


def main() -> None:
    """Answer one question after the other, until nobody is there who could ask."""
    line = Connection(int(sys.argv[1]))
    with suppress(EOFError):
        while True:
            line.send(answer(**line.recv()))


def answer(
    sizes: list[int], tables: list[tuple[list[int], list[float]]], rules: list[tuple[list[tuple[int, int, int]], int]],
    seconds: int,
) -> dict[str, Any]:  # fmt: skip
    """The cheapest places of the variables' values, what they cost, and what none costs less than."""
    model, weights, literals = cp_model.CpModel(), list[int](), list[Any]()
    values = [[model.new_bool_var("") for _ in range(size)] for size in sizes]
    for xs in values:
        model.add_exactly_one(xs)
    for scope, costs in tables:
        counted = values[scope[0]] if len(scope) == 1 else tuples(model, [values[v] for v in scope])
        for literal, cost in zip(counted, costs, strict=True):
            if cost == float("inf"):
                model.add(literal == 0)
            elif cost:
                literals.append(literal)
                weights.append(int(cost))
    for items, low in rules:
        body = cp_model.LinearExpr.weighted_sum([values[v][d] for v, d, _ in items], [w for _, _, w in items])
        model.add(body >= low)
    model.minimize(cp_model.LinearExpr.weighted_sum(literals, weights))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.max_time_in_seconds = float(seconds)
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return {"ended": status == cp_model.INFEASIBLE, "places": None}
    places = [next(d for d, x in enumerate(xs) if solver.boolean_value(x)) for xs in values]
    cost, bound = round(solver.objective_value), solver.best_objective_bound
    return {"ended": status == cp_model.OPTIMAL, "places": places, "cost": cost, "bound": bound}


def tuples(model: Any, values: list[list[Any]]) -> list[Any]:
    """A literal for each joint value, the last variable turning fastest."""
    made, sharing = list[Any](), [[list[Any]() for _ in xs] for xs in values]
    for key in product(*(range(len(xs)) for xs in values)):
        made.append(model.new_bool_var(""))
        for position, d in enumerate(key):
            sharing[position][d].append(made[-1])
    for xs, literals in zip(values, sharing, strict=True):
        for x, its in zip(xs, literals, strict=True):
            model.add(cp_model.LinearExpr.sum(its) == x)
    return made


if __name__ == "__main__":
    main()
