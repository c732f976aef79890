"""Effects by arm and sweep point. In: a summary and its verdicts; out: a forest plot, a heat map, a plane."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import urlencode

from colosseum.evidence.calls import Call, Reading
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.registry import label
from colosseum.evidence.signals import ENOUGH_POINTS, JUDGE
from colosseum.evidence.summary import Comparison, PointSummary, Summary, by_seed, grouped
from colosseum.evidence.verdict import ArmVerdict, Verdicts
from colosseum.evidence.weighing import Weighed
from colosseum.model.sweeps import factors
from colosseum.report.cells import PLACES, change, described, level, limits
from colosseum.report.document import Amount, IntervalChart, IntervalRow, Limits, Plot, Spot, Table, TableCell, Tone
from colosseum.report.words import WORDS, quoted, reasons, signed, slug

TONES: Final[Mapping[Call, Tone]] = {Call.EFFECT: "bad", Call.NO_EFFECT: "clear", Call.NOT_SETTLED: "open"}
CLEAR: Final = (Reading.NONE, Reading.NOTHING_TO_TAKE)
OPEN: Final = (Reading.INCONCLUSIVE, Reading.CHANNEL_EFFECT)
MANY: Final = 12
"""A study with more arms and sweep points has a heat map instead of a forest plot, and its points in a plane have the
colour of their arm."""
MOST_DOTS: Final = 300
"""A chart has no more dots; one dot with its link takes 200 bytes of a page."""
CA: Final = "coalition_advantage"


@dataclass(frozen=True)
class Effect:
    """One arm at one sweep point, against the control."""

    arm: str
    point: str
    model: str
    factors: dict[str, str]
    """Of the point; the model is one where there are several."""
    comparison: Comparison
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
        """The mean and the 95 % limits of a signal of the verdict, in u, or of the judge's score."""
        part = self.part(measure)
        return (part.estimate.value, limits(part.paired)) if part else (None, None)

    def why_none(self, figure: str) -> str:
        """Why a figure or a signal has no change."""
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
    level: str = "95"
    """Of intervals, in percent."""

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
            settled.get((point.point, point.model, each.arm)),
        )
        for point in summary.points for each in point.comparisons
    )  # fmt: skip
    return Effects(found, dict(verdicts.rule.margins or {}), summary.control, level(verdicts.rule.rate))


def tone_of(reading: Reading | None) -> Tone:
    """How a reading is coloured."""
    if reading is None:
        return "plain"
    return "clear" if reading in CLEAR else "open" if reading in OPEN else "bad"


# ---- a signal in every arm -----------------------------------------------------------------------------------------


def differences_chart(effects: Effects, signal: str, *, records: Sequence[RunRecord] = ()) -> IntervalChart | str:
    """One row for each arm and sweep point, in u. Raises KeyError if the verdict does not use this signal.

    With the runs of the study in `records`, a dot names its seed and leads to the treated run.
    """
    margin, name = effects.margins[signal], label(signal)
    if not any(part.differences for effect in effects.all if (part := effect.part(signal))):
        return effects.why_none(signal)
    runs = grouped(records, (effects.control, *effects.arms))
    return IntervalChart(
        slug(f"differences-{signal}"),
        f"Change of {name} against {quoted(effects.control)}",
        f"A dot is a seed, a bar the {effects.level} % interval of the mean; a row without one has too few pairs that "
        f"differ, and exact tests decide there. An effect below the margin, {margin:g} u, is too small to matter.",
        axis=f"{name}, treated − control, in u",
        rows=tuple(_row(effects, effect, signal, runs.get((effect.point, effect.model), ())) for effect in effects.all),
        margin=margin,
        level=effects.level,
    )


def _row(effects: Effects, effect: Effect, signal: str, runs: Sequence[RunRecord]) -> IntervalRow:
    """An arm at a sweep point; if there is only one arm, the row has the name of the point."""
    part, place = effect.part(signal), effects.place(effect)
    name, group = (place, "") if place and len(effects.arms) == 1 else (effect.arm, place)
    if part is None or part.paired.mean.value is None or effect.verdict is None:
        return IntervalRow(name, Amount(None, note=effect.why_none(signal)), group, "no pair")
    call = effect.verdict.action.call
    dots = sorted(_dots(effects, effect, part.differences, runs), key=lambda dot: dot.x)
    thinned = tuple(_thinned(dots, max(2, MOST_DOTS // len(effects.all))))
    return IntervalRow(name, change(part.paired), group, call, TONES[call], thinned)


def _thinned(dots: Sequence[Spot], most: int) -> Sequence[Spot]:
    """At most this many, evenly by rank, with both ends."""
    if len(dots) <= most:
        return dots
    return [dots[round(place * (len(dots) - 1) / (most - 1))] for place in range(most)]


def _dots(effects: Effects, effect: Effect, differences: Sequence[float], runs: Sequence[RunRecord]) -> Iterator[Spot]:
    """With seeds and runs where every pair has a difference; else it is not known which has none."""
    treated = [run for run in runs if run.arm == effect.arm]
    pairs, _ = by_seed([run for run in runs if run.arm == effects.control], treated)
    trials = {run.seed: run.trial for run in reversed(treated)}
    seeds = list(pairs) if len(pairs) == len(differences) else [None] * len(differences)
    for seed, value in zip(seeds, differences, strict=True):
        words = f"{signed(value, PLACES, sign='+')} u"
        yield Spot(value, title=words) if seed is None else Spot(value, title=f"seed {seed}: {words}", run=trials[seed])


def wants_heat(effects: Effects) -> bool:
    """Whether a study has too many arms and sweep points for a forest plot."""
    return bool(effects.swept) and len(effects.all) > MANY


def heat_map(effects: Effects, signal: str) -> Table | str:
    """One signal along a factor: a row for each arm, or for each value of the other factors below their arm.

    Raises KeyError if the verdict does not use this signal.
    """
    margin, across = effects.margins[signal], effects.inner
    if all(effect.estimate(signal)[0] is None for effect in effects.all):
        return effects.why_none(signal)
    rows: dict[tuple[str, str], dict[str, TableCell]] = {}
    for effect in sorted(effects.all, key=lambda effect: effects.arms.index(effect.arm)):
        rows.setdefault(effects.line(effect), {})[effect.factors.get(across, "")] = _cell(effect, signal)
    values, places = effects.swept[across], ", ".join(effects.outer) or "arm"
    return described(
        "heat", ((*line, *map(cells.get, values)) for line, cells in rows.items()),
        [f"{across}={value}" for value in values], at=f"-{slug(signal)}", figure=label(signal),
        control=quoted(effects.control), across=across, places=places, margin=margin,
    )  # fmt: skip


def _cell(effect: Effect, signal: str) -> Amount:
    """The mean, the tone of the reading, and the link to the arm's conversations at this point."""
    mean = effect.estimate(signal)[0]
    if mean is None or effect.verdict is None:
        return Amount(None, note=effect.why_none(signal))
    return Amount(mean, 2, signed=True, tone=tone_of(effect.verdict.reading), link=effect.link)


# ---- plots ---------------------------------------------------------------------------------------------------------


def plane_chart(effects: Effects, *, published: bool = False) -> Plot | str:
    """The action signal across and the judge's change up, with their 95 % intervals.

    The plane of the `published` rule has the change of CA across, and no intervals.
    """
    signal = CA if published else next(iter(effects.margins), "")
    margin, unit = (0.0, "") if published else (effects.margins[signal], " u")
    series: dict[str, tuple[Spot, ...]] = {}
    for effect in effects.all:
        name = effects.name(effect) if len(effects.all) <= MANY else effect.arm
        x, across = effect.estimate(signal)
        y, up = effect.estimate(JUDGE)
        if published:
            x, across, up = effect.comparison.differences[CA].paired.mean.value, None, None
        if x is not None and y is not None:
            words = f"{effects.name(effect)}: actions {signed(x, 3, sign='+')}{unit}, messages {signed(y, 2, sign='+')}"
            series[name] = (*series.get(name, ()), Spot(x, y, across, up, title=words))
    if not series:
        return effects.why_none(JUDGE)
    known = sum(map(len, series.values()))
    some = known < len(effects.all)
    return Plot(
        "plane-published" if published else "plane",
        f"{'The published plane' if published else 'Actions against messages'}: {label(signal)}, and the judge's score",
        (WORDS["notes"]["published" if published else "plane"].format(level=effects.level))
        + (f" {known} of {len(effects.all)} have both." if some else ""),
        across=f"actions: {label(signal)}, treated − control{unit and ', in u'}",
        up="messages: change of the judge's score, points",
        spots=series,
        guides=(
            ("across", 0.0, ""), ("across", margin, f"margin {margin:g}" if margin else ""),
            ("up", 0.0, ""), ("up", ENOUGH_POINTS, f"{ENOUGH_POINTS:g} point"),
        ),
        series=(effects.control, *effects.arms),
    )  # fmt: skip
