"""Many tests at once. In: one p for each; out: p adjusted for their number.

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
