"""Means and their intervals. In: one number per seed; out: an estimate, or the reason why there is none.

The unit is the instance (seed): average its repeats first. Sums are exact (`fsum`), so order changes no digit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from colosseum.campaign.margins import ENOUGH_NONZERO
from colosseum.evidence.figures import Figure
from colosseum.evidence.statistics.signs import sign_test

LEVEL: Final = 0.95
RESAMPLES: Final = 9_999
ENOUGH: Final = 20
"""Values below which these limits promise too much."""
_BLOCK: Final = 400_000  # values that are drawn at a time, some 15 MB: all of them would fill the memory


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
    """At least ENOUGH_NONZERO differences are not zero; else exact tests stand in for the interval."""
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
    n = len(values)
    mean = math.fsum(values) / n
    sd = _deviation(values, mean)
    half = quantile((1 + level) / 2, n - 1) * sd / math.sqrt(n)
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


def bca_interval(values: Sequence[float], *, level: float = LEVEL, seed: int = 0) -> Interval | str:
    """Bias-corrected and accelerated limits of a mean (Efron 1987) from seeded resamples, or why there are none.

    They stand beside Student's t, which decides: of ten values they cover the mean in .89 of studies only. Values are
    sorted first, so that their order changes nothing.
    """
    plain = mean_interval(values, level=level)
    if isinstance(plain, str):
        return plain
    if len(values) < ENOUGH:
        return f"fewer than {ENOUGH} values"
    from scipy.stats import bootstrap

    rows = max(1, min(500, _BLOCK // len(values)))
    found = bootstrap(
        (sorted(values),), np.mean, n_resamples=RESAMPLES, batch=rows, confidence_level=level, method="BCa", rng=seed
    ).confidence_interval
    if not math.isfinite(found.low + found.high):
        return "the resamples lie on one side of the mean"
    return Interval(plain.mean, float(found.low), float(found.high), level, plain.sd, len(values))


def _deviation(values: Sequence[float], mean: float) -> float:
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))


def student_test(values: Sequence[float], *, against: float = 0.0) -> Figure:
    """Two-sided p of Student's t test that the mean is `against` (Student 1908)."""
    interval = mean_interval(values)
    if isinstance(interval, str):
        return Figure(None, interval)
    from scipy.special import stdtr

    statistic = abs(interval.mean - against) * math.sqrt(interval.n) / interval.sd
    return Figure(2 * float(stdtr(interval.n - 1, -statistic)))


def quantile(share: float, freedom: int) -> float:
    """Of Student's t distribution with so many degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def effect_size(values: Sequence[float]) -> Figure:
    """The mean of paired differences in standard deviations of theirs (Cohen 1988, d_z)."""
    interval = mean_interval(values)
    return Figure(None, interval) if isinstance(interval, str) else Figure(interval.mean / interval.sd)
