"""Means, intervals and exact tests. In: one number per seed; out: an estimate, or the reason why there is none.

One idea a file, all of them pure; scipy is imported where it is needed, as it takes its time.
"""

from colosseum.campaign.margins import ENOUGH_NONZERO
from colosseum.evidence.statistics.labels import Labelled, label_permutation
from colosseum.evidence.statistics.means import (
    LEVEL,
    Interval,
    Paired,
    bca_interval,
    effect_size,
    mean_interval,
    paired,
    quantile,
    student_test,
)
from colosseum.evidence.statistics.multiple import RATE, adjusted_level, benjamini_hochberg
from colosseum.evidence.statistics.shares import Share, mcnemar, most_share, wilson
from colosseum.evidence.statistics.signs import pairs_alike, sign_flip, sign_test

__all__ = [  # noqa: RUF022 - one order, of signs
    "ENOUGH_NONZERO", "Interval", "LEVEL", "Labelled", "Paired", "RATE", "Share", "adjusted_level", "bca_interval",
    "benjamini_hochberg", "effect_size", "label_permutation", "mcnemar", "mean_interval", "most_share", "paired",
    "pairs_alike", "quantile", "sign_flip", "sign_test", "student_test", "wilson",
]  # fmt: skip
