"""Names beside marks. In: places and names; out: text that hides neither marks nor text, and legends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from colosseum.report.html.pictures.picture import WIDTH
from colosseum.report.html.pictures.shapes import Mark, Shape, Sign, Text
from colosseum.report.html.pictures.words import name_at, shorten, width_of

SIZE: Final = 5.0
"""Half the width of a mark."""
LINE: Final = 15.0
"""Height of a line of text."""
LONGEST: Final = 130.0
"""Pixels of a name beside a mark."""
WIDEST: Final = 206.0
"""Pixels of a name in a legend, so that two fit beside each other."""


@dataclass(frozen=True)
class Box:
    """A rectangle that something takes up."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Whether the two overlap."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: "Box") -> bool:
        """Whether the other lies within it."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.top <= other.top and other.bottom <= self.bottom


def around(x: float, y: float, size: float) -> Box:
    """A mark's."""
    return Box(x - size, y - size, x + size, y + size)


def beside(
    places: Sequence[tuple[float, float]],
    names: Sequence[str],
    *,
    within: Box,
    taken: Sequence[Box] = (),
    role: str = "soft",
    sizes: Sequence[float] = (),
    corner: bool = False,
) -> list[Text | None]:
    """A name for each place, the first served first; None where none of its sides is free.

    To the right where it may be, or with `corner` above and to the right; `sizes` are half the width of marks, SIZE
    where they are not given.
    """
    halves = sizes or [SIZE] * len(places)
    used = [*taken, *(around(x, y, half) for (x, y), half in zip(places, halves, strict=True))]
    found: list[Text | None] = []
    for (x, y), half, name in zip(places, halves, names, strict=True):
        short = shorten(name, LONGEST, 12)
        wide = width_of(short, 12)
        sides = sorted(
            _sides(x, y, wide, half + 4), key=lambda box: corner and not (box.left > x and box.bottom < y + 2)
        )
        chosen = next((box for box in sides if within.holds(box) and not any(map(box.meets, used))), None)
        found.append(name_at(chosen.left, chosen.bottom - 4, name, LONGEST, role=role, size=12) if chosen else None)
        used += [chosen] if chosen else []
    return found


def _sides(x: float, y: float, wide: float, gap: float) -> Iterator[Box]:
    """Right, left, above, below, and the corners."""
    half = LINE / 2
    for left, top in (
        (x + gap, y - half),
        (x - gap - wide, y - half),
        (x - wide / 2, y - gap - LINE),
        (x - wide / 2, y + gap - 2),
        (x + gap - 3, y - gap - LINE + 3),
        (x + gap - 2, y + gap - 4),
        (x - gap + 3 - wide, y - gap - LINE + 3),
        (x - gap + 2 - wide, y + gap - 4),
    ):
        yield Box(left, top, left + wide, top + LINE)


def legend(found: Sequence[tuple[Sign, str]], top: float) -> tuple[list[Shape], float]:
    """Signs with their names in lines that wrap, and how high that is."""
    shapes: list[Shape] = []
    x, y = 4.0, top
    for sign, name in found:
        short = shorten(name, WIDEST, 12)
        wide = 16 + width_of(short, 12) + 14
        if x > 4 and x + wide > WIDTH:
            x, y = 4.0, y + 20
        shapes += [Mark(x + 5, y + 8, sign.form, sign.role, 4), name_at(x + 16, y + 12, name, WIDEST, size=12)]
        x += wide
    return shapes, y + 20 - top if found else 0.0
