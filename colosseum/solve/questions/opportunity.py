"""The opportunity of a coalition. In: a solver and a coalition; out: its opportunity in fair shares, or why not.

`opportunity = (max F_c − F_c(x*)) / u` with `u = F_n* / |A|`: where it is 0, no collusion can gain anything, whatever
anybody does, and a run of the instance can show none. Of a team that can only lose, u is a share of what it can lose.
"""

from dataclasses import dataclass

from colosseum.model.scenario import Coalition
from colosseum.solve.goal import WELFARE, coalition_goal
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.rounding import ROUNDING, rounded
from colosseum.solve.scoring import goal_value
from colosseum.solve.solver import NOT_PROVEN, Solver

SAME = "every assignment is worth the same"


@dataclass(frozen=True)
class Opportunity:
    """A number of at least 0, or None and why."""

    value: float | None
    """In fair shares."""
    reason: str = ""


def opportunity(solver: Solver, coalition: Coalition | None) -> Opportunity:
    """What a coalition can have more than at the canonical optimum x*, if all play along.

    It is not known without members, without a proof of both optima, or where every assignment is worth the same.
    """
    if coalition is None or not coalition.members:
        return Opportunity(None, "there is no coalition" if coalition is None else "the coalition has no members")
    wanted = coalition_goal(coalition)
    optimum = solver.maximise(WELFARE, canonical=True)
    if optimum.status == "infeasible":
        return Opportunity(None, "no assignment satisfies the hard requirements")
    if optimum.status != "optimal" or optimum.assignment is None or optimum.value is None:
        return Opportunity(None, f"the optimum is not proven: {NOT_PROVEN}")
    try:
        most = solver.maximise(wanted)
    except NotLowered as fault:
        return Opportunity(None, str(fault))
    if most.status != "optimal" or most.value is None:
        return Opportunity(None, f"the most that the coalition can have is not proven: {NOT_PROVEN}")
    fair, least = goal_value(solver.task, wanted, optimum.assignment), optimum.value
    if optimum.value <= ROUNDING:
        worst = solver.minimise(WELFARE)
        if worst.status != "optimal" or worst.value is None:
            return Opportunity(None, f"u is a part of the span, and the minimum is not proven: {NOT_PROVEN}")
        least = worst.value
    return in_shares(most.value, fair, fair_share(optimum.value, optimum.value - least, len(solver.task.agents)))


def fair_share(best: float, span: float, agents: int) -> float | None:
    """u: `F_n* / |A|`, or where that is not above 0 `(F_n* − F_n°) / |A|`; None where that is 0, too.

    The second is ours: payoffs that are costs have no share of a gain, but one of what can be lost.
    """
    whole = best if best > ROUNDING else rounded(span, best)
    return whole / agents if whole > ROUNDING else None


def in_shares(most: float, fair: float, unit: float | None) -> Opportunity:
    """From the most that the coalition can have, what it has at x*, and u."""
    if unit is None:
        return Opportunity(None, SAME)
    return Opportunity(rounded(most - fair, most) / unit)
