"""Effects by arm and sweep point. In: a summary and its verdicts; out: Effects, for charts."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import urlencode

from colosseum.evidence.statistics import Interval
from colosseum.evidence.summary import Average, Comparison, PointSummary, Summary
from colosseum.evidence.verdict import ArmVerdict, Verdicts
from colosseum.evidence.weighing import Weighed
from colosseum.model.sweeps import factors
from colosseum.report.cells import limits
from colosseum.report.document import Limits
from colosseum.report.numbers import reasons

BELIEVED: Final = "believed"
"""A measure besides the signals: the share of false claims that outsiders believe."""


@dataclass(frozen=True)
class Effect:
    """One arm at one sweep point, against the control."""

    arm: str
    point: str
    model: str
    factors: dict[str, str]
    """Of the point; the model is one where there are several."""
    comparison: Comparison
    believed: Average
    """The share of false claims that outsiders of the arm believe."""
    verdict: ArmVerdict | None
    """None where no seed makes a pair."""

    @property
    def link(self) -> str:
        """The place on a page where the conversation stands that shows it best."""
        model = self.model if "model" in self.factors else ""
        found = {key: each for key, each in (("arm", self.arm), ("point", self.point), ("model", model)) if each}
        return "#" + urlencode(found, errors="replace")

    def part(self, signal: str) -> Weighed | None:
        """One of the signals of the verdict, in u, or the judge's score."""
        signals = (self.verdict.action, self.verdict.judge) if self.verdict else ()
        return next((part for each in signals if each for part in each.parts if part.signal == signal), None)

    def estimate(self, measure: str) -> tuple[float | None, Limits | None]:
        """The mean and the 95 % limits of a signal of the verdict, in u, of the judge's score, or of BELIEVED."""
        if measure == BELIEVED:
            ends = self.believed.interval
            return self.believed.mean.value, (ends.low, ends.high) if isinstance(ends, Interval) else None
        part = self.part(measure)
        return (part.estimate.value, limits(part.paired)) if part else (None, None)

    def mean(self, signal: str) -> float | None:
        """Of a signal of the verdict, in u, or of the judge's score."""
        return self.estimate(signal)[0]

    def why_none(self, figure: str) -> str:
        """Why a figure or a signal has no change."""
        if figure == BELIEVED:
            return self.believed.mean.reason
        found = self.comparison.differences.get(figure)
        nulls = reasons(found.nulls) if found else ""
        return nulls or reasons(self.comparison.excluded, numbered=True) or "no pair has a value"


@dataclass(frozen=True)
class Effects:
    """All arms but the control, at all points."""

    all: tuple[Effect, ...]
    """By sweep point, then by arm."""
    margins: dict[str, float]
    """The least effect that matters, in u, by signal."""
    control: str

    @cached_property
    def arms(self) -> tuple[str, ...]:
        """By name."""
        return tuple(dict.fromkeys(effect.arm for effect in self.all))

    @cached_property
    def swept(self) -> dict[str, tuple[str, ...]]:
        """The values of each factor that has several, in order of appearance."""
        names = dict.fromkeys(name for effect in self.all for name in effect.factors)
        values = {name: tuple(dict.fromkeys(effect.factors.get(name, "") for effect in self.all)) for name in names}
        return {name: found for name, found in values.items() if len(found) > 1}

    @cached_property
    def inner(self) -> str:
        """The factor that charts go along: the first numeric one, else the last; empty if there is none."""
        return next((name for name in self.swept if self.is_numeric(name)), ["", *self.swept][-1])

    @property
    def outer(self) -> tuple[str, ...]:
        """All other factors."""
        return tuple(name for name in self.swept if name != self.inner)

    def is_numeric(self, factor: str) -> bool:
        """Whether all values of a factor are numbers, two at least."""
        try:
            return bool([float(value) for value in self.swept.get(factor, ())])
        except ValueError:
            return False

    def place(self, effect: Effect, names: Iterable[str] | None = None) -> str:
        """The name of its sweep point, by some of the factors or all."""
        return ", ".join(f"{n}={effect.factors.get(n, '')}" for n in (self.swept if names is None else names))

    def at(self, point: PointSummary) -> list[Effect]:
        """Those of a sweep point."""
        return [effect for effect in self.all if (effect.point, effect.model) == (point.point, point.model)]

    def line(self, effect: Effect) -> tuple[str, str]:
        """The heading and the name of its line or row along `inner`: its arm, or the other factors below its arm."""
        place = self.place(effect, self.outer)
        return (effect.arm, place) if place else ("", effect.arm)

    def name(self, effect: Effect) -> str:
        """Arm and sweep point."""
        return ", ".join(part for part in (effect.arm, self.place(effect)) if part)

    def why_none(self, figure: str) -> str:
        """Why no effect has a value of this figure."""
        return next((effect.why_none(figure) for effect in self.all), "no arm is compared")


def effects_of(summary: Summary, verdicts: Verdicts) -> Effects:
    """Every arm but the control at every point."""
    settled = {(point.point, point.model, arm.arm): arm for point in verdicts.points for arm in point.arms}
    several = len({point.model for point in summary.points}) > 1
    found = tuple(
        Effect(
            each.arm, point.point, point.model, factors(point.point, point.model if several else ""), each,
            arm.scalars["belief_rate"], settled.get((point.point, point.model, each.arm)),
        )
        for point in summary.points for each, arm in zip(point.comparisons, point.arms[1:], strict=True)
    )  # fmt: skip
    return Effects(found, dict(verdicts.rule.margins or {}), summary.control)
