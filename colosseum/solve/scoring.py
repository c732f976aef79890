"""The score of an assignment. In: a task and an assignment; out: the value, each agent's payoff, what is broken.

One function scores what agents did and checks what a solver found. `Σ_i r_i = F_n` holds to
1e-9 · max(1, |F_n|) only: a third of a payoff, three times, does not add up exactly in binary floating point.
What few variables decide is worked out once: of thousands of payoffs `done[a, t]` only those of picked tickets count.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeAlias

from colosseum.model.scenario import Payoff, Requirement, Task
from colosseum.model.terms import Assignment
from colosseum.model.values import Fault, Number, Value, number
from colosseum.solve.goal import Goal

ROUNDING = 1e-9  # differences within this, relative to max(1, |value|), are rounding and count as 0
MOST = 8  # joint values of several variables whose outcomes are remembered
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


Part: TypeAlias = Payoff | Requirement
Outcome: TypeAlias = tuple[Number, tuple[str, ...]] | Requirement | Fault
"""What a payoff that is not 0 is worth, and who shares it; a requirement that is broken; what cannot be computed."""
Outcomes: TypeAlias = list[tuple[int, Outcome]]  # with places in the order of payoffs, then requirements


class TaskLedger:
    """What becomes of the payoffs and requirements of one task. What a few variables decide together is remembered."""

    def __init__(self, task: Task) -> None:
        scopes = dict[frozenset[str], list[tuple[int, Part]]]()
        every: tuple[Part, ...] = (*task.payoffs, *task.requirements)
        for place, part in enumerate(every):
            scope = part.scope if isinstance(part, Payoff) else part.condition.scope
            scopes.setdefault(scope, []).append((place, part))
        self.scopes = [
            (itemgetter(*scope) if scope else len, parts, len(scope) > 1, dict[object, Outcomes]())
            for scope, parts in scopes.items()
        ]
        """What takes values out of an assignment, the parts that read them, whether they are several, and outcomes."""

    def at(self, x: Assignment) -> list[Outcome]:
        """All outcomes of an assignment, in declared order."""
        found: Outcomes = []
        for taken, parts, several, known in self.scopes:
            if (made := known.get(key := taken(x))) is None:
                if several and len(known) >= MOST:
                    known.clear()
                made = known[key] = [(n, outcome) for n, part in parts if (outcome := _outcome(part, x)) is not None]
            found += made
        return [outcome for _, outcome in sorted(found, key=itemgetter(0))]


def _at(task: Task, x: Assignment) -> list[Outcome]:
    """All outcomes of an assignment, in declared order; what is remembered goes with the task."""
    if "ledger" not in vars(task):
        vars(task)["ledger"] = TaskLedger(task)
    ledger: TaskLedger = vars(task)["ledger"]
    return ledger.at(x)


def _outcome(part: Part, x: Assignment) -> Outcome | None:
    try:
        if isinstance(part, Requirement):
            return None if part.condition.evaluate(x) else part
        worth = number(part.term.evaluate(x), f"the payoff `{part.name}`")
        return (worth, part.credit.shares(x)) if worth else None
    except Fault as fault:
        return fault


def score(task: Task, assignment: Assignment) -> Score:
    """Score a complete assignment; raises the Fault of the first payoff or requirement that cannot be computed."""
    payoff = dict.fromkeys(task.agents, 0.0)
    value, missed = 0.0, list[Requirement]()
    for outcome in _at(task, assignment):
        match outcome:
            case Fault():
                raise outcome.with_traceback(None)  # a remembered one would gather those of all calls
            case Requirement():
                missed.append(outcome)
            case worth, sharers:
                value += worth
                for agent in sharers:
                    payoff[agent] += worth / len(sharers)
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


def grain(*values: float) -> float:
    """How far values of the size of the greatest of these may lie apart and still be called equal."""
    return ROUNDING * max((1.0, *map(abs, values)))


def rounded(difference: float, reference: float) -> float:
    """A difference without what rounding leaves of values like the reference: a best response has regret 0."""
    return 0.0 if abs(difference) <= grain(reference) else difference


def hard_broken(requirements: tuple[Requirement, ...], assignment: Mapping[str, Value]) -> list[Requirement]:
    """The hard requirements that a complete assignment breaks."""
    return [r for r in requirements if r.hard and not r.condition.evaluate(assignment)]
