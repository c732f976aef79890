"""Optima among what is good enough for the team. In: a task, a goal and a threshold; out: both ends of the goal over
the assignments that keep the hard rules and are worth at least that much together.

The threshold is one more hard rule, on the sum of all payoffs, of a task of its own: so answers are checked like any.
"""

from dataclasses import replace

from colosseum.model.scenario import Requirement, Task
from colosseum.model.terms import Compare, Constant, Total
from colosseum.solve.goal import Goal
from colosseum.solve.solver import Optimum, Solver

TIME_LIMIT = 20.0
"""Seconds that either end may take: the rule ties everything together, and what was easy in parts may be hard."""


def ends_above(task: Task, goal: Goal, least: float, *, time_limit: float = TIME_LIMIT) -> tuple[Optimum, Optimum]:
    """The least and the greatest value of a goal where `F_n ≥ least`. Raises what a Solver does."""
    solver = Solver(demanding(task, least), time_limit=time_limit)
    return solver.minimise(goal), solver.maximise(goal)


def demanding(task: Task, least: float) -> Task:
    """The task in which only assignments count that are worth at least this much together."""
    worth = Total(tuple(payoff.term for payoff in task.payoffs))
    rule = Requirement("good enough", "good enough", Compare(">=", worth, Constant(least)), None, None)
    return replace(task, requirements=(*task.requirements, rule))
