"""Instances. In: a family with sizes or a shipped spec, and a seed; out: its scenario, expanded from text."""

import random
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from colosseum.diagnostics import render_text
from colosseum.model.check import expand, read_spec
from colosseum.model.scenario import Scenario, Task
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, Goal, bent, mixed, payoff_of
from colosseum.solve.lowering.program import Program

from .families import family

SPECS = Path(__file__).parent.parent.parent / "specs"
SHIPPED = ("jira", "hospital", "meetings", "grid", "assistant")


class Refused(Exception):  # noqa: N818 - a finding about a text
    """A text does not expand."""


@dataclass(frozen=True)
class BenchCase:
    """One instance under its name."""

    label: str
    scenario: Scenario

    @property
    def task(self) -> Task:
        """What is optimised."""
        return self.scenario.task


@dataclass(frozen=True)
class HeldGoal:
    """An objective and what is held fixed."""

    goal: Goal
    fixed: dict[str, Value]

    @property
    def kind(self) -> str:
        """What it asks for, in a word."""
        return "fixings" if self.fixed else "F_λ" if self.goal.total else "Σ w_i r_i"


def case(name: str, *sizes: int, seed: int = 1) -> BenchCase:
    """A family's instance, or a shipped spec's. Raises Refused."""
    label = f"{name} {'×'.join(map(str, sizes))}" if sizes else f"{name}.colo"
    if name in SHIPPED and not sizes:
        return BenchCase(label, from_path(SPECS / f"{name}.colo", seed=seed))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.colo"
        path.write_text(family(name, *sizes, seed=seed), encoding="utf-8")
        return BenchCase(label, from_path(path, seed=seed))


def named(words: str, *, seed: int = 1) -> BenchCase:
    """The instance that words name: `tickets 6 8`, `jira`. Raises Refused."""
    name, *sizes = words.split()
    return case(name, *map(int, sizes), seed=seed)


def from_path(path: Path, *, seed: int) -> Scenario:
    """Read and expand a file. Raises Refused."""
    spec, diagnostics = read_spec(path)
    expansion = None
    if spec is not None:
        expansion, found = expand(spec, seed=seed, params={})
        diagnostics = [*diagnostics, *found]
    if expansion is None:
        raise Refused(render_text(diagnostics).splitlines()[0])
    return expansion.scenario


def questions(scenario: Scenario, number: int, *, seed: int = 1) -> list[HeldGoal]:
    """Seeded objectives: two in five `Σ w_i r_i`, two in five `F_λ` at their own λ, one in five `F_n` with fixings."""
    draw, task = random.Random(f"questions {seed}"), scenario.task
    several = max(1, number * 2 // 5)
    sums = (mixed({payoff_of(a): draw.random() for a in task.agents}) for _ in range(several))
    bendings = (bent(scenario.coalitions[0], strength=(k + draw.random()) / several) for k in range(several))
    fixings = (_fixing(task, draw) for _ in range(number - 2 * several))
    free = (HeldGoal(goal, {}) for goal in chain(sums, bendings))
    return [*free, *(HeldGoal(WELFARE, fixed) for fixed in fixings)]


def _fixing(task: Task, draw: random.Random) -> dict[str, Value]:
    held = draw.sample(task.variables, min(2, len(task.variables)))
    return {v.name: draw.choice(v.domain) for v in held}


def single_payoffs(task: Task) -> Iterator[HeldGoal]:
    """Every `r_i`."""
    return (HeldGoal(payoff_of(agent), {}) for agent in task.agents)


def held(program: Program, fixed: Mapping[str, Value]) -> dict[int, float]:
    """The values of choice columns that fix these variables."""
    return {
        column: float(value == fixed[name])
        for name in fixed
        for value, column in zip(program.task.variable[name].domain, program.choices[name], strict=True)
    }
