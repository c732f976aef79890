"""Hard rules at run time. In: decisions so far and one more; out: the rule it breaks for good, or None.

A decision is refused iff no completion of the undecided variables satisfies the hard requirements.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, Goal
from colosseum.solve.solver import Solver


@dataclass(frozen=True)
class Rules:
    """The hard requirements of a task."""

    task: Task

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self.task)

    def prepare(self, *, always: bool) -> None:
        """Build the solver now, if there is anything to check, or in any case, with what a report cannot do without:
        the joint payoff. Raises NotLowered.
        """
        if always:
            self._solver.lowered.objective(WELFARE)
        elif any(self.task.hard):
            _ = self._solver

    def forbids(self, decided: Mapping[str, Value], variable: str, value: Value) -> str | None:
        """The statement of a rule that the decision would break for good; None when it may be taken.

        Says the rule's name only: whose decisions it clashes with is not told.
        """
        hard = list(self.task.hard)
        if not hard:
            return None
        fixed = {**decided, variable: value}
        for requirement in hard:
            scope = requirement.condition.scope
            if variable in scope and scope <= fixed.keys() and not requirement.condition.evaluate(fixed):
                return requirement.statement
        if self._solver.maximise(Goal(), fixed=fixed).status == "infeasible":
            touching = [r.statement for r in hard if variable in r.condition.scope]
            return touching[0] if touching else hard[0].statement
        return None
