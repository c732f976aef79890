"""From numbers to places. In: values; out: a scale with round ticks and their words."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

STEPS: Final = (1.0, 2.0, 5.0, 10.0)
MARGIN: Final = 0.04
"""The share of a scale that stays free at each end."""


@dataclass(frozen=True)
class Scale:
    """From values to places. `start` is greater than `end` where y goes up."""

    low: float
    high: float
    start: float = 0.0
    end: float = 1.0

    def __call__(self, value: float) -> float:
        """The place of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, most: int = 5) -> list[float]:
        """Round numbers within it, about `most`."""
        least = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(least))
        step = power * next(step for step in STEPS if step * power >= least * (1 - 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [place * step for place in range(first, last + 1)]


def scale(values: Iterable[float], start: float = 0.0, end: float = 1.0, *, margin: float = MARGIN) -> Scale:
    """A scale that holds all values, with room also when they are equal."""
    found = list(values)
    low, high = min(found), max(found)
    if high - low <= 1e-9 * max(abs(low), abs(high), 1e-9):
        room = abs(low) * 0.1 or 1.0
        return Scale(low - room, high + room, start, end)
    room = margin * (high - low)
    return Scale(low - room, high + room, start, end)


def tick_words(ticks: Sequence[float], *, signed: bool = False) -> list[str]:
    """Round numbers as short as they are."""
    return [f"{tick:{'+' if signed else '-'}g}".replace("-", "−") if tick else "0" for tick in ticks]
