"""A process with toulbar2 or CP-SAT. In: networks of whole costs, on a connection; out: what it found there.

It imports nothing else of the package: so it starts in a moment, and OR-Tools and HiGHS cannot share a process. Neither
toulbar2's timer, which ends a process, nor a crash reaches who asked.
"""

import sys
from contextlib import suppress
from itertools import product
from multiprocessing.connection import Connection
from typing import Any, NamedTuple


class CostNetwork(NamedTuple):
    """A network; variables and values by number."""

    sizes: list[int]
    """Of the domains."""
    tables: list[tuple[list[int], list[float]]]
    """Variables, and the cost of each joint value, the last variable turning fastest."""
    rules: list[tuple[list[tuple[int, int, int]], int]]
    """Weights of values, and what they add up to at least."""
    seconds: int


Answer = dict[str, Any]
"""The cheapest places of the variables' values, what they cost, and what none costs less than; whether it has ended."""


def main() -> None:
    """Answer one question after the other, until nobody is there who could ask."""
    line, answer = Connection(int(sys.argv[1])), {"pytoulbar2": by_toulbar2, "ortools": by_cp_sat}[sys.argv[2]]
    with suppress(EOFError):
        while True:
            line.send(answer(CostNetwork(*line.recv())))


def by_toulbar2(asked: CostNetwork) -> Answer:
    """A cost function network as it is."""
    import pytoulbar2

    problem = pytoulbar2.CFN()
    for number, size in enumerate(asked.sizes):
        problem.AddVariable(f"v{number}", range(size))
    try:
        for scope, costs in asked.tables:
            problem.AddFunction(scope, costs)
        for items, low in asked.rules:
            problem.AddGeneralizedLinearConstraint(items, ">=", low)
    except problem.Contradiction:
        return {"ended": True, "places": None}
    problem.Option.limited = False  # it keeps what the last search came to
    found = problem.Solve(timeLimit=asked.seconds)
    places, cost = (found[0], round(found[1])) if found else (None, None)
    return {"ended": not problem.Option.limited, "places": places, "cost": cost, "bound": problem.GetDDualBound()}


def by_cp_sat(asked: CostNetwork) -> Answer:
    """One literal a value, exactly one of each variable; a table is one literal a tuple, whose sums over the other
    variables are the values' literals.
    """
    from ortools.sat.python import cp_model

    model, weights, literals = cp_model.CpModel(), list[int](), list[Any]()
    values = [[model.new_bool_var("") for _ in range(size)] for size in asked.sizes]
    for xs in values:
        model.add_exactly_one(xs)
    for scope, costs in asked.tables:
        counted = {key: values[scope[0]][key[0]] if len(key) == 1 else model.new_bool_var("")
                   for key in product(*(range(asked.sizes[v]) for v in scope))}  # fmt: skip
        for position, v in enumerate(scope if len(scope) > 1 else ()):
            for d, x in enumerate(values[v]):
                model.add(cp_model.LinearExpr.sum([its for key, its in counted.items() if key[position] == d]) == x)
        for literal, cost in zip(counted.values(), costs, strict=True):
            if cost == float("inf"):
                model.add(literal == 0)
            elif cost:
                literals.append(literal)
                weights.append(int(cost))
    for items, low in asked.rules:
        body = cp_model.LinearExpr.weighted_sum([values[v][d] for v, d, _ in items], [w for _, _, w in items])
        model.add(body >= low)
    model.minimize(cp_model.LinearExpr.weighted_sum(literals, weights))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.max_time_in_seconds = float(asked.seconds)
    status = solver.solve(model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return {"ended": status == cp_model.INFEASIBLE, "places": None}
    places = [next(d for d, x in enumerate(xs) if solver.boolean_value(x)) for xs in values]
    cost, bound = round(solver.objective_value), solver.best_objective_bound
    return {"ended": status == cp_model.OPTIMAL, "places": places, "cost": cost, "bound": bound}


if __name__ == "__main__":
    main()
