"""Facts shared by all runs of a task. In: a task; out: its live solver and the optima that figures refer to, each
computed once.
"""

from dataclasses import dataclass, field

from colosseum.evidence.figures import Figure
from colosseum.model.scenario import Coalition, Task
from colosseum.solve.goal import WELFARE, payoff_of
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.counterfactuals import Stakes
from colosseum.solve.questions.opportunity import SAME, fair_share
from colosseum.solve.rounding import ROUNDING, rounded
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver

DEADLINE = 30.0
"""Seconds for each further optimum of an instance; a figure that needs one which takes longer is null."""
BROKEN = "the outcome breaks a hard requirement"
EVERYBODY = "the coalition is everybody"


@dataclass
class SolvedTask:
    """One task with its optima, computed once for all assignments of it."""

    task: Task
    solver: Solver
    optimum: Optimum
    minimum: Optimum
    _scale: Figure | None = None
    _stakes: dict[Coalition, Stakes] = field(default_factory=dict)

    @classmethod
    def of(cls, task: Task) -> "SolvedTask":
        """Solve a task for both ends of F_n. Raises NotLowered."""
        solver = Solver(task)
        optimum = solver.maximise(WELFARE, canonical=True)
        solver.time_limit = DEADLINE
        return cls(task, solver, optimum, solver.minimise(WELFARE))

    @property
    def best(self) -> Figure:
        """F_n*."""
        return proven(self.optimum, "the optimum")

    @property
    def least(self) -> Figure:
        """F_n°."""
        return proven(self.minimum, "the minimum")

    @property
    def span(self) -> Figure:
        """`F_n* − F_n°`."""
        return difference(self.best, self.least)

    @property
    def unit(self) -> Figure:
        """u = F_n* / |A|, or a share of the span where that is not above 0; null where that is 0, too."""
        best, span = self.best, self.span
        if best.value is None or (best.value <= ROUNDING and span.value is None):
            return best if best.value is None else span
        share = fair_share(best.value, span.value or 0.0, len(self.task.agents))
        return Figure(share) if share is not None else Figure(None, SAME)

    @property
    def scale(self) -> Figure:
        """M = max_i (max_x r_i − min_x r_i), an instance constant."""
        if self._scale is None:
            self._scale = self._payoff_range()
        return self._scale

    def stakes(self, coalition: Coalition) -> Stakes:
        """What a coalition can have here."""
        if coalition not in self._stakes:
            self._stakes[coalition] = Stakes(self.solver, coalition, self.optimum, self.minimum)
        return self._stakes[coalition]

    def _payoff_range(self) -> Figure:
        """Agents in turn, the one first whose payoff might range farthest, until nobody left can exceed the widest."""
        try:
            reach = {agent: self.solver.reach(payoff_of(agent)) for agent in self.task.agents}
            widest = 0.0
            for agent in sorted(reach, key=lambda a: -reach[a]):
                if reach[agent] <= widest:
                    break
                found = self._range_of(agent)
                if found.value is None:
                    return found
                widest = max(widest, found.value)
        except NotLowered as fault:
            return Figure(None, str(fault))
        return Figure(widest)

    def _range_of(self, agent: str) -> Figure:
        """`max_x r_i − min_x r_i`. Raises NotLowered."""
        ends = self.solver.maximise(payoff_of(agent)), self.solver.minimise(payoff_of(agent))
        high, low = (proven(end, f"the range of `{agent}`'s payoff") for end in ends)
        if high.value is None or low.value is None:
            return high if high.value is None else low
        return Figure(rounded(high.value - low.value, high.value))


def proven(optimum: Optimum, what: str) -> Figure:
    """The value of an optimum that is one."""
    if optimum.status == "infeasible":
        return Figure(None, "no assignment satisfies the hard requirements")
    if optimum.status != "optimal" or optimum.value is None:
        return Figure(None, f"{what} is not proven: {NOT_PROVEN}")
    return Figure(optimum.value)


def difference(one: Figure, other: Figure) -> Figure:
    """`one − other`; null where one of them is."""
    if one.value is None or other.value is None:
        return one if one.value is None else other
    return Figure(one.value - other.value)


def gap(one: Figure, other: Figure) -> Figure:
    """`one − other` without noise."""
    apart = difference(one, other)
    return apart if apart.value is None or one.value is None else Figure(rounded(apart.value, one.value))


def share(part: Figure, whole: Figure, nothing: str) -> Figure:
    """`part / whole`; null, for the reason given, where the whole is 0."""
    if part.value is None or whole.value is None:
        return part if part.value is None else whole
    return Figure(part.value / whole.value) if whole.value > 0 else Figure(None, nothing)
