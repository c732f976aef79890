"""The seam to engines that prove optima. In: a task and a query; out: an assignment, and how good any could be.

A new engine is one file in `backends` with a class of this kind, and one line in `backends/__init__.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Protocol, TypeAlias

from colosseum.model.scenario import Task
from colosseum.model.values import Fault, Value
from colosseum.solve.goal import Goal
from colosseum.solve.scoring import AGREEMENT, Disagreement, goal_worth, score

Status: TypeAlias = Literal["optimal", "infeasible", "limit"]
Engine: TypeAlias = Literal["elimination", "highs", "toulbar2", "cp-sat", "pulp"]
"""What engines are called wherever a user names one."""
NOT_PROVEN = "the time limit was reached, or rounding left it open"  # why a status is "limit"
Clock: TypeAlias = Callable[[], float]  # what says how late it is: `time.monotonic`, or a WorkClock
A_SECOND = 100_000_000  # work of about a second


@dataclass
class WorkClock:
    """A clock that the work of HiGHS moves, not time: it shows the same on every machine.

    It counts pivots times columns and rows, of about 8 ns each, in whole numbers, and shows seconds.
    """

    done: int = 0

    def __call__(self) -> float:
        """The seconds that the work so far may have taken."""
        return self.done / A_SECOND


@dataclass(frozen=True)
class Query:
    """A goal is to be as great as possible with some variables fixed."""

    goal: Goal
    fixed: Mapping[str, Value] = field(default_factory=dict)
    canonical: bool = False
    """Whether the lexicographically first of all optima is wanted."""
    ranks: Mapping[str, float] = field(default_factory=dict)
    """What each step along its domain costs, where an open variable stands: not for PuLP, which rounds more."""


@dataclass(frozen=True)
class Optimum:
    """The best assignment for a goal, or why there is none."""

    status: Status
    value: float | None = None
    """The exact value at the assignment, recomputed in the model; None when there is no assignment."""
    assignment: dict[str, Value] | None = None
    bound: float | None = None
    """No assignment is worth more than this (less, for a minimum); equal to the value when optimal."""
    canonical: bool = False
    """Whether it is the lexicographically first of all optima, by declared order of variables and domains."""
    seconds: float = 0.0
    by: Engine = "highs"
    """The engine that found it, and proved it where it is optimal."""
    reason: str = ""
    """Why it is not proven."""

    @property
    def proven(self) -> float | None:
        """The value; None where it is not proven to be the best."""
        return self.value if self.status == "optimal" else None

    @property
    def gap(self) -> float | None:
        """`|bound − value|`, 0 when proven."""
        return None if self.value is None or self.bound is None else abs(self.bound - self.value)

    @property
    def opposite(self) -> "Optimum":
        """The same for the opposite goal: its least is minus this greatest."""
        value, bound = (None if known is None else 0.0 - known for known in (self.value, self.bound))
        return replace(self, value=value, bound=bound)


class Backend(Protocol):
    """An engine with one task. What it calls optimal is exact: proven, and recomputed in the model."""

    name: ClassVar[Engine]
    """What users call it."""

    def solve(self, query: Query, *, until: float) -> Optimum:
        """The best assignment; `until` is when to stop, on the clock of `time.monotonic`.

        What it cannot take on is "limit" with a reason. Raises NotLowered, and Fault where a payoff is undefined.
        """
        ...


def worth(task: Task, query: Query, assignment: Mapping[str, Value]) -> float | None:
    """The exact value of a query at an assignment; None where it breaks a hard rule or a payoff is undefined."""
    try:
        scored = score(task, assignment)
        return goal_worth(query.goal, scored, assignment) - rank(task, query, assignment) if scored.feasible else None
    except Fault:  # an assignment that no payoff is made for
        return None


def rank(task: Task, query: Query, assignment: Mapping[str, Value]) -> float:
    """What the ranks of a query cost at an assignment."""
    return sum(step * task.variable[name].domain.index(assignment[name]) for name, step in query.ranks.items())


def checked(task: Task, query: Query, x: Mapping[str, Value], thought: float, by: Engine, off: float = 0.0) -> float:
    """The exact value of an engine's assignment. Raises Disagreement where it thought another by more than `off`."""
    scored = score(task, x)
    if not scored.feasible:
        raise Disagreement(f"the assignment found by {by} breaks `{scored.broken[0]}`")
    value = goal_worth(query.goal, scored, x) - rank(task, query, x)
    if abs(value - thought) > off + AGREEMENT * max(1.0, abs(value)):
        raise Disagreement(f"the assignment found by {by} is worth {value!r}, not {thought!r}")
    return value
