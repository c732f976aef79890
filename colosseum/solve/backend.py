"""The seam to engines that prove optima. In: a task and a query; out: an assignment, and how good any could be.

A new engine is one file in `backends` with a class of this kind, and one line in `backends/__init__.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Literal, Protocol, TypeAlias

from colosseum.model.scenario import Task
from colosseum.model.values import Fault, Value
from colosseum.solve.goal import Goal
from colosseum.solve.scoring import AGREEMENT, Disagreement, Score, goal_worth, score

Status: TypeAlias = Literal["optimal", "infeasible", "limit"]
Engine: TypeAlias = Literal["elimination", "highs", "toulbar2", "cp-sat", "pulp"]
"""What engines are called wherever a user names one."""
Clock: TypeAlias = Callable[[], float]
"""What says how late it is: `time.monotonic`, or a WorkClock."""


@dataclass
class WorkClock:
    """A clock that the work of HiGHS moves, not time: it shows the same on every machine.

    It counts pivots times columns and rows, of about 8 ns each, in whole numbers.
    """

    done: int = 0

    def __call__(self) -> float:
        """The work so far."""
        return self.done


@dataclass(frozen=True)
class Query:
    """`sign · goal` is to be as great as possible with some variables fixed."""

    goal: Goal
    sign: float
    """1 for the greatest value, −1 for the least."""
    fixed: Mapping[str, Value]
    canonical: bool = False
    """Whether the lexicographically first of all optima is wanted."""
    least: float = -inf
    """What is worth less, in the query's sign, is of no use: an engine may say that there is none."""
    among: Mapping[str, range] = field(default_factory=dict)
    """Places of their domains at which some variables must stand, …"""
    ranks: Mapping[str, float] = field(default_factory=dict)
    """… and what each step along its domain costs where an open one stands, which PuLP does not know."""


@dataclass(frozen=True)
class Found:
    """What an engine came to."""

    status: Status
    assignment: dict[str, Value] | None = None
    bound: float | None = None
    """No assignment is worth more, in the query's sign; None where it is the value, or where nothing is known."""
    value: float | None = None
    """The query's exact value at the assignment, recomputed in the model."""
    by: Engine = "highs"
    first: bool = False
    """Whether the assignment is known to be the first of all optima."""
    reason: str = ""
    """Why there is no proof."""


class Backend(Protocol):
    """An engine with one task. What it calls optimal is exact: proven, and recomputed in the model."""

    @property
    def name(self) -> Engine:
        """What users call it."""
        ...

    def solve(self, query: Query, *, until: float) -> Found:
        """The best assignment; `until` is when to stop, on the clock of `time.monotonic`.

        What an engine cannot take on is "limit" with a reason. Raises NotLowered, and Fault where a payoff is
        undefined at the answer.
        """
        ...


def worth(task: Task, query: Query, assignment: Mapping[str, Value]) -> float | None:
    """The exact value of a query at an assignment; None where it breaks a hard rule or a payoff is undefined."""
    try:
        scored = score(task, assignment)
        return exact(task, query, assignment, scored) if scored.feasible else None
    except Fault:  # an assignment that no payoff is made for
        return None


def exact(task: Task, query: Query, assignment: Mapping[str, Value], scored: Score) -> float:
    """The exact value of a query at an assignment that is scored already."""
    return query.sign * goal_worth(query.goal, scored, assignment) - rank(task, query, assignment)


def rank(task: Task, query: Query, assignment: Mapping[str, Value]) -> float:
    """What the query's ranks take away."""
    return sum(step * task.variable[n].domain.index(assignment[n]) for n, step in query.ranks.items())


def checked(task: Task, query: Query, assignment: Mapping[str, Value], thought: float, by: Engine) -> float:
    """The exact value of an engine's assignment. Raises Disagreement where it is not what the engine thought."""
    scored = score(task, assignment)
    if not scored.feasible:
        raise Disagreement(f"the assignment found by {by} breaks `{scored.broken[0]}`")
    value = exact(task, query, assignment, scored)
    if abs(value - thought) > AGREEMENT * max(1.0, abs(value)):
        told, supposed = query.sign * value, query.sign * thought
        raise Disagreement(f"the assignment found by {by} is worth {told!r}, not {supposed!r}")
    return value
