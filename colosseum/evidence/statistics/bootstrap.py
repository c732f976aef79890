"""Bootstrap limits of a mean. In: one number per seed; out: an interval that needs no symmetry, or why there is none.

It stands beside Student's t, which decides: of ten values these limits cover the mean in .89 of studies only.
"""

import math
from collections.abc import Sequence
from typing import Final

from colosseum.evidence.statistics.means import LEVEL, Interval, mean_interval

RESAMPLES: Final = 9_999
ENOUGH: Final = 20
"""Values below which these limits promise too much."""
_BLOCK: Final = 500
"""Resamples at a time: all of them would fill the memory at thousands of values."""


def bca_interval(values: Sequence[float], *, level: float = LEVEL, seed: int = 0) -> Interval | str:
    """Bias-corrected and accelerated limits of a mean (Efron 1987) from seeded resamples, or why there are none.

    Values are sorted first, so that their order changes nothing.
    """
    plain = mean_interval(values, level=level)
    if isinstance(plain, str):
        return plain
    if len(values) < ENOUGH:
        return f"fewer than {ENOUGH} values"
    import numpy as np
    from scipy.special import ndtr, ndtri

    data = np.sort(np.array(values, dtype=float))
    n = len(data)
    chance = np.random.default_rng(seed)
    sizes = [min(_BLOCK, RESAMPLES - begun) for begun in range(0, RESAMPLES, _BLOCK)]
    means = np.concatenate([data[chance.integers(0, n, (size, n))].mean(axis=-1) for size in sizes])
    below = ((means < data.mean()).sum() + (means <= data.mean()).sum()) / (2 * RESAMPLES)
    bias = float(ndtri(below))
    left_out = (data.sum() - data) / (n - 1)
    lean = left_out.mean() - left_out
    speed = float((lean**3).sum() / (6 * (lean**2).sum() ** 1.5))
    ends = [bias + float(ndtri(share)) for share in ((1 - level) / 2, (1 + level) / 2)]
    shares = [float(ndtr(bias + end / (1 - speed * end))) for end in ends]
    if not all(map(math.isfinite, shares)):
        return "the resamples lie on one side of the mean"
    low, high = (float(np.percentile(means, 100 * share)) for share in shares)
    return Interval(plain.mean, low, high, level, plain.sd, n)
