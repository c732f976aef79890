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
    line, network = Connection(int(sys.argv[1])), dict[str, Any]()
    with suppress(EOFError):
        while asked := line.recv():
            network = asked.pop("network", network)
            line.send(answer(network, **asked))


def answer(
    network: dict[str, Any], *, top: int | None, most: int, allowed: dict[int, list[int]], seconds: int
) -> dict[str, Any]:
    """The cheapest solution below `top`, or with `most` > 0 up to so many that cost less than it.

    `allowed` has the places of values that some variables may take.
    """
    problem = built(network, top, allowed)
    if problem is None:
        return {"ended": True, "solutions": [], "bound": None}
    problem.Option.limited = False  # it keeps what the last search came to
    found = problem.Solve(allSolutions=most, timeLimit=seconds)
    ended = not problem.Option.limited
    solutions = [(places, round(cost)) for cost, places in problem.GetSolutions()] if most else []
    if not most and found is not None:
        solutions = [(found[0], round(found[1]))]
    return {"ended": ended, "solutions": solutions, "bound": problem.GetDDualBound()}


def built(network: dict[str, Any], top: int | None, allowed: dict[int, list[int]]) -> Any:
    """The cost function network; None where a variable has no value left."""
    problem = pytoulbar2.CFN(top)
    for number, size in enumerate(network["sizes"]):
        problem.AddVariable(f"v{number}", range(size))
    for number, places in allowed.items():
        kept = set(places)
        problem.AddFunction([number], [0 if d in kept else problem.Top for d in range(network["sizes"][number])])
    try:
        for scope, costs in network["tables"]:
            problem.AddFunction(scope, costs)
        for items, low in network["rules"]:
            problem.AddGeneralizedLinearConstraint(items, ">=", low)
    except problem.Contradiction:
        return None
    return problem


if __name__ == "__main__":
    main()
