"""Correlations. In: pairs of numbers; out: a correlation with its limits and n, or why there is none."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from colosseum.evidence.statistics.means import LEVEL


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r."""

    r: float
    low: float
    high: float
    p: float
    """Two-sided, that there is none."""
    n: int


def correlation(pairs: Sequence[tuple[float, float]], *, level: float = LEVEL) -> Correlation | str:
    """Pearson's r with the limits of Fisher's z (Fisher 1921), or the reason why there is none."""
    if len(pairs) < 4:
        return "fewer than four pairs"
    ones, others = [a for a, _ in pairs], [b for _, b in pairs]
    if any(math.isclose(min(each), max(each), rel_tol=1e-12, abs_tol=1e-12) for each in (ones, others)):
        return "one of the two never changes"
    from scipy.stats import pearsonr

    found = pearsonr(ones, others)
    low, high = found.confidence_interval(level)
    return Correlation(float(found.statistic), float(low), float(high), float(found.pvalue), len(pairs))
