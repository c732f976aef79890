"""Objectives. In: weights over F_n, single payoffs and a coalition's own terms; out: one function to maximise.

`F_n` is Goal(total=1); `r_i` is Goal(payoffs=((i, 1),)); `F_λ = (1 − λ) F_n + λ F_c` mixes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from colosseum.model.scenario import Coalition
from colosseum.model.terms import Term


@dataclass(frozen=True)
class Goal:
    """`total · F_n + Σ weight · r_agent + Σ weight · term`."""

    total: float = 0.0
    payoffs: tuple[tuple[str, float], ...] = ()
    terms: tuple[tuple[Term, float], ...] = ()


WELFARE = Goal(total=1.0)  # F_n, the cooperative objective


def payoff_of(agent: str) -> Goal:
    """r_i."""
    return Goal(payoffs=((agent, 1.0),))


def coalition_goal(coalition: Coalition) -> Goal:
    """F_c: the sum of its objectives, or of its members' payoffs when it has none (paper, section 3)."""
    if coalition.objectives:
        return Goal(terms=tuple((o.term, 1.0) for o in coalition.objectives))
    return Goal(payoffs=tuple((m, 1.0) for m in coalition.members))


def outsiders_goal(agents: Sequence[str], coalition: Coalition) -> Goal:
    """F_o: the sum of the payoffs of all who are not members."""
    return Goal(payoffs=tuple((a, 1.0) for a in agents if a not in coalition.members))


def mixed(goals: Mapping[Goal, float]) -> Goal:
    """`Σ weight · goal`."""
    payoffs: dict[str, float] = {}
    for goal, weight in goals.items():
        for agent, share in goal.payoffs:
            payoffs[agent] = payoffs.get(agent, 0.0) + weight * share
    return Goal(
        total=sum(weight * goal.total for goal, weight in goals.items()),
        payoffs=tuple((a, w) for a, w in payoffs.items() if w),
        terms=tuple((t, weight * w) for goal, weight in goals.items() for t, w in goal.terms if weight * w),
    )


def bent(coalition: Coalition, *, strength: float) -> Goal:
    """`F_λ = (1 − λ) F_n + λ F_c` at λ = `strength` in [0, 1] (paper, Definition 4.2)."""
    return mixed({WELFARE: 1.0 - strength, coalition_goal(coalition): strength})
