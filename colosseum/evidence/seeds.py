"""Numbers of seeds. In: runs of the control and of an arm like it; out: seeds, and effects they can settle.

Two arms of equal conditions differ by chance alone, so the spread of their paired differences is what an effect has to
stand out from. All of it is in fair shares: u of the control run.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from colosseum.campaign.margins import ENOUGH_NONZERO
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.statistics.means import LEVEL, paired, quantile
from colosseum.evidence.summary import Pair, by_seed, difference, unit_of

POWER: Final = 0.8
"""How often an effect of the size told is seen."""
MOST_SEEDS: Final = 1_000_000
NO_SPREAD: Final = "no pair differs, so the spread by chance is not known"
ONE_SEED: Final = "one seed has no spread"
NO_MARGIN: Final = "the experiment names no margin"


@dataclass(frozen=True, slots=True)
class Needed:
    """What the spread between two equal arms says of one sweep point."""

    point: str
    arm: str
    """The one with the control's conditions."""
    signal: str
    pairs: int
    """Seeds that both have a complete run of."""
    differing: int
    """Of these, those in which the two differ."""
    sd: Figure
    """Of the differences."""
    margin: float | None
    """The effect that matters, as the experiment says."""
    seeds: Figure
    """With which the 95 % interval reaches as far as the margin to both sides; never too few for one."""
    seeds_to_see: Figure
    """With which an effect as large as the margin is seen with a probability of POWER; never fewer than those."""
    planned: int
    """Seeds of the experiment."""
    smallest: Figure
    """The smallest effect that is seen with these with a probability of POWER."""


def needed(
    control: Sequence[RunRecord],
    twin: Sequence[RunRecord],
    *,
    arm: str,
    point: str,
    signal: str,
    margin: float | None,
    planned: int,
) -> Needed:
    """Plan seeds from the complete runs of two equal arms at a sweep point; `signal` is one of DIFFERENCES."""
    figures = [in_shares(signal, pair) for pair in by_seed(control, twin)[0].values()]
    found = paired([f.value for f in figures if f.value is not None])
    nothing = next((f.reason for f in figures if f.reason), "") if not found.n else ""
    sd = Figure(None, nothing) if nothing else Figure(None, NO_SPREAD) if found.sd.value == 0 else found.sd

    def to_margin(spread: Figure, seeds: Callable[[float, float], int | None]) -> Figure:
        if spread.value is None or not margin:
            return Figure(None, spread.reason or NO_MARGIN)
        number = seeds(spread.value, margin)
        # fewer make no interval, whatever their spread: exact tests decide then, and they see less
        return Figure(None, f"more than {MOST_SEEDS:,}") if number is None else Figure(max(number, ENOUGH_NONZERO))

    known = sd.value is not None and planned > 1
    smallest = Figure(smallest_effect(sd.value or 0.0, planned)) if known else Figure(None, sd.reason or ONE_SEED)
    return Needed(
        point, arm, signal, found.n, found.n_nonzero, sd, margin, to_margin(sd, seeds_for),
        to_margin(sd, seeds_to_see), planned, smallest,
    )  # fmt: skip


def in_shares(signal: str, pair: Pair) -> Figure:
    """A difference in units of u, as margins are; `outsider_loss` is so already."""
    found = difference(signal, pair)
    if signal == "outsider_loss" or found.value is None:
        return found
    unit = unit_of(pair)
    return unit if unit.value is None else Figure(found.value / unit.value)


def half_width(sd: float, seeds: int) -> float:
    """Of the Student t interval of a mean: `t(n − 1) · sd / √n`."""
    return quantile((1 + LEVEL) / 2, seeds - 1) * sd / math.sqrt(seeds)


def smallest_effect(sd: float, seeds: int, *, level: float = LEVEL) -> float:
    """The mean difference that a two-sided t test at a level tells from 0 with a probability of POWER.

    `(t(n − 1; .975) + t(n − 1; .8)) · sd / √n`, which comes close to the noncentral t distribution from 5 seeds on.
    """
    return (quantile((1 + level) / 2, seeds - 1) + quantile(POWER, seeds - 1)) * sd / math.sqrt(seeds)


def seeds_for(sd: float, width: float) -> int | None:
    """The fewest seeds whose interval is no wider than so much to both sides; None where they are too many."""
    return _fewest(lambda seeds: half_width(sd, seeds) <= width)


def seeds_to_see(sd: float, effect: float, *, level: float = LEVEL) -> int | None:
    """The fewest seeds with which such an effect is seen; None where they are too many."""
    return _fewest(lambda seeds: smallest_effect(sd, seeds, level=level) <= effect)


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """The first number from 2 on that is enough, of which all greater ones are, too."""
    numbers = range(2, MOST_SEEDS + 1)
    place = bisect_left(numbers, True, key=enough)
    return numbers[place] if place < len(numbers) else None
