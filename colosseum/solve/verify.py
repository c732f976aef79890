"""Optima proven again. In: a task, a goal and its optimum; out: which other engines prove the same.

Every other engine that is installed is asked. What none of them proves is not verified, and why; what is wrong is a bug
of ours, never a result.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isclose
from typing import Literal, TypeAlias

from colosseum.model.scenario import Task
from colosseum.model.values import Fault
from colosseum.solve.backend import Engine, Optimum, Query, checked
from colosseum.solve.backends import installed_engines
from colosseum.solve.goal import Goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.scoring import AGREEMENT, Disagreement
from colosseum.solve.solver import Solver

TIME_LIMIT = 60.0  # seconds that each engine may take for one answer
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


def engines(task: Task, *, time_limit: float = TIME_LIMIT) -> dict[Engine, Solver]:
    """All that are installed, for several answers of one task."""
    return {name: Solver(task, time_limit, only=name) for name in installed_engines()}


def verify(
    task: Task, optimum: Optimum, goal: Goal, sign: float, *, by: Mapping[Engine, Solver] | None = None
) -> Verification:
    """Compute the optimum of `sign · goal` again by every other engine; those of the task are used if given."""
    start, without, agreeing = time.perf_counter(), dict[Engine, str](), dict[Engine, float | None]()

    def verdict(status: Verdict, reason: str, by: tuple[Engine, ...] = (), value: float | None = None) -> Verification:
        return Verification(status, by, value, reason, time.perf_counter() - start, without)

    if optimum.assignment is not None and optimum.value is not None:
        try:
            checked(task, Query(goal), optimum.assignment, optimum.value, optimum.by)
        except Disagreement as fault:
            return verdict("disagrees", str(fault))
    if optimum.status == "limit":
        return verdict("not verified", "it is not proven; its value is attained")
    for name, solver in (engines(task) if by is None else by).items():
        if name == optimum.by:
            continue
        ask = solver.maximise if sign > 0 else solver.minimise
        try:
            found = ask(goal, canonical=optimum.canonical and name == "elimination")
        except (NotLowered, Fault) as fault:
            without[name] = str(fault)
            continue
        except Disagreement as fault:
            return verdict("disagrees", str(fault), (name,))
        status, reason = _compared(optimum, found, sign)
        if status == "disagrees":
            return verdict(status, reason, (name,), found.value)
        if status == "agrees":
            agreeing[name] = found.value
        else:
            without[name] = reason
    if agreeing:
        return verdict("agrees", "", tuple(agreeing), next(iter(agreeing.values())))
    return verdict("not verified", next(iter(without.values()), "there is no other engine"))


def _compared(optimum: Optimum, found: Optimum, sign: float) -> tuple[Verdict, str]:
    """Whether answers agree. An assignment that is worth more shows a wrong answer, whoever found it."""
    here, there = (-inf if each.value is None else sign * each.value for each in (optimum, found))
    more = 0.0 if isclose(there, here, rel_tol=AGREEMENT, abs_tol=AGREEMENT) else there - here
    if more > 0:
        return "disagrees", f"{found.by} found an assignment worth {found.value!r}"
    if found.status == "limit":
        return "not verified", found.reason
    if more < 0:  # but for elimination, others may have bugs of their own
        better = "" if found.value is None else f" worth more than {found.value!r}"
        reason = f"{found.by} found no assignment{better}, but there is one"
        return "disagrees" if found.by == "elimination" else "not verified", reason
    if found.canonical and found.assignment != optimum.assignment:
        return "disagrees", f"{found.by} found an optimum that comes before it"
    return "agrees", ""
