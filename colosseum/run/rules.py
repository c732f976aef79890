"""Hard rules at run time. In: decisions so far and one more; out: the rule it breaks for good, or None.

A decision is refused iff no completion of the undecided variables satisfies the hard requirements.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, Goal
from colosseum.solve.solver import Solver


@dataclass(eq=False)
class Rules:
    """The hard requirements of a task."""

    task: Task
    kept: dict[str, Value] = field(default_factory=dict, init=False)
    """An assignment that keeps them all: mostly it also does with the next decision in it. Empty before the first."""

    @cached_property
    def _solver(self) -> Solver:
        return Solver(replace(self.task, payoffs=()))  # what payoffs add to the program would only be in the way

    def prepare(self) -> None:
        """Lower what a report cannot do without: the joint payoff. Raises NotLowered."""
        Solver(self.task).highs.lowered.objective(WELFARE)

    def forbids(self, decided: Mapping[str, Value], variable: str, value: Value) -> str | None:
        """The statement of a rule that the decision would break for good; None when it may be taken.

        Says the rule's name only: whose decisions it clashes with is not told.
        """
        hard, fixed = list(self.task.hard), {**decided, variable: value}
        for requirement in hard:
            scope = requirement.condition.scope
            if variable in scope and scope <= fixed.keys() and not requirement.condition.evaluate(fixed):
                return requirement.statement
        changed = {name for name, taken in fixed.items() if taken is not self.kept.get(name)}
        completed = {**self.kept, **fixed}
        touched = [r for r in hard if not changed.isdisjoint(r.condition.scope)]
        if hard and not (self.kept and all(r.condition.evaluate(completed) is True for r in touched)):
            found = self._solver.maximise(Goal(), fixed=fixed)
            if found.status == "infeasible":
                return next((r.statement for r in hard if variable in r.condition.scope), hard[0].statement)
            completed = found.assignment or {}
        self.kept = completed
        return None
