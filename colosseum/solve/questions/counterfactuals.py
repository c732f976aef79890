"""What a coalition could have done in a run if all others kept their decisions. In: a solver, a coalition and what was
realised; out: its best moves by three measures, what it could ever have, and the λ at which it did its best. Each is
asked for once, when it is needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from colosseum.model.scenario import Coalition, Requirement
from colosseum.model.terms import Compare, Constant, Total
from colosseum.model.values import Value
from colosseum.solve.backend import NOT_PROVEN, Optimum, Query
from colosseum.solve.goal import WELFARE, Goal, bent, coalition_goal
from colosseum.solve.questions.frontier import ends, point_of, preferred_to
from colosseum.solve.scoring import ROUNDING, grain, rounded
from colosseum.solve.solver import Solver

SATISFICING = 0.01  # which share of the span may be missing from what is good enough
SOON = 2.0  # seconds, of work or by the clock, for a constant of a task that no other figure than a share of it needs
MOST_STEPS = 200  # moves that may cut before the set is given up; a handful do as a rule
NONE_EXPLAINS = "no λ explains the move"
OPEN = f"the λ are not proven: {NOT_PROVEN}"


@dataclass(eq=False)
class AskedOnce(Solver):
    """A solver that remembers what it has proven: many runs of a task end alike, and ask alike."""

    known: dict[tuple[Goal, bool, frozenset[tuple[str, Value]]], Optimum] = field(default_factory=dict, init=False)

    def _optimise(self, query: Query) -> Optimum:
        asked = query.goal, query.canonical, frozenset(query.fixed.items())
        found = self.known.get(asked) or super()._optimise(query)
        if found.status != "limit":
            self.known[asked] = found
        return found


class Counterfactuals:
    """Over y_S, the coalition's joint moves that keep the hard rules beside x̃_{−S}. Raises what Solver.maximise does.

    None is feasible where the others' decisions break a rule on their own, or leave none that the coalition can keep.
    """

    def __init__(self, solver: Solver, coalition: Coalition, realised: Mapping[str, Value]) -> None:
        self.solver, self.coalition = solver, coalition
        self.goal: Goal = coalition_goal(coalition)
        self.others = {v.name: realised[v.name] for v in solver.task.variables if v.owner not in coalition.members}
        self.here = point_of(solver, self.goal, realised)

    @cached_property
    def nominal(self) -> Optimum:
        """`max_{y_S} F_n(y_S ⊕ x̃_{−S})`: what remains possible for the team."""
        return self.solver.maximise(WELFARE, fixed=self.others)

    @cached_property
    def honest(self) -> Optimum:
        """`F_c^hon`: the F_c of a nominal best response, the least of them where there are several."""
        return preferred_to(self.solver, self.nominal, WELFARE, self.goal, sign=-1.0, fixed=self.others)

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
        """`max F_c`, where that is proven soon: questions of each run wait for it."""
        with self.solver.within(SOON):
            return self.solver.maximise(self.goal)

    @cached_property
    def at_optimum(self) -> float | None:
        """`F_c(x*)`; none where there is no optimum."""
        x = self.optimum.assignment
        return None if x is None else point_of(self.solver, self.goal, x).coalition_value

    @cached_property
    def among_optima(self) -> tuple[Optimum, Optimum]:
        """The least and the greatest F_c of assignments with `F_n = F_n*`."""
        return ends(self.solver, self.optimum, WELFARE, self.goal)

    @cached_property
    def good_enough(self) -> tuple[Optimum, Optimum]:
        """The least and the greatest F_c of assignments within SATISFICING of the span of F_n*, which is proven.

        The threshold is one more hard rule of a task of its own, so that answers are checked like any.
        """
        best, least = self.optimum.proven, self.minimum.proven
        assert best is not None
        assert least is not None
        room = SATISFICING * (best - least) + grain(best)
        rule = Compare(">=", Total(tuple(p.term for p in self.solver.task.payoffs)), Constant(best - room))
        demand = Requirement("good enough", "good enough", rule, None, None)
        task = replace(self.solver.task, requirements=(*self.solver.task.requirements, demand))
        demanding = self.solver.anew(task)
        return demanding.minimise(self.goal), demanding.maximise(self.goal)


def strengths(held: Counterfactuals) -> tuple[float, float] | str:
    """From which λ to which the coalition's realised move maximises F_λ, others held; a str is why none is known to.

    `φ(λ) = max_{y_S} F_λ(y_S ⊕ x̃_{−S}) − F_λ(x̃)` is convex, piecewise linear, never below 0, and 0 from one of the λ to
    the other. From 0 and from 1, Newton's steps on φ lead there. The run keeps the hard rules.
    """
    ends = []
    for end, best in ((0.0, held.nominal), (1.0, held.greatest)):
        settled = _settled(held, best, end)
        if isinstance(settled, str):
            return settled
        ends.append(settled)
    return min(ends), max(ends)


def _settled(held: Counterfactuals, best: Optimum, end: float) -> float | str:
    """The first λ on the way from an end of [0, 1] to the other at which no move is better; `best` is best at the end.

    With `a = F_n(y) − F_n(x̃)` and `b = F_c(x̃) − F_c(y)` a move y is better by `a − λ·(a + b)`. No λ before the one at
    which that is 0 can be the first; and if it grows on the way, there is none.
    """
    here, inward = held.here, 1.0 - 2.0 * end
    for _ in range(MOST_STEPS):
        if best.status != "optimal" or best.assignment is None:
            return OPEN
        there = point_of(held.solver, held.goal, best.assignment)
        more = rounded(there.joint_payoff - here.joint_payoff, here.joint_payoff)
        slope = more + rounded(here.coalition_value - there.coalition_value, here.coalition_value)
        if slope == 0.0:
            return NONE_EXPLAINS if more > 0.0 else end
        ahead = (more / slope - end) * inward
        if slope * inward < 0.0:
            return NONE_EXPLAINS if ahead < -ROUNDING else end
        if ahead <= ROUNDING:
            return end
        end = more / slope
        if not 0.0 <= end <= 1.0:
            return NONE_EXPLAINS
        best = held.solver.maximise(bent(held.coalition, strength=end), fixed=held.others)
    return OPEN
