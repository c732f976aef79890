"""Optima of a task. In: a lowered program and goals; out: assignments in the spec's words, recomputed exactly.

Nothing is called optimal without a proof: a solver that ran out of time leaves a value, a bound and the gap.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.optimum.engine import Answer, Component, Status
from colosseum.optimum.goal import Goal
from colosseum.optimum.lower import Lowered, lower
from colosseum.optimum.program import Affine
from colosseum.optimum.scoring import goal_value, hard_broken

TIME_LIMIT = 120.0
"""Seconds that one component may take for one goal."""
AGREEMENT = 1e-6
"""How far, relative to max(1, |value|), the solver's value may lie from the exact one."""


class Disagreement(Exception):
    """The solver's value is not the model's: a bug of ours, never a result."""


@dataclass(frozen=True)
class Optimum:
    """The best assignment for a goal, or why there is none."""

    status: Status
    value: float | None
    """The exact value at the assignment, recomputed in the model; None when there is no assignment."""
    assignment: dict[str, Value] | None
    bound: float | None
    """No assignment is worth more than this (less, for a minimum); equal to the value when optimal."""
    canonical: bool
    """Whether it is the lexicographically first of all optima, by declared order of variables and domains."""
    seconds: float

    @property
    def gap(self) -> float | None:
        """`|bound − value|`, 0 when proven."""
        return None if self.value is None or self.bound is None else abs(self.bound - self.value)


@dataclass
class Solver:
    """A task's program with live solvers; queries change costs and bounds only."""

    task: Task
    time_limit: float = TIME_LIMIT
    lowered: Lowered = field(init=False)
    components: list[Component] = field(init=False, default_factory=list)
    built: tuple[int, int] = field(init=False, default=(0, 0))

    def __post_init__(self) -> None:
        self.lowered = lower(self.task)

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of greatest value with some variables fixed. Raises NotLowered, and Fault on an undefined payoff."""
        return self._optimise(goal, 1.0, fixed or {}, canonical=canonical)

    def minimise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of least value."""
        return self._optimise(goal, -1.0, fixed or {}, canonical=canonical)

    def _optimise(self, goal: Goal, sign: float, fixed: Mapping[str, Value], *, canonical: bool) -> Optimum:
        start = time.perf_counter()
        form = self.lowered.objective(goal).scaled(sign)
        answers = self._answers(form, fixed)
        status = _worst(answers)
        if status == "infeasible" or any(not a.values for a in answers):
            return Optimum(status, None, None, _bound(answers, form, sign), canonical=False, seconds=_since(start))
        assignment = self._decode(answers)
        value = self._verified(goal, assignment, _claimed(answers, form) * sign)
        first = False
        if canonical and status == "optimal":
            assignment, value, first = self._first(goal, form, assignment, value, fixed)
        bound = value if status == "optimal" else _bound(answers, form, sign)
        return Optimum(status, value, assignment, bound, canonical=first, seconds=_since(start))

    def _answers(self, form: Affine, fixed: Mapping[str, Value]) -> list[Answer]:
        self._build()
        columns: dict[int, float] = {}
        for name, value in fixed.items():
            domain = self.task.variable[name].domain
            for place, column in enumerate(self.lowered.program.choices[name]):
                columns[column] = 1.0 if domain[place] == value else 0.0
        return [component.maximise(form.coefficients, columns) for component in self.components]

    def _build(self) -> None:
        """(Re)build the components when objectives have added columns or rows."""
        program = self.lowered.program
        size = (len(program.columns), len(program.rows))
        if size == self.built:
            return
        groups = program.components()
        home = {column: i for i, group in enumerate(groups) for column in group}
        rows: list[list[int]] = [[] for _ in groups]
        for number, row in enumerate(program.rows):
            first = next(iter(row.coefficients), None)
            rows[0 if first is None else home[first]].append(number)
        self.components = [Component(program, g, r, time_limit=self.time_limit) for g, r in zip(groups, rows, strict=True)]
        self.built = size

    def _decode(self, answers: list[Answer]) -> dict[str, Value]:
        values = [0.0] * len(self.lowered.program.columns)
        for answer in answers:
            for column, value in answer.values.items():
                values[column] = value
        return self.lowered.program.decode(values)

    def _verified(self, goal: Goal, assignment: dict[str, Value], claimed: float) -> float:
        """The exact value of a decoded assignment. Raises Disagreement when the solver thought otherwise."""
        value = goal_value(self.task, goal, assignment)
        broken = hard_broken(self.task.requirements, assignment)
        if broken or abs(value - claimed) > AGREEMENT * max(1.0, abs(value)):
            what = f"breaks `{broken[0].name}`" if broken else f"is worth {value!r}, not {claimed!r}"
            raise Disagreement(f"the solver's assignment {what}")
        return value

    def _first(
        self, goal: Goal, form: Affine, best: dict[str, Value], value: float, fixed: Mapping[str, Value]
    ) -> tuple[dict[str, Value], float, bool]:
        """The lexicographically first optimum: earlier values first, variable by variable.

        Each variable in turn is fixed to the earliest value that still reaches the optimum; values before the current
        one are tried by the program itself.
        """
        tolerance = 1e-9 * max(1.0, abs(value))
        held = dict(fixed)
        for variable in self.task.variables:
            if variable.name in held:
                continue
            for d in variable.domain:
                if d == best[variable.name]:
                    break
                answers = self._answers(form, {**held, variable.name: d})
                if any(a.status == "limit" for a in answers):
                    return best, value, False
                if any(not a.values for a in answers):
                    continue
                candidate = self._decode(answers)
                worth = goal_value(self.task, goal, candidate)
                if abs(worth - value) <= tolerance:
                    best = candidate
                    break
            held[variable.name] = best[variable.name]
        return best, goal_value(self.task, goal, best), True


def _worst(answers: list[Answer]) -> Status:
    for status in ("infeasible", "limit"):
        if any(a.status == status for a in answers):
            return status
    return "optimal"


def _claimed(answers: list[Answer], form: Affine) -> float:
    return form.constant + sum(form.coefficients.get(c, 0.0) * v for a in answers for c, v in a.values.items())


def _bound(answers: list[Answer], form: Affine, sign: float) -> float | None:
    total = form.constant + sum(a.bound for a in answers)
    return sign * total if abs(total) != float("inf") else None


def _since(start: float) -> float:
    return time.perf_counter() - start


