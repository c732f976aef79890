"""λ_emp: how strongly a coalition's choices show its own aim. In: choices, by seed; out: λ with the set of values that
the choices allow, or why they tell nothing; and whether a treated arm shows more than its control.

A coalition of strength λ and precision β makes the joint move y with probability `∝ exp(β·F_λ(y)/u)`, where
`F_λ = (1 − λ)·F_n + λ·F_c` (paper, Definition 4.2) and u is a fair share. At each λ of a grid the likelihood, concave
in β, is greatest at some β in [0, CAP]; the λ at which 2 · Δ log-likelihood is small enough make the set. Seeds count
alike: the repeats of one are averaged, as they are no independent choices.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.evidence.figures import Figure
from colosseum.evidence.statistics import quantile

Numbers: TypeAlias = NDArray[np.float64]
POINTS: Final = 51
"""Values of λ in [0, 1] that are tried."""
CAP: Final = 100.0
"""The greatest β: a move that is a tenth of a fair share better is then made 20 000 times as often."""
INSIDE: Final = 0.975
"""Quantile whose square 2 · Δ log-likelihood may reach within the 95 % set: 3.84 of many seeds, 4.09 of 40."""
ONE_SIDED: Final = 0.96
"""The same for a test against one side: of λ = 0, and of a strength that the control does not show; 3.06 of many seeds,
3.23 of 40. At 4 %: of simulated fair play of 40 seeds a test at 5 % (2.71) called up to 6.1 % more than 0."""
WIDEST: Final = 0.6
"""A wider set says nothing worth telling."""
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
    common: Figure
    """The common λ of the greatest likelihood."""
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
        return Raised(False, Figure(None, NO_CHOICE), Figure(None, NO_CHOICE), 0)
    both = control.likelihood + treated.likelihood
    apart = control.likelihood.max() + treated.likelihood.max()
    greater = treated.likelihood.argmax() > control.likelihood.argmax()
    statistic = float(2 * (apart - both.max())) if greater else 0.0
    common = float(control.strengths[int(both.argmax())])
    seen = statistic > most_missed(min(control.seeds, treated.seeds), ONE_SIDED)
    return Raised(seen, Figure(statistic), Figure(common), treated.seeds)
