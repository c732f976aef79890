"""The joint moves that a coalition could have made. In: an instance, a coalition and an outcome; out: a Choice.

Two readings of one outcome. Committed: after a move y the outsiders do what is best for the team, R(y), the first of
their best completions; so a move is judged by what it leads to. Held: the outsiders' decisions stay what they were, and
then a λ hardly shows, since nothing that outsiders earn by deciding otherwise tells one move from another.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.evidence.instance import BROKEN, SolvedTask
from colosseum.evidence.strength import Choice
from colosseum.model.scenario import Coalition, Variable
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, coalition_goal
from colosseum.solve.questions.frontier import worths_of
from colosseum.solve.scoring import hard_broken
from colosseum.solve.solver import NOT_PROVEN, TIME_LIMIT

Assignment: TypeAlias = Mapping[str, Value]
MOST_MOVES: Final = 20_000
"""Joint moves that are gone through; of more nothing is told."""


class Unread(Exception):  # noqa: N818 - what it says of a run
    """An outcome that tells nothing of λ; says why."""


@dataclass(frozen=True)
class Committed:
    """Every joint move with what it leads to, if the outsiders then do what is best for the team."""

    variables: tuple[Variable, ...]
    """The coalition's."""
    places: dict[tuple[str, ...], int]
    """By the move in words, as a value may equal another of its domain."""
    joint_payoff: NDArray[np.float64]
    """In fair shares, as the other."""
    coalition_value: NDArray[np.float64]

    def choice(self, assignment: Mapping[str, Value]) -> Choice:
        """What was chosen. Raises Unread where no decision of the others could have kept the hard rules."""
        made = self.places.get(_key(assignment[v.name] for v in self.variables))
        if made is None:
            raise Unread(BROKEN)
        return Choice(self.joint_payoff, self.coalition_value, made)


def committed(instance: SolvedTask, coalition: Coalition) -> Committed:
    """All moves that some completion makes feasible. Raises Unread."""

    def best(own: Assignment) -> Assignment | None:
        found = instance.solver.maximise(WELFARE, fixed=own, canonical=True)
        if found.status != "infeasible" and (found.status != "optimal" or found.assignment is None):
            raise Unread(f"the best completion of a move is not proven: {NOT_PROVEN}")
        return found.assignment

    with instance.solver.within(TIME_LIMIT):
        return _moves(instance, coalition, best)


def held(instance: SolvedTask, coalition: Coalition, assignment: Assignment) -> Choice:
    """The same with all others' decisions as they were. Raises Unread."""

    def beside(own: Assignment) -> Assignment | None:
        return None if hard_broken(instance.task.requirements, y := {**assignment, **own}) else y

    return _moves(instance, coalition, beside).choice(assignment)


def _moves(instance: SolvedTask, coalition: Coalition, follow: Callable[[Assignment], Assignment | None]) -> Committed:
    """All moves after which `follow` finds an outcome. Raises Unread."""
    unit, variables = _read(instance, coalition)
    goal, found = coalition_goal(coalition), dict[tuple[str, ...], list[float]]()
    for values in product(*(v.domain for v in variables)):
        y = follow(dict(zip((v.name for v in variables), values, strict=True)))
        if y is not None:
            found[_key(values)] = [worth / unit for worth in worths_of(instance.solver, y, WELFARE, goal)]
    worth = np.array(list(found.values())).reshape(-1, 2)
    return Committed(variables, {key: n for n, key in enumerate(found)}, worth[:, 0].copy(), worth[:, 1].copy())


def _read(instance: SolvedTask, coalition: Coalition) -> tuple[float, tuple[Variable, ...]]:
    """u and the coalition's variables. Raises Unread where one of the two will not do."""
    unit = instance.unit
    if unit.value is None:
        raise Unread(unit.reason)
    variables = tuple(v for v in instance.task.variables if v.owner in coalition.members)
    if not variables:
        raise Unread("the coalition decides nothing")
    if prod(len(v.domain) for v in variables) > MOST_MOVES:
        raise Unread(f"the coalition has more than {MOST_MOVES:,} joint moves")
    return unit.value, variables


def _key(values: Iterable[Value]) -> tuple[str, ...]:
    """A move in words."""
    return tuple(map(repr, values))
