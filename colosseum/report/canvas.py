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
RULE: Final = "┄"
PLAIN_RULE: Final = "-"
"""A dotted line."""

Cell = tuple[int, int]
"""Row from the top, and column."""
Place = tuple[float, float]
"""Across and up, from 0 to 1."""


@dataclass
class Canvas:
    """Cells to draw on; (0, 0) is the lower left corner and (1, 1) the upper right one.

    Marks hide lines, and these hide rules.
    """

    width: int
    height: int
    """In cells."""
    ascii_only: bool = False
    several: str = ""
    """What marks a cell that was given two different signs; empty: the first of them."""
    dots: dict[Cell, int] = field(default_factory=dict)
    """The dots of each cell that a line crosses."""
    marks: dict[Cell, str] = field(default_factory=dict)
    rules: dict[Cell, str] = field(default_factory=dict)

    def line(self, start: Place, end: Place) -> None:
        """A straight line."""
        (x, y), (to_x, to_y) = self._dot(start), self._dot(end)
        steps = max(abs(to_x - x), abs(to_y - y), 1)
        for step in range(steps + 1):
            across, down = x + round(step * (to_x - x) / steps), y + round(step * (to_y - y) / steps)
            cell = (down // UP, across // ACROSS)
            self.dots[cell] = self.dots.get(cell, 0) | DOTS[down % UP][across % ACROSS]

    def mark(self, place: Place, sign: str) -> None:
        """A sign of one cell at a point."""
        held = self.marks.setdefault(self.cell(place), sign)
        if held != sign and self.several:
            self.marks[self.cell(place)] = self.several

    def level(self, y: float) -> None:
        """A dotted line from side to side."""
        row = self.cell((0.0, y))[0]
        for column in range(self.width):
            self.rules[row, column] = PLAIN_RULE if self.ascii_only else RULE

    def lines(self) -> list[str]:
        """The rows from the top."""
        return ["".join(self._sign((row, column)) for column in range(self.width)) for row in range(self.height)]

    def cell(self, place: Place) -> Cell:
        """The cell of a point."""
        across, down = self._dot(place)
        return down // UP, across // ACROSS

    def _sign(self, cell: Cell) -> str:
        if cell in self.marks:
            return self.marks[cell]
        if cell not in self.dots:
            return self.rules.get(cell, " ")
        return "." if self.ascii_only else chr(BRAILLE + self.dots[cell])

    def _dot(self, place: Place) -> tuple[int, int]:
        x, y = (min(1.0, max(0.0, part)) for part in place)
        return round(x * (self.width * ACROSS - 1)), round((1.0 - y) * (self.height * UP - 1))
