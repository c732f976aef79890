"""Numbers of seeds. In: runs of equal arms, or of models with replicas; out: seeds, and effects they can settle.

Two arms of equal conditions differ by chance alone, so the spread of their paired differences is what an effect has to
stand out from. All of it is in fair shares: u of the control run.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, variance
from typing import Final, TypeAlias

from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.statistics import ENOUGH_NONZERO, LEVEL, paired, quantile
from colosseum.evidence.summary import Pair, by_seed, difference, unit_of, usable

POWER: Final = 0.8
"""How often an effect of the size told is seen."""
MOST_SEEDS: Final = 1_000_000
NO_SPREAD: Final = "no pair differs, so the spread by chance is not known"
NO_REPLICA: Final = "no cell has two runs, so the noise of replicas is not known"
Units: TypeAlias = tuple[str, str, str]
Cell: TypeAlias = tuple[str, str, str, int]
"""Sweep point, arm, model and seed."""
REPLICAS: Final = (1, 2, 3, 5, 10)
"""Runs of a cell that seeds are told for."""


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
    margin: float
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
    control: Sequence[RunRecord], twin: Sequence[RunRecord], *, of: Units, margin: float, planned: int
) -> Needed:
    """Plan seeds from the complete runs of two equal arms; `of` are the point, the second arm, and the signal."""
    figures = [in_shares(of[-1], pair) for pair in by_seed(control, twin)[0].values()]
    found = paired([f.value for f in figures if f.value is not None])
    nothing = next((f.reason for f in figures if f.reason), "") if not found.n else ""
    sd = Figure(None, nothing) if nothing else Figure(None, NO_SPREAD) if found.sd.value == 0 else found.sd
    return _needed(sd, (*of, found.n, found.n_nonzero), margin, planned)


def _needed(sd: Figure, of: tuple[str, str, str, int, int], margin: float, planned: int) -> Needed:
    """What a spread says; `of` are the fields of Needed that tell where it is from."""

    def to_margin(seeds: Callable[[float, float], int | None]) -> Figure:
        if sd.value is None:
            return sd
        number = seeds(sd.value, margin)
        # fewer make no interval, whatever their spread: exact tests decide then, and they see less
        return Figure(None, f"more than {MOST_SEEDS:,}") if number is None else Figure(max(number, ENOUGH_NONZERO))

    smallest = sd if sd.value is None else Figure(None, "one seed has no spread")
    if sd.value is not None and planned > 1:
        smallest = Figure(smallest_effect(sd.value, planned))
    return Needed(*of, sd, margin, to_margin(seeds_for), to_margin(seeds_to_see), planned, smallest)


@dataclass(frozen=True, slots=True)
class Noise:
    """What real runs differ by; variances are in u². A cell is one arm of one model at one seed."""

    signal: str
    runs: int
    models: int
    between_replicas: Figure
    """Of the runs of a cell."""
    between_seeds: Figure
    """Of a model's changes over seeds, less the part of replicas; at least 0."""
    between_models: Figure
    """Of the mean changes of models; what is left of seeds and replicas is part of it."""
    designs: Mapping[int, Needed]
    """By replicas of a cell, the seeds with which one model shows the wanted effect, here the margin."""


def unit_changes(records: Sequence[RunRecord], arms: Sequence[str], figure: str) -> dict[Units, list[float]]:
    """The changes of a figure, in its own unit, from one arm to another: of each model, and of each seed.

    By both arms, and by `models` or `seeds`. A model at another sweep point counts as another one.
    """
    cells, found = _cells(records, figure, shares=False), dict[Units, list[float]]()
    for pair in combinations(arms, 2):
        table, seeds = _changes(cells, *pair), dict[int, list[float]]()
        for seed, change in (item for each in table.values() for item in each.items()):
            seeds.setdefault(seed, []).append(change)
        found[*pair, "models"] = [fmean(each.values()) for each in table.values()]
        found[*pair, "seeds"] = [*map(fmean, seeds.values())]
    return found


def noise_of(records: Sequence[RunRecord], arms: Sequence[str], *, signal: str, wanted: float, planned: int) -> Noise:
    """The noise of runs, over all treated arms and sweep points; no player is planted."""
    cells = _cells(records, signal, shares=True)
    tables = [_changes(cells, arms[0], arm) for arm in arms[1:]]
    changes = [[*each.values()] for table in tables for each in table.values()]
    within, spread = _pooled(cells.values(), NO_REPLICA), _pooled(changes, "no model has two pairs")
    seeds = _less(spread, within, 2 * fmean([1 / len(each) for each in cells.values()] or [1.0]))
    means = [[fmean(each.values()) for each in table.values()] for table in tables]
    place = ("", "", signal, sum(map(len, changes)), sum(x != 0 for each in changes for x in each))
    alone = {n: spread if n == 1 and within.value is None else _less(seeds, within, -2 / n) for n in REPLICAS}
    roots = {n: Figure(None, v.reason or NO_SPREAD) if not v.value else Figure(v.value**0.5) for n, v in alone.items()}
    return Noise(
        signal, sum(map(len, cells.values())), len({cell[2] for cell in cells}), within, seeds,
        _pooled(means, "there is one model"), {n: _needed(sd, place, wanted, planned) for n, sd in roots.items()},
    )  # fmt: skip


def _changes(cells: Mapping[Cell, Sequence[float]], against: str, arm: str) -> dict[tuple[str, str], dict[int, float]]:
    """By sweep point and model, and by seed: how much the mean of a cell changes from one arm to another."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    for (point, own, model, seed), values in cells.items():
        if own == arm and (before := cells.get((point, against, model, seed))):
            found.setdefault((point, model), {})[seed] = fmean(values) - fmean(before)
    return found


def _cells(records: Sequence[RunRecord], signal: str, *, shares: bool) -> dict[Cell, list[float]]:
    """What the runs that can be compared come to, in u or in the figure's own unit; a loss is always in u."""
    name, sign = ("outsider_payoff", -1) if signal == "outsider_loss" else (signal, 1)
    found: dict[Cell, list[float]] = {}
    for run in records:
        for scalars in (each.scalars for each in usable([run])):
            value, unit = scalars[name].value, scalars["unit"].value
            if value is not None and unit is not None and unit > 0:
                worth = sign * value / (unit if shares or sign < 0 else 1.0)
                found.setdefault((run.point, run.arm, run.model, run.seed), []).append(worth)
    return found


def _pooled(groups: Iterable[Sequence[float]], why: str) -> Figure:
    """The variance within groups."""
    several = [group for group in groups if len(group) > 1]
    free = sum(len(group) - 1 for group in several)
    return Figure(sum(variance(group) * (len(group) - 1) for group in several) / free) if free else Figure(None, why)


def _less(whole: Figure, part: Figure, times: float) -> Figure:
    """A variance less a part of it, at least 0."""
    if whole.value is None or part.value is None:
        return whole if whole.value is None else part
    return Figure(max(0.0, whole.value - times * part.value))


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
