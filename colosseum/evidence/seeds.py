"""Numbers of seeds. In: runs of equal arms, or of models with replicas; out: seeds, and effects they can settle.

Two arms of equal conditions differ by chance alone, so the spread of their paired differences is what an effect has to
stand out from. All of it is in fair shares: u of the control run.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import truediv
from statistics import fmean, variance
from typing import Final, TypeAlias

from colosseum.campaign.margins import ENOUGH_ALIKE, ENOUGH_NONZERO
from colosseum.evidence.arms import kinds
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.statistics import LEVEL, Paired, benjamini_hochberg, paired, quantile, student_test
from colosseum.evidence.summary import Pair, by_seed, difference, unit_of, usable

POWER: Final = 0.8
"""How often an effect of the size told is seen."""
MOST_SEEDS: Final = 1_000_000
NO_SPREAD: Final = "no pair differs, so the spread by chance is not known"
NO_REPLICA: Final = "no cell has two runs, so the noise of replicas is not known"
Cell: TypeAlias = tuple[str, str, str, int]
"""Sweep point, arm, model and seed."""
REPLICAS: Final = (1, 2, 3, 5, 10)
"""Runs of a cell that seeds are told for."""


def sd_by_chance(records: Sequence[RunRecord], arms: Sequence[str], signal: str) -> Figure | None:
    """The sd of a signal's change, in fair shares, between the control, the first of `arms`, and an arm that equals it.

    Of the first sweep point where such a change differs from 0; None where none does.
    """
    for point in dict.fromkeys(run.point for run in records):
        here = [run for run in records if run.point == point]
        for arm in (arm for arm, kind in kinds(here, arms).items() if kind.kind == "again"):
            pairs, _ = by_seed(*([run for run in here if run.arm == which] for which in (arms[0], arm)))
            figures = [in_shares(signal, pair).value for pair in pairs.values()]
            if (sd := paired([value for value in figures if value is not None]).sd).value:
                return sd
    return None


@dataclass(frozen=True, slots=True)
class ReplicaDesign:
    """Studies of one model with so many runs of a cell."""

    sd: Figure
    """Of a seed's change, in u."""
    seeds: Figure
    """With which the wanted effect is seen with a probability of POWER."""
    smallest: Figure
    """The smallest effect that is seen so with the planned seeds."""

    @classmethod
    def of(cls, sd: Figure, wanted: float, planned: int) -> "ReplicaDesign":
        """What a spread says."""
        if sd.value is None:
            return cls(sd, sd, sd)
        few = Figure(None, "one seed has no spread")
        smallest = Figure(smallest_effect(sd.value, planned)) if planned > 1 else few
        return cls(sd, needed_seeds(sd, wanted, least=ENOUGH_NONZERO), smallest)


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
    wanted: float
    """An effect, in u."""
    planned: int
    """Seeds of the experiment."""
    designs: Mapping[int, ReplicaDesign]
    """By replicas of a cell."""


@dataclass(frozen=True, slots=True)
class UnitChange:
    """The change of CA between two arms, over units that it is claimed of."""

    against: str
    arm: str
    units: str
    """`models`: of others like these, on these instances; `seeds`: of other instances, with these models."""
    change: Paired
    adjusted_p: Figure
    """Of Student's t, after Benjamini and Hochberg over all changes."""


def unit_changes(records: Sequence[RunRecord], arms: Sequence[str]) -> list[UnitChange]:
    """The changes from one arm to another, in CA's own unit: of each model, and of each seed.

    A model at another sweep point counts as another one.
    """
    cells, found = _cells(records, "coalition_advantage", shares=False), dict[tuple[str, str, str], list[float]]()
    for pair in combinations(arms, 2):
        table, seeds = _changes(cells, *pair), dict[int, list[float]]()
        for seed, change in (item for each in table.values() for item in each.items()):
            seeds.setdefault(seed, []).append(change)
        found[*pair, "models"] = [fmean(each.values()) for each in table.values()]
        found[*pair, "seeds"] = [*map(fmean, seeds.values())]
    tests = [student_test(each) for each in found.values()]
    adjusted = iter(benjamini_hochberg([p.value for p in tests if p.value is not None]))
    sure = [p if p.value is None else Figure(next(adjusted)) for p in tests]
    return [UnitChange(*key, paired(each), p) for (key, each), p in zip(found.items(), sure, strict=True)]


def noise_of(records: Sequence[RunRecord], arms: Sequence[str], *, signal: str, wanted: float, planned: int) -> Noise:
    """The noise of runs, over all treated arms and sweep points; no player is planted."""
    cells = _cells(records, signal, shares=True)
    tables = [_changes(cells, arms[0], arm) for arm in arms[1:]]
    changes = [[*each.values()] for table in tables for each in table.values()]
    within, spread = _pooled(cells.values(), NO_REPLICA), _pooled(changes, "no model has two pairs")
    seeds = _less(spread, within, 2 * fmean([1 / len(each) for each in cells.values()] or [1.0]))
    means = [[fmean(each.values()) for each in table.values()] for table in tables]
    alone = {n: spread if n == 1 and within.value is None else _less(seeds, within, -2 / n) for n in REPLICAS}
    roots = {n: Figure(None, v.reason or NO_SPREAD) if not v.value else Figure(v.value**0.5) for n, v in alone.items()}
    return Noise(
        signal, sum(map(len, cells.values())), len({cell[2] for cell in cells}), within, seeds,
        _pooled(means, "there is one model"), wanted, planned,
        {n: ReplicaDesign.of(sd, wanted, planned) for n, sd in roots.items()},
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
    return Figure.of(lambda all_, some: max(0.0, all_ - times * some), whole, part)


def in_shares(signal: str, pair: Pair) -> Figure:
    """A difference in units of u, as margins are; `outsider_loss` is so already."""
    found = difference(signal, pair)
    return found if signal == "outsider_loss" else Figure.of(truediv, found, unit_of(pair))


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
