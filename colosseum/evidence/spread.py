"""The spread of figures. In: run records, and verdicts; out: how far equal arms differ, and where the spread of an
effect comes from.

Two arms of equal conditions differ by chance alone, so the spread of their paired differences is what an effect has to
stand out from; it is in fair shares: u of the control run.

The change of a run against the control of its seed and repeat is a mean, and what its seed, its wording and the repeat
itself add. The variances are those of MIVQUE0 (Hartley, Rao & LaMotte 1978): unbiased however unequal numbers are; of
equal ones they are those of an analysis of variance.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from colosseum.evidence.arms import kinds
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.signals import changes, known
from colosseum.evidence.statistics import mean_interval, paired
from colosseum.evidence.summary import Pair, by_seed, grouped
from colosseum.evidence.verdict import Verdicts
from colosseum.model.experiment import factors

NO_SPREAD: Final = "no pair differs, so the spread by chance is not known"


def sd_by_chance(records: Sequence[RunRecord], arms: Sequence[str], signal: str) -> Figure | None:
    """The sd of a signal's change, in fair shares, between the control, the first of `arms`, and an arm that equals it.

    Of the first sweep point where such a change differs from 0; None where none does.
    """
    for point in dict.fromkeys(run.point for run in records):
        here = [run for run in records if run.point == point]
        for arm in (arm for arm, kind in kinds(here, arms).items() if kind.kind == "again"):
            pairs, _ = by_seed(*([run for run in here if run.arm == which] for which in (arms[0], arm)))
            if (sd := paired(list(known(changes(signal, pairs)).values())).sd).value:
                return sd
    return None


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


def spread_origins(records: Sequence[RunRecord], verdicts: Verdicts, arms: Sequence[str]) -> Iterator[SpreadOrigin]:
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
    if isinstance(lacking := mean_interval(values), str):
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
