"""Other ways to the same optima. In: the same instance; out: an Answer, whose value is recomputed in the model."""

import time
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from resource import RUSAGE_CHILDREN, getrusage
from typing import Literal, TypeAlias

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.goal import Goal
from colosseum.solve.scoring import goal_value, hard_broken

Outcome: TypeAlias = Literal[
    "optimal", "infeasible", "limit", "not installed", "not expressible", "too large", "failed"
]


@dataclass(frozen=True)
class RivalAnswer:
    """What a rival came to."""

    outcome: Outcome
    value: float | None = None
    """The exact value of its assignment, recomputed in the model; None where there is none."""
    _: KW_ONLY
    build: float = 0.0
    """Seconds from the instance at hand to a model that its solver could start on."""
    solve: float = 0.0
    """Seconds of its solver."""
    startup: float = 0.0
    """Seconds until its process had loaded its library, where it needs one."""
    slack: float = 0.0
    """By how much a proven value may fall short of the optimum because costs were rounded."""
    note: str = ""

    @property
    def proven(self) -> bool:
        """Whether nothing better is possible, or nothing at all."""
        return self.outcome in ("optimal", "infeasible")


def clock() -> float:
    """Processor seconds of this process and of those that it waited for: others at work do not count."""
    children = getrusage(RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def worth(task: Task, goal: Goal, assignment: Mapping[str, Value]) -> float | None:
    """The exact value of an assignment; None where it breaks a hard rule."""
    return None if hard_broken(task.requirements, assignment) else goal_value(task, goal, assignment)
