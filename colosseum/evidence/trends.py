"""Trends along sweeps. In: run records, and verdicts; out: how effects change with each number that is swept."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.signals import JUDGE, changes, known
from colosseum.evidence.statistics import Paired, paired, tested
from colosseum.evidence.summary import grouped, pairs_of
from colosseum.evidence.verdict import Verdicts
from colosseum.model.experiment import factors

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
    treated, signals = {arm.arm for arm in verdicts.treated}, (*(verdicts.rule.margins or ()), JUDGE)
    for (point, model), runs in grouped(records, arms).items():
        swept = factors(point)
        for name, level in ((name, float(said)) for name, said in swept.items() if NUMBER.fullmatch(said)):
            place = ", ".join(f"{other}={said}" for other, said in swept.items() if other != name)
            for arm in treated:
                pairs = pairs_of(runs, arms[0], arm)
                for signal in signals:
                    key = name, place, model, arm, signal
                    told.setdefault(key, {})[level] = known(changes(signal, pairs))
    found = dict[tuple[str, str, str, str, str, int], list[float]]()
    for key, levels in told.items():
        seeds = set.intersection(*map(set, levels.values()))
        if len(levels) >= LEAST_LEVELS and seeds:
            off = np.array([*levels]) - np.mean([*levels])
            weights = off / float(off @ off)
            found[*key, len(levels)] = [float(weights @ [of[seed] for of in levels.values()]) for seed in sorted(seeds)]
    tests = tested(found.values())
    return tuple(Trend(*key, paired(each), p) for (key, each), p in zip(found.items(), tests, strict=True))
