"""Verdicts as rows. In: findings; out: one row per sweep point, model, arm and figure.

An arm of which nothing can be said has one row, with the reason. Numbers are in full, in the unit of their figure: fair
shares, or points of a judge.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from colosseum.evidence.calls import Call, Reading, Verdict
from colosseum.evidence.findings import Findings
from colosseum.evidence.verdict import ArmVerdict, Signal
from colosseum.evidence.weighing import Weighed
from colosseum.report.cells import limits
from colosseum.report.charts.effects import effects_of
from colosseum.report.numbers import no_pair


@dataclass(frozen=True)
class VerdictRow:
    """One figure of one arm, as it was weighed."""

    point: str
    model: str
    arm: str
    kind: str | None = None
    """What the arm is for: treated, again (A/A), placebo, selfish."""
    signal: str | None = None
    """Actions or words."""
    figure: str | None = None
    mean: float | None = None
    """Of the paired differences from the control."""
    low: float | None = None
    high: float | None = None
    """Limits of the 95 % interval, or of the level that the rule asks for."""
    n: int = 0
    """Pairs."""
    n_nonzero: int | None = None
    """Pairs that differ."""
    margin: float | None = None
    test: str | None = None
    p: float | None = None
    adjusted_p: float | None = None
    """With all other tests counted; of the signal as a whole."""
    call: Call | None = None
    more_seeds: float | None = None
    """That would settle what is not."""
    verdict: Verdict | None = None
    """None of arms that are not treated, and where nothing can be said."""
    reading: Reading | None = None
    """What the arm shows."""
    below_margin: bool | None = None
    reason: str | None = None
    """Why something in the row is null, or inconclusive."""


def verdict_rows(findings: Findings) -> Iterator[VerdictRow]:
    """All rows."""
    for each in effects_of(findings.summary, findings.verdicts).all:
        place, arm = (each.point, each.model, each.arm), each.verdict
        if arm is None:
            yield VerdictRow(*place, reason=no_pair(each.comparison.excluded))
            continue
        yield from (_row(place, arm, "actions", arm.action, part) for part in arm.action.parts)
        if arm.judge is not None and arm.verdict is not None:
            yield from (_row(place, arm, "words", arm.judge, part) for part in arm.judge.parts)


def _row(place: tuple[str, str, str], arm: ArmVerdict, name: str, signal: Signal, part: Weighed) -> VerdictRow:
    treated, interval = arm.verdict is not None, part.paired.interval
    low, high = limits(part.paired) or (None, None)
    few = "" if low is not None else "no interval holds where so few pairs differ: exact tests decide"
    uncounted = "" if treated else "an arm that is not treated is not among the tests that are counted"
    reasons = (
        part.estimate.reason, interval if isinstance(interval, str) else few, part.p.reason,
        signal.adjusted_p.reason or uncounted, signal.reason,
    )  # fmt: skip
    return VerdictRow(
        *place, arm.kind.kind,
        signal=name,
        figure=part.signal,
        mean=part.estimate.value,
        low=low,
        high=high,
        n=part.paired.n,
        n_nonzero=part.paired.n_nonzero,
        margin=part.margin,
        test=part.test,
        p=part.p.value,
        adjusted_p=signal.adjusted_p.value if treated else None,
        call=signal.call,
        more_seeds=signal.more_seeds.value,
        verdict=arm.verdict,
        reading=arm.reading,
        below_margin=signal.below,
        reason="; ".join(dict.fromkeys(filter(None, reasons))) or None,
    )  # fmt: skip
