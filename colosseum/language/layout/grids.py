"""Grids. In: a grid and its words; out: one line a row, columns lined up: numbers to the right, names to the left."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from colosseum.language.layout.document import NOTHING, SPACE, Document, Plain, cat
from colosseum.language.layout.words import WordReader
from colosseum.language.literals import label_parts
from colosseum.language.syntax import Cell, Grid

BETWEEN = 2
"""Blanks between two columns."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a grid, its words taken."""

    before: Document
    """What separates it from the line above."""
    label: Document
    bar: Document
    cells: list[Document]


@dataclass(frozen=True, slots=True)
class _Column:
    """How wide a column is, and on which side its entries stand."""

    width: int
    numbers: bool

    def blanks(self, entry: Document) -> tuple[Document, Document]:
        """What fills the column before and after an entry."""
        filling = Plain(" " * (self.width - _width(entry)))
        return (filling, NOTHING) if self.numbers else (NOTHING, filling)


def grid(node: Grid, words: WordReader) -> Document:
    """The header and the rows, each on a line of its own."""
    rows = [_Row(words.separator("", first=True), NOTHING, words.take(), _cells(node.columns, words))]
    for row in node.rows:
        before = words.separator("", first=False)
        rows.append(_Row(before, _label(words), words.take(), _cells(row.cells, words)))
    labels = _Column(max(_width(row.label) for row in rows), _numbers(cell for row in node.rows for cell in row.label))
    cells = [row.cells for row in node.rows]
    columns = [
        _Column(
            max(_width(row.cells[index]) for row in rows if index < len(row.cells)),
            _numbers(row[index] for row in cells if index < len(row)),
        )
        for index in range(max(len(row.cells) for row in rows))
    ]
    return cat(*(part for row in rows for part in _line(row, labels, columns)))


def _line(row: _Row, labels: _Column, columns: Sequence[_Column]) -> Iterable[Document]:
    before, after = labels.blanks(row.label)
    yield from (row.before, before, row.label, after, SPACE, row.bar, SPACE)
    for index, (cell, column) in enumerate(zip(row.cells, columns, strict=False)):
        before, after = column.blanks(cell)
        yield from (Plain(" " * BETWEEN) if index else NOTHING, before, cell, after)


def _label(words: WordReader) -> Document:
    """`low, "a b"`, evenly spaced."""
    return Plain(", ".join(part for _, part in label_parts(words.take_text())))


def _cells(cells: Iterable[Cell], words: WordReader) -> list[Document]:
    """Each cell; a minus is a word of its own."""
    found = []
    for _ in cells:
        word = words.take()
        found.append(cat(word, words.take()) if words.taken == "MINUS" else word)
    return found


def _width(entry: Document) -> int:
    """Its columns; none for an entry that a comment breaks."""
    return 0 if math.isinf(entry.width) else int(entry.width)


def _numbers(cells: Iterable[Cell]) -> bool:
    """Whether a column holds numbers, with or without none."""
    found = False
    for cell in cells:
        if cell.quoted or isinstance(cell.value, bool | str):
            return False
        found |= cell.value is not None
    return found
