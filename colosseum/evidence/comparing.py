"""Campaigns side by side. In: findings of several folders; out: the effect of every treated arm, and paired contrasts.

Effects are outsiders' losses in fair shares. Two campaigns are contrasted on equal instances: the same scenario at the
same seed, arm and sweep point (Holm over all). What holds beyond them is told over scenarios, and over models.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Final, Literal, TypeAlias

import numpy as np

from colosseum.campaign.margins import MARGINS
from colosseum.evidence.figures import Figure
from colosseum.evidence.findings import Findings
from colosseum.evidence.readings import Reading, weigh
from colosseum.evidence.signals import changes, known
from colosseum.evidence.statistics import LEVEL, RATE, Paired, holm, paired, quantile
from colosseum.evidence.summary import grouped, pairs_of, rise

SIGNAL: Final = "outsider_loss"
Over: TypeAlias = Literal["scenario", "model"]
APART: Final = (("no instance of one is in the other: params or rules differ", 1),)
LEAST_UNITS: Final = 3  # of fewer scenarios or models nothing general follows


@dataclass(frozen=True)
class ComparedArm:
    """A treated arm of one campaign."""

    folder: Path
    scenario: str
    experiment: str
    point: str
    model: str
    arm: str
    reading: Reading | None
    effect: Paired
    """On outsider_loss, in fair shares."""
    captured: Paired
    """On capture, a share of what there was to take: adding a constant to rewards does not change it."""


@dataclass(frozen=True, slots=True)
class RandomEffects:
    """A mean over units with its two-sided limits at level LEVEL, in the unit of the estimates.

    Where units agree better than chance the limits are narrower than those of chance alone; τ is 0 then.
    """

    mean: float
    low: float
    high: float
    tau: float
    """The standard deviation of true effects between units."""
    predicted_low: float
    """Where the true effect of another unit lies, at the same level."""
    predicted_high: float
    units: int


@dataclass(frozen=True)
class Pooled:
    """One arm under one model over scenarios, or in one scenario over models, where it stands in several."""

    over: Over
    within: str
    """The model, or the scenario."""
    arm: str
    point: str
    units: tuple[str, ...]
    """Scenarios or models. All campaigns of one make one estimate; an instance in several of them counts once."""
    left_out: tuple[str, ...]
    """Those with fewer than two pairs."""
    effect: RandomEffects | str
    """On outsider_loss, in fair shares; a str is why there is none."""


@dataclass(frozen=True)
class Contrasted:
    """One arm in two campaigns, on equal instances: the first less the second."""

    first: ComparedArm
    second: ComparedArm
    difference: Paired
    p: Figure
    adjusted_p: Figure
    """After Holm, over all contrasts."""
    distinguishable: bool


@dataclass(frozen=True)
class SideBySide:
    """Several campaigns, the greatest effect first, and those in which no arm can be compared with the control."""

    arms: tuple[ComparedArm, ...]
    contrasts: tuple[Contrasted, ...]
    pooled: tuple[Pooled, ...]
    not_compared: tuple[Path, ...]


Losses = dict[tuple[str, ...], float]  # outsiders' losses by digests of the two arms' scenarios, and sweep point


def compare(campaigns: Sequence[tuple[Path, Findings]]) -> SideBySide:
    """All treated arms of all campaigns, and the contrasts of arms of equal name."""
    found = [each for folder, findings in campaigns for each in _arms(folder, findings)]
    found.sort(key=lambda each: -(each[0].effect.mean.value or 0.0))
    raw = [
        (one, other, weigh(SIGNAL, [rise(theirs[key], mine[key]) for key in mine if key in theirs],
                           () if mine.keys() & theirs.keys() else APART, margin=MARGINS[SIGNAL]))
        for (one, mine), (other, theirs) in combinations(found, 2)
        if (one.scenario, one.arm, one.point) == (other.scenario, other.arm, other.point)
    ]
    adjusted = holm([weighed.p.value for _, _, weighed in raw])
    contrasts = tuple(
        Contrasted(one, other, each.paired, each.p, each.p if p is None else Figure(p), p is not None and p <= RATE)
        for (one, other, each), p in zip(raw, adjusted, strict=True)
    )
    pooled = (*_pooled(found, "scenario"), *_pooled(found, "model"))
    left = tuple(folder for folder, _ in campaigns if folder not in {arm.folder for arm, _ in found})
    return SideBySide(tuple(arm for arm, _ in found), contrasts, pooled, left)


def _pooled(found: Sequence[tuple[ComparedArm, Losses]], over: Over) -> Iterator[Pooled]:
    """Every arm that stands in several scenarios, or under several models."""
    groups: dict[tuple[str, str, str], dict[str, dict[tuple[str, ...], list[float]]]] = {}
    for arm, losses in found:
        within, unit = (arm.model, arm.scenario) if over == "scenario" else (arm.scenario, arm.model)
        instances = groups.setdefault((within, arm.arm, arm.point), {}).setdefault(unit, {})
        for place, loss in losses.items():
            instances.setdefault(place, []).append(loss)
    for key, units in groups.items():
        each = {unit: paired([fmean(losses) for losses in of.values()]) for unit, of in sorted(units.items())}
        known = {unit: (p.mean.value, p.sd.value**2 / p.n) for unit, p in each.items()
                 if p.mean.value is not None and p.sd.value is not None}  # fmt: skip
        if len(each) > 1:
            effect = random_effects([mean for mean, _ in known.values()], [v for _, v in known.values()])
            yield Pooled(over, *key, tuple(known), tuple(unit for unit in each if unit not in known), effect)


def random_effects(estimates: Sequence[float], variances: Sequence[float]) -> RandomEffects | str:
    """μ with limits `μ ± t(k − 1) · s` and, of another unit, `μ ± t(k − 1) · √(s² + τ²)`; a str is why there are none.

    τ² is by restricted maximum likelihood, limits of the mean by Hartung & Knapp (2001) and Sidik & Jonkman (2002), the
    prediction interval by t with as many degrees of freedom (Partlett & Riley 2017): what R's metafor 3.8 says with
    `method="REML", test="knha"`. `w = 1 / (v + τ²)`, `μ = Σ w·y / Σ w`, `s² = Σ w·(y − μ)² / ((k − 1) · Σ w)`.
    """
    from scipy.optimize import brentq

    y, v, k = np.array(estimates), np.array(variances), len(estimates)
    if k < LEAST_UNITS:
        return f"{k} units where {LEAST_UNITS} are needed: nothing general follows"
    if not v.min() > 0:
        return "of one unit all pairs are alike, so that its variance is not known"

    def slope(between: float) -> float:
        """`Σ w²·(y − μ)² − (Σ w − Σ w² / Σ w)`, twice the derivative of the restricted log-likelihood by τ²."""
        w = 1 / (v + between)
        return float((w**2 * (y - np.average(y, weights=w)) ** 2).sum() - w.sum() + (w**2).sum() / w.sum())

    between, most = 0.0, float(v.max())
    if slope(0.0) > 0:
        while slope(most) > 0:
            most *= 2
        between = float(brentq(slope, 0.0, most, xtol=1e-300, rtol=1e-15))
    w = 1 / (v + between)
    mean = float(np.average(y, weights=w))
    error = float((w * (y - mean) ** 2).sum() / ((k - 1) * w.sum()))
    half, wide = (quantile((1 + LEVEL) / 2, k - 1) * math.sqrt(each) for each in (error, error + between))
    return RandomEffects(mean, mean - half, mean + half, math.sqrt(between), mean - wide, mean + wide, k)


def _arms(folder: Path, findings: Findings) -> Iterator[tuple[ComparedArm, Losses]]:
    plan, arms = findings.plan, findings.summary.arms
    digests = {(each.point, each.seed, each.arm): each.scenario for each in plan.trials}
    runs = grouped(findings.records, arms)
    rows = {(row.point, row.model, row.arm): row.differences for row in findings.summary.rows}
    for each in findings.verdicts.treated:
        place, told = (each.point, each.model, each.arm), rows[each.point, each.model, each.arm]
        pairs = pairs_of(runs[each.point, each.model], arms[0], each.arm)
        effects = told[SIGNAL], told["capture"]
        found = ComparedArm(folder, plan.scenario, plan.experiment, *place, each.reading, *effects)
        losses = known(changes(SIGNAL, pairs))
        of = {seed: [digests[each.point, seed, arm] for arm in (arms[0], each.arm)] for seed in losses}
        yield found, {(*of[seed], each.point): loss for seed, loss in losses.items()}
