"""Contrasts of effects. In: run records, and verdicts; out: how far arms, or models, that the spec names differ by
seed, and how effects change with each number that is swept."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from colosseum.evidence.figures import Figure, RunRecord, parted
from colosseum.evidence.readings import JUDGED, Weighed, weigh
from colosseum.evidence.signals import JUDGE, changed, known, less
from colosseum.evidence.statistics import Paired, holm, paired, tested
from colosseum.evidence.summary import grouped
from colosseum.evidence.verdict import Verdicts
from colosseum.model.experiment import factors


@dataclass(frozen=True, slots=True)
class NamedContrast:
    """One arm less another; or the effect of an arm under one model less that under another."""

    first: str
    second: str
    place: str
    """The sweep point, and the arm where models are compared."""
    signal: str
    difference: Paired
    """The first less the second, in fair shares or a judge's points."""
    adjusted_p: Figure
    """Two-sided, after Holm over all of them."""


def contrasts(records: Sequence[RunRecord], arms: Sequence[str], verdicts: Verdicts) -> tuple[NamedContrast, ...]:
    """All that the spec names, by signal and sweep point; of words where somebody judged."""
    margins = {**verdicts.rule.margins, **JUDGED}
    found = list[tuple[tuple[str, str, str], Weighed]]()
    for first, second in verdicts.rule.contrasts:
        for place, by_signal in _differences(records, arms, verdicts, first, second):
            for signal, told in by_signal.items():
                weighed = weigh(signal, *parted(told), margin=margins[signal], rate=verdicts.rule.rate)
                found += [((first, second, place), weighed)] if weighed.paired.n or signal != JUDGE else []
    tests = holm([1.0 if weighed.p.value is None else weighed.p.value for _, weighed in found])
    return tuple(
        NamedContrast(*key, each.signal, each.paired, each.p if each.p.value is None else Figure(p))
        for (key, each), p in zip(found, tests, strict=True)
    )


def _differences(
    records: Sequence[RunRecord], arms: Sequence[str], verdicts: Verdicts, first: str, second: str
) -> Iterator[tuple[str, Mapping[str, Sequence[Figure]]]]:
    """By sweep point, and by signal, the first less the second at each seed."""
    groups, signals = grouped(records, arms), (*verdicts.rule.margins, JUDGE)
    if {first, second} <= {*arms}:
        several = len({model for _, model in groups}) > 1
        for (point, model), runs in groups.items():
            differences = changed(runs, second, first, signals)
            place = ", ".join(f"{name}={value}" for name, value in factors(point, model * several).items())
            yield place, {signal: [*told.values()] for signal, told in differences.items()}
        return
    by_factors = {tuple(sorted(factors(*place).items())): runs for place, runs in groups.items()}
    for levels, runs in by_factors.items():
        other = by_factors.get(tuple(sorted({**dict(levels), "model": second}.items())))
        if dict(levels).get("model") == first and other is not None:
            where = ", ".join(f"{name}={value}" for name, value in levels if name != "model")
            for arm in dict.fromkeys(each.arm for each in verdicts.treated):
                one, two = (changed(of, arms[0], arm, signals) for of in (runs, other))
                told = {signal: less(one[signal], two[signal]) for signal in signals}
                yield ", ".join(filter(None, (arm, where))), told


# ---- along sweeps ---------------------------------------------------------------------------------------------------


NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?")
LEAST_LEVELS: Final = 3  # of a trend


@dataclass(frozen=True, slots=True)
class Trend:
    """How the effect of an arm changes along a number that is swept."""

    factor: str
    place: str
    """What else is swept, and at what."""
    model: str
    arm: str
    signal: str
    levels: int
    slope: Paired
    """In fair shares, or a judge's points, for each 1 that the number grows; over seeds with a pair at all levels."""
    adjusted_p: Figure
    """Of Student's t, after Benjamini and Hochberg over all trends."""


def trends(records: Sequence[RunRecord], arms: Sequence[str], verdicts: Verdicts) -> tuple[Trend, ...]:
    """Of each signal of each treated arm, along each number that is swept over three levels or more: in each seed the
    slope of least squares, `Σ (x − x̄)·y / Σ (x − x̄)²`."""
    told: dict[tuple[str, str, str, str, str], dict[float, dict[int, float]]] = {}
    treated, signals = dict.fromkeys(arm.arm for arm in verdicts.treated), (*verdicts.rule.margins, JUDGE)
    for (point, model), runs in grouped(records, arms).items():
        swept = factors(point)
        for name, level in ((name, float(said)) for name, said in swept.items() if NUMBER.fullmatch(said)):
            place = ", ".join(f"{other}={said}" for other, said in swept.items() if other != name)
            for arm in treated:
                for signal, by_seed in changed(runs, arms[0], arm, signals).items():
                    told.setdefault((name, place, model, arm, signal), {})[level] = known(by_seed)
    found = dict[tuple[str, str, str, str, str, int], list[float]]()
    for key, levels in told.items():
        seeds = set.intersection(*map(set, levels.values()))
        if len(levels) >= LEAST_LEVELS and seeds:
            off = np.array([*levels]) - np.mean([*levels])
            at = np.array([[of[seed] for seed in sorted(seeds)] for of in levels.values()])
            moved = np.where(np.isclose(at, at[0], rtol=1e-9, atol=1e-9), 0.0, at - at[0])
            found[*key, len(levels)] = (off / float(off @ off) @ moved).tolist()
    tests = tested(found.values())
    return tuple(Trend(*key, paired(each), p) for (key, each), p in zip(found.items(), tests, strict=True))
