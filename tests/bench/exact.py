"""Optima against enumeration. In: random small instances of every family and of every kind of statement; out: how many
of their optima are not what going through all assignments finds.
"""

import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import TypeAlias

from colosseum.model.scenario import Scenario, Task
from colosseum.model.values import Value
from colosseum.solve.backend import Optimum
from colosseum.solve.backends import installed_engines
from colosseum.solve.goal import WELFARE, Goal, bent, coalition_goal, mixed, payoff_of
from colosseum.solve.scoring import Score, goal_worth, score
from colosseum.solve.solver import Solver

from .cases import case, from_path
from .lines import Mark, Measurements
from .mixtures import mixture
from .rivals import clock

INSTANCES, QUICK_INSTANCES = 2_000, 120
LIMIT = 60.0
"""Seconds that an engine may take for one of these."""
MIXED = 0.45
"""The share of instances that are mixtures of statements."""
ROUNDING = 1e-9
"""How far, relative to max(1, |value|), two computations of one value may lie apart."""

SMALL: dict[str, tuple[tuple[int, ...], ...]] = {
    "tickets": ((3, 2), (3, 4), (4, 3)),
    "tickets_soft": ((3, 2), (3, 4), (4, 3)),
    "sums": ((3, 2), (3, 4)),
    "capacity": ((4, 2), (5, 2), (4, 3)),
    "meetings": ((3, 2), (2, 2)),
    "tree": ((4, 3), (6, 2)),
    "grid": ((2, 2, 3), (2, 3, 2)),
    "scale_free": ((5, 2), (5, 3)),
    "pairs": ((4, 3, 100), (6, 2, 40)),
    "tuples": ((5, 2, 3), (5, 2, 4), (4, 3, 3)),
    "colouring": ((5, 3, 2), (6, 2, 3)),
    "colouring_random": ((5, 3, 2), (6, 2, 3)),
}

Scored: TypeAlias = list[tuple[dict[str, Value], Score]]


@dataclass(frozen=True)
class AskedOptimum:
    """One optimum that is asked for, at either end."""

    words: str
    goal: Goal
    fixed: dict[str, Value]
    sign: float


def exact(ledger: Measurements) -> None:
    """Go through the instances, print the first mismatches, and how many there were by family."""
    number = QUICK_INSTANCES if ledger.quick else INSTANCES
    makers: dict[str, Callable[[int], Scenario]] = {name: _maker(name) for name in SMALL}
    share = {name: round(number * (1 - MIXED) / len(SMALL)) for name in SMALL}
    makers["mixtures of statements"] = _mixture
    share["mixtures of statements"] = number - sum(share.values())
    lines = []
    for name, make in makers.items():
        before, asked, seconds = len(ledger.unequal), ledger.compared, list[float]()
        for seed in range(1, share[name] + 1):
            ledger.note(f"against enumeration: {name}, seed {seed}")
            began = clock()
            for question, words in against_enumeration(make(seed), seed):
                ledger.judge(f"{name}, seed {seed}, {question.words}", words, same=not words)
            seconds.append(clock() - began)
        wrong, asked = len(ledger.unequal) - before, ledger.compared - asked
        note = f"{share[name]} instances, {asked} optima, {median(seconds) * 1e3:.0f} ms an instance"
        lines.append(Mark("Optima that enumeration does not confirm", name, wrong, most=0, note=note))
    ledger.tables(lines)


def _maker(name: str) -> Callable[[int], Scenario]:
    return lambda seed: case(name, *SMALL[name][seed % len(SMALL[name])], seed=seed).scenario


def _mixture(seed: int) -> Scenario:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mixture.colo"
        path.write_text(mixture(seed), encoding="utf-8")
        return from_path(path, seed=seed)


def against_enumeration(scenario: Scenario, seed: int) -> Iterator[tuple[AskedOptimum, str]]:
    """Each question with what is wrong about its answer; nothing where it is right."""
    task, every = scenario.task, _feasible(scenario.task)
    every_way = {"": Solver(task)} | {f"{name}: ": Solver(task, LIMIT, only=name) for name in installed_engines()}
    for number, question in enumerate(_questions(scenario, seed)):
        fitting = [(x, s) for x, s in every if all(x[name] == value for name, value in question.fixed.items())]
        worths = [question.sign * goal_worth(question.goal, s, x) for x, s in fitting]
        canonical, fixed, up = number == 0, question.fixed, question.sign > 0
        for name, solver in every_way.items():
            first = canonical and solver.only not in ("cp-sat", "pulp")  # their walks take long
            found = (solver.maximise if up else solver.minimise)(question.goal, fixed=fixed, canonical=first)
            if found.status != "limit" or not name:
                words = _wrong(question, found, fitting, worths)
                yield question, f"{name}{words}" if words else ""


def _wrong(question: AskedOptimum, found: Optimum, fitting: Scored, worths: list[float]) -> str:
    """What is wrong about an answer; empty where nothing is."""
    if not worths:
        return "" if found.status == "infeasible" else f"{found.status} where nothing is feasible"
    best = max(worths)
    tie = ROUNDING * max(1.0, abs(best))
    if found.status != "optimal" or found.value is None or abs(question.sign * found.value - best) > tie:
        return f"{found.status} {found.value!r}, enumerated {question.sign * best!r}"
    first = next(x for (x, _), worth in zip(fitting, worths, strict=True) if best - worth <= tie)
    return (
        f"{found.assignment} is not the first optimum, {first}" if found.canonical and found.assignment != first else ""
    )


def _feasible(task: Task) -> Scored:
    """All assignments that keep the hard rules, in lexicographic order, scored."""
    names = [v.name for v in task.variables]
    every = (dict(zip(names, values, strict=True)) for values in product(*(v.domain for v in task.variables)))
    scored = ((x, score(task, x)) for x in every)
    return [(x, s) for x, s in scored if s.feasible]


def _questions(scenario: Scenario, seed: int) -> Iterator[AskedOptimum]:
    """Both ends of F_n, of a payoff, of F_c, of F_λ and of a sum of payoffs; the last two with a variable fixed."""
    draw, task, cabal = random.Random(f"exact {seed}"), scenario.task, scenario.coalitions[0]
    agent, strength = draw.choice(task.agents), draw.random()
    goals = {
        "F_n": WELFARE,
        f"r[{agent}]": payoff_of(agent),
        "F_c": coalition_goal(cabal),
        f"F_λ at {strength:.3f}": bent(cabal, strength=strength),
        "Σ w_i r_i": mixed({payoff_of(a): draw.uniform(-1, 1) for a in task.agents}),
    }
    for number, (words, goal) in enumerate(goals.items()):
        variable = draw.choice(task.variables)
        fixed = {variable.name: draw.choice(variable.domain)} if number >= 3 else {}
        for sign, end in ((1.0, "greatest"), (-1.0, "least")):
            yield AskedOptimum(f"{end} {words}{f' with {fixed}' if fixed else ''}", goal, fixed, sign)
