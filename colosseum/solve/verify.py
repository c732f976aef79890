"""Optima proven again. In: a task, a goal and its optimum; out: whether a second method gives the same.

Elimination, which never sees the integer program, where it is affordable; else CBC, which solves the same program with
other code. What cannot be computed again is not verified, and why; what is wrong is a bug of ours, never a result.
CBC knows of no order among optima: which of many is told is verified by elimination only.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from colosseum.model.scenario import Task
from colosseum.model.values import Fault, Value
from colosseum.solve.elimination.eliminate import Elimination
from colosseum.solve.goal import Goal
from colosseum.solve.lowering.lower import NotLowered, lower
from colosseum.solve.scoring import AGREEMENT, Disagreement, goal_value, hard_broken
from colosseum.solve.searching.second import ask
from colosseum.solve.solver import Optimum

AFFORDABLE = 1 << 28
"""Joint values that an elimination may go through: a second or two."""
TIME_LIMIT = 300.0
"""Seconds that CBC may take for one answer."""
Verdict: TypeAlias = Literal["agrees", "disagrees", "not verified"]
Way: TypeAlias = Literal["elimination", "CBC"]


@dataclass(frozen=True)
class Verification:
    """What a second way says of an answer."""

    status: Verdict
    by: Way | None
    """The second way; None where there was none."""
    value: float | None
    """Its own value, recomputed in the model; None where it has none."""
    reason: str
    """Why the answer is wrong or not verified; empty when they agree."""
    seconds: float


@dataclass(frozen=True)
class Second:
    """The answer of a second way."""

    by: Way | None
    status: Literal["optimal", "infeasible", "open", "wrong"]
    value: float | None = None
    """Recomputed in the model, as its assignment is worth."""
    first: Mapping[str, Value] | None = None
    """The first of all optima, where it is known."""
    reason: str = ""
    """Why it is open or wrong."""


def verify(
    task: Task,
    optimum: Optimum,
    goal: Goal,
    sign: float,
    *,
    elimination: Elimination | None = None,
    time_limit: float = TIME_LIMIT,
) -> Verification:
    """Compute the optimum of `sign · goal` again; the task's factors are used again where they are given.

    What elimination has found is asked of CBC, which gets a program of its own, with no more than this goal needs.
    """
    start = time.perf_counter()
    second = Second(None, "open", reason="it is not proven; its value is attained and within its bound")
    wrong = _inconsistent(task, optimum, goal, sign)
    if not wrong and optimum.status != "limit":
        elimination = elimination or Elimination(task)
        cost = elimination.cost(goal)
        if cost is not None and cost.each + cost.once <= AFFORDABLE and optimum.by != "elimination":
            second = _eliminated(elimination, goal, sign, canonical=optimum.canonical)
        else:
            second = _asked(task, goal, sign, time_limit)
    status, reason = _compared(optimum, Second(None, "wrong", reason=wrong) if wrong else second, sign)
    return Verification(status, second.by, second.value, reason, time.perf_counter() - start)


def _inconsistent(task: Task, optimum: Optimum, goal: Goal, sign: float) -> str:
    """Why an answer cannot be right, whatever the optimum is; empty when it can."""
    if optimum.assignment is None or optimum.value is None:
        return ""
    value = goal_value(task, goal, optimum.assignment)
    if broken := hard_broken(task.requirements, optimum.assignment):
        return f"its assignment breaks `{broken[0].name}`"
    if _apart(value, optimum.value) != 0:
        return f"its assignment is worth {value!r}"
    if optimum.bound is not None and sign * _apart(value, optimum.bound) > 0:
        return f"its own bound is {optimum.bound!r}"
    return ""


def _apart(value: float, other: float) -> float:
    """`value − other`, 0 where that is no more than rounding."""
    return value - other if abs(value - other) > AGREEMENT * max(1.0, abs(value)) else 0.0


def _compared(optimum: Optimum, second: Second, sign: float) -> tuple[Verdict, str]:
    """Whether the answers agree. An assignment that is worth more shows a wrong answer, whoever found it."""
    if second.status in ("open", "wrong"):
        return "not verified" if second.status == "open" else "disagrees", second.reason
    if second.status == optimum.status == "infeasible":
        return "agrees", ""
    if optimum.value is None:
        return "disagrees", f"{second.by} found an assignment, worth {second.value!r}"
    trusted: Verdict = "disagrees" if second.by == "elimination" else "not verified"  # CBC is no bug of ours
    if second.value is None:
        return trusted, f"{second.by} found no assignment, but there is one"
    more = sign * _apart(second.value, optimum.value)
    if more > 0:
        return "disagrees", f"{second.by} found an assignment worth {second.value!r}"
    if more < 0:
        return trusted, f"{second.by} found no assignment worth more than {second.value!r}, but there is one"
    if optimum.canonical and second.first is not None and second.first != optimum.assignment:
        return "disagrees", f"{second.by} found an optimum that comes before it"
    return "agrees", ""


def _eliminated(elimination: Elimination, goal: Goal, sign: float, *, canonical: bool) -> Second:
    query = elimination.maximise if sign > 0 else elimination.minimise
    try:
        found = query(goal, canonical=canonical)
    except Disagreement as wrong:
        return Second("elimination", "wrong", reason=str(wrong))
    except Fault as fault:
        return Second("elimination", "open", reason=f"a payoff is undefined where it looked: {fault}")
    if found.status == "too large":
        return Second(None, "open", reason="elimination is too large")
    return Second("elimination", found.status, found.value, found.assignment if found.canonical else None)


def _asked(task: Task, goal: Goal, sign: float, time_limit: float) -> Second:
    """CBC's answer, as its assignment is worth in the model."""
    try:
        lowered = lower(task)
        costs = lowered.form(goal).scaled(sign)
    except NotLowered as fault:
        return Second(None, "open", reason=str(fault))
    opinion = ask(lowered.program, costs, time_limit=time_limit)
    if opinion.status == "infeasible":
        return Second("CBC", "infeasible")
    if opinion.columns is None:
        why = f"CBC took more than {time_limit:g} seconds" if opinion.status == "limit" else "CBC cannot be run"
        return Second(None, "open", reason=why)
    assignment = lowered.program.decode(opinion.columns)
    if broken := hard_broken(task.requirements, assignment):
        return Second("CBC", "open", reason=f"CBC's assignment breaks `{broken[0].name}` by a rounding error")
    try:
        return Second("CBC", "optimal", goal_value(task, goal, assignment))
    except Fault as fault:
        return Second("CBC", "open", reason=f"a payoff is undefined where CBC looked: {fault}")
