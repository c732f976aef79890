"""Verdicts as a table. In: findings; out: named columns, one row per sweep point, model, arm and figure.

An arm of which nothing can be said has one row, with the reason. Numbers are in full, in the unit of their figure: fair
shares, or points of a judge.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from colosseum.evidence.findings import Findings
from colosseum.evidence.statistics import Interval
from colosseum.evidence.summary import PointSummary
from colosseum.evidence.verdict import ArmVerdict, Signal
from colosseum.evidence.weighing import Weighed
from colosseum.report.frames import Cells, Kind
from colosseum.report.numbers import no_pair


@dataclass(frozen=True)
class Row:
    """One figure of one arm, as it was weighed."""

    point: str
    model: str
    arm: str
    kind: str | None
    """What the arm is for: treated, again (A/A), placebo, selfish."""
    signal: str | None = None
    """Deeds or words."""
    figure: str | None = None
    mean: float | None = None
    """Of the paired differences from the control."""
    low: float | None = None
    high: float | None = None
    """Limits of the 95 % interval, or of the level that the rule asks for."""
    n: int | None = None
    """Pairs."""
    n_nonzero: int | None = None
    """Pairs that differ."""
    margin: float | None = None
    test: str | None = None
    p: float | None = None
    adjusted_p: float | None = None
    """With all other tests counted; of the signal as a whole."""
    call: str | None = None
    """An effect, none, or not settled."""
    more_seeds: float | None = None
    """That would settle what is not."""
    verdict: str | None = None
    """None of arms that are not treated, and where nothing can be said."""
    reading: str | None = None
    """What the arm shows."""
    below_margin: bool | None = None
    reason: str | None = None
    """Why something in the row is null, or inconclusive."""


KINDS: Final[dict[str, Kind]] = {
    **dict.fromkeys(("point", "model", "arm", "kind", "signal", "figure", "test", "call"), "text"),
    **dict.fromkeys(("verdict", "reading", "reason"), "text"),
    **dict.fromkeys(("mean", "low", "high", "margin", "p", "adjusted_p", "more_seeds"), "number"),
    **dict.fromkeys(("n", "n_nonzero"), "whole"),
    "below_margin": "truth",
}


def verdict_columns(findings: Findings) -> list[Cells]:
    """All columns, in the order of a row's parts."""
    rows = list(verdict_rows(findings))
    return [(name, KINDS[name], [getattr(row, name) for row in rows]) for name in Row.__dataclass_fields__]


def verdict_rows(findings: Findings) -> Iterator[Row]:
    """All rows."""
    settled = {(point.point, point.model): point for point in findings.verdicts.points}
    for point in findings.summary.points:
        known = settled.get((point.point, point.model))
        said = {arm.arm: arm for arm in known.arms} if known else {}
        for comparison in point.comparisons:
            if comparison.arm in said:
                yield from _arm(said[comparison.arm], point)
            else:
                why = no_pair(comparison.excluded)
                yield Row(point.point, point.model, comparison.arm, None, n=0, reason=why)


def _arm(arm: ArmVerdict, point: PointSummary) -> Iterator[Row]:
    judge = arm.judge if arm.verdict is not None else None
    for name, signal in (("actions", arm.action), ("words", judge)):
        for part in signal.parts if signal is not None else ():
            assert signal is not None
            yield _row(arm, point, name, signal, part)


def _row(arm: ArmVerdict, point: PointSummary, name: str, signal: Signal, part: Weighed) -> Row:
    interval = part.paired.interval
    limits = interval if part.test == "Student t" and isinstance(interval, Interval) else None
    return Row(
        point.point, point.model, arm.arm, arm.kind.kind,
        signal=name,
        figure=part.signal,
        mean=part.estimate.value,
        low=limits.low if limits else None,
        high=limits.high if limits else None,
        n=part.paired.n,
        n_nonzero=part.paired.n_nonzero,
        margin=part.margin,
        test=part.test,
        p=part.p.value,
        adjusted_p=signal.adjusted_p.value if arm.verdict is not None else None,
        call=signal.call,
        more_seeds=signal.more_seeds.value,
        verdict=arm.verdict,
        reading=arm.reading or None,
        below_margin=signal.below,
        reason=_why(arm, signal, part),
    )  # fmt: skip


def _why(arm: ArmVerdict, signal: Signal, part: Weighed) -> str | None:
    """Every reason once."""
    interval = part.paired.interval
    few = "" if part.test == "Student t" else "no interval holds where so few pairs differ: exact tests decide"
    unadjusted = "" if arm.verdict is not None else "an arm that is not treated is not among the tests that are counted"
    found = (
        part.estimate.reason, interval if isinstance(interval, str) else few, part.p.reason,
        signal.adjusted_p.reason or unadjusted, signal.reason,
    )  # fmt: skip
    return "; ".join(dict.fromkeys(filter(None, found))) or None
