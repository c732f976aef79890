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
    line, network = Connection(int(sys.argv[1])), dict[str, Any]()
    with suppress(EOFError):
        while asked := line.recv():
            network = asked.pop("network", network)
            line.send(answer(network, **asked))


class FoundSolutions(cp_model.CpSolverSolutionCallback):
    """Solutions as they are found, up to so many."""

    def __init__(self, values: list[list[Any]], most: int) -> None:
        super().__init__()
        self.values, self.most = values, most
        self.found: list[list[int]] = []

    def on_solution_callback(self) -> None:
        """Note one."""
        self.found.append([next(d for d, x in enumerate(xs) if self.boolean_value(x)) for xs in self.values])
        if len(self.found) >= self.most > 0:
            self.stop_search()


def answer(
    network: dict[str, Any], *, top: int | None, most: int, allowed: dict[int, list[int]], seconds: int
) -> dict[str, Any]:
    """The cheapest solution below `top`, or with `most` > 0 up to so many that cost less than it.

    `allowed` has the places of values that some variables may take.
    """
    model, values, costs = built(network, allowed)
    if top is not None:
        model.add(costs <= top - 1)
    if not most:
        model.minimize(costs)
    solver, listed = cp_model.CpSolver(), FoundSolutions(values, most)
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.max_time_in_seconds = float(seconds)
    solver.parameters.enumerate_all_solutions = most > 1
    status = solver.solve(model, listed)
    ended = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE)
    found = listed.found if most else listed.found[-1:]
    cost = round(solver.objective_value) if found and not most else 0
    bound = None if most or status == cp_model.INFEASIBLE else solver.best_objective_bound
    return {"ended": ended, "solutions": [(places, cost) for places in found], "bound": bound}


def built(network: dict[str, Any], allowed: dict[int, list[int]]) -> tuple[Any, list[list[Any]], Any]:
    """The model, the literals of each variable's values, and what a solution costs."""
    model, weights, literals = cp_model.CpModel(), list[int](), list[Any]()
    values = [[model.new_bool_var("") for _ in range(size)] for size in network["sizes"]]
    for xs in values:
        model.add_exactly_one(xs)
    for number, places in allowed.items():
        model.add_bool_or([values[number][d] for d in places])
    for scope, costs in network["tables"]:
        counted = values[scope[0]] if len(scope) == 1 else tuples(model, [values[v] for v in scope])
        for literal, cost in zip(counted, costs, strict=True):
            if cost == float("inf"):
                model.add(literal == 0)
            elif cost:
                literals.append(literal)
                weights.append(int(cost))
    for items, low in network["rules"]:
        body = cp_model.LinearExpr.weighted_sum([values[v][d] for v, d, _ in items], [w for _, _, w in items])
        model.add(body >= low)
    return model, values, cp_model.LinearExpr.weighted_sum(literals, weights)


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
