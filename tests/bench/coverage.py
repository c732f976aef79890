"""How often limits hold the mean of a pool. In: studies drawn from it; out: of how many the limits hold it."""

from collections.abc import Sequence
from dataclasses import dataclass

from colosseum.evidence.power.studies import Drawn, Stand
from colosseum.evidence.statistics import Interval, paired


@dataclass(frozen=True)
class Coverage:
    """How often limits hold the mean that they are of."""

    signal: str
    held: int
    of: int
    """Studies with enough differences that are not 0."""


def coverage(stand: Stand, drawn: Sequence[Drawn], signal: str) -> Coverage:
    """Of the 95 % limits of studies of one size, where the truth is the mean of the whole pool."""
    truth = paired(stand.values(signal, range(len(stand.changes)))).mean.value
    held = of = 0
    for each in drawn:
        found = paired(stand.values(signal, each))
        if truth is not None and found.reliable and isinstance(found.interval, Interval):
            of += 1
            held += found.interval.low <= truth <= found.interval.high
    return Coverage(signal, held, of)
