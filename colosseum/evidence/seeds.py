"""Numbers of seeds. In: runs of the control and of an arm like it; out: seeds, and effects they can settle.

Two arms of equal conditions differ by chance alone, so the spread of their paired differences is what an effect has to
stand out from. All of it is in fair shares: u of the control run.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from colosseum.campaign.margins import ENOUGH_ALIKE
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.statistics.means import LEVEL, Paired, paired, quantile
from colosseum.evidence.summary import Pair, by_seed, difference, unit_of

POWER: Final = 0.8
"""How often an effect of the size told is seen."""
MOST_SEEDS: Final = 1_000_000
NO_SPREAD: Final = "no pair differs, so the spread by chance is not known"


@dataclass(frozen=True, slots=True)
class EqualArms:
    """How far two equal arms differ by chance at one sweep point."""

    point: str
    arm: str
    """The one with the control's conditions."""
    paired: Paired
    """The differences of the signal, in fair shares; no sd where no pair differs."""


def equal_arms(records: Sequence[RunRecord], control: str, arm: str, signal: str) -> EqualArms:
    """From the runs of one sweep point, among which both arms have some; `signal` is one of DIFFERENCES."""
    pairs, _ = by_seed(*([r for r in records if r.arm == which] for which in (control, arm)))
    figures = [in_shares(signal, pair) for pair in pairs.values()]
    found = paired([f.value for f in figures if f.value is not None])
    nothing = next((f.reason for f in figures if f.reason), "") if not found.n else ""
    lacking = nothing or (NO_SPREAD if found.sd.value == 0 else "")
    return EqualArms(records[0].point, arm, replace(found, sd=Figure(None, lacking)) if lacking else found)


def in_shares(signal: str, pair: Pair) -> Figure:
    """A difference in units of u, as margins are; `outsider_loss` is so already."""
    found = difference(signal, pair)
    if signal == "outsider_loss" or found.value is None:
        return found
    unit = unit_of(pair)
    return unit if unit.value is None else Figure(found.value / unit.value)


def smallest_effect(sd: float, seeds: int, *, level: float = LEVEL) -> float:
    """The mean difference that a two-sided t test at a level tells from 0 with a probability of POWER.

    `(t(n − 1; .975) + t(n − 1; .8)) · sd / √n`, which comes close to the noncentral t distribution from 5 seeds on.
    """
    return (quantile((1 + level) / 2, seeds - 1) + quantile(POWER, seeds - 1)) * sd / math.sqrt(seeds)


def seeds_to_see(sd: float, effect: float, *, level: float = LEVEL) -> int | None:
    """The fewest seeds with which such an effect is seen; None where they are too many."""
    numbers = range(2, MOST_SEEDS + 1)
    place = bisect_left(numbers, True, key=lambda seeds: smallest_effect(sd, seeds, level=level) <= effect)
    return numbers[place] if place < len(numbers) else None


def needed_seeds(sd: Figure, effect: float, *, level: float = LEVEL, least: int = ENOUGH_ALIKE) -> Figure:
    """Seeds with which an effect of a size is seen, `least` at the fewest; where nothing differs, those alone."""
    if sd.value is None or effect <= 0:
        return Figure(None, sd.reason or "it does not rise")
    seeds = seeds_to_see(sd.value, effect, level=level) if sd.value else least
    return Figure(None, f"more than {MOST_SEEDS:,}") if seeds is None else Figure(max(seeds, least))
