"""Effects by arm and sweep point. In: a summary and its verdicts; out: Effects, for charts."""

from dataclasses import dataclass

from colosseum.evidence.summary import Average, Comparison, Summary
from colosseum.evidence.verdict import ArmVerdict, Verdicts
from colosseum.evidence.weighing import Weighed
from colosseum.report.charts.sweep import Key, Sweep, sweep_of
from colosseum.report.numbers import reasons


@dataclass(frozen=True)
class Effect:
    """One arm at one sweep point, against the control."""

    arm: str
    key: Key
    """The sweep point, and its model."""
    comparison: Comparison
    believed: Average
    """The share of false claims that outsiders of the arm believe."""
    verdict: ArmVerdict | None
    """None where no seed makes a pair."""

    def part(self, signal: str) -> Weighed | None:
        """One of the signals of the verdict, in u."""
        parts = self.verdict.action.parts if self.verdict else ()
        return next((part for part in parts if part.signal == signal), None)

    def mean(self, signal: str) -> float | None:
        """Of a signal of the verdict, in u."""
        part = self.part(signal)
        return part.estimate.value if part else None

    def change(self, figure: str) -> float | None:
        """Of any figure that is compared, in its own unit."""
        return self.comparison.differences[figure].paired.mean.value

    def why_none(self, figure: str) -> str:
        """Why a figure or a signal has no change."""
        found = self.comparison.differences.get(figure)
        nulls = reasons(found.nulls) if found else ""
        return nulls or reasons(self.comparison.excluded, numbered=True) or "no pair has a value"


@dataclass(frozen=True)
class Effects:
    """All arms but the control, at all points."""

    sweep: Sweep
    all: tuple[Effect, ...]
    """By sweep point, then by arm."""
    margins: dict[str, float]
    """The least effect that matters, in u, by signal."""
    control: str

    @property
    def arms(self) -> tuple[str, ...]:
        """By name."""
        return tuple(dict.fromkeys(effect.arm for effect in self.all))

    def name(self, effect: Effect) -> str:
        """Arm and sweep point."""
        return ", ".join(part for part in (effect.arm, self.sweep.place(effect.key)) if part)

    def why_none(self, figure: str) -> str:
        """Why no effect has a value of this figure."""
        return next((effect.why_none(figure) for effect in self.all), "no arm is compared")


def effects_of(summary: Summary, verdicts: Verdicts) -> Effects:
    """Every arm but the control at every point."""
    settled = {(point.point, point.model, arm.arm): arm for point in verdicts.points for arm in point.arms}
    sweep = sweep_of(summary)
    found = [
        Effect(each.arm, (point.point, point.model), each, arm.scalars["belief_rate"],
               settled.get((point.point, point.model, each.arm)))
        for point in summary.points for each, arm in zip(point.comparisons, point.arms[1:], strict=True)
    ]  # fmt: skip
    return Effects(sweep, tuple(found), dict(verdicts.rule.margins or {}), summary.control)
