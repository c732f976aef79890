"""A drawing in characters. In: points and lines in the unit square; out: lines of text, in braille or in ASCII.

A braille cell has two dots across and four up; where the encoding has none, a cell that a line crosses is a full stop.
"""

from dataclasses import dataclass, field
from typing import Final

BRAILLE: Final = 0x2800
DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille cell, by row from the top and by column."""
ACROSS: Final = 2
UP: Final = 4
"""Dots of a cell."""


@dataclass
class Canvas:
    """Cells to draw on; (0, 0) is the lower left corner and (1, 1) the upper right one."""

    width: int
    height: int
    """In cells."""
    ascii_only: bool = False
    dots: dict[tuple[int, int], int] = field(default_factory=dict)
    """The dots of each cell that a line crosses, by row from the top and column."""
    marks: dict[tuple[int, int], str] = field(default_factory=dict)

    def line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """A straight line."""
        (x, y), (to_x, to_y) = self._dot(start), self._dot(end)
        steps = max(abs(to_x - x), abs(to_y - y), 1)
        for step in range(steps + 1):
            across, down = x + round(step * (to_x - x) / steps), y + round(step * (to_y - y) / steps)
            cell = (down // UP, across // ACROSS)
            self.dots[cell] = self.dots.get(cell, 0) | DOTS[down % UP][across % ACROSS]

    def mark(self, place: tuple[float, float], sign: str) -> None:
        """A sign of one cell at a point; a cell keeps the first that it gets."""
        across, down = self._dot(place)
        self.marks.setdefault((down // UP, across // ACROSS), sign)

    def lines(self) -> list[str]:
        """The rows from the top."""
        return ["".join(self._cell((row, column)) for column in range(self.width)) for row in range(self.height)]

    def _cell(self, cell: tuple[int, int]) -> str:
        if cell in self.marks:
            return self.marks[cell]
        if cell not in self.dots:
            return " "
        return "." if self.ascii_only else chr(BRAILLE + self.dots[cell])

    def _dot(self, place: tuple[float, float]) -> tuple[int, int]:
        x, y = (min(1.0, max(0.0, part)) for part in place)
        return round(x * (self.width * ACROSS - 1)), round((1.0 - y) * (self.height * UP - 1))
