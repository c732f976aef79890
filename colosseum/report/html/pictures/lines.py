"""Effects along a number that is swept. In: effects; out: a picture with a line for each arm, and intervals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from colosseum.evidence.statistics import Interval
from colosseum.report.html.pictures.labels import legend
from colosseum.report.html.pictures.picture import Picture, Table, draw
from colosseum.report.html.pictures.scale import Scale, apart, bottom_axis, left_axis, scale
from colosseum.report.html.pictures.shapes import Mark, Path, Rule, Shape, Sign, Text, signs
from colosseum.report.html.pictures.words import listed, name_at, quoted, shorten, signed, width_of
from colosseum.report.numbers import decimals
from colosseum.report.plots.effects import Effect, Effects, limits
from colosseum.report.plots.sweep import number
from colosseum.report.verdicts import NAMES

BELIEVED: Final = "believed"
"""The measure that is no signal: the share of false claims that outsiders believe."""
MOST_LINES: Final = 12
MOST_NAMED: Final = 8
"""Lines that are named at their ends; of more, or of names that are cut to the same, there is a legend."""
LEFT, RIGHT, TOP, BOTTOM = 50.0, 470.0, 28.0, 280.0


@dataclass(frozen=True)
class _Spot:
    """One arm at one value of what is swept."""

    x: float
    effect: Effect
    mean: float | None
    interval: tuple[float, float] | None


Series = Mapping[str, Sequence[_Spot]]
"""By what a line is called."""


def lines_picture(effects: Effects, measure: str, *, arms: Sequence[str] | None = None) -> Picture | str:
    """Lines of one of the figures that decide, in u, or of BELIEVED; a str is why there is none.

    `arms` picks some, of all. Raises KeyError where there is no such measure.
    """
    margin = None if measure == BELIEVED else effects.margins[measure]
    if not effects.sweep.numeric:
        return "no number is swept"
    chosen = effects.arms if arms is None else [arm for arm in effects.arms if arm in arms]
    every = _series(effects, measure, chosen)
    known = {name: spots for name, spots in every.items() if any(spot.mean is not None for spot in spots)}
    if not known:
        return _why(effects, measure)
    shown = dict(list(known.items())[:MOST_LINES])
    name = "Share of false claims that outsiders believe" if margin is None else f"Change of {NAMES[measure]}"
    title = f"{name} along {effects.sweep.inner}"
    shapes, height = _shapes(effects, shown, measure, margin)
    slug = f"lines-{measure}" + ("" if arms is None else f"-{'-'.join(chosen)}")
    caption = _caption(effects, shown, len(known), margin)
    return draw(slug, title, caption, height=height, shapes=shapes, table=_table(effects, every))


def _why(effects: Effects, measure: str) -> str:
    found = [
        effect.believed.mean.reason if measure == BELIEVED else effect.nulls.get(measure, "") or effect.excluded
        for effect in effects.all
    ]
    return next((reason for reason in found if reason), "no seed makes a pair")


def _series(effects: Effects, measure: str, arms: Sequence[str]) -> Series:
    found: dict[str, list[_Spot]] = {}
    for effect in effects.all:
        x = number(effect.factors.get(effects.sweep.inner, ""))
        if effect.arm in arms and x is not None:
            place = effects.sweep.place(effect.factors, effects.sweep.outer)
            found.setdefault(", ".join(part for part in (effect.arm, place) if part), []).append(
                _spot(effect, measure, x)
            )
    return {name: sorted(spots, key=lambda spot: spot.x) for name, spots in found.items()}


def _spot(effect: Effect, measure: str, x: float) -> _Spot:
    if measure == BELIEVED:
        found = effect.believed.interval
        ends = (found.low, found.high) if isinstance(found, Interval) else None
        return _Spot(x, effect, effect.believed.mean.value, ends)
    part = next((part for part in effect.parts if part.signal == measure), None)
    return _Spot(x, effect, part.estimate.value if part else None, limits(part) if part else None)


def _shapes(effects: Effects, series: Series, measure: str, margin: float | None) -> tuple[list[Shape], float]:
    room = min(112.0, max(width_of(name, 12) for name in series))
    named = len(series) <= MOST_NAMED and len({shorten(name, room, 12) for name in series}) == len(series)
    room = room + 12 if named else 0.0
    right = RIGHT - room - (12 if named else 4)
    spots = [spot for found in series.values() for spot in found]
    across = scale([spot.x for spot in spots], LEFT + 6, right - 6)
    ends = [end for spot in spots for end in spot.interval or ()]
    means = [spot.mean for spot in spots if spot.mean is not None]
    up = scale(means, BOTTOM, TOP, within=(0.0, *ends, *(() if margin is None else (margin,))))
    unit = "share of false claims" if margin is None else f"{NAMES[measure]}, treated − control, in u"
    sign = "-" if margin is None else "+"
    shapes = [*_axis(effects, spots, across, right), *left_axis(up, LEFT, right, unit, sign=sign)]
    shapes.append(Rule(LEFT, up(0), right, up(0), "zero", "no change"))
    if margin is not None:
        shapes.append(Rule(LEFT, up(margin), right, up(margin), "margin", f"margin: {margin:g} u"))
    looks = _looks(effects, series)
    step = min(5.0, 24.0 / len(series))
    for place, (name, found) in enumerate(series.items()):
        shift = (place - (len(series) - 1) / 2) * step
        shapes += _line(found, looks[name], across, up, shift)
    if named:
        return [*shapes, *_ends(series, looks, up, right, room)], BOTTOM + 44
    marks, high = legend([(looks[name], name) for name in series], BOTTOM + 44)
    return [*shapes, *marks], BOTTOM + 48 + high


def _axis(effects: Effects, spots: Sequence[_Spot], across: Scale, right: float) -> Iterator[Shape]:
    """At the values that are swept, where they are few; else at round numbers."""
    values = {spot.x: spot.effect.factors[effects.sweep.inner] for spot in spots}
    places = sorted(values)
    room = min((across(b) - across(a) for a, b in pairwise(places)), default=99.0)
    if room < max(width_of(word, 12) for word in values.values()) + 4:
        yield from bottom_axis(across, TOP, BOTTOM, effects.sweep.inner)
        return
    for x in places:
        yield Rule(across(x), TOP, across(x), BOTTOM, "grid")
        yield Text(across(x), BOTTOM + 16, values[x], "soft", "middle")
    yield name_at((LEFT + right) / 2, BOTTOM + 34, effects.sweep.inner, 300, role="soft", anchor="middle", size=12)


def _looks(effects: Effects, series: Series) -> dict[str, Sign]:
    """By arm where each has one line, else by line."""
    one = len(series) == len({spots[0].effect.arm for spots in series.values()})
    if one:
        look = signs((effects.control, *effects.arms), effects.control)
        return {name: look[spots[0].effect.arm] for name, spots in series.items()}
    return signs(list(series), "")


def _line(spots: Sequence[_Spot], sign: Sign, across: Scale, up: Scale, shift: float) -> Iterator[Shape]:
    """What is known of it: a gap where a mean is not."""
    run: list[tuple[float, float]] = []
    for spot in [*spots, None]:
        if spot is not None and spot.mean is not None:
            run.append((across(spot.x) + shift, up(spot.mean)))
            continue
        if len(run) > 1:
            yield Path(tuple(run), sign.role)
        run = []
    for spot in spots:
        if spot.mean is None:
            continue
        x = across(spot.x) + shift
        if spot.interval:
            low, high = spot.interval
            yield Rule(x, up(low), x, up(high), f"thin {sign.role}")
        mean = signed(spot.mean, max(3, decimals([spot.mean])), sign="+")
        title = f"{spot.effect.arm} at {spot.x:g}: {mean}{_ends_of(spot)}"
        yield Mark(x, up(spot.mean), sign.form, sign.role, 4, title)


def _ends_of(spot: _Spot) -> str:
    if spot.interval is None:
        return ", no interval"
    low, high = (signed(end, 3, sign="+") for end in spot.interval)
    return f" [{low}, {high}]"


def _ends(series: Series, looks: Mapping[str, Sign], up: Scale, right: float, room: float) -> Iterator[Shape]:
    """Names at the ends of lines, apart from each other."""
    last = {n: next(up(s.mean) for s in reversed(spots) if s.mean is not None) for n, spots in series.items()}
    for name, y in zip(last, apart(list(last.values()), gap=15, low=TOP + 4, high=BOTTOM - 4), strict=True):
        yield Mark(right + 10, y, looks[name].form, looks[name].role, 3.5)
        yield name_at(right + 18, y + 4, name, room - 10, size=12)


def _caption(effects: Effects, series: Series, lines: int, margin: float | None) -> str:
    words = []
    for name, spots in series.items():
        known = [(spot.x, spot.mean) for spot in spots if spot.mean is not None]
        (first, begin), (last, end) = known[0], known[-1]
        places = max(3, decimals([begin, end]))
        sign = "-" if margin is None else "+"
        ends = f"{signed(begin, places, sign=sign)} at {first:g}, {signed(end, places, sign=sign)} at {last:g}"
        words.append(f"{quoted(name)} {ends}")
    parts = [f"Along {quoted(effects.sweep.inner)}: {'; '.join(words[:4])}" + (" …" if len(words) > 4 else ".")]
    parts.append("Bars are 95 % intervals; lines are set apart a little, so that these can be seen.")
    if margin is not None:
        parts.append(f"Dashes: the margin, {margin:g} u.")
    if lines > len(series):
        parts.append(f"The first {len(series)} of {lines} lines are drawn; the table has all.")
    lost = [name for name, spots in series.items() if any(spot.mean is None for spot in spots)]
    if lost:
        parts.append(f"With gaps, where a figure is not known: {listed([quoted(name) for name in lost])}.")
    return " ".join(parts)


def _table(effects: Effects, series: Series) -> Table:
    rows = []
    for spots in series.values():
        for spot in spots:
            low, high = spot.interval or (None, None)
            place = effects.sweep.place(spot.effect.factors, effects.sweep.outer)
            rows.append((place, spot.effect.arm, spot.x, spot.mean, low, high))
    return Table(("point", "arm", effects.sweep.inner, "mean", "low", "high"), tuple(rows))
