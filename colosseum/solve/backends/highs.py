"""HiGHS, warm. In: a task and a query; out: proven optima of its integer program, and the first of them.

One live program answers all queries of a task: these change costs and bounds only, and simplex goes on from its basis.
The relaxation comes first, then a dive, branch and bound last.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, TypeAlias

import numpy as np

from colosseum.model.scenario import Requirement, Task
from colosseum.model.values import Value
from colosseum.solve.arrays import Floats
from colosseum.solve.backend import Clock, Engine, Found, Query, Status, worth
from colosseum.solve.backends.highs_component import Component, reached
from colosseum.solve.backends.highs_first import first
from colosseum.solve.backends.highs_live import Best, Box
from colosseum.solve.ledger import broken
from colosseum.solve.lowering.conditions import settle
from colosseum.solve.lowering.lower import Costs, Lowered, lower
from colosseum.solve.lowering.program import matrix, total
from colosseum.solve.lowering.rules import DEFAULT_LIMITS, LoweringLimits
from colosseum.solve.rounding import grain
from colosseum.solve.scoring import AGREEMENT, Disagreement, goal_value, score, with_payoffs

Part: TypeAlias = tuple[Component, Floats, Box]
"""A component with costs and bounds of its columns."""

MOST_FORBIDDEN = 1_000
"""Assignments that may be excluded one by one before a query is given up."""
DIVING = 0.25
"""The share of a query's time that dives may take; what they leave is for branch and bound."""


@dataclass
class Highs:
    """The engine for one task: live solvers of its program, one a component."""

    name: ClassVar[Engine] = "highs"
    orders: ClassVar[bool] = True
    task: Task
    limits: LoweringLimits = DEFAULT_LIMITS
    components: list[Component] = field(init=False, default_factory=list)
    box: Box = field(init=False)
    """The bounds of all columns."""
    clock: Clock = time.monotonic
    """What tells when to stop."""
    built: tuple[int, int, int] = field(init=False, default=(0, 0, 0))
    until: float = field(init=False, default=math.inf)

    @cached_property
    def lowered(self) -> Lowered:
        """The task as an integer program. Raises NotLowered."""
        return lower(self.task, limits=self.limits)

    def relaxed(self, query: Query, *, until: float) -> Found | None:
        """The answer where the relaxation alone proves one; None where it does not."""
        return self._relaxed(query, until)[0]

    def solve(self, query: Query, *, until: float) -> Found:
        """The best assignment: by the relaxation, a dive, or branch and bound."""
        found = self._exact(query, until)
        return self.first(query, found, until=until) if query.canonical and found.status == "optimal" else found

    def first(self, query: Query, found: Found, *, until: float) -> Found:
        """The first of all optima, if it is known to be; `found` is an optimum by this engine."""
        moved = first(self, query, found, until=until)
        return moved if moved.assignment is None else replace(moved, value=worth(self.task, query, moved.assignment))

    def _exact(self, query: Query, until: float) -> Found:
        """The best assignment that keeps the hard requirements exactly.

        Rows hold to a tolerance, so `<=` between fractions can let through what the model excludes by a rounding error:
        such an assignment is forbidden in so many words, and the search goes on.
        """
        bound: float | None = None
        for _ in range(MOST_FORBIDDEN):
            found, costs, parts, relaxed = self._relaxed(query, until)
            attempt = (found, None) if found is not None else self._searched(query, costs, parts, relaxed)
            if attempt is None:
                continue
            found, missed = attempt
            bound = found.bound
            if missed is None:
                return found
            if found.status == "limit" or self.clock() > until:
                break
            self._forbid(missed, found.assignment or {})
        return Found("limit", bound=bound)

    def bound(self, query: Query, *, until: float) -> float:
        """What no assignment exceeds, by the relaxation; infinite where that comes to no end, or to nothing."""
        _, costs, _, relaxed = self._relaxed(query, until)
        most = _sum(relaxed, costs)
        return most + grain(most) if _worst(relaxed) == "optimal" else math.inf

    def stop_at(self, until: float) -> None:
        """No component's solver runs on after this moment."""
        self.until = until
        for component in self.components:
            component.until = until

    def boxes(self, fixed: Mapping[str, Value]) -> list[Box]:
        """The bounds of each component's columns with some variables fixed."""
        if not fixed:
            return [component.box for component in self.components]
        whole = self._box(fixed)
        return [Box(whole.low[component.columns], whole.high[component.columns]) for component in self.components]

    def box_of(self, component: Component, fixed: Mapping[str, Value]) -> Box:
        """The bounds of one component's columns."""
        whole = self._box(fixed)
        return Box(whole.low[component.columns], whole.high[component.columns])

    def _box(self, fixed: Mapping[str, Value]) -> Box:
        low, high, program = self.box.low.copy(), self.box.high.copy(), self.lowered.program
        for name, value in fixed.items():
            choice = program.choices[name]
            low[choice.start : choice.stop] = high[choice.start : choice.stop] = 0.0
            place = program.places[name].get(value)
            if place is not None:
                low[choice[place]] = high[choice[place]] = 1.0
        return Box(low, high)

    def decided_by(self, component: Component) -> list[str]:
        """The variables whose choice columns belong to a component, in declared order."""
        choices = np.array([choice.start for choice in self.lowered.program.choices.values()])
        inside = np.isin(choices, component.columns)
        return [v.name for v, here in zip(self.task.variables, inside.tolist(), strict=True) if here]

    def costs(self, query: Query) -> Costs:
        """The query's costs, to be maximised; lowering them may add columns. Raises NotLowered."""
        costs = self.lowered.objective(query.goal)
        low, high = sorted((query.sign * costs.low, query.sign * costs.high))
        return Costs(query.sign * costs.constant, query.sign * costs.weights, low, high)

    def build(self) -> None:
        """(Re)build the components when objectives have added columns or rows."""
        program = self.lowered.program
        if program.shape == self.built:
            return
        whole = matrix(program)
        self.components = [Component(columns, part, self.clock) for columns, part in whole.components()]
        self.built = program.shape
        self.box = Box(whole.low, whole.high)

    def _relaxed(self, query: Query, until: float) -> tuple[Found | None, Costs, list[Part], list[Best]]:
        """What the relaxation proves, if anything: an assignment that is worth as much as it is an optimum."""
        costs = self.costs(query)
        self.build()
        self.stop_at(until)
        boxes = self.boxes(query.fixed)
        parts = [(c, costs.weights[c.columns], box) for c, box in zip(self.components, boxes, strict=True)]
        relaxed = [component.best(weights, box) for component, weights, box in parts]
        if any(a.status == "infeasible" for a in relaxed):
            return Found("infeasible"), costs, parts, relaxed
        proven = self._proven(query, relaxed, _sum(relaxed, costs)) if _worst(relaxed) == "optimal" else None
        return proven, costs, parts, relaxed

    def _searched(
        self, query: Query, costs: Costs, parts: list[Part], relaxed: list[Best]
    ) -> tuple[Found, Requirement | None] | None:
        """After a dive, or by branch and bound of the components that are not whole; and what rule it breaks.

        None when a tie that mattered had to be settled: the program has more rows now.
        """
        answers = relaxed
        if _worst(relaxed) == "optimal":
            answers = self._dived(parts, relaxed)
            if found := self._proven(query, answers, _sum(relaxed, costs)):
                return found, None
        return self._branched(query, costs, [_whole(part, answer) for part, answer in zip(parts, answers, strict=True)])

    def _dived(self, parts: list[Part], relaxed: list[Best]) -> list[Best]:
        """The components' points after dives, or the relaxed ones where those found none."""
        stop = self.until
        self.stop_at(self.clock() + DIVING * (stop - self.clock()))
        answers = [
            component.dive(weights, box, answer, reached(answer.bound)) or answer
            for (component, weights, box), answer in zip(parts, relaxed, strict=True)
        ]
        self.stop_at(stop)
        return answers

    def _proven(self, query: Query, answers: list[Best], bound: float) -> Found | None:
        """The assignment at these points, if nothing can be worth more."""
        assignment = self.lowered.program.decode(self._point(answers))
        value = worth(self.task, query, assignment)
        if value is None or bound - value > grain(value) or value - bound > AGREEMENT * max(1.0, abs(value)):
            return None
        return Found("optimal", assignment, None, value, parts=tuple(a.bound for a in answers))

    def _branched(self, query: Query, costs: Costs, answers: list[Best]) -> tuple[Found, Requirement | None] | None:
        """What branch and bound found, and the rule it breaks; None when ties of it had to be settled first.

        Raises Disagreement when an assignment is not what the solver thought, and no tie explains it.
        """
        status, most = _worst(answers), _sum(answers, costs)
        bound = most if math.isfinite(most) else None
        if status == "infeasible" or any(a.point is None for a in answers):
            return Found(status, bound=bound), None
        point = self._point(answers)
        assignment = self.lowered.program.decode(point)
        missed = next((r for r in broken(self.task, assignment) if r.hard), None)
        value = None
        if missed is None:
            value = query.sign * goal_value(self.task, query.goal, assignment)
            thought = costs.constant + float(costs.weights @ point)
            if abs(value - thought) > AGREEMENT * max(1.0, abs(value)):
                ties, known = [*self.lowered.lowering.ties, *self.lowered.named_ties], score(self.task, assignment)
                if settle(ties, self.lowered.program, point, with_payoffs(known, assignment)):
                    return None  # a tie stood otherwise in the program, which has rows against that now
                worth, supposed = query.sign * value, query.sign * thought
                raise Disagreement(f"the solver's assignment is worth {worth!r}, not {supposed!r}")
        parts = tuple(float(costs.weights[c.columns] @ point[c.columns]) for c in self.components)
        return Found(status, assignment, None if status == "optimal" else bound, value, parts=parts), missed

    def _forbid(self, broken: Requirement, assignment: Mapping[str, Value]) -> None:
        """Exclude the values at which a requirement is broken; no other goal may take them either."""
        program, scope = self.lowered.program, sorted(broken.condition.scope)
        chosen = total([program.indicator(name, assignment[name]) for name in scope])
        program.row(chosen, high=len(scope) - 1.0)

    def _point(self, answers: list[Best]) -> Floats:
        """The components' points together."""
        values = np.zeros(len(self.box.low))
        for component, answer in zip(self.components, answers, strict=True):
            if answer.point is not None:
                values[component.columns] = answer.point
        return values


def _whole(part: Part, answer: Best) -> Best:
    """A whole point of a component: the one at hand, or what branch and bound finds."""
    component, weights, box = part
    if answer.status != "optimal":
        return component.search(weights, box)
    if component.whole(answer, within=0.0):
        return answer
    polished = component.polished(weights, box, answer) if component.whole(answer) else None
    if polished is not None and polished.bound >= reached(answer.bound):
        return polished
    return component.search(weights, box, most=answer.bound)


def _worst(answers: list[Best]) -> Status:
    for status in ("infeasible", "limit"):
        if any(a.status == status for a in answers):
            return status
    return "optimal"


def _sum(answers: list[Best], costs: Costs) -> float:
    return costs.constant + sum(a.bound for a in answers)
