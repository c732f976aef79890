"""Means, intervals and exact tests. In: one number per seed; out: an estimate, or the reason why there is none.

The unit is the instance (seed): average its repeats first. Sums are exact (`fsum`), so order changes no digit.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from colosseum.evidence.figures import Figure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL: Final = 0.95
ENOUGH_NONZERO: Final = 20
"""With fewer non-zero differences no interval may be relied upon (metrics: fewer than 20 non-zero differences)."""
EXACT_FLIPS: Final = 16
"""Up to so many non-zero differences every assignment of signs is tried."""
FLIP_DRAWS: Final = 100_000
_BLOCK: Final = 10_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its two-sided confidence limits."""

    mean: float
    low: float
    high: float
    level: float
    """Coverage, as 0.95."""
    sd: float
    """Standard deviation of the values (n − 1)."""
    n: int


@dataclass(frozen=True, slots=True)
class Paired:
    """What paired differences say; positive means that the treated run has more."""

    mean: Figure
    sd: Figure
    n: int
    n_nonzero: int
    interval: Interval | str
    """Student t; a str is the reason why there is none."""
    reliable: bool
    """At least ENOUGH_NONZERO differences are not zero; else the sign test stands in for the interval."""
    sign_test: Figure
    """The exact two-sided p of the sign test."""


def mean_interval(values: Sequence[float], *, level: float = LEVEL) -> Interval | str:
    """Student t interval of a mean, `mean ± t(n − 1) · sd / √n`, or the reason why there is none.

    Raises ValueError when a value is not finite.
    """
    if not all(math.isfinite(v) for v in values):
        raise ValueError("a value is not finite")
    if not values:
        return "there is no value"
    if len(values) == 1:
        return "one value has no spread"
    if math.isclose(min(values), max(values), rel_tol=1e-12, abs_tol=1e-12):
        return "all values are equal"
    from scipy.stats import t

    n = len(values)
    mean = math.fsum(values) / n
    sd = _deviation(values, mean)
    half = float(t.ppf((1 + level) / 2, n - 1)) * sd / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, level, sd, n)


def paired(differences: Sequence[float], *, level: float = LEVEL) -> Paired:
    """Mean, spread, Student t interval and sign test of paired differences (metrics: paired difference, Student t).

    The interval is computed whenever there is spread; `reliable` says whether enough pairs differ to claim it.
    """
    n = len(differences)
    nonzero = sum(d != 0 for d in differences)
    mean = math.fsum(differences) / n if n else 0.0
    return Paired(
        mean=Figure(mean) if n else Figure(None, "no pair has a value"),
        sd=Figure(_deviation(differences, mean)) if n > 1 else Figure(None, "fewer than two pairs"),
        n=n,
        n_nonzero=nonzero,
        interval=mean_interval(differences, level=level),
        reliable=nonzero >= ENOUGH_NONZERO,
        sign_test=sign_test(differences),
    )


def sign_test(differences: Sequence[float]) -> Figure:
    """Exact two-sided p that rises and falls are equally likely; zeros are left out (Dixon & Mood 1946)."""
    rises, falls = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if rises + falls == 0:
        return Figure(None, "no pair differs" if differences else "no pair has a value")
    from scipy.stats import binomtest

    return Figure(float(binomtest(rises, rises + falls).pvalue))


def sign_flip(differences: Sequence[float], *, seed: int = 0) -> Figure:
    """Two-sided p that a sum this far from 0 arises when each difference's sign is a fair coin (Fisher 1935).

    All signs are tried for up to EXACT_FLIPS non-zero differences; beyond, `(1 + #) / (1 + FLIP_DRAWS)` over seeded
    draws. Zeros change nothing under a flip and are dropped; sorting makes the draws independent of order.
    """
    sizes = sorted(abs(d) for d in differences if d != 0)
    if not sizes:
        return Figure(None, "no pair differs" if differences else "no pair has a value")
    import numpy as np

    magnitudes = np.array(sizes)
    reach = abs(math.fsum(differences)) - 1e-12 * math.fsum(sizes)
    n = len(sizes)
    if n <= EXACT_FLIPS:
        signs = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
        return Figure(_beyond(signs, magnitudes, reach) / 2**n)
    coin = random.Random(seed)
    width = -(-n // 8)
    count = 0
    for _ in range(FLIP_DRAWS // _BLOCK):
        octets = np.frombuffer(coin.randbytes(_BLOCK * width), dtype=np.uint8).reshape(_BLOCK, width)
        count += _beyond(np.unpackbits(octets, axis=1)[:, :n], magnitudes, reach)
    return Figure((1 + count) / (1 + FLIP_DRAWS))


def _beyond(signs: "NDArray[np.integer]", magnitudes: "NDArray[np.float64]", reach: float) -> int:
    """How many rows of 0/1 signs give a sum at least `reach` away from 0."""
    sums = 2 * (signs @ magnitudes) - magnitudes.sum()
    return int((abs(sums) >= reach).sum())


def _deviation(values: Sequence[float], mean: float) -> float:
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))
