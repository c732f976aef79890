"""What the choices of a coalition say of λ. In: a campaign's folder and plan; out: by sweep point and arm, a Strength.

Two readings of one outcome. Committed: after a move y the outsiders do what is best for the team, R(y), the first of
their best completions; so a move is judged by what it leads to. Held: the outsiders' decisions stay what they were, and
then a λ hardly shows, since nothing that outsiders earn by deciding otherwise tells one move from another.
A run counts where every decision is one that the coalition took: complete, within the hard rules, nothing left open by
a member. What is left out is counted with its reason.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.campaign.folder import Plan
from colosseum.evidence.instance import BROKEN, SolvedTask
from colosseum.evidence.metrics import UNDECIDED
from colosseum.evidence.reading import MOST_KEPT, Played, Reader, Tell, unheard
from colosseum.evidence.strength import Choice, Profile, Raised, Strength, profile, raised, strength
from colosseum.model.scenario import Coalition, Task, Variable
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
    if instance.unit.value is None:
        raise Unread(instance.unit.reason)
    variables = tuple(v for v in instance.task.variables if v.owner in coalition.members)
    if not variables:
        raise Unread("the coalition decides nothing")
    if prod(len(v.domain) for v in variables) > MOST_MOVES:
        raise Unread(f"the coalition has more than {MOST_MOVES:,} joint moves")
    unit, goal, found = instance.unit.value, coalition_goal(coalition), dict[tuple[str, ...], list[float]]()
    for values in product(*(v.domain for v in variables)):
        y = follow(dict(zip((v.name for v in variables), values, strict=True)))
        if y is not None:
            found[_key(values)] = [worth / unit for worth in worths_of(instance.solver, y, WELFARE, goal)]
    worth = np.array(list(found.values())).reshape(-1, 2)
    return Committed(variables, {key: n for n, key in enumerate(found)}, worth[:, 0].copy(), worth[:, 1].copy())


def _key(values: Iterable[Value]) -> tuple[str, ...]:
    """A move in words."""
    return tuple(map(repr, values))


_Moves = Callable[[SolvedTask, Coalition], Committed | Unread]
"""The moves of an instance, or why there are none."""


@dataclass(frozen=True)
class ArmStrength:
    """One arm at one sweep point."""

    arm: str
    committed: Strength
    """Each move judged by what it leads to."""
    held: Strength
    """The same with the others' decisions as they were."""
    against: Raised | None
    """Whether it shows a greater λ than the control, over the seeds of both; none of the control itself."""
    left_out: tuple[tuple[str, int], ...]
    """Runs that do not count, by reason."""


@dataclass(frozen=True)
class PointStrength:
    """One sweep point."""

    point: str
    arms: tuple[ArmStrength, ...]


@dataclass
class _Read:
    """The choices of one arm."""

    choices: dict[int, list[tuple[Choice, Choice]]] = field(default_factory=dict)
    """By seed: committed and held."""
    left_out: Counter[str] = field(default_factory=Counter)


def strengths(path: Path, plan: Plan, tell: Tell = unheard) -> list[PointStrength]:
    """All arms at all points, the control first; `tell` hears of runs. Raises Unreadable, NotLowered, and Fault."""
    reader, moves = Reader(path), lru_cache(MOST_KEPT)(_committed)
    found: dict[tuple[str, str], _Read] = {}
    for place, listed in enumerate(sorted(plan.trials, key=lambda listed: listed.seed)):
        run = reader.played(listed)
        if run is not None and not run.failed:
            _add(found.setdefault((listed.point, listed.arm), _Read()), run, plan, reader.solved, moves)
        tell(place + 1, len(plan.trials))
    points = dict.fromkeys(listed.point for listed in plan.trials)
    return [PointStrength(point, tuple(_arms(found, point, plan.arms))) for point in points]


def _committed(instance: SolvedTask, coalition: Coalition) -> Committed | Unread:
    try:
        return committed(instance, coalition)
    except Unread as unread:
        return unread


def _add(read: _Read, run: Played, plan: Plan, solved: Callable[[Task], SolvedTask], moves: _Moves) -> None:
    """Read one run."""
    coalition = run.scenario.coalition.get(plan.coalitions[0]) if plan.coalitions else None
    try:
        if coalition is None:
            raise Unread("there is no coalition")
        task, happened = run.scenario.task, run.happened
        if any(task.variable[name].owner in coalition.members for name in happened.undecided):
            raise Unread("a member left a variable undecided")
        if happened.assignment is None:
            raise Unread(UNDECIDED)
        instance = solved(task)
        beside = held(instance, coalition, happened.assignment)
        if isinstance(found := moves(instance, coalition), Unread):
            raise found
        choice = found.choice(happened.assignment)
    except Unread as unread:
        read.left_out[str(unread)] += 1
        return
    read.choices.setdefault(run.listed.seed, []).append((choice, beside))


def _arms(found: Mapping[tuple[str, str], _Read], point: str, arms: Iterable[str]) -> Iterable[ArmStrength]:
    control: _Read | None = None
    for arm in arms:
        read = found.get((point, arm), _Read())
        of = control.choices.keys() & read.choices.keys() if control else ()
        against = raised(_profile(control, 0, of), _profile(read, 0, of)) if control else None
        control = control or read
        left_out = sorted(read.left_out.items(), key=lambda item: (-item[1], item[0]))
        committed, held = (strength(_profile(read, side, read.choices)) for side in (0, 1))
        yield ArmStrength(arm, committed, held, against, tuple(left_out))


def _profile(read: _Read, side: int, seeds: Iterable[int]) -> Profile | None:
    return profile([[both[side] for both in read.choices[seed]] for seed in sorted(seeds)])
