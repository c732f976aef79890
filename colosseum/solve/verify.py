"""Optima proven again. In: a task, a goal and its optimum; out: which other engines prove the same.

Every engine that is installed is asked, but the one that has found the answer. What none of them proves is not
verified, and why; what is wrong is a bug of ours, never a result. Which of many optima is told is verified by engines
that know an order among them.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from colosseum.model.scenario import Task
from colosseum.model.values import Fault
from colosseum.solve.backend import Backend, Engine, Found, Query
from colosseum.solve.backends import BACKENDS, installed_engines
from colosseum.solve.goal import Goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.scoring import AGREEMENT, Disagreement, goal_value, hard_broken
from colosseum.solve.solver import Optimum

TIME_LIMIT = 60.0
"""Seconds that each engine may take for one answer."""
Verdict: TypeAlias = Literal["agrees", "disagrees", "not verified"]


@dataclass(frozen=True)
class Verification:
    """What other engines say of an answer."""

    status: Verdict
    by: tuple[Engine, ...]
    """Those that prove the same, or the one that does not."""
    value: float | None
    """Their value, recomputed in the model; None where they have none."""
    reason: str
    """Why the answer is wrong or not verified; empty when they agree."""
    seconds: float
    without: dict[Engine, str] = field(default_factory=dict)
    """Engines that prove nothing here, and why."""


def engines(task: Task) -> dict[Engine, Backend]:
    """All that are installed, for several answers of one task."""
    return {name: BACKENDS[name](task) for name in installed_engines()}


def verify(
    task: Task,
    optimum: Optimum,
    goal: Goal,
    sign: float,
    *,
    by: Mapping[Engine, Backend] | None = None,
    time_limit: float = TIME_LIMIT,
) -> Verification:
    """Compute the optimum of `sign · goal` again by every other engine; those of the task are used if given."""
    start = time.perf_counter()
    if wrong := _inconsistent(task, optimum, goal, sign):
        return Verification("disagrees", (), None, wrong, time.perf_counter() - start)
    if optimum.status == "limit":
        reason = "it is not proven; its value is attained and within its bound"
        return Verification("not verified", (), None, reason, time.perf_counter() - start)
    agreeing: dict[Engine, float | None] = {}
    without: dict[Engine, str] = {}
    for name, engine in (engines(task) if by is None else by).items():
        if name == optimum.by:
            continue
        query = Query(goal, sign, {}, canonical=optimum.canonical)
        try:
            found = engine.solve(query, until=time.monotonic() + time_limit)
            verdict, reason = _compared(optimum, found, query)
        except (NotLowered, Fault) as fault:
            verdict, reason = "not verified", str(fault)
        except Disagreement as fault:
            return Verification("disagrees", (name,), None, str(fault), time.perf_counter() - start, without)
        value = None if verdict == "not verified" or found.value is None else sign * found.value
        if verdict == "disagrees":
            return Verification("disagrees", (name,), value, reason, time.perf_counter() - start, without)
        if verdict == "agrees":
            agreeing[name] = value
        else:
            without[name] = reason
    seconds = time.perf_counter() - start
    if agreeing:
        return Verification("agrees", tuple(agreeing), next(iter(agreeing.values())), "", seconds, without)
    reason = next(iter(without.values()), "there is no other engine")
    return Verification("not verified", (), None, reason, seconds, without)


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


def _compared(optimum: Optimum, found: Found, query: Query) -> tuple[Verdict, str]:
    """Whether answers agree. An assignment that is worth more shows a wrong answer, whoever found it."""
    if found.value is not None and optimum.value is None:
        return "disagrees", f"{found.by} found an assignment, worth {query.sign * found.value!r}"
    if found.value is not None and optimum.value is not None:
        more = _apart(found.value, query.sign * optimum.value)
        if more > 0:
            return "disagrees", f"{found.by} found an assignment worth {query.sign * found.value!r}"
    if found.status == "limit":
        return "not verified", found.reason or f"{found.by} came to no end"
    if found.status == optimum.status == "infeasible":
        return "agrees", ""
    trusted: Verdict = "disagrees" if found.by == "elimination" else "not verified"  # others may have bugs of their own
    if found.value is None or optimum.value is None:
        return trusted, f"{found.by} found no assignment, but there is one"
    if more < 0:
        return trusted, f"{found.by} found no assignment worth more than {query.sign * found.value!r}, but there is one"
    if query.canonical and found.first and found.assignment != optimum.assignment:
        return "disagrees", f"{found.by} found an optimum that comes before it"
    return "agrees", ""
