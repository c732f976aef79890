"""A process with toulbar2. In: networks of whole costs, on a connection; out: what it found there.

It imports nothing else of the package, so that it starts in a moment. Neither toulbar2's timer, which ends a process,
nor a crash reaches who asked.
"""

import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import pytoulbar2


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
    problem = pytoulbar2.CFN()
    for number, size in enumerate(sizes):
        problem.AddVariable(f"v{number}", range(size))
    try:
        for scope, costs in tables:
            problem.AddFunction(scope, costs)
        for items, low in rules:
            problem.AddGeneralizedLinearConstraint(items, ">=", low)
    except problem.Contradiction:
        return {"ended": True, "places": None}
    problem.Option.limited = False  # it keeps what the last search came to
    found = problem.Solve(timeLimit=seconds)
    places, cost = (found[0], round(found[1])) if found else (None, None)
    return {"ended": not problem.Option.limited, "places": places, "cost": cost, "bound": problem.GetDDualBound()}


if __name__ == "__main__":
    main()
