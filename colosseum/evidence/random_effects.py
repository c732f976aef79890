"""Random effects. In: an estimate and its sampling variance for each of several units; out: their mean, and what the
next unit may show; or the reason why there is neither.

Of units that are looked at as draws from many: τ² by restricted maximum likelihood, limits of the mean by Hartung &
Knapp (2001) and Sidik & Jonkman (2002), the prediction interval by t with as many degrees of freedom (Partlett & Riley
2017). All of it is what R's metafor 3.8 says with `method="REML", test="knha"`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from colosseum.evidence.statistics import LEVEL, quantile

LEAST_UNITS: Final = 3
"""Of fewer nothing general follows."""


@dataclass(frozen=True, slots=True)
class RandomEffects:
    """A mean over units with its two-sided limits at level LEVEL, in the unit of the estimates.

    Where units agree better than chance the limits are narrower than those of chance alone; τ is 0 then.
    """

    mean: float
    low: float
    high: float
    tau: float
    """The standard deviation of true effects between units."""
    predicted_low: float
    """Where the true effect of another unit lies, at the same level."""
    predicted_high: float
    units: int


def random_effects(estimates: Sequence[float], variances: Sequence[float]) -> RandomEffects | str:
    """μ with limits `μ ± t(k − 1) · s` and, of another unit, `μ ± t(k − 1) · √(s² + τ²)`; a str is why there are none.

    `w = 1 / (v + τ²)`, `μ = Σ w·y / Σ w`, `s² = Σ w·(y − μ)² / ((k − 1) · Σ w)`.
    """
    from scipy.optimize import brentq

    y, v, k = np.array(estimates), np.array(variances), len(estimates)
    if k < LEAST_UNITS:
        return f"{k} of at least {LEAST_UNITS} units: nothing general follows"
    if not v.min() > 0:
        return "of one unit all pairs are alike, so that its variance is not known"

    def slope(between: float) -> float:
        """`Σ w²·(y − μ)² − (Σ w − Σ w² / Σ w)`, twice the derivative of the restricted log-likelihood by τ²."""
        w = 1 / (v + between)
        return float((w**2 * (y - np.average(y, weights=w)) ** 2).sum() - w.sum() + (w**2).sum() / w.sum())

    between, most = 0.0, float(v.max())
    if slope(0.0) > 0:
        while slope(most) > 0:
            most *= 2
        between = float(brentq(slope, 0.0, most, xtol=1e-300, rtol=1e-15))
    w = 1 / (v + between)
    mean = float(np.average(y, weights=w))
    error = float((w * (y - mean) ** 2).sum() / ((k - 1) * w.sum()))
    half, wide = (quantile((1 + LEVEL) / 2, k - 1) * math.sqrt(each) for each in (error, error + between))
    return RandomEffects(mean, mean - half, mean + half, math.sqrt(between), mean - wide, mean + wide, k)
