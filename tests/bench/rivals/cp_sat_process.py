"""A process with OR-Tools. In: a Network as JSON on stdin; out: places of values as JSON on stdout.

One literal a value, exactly one of each variable; a table is one literal a tuple, whose sums over the other variables
are the values' literals; `max(0, …)` is a number that is not less; rules are linear.
"""

import json
import sys
import threading
import time
from itertools import product

BEGAN = time.process_time()

from ortools.sat.python import cp_model  # noqa: E402 - loading it is timed


def main() -> None:
    """Solve one network."""
    given = json.load(sys.stdin)
    loaded = time.process_time()
    model, values = build(given)
    built = time.process_time()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    threading.Thread(target=stop_after, args=(solver, built + given["limit"]), daemon=True).start()
    status = solver.solve(model)
    solved = time.process_time()
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    places = [next(d for d, x in enumerate(xs) if solver.boolean_value(x)) for xs in values] if found else None
    said = {
        "places": places,
        "proven": status in (cp_model.OPTIMAL, cp_model.INFEASIBLE),
        "startup": loaded - BEGAN,
        "build": built - loaded,
        "solve": solved - built,
    }
    sys.stdout.write(json.dumps(said) + "\n")


def stop_after(solver: "cp_model.CpSolver", until: float) -> None:
    """Stop at a processor time: its own limit is by the wall clock, which runs on while others use the machine."""
    while time.process_time() < until:
        time.sleep(0.1)
    solver.stop_search()


def build(given: dict) -> tuple["cp_model.CpModel", list]:  # type: ignore[type-arg] # JSON, checked by who wrote it
    """The model, and the literals of each variable's values."""
    model, scale = cp_model.CpModel(), given["scale"]
    values = [[model.new_bool_var("") for _ in range(size)] for size in given["sizes"]]
    literals, costs = [], []
    for xs, worths in zip(values, given["unary"], strict=True):
        model.add_exactly_one(xs)
        literals += xs
        costs += [round(worth * scale) for worth in worths]
    for scope, worths in given["tables"]:
        tuples = list(product(*(range(given["sizes"][v]) for v in scope)))
        made = [model.new_bool_var("") for _ in tuples]
        for position, v in enumerate(scope):
            for d, x in enumerate(values[v]):
                model.add(sum(t for t, key in zip(made, tuples, strict=True) if key[position] == d) == x)
        literals += made
        costs += [round(worth * scale) for worth in worths]
    for price, constant, items in given["excesses"]:
        excess, cost = add_excess(model, values, (price, constant, items), scale)
        literals.append(excess)
        costs.append(cost)
    for low, high, items in given["rows"]:
        add_row(model, values, (low, high, items))
    model.maximize(cp_model.LinearExpr.weighted_sum(literals, costs))
    return model, values


def add_excess(model: "cp_model.CpModel", values: list, written: tuple, scale: int) -> tuple:  # type: ignore[type-arg]
    """A number of at least 0 and at least the sum, and its cost; sums of fractions are counted in units of money."""
    price, constant, items = written
    whole = all(float(w).is_integer() for w in (constant, *(w for _, _, w in items)))
    unit = 1 if whole else scale * price
    weights, base = [round(w * unit) for _, _, w in items], round(constant * unit)
    excess = model.new_int_var(0, sum(max(0, w) for w in (base, *weights)), "")
    model.add(excess >= cp_model.LinearExpr.weighted_sum([values[v][d] for v, d, _ in items], weights) + base)
    return excess, -round(price * scale) if whole else -1


def add_row(model: "cp_model.CpModel", values: list, written: tuple) -> None:  # type: ignore[type-arg]
    """A hard rule; one of fractions is refused, as rounding could change what it allows."""
    low, high, items = written
    if not all(float(w).is_integer() for w in (low or 0, high or 0, *(w for _, _, w in items))):
        raise ValueError("a rule that counts in fractions")
    literals, weights = [values[v][d] for v, d, _ in items], [int(w) for _, _, w in items]
    if low is None and high == 1 and set(weights) == {1}:
        model.add_at_most_one(literals)
        return
    body = cp_model.LinearExpr.weighted_sum(literals, weights)
    if low is not None:
        model.add(body >= int(low))
    if high is not None:
        model.add(body <= int(high))


if __name__ == "__main__":
    main()
