"""Paired differences from the control. In: effects; out: a picture with a dot for each seed, intervals and verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Final

from colosseum.diagnostics import counted
from colosseum.evidence.calls import Call
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.registry import label
from colosseum.evidence.verdict import CONTRASTED
from colosseum.evidence.weighing import Weighed
from colosseum.report.html.pictures.picture import Cell, Picture, Table, draw
from colosseum.report.html.pictures.scale import Scale, bottom_axis, scale, swarm
from colosseum.report.html.pictures.seeds import Groups, Source, groups_of, sources
from colosseum.report.html.pictures.shapes import Mark, Rule, Shape, Text
from colosseum.report.html.pictures.words import listed, name_at, quoted, signed, width_of
from colosseum.report.plots.effects import Effect, Effects, limits

MOST_ROWS: Final = 24
MOST_HIGH: Final = 12
"""Rows that have two lines of text; of more each has one."""
MOST_DOTS: Final = 300
"""Of a picture."""
ROW, LOW, HEAD, TOP, RIGHT = 46.0, 32.0, 24.0, 26.0, 356.0
PLACES: Final = 3
"""Decimals of fair shares."""


@dataclass(frozen=True)
class _Look:
    """How a call is drawn: three forms, three colours, three words."""

    role: str
    form: str
    sign: str


LOOKS: Final[Mapping[Call, _Look]] = {
    Call.EFFECT: _Look("up", "triangle", "▲"),
    Call.NO_EFFECT: _Look("down", "circle", "●"),
    Call.NOT_SETTLED: _Look("open", "diamond", "◇"),
}


@dataclass(frozen=True)
class _Row:
    """One arm at one point, with what decides and what is said of it."""

    place: str
    effect: Effect
    part: Weighed
    call: Call
    sources: tuple[Source, ...]
    """Of the differences; none where they are not known."""

    @property
    def dots(self) -> list[tuple[float, Source | None]]:
        """The differences by size."""
        found = zip_longest(self.part.differences, self.sources)
        return sorted(found, key=lambda dot: dot[0])


def differences_picture(effects: Effects, signal: str, *, records: Sequence[RunRecord] = ()) -> Picture | str:
    """Rows of one of the figures that decide, in u; a str is why there is none. Raises KeyError: it decides nothing.

    With the runs of the study as `records` each dot says its seed and leads to the treated run.
    """
    margin = effects.margins[signal]
    rows = list(_rows(effects, signal, groups_of(records, effects)))
    if not rows:
        return _why(effects, signal)
    title = f"Change of {label(signal)} against {quoted(effects.control)}, a dot for each seed"
    shown = rows[:MOST_ROWS]
    return draw(
        f"differences-{signal}", title, _caption(effects, rows, shown, margin),
        height=_height(shown), shapes=list(_shapes(shown, margin, label(signal))), table=_table(rows),
    )  # fmt: skip


def _why(effects: Effects, signal: str) -> str:
    reasons = [effect.nulls.get(signal, "") or effect.excluded for effect in effects.all]
    return next((reason for reason in reasons if reason), "no seed makes a pair")


def _rows(effects: Effects, signal: str, groups: Groups) -> Iterator[_Row]:
    for effect in effects.all:
        part = next((part for part in effect.parts if part.signal == signal), None)
        if part is not None and part.differences and effect.verdict is not None:
            place = effects.sweep.place(effect.factors) if effects.sweep.values else ""
            found = sources(groups, effects, effect, signal)
            yield _Row(place, effect, part, effect.verdict.action.call, found)


def _height(rows: Sequence[_Row]) -> float:
    heads = len([place for place, _ in groupby(row.place for row in rows) if place])
    return TOP + len(rows) * _high(rows) + heads * HEAD + 44


def _high(rows: Sequence[_Row]) -> float:
    """Of one row."""
    return ROW if len(rows) <= MOST_HIGH else LOW


def _shapes(rows: Sequence[_Row], margin: float, name: str) -> Iterator[Shape]:
    left = 8 + min(132.0, max(width_of(row.effect.arm) for row in rows))
    ends = [end for row in rows for end in limits(row.part) or ()]
    values = [value for row in rows for value in row.part.differences]
    across = scale(values, left + 10, RIGHT - 8, within=(0.0, margin, *ends))
    bottom = _height(rows) - 44
    yield from bottom_axis(across, TOP, bottom, f"{name}, treated − control, in u (fair shares)", sign="+")
    yield Text(RIGHT + 23, TOP - 10, "call, mean" if _high(rows) == ROW else "call", "soft")
    yield from _guides(across, margin, bottom)
    most = MOST_DOTS // len(rows)
    y, place = TOP, ""
    for row in rows:
        if row.place != place:
            place = row.place
            yield name_at(4, y + 16, place, RIGHT, role="strong over")
            y += HEAD
        yield from _row(row, across, y, left, most, _high(rows))
        y += _high(rows)


def _guides(across: Scale, margin: float, bottom: float) -> Iterator[Shape]:
    """0 and the margin, named above, apart from each other."""
    zero, rule = across(0.0), across(margin)
    yield Rule(zero, TOP - 6, zero, bottom, "zero", "no change")
    yield Rule(rule, TOP - 6, rule, bottom, "margin", f"margin: {margin:g} u, the least that matters")
    near = abs(rule - zero) < 40
    anchor = "start" if near else "end" if rule > RIGHT - 40 else "middle"
    yield Text(zero - 3 if near else zero, TOP - 10, "0", "soft", "end" if near else "middle")
    yield Text(rule + 3 if near else rule, TOP - 10, f"margin {margin:g}", "soft", anchor)


def _row(row: _Row, across: Scale, y: float, left: float, most: int, high: float) -> Iterator[Shape]:
    """Dots above, their mean and its interval below them; a low row names no count and no mean."""
    part, look = row.part, LOOKS[row.call]
    yield name_at(4, y + 22, row.effect.arm, left - 8)
    if high == ROW:
        yield Text(4, y + 37, counted(part.paired.n, "pair"), "soft")
    dots = row.dots
    if len(dots) > most:
        dots = [dots[round(place * (len(dots) - 1) / (most - 1))] for place in range(most)]
    offsets = swarm([across(value) for value, _ in dots], radius=2.8, room=high / 2 - 10)
    for (value, source), offset in zip(dots, offsets, strict=True):
        title = f"{f'seed {source.seed}: ' if source else ''}{signed(value, PLACES, sign='+')} u"
        trial = source.trial if source else ""
        yield Mark(across(value), y + 17 - (ROW - high) / 3 + offset, "circle", "faint", 2.6, title, trial)
    middle, found, mean = y + high - 9, limits(part), part.estimate.value
    if found:
        start, end = map(across, found)
        yield Rule(start, middle, end, middle, look.role, _interval(part))
    if mean is not None:
        yield Mark(across(mean), middle, look.form, look.role, 4.5, f"mean {signed(mean, PLACES, sign='+')} u")
    yield Mark(RIGHT + 12, y + 17.5, look.form, look.role, 4.5)
    why = row.effect.verdict.action.reason if row.effect.verdict else ""
    yield Text(RIGHT + 23, y + 22, row.call, look.role, whole=why)
    if high == ROW and mean is not None:
        yield Text(RIGHT + 23, y + 38, signed(mean, PLACES, sign="+"))


def _mean(part: Weighed) -> str:
    return "–" if part.estimate.value is None else signed(part.estimate.value, PLACES, sign="+")


def _interval(part: Weighed) -> str:
    found = limits(part)
    if found is None:
        return "no interval: too few runs differ"
    low, high = (signed(end, PLACES, sign="+") for end in found)
    return f"95 % interval: {low} to {high} u"


def _caption(effects: Effects, rows: Sequence[_Row], shown: Sequence[_Row], margin: float) -> str:
    several = bool(effects.sweep.values)

    def named(call: Call) -> str:
        found = [row for row in rows if row.call == call]
        words = [
            quoted(row.effect.arm) + (f" at {quoted(row.place)}" if several else "") + f" ({_mean(row.part)} u)"
            for row in found
        ]
        return f"{call}: {listed(words)}"

    calls = [named(call) for call in LOOKS if any(row.call == call for row in rows)]
    parts = ["; ".join(calls) + "."]
    if len(effects.margins) > 1:
        parts.append(f"What is said goes by all of {' and '.join(label(name) for name in effects.margins)}.")
    parts.append(f"Bars are 95 % intervals of the mean; less than the margin, {margin:g} u, does not matter.")
    if any(limits(row.part) is None for row in rows):
        parts.append("Where a bar is missing too few runs differ, or all by the same, and exact tests decide.")
    if len(shown) < len(rows):
        parts.append(f"The first {len(shown)} of {len(rows)} rows are drawn; the table has all.")
    if max(len(row.part.differences) for row in shown) > MOST_DOTS // len(shown):
        parts.append("Not every seed is drawn: as many of each row, evenly by rank.")
    placebos = [
        quoted(row.effect.arm) for row in rows if row.effect.verdict and row.effect.verdict.kind.kind == "placebo"
    ]
    if placebos and set(effects.margins) <= CONTRASTED:
        parts.append(f"What {listed(list(dict.fromkeys(placebos)))} has is of those outside its own channel.")
    drawn = {(row.effect.arm, row.place) for row in rows}
    lost = len(effects.all) - len(drawn)
    if lost:
        parts.append(f"{lost} of {len(effects.all)} have no pair with a value.")
    return " ".join(parts)


def _table(rows: Sequence[_Row]) -> Table:
    columns = ("point", "arm", "pairs", "mean", "low", "high", "margin", "test", "adjusted p", "call", "reason")
    found: list[tuple[Cell, ...]] = []
    for row in rows:
        low, high = limits(row.part) or (None, None)
        action = row.effect.verdict.action if row.effect.verdict else None
        p = action.adjusted_p.value if action else None
        mean, n = row.part.estimate.value, row.part.paired.n
        reason = action.reason if action else ""
        numbers = (n, mean, low, high, row.part.margin)
        found.append((row.place, row.effect.arm, *numbers, row.part.test, p, row.call, reason))
    return Table(columns, tuple(found))
