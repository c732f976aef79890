"""From numbers to places. In: values; out: a scale with round ticks, and dots that do not hide each other."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from colosseum.report.html.pictures.shapes import Rule, Shape, Text
from colosseum.report.html.pictures.words import signed, width_of

STEPS: Final = (1.0, 2.0, 5.0, 10.0)
MARGIN: Final = 0.04
"""Of a scale, that is left free at either end."""


@dataclass(frozen=True)
class Scale:
    """From values to pixels; `start` may be greater than `end`, as where y goes up."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Where a value lies."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, most: int = 5) -> list[float]:
        """Round numbers within it, `most` at most but never fewer than two where it holds two."""
        step = round_step((self.high - self.low) / most)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [place * step for place in range(first, last + 1)]


def round_step(least: float) -> float:
    """The least of 1, 2, 5 times a power of ten that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    return power * next(step for step in STEPS if step * power >= least * (1 - 1e-9))


def scale(values: Iterable[float], start: float, end: float, *, within: Iterable[float] = ()) -> Scale:
    """A scale with room for values and for what has to be `within`; of equal values one of their own size."""
    found = [*values, *within]
    low, high = min(found), max(found)
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-9):
        room = abs(low) * 0.1 or 1.0
        return Scale(low - room, high + room, start, end)
    room = MARGIN * (high - low)
    return Scale(low - room, high + room, start, end)


def tick_words(ticks: Sequence[float], *, sign: str = "-") -> list[str]:
    """Numbers with as many decimals as their steps need; huge and tiny ones with exponents."""
    step = min((b - a for a, b in pairwise(ticks)), default=abs(ticks[0]) if ticks else 1.0)
    largest = max(map(abs, ticks), default=0.0)
    if largest >= 1e6 or 0 < largest < 1e-4:
        return [f"{tick:.3g}".replace("-", "−") for tick in ticks]
    places = max(0, min(6, -math.floor(math.log10(step) + 1e-9))) if step else 0
    return [signed(tick, places, sign=sign) if abs(tick) > step * 1e-6 else "0" for tick in ticks]


def bottom_axis(across: Scale, top: float, bottom: float, name: str, *, sign: str = "-") -> list[Shape]:
    """Upright rules from top to bottom at round numbers, these below, and what they are of."""
    ticks = across.ticks()
    words = tick_words(ticks, sign=sign)
    shapes: list[Shape] = [Rule(across(tick), top, across(tick), bottom, "grid") for tick in ticks]
    end = -math.inf
    for tick, word in zip(ticks, words, strict=True):
        half = width_of(word, 12) / 2
        if across(tick) - half > end + 4:
            shapes.append(Text(across(tick), bottom + 16, word, "soft", "middle"))
            end = across(tick) + half
    shapes.append(Text((across.start + across.end) / 2, bottom + 34, name, "soft", "middle"))
    return shapes


def left_axis(
    up: Scale, left: float, right: float, name: str, *, sign: str = "-", at: float | None = None
) -> list[Shape]:
    """Level rules at round numbers, these on their left, and above, or `at` a height, what they are of."""
    ticks = up.ticks()
    shapes: list[Shape] = [Rule(left, up(tick), right, up(tick), "grid") for tick in ticks]
    words = tick_words(ticks, sign=sign)
    shapes += [Text(left - 6, up(t) + 4, w, "soft", "end") for t, w in zip(ticks, words, strict=True)]
    shapes.append(Text(4, up.end - 12 if at is None else at, name, "soft"))
    return shapes


def swarm(places: Sequence[float], *, radius: float, room: float) -> list[float]:
    """How far each of several dots on a line is moved off it, for none to hide another; where more of them are at one
    place than there is room for, within ± `room`, all lie closer.
    """
    ends: list[float] = []
    lanes = [0] * len(places)
    for number in sorted(range(len(places)), key=lambda number: places[number]):
        free = next((lane for lane, end in enumerate(ends) if places[number] - end >= 2 * radius), len(ends))
        ends[free : free + 1] = [places[number]]
        lanes[number] = free
    step = min(2 * radius, room / max(1, len(ends) // 2))
    return [(lane + 1) // 2 * step * (1 if lane % 2 else -1) for lane in lanes]


def apart(wanted: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """Places as near as may be to those wanted, each at least `gap` from the next, within low and high if they fit."""
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    found = [wanted[number] for number in order]
    for place in range(len(found)):
        found[place] = max(found[place], low if not place else found[place - 1] + gap)
    for place in reversed(range(len(found))):
        found[place] = min(found[place], high if place == len(found) - 1 else found[place + 1] - gap)
    return [at for _, at in sorted(zip(order, found, strict=True))]
