"""The spread of figures. In: run records, and verdicts; out: the noise of runs, the seeds that settle an effect, and
where the spread of an effect comes from; in fair shares, u of the control run.

The change of a run against the control of its seed and repeat is a mean, and what its seed, its wording and the repeat
itself add. The variances are those of MIVQUE0 (Hartley, Rao & LaMotte 1978): unbiased however unequal numbers are.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, variance
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.campaign.margins import ENOUGH_NONZERO
from colosseum.evidence import statistics as stats
from colosseum.evidence.arms import kinds
from colosseum.evidence.figures import Figure, RunRecord, parted
from colosseum.evidence.signals import changes, known
from colosseum.evidence.summary import Pair, by_seed, grouped, pairs_of
from colosseum.evidence.verdict import Verdicts
from colosseum.model.experiment import factors

NO_SPREAD: Final = "no pair differs, so the spread by chance is not known"
NO_REPLICA: Final = "no cell has two runs, so the noise of replicas is not known"
Cell: TypeAlias = tuple[str, str, str, int]  # sweep point, arm, model and seed
REPLICAS: Final = (1, 2, 3, 5, 10)  # runs of a cell that seeds are told for


def change_by_chance(
    records: Sequence[RunRecord], arms: Sequence[str], signal: str, purposes: Mapping[str, str]
) -> stats.Paired | None:
    """How a signal changes, in fair shares, from the control, the first of `arms`, to an arm that equals it: at the
    first sweep point and under the first model where it changes at all; None where it never does."""
    for here in grouped(records, arms).values():
        for arm in (arm for arm, kind in kinds(here, arms, purposes).items() if kind.kind == "again"):
            changed = changes(signal, pairs_of(here, arms[0], arm))
            if (found := stats.paired(*parted(changed.values()))).sd.value:
                return found
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
        smallest = Figure(stats.smallest_effect(sd.value, planned)) if planned > 1 else few
        return cls(sd, stats.needed_seeds(sd, wanted, least=ENOUGH_NONZERO), smallest)


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
    change: stats.Paired
    adjusted_p: Figure
    """Of Student's t, after Benjamini and Hochberg over all changes."""


def unit_changes(records: Sequence[RunRecord], arms: Sequence[str]) -> list[UnitChange]:
    """The changes from one arm to another, in CA's own unit: of each model, and of each seed.

    A model at another sweep point counts as another one.
    """
    cells = _cells(records, "coalition_advantage", next(iter(arms), ""), shares=False)
    found = dict[tuple[str, str, str], list[float]]()
    for pair in combinations(arms, 2):
        table, seeds = _changes(cells, *pair), dict[int, list[float]]()
        for seed, change in (item for each in table.values() for item in each.items()):
            seeds.setdefault(seed, []).append(change)
        found[*pair, "models"] = [fmean(each.values()) for each in table.values()]
        found[*pair, "seeds"] = [*map(fmean, seeds.values())]
    tests = stats.tested(found.values())
    return [UnitChange(*key, stats.paired(each), p) for (key, each), p in zip(found.items(), tests, strict=True)]


def noise_of(
    records: Sequence[RunRecord], arms: Sequence[str], purposes: Mapping[str, str], *, signal: str, wanted: float,
    planned: int,
) -> Noise:  # fmt: skip
    """The noise of runs, over all treated arms and sweep points; no player is planted."""
    first = [run for run in records if run.point == records[0].point]
    treated = [arm for arm, kind in kinds(first, arms, purposes).items() if kind.kind == "treated"]
    cells = _cells(records, signal, arms[0], shares=True)
    tables = [_changes(cells, arms[0], arm) for arm in treated]
    changes = [[*each.values()] for table in tables for each in table.values()]
    within, spread = _pooled(cells.values(), NO_REPLICA), _pooled(changes, "no model has two pairs")
    seeds = _less(spread, within, 2 * fmean([1 / len(each) for each in cells.values()] or [1.0]))
    means = [[fmean(each.values()) for (here, _), each in table.items() if here == point]  # of models
             for table in tables for point in dict.fromkeys(point for point, _ in table)]  # fmt: skip
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


def _cells(records: Sequence[RunRecord], signal: str, control: str, *, shares: bool) -> dict[Cell, list[float]]:
    """What the runs that can be compared come to, in u of the control or in the figure's own unit; a loss in u."""
    name, sign = ("outsider_payoff", -1) if signal == "outsider_loss" else (signal, 1)
    found: dict[Cell, list[float]] = {}
    units = {(r.point, r.model, r.seed): r.figures.scalars["unit"] for r in records
             if r.arm == control and r.figures and r.figures.comparable}  # fmt: skip
    for run, figures in ((run, run.figures) for run in records if run.figures and run.figures.comparable):
        value = figures.scalars[name].value
        unit = units.get((run.point, run.model, run.seed), figures.scalars["unit"]).value
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


# ---- where the spread of an effect comes from -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VarianceShare:
    """What one factor adds to the spread."""

    factor: str
    """`seeds`, `wordings` or `repeats`; several of them, with `and`, where the runs do not tell them apart."""
    levels: int
    variance: float
    """Of the signal, squared; 0 where the estimate is below it."""
    variance_share: float
    """Of the sum of all variances."""
    left_if_doubled: float
    """What would be left of the variance of the mean by twice as many; twice as many seeds have twice the repeats."""


@dataclass(frozen=True, slots=True)
class SpreadOrigin:
    """The spread of one signal in one treated arm."""

    point: str
    """Without the wording, where that is swept."""
    model: str
    arm: str
    signal: str
    runs: int
    """Pairs of runs; of each seed there may be several."""
    shares: tuple[VarianceShare, ...]
    reason: str
    """Why there are none; else empty."""


def spread_origins(records: Sequence[RunRecord], arms: Sequence[str], verdicts: Verdicts) -> Iterator[SpreadOrigin]:
    """Of each signal of each treated arm; sweep points that differ in wording alone are taken together."""
    merged: dict[tuple[str, str], list[RunRecord]] = {}
    for (point, model), runs in grouped(records, arms).items():
        swept = (f"{name}={value}" for name, value in factors(point).items() if name != "paraphrase")
        merged.setdefault((", ".join(swept), model), []).extend(runs)
    treated = {arm.arm: [p.signal for s in (arm.action, arm.judge) if s for p in s.parts] for arm in verdicts.treated}
    for (point, model), runs in merged.items():
        for arm, signals in treated.items():
            cells = list(_beside(runs, arms[0], arm))
            for signal in signals if cells else ():
                told = known(changes(signal, dict(enumerate(pair for _, _, pair in cells))))
                of: dict[str, list[Hashable]] = {"seeds": [cells[n][0] for n in told]}
                of["wordings"] = [cells[n][1] for n in told]
                found = shares(list(told.values()), of)
                parts, reason = ((), found) if isinstance(found, str) else (found, "")
                yield SpreadOrigin(point, model, arm, signal, len(told), parts, reason)


def _beside(runs: Sequence[RunRecord], control: str, arm: str) -> Iterator[tuple[int, Hashable, Pair]]:
    """Every run of an arm with the control of its seed and repeat: its seed, its wordings, and the two."""
    by_arm = {which: {(r.point, r.seed, r.repeat): r for r in runs if r.arm == which} for which in (control, arm)}
    for place in (place for place in by_arm[control] if place in by_arm[arm]):
        for seed, pair in by_seed([by_arm[control][place]], [by_arm[arm][place]])[0].items():
            setup = pair[1][0].setup
            yield seed, setup.wordings if setup else (), pair


def shares(values: Sequence[float], of: Mapping[str, Sequence[Hashable]]) -> tuple[VarianceShare, ...] | str:
    """The variance that each factor adds, and what repeats of one cell differ by; `of` has the levels by value.

    Solves `S·σ² = q`, `S_ij = tr(M·Z_i·Z_i'·M·Z_j·Z_j')` and `q_i = |Z_i'·M·y|²`, M taking the mean away.
    """
    if isinstance(lacking := stats.mean_interval(values), str):
        return lacking
    n, centred = len(values), np.array(values) - np.mean(values)
    found = {name: np.unique([repr(v) for v in each], return_inverse=True)[1] for name, each in of.items()}
    alone = [name for name, places in found.items() if places.max() + 1 == n]
    kept = {name: places for name, places in found.items() if places.max() > 0 and name not in alone}
    kept[" and ".join([*alone, "repeats"])] = np.arange(n)
    apart = np.array([[_apart(a, b) for b in kept.values()] for a in kept.values()])
    if np.linalg.matrix_rank(apart) < len(kept):
        kept, apart = {" and ".join(kept): np.arange(n)}, apart[-1:, -1:]
    seen = [float((np.bincount(places, centred) ** 2).sum()) for places in kept.values()]
    variances = dict(zip(kept, np.maximum(np.linalg.solve(apart, seen), 0.0).tolist(), strict=True))
    parts = {name: variances[name] * float(_alike(places).sum()) / n**2 for name, places in kept.items()}
    whole, total, rest = sum(parts.values()), sum(variances.values()), [*parts.values()][-1]
    halved = {name: part + rest * (name == "seeds") for name, part in parts.items()}
    return tuple(
        VarianceShare(name, len({*places}), variances[name], variances[name] / total, 1 - halved[name] / (2 * whole))
        for name, places in kept.items()
    )


def _alike(places: NDArray[np.intp]) -> NDArray[np.float64]:
    """By value, how many values have its level."""
    _, inverse, counts = np.unique(places, return_inverse=True, return_counts=True)
    return counts[inverse].astype(float)


def _apart(one: NDArray[np.intp], other: NDArray[np.intp]) -> float:
    """`|Z_i'·M·Z_j|²` of two factors, by how many values share a level of one, of the other, and of both."""
    n, ours, theirs = len(one), _alike(one), _alike(other)
    both = float(_alike(one * n + other).sum())
    return both - 2 * float(ours @ theirs) / n + float(ours.sum() * theirs.sum()) / n**2
