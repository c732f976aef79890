"""Rates of false alarms of looks. In: how much of a plan was there at each look; out: the rate that the last may use.

Who looks again and again until something shows finds too much. So each look spends a part of the whole rate: α·t⁵ by a
share t of the planned seeds (Kim & DeMets 1987), little at first and all of it at the plan. Whoever never looks before
the plan loses nothing; who looks after every seed loses 4 points of a power of 80 %.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from colosseum.evidence.statistics import RATE

POWER_OF_TIME: Final = 5
POINTS: Final = 601
"""Of the grid of a sum of differences; odd, for Simpson's rule."""
MOST: Final = 100
"""Looks of a study."""
FAR: Final = 7.0
"""Standard deviations beyond which there is nothing."""


def shares_seen(looks: Sequence[int], planned: int) -> tuple[float, ...]:
    """The shares of the plan at rising looks of so many seeds; one at less than a hundredth more is the same look."""
    found: list[int] = []
    for seeds in (min(each, planned) for each in looks):
        if not found or (seeds - found[-1]) * MOST >= planned or found[-1] < seeds == planned:
            found.append(seeds)
    return tuple(seeds / planned for seeds in found)


@lru_cache
def rate_of(shares: tuple[float, ...]) -> float:
    """The two-sided rate of a test at the last of several looks, made at rising shares of the plan.

    That any look at equal arms finds a rise has a chance of at most RATE / 2. Armitage, McPherson & Rowe (1969): the
    density of the sum of differences is carried from look to look, without what was found before.
    """
    if shares in ((), (1.0,)):
        return RATE
    from scipy.integrate import simpson
    from scipy.optimize import brentq
    from scipy.special import ndtr

    sums, density, before, limit = np.zeros(1), np.ones(1), 0.0, FAR
    for share in shares:
        spread = math.sqrt(share - before)
        spent = RATE / 2 * (share**POWER_OF_TIME - before**POWER_OF_TIME)

        def found(end: float) -> float:
            over = density * ndtr((sums - end) / spread)  # noqa: B023 - used within this turn alone
            return float(simpson(over, x=sums) if before else over[0]) - spent  # noqa: B023

        far = FAR * math.sqrt(share)
        limit = brentq(found, -far, far) if found(far) < 0 else far
        grid = np.linspace(-far, limit, POINTS)
        steps = np.exp(-(((grid[:, None] - sums) / spread) ** 2) / 2) / (spread * math.sqrt(2 * math.pi)) * density
        density = simpson(steps, x=sums, axis=1) if before else steps[:, 0]
        sums, before = grid, share
    return 2 * float(ndtr(-limit / math.sqrt(before)))
