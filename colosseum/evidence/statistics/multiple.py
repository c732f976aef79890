"""Many tests at once. In: one p for each; out: p adjusted for their number, and the level of limits that agree with it.

Of 38 comparisons of fair play about one in two studies shows some "effect" where this is left out.
"""

from collections.abc import Sequence
from typing import Final

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


def adjusted_level(ps: Sequence[float], *, rate: float = RATE) -> float:
    """The level of intervals that exclude 0 exactly where a test is a finding (Benjamini & Yekutieli 2005).

    `1 − rate · R / m` with R findings among m tests; R is at least 1. Holds where the p and the interval are of one
    test.
    """
    found = sum(p <= rate for p in benjamini_hochberg(ps))
    return 1 - rate * max(found, 1) / len(ps) if ps else 1 - rate
