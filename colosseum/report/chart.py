"""Charts in the terminal. In: points with their marks, and axes; out: lines of text with the values at the ticks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Final

from colosseum.report.canvas import Canvas

WIDEST: Final = 60
HEIGHT: Final = 12
"""Rows of the drawing itself."""
SIGNS: Final = ("┤", "│", "└", "─", "┬")
ASCII: Final = ("+", "|", "+", "-", "+")
"""A tick on the left, the left side, the corner, the lower side, a tick on it."""
APART: Final = 3
"""Blanks between two charts side by side."""


@dataclass(frozen=True)
class Axis:
    """What is measured in one direction."""

    name: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    """Values with their words; where two would overlap, the first is shown."""

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1; in the middle where there is but one."""
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5


def ticks(*words: tuple[float, str]) -> tuple[tuple[float, str], ...]:
    """Values with their words; of two words for one value the first is kept."""
    found: dict[float, str] = {}
    for value, word in words:
        found.setdefault(value, word)
    return tuple(found.items())


Marked = tuple[float, float, str]
"""A point and its sign."""


@dataclass(frozen=True)
class Drawing:
    """What stands in a chart."""

    across: Axis
    up: Axis
    curves: Sequence[Sequence[Marked]] = ()
    """Points that are joined."""
    alone: Sequence[Marked] = ()
    """Points that are not."""
    levels: Sequence[float] = ()
    """Dotted lines, at values of the upright axis."""
    several: str = ""
    """What marks a place with several signs; empty: the first of them."""


def chart(drawing: Drawing, *, width: int, ascii_only: bool, height: int = HEIGHT) -> list[str]:
    """The drawing; no line is wider than `width` or `WIDEST`."""
    tick, side, corner, floor, foot = ASCII if ascii_only else SIGNS
    across, up = drawing.across, drawing.up
    margin = max(len(words) for words in (*(word for _, word in up.ticks), up.name)) + 1
    canvas = Canvas(canvas_width(up, width), height, ascii_only, drawing.several)
    _draw(drawing, canvas)
    ends: dict[int, str] = {}
    for value, words in up.ticks:
        ends.setdefault(canvas.cell((0.0, up.share(value)))[0] if up.high > up.low else height // 2, words)
    lines = [f"{up.name:>{margin - 1}}"] if up.name else []
    for number, row in enumerate(canvas.lines()):
        lines.append(f"{ends.get(number, ''):>{margin - 1}} {tick if number in ends else side}{row}")
    return [line.rstrip() for line in (*lines, *below(across, margin, canvas.width, (corner, floor, foot)))]


def canvas_width(up: Axis, width: int) -> int:
    """Cells that are left for the drawing itself."""
    margin = max(len(words) for words in (*(word for _, word in up.ticks), up.name)) + 1
    return max(8, min(width, WIDEST) - margin - 2)


def _draw(drawing: Drawing, canvas: Canvas) -> None:
    across, up = drawing.across, drawing.up
    for y in drawing.levels:
        canvas.level(up.share(y))
    for curve in drawing.curves:
        for (x, y, _), (to_x, to_y, _) in pairwise(curve):
            canvas.line((across.share(x), up.share(y)), (across.share(to_x), up.share(to_y)))
    for x, y, sign in (*(point for curve in drawing.curves for point in curve), *drawing.alone):
        canvas.mark((across.share(x), up.share(y)), sign)


def below(across: Axis, margin: int, width: int, signs: tuple[str, str, str]) -> list[str]:
    """The lower side and what stands under it."""
    corner, floor, foot = signs
    if across.high <= across.low:
        rule = (floor * (width // 2) + foot).ljust(width, floor)
        words = [f"{f'{across.name} = {across.ticks[0][1]}':^{width}}"]
    else:
        places = {round(across.share(value) * (width - 1)): word for value, word in reversed(across.ticks)}
        rule = "".join(foot if column in places else floor for column in range(width))
        words = _under(across, width, places)
    return [" " * margin + corner + rule, *(" " * (margin + 1) + line for line in words)]


def _under(across: Axis, width: int, places: dict[int, str]) -> list[str]:
    """Words at their ticks, and the axis' name: between two, else on a line of its own."""
    if len(across.ticks) == 2:
        (_, low), (_, high) = across.ticks
        return [f"{low}{across.name:^{max(len(across.name) + 2, width - len(low) - len(high))}}{high}"]
    line = " " * width
    for column, word in reversed(places.items()):
        start = max(0, min(width - len(word), column - len(word) // 2))
        if not line[max(0, start - 1) : start + len(word) + 1].strip():
            line = f"{line[:start]}{word}{line[start + len(word) :]}"
    return [line, f"{across.name:^{width}}"]


def beside(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Two charts side by side."""
    wide = max(map(len, left), default=0) + APART
    return [f"{one:<{wide}}{other}".rstrip() for one, other in zip_longest(left, right, fillvalue="")]
