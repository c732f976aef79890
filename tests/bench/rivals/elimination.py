"""Elimination on arrays, the project's own second way. In: a task; out: an Answer; where it is too large it says so."""

from colosseum.model.scenario import Task
from colosseum.solve.elimination.eliminate import Elimination
from colosseum.solve.goal import WELFARE

from . import Answer, clock


def solve(task: Task) -> Answer:
    """Maximise F_n; building is what is known before any table is made."""
    began = clock()
    elimination = Elimination(task)
    cost = elimination.cost(WELFARE)
    built = clock()
    found = elimination.maximise(WELFARE)
    ended = clock()
    if found.status == "too large" or cost is None:
        return Answer("too large")
    return Answer(
        found.status, found.value, build=built - began, solve=ended - built, note=f"{cost.each:,} joint values"
    )
