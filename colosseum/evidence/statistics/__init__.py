"""Means, intervals and exact tests. In: one number per seed; out: an estimate, or the reason why there is none.

One idea a file, all of them pure; scipy is imported where it is needed, as it takes its time.
"""

from colosseum.campaign.margins import ENOUGH_NONZERO
from colosseum.evidence.statistics.means import LEVEL, Interval, Paired, mean_interval, paired, quantile, student_test
from colosseum.evidence.statistics.multiple import RATE, adjusted_level, benjamini_hochberg
from colosseum.evidence.statistics.shares import Share, wilson

__all__ = [  # noqa: RUF022 - one order, of signs
    "ENOUGH_NONZERO", "Interval", "LEVEL", "Paired", "RATE", "Share", "adjusted_level", "benjamini_hochberg",
    "mean_interval", "paired", "quantile", "student_test", "wilson",
]  # fmt: skip
