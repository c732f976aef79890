"""What a coalition could have done in a run if all others kept their decisions. In: a solver, a coalition and what was
realised; out: its best moves by three measures, and what it could ever have. Each is asked for once, when it is needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from colosseum.model.scenario import Coalition
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, Goal, coalition_goal
from colosseum.solve.questions.preferred import negated, preferred_to
from colosseum.solve.questions.threshold import ends_above
from colosseum.solve.rounding import grain
from colosseum.solve.scoring import goal_worth, score
from colosseum.solve.searching.live import Status
from colosseum.solve.solver import Optimum, Solver

SATISFICING = 0.01
"""Which share of the span may be missing from what is good enough."""


@dataclass(frozen=True)
class Outcome:
    """What an assignment is worth to the team and to the coalition."""

    joint_payoff: float
    """F_n."""
    coalition_value: float
    """F_c."""


class Counterfactuals:
    """Over y_S, the coalition's joint moves that keep the hard rules beside x̃_{−S}. Raises what Solver.maximise does.

    None is feasible where the others' decisions break a rule on their own, or leave none that the coalition can keep.
    """

    def __init__(self, solver: Solver, coalition: Coalition, realised: Mapping[str, Value]) -> None:
        self.solver, self.coalition = solver, coalition
        self.goal: Goal = coalition_goal(coalition)
        self.others = {v.name: realised[v.name] for v in solver.task.variables if v.owner not in coalition.members}
        self.here = outcome(solver, self.goal, realised)

    @cached_property
    def nominal(self) -> Optimum:
        """`max_{y_S} F_n(y_S ⊕ x̃_{−S})`: what remains possible for the team."""
        return self.solver.maximise(WELFARE, fixed=self.others)

    @cached_property
    def honest(self) -> Optimum:
        """`F_c^hon`: the F_c of a nominal best response, the least of them where there are several."""
        found = preferred_to(self.solver, self.nominal, WELFARE, negated(self.goal), fixed=self.others)
        return _turned(found)

    @cached_property
    def greatest(self) -> Optimum:
        """`max_{y_S} F_c(y_S ⊕ x̃_{−S})`: the most that the coalition could have had."""
        return self.solver.maximise(self.goal, fixed=self.others)


class Stakes:
    """What a coalition can have in a task, whatever anybody does: constants of the two. Raises as above."""

    def __init__(self, solver: Solver, coalition: Coalition, optimum: Optimum, minimum: Optimum) -> None:
        self.solver, self.optimum, self.minimum = solver, optimum, minimum
        self.goal = coalition_goal(coalition)

    @cached_property
    def greatest(self) -> Optimum:
        """`max F_c`."""
        return self.solver.maximise(self.goal)

    @cached_property
    def at_optimum(self) -> float | None:
        """`F_c(x*)`; none where there is no optimum."""
        x = self.optimum.assignment
        return None if x is None else outcome(self.solver, self.goal, x).coalition_value

    @cached_property
    def among_optima(self) -> tuple[Optimum, Optimum]:
        """The least and the greatest F_c of assignments with `F_n = F_n*`."""
        least = preferred_to(self.solver, self.optimum, WELFARE, negated(self.goal))
        return _turned(least), preferred_to(self.solver, self.optimum, WELFARE, self.goal)

    @cached_property
    def good_enough(self) -> tuple[Optimum, Optimum]:
        """The least and the greatest F_c of assignments within SATISFICING of the span of F_n*.

        Where the span is not known they are not, either.
        """
        best, least = self.optimum, self.minimum
        if best.status != "optimal" or best.value is None or least.status != "optimal" or least.value is None:
            return _unknown(best), _unknown(best)
        if best.value - least.value <= grain(best.value):
            return self.among_optima
        room = SATISFICING * (best.value - least.value) + grain(best.value)
        return ends_above(self.solver.task, self.goal, best.value - room)


def outcome(solver: Solver, goal: Goal, x: Mapping[str, Value]) -> Outcome:
    """F_n and F_c at an assignment, from one score."""
    scored = score(solver.task, x)
    return Outcome(scored.value, goal_worth(goal, scored, x))


def _turned(found: Optimum) -> Optimum:
    """The optimum of a negated goal, in the goal's own sign; 0 is not −0."""
    value, bound = (None if v is None else 0.0 - v for v in (found.value, found.bound))
    return replace(found, value=value, bound=bound)


def _unknown(of: Optimum) -> Optimum:
    """No assignment, and no proof that there is none."""
    status: Status = "infeasible" if of.status == "infeasible" else "limit"
    return Optimum(status, None, None, None, canonical=False, seconds=0.0)
