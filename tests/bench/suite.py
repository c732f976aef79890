"""The counterfactuals of one run. In: instances and what was decided; out: ms for all figures of a run."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from statistics import median

from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.metrics import Measured, measure
from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE
from colosseum.solve.scoring import hard_broken
from colosseum.solve.solver import Solver

from .cases import BenchCase, named
from .lines import Mark, Measurements
from .rivals import clock


@dataclass(frozen=True)
class Bars:
    """What must be kept, in ms, and how much is measured."""

    run: float
    first: float | None
    """The first run of an instance, for which the instance's own optima and ranges are computed, too."""
    seeds: int
    runs: int
    """How many of each seed, besides the first."""


BARRED = {
    "tickets 6 8": Bars(40.0, 40.0, seeds=5, runs=4),
    "tickets_soft 6 8": Bars(40.0, None, seeds=5, runs=4),
    "jira": Bars(40.0, None, seeds=5, runs=4),
    "capacity 6 3": Bars(2_000.0, 2_000.0, seeds=5, runs=4),
    "hospital": Bars(30_000.0, 30_000.0, seeds=1, runs=2),
}
QUICK = 4
"""How many of these a quick run measures."""
SLIPS = 3
"""Decisions by which a run differs from the optimum."""


def suite(ledger: Measurements) -> None:
    """Measure runs that slip a little from the optimum, each instance's first run apart."""
    ledger.tables(
        line
        for words, bars in islice(BARRED.items(), QUICK if ledger.quick else None)
        for line in _lines(ledger, words, bars)
    )


def _lines(ledger: Measurements, words: str, bars: Bars) -> Iterator[Mark]:
    heading = "All figures of one run, counterfactuals included, ms"
    made = [named(words, seed=seed) for seed in range(1, bars.seeds + 1)]
    seconds = [seconds_of(ledger, each, bars.runs) for each in made]
    run, first = median(s for each in seconds for s in each[1:]), median(each[0] for each in seconds)
    yield Mark(heading, f"{made[0].label}, a run", run * 1e3, most=bars.run)
    yield Mark(heading, f"{made[0].label}, the first of an instance", first * 1e3, most=bars.first,
               note="with its optima and ranges")  # fmt: skip


def seconds_of(ledger: Measurements, made: BenchCase, runs: int) -> list[float]:
    """What the first run takes, with the instance's own optima, and what further ones take."""
    ledger.note(f"figures of runs: {made.label}, seed {made.scenario.seed}")
    optimum = Solver(made.task).maximise(WELFARE)
    assert optimum.assignment is not None
    began = clock()
    instance = SolvedTask.of(made.task)
    found = _measured(made, instance, _slipped(made.task, optimum.assignment, 0))
    seconds = [clock() - began]
    ledger.equal(f"{made.label}, optimum of a run", optimum.value, found.scalars["optimum"].value)
    _adds_up(ledger, made.label, found)
    for number in range(1, runs + 1):
        x = _slipped(made.task, optimum.assignment, number)
        began = clock()
        _measured(made, instance, x)
        seconds.append(clock() - began)
    return seconds


def _adds_up(ledger: Measurements, label: str, found: Measured) -> None:
    """Regret is what others had lost already and what the coalition lost."""
    regret, given, own = (found.scalars[name].value for name in ("regret", "loss_given_others", "own_move_loss"))
    ledger.equal(f"{label}, regret in two parts", regret, None if given is None or own is None else given + own)


def _measured(made: BenchCase, instance: SolvedTask, x: dict[str, Value]) -> Measured:
    return measure(instance, x, coalition=made.scenario.coalitions[0], order=made.task.agents, closely=True)


def _slipped(task: Task, optimum: dict[str, Value], seed: int) -> dict[str, Value]:
    """The optimum with a few decisions changed so that hard rules are kept."""
    draw, x = random.Random(f"slips {seed}"), dict(optimum)
    for _ in range(SLIPS):
        variable = draw.choice(task.variables)
        for value in draw.sample(variable.domain, len(variable.domain)):
            changed = {**x, variable.name: value}
            if value != x[variable.name] and not hard_broken(task.requirements, changed):
                x = changed
                break
    return x
