"""One optimum to proof, from a task. In: families of instances; out: seconds, ours and the best of other engines'.

Ours begins with the task, as each engine alone does; HiGHS left alone is given the same program, lowered. Engines in
processes are asked something small before, so that their start does not count. Time is by the wall clock.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from statistics import median
from typing import Final

import numpy as np

from colosseum.model.scenario import Task
from colosseum.solve.backend import Engine, Query
from colosseum.solve.backends import BACKENDS, installed_engines
from colosseum.solve.goal import WELFARE
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.solver import Solver

from .cases import BenchCase, Refused, named
from .lines import Mark, Measurements
from .rivals import RivalAnswer, direct

LIMIT, QUICK_LIMIT = 30.0, 5.0
"""Seconds that an engine may search."""
SEEDS, QUICK_SEEDS = (1, 2, 3), (1,)
MOST_OFTEN, SHARE = 2.0, 0.2
"""Ours takes at most so many times the best engine's time, on all but so many instances of a family, …"""
MOST_EVER, FAST = 5.0, 0.02
"""… and at most so many times on any that takes the best engine longer than this."""
SOON = 3.0
"""What an engine proves in so many seconds must not be left open by ours."""
RIVALS: Final[tuple[Engine, ...]] = ("toulbar2", "cp-sat", "elimination")

FAMILIES = {
    "tickets": ("6 8", "25 30", "100 125", "200 250"),
    "tickets_soft": ("6 8", "12 16", "25 30"),
    "sums": ("10 12", "25 30", "50 60"),
    "capacity": ("25 4", "50 8", "100 8"),
    "meetings": ("10 10", "20 20", "20 40", "40 60", "80 80"),
    "tree": ("20 3", "100 4", "500 5", "500 10"),
    "grid": ("4 4 5", "6 6 4", "8 8 5", "10 10 4"),
    "colouring": ("20 3 4", "30 4 5", "100 4 4"),
    "colouring_random": ("20 3 4", "20 3 6", "60 4 5"),
    "scale_free": ("20 3", "50 4", "50 10"),
    "pairs": ("12 4 40", "12 4 100", "15 5 100", "20 4 60"),
    "tuples": ("12 3 3", "12 3 4", "25 4 3"),
}
"""Sizes by family, the smallest first; a quick run takes the first of each."""
SHIPPED = ("jira", "meetings", "grid", "assistant", "hospital")


@dataclass(frozen=True)
class TimedInstance:
    """One instance: ours, and the engine that was soonest."""

    size: int
    """Values of all variables."""
    ours: float
    proven: bool
    best: str
    theirs: float | None
    """None where no engine proved it."""

    @property
    def ratio(self) -> float:
        """Ours to theirs; less than 1 where nobody else proved it."""
        if self.theirs is None:
            return 0.0
        return self.ours / self.theirs if self.proven else float("inf")


def single(ledger: Measurements) -> None:
    """Measure every family."""
    seeds = QUICK_SEEDS if ledger.quick else SEEDS
    for name, sizes in FAMILIES.items():
        words = [f"{name} {size}" for size in (sizes[:1] if ledger.quick else sizes)]
        ledger.tables(family_lines(ledger, name, words, seeds))
    ledger.tables(family_lines(ledger, "shipped", SHIPPED[-1:] if ledger.quick else SHIPPED, seeds))


def family_lines(
    ledger: Measurements, name: str, instances: "tuple[str, ...] | list[str]", seeds: tuple[int, ...]
) -> list[Mark]:
    """A line for each size, its medians over the seeds; then how the family stands."""
    heading = f"One optimum to proof, s: {name}"
    lines, every, middles = [], list[TimedInstance](), list[tuple[int, float]]()
    for words in instances:
        try:
            solved = [solve(ledger, named(words, seed=seed)) for seed in seeds]
        except Refused as refusal:
            lines.append(Mark(heading, words, None, most=0.0, note=f"refused: {refusal}"))
            continue
        every += solved
        ours, theirs = median(s.ours for s in solved), [s.theirs for s in solved if s.theirs is not None]
        middles.append((solved[0].size, ours))
        open_ = sum(not s.proven for s in solved)
        note = f"{open_} of {len(solved)} not proven" if open_ else ""
        best = max({s.best for s in solved}, key=[s.best for s in solved].count)
        lines.append(Mark(heading, words, ours, best, median(theirs) if theirs else None, note=note))
    beyond = [s.ratio for s in every if s.ratio > MOST_OFTEN]
    slow = [s.ratio for s in every if s.theirs is not None and s.theirs > FAST]
    left = sum(not s.proven and s.theirs is not None and s.theirs <= SOON for s in every)
    more = f"share of {len(every)} instances that take more than {MOST_OFTEN:g} × the best engine"
    lines.append(Mark(heading, more, len(beyond) / len(every) if every else None, most=SHARE))
    lines.append(
        Mark(heading, f"greatest ratio where the best takes {FAST * 1e3:g} ms", max(slow, default=0.0), most=MOST_EVER)
    )
    lines.append(Mark(heading, f"left open where an engine needs {SOON:g} s", left, most=0))
    if len(middles) > 2:
        lines.append(Mark(heading, "exponent of time over values", exponent(middles)))
    return lines


def exponent(middles: list[tuple[int, float]]) -> float:
    """The slope of the logarithm of time over that of size."""
    return float(np.polyfit([log(size) for size, _ in middles], [log(seconds) for _, seconds in middles], 1)[0])


def solve(ledger: Measurements, made: BenchCase) -> TimedInstance:
    """Solve an instance in all ways, and demand equal values."""
    ledger.note(f"single optima: {made.label}")
    limit = QUICK_LIMIT if ledger.quick else LIMIT
    warmed()
    began = time.perf_counter()
    optimum = Solver(made.task, time_limit=limit).maximise(WELFARE)
    ours = time.perf_counter() - began
    found = dict(_answers(made.task, limit))
    for rival, answer in found.items():
        if optimum.status == "limit":
            continue
        if answer.proven:
            ledger.equal(f"{made.label}, {rival}", optimum.value, answer.value)
        elif answer.value is not None:
            ledger.at_most(f"{made.label}, {rival}", optimum.value, answer.value)
    proven = {rival: answer.build + answer.solve for rival, answer in found.items() if answer.proven}
    best = min(proven, key=proven.__getitem__, default="nobody")
    size = sum(len(v.domain) for v in made.task.variables)
    return TimedInstance(size, ours, optimum.status != "limit", best, proven.get(best))


def warmed() -> None:
    """Ask engines in processes something small, so that they run."""
    task = named("pairs 3 2 100").task
    for name in set(RIVALS).intersection(installed_engines()):
        BACKENDS[name](task).solve(Query(WELFARE), until=time.monotonic() + LIMIT)


def _answers(task: Task, limit: float) -> Iterator[tuple[str, RivalAnswer]]:
    try:
        yield "HiGHS", direct.solve(task, limit=limit)
    except NotLowered as fault:
        yield "HiGHS", RivalAnswer("not expressible", note=str(fault))
    for name in RIVALS:
        if name not in installed_engines():
            yield name, RivalAnswer("not installed")
            continue
        began = time.perf_counter()
        found = BACKENDS[name](task).solve(Query(WELFARE), until=time.monotonic() + limit)
        seconds = time.perf_counter() - began
        outcome = "not expressible" if found.status == "limit" and found.value is None else found.status
        yield name, RivalAnswer(outcome, found.value, solve=seconds, note=found.reason)
