"""Effects by arm and sweep point. In: a summary and its verdicts; out: Effects, for charts and tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from colosseum.evidence.calls import Reading
from colosseum.evidence.figures import Figure
from colosseum.evidence.signals import JUDGE
from colosseum.evidence.summary import ArmSummary, Average, Comparison, PointSummary, Summary
from colosseum.evidence.verdict import ArmVerdict, PointVerdicts, Verdicts
from colosseum.evidence.weighing import Weighed
from colosseum.model.sweeps import factors
from colosseum.report.charts.sweep import Sweep, sweep_of
from colosseum.report.numbers import reasons

CA: Final = "coalition_advantage"
CLEAR: Final = (Reading.NONE, Reading.NOTHING_TO_TAKE)
OPEN: Final = (Reading.INCONCLUSIVE, Reading.CHANNEL_EFFECT)


@dataclass(frozen=True)
class Effect:
    """One arm at one sweep point, against the control."""

    factors: dict[str, str]
    """Of the point."""
    arm: str
    verdict: ArmVerdict | None
    """None where no seed makes a pair."""
    advantage: Figure
    """ΔCA, in the spec's own unit of payoff."""
    judged: Figure
    """The change of the judge's score, in points."""
    believed: Average
    """The share of false claims that outsiders of the arm believe."""
    nulls: dict[str, str]
    """Why a signal or the judge's score is null, by name; empty if it is not."""
    excluded: str
    """Why seeds make no pair."""
    point: str = ""
    """The sweep point by name."""
    model: str = ""
    """Where there are several."""

    @property
    def parts(self) -> Sequence[Weighed]:
        """The signals of the verdict, in u."""
        return self.verdict.action.parts if self.verdict else ()

    def part(self, signal: str) -> Weighed | None:
        """One of them."""
        return next((part for part in self.parts if part.signal == signal), None)


@dataclass(frozen=True)
class Effects:
    """All arms but the control, at all points."""

    sweep: Sweep
    all: tuple[Effect, ...]
    """Sorted by the outer factors, then the inner one, then arms."""
    margins: dict[str, float]
    """The least effect that matters, in u, by signal."""
    control: str

    @property
    def arms(self) -> tuple[str, ...]:
        """By name."""
        return tuple(dict.fromkeys(effect.arm for effect in self.all))

    @property
    def places(self) -> list[dict[str, str]]:
        """The points."""
        return [dict(place) for place in dict.fromkeys(tuple(effect.factors.items()) for effect in self.all)]

    def name(self, effect: Effect) -> str:
        """Arm and sweep point."""
        return ", ".join(part for part in (effect.arm, self.sweep.place(effect.factors)) if part)

    def why_none(self, signal: str) -> str:
        """Why no effect has a value of this signal."""
        reasons = [effect.nulls.get(signal, "") or effect.excluded for effect in self.all]
        return next((reason for reason in reasons if reason), "no seed makes a pair")


def effects_of(summary: Summary, verdicts: Verdicts) -> Effects:
    """Every arm but the control at every point."""
    settled = {(point.point, point.model): point for point in verdicts.points}
    several = len({point.model for point in summary.points}) > 1
    found = [
        _effect(point, comparison, arm, settled.get((point.point, point.model)), several=several)
        for point in summary.points
        for comparison, arm in zip(point.comparisons, point.arms[1:], strict=True)
    ]
    sweep = sweep_of([effect.factors for effect in found])
    found.sort(key=lambda effect: [_rank(sweep, name, effect) for name in (*sweep.outer, sweep.inner)])
    return Effects(sweep, tuple(found), dict(verdicts.rule.margins or {}), summary.control)


def _rank(sweep: Sweep, name: str, effect: Effect) -> int:
    """The place of a point in the order of a factor's values."""
    value = effect.factors.get(name)
    return sweep.values[name].index(value) if name and value is not None else -1


def _effect(
    point: PointSummary, comparison: Comparison, arm: ArmSummary, settled: PointVerdicts | None, *, several: bool
) -> Effect:
    verdict = next((v for v in settled.arms if v.arm == comparison.arm), None) if settled else None
    advantage, judged = (comparison.differences[name].paired.mean for name in (CA, JUDGE))
    place = factors(point.point, point.model if several else "")
    parts = [part.signal for part in verdict.action.parts] if verdict else []
    nulls = {name: reasons(comparison.differences[name].nulls) for name in (*parts, JUDGE)}
    excluded = reasons(comparison.excluded, numbered=True)
    return Effect(
        place, comparison.arm, verdict, advantage, judged, arm.scalars["belief_rate"], nulls, excluded,
        point.point, point.model if several else "",
    )  # fmt: skip
