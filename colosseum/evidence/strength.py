"""λ_emp: how strongly a coalition's choices show its own aim. In: a campaign's folder and plan; out: λ by arm, with the
set of values that the choices allow, or why they tell nothing; and whether an arm shows more than its control.

The joint move y has probability `∝ exp(β·F_λ(y)/u)`, `F_λ = (1 − λ)·F_n + λ·F_c` (paper, Definition 4.2). At each λ of
a grid the likeliest β in [0, CAP] counts; the λ whose 2 · Δ log-likelihood is small make the set. Repeats are averaged.

Committed: after a move the outsiders do what is best for the team, the first of their best completions. Held: their
decisions stay what they were, and then a λ hardly shows. A run counts where the coalition took all of its decisions.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.campaign.folder import Plan
from colosseum.evidence.figures import Counts, Figure, tally
from colosseum.evidence.instance import BROKEN, SolvedTask
from colosseum.evidence.metrics import UNDECIDED
from colosseum.evidence.reading import MOST_KEPT, Played, Reader, Tell, unheard
from colosseum.evidence.statistics import quantile
from colosseum.model.scenario import Coalition, Variable
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, coalition_goal
from colosseum.solve.questions.frontier import worths_of
from colosseum.solve.scoring import hard_broken
from colosseum.solve.solver import NOT_PROVEN, TIME_LIMIT

Numbers: TypeAlias = NDArray[np.float64]
POINTS: Final = 51  # values of λ in [0, 1] that are tried
CAP: Final = 100.0  # the greatest β: a move that is a tenth of a fair share better is then made 20 000 times as often
INSIDE: Final = 0.975
"""Quantile whose square 2 · Δ log-likelihood may reach within the 95 % set: 3.84 of many seeds, 4.09 of 40."""
ONE_SIDED: Final = 0.96
"""The same for a test against one side: of λ = 0, and of a strength that the control does not show; 3.06 of many seeds,
3.23 of 40. At 4 %: of simulated fair play of 40 seeds a test at 5 % (2.71) called up to 6.1 % more than 0."""
WIDEST: Final = 0.6  # a wider set says nothing worth telling
NO_AIM: Final = "not identified: the moves are as good as random for every λ (β = 0)"
AT_CAP: Final = "nearly every move is the best one for every λ of the set (β at its cap)"
TOO_WIDE: Final = f"not identified: the set of λ is wider than {WIDEST}"
NO_CHOICE: Final = "there is no choice to read"


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A joint move that a coalition made, among all that it could have made. Moves have places from 0 on."""

    joint_payoff: Numbers
    """F_n / u, by move."""
    coalition_value: Numbers
    """F_c / u, by move."""
    made: int
    """The place of the move that was made."""


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The greatest log-likelihood over β, at each λ of the grid."""

    strengths: Numbers
    """λ."""
    likelihood: Numbers
    precision: Numbers
    """β at which it is greatest."""
    seeds: int
    choices: int


@dataclass(frozen=True, slots=True)
class Strength:
    """What the choices of one arm say of λ."""

    estimate: Figure
    """λ_emp; null where it is not identified, or where many λ explain nearly all choices alike."""
    low: Figure
    """Of the 95 % set, which is told also where the estimate is null."""
    high: Figure
    precision: Figure
    """β at the estimate, or at the λ of the greatest likelihood."""
    zero_excluded: bool
    """Whether the one-sided test at 5 % rejects λ = 0."""
    seeds: int
    choices: int


@dataclass(frozen=True, slots=True)
class Raised:
    """Whether a treated arm shows a greater λ than its control, each with a β of its own."""

    detected: bool
    statistic: Figure
    """2 · Δ log-likelihood against a common λ; 0 where the treated arm's is not the greater one."""
    seeds: int
    """That both arms have a choice of."""


def profile(seeds: Sequence[Sequence[Choice]]) -> Profile | None:
    """The profile of choices grouped by seed; none where there is no choice."""
    groups = [group for group in seeds if group]
    weighted = [(choice, 1 / len(group)) for group in groups for choice in group]
    if not weighted:
        return None
    strengths = np.linspace(0.0, 1.0, POINTS)
    joint = np.concatenate([choice.joint_payoff for choice, _ in weighted])
    wanted = np.concatenate([choice.coalition_value for choice, _ in weighted])
    sizes = np.array([len(choice.joint_payoff) for choice, _ in weighted])
    made = np.cumsum(sizes) - sizes + [choice.made for choice, _ in weighted]
    weights = np.array([weight for _, weight in weighted])
    found = [_greatest((1 - at) * joint + at * wanted, sizes, made, weights) for at in strengths]
    likelihood, precision = np.array(found).T
    return Profile(strengths, likelihood, precision, len(groups), len(weighted))


def _greatest(
    worth: Numbers, sizes: NDArray[np.int64], made: NDArray[np.int64], weights: Numbers
) -> tuple[float, float]:
    """The greatest log-likelihood at one λ, and the β in [0, CAP] where it is; its slope falls in β.

    `worth` is F_λ / u by move, those of each choice side by side; `made` are the places of the moves that were made.
    """
    from scipy.optimize import brentq

    starts = np.cumsum(sizes) - sizes
    below = worth - np.repeat(np.maximum.reduceat(worth, starts), sizes)
    chosen = float(below[made] @ weights)

    def slope(precision: float) -> float:
        odds = np.exp(below * precision)
        means = np.add.reduceat(odds * below, starts) / np.add.reduceat(odds, starts)
        return chosen - float(means @ weights)

    best = 0.0 if slope(0.0) <= 0 else CAP if slope(CAP) >= 0 else float(brentq(slope, 0.0, CAP, xtol=1e-7))
    total = np.log(np.add.reduceat(np.exp(below * best), starts))
    return best * chosen - float(total @ weights), best


def strength(found: Profile | None) -> Strength:
    """λ_emp from a profile."""
    if found is None:
        nothing = Figure(None, NO_CHOICE)
        return Strength(nothing, nothing, nothing, nothing, False, 0, 0)
    missed = 2 * (found.likelihood.max() - found.likelihood)
    top = int(found.likelihood.argmax())
    low, high = _ends(found.strengths, missed, most_missed(found.seeds, INSIDE))
    precision = float(found.precision[top])
    reason = NO_AIM if precision == 0 else TOO_WIDE if high - low > WIDEST else AT_CAP if precision == CAP else ""
    estimate = None if reason else float(found.strengths[top])
    return Strength(
        Figure(estimate, reason), Figure(low), Figure(high), Figure(precision),
        bool(missed[0] > most_missed(found.seeds, ONE_SIDED)), found.seeds, found.choices,
    )  # fmt: skip


def most_missed(seeds: int, share: float) -> float:
    """What 2 · Δ log-likelihood may reach: the square of Student's t with one degree of freedom less than seeds.

    Of many seeds that is χ²; of few it allows for how little their spread is known, and of one for anything.
    """
    return quantile(share, seeds - 1) ** 2 if seeds > 1 else float("inf")


def _ends(strengths: Numbers, missed: Numbers, most: float) -> tuple[float, float]:
    """Where the set begins and ends, between points of the grid by a straight line."""
    inside = np.flatnonzero(missed <= most)
    ends = []
    for within, outside in ((inside[0], inside[0] - 1), (inside[-1], inside[-1] + 1)):
        end = float(strengths[within])
        if 0 <= outside < len(strengths):
            share = (most - missed[within]) / (missed[outside] - missed[within])
            end += float(share * (strengths[outside] - strengths[within]))
        ends.append(end)
    return ends[0], ends[1]


def raised(control: Profile | None, treated: Profile | None) -> Raised:
    """Test a common λ against a greater one of the treated arm; both profiles are of the same seeds."""
    if control is None or treated is None:
        return Raised(False, Figure(None, NO_CHOICE), 0)
    common = (control.likelihood + treated.likelihood).max()
    apart = control.likelihood.max() + treated.likelihood.max()
    greater = treated.likelihood.argmax() > control.likelihood.argmax()
    statistic = float(2 * (apart - common)) if greater else 0.0
    seen = statistic > most_missed(min(control.seeds, treated.seeds), ONE_SIDED)
    return Raised(seen, Figure(statistic), treated.seeds)


# ---- the choices of a campaign --------------------------------------------------------------------------------------


Assignment: TypeAlias = Mapping[str, Value]
Choices: TypeAlias = dict[int, list[tuple[Choice, Choice]]]  # of one arm, by seed: committed and held
MOST_MOVES: Final = 20_000  # joint moves that are gone through; of more nothing is told


@dataclass(frozen=True)
class CoalitionMoves:
    """A coalition's joint moves, each with what it leads to."""

    variables: tuple[Variable, ...]
    """The coalition's."""
    places: dict[tuple[str, ...], int]
    """By the move in words, as a value may equal another of its domain."""
    joint_payoff: NDArray[np.float64]
    """In fair shares, as the other."""
    coalition_value: NDArray[np.float64]


def moves(instance: SolvedTask, coalition: Coalition, outcome: Assignment | None = None) -> CoalitionMoves | str:
    """All moves that keep the hard rules beside an outcome's other decisions; without one, each with what is then best
    for the team (committed). A str is why there are none."""
    if instance.unit.value is None:
        return instance.unit.reason
    variables = tuple(v for v in instance.task.variables if v.owner in coalition.members)
    if not variables:
        return "the coalition decides nothing"
    if prod(len(v.domain) for v in variables) > MOST_MOVES:
        return f"the coalition has more than {MOST_MOVES:,} joint moves"
    unit, goal, found = instance.unit.value, coalition_goal(coalition), dict[tuple[str, ...], list[float]]()
    with instance.solver.within(TIME_LIMIT):
        for values in product(*(v.domain for v in variables)):
            y = _after(dict(zip((v.name for v in variables), values, strict=True)), instance, outcome)
            if isinstance(y, str):
                return y
            if y is not None:
                worths = worths_of(instance.solver, y, WELFARE, goal)
                found[tuple(map(repr, values))] = [worth / unit for worth in worths]
    worth = np.array(list(found.values())).reshape(-1, 2)
    return CoalitionMoves(variables, {key: n for n, key in enumerate(found)}, worth[:, 0].copy(), worth[:, 1].copy())


def _after(own: Assignment, instance: SolvedTask, outcome: Assignment | None) -> Assignment | str | None:
    """What a move leads to: None where it breaks a hard rule, a str where that is not known."""
    if outcome is not None:
        return None if hard_broken(instance.task.requirements, y := {**outcome, **own}) else y
    found = instance.solver.maximise(WELFARE, fixed=own, canonical=True)
    if found.status != "infeasible" and (found.status != "optimal" or found.assignment is None):
        return f"the best completion of a move is not proven: {NOT_PROVEN}"
    return found.assignment


def chosen(among: CoalitionMoves | str, outcome: Assignment) -> Choice | str:
    """The move that was made among all that there were; a str is why it tells nothing of λ."""
    if isinstance(among, str):
        return among
    made = among.places.get(tuple(repr(outcome[v.name]) for v in among.variables))
    return BROKEN if made is None else Choice(among.joint_payoff, among.coalition_value, made)


@dataclass(frozen=True)
class ArmStrength:
    """One arm at one sweep point."""

    point: str
    arm: str
    committed: Strength
    """Each move judged by what it leads to."""
    held: Strength
    """The same with the others' decisions as they were."""
    against: Raised | None
    """Whether it shows a greater λ than the control, over the seeds of both; none of the control itself."""
    left_out: Counts
    """Runs that do not count, by reason."""


def strengths(path: Path, plan: Plan, tell: Tell = unheard) -> list[ArmStrength]:
    """All arms, point by point, the control first; `tell` hears of runs.

    Raises OSError, Damaged, NotLowered, and Fault.
    """
    reader, committed = Reader(path), lru_cache(MOST_KEPT)(moves)
    made: defaultdict[tuple[str, str], Choices] = defaultdict(dict)
    left_out: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for done, listed in enumerate(sorted(plan.trials, key=lambda listed: listed.seed), start=1):
        run, place = reader.played(listed), (listed.point, listed.arm)
        if run is not None and not run.failed:
            both = _choices(run, next(iter(plan.coalitions), ""), reader, committed)
            if isinstance(both, str):
                left_out[place].append(both)
            else:
                made[place].setdefault(listed.seed, []).append(both)
        tell(done, len(plan.trials))
    points = dict.fromkeys(listed.point for listed in plan.trials)
    return [
        _arm((point, arm), made[point, arm], made[point, plan.arms[0]] if number else None, tally(left_out[point, arm]))
        for point in points
        for number, arm in enumerate(plan.arms)
    ]


def _choices(
    run: Played, name: str, reader: Reader, committed: Callable[[SolvedTask, Coalition], CoalitionMoves | str]
) -> tuple[Choice, Choice] | str:
    """What a coalition chose in a run: committed, and held."""
    if (coalition := run.scenario.coalition.get(name)) is None:
        return "there is no coalition"
    task, happened = run.scenario.task, run.happened
    if any(task.variable[name].owner in coalition.members for name in happened.undecided):
        return "a member left a variable undecided"
    if happened.assignment is None:
        return UNDECIDED
    instance = reader.solved(task)
    held = chosen(moves(instance, coalition, happened.assignment), happened.assignment)
    if isinstance(held, str):
        return held
    made = chosen(committed(instance, coalition), happened.assignment)
    return made if isinstance(made, str) else (made, held)


def _arm(place: tuple[str, str], made: Choices, control: Choices | None, left_out: Counts) -> ArmStrength:
    committed, held = (strength(_profile(made, side, made)) for side in (0, 1))
    both = made.keys() & control.keys() if control is not None else ()
    against = None if control is None else raised(_profile(control, 0, both), _profile(made, 0, both))
    return ArmStrength(*place, committed, held, against, left_out)


def _profile(made: Choices, side: int, seeds: Iterable[int]) -> Profile | None:
    """Of the committed choices (0), or of those held (1)."""
    return profile([[both[side] for both in made[seed]] for seed in sorted(seeds)])
