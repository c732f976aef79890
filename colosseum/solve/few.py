"""The first optimum among few assignments. In: a task and a query; out: the answer, each of them being scored."""

from itertools import product
from math import prod

from colosseum.model.scenario import Task
from colosseum.model.values import Fault, Value
from colosseum.solve.backend import Found, Query
from colosseum.solve.rounding import grain
from colosseum.solve.scoring import goal_worth, score

MOST = 100
"""Assignments that are scored in less time than any engine takes to set out: 2 ms instead of 12 for one ticket."""


def first_of_few(task: Task, query: Query) -> Found | None:
    """The first optimum of a query that leaves few assignments; None where they are more, or a payoff is undefined."""
    domains = [(query.fixed[v.name],) if v.name in query.fixed else v.domain for v in task.variables]
    if prod(map(len, domains)) > MOST or any(x not in task.variable[name].domain for name, x in query.fixed.items()):
        return None
    found: list[tuple[float, dict[str, Value]]] = []
    for values in product(*domains):
        assignment = dict(zip(task.variable, values, strict=True))
        try:
            scored = score(task, assignment)
            if scored.feasible:
                found.append((query.sign * goal_worth(query.goal, scored, assignment), assignment))
        except Fault:
            return None
    if not found:
        return Found("infeasible", by="elimination")
    best = max(value for value, _ in found)
    value, assignment = next(each for each in found if each[0] >= best - grain(best))
    return Found("optimal", assignment, None, value, "elimination", first=True)
