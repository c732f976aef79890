"""A process with toulbar2. In: a Network as JSON on stdin; out: places of values as JSON on stdout.

Tables and numbers on values are cost functions; rules are its linear constraints; `max(0, …)` is a variable of its own
that counts in whole numbers, and one of fractions is not expressible.
"""

import json
import os
import sys
import time

BEGAN = time.process_time()

import pytoulbar2  # noqa: E402 - loading it is timed

EARLY = 0.8
"""The share of its time within which a search that found nothing has gone through everything."""


def main() -> None:
    """Solve one network; what the library prints goes to stderr."""
    answers = os.dup(1)
    os.dup2(2, 1)
    given = json.load(sys.stdin)
    loaded = time.process_time()
    try:
        problem = build(given)
        built = time.process_time()
        found = problem.Solve(timeLimit=int(given["limit"]))
        solved = time.process_time()
        said = {
            "places": found[0][: len(given["sizes"])] if found else None,
            "proven": proven(problem, found, early=solved - BEGAN < EARLY * given["limit"]),
            "startup": loaded - BEGAN,
            "build": built - loaded,
            "solve": solved - built,
        }
    except ValueError as fault:
        said = {"unnatural": str(fault)}
    with os.fdopen(answers, "w") as out:
        out.write(json.dumps(said) + "\n")


def proven(problem: "pytoulbar2.CFN", found: tuple | None, *, early: bool) -> bool:  # type: ignore[type-arg]
    """Whether the bound has reached the cost; what ended early without an answer has none."""
    return early if found is None else bool(problem.GetDDualBound() > found[1] - 0.5)


def build(given: dict) -> "pytoulbar2.CFN":  # type: ignore[type-arg] # JSON, checked by who wrote it
    """The cost function network: each function costs what it pays less than it could."""
    problem, scale = pytoulbar2.CFN(), given["scale"]
    names = [f"v{number}" for number in range(len(given["sizes"]))]
    for name, size in zip(names, given["sizes"], strict=True):
        problem.AddVariable(name, range(size))
    for name, worths in zip(names, given["unary"], strict=True):
        problem.AddFunction([name], costs(worths, scale))
    for scope, worths in given["tables"]:
        problem.AddFunction([names[v] for v in scope], costs(worths, scale))
    for number, (price, constant, items) in enumerate(given["excesses"]):
        add_excess(problem, f"excess{number}", (price, constant, items), names, scale)
    for low, high, items in given["rows"]:
        tuples = [(names[v], d, whole(w)) for v, d, w in items]
        for operand, side in ((">=", low), ("<=", high)):
            if side is not None:
                problem.AddGeneralizedLinearConstraint(tuples, operand, whole(side))
    return problem


def costs(worths: list[float], scale: int) -> list[int]:
    """By how much each worth falls short of the greatest."""
    scaled = [round(worth * scale) for worth in worths]
    return [max(scaled) - worth for worth in scaled]


def add_excess(problem: "pytoulbar2.CFN", name: str, written: tuple, names: list[str], scale: int) -> None:  # type: ignore[type-arg]
    """`excess − Σ items ≥ constant`, and a price for each unit."""
    price, constant, items = written
    base, weights = whole(constant), [whole(w) for _, _, w in items]
    most = max(0, base + sum(w for w in weights if w > 0))
    problem.AddVariable(name, range(most + 1))
    problem.AddFunction([name], [round(price * scale) * units for units in range(most + 1)])
    tuples = [(name, units, units) for units in range(most + 1)]
    tuples += [(names[v], d, -w) for (v, d, _), w in zip(items, weights, strict=True)]
    problem.AddGeneralizedLinearConstraint(tuples, ">=", base)


def whole(number: float) -> int:
    """The number, which must be whole."""
    if not float(number).is_integer():
        raise ValueError("a sum of fractions")
    return int(number)


if __name__ == "__main__":
    main()
