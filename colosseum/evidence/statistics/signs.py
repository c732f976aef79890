"""Exact tests of signs. In: paired differences; out: a p, or the reason why there is none."""

import math
import random
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from colosseum.evidence.figures import Figure

EXACT_FLIPS: Final = 30
"""Up to so many non-zero differences every assignment of signs counts."""
FLIP_DRAWS: Final = 100_000
_BLOCK: Final = 4_000_000  # signs that are drawn at a time, 32 MB: all of them would fill the memory


def sign_test(differences: Sequence[float]) -> Figure:
    """Exact two-sided p that rises and falls are equally likely; zeros are left out (Dixon & Mood 1946)."""
    rises, falls = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if rises + falls == 0:
        return Figure(None, "no pair differs" if differences else "no pair has a value")
    return Figure(fair_coin(rises, rises + falls))


def fair_coin(heads: int, tosses: int) -> float:
    """Exact two-sided p of so many heads: twice the lower tail, as both are alike (the binomial test at 1/2)."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(heads, tosses - heads), tosses, 0.5)))


def pairs_alike(rate: float) -> int:
    """The fewest pairs that all rise of which the sign test's p, `2 · 2^−n`, is at most this."""
    return 1 + math.ceil(-math.log2(rate))


def sign_flip(differences: Sequence[float], *, seed: int = 0) -> Figure:
    """Two-sided p that a sum this far from 0 arises when each difference's sign is a fair coin (Fisher 1935).

    All signs count for up to EXACT_FLIPS non-zero differences; beyond, `(1 + #) / (1 + FLIP_DRAWS)` over seeded draws.
    Zeros change nothing under a flip and are dropped; sorting makes the draws independent of order.
    """
    sizes = sorted(abs(d) for d in differences if d != 0)
    if not sizes:
        return Figure(None, "no pair differs" if differences else "no pair has a value")
    n = len(sizes)
    power = -math.frexp(sizes[-1])[1]  # all are scaled alike, so that no sum of large ones overflows
    magnitudes = np.array([math.ldexp(size, power) for size in sizes])
    reach = abs(math.fsum(math.ldexp(d, power) for d in differences)) - 1e-12 * math.fsum(magnitudes)
    if n <= EXACT_FLIPS:
        return Figure(_reaching(magnitudes, reach) / 2**n)
    coin, width, count = random.Random(seed), -(-n // 8), 0
    eights = np.concatenate((magnitudes, np.zeros(8 * width - n))).reshape(width, 8)
    sum_of = eights @ (2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 1.0).T  # by their signs
    rows = max(4, min(1_000, _BLOCK // n // 4 * 4))  # fours, as chance comes in words of four bytes
    for size in (min(rows, FLIP_DRAWS - begun) for begun in range(0, FLIP_DRAWS, rows)):
        octets = np.frombuffer(coin.randbytes(size * width), dtype=np.uint8).reshape(size, width)
        count += int((abs(sum_of[np.arange(width), octets].sum(axis=1)) >= reach).sum())
    return Figure((1 + count) / (1 + FLIP_DRAWS))


def _reaching(magnitudes: NDArray[np.float64], reach: float) -> int:
    """How many assignments of signs give a sum at least `reach` away from 0, of all 2^n.

    Each is one of the first half and one of the second: two sorted lists of 2^(n/2) sums tell how many go together.
    """
    if reach <= 0:
        return int(2 ** len(magnitudes))
    first, second = _sums(magnitudes[::2]), np.sort(_sums(magnitudes[1::2]))
    return 2 * int((len(second) - np.searchsorted(second, reach - first)).sum())


def _sums(magnitudes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums under all signs, shape (2^n,)."""
    sums = np.zeros(1)
    for magnitude in magnitudes:
        sums = np.concatenate((sums - magnitude, sums + magnitude))
    return sums
