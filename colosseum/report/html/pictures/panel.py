"""Lines in a frame. In: spots of several lines, scales; out: shapes with intervals, names at ends or in a legend."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from colosseum.report.html.pictures.scale import Scale, apart, bottom_axis, left_axis
from colosseum.report.html.pictures.shapes import Mark, Path, Rule, Shape, Sign, Text
from colosseum.report.html.pictures.words import name_at, shorten, signed, width_of
from colosseum.report.numbers import decimals
from colosseum.report.plots.effects import Effect

MOST_NAMED: Final = 8
"""Lines that are named at their ends; of more, or of names that are cut to the same, there is a legend."""
LEFT, RIGHT = 50.0, 470.0


@dataclass(frozen=True)
class Spot:
    """One arm at one value of what is swept."""

    x: float
    effect: Effect
    mean: float | None
    interval: tuple[float, float] | None


Series: TypeAlias = Mapping[str, Sequence[Spot]]
"""By what a line is called."""


@dataclass(frozen=True)
class Frame:
    """What all panels of a picture share."""

    swept: str
    """What is swept."""
    unit: str
    margin: float | None
    looks: Mapping[str, Sign]
    """By line."""
    across: Scale
    right: float
    """Where panels end."""
    room: float
    """Of names at ends; 0 where there is a legend."""

    @property
    def sign(self) -> str:
        """How numbers are written: changes with their sign, shares without."""
        return "-" if self.margin is None else "+"


def room_for(names: Sequence[str]) -> float:
    """Pixels that names at ends take; 0 where they have to stand in a legend."""
    room = min(112.0, max(width_of(name, 12) for name in names))
    told = len({shorten(name, room, 12) for name in names}) == len(names)
    return room + 12 if told and len(names) <= MOST_NAMED else 0.0


def panel(series: Series, frame: Frame, up: Scale) -> Iterator[Shape]:
    """Axes, 0 and the margin, then the lines, set apart a little."""
    top, bottom = up.end, up.start
    yield from _axis([spot for found in series.values() for spot in found], frame, top, bottom)
    yield from left_axis(up, LEFT, frame.right, frame.unit, sign=frame.sign)
    yield Rule(LEFT, up(0), frame.right, up(0), "zero", "no change")
    if frame.margin is not None:
        yield Rule(LEFT, up(frame.margin), frame.right, up(frame.margin), "margin", f"margin: {frame.margin:g} u")
    step = min(7.0, 30.0 / len(series))
    for place, (name, found) in enumerate(series.items()):
        yield from _line(found, frame.looks[name], frame, up, (place - (len(series) - 1) / 2) * step)
    if frame.room:
        yield from _ends(series, frame, up)


def _axis(spots: Sequence[Spot], frame: Frame, top: float, bottom: float) -> Iterator[Shape]:
    """At the values that are swept, where they are few; else at round numbers."""
    across = frame.across
    values = {spot.x: spot.effect.factors[frame.swept] for spot in spots}
    places = sorted(values)
    room = min((across(b) - across(a) for a, b in pairwise(places)), default=99.0)
    if room < max(width_of(word, 12) for word in values.values()) + 4:
        yield from bottom_axis(across, top, bottom, frame.swept)
        return
    for x in places:
        yield Rule(across(x), top, across(x), bottom, "grid")
        yield Text(across(x), bottom + 16, values[x], "soft", "middle")
    yield name_at((LEFT + frame.right) / 2, bottom + 34, frame.swept, 300, role="soft", anchor="middle", size=12)


def _line(spots: Sequence[Spot], look: Sign, frame: Frame, up: Scale, shift: float) -> Iterator[Shape]:
    """What is known of it: a gap where a mean is not."""
    run: list[tuple[float, float]] = []
    for spot in [*spots, None]:
        if spot is not None and spot.mean is not None:
            run.append((frame.across(spot.x) + shift, up(spot.mean)))
            continue
        if len(run) > 1:
            yield Path(tuple(run), look.role)
        run = []
    for spot in spots:
        if spot.mean is None:
            continue
        x = frame.across(spot.x) + shift
        if spot.interval:
            low, high = spot.interval
            yield Rule(x, up(low), x, up(high), f"thin {look.role}")
        mean = signed(spot.mean, max(3, decimals([spot.mean])), sign=frame.sign)
        title = f"{spot.effect.arm} at {spot.x:g}: {mean}{_interval(spot, frame.sign)}"
        yield Mark(x, up(spot.mean), look.form, look.role, 4, title)


def _interval(spot: Spot, sign: str) -> str:
    if spot.interval is None:
        return ", no interval"
    low, high = (signed(end, 3, sign=sign) for end in spot.interval)
    return f" [{low}, {high}]"


def _ends(series: Series, frame: Frame, up: Scale) -> Iterator[Shape]:
    """Names at the ends of lines, apart from each other."""
    last = {n: next(up(s.mean) for s in reversed(spots) if s.mean is not None) for n, spots in series.items()}
    for name, y in zip(last, apart(list(last.values()), gap=15, low=up.end + 4, high=up.start - 4), strict=True):
        yield Mark(frame.right + 10, y, frame.looks[name].form, frame.looks[name].role, 3.5)
        yield name_at(frame.right + 18, y + 4, name, frame.room - 10, size=12)
