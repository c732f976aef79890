"""Optima of a task. In: a lowered program and goals; out: assignments in the spec's words, recomputed exactly.

Nothing is called optimal without a proof: a solver that ran out of time leaves a value, a bound and the gap.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from colosseum.model.scenario import Requirement, Task
from colosseum.model.values import Fault, Value
from colosseum.optimum.engine import Answer, Component, Status
from colosseum.optimum.goal import Goal
from colosseum.optimum.lower import Lowered, lower
from colosseum.optimum.lowering import DEFAULT_LIMITS, Limits
from colosseum.optimum.program import Affine, total
from colosseum.optimum.scoring import goal_value, hard_broken

TIME_LIMIT = 120.0
"""Seconds that one component may take for one goal."""
MOST_FORBIDDEN = 1_000
"""Assignments that may be excluded one by one before a query is given up."""
AGREEMENT = 1e-6
"""How far, relative to max(1, |value|), branch and bound's value may lie from the exact one."""
MARGIN = 1e-6
"""What a reduced cost must exceed, relative to max(1, |value|), to be believed."""
TIGHT = 1e-9
"""How far, relative to max(1, |value|), the relaxation's bound may lie above a value that is called optimal."""


class Disagreement(Exception):  # noqa: N818 - what it is, in the words of the report
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
    limits: Limits = DEFAULT_LIMITS
    lowered: Lowered = field(init=False)
    components: list[Component] = field(init=False, default_factory=list)
    built: tuple[int, int] = field(init=False, default=(0, 0))

    def __post_init__(self) -> None:
        self.lowered = lower(self.task, limits=self.limits)

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of greatest value with some variables fixed.

        Raises NotLowered, and Fault where a payoff is undefined at the answer.
        """
        return self._optimise(goal, 1.0, fixed or {}, canonical=canonical)

    def minimise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        """The assignment of least value."""
        return self._optimise(goal, -1.0, fixed or {}, canonical=canonical)

    def _optimise(self, goal: Goal, sign: float, fixed: Mapping[str, Value], *, canonical: bool) -> Optimum:
        start = time.perf_counter()
        form = self.lowered.objective(goal).scaled(sign)
        status, best, bound = self._best(goal, form, sign, fixed)
        if best is None:
            limit = None if bound is None else sign * bound
            return Optimum(status, None, None, limit, canonical=False, seconds=_since(start))
        first = False
        if canonical and status == "optimal":
            best, first = self._first(goal, form, sign, best, fixed)
        value = goal_value(self.task, goal, best)
        proven = value if status == "optimal" else None if bound is None else sign * bound
        return Optimum(status, value, best, proven, canonical=first, seconds=_since(start))

    def _best(
        self, goal: Goal, form: Affine, sign: float, fixed: Mapping[str, Value]
    ) -> tuple[Status, dict[str, Value] | None, float | None]:
        """Status, assignment and bound, where the assignment keeps the hard requirements exactly.

        Rows hold to a tolerance, so `<=` between fractions can let through what the model excludes by a rounding error:
        such an assignment is forbidden in so many words, and the search goes on.
        """
        columns, bound = self._fixed_columns(fixed), None
        for _ in range(MOST_FORBIDDEN):
            self._build()
            status, assignment, bound = self._attempt(goal, form, sign, columns)
            broken = hard_broken(self.task.requirements, assignment) if assignment is not None else []
            if assignment is not None and not broken:
                return status, assignment, bound
            if not broken or status == "limit":
                return status, None, bound
            self._forbid(broken[0], assignment or {})
        return "limit", None, bound

    def _forbid(self, broken: Requirement, assignment: Mapping[str, Value]) -> None:
        """Exclude the values at which a requirement is broken; no other goal may take them either."""
        program, scope = self.lowered.program, sorted(broken.condition.scope)
        chosen = total([program.indicator(name, assignment[name]) for name in scope])
        program.row(chosen, high=len(scope) - 1.0)

    def _attempt(
        self, goal: Goal, form: Affine, sign: float, columns: Mapping[int, float]
    ) -> tuple[Status, dict[str, Value] | None, float | None]:
        """Status, assignment and bound. An assignment that is worth as much as the relaxation is an optimum.

        Where the relaxation leaves that open, branch and bound decides the components that are not whole.
        """
        costs = form.coefficients
        answers = [component.relax(costs, columns) for component in self.components]
        if any(a.status == "infeasible" for a in answers):
            return "infeasible", None, None
        if all(a.status == "optimal" for a in answers):
            assignment = self._decode(answers)
            if self._reaches(goal, sign, assignment, _claimed(answers, form)):
                return "optimal", assignment, None
        answers = [
            answer if answer.status == "optimal" and component.whole(answer) else component.branch(costs, columns)
            for component, answer in zip(self.components, answers, strict=True)
        ]
        status, bound = _worst(answers), _bound(answers, form)
        if status == "infeasible" or any(not a.values for a in answers):
            return status, None, bound
        assignment = self._decode(answers)
        if not hard_broken(self.task.requirements, assignment):
            self._verify(goal, assignment, _claimed(answers, form) * sign)
        return status, assignment, bound

    def _fixed_columns(self, fixed: Mapping[str, Value]) -> dict[int, float]:
        columns: dict[int, float] = {}
        for name, value in fixed.items():
            domain = self.task.variable[name].domain
            for place, column in enumerate(self.lowered.program.choices[name]):
                columns[column] = 1.0 if domain[place] == value else 0.0
        return columns

    def _reaches(self, goal: Goal, sign: float, assignment: dict[str, Value], bound: float) -> bool:
        """Whether an assignment keeps the hard rules and is worth as much as nothing can be worth more than."""
        try:
            if hard_broken(self.task.requirements, assignment):
                return False
            value = sign * goal_value(self.task, goal, assignment)
        except Fault:  # a point that is not whole may stand for decisions that no requirement or payoff is made for
            return False
        return bound - value <= TIGHT * max(1.0, abs(value))

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
        self.components = [
            Component(program, columns, tied, time_limit=self.time_limit)
            for columns, tied in zip(groups, rows, strict=True)
        ]
        self.built = size

    def _decode(self, answers: list[Answer]) -> dict[str, Value]:
        values = [0.0] * len(self.lowered.program.columns)
        for answer in answers:
            for column, value in answer.values.items():
                values[column] = value
        return self.lowered.program.decode(values)

    def _verify(self, goal: Goal, assignment: dict[str, Value], claimed: float) -> None:
        """Raises Disagreement when a decoded assignment is not what the solver thought."""
        value = goal_value(self.task, goal, assignment)
        if abs(value - claimed) > AGREEMENT * max(1.0, abs(value)):
            raise Disagreement(f"the solver's assignment is worth {value!r}, not {claimed!r}")

    def _first(
        self, goal: Goal, form: Affine, sign: float, best: dict[str, Value], fixed: Mapping[str, Value]
    ) -> tuple[dict[str, Value], bool]:
        """The lexicographically first optimum, and whether it is known to be.

        Variable by variable, earliest value first: a value before the current one is kept when fixing it leaves the
        optimum within reach.
        """
        value = goal_value(self.task, goal, best)
        tolerance = TIGHT * max(1.0, abs(value))
        held = dict(fixed)
        hopeless = self._out_of_reach(form, sign * value - tolerance, fixed)
        for variable in self.task.variables:
            if variable.name in held:
                continue
            choices = self.lowered.program.choices[variable.name]
            for place, d in enumerate(variable.domain[: variable.domain.index(best[variable.name])]):
                if choices[place] in hopeless:
                    continue
                if self._bounded_below(form, sign * value - tolerance, {**held, variable.name: d}):
                    continue
                status, candidate, _ = self._best(goal, form, sign, {**held, variable.name: d})
                if status == "limit":
                    return best, False
                if candidate is not None and abs(goal_value(self.task, goal, candidate) - value) <= tolerance:
                    best = candidate
                    break
            held[variable.name] = best[variable.name]
        return best, True

    def _out_of_reach(self, form: Affine, value: float, fixed: Mapping[str, Value]) -> set[int]:
        """Columns that no assignment of at least this value sets to 1, by their reduced costs (weak duality)."""
        columns = self._fixed_columns(fixed)
        answers = [component.relax(form.coefficients, columns) for component in self.components]
        if any(a.status != "optimal" for a in answers):
            return set()
        room = _claimed(answers, form) - value + MARGIN * max(1.0, abs(value))
        return {c for component in self.components for c, loss in component.losses().items() if loss > room}

    def _bounded_below(self, form: Affine, value: float, fixed: Mapping[str, Value]) -> bool:
        """Whether the relaxation alone shows that a value is out of reach."""
        columns = self._fixed_columns(fixed)
        answers = [component.relax(form.coefficients, columns) for component in self.components]
        if any(a.status == "infeasible" for a in answers):
            return True
        return all(a.status == "optimal" for a in answers) and _claimed(answers, form) < value


def _worst(answers: list[Answer]) -> Status:
    for status in ("infeasible", "limit"):
        if any(a.status == status for a in answers):
            return status
    return "optimal"


def _claimed(answers: list[Answer], form: Affine) -> float:
    return form.constant + sum(form.coefficients.get(c, 0.0) * v for a in answers for c, v in a.values.items())


def _bound(answers: list[Answer], form: Affine) -> float | None:
    total = form.constant + sum(a.bound for a in answers)
    return total if abs(total) != float("inf") else None


def _since(start: float) -> float:
    return time.perf_counter() - start


