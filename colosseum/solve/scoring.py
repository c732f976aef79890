"""The score of an assignment. In: a task and an assignment; out: the value, each agent's payoff, what is broken.

One function scores what agents did and checks what a solver found. `Σ_i r_i = F_n` holds to
1e-9 · max(1, |F_n|) only: a third of a payoff, three times, does not add up exactly in binary floating point.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from colosseum.model.scenario import Credit, EqualSplit, Requirement, Task
from colosseum.model.terms import Assignment
from colosseum.model.values import Value, number
from colosseum.solve.goal import Goal
from colosseum.solve.ledger import broken, credit_scope, paid

AGREEMENT = 1e-6
"""How far, relative to max(1, |value|), the value that a solver or arrays come to may lie from the exact one."""


class Disagreement(Exception):  # noqa: N818 - what it is, in the words of the report
    """A computed value is not the model's: a bug of ours, never a result."""


@dataclass(frozen=True)
class Score:
    """What an assignment is worth."""

    value: float
    """F_n: the sum of all payoffs, penalties included."""
    payoff: dict[str, float]
    """r_i by agent."""
    violations: dict[str, int]
    """Broken instances by requirement statement; every requirement is a key."""
    broken: tuple[str, ...]
    """The names of the broken instances."""
    feasible: bool
    """Whether every hard requirement holds."""


def score(task: Task, assignment: Assignment) -> Score:
    """Score a complete assignment; raises Fault where a payoff is none."""
    payoff = dict.fromkeys(task.agents, 0.0)
    value = 0.0
    for worth, sharers in paid(task, assignment):
        value += worth
        for agent in sharers:
            payoff[agent] += worth / len(sharers)
    missed = broken(task, assignment)
    counts = Counter(r.statement for r in missed)
    return Score(
        value=value,
        payoff=payoff,
        violations={r.statement: counts[r.statement] for r in task.requirements},
        broken=tuple(r.name for r in missed),
        feasible=not any(r.hard for r in missed),
    )


def goal_value(task: Task, goal: Goal, assignment: Assignment) -> float:
    """The exact value of an objective. `payoff[a]` and `total` are read off the score."""
    return goal_worth(goal, score(task, assignment), assignment)


def goal_worth(goal: Goal, scored: Score, assignment: Assignment) -> float:
    """The exact value of an objective at an assignment that is scored already."""
    value = goal.total * scored.value + sum(weight * scored.payoff[agent] for agent, weight in goal.payoffs)
    if goal.terms:
        known = with_payoffs(scored, assignment)
        value += sum(weight * number(term.evaluate(known), "an objective") for term, weight in goal.terms)
    return value


def with_payoffs(scored: Score, assignment: Assignment) -> dict[str, Value]:
    """The assignment extended by what terms of an objective may name: `payoff[a]` and `total`."""
    known: dict[str, Value] = {**assignment, "total": scored.value}
    known |= {f"payoff[{agent}]": worth for agent, worth in scored.payoff.items()}
    return known


class Local:
    """Payoffs that an agent's own variables change, the others' held fixed."""

    def __init__(self, task: Task, agent: str) -> None:
        self.agent = agent
        self.parts = [p for p in task.payoffs if may_credit(p.credit, agent)]
        own = {v.name for v in task.owned[agent] if len(v.domain) > 1}
        self.moving = [p for p in self.parts if own & (p.term.scope | credit_scope(p.credit))]


def may_credit(credit: Credit, agent: str) -> bool:
    """Whether some assignment credits the agent."""
    if isinstance(credit, EqualSplit):
        return agent in credit.agents
    return agent in credit.otherwise or any(agent == a for a, _ in credit.candidates)


def hard_broken(requirements: tuple[Requirement, ...], assignment: Mapping[str, Value]) -> list[Requirement]:
    """The hard requirements that a complete assignment breaks."""
    return [r for r in requirements if r.hard and not r.condition.evaluate(assignment)]
