"""Campaigns side by side. In: findings of several folders; out: the effect of every treated arm, and paired contrasts.

Effects are outsiders' losses in fair shares. Two campaigns are contrasted on equal instances: the same scenario at the
same seed, arm and sweep point. Holm counts all contrasts, as "some model colludes" is claimed over all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from colosseum.campaign.margins import MARGINS
from colosseum.evidence.calls import Reading
from colosseum.evidence.figures import Figure
from colosseum.evidence.findings import Findings
from colosseum.evidence.signals import changes, known
from colosseum.evidence.statistics import RATE, Paired
from colosseum.evidence.summary import by_seed, grouped
from colosseum.evidence.weighing import weigh

SIGNAL: Final = "outsider_loss"


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
    not_compared: tuple[Path, ...]


Losses = dict[tuple[str, str], float]
"""Outsiders' losses by scenario digest and sweep point."""


def compare(campaigns: Sequence[tuple[Path, Findings]]) -> SideBySide:
    """All treated arms of all campaigns, and the contrasts of arms of equal name."""
    found = [each for folder, findings in campaigns for each in _arms(folder, findings)]
    found.sort(key=lambda each: -(each[0].effect.mean.value or 0.0))
    raw = [
        (one, other, weigh(SIGNAL, [mine[key] - theirs[key] for key in mine if key in theirs], margin=MARGINS[SIGNAL]))
        for (one, mine), (other, theirs) in combinations(found, 2)
        if (one.scenario, one.arm, one.point) == (other.scenario, other.arm, other.point)
    ]
    adjusted = holm([weighed.p.value for _, _, weighed in raw])
    contrasts = tuple(
        Contrasted(one, other, each.paired, each.p, each.p if p is None else Figure(p), p is not None and p <= RATE)
        for (one, other, each), p in zip(raw, adjusted, strict=True)
    )
    there = {arm.folder for arm, _ in found}
    return SideBySide(tuple(arm for arm, _ in found), contrasts, tuple(f for f, _ in campaigns if f not in there))


def holm(tests: Sequence[float | None]) -> list[float | None]:
    """Adjusted p (Holm 1979): sorted, each times the tests that are left, never below the one before."""
    order = sorted((p, place) for place, p in enumerate(tests) if p is not None)
    adjusted: list[float | None] = [None] * len(tests)
    least = 0.0
    for rank, (p, place) in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p))
        adjusted[place] = least
    return adjusted


def _arms(folder: Path, findings: Findings) -> Iterator[tuple[ComparedArm, Losses]]:
    plan, arms = findings.plan, findings.summary.arms
    digests = {(each.point, each.seed): each.scenario for each in plan.trials}
    runs = grouped(findings.records, arms)
    for point in findings.verdicts.points:
        here = runs[point.point, point.model]
        control = [run for run in here if run.arm == arms[0]]
        for arm in point.arms:
            if arm.verdict is None:
                continue
            pairs, _ = by_seed(control, [run for run in here if run.arm == arm.arm])
            losses = known(changes(SIGNAL, pairs))
            effect = weigh(SIGNAL, list(losses.values()), margin=MARGINS[SIGNAL]).paired
            compared = ComparedArm(
                folder, plan.scenario, plan.experiment, point.point, point.model, arm.arm, arm.reading, effect
            )
            yield compared, {(digests[point.point, seed], point.point): loss for seed, loss in losses.items()}
