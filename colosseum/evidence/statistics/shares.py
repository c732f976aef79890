"""Shares and many tests. In: two counts, or one p for each test; out: limits of a share, p adjusted for their number.

Of 38 comparisons of fair play about one in two studies shows some "effect" where the number of tests is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from colosseum.evidence.figures import Figure
from colosseum.evidence.statistics.means import LEVEL
from colosseum.evidence.statistics.signs import fair_coin

RATE: Final = 0.05
"""The share of false findings among all findings."""


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Adjusted p of every test (Benjamini & Hochberg 1995): the least rate at which it is a finding."""
    order = sorted(range(len(ps)), key=lambda place: ps[place], reverse=True)
    adjusted, least = [0.0] * len(ps), 1.0
    for down, place in enumerate(order):
        least = min(least, ps[place] * len(ps) / (len(ps) - down))
        adjusted[place] = least
    return adjusted


@dataclass(frozen=True, slots=True)
class Share:
    """A share with two-sided limits."""

    share: float
    low: float
    high: float


def wilson(count: int, total: int, *, level: float = LEVEL) -> Share | str:
    """Wilson's score limits of a share (Wilson 1927), or the reason why there are none."""
    if not total:
        return "there is no case"
    from scipy.stats import binomtest

    found = binomtest(count, total).proportion_ci(level, method="wilson")
    return Share(count / total, float(found.low), float(found.high))


def mcnemar(only_control: int, only_treated: int) -> Figure:
    """Exact two-sided p that paired runs turn one way as often as the other (McNemar 1947).

    `only_control` pairs have the outcome in the control run alone, `only_treated` in the treated run alone.
    """
    if only_control + only_treated == 0:
        return Figure(None, "no pair differs")
    return Figure(fair_coin(only_treated, only_control + only_treated))
