"""A curve in the terminal. In: points with their marks; out: lines of text with axes and the values at their ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from colosseum.report.canvas import Canvas

WIDEST: Final = 60
HEIGHT: Final = 12
"""Rows of the drawing itself."""
SIGNS: Final = ("┤", "│", "└", "─", "┬")
ASCII: Final = ("+", "|", "+", "-", "+")
"""A tick on the left, the left side, the corner, the lower side, a tick on it."""


@dataclass(frozen=True)
class Axis:
    """What is measured in one direction."""

    name: str
    low: float
    high: float
    labels: tuple[str, str]
    """The values at its ends in words."""

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1; in the middle where there is but one."""
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5


Marked = tuple[float, float, str]
"""A point and its sign."""


def chart(
    curve: Sequence[Marked], others: Sequence[Marked], across: Axis, up: Axis, *, width: int, ascii_only: bool
) -> list[str]:
    """The points of the curve, joined, and others; no line is wider than `width` or `WIDEST`."""
    tick, side, corner, floor, foot = ASCII if ascii_only else SIGNS
    margin = max(len(label) for label in (*up.labels, up.name)) + 1
    drawn = Canvas(max(8, min(width, WIDEST) - margin - 2), HEIGHT, ascii_only)
    placed = [((across.share(x), up.share(y)), sign) for x, y, sign in (*curve, *others)]
    joined = [place for place, _ in placed[: len(curve)]]
    for start, end in pairwise(joined):
        drawn.line(start, end)
    for place, sign in placed:
        drawn.mark(place, sign)
    rows = drawn.lines()
    ends = {0: up.labels[1], HEIGHT - 1: up.labels[0]} if up.high > up.low else {HEIGHT // 2: up.labels[0]}
    lines = [f"{up.name:>{margin - 1}}"]
    for number, row in enumerate(rows):
        lines.append(f"{ends.get(number, ''):>{margin - 1}} {tick if number in ends else side}{row}")
    return [line.rstrip() for line in (*lines, *_below(across, margin, drawn.width, (corner, floor, foot)))]


def _below(across: Axis, margin: int, width: int, signs: tuple[str, str, str]) -> list[str]:
    """The lower side and what stands under it."""
    corner, floor, foot = signs
    low, high = across.labels
    if across.high > across.low:
        rule = foot + floor * (width - 2) + foot
        words = f"{low}{across.name:^{max(len(across.name) + 2, width - len(low) - len(high))}}{high}"
    else:
        rule = (floor * (width // 2) + foot).ljust(width, floor)
        words = f"{f'{across.name} = {low}':^{width}}"
    return [" " * margin + corner + rule, " " * (margin + 1) + words]
