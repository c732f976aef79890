"""Effects by arm and sweep point. In: a summary and its verdicts; out: a forest plot, a heat map, a plane."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final
from urllib.parse import urlencode

from colosseum.evidence.figures import label
from colosseum.evidence.readings import Call, Reading, Weighed
from colosseum.evidence.signals import ENOUGH_POINTS, JUDGE
from colosseum.evidence.summary import ArmSummary, Summary
from colosseum.evidence.verdict import ArmVerdict, Verdicts
from colosseum.model.experiment import factors
from colosseum.report.cells import change, described, level
from colosseum.report.document import Amount, IntervalChart, IntervalRow, Plot, Spot, Table, TableCell, Tone
from colosseum.report.words import WORDS, reasons, shortened, signed, slug

TONES: Final[Mapping[Call, Tone]] = {Call.EFFECT: "bad", Call.NO_EFFECT: "clear", Call.NOT_SETTLED: "open"}
CLEAR: Final = (Reading.NONE, Reading.NOTHING_TO_TAKE)
OPEN: Final = (Reading.INCONCLUSIVE, Reading.CHANNEL_EFFECT)
MANY: Final = 12  # arms and sweep points; of more there is a heat map, and points in a plane have an arm's colour
MOST_DOTS: Final = 300  # a chart has no more dots; one dot takes 200 bytes of a page
CA: Final = "coalition_advantage"


@dataclass(frozen=True)
class Effect:
    """One arm at one sweep point, against the control."""

    arm: str
    point: str
    model: str
    factors: dict[str, str]
    """Of the point; the model is one where there are several."""
    summary: ArmSummary
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

    def change(self, signal: str) -> Amount:
        """Its mean with its limits, or why there is none."""
        if part := self.part(signal):
            return change(part.paired)
        found = self.summary.differences.get(signal)
        nulls = reasons(found.nulls) if found else ""
        excluded = reasons(self.summary.excluded, numbered=True)
        return Amount(None, note=nulls or excluded or "no pair has a value")

    def place(self, names: Iterable[str]) -> str:
        """Its sweep point by some factors."""
        return ", ".join(f"{name}={self.factors.get(name, '')}" for name in names)


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


def effects_of(summary: Summary, verdicts: Verdicts) -> Effects:
    """Every arm but the control at every point."""
    settled = {(arm.point, arm.model, arm.arm): arm for arm in verdicts.arms}
    several = len({row.model for row in summary.rows}) > 1
    found = tuple(
        Effect(
            row.arm, row.point, row.model, factors(row.point, row.model if several else ""), row,
            settled.get((row.point, row.model, row.arm)),
        )
        for row in summary.rows if row.arm != summary.control
    )  # fmt: skip
    return Effects(found, dict(verdicts.rule.margins), summary.control, level(verdicts.rule.rate))


def tone_of(reading: Reading | None) -> Tone:
    """How a reading is coloured."""
    return "plain" if reading is None else "clear" if reading in CLEAR else "open" if reading in OPEN else "bad"


def differences_chart(effects: Effects, signal: str) -> IntervalChart | None:
    """One row for each arm and sweep point, in u; None without a pair. Raises KeyError if no verdict uses it."""
    margin, name = effects.margins[signal], label(signal)
    others = "".join(f"; an effect if {label(each)} rises, too" for each in effects.margins if each != signal)
    if not any(part.differences for effect in effects.all if (part := effect.part(signal))):
        return None
    return IntervalChart(
        slug(f"differences-{signal}"),
        f"Change of {name} against `{shortened(effects.control)}`{others}",
        WORDS["notes"]["forest"].format(level=effects.level, margin=margin),
        axis=f"{name}, treated − control, in u",
        rows=tuple(_row(effects, effect, signal) for effect in effects.all),
        margin=margin,
        level=effects.level,
    )


def _row(effects: Effects, effect: Effect, signal: str) -> IntervalRow:
    """An arm at a sweep point; if there is only one arm, the row has the name of the point."""
    part, place = effect.part(signal), effect.place(effects.swept)
    name, group = (place, "") if place and len(effects.arms) == 1 else (effect.arm, place)
    if part is None or effect.verdict is None:
        return IntervalRow(name, effect.change(signal), group, "no pair")
    action = effect.verdict.action
    own = action.calls[list(effects.margins).index(signal)]
    words = action.call if own == action.call else f"{action.call}, by {label(action.deciding.signal)}"
    dots = sorted(part.differences)
    step = 1 + len(dots) * len(effects.all) // MOST_DOTS
    return IntervalRow(name, effect.change(signal), group, words, TONES[action.call], tuple(dots[::step]))


def heat_map(effects: Effects, signal: str) -> Table | None:
    """One signal along the factor with most values; None without a value. Raises KeyError if no verdict uses it."""
    if all(effect.change(signal).value is None for effect in effects.all):
        return None
    across = max(effects.swept, key=lambda name: len(effects.swept[name]))
    others = [name for name in effects.swept if name != across]
    rows: dict[tuple[str, str], dict[str, TableCell]] = {}
    for effect in sorted(effects.all, key=lambda effect: effects.arms.index(effect.arm)):
        row = (effect.arm, effect.place(others)) if others else ("", effect.arm)
        tone = tone_of(effect.verdict.reading if effect.verdict else None)
        cell = replace(effect.change(signal), places=2, tone=tone, link=effect.link, limits=None, words="")
        rows.setdefault(row, {})[effect.factors.get(across, "")] = cell
    values = effects.swept[across]
    return described(
        "heat", ((*row, *map(cells.get, values)) for row, cells in rows.items()),
        [f"{across}={value}" for value in values], at=f"-{slug(signal)}", figure=label(signal),
        control=f"`{shortened(effects.control)}`", across=across, places=", ".join(others) or "arm",
        margin=effects.margins[signal],
    )  # fmt: skip


def plane_chart(effects: Effects, *, published: bool = False) -> Plot | str:
    """The action signal across and the judge's change up, with limits; of the `published` rule CA, without any."""
    signal = CA if published else next(iter(effects.margins), "")
    margin, unit, name = (0.0, "", "plane-published") if published else (effects.margins[signal], ", in u", "plane")
    series: dict[str, tuple[Spot, ...]] = {}
    for effect in effects.all:
        x, y = effect.change(signal), effect.change(JUDGE)
        if published:
            x, y = Amount(effect.summary.differences[CA].mean.value), replace(y, limits=None)
        if x.value is not None and y.value is not None:
            whole = ", ".join(filter(None, (effect.arm, effect.place(effects.swept))))
            words = f"{whole}: actions {signed(x.value, 3, sign='+')}, messages {signed(y.value, 2, sign='+')}"
            line = whole if len(effects.all) <= MANY else effect.arm
            series[line] = (*series.get(line, ()), Spot(x.value, y.value, x.limits, y.limits, title=words))
    if not series:
        return next((effect.change(JUDGE).note for effect in effects.all), "no arm is compared")
    known = sum(map(len, series.values()))
    some = f" {known} of {len(effects.all)} have both." if known < len(effects.all) else ""
    return Plot(
        name,
        f"{'The published plane' if published else 'Actions against messages'}: {label(signal)}, and the judge's score",
        WORDS["notes"][name].format(level=effects.level) + some,
        across=f"actions: {label(signal)}, treated − control{unit}",
        up="messages: change of the judge's score, points",
        spots=series,
        margins=(margin, ENOUGH_POINTS),
        series=(effects.control, *effects.arms),
    )
