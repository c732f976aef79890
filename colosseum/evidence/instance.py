"""Facts shared by all runs of a task. In: a task; out: its live solver and the optima that figures refer to, each
computed once.
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from operator import sub
from typing import TYPE_CHECKING

from colosseum.evidence.figures import Figure
from colosseum.model.scenario import Coalition, Task
from colosseum.solve.goal import WELFARE, payoff_of
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.counterfactuals import SOON, AskedOnce, Stakes
from colosseum.solve.questions.prospect import fair_share
from colosseum.solve.scoring import rounded
from colosseum.solve.solver import NOT_PROVEN, Optimum, Solver

if TYPE_CHECKING:
    from colosseum.evidence.metrics import Measured

DEADLINE = 15.0
"""Seconds of work for all figures of one run, and for each end of F_n; those that take longer are null."""
LITTLE = 0.1
"""A smaller opportunity is called little: a tenth of a fair share."""
BROKEN = "the outcome breaks a hard requirement"
EVERYBODY = "the coalition is everybody"


@dataclass(eq=False)
class SolvedTask:
    """One task with its optima, computed once for all assignments of it."""

    task: Task
    solver: Solver
    optimum: Optimum
    minimum: Optimum
    _stakes: dict[Coalition, Stakes] = field(default_factory=dict)
    measured: dict[tuple[Coalition | None, str, bool], "Measured"] = field(default_factory=dict)
    """The figures of outcomes, as many runs end alike: by the outcome in words, and whether they were asked closely."""

    @classmethod
    def of(cls, task: Task) -> "SolvedTask":
        """Solve a task for both ends of F_n. Raises NotLowered."""
        solver = AskedOnce(task, by_work=True)
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
        if self.best.value is None:
            return self.best
        share = fair_share(self.best.value, self.span.value, len(self.task.agents))
        return Figure(None, share) if isinstance(share, str) else Figure(share)

    @cached_property
    def scale(self) -> Figure:
        """M = max_i (max_x r_i − min_x r_i); agents who might range farthest come first, until none can exceed it."""
        widest = Figure(0.0)
        try:
            with self.solver.within(SOON):
                reach = {agent: self.solver.reach(payoff_of(agent)) for agent in self.task.agents}
                for agent in sorted(reach, key=lambda a: -reach[a]):
                    if widest.value is None or reach[agent] <= widest.value:
                        break
                    ends = self.solver.maximise(payoff_of(agent)), self.solver.minimise(payoff_of(agent))
                    found = gap(*(proven(end, f"the range of `{agent}`'s payoff") for end in ends))
                    widest = max(widest, found, key=lambda each: inf if each.value is None else each.value)
        except NotLowered as fault:
            return Figure(None, str(fault))
        return widest

    def stakes(self, coalition: Coalition) -> Stakes:
        """What a coalition can have here."""
        return self._stakes.setdefault(coalition, Stakes(self.solver, coalition, self.optimum, self.minimum))


def proven(optimum: Optimum, what: str) -> Figure:
    """The value of an optimum that is one."""
    if optimum.status == "infeasible":
        return Figure(None, "no assignment satisfies the hard requirements")
    return Figure(optimum.proven, f"{what} is not proven: {NOT_PROVEN}" if optimum.proven is None else "")


def difference(one: Figure, other: Figure) -> Figure:
    """`one − other`; null where one of them is."""
    return Figure.of(sub, one, other)


def gap(one: Figure, other: Figure) -> Figure:
    """`one − other` without noise."""
    return Figure.of(lambda a, b: rounded(a - b, a), one, other)


def share(part: Figure, whole: Figure, nothing: str) -> Figure:
    """`part / whole`; null, for the reason given, where the whole is 0."""
    if part.value is None or whole.value is None:
        return part if part.value is None else whole
    return Figure(part.value / whole.value) if whole.value > 0 else Figure(None, nothing)
