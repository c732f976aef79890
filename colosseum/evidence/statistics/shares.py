"""Shares. In: two counts; out: limits of the share, and whether two paired arms differ in it."""

from dataclasses import dataclass

from colosseum.evidence.figures import Figure
from colosseum.evidence.statistics.means import LEVEL
from colosseum.evidence.statistics.signs import fair_coin


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
