"""Grids. In: a grid and its words; out: one line a row, columns lined up: numbers to the right, names to the left."""

import math
from collections.abc import Iterable

from colosseum.language.layout.document import NOTHING, Document, Plain, cat
from colosseum.language.layout.words import WordReader
from colosseum.language.literals import label_parts
from colosseum.language.syntax import Cell, Grid

GAPS = ("", " ", " ", "  ")
"""Blanks before a label, its bar, the first cell, and each further cell."""


def grid(node: Grid, words: WordReader) -> Document:
    """The header and the rows, each on a line of its own."""
    rows: list[tuple[Document, list[Document]]] = []
    for label, cells in [((), node.columns), *((row.label, row.cells) for row in node.rows)]:
        before = words.separator("", first=not rows)
        rows.append((before, [_label(words) if label else NOTHING, words.take(), *(_cell(words) for _ in cells)]))
    columns = range(max(len(entries) for _, entries in rows))
    widths = [max(_width(entries[i]) for _, entries in rows if i < len(entries)) for i in columns]
    values = [[part for row in node.rows for part in row.label], []]
    values += [[row.cells[i - 2] for row in node.rows if i < len(row.cells) + 2] for i in columns[2:]]
    parts: list[Document] = []
    for before, entries in rows:
        parts.append(before)
        for i, entry in enumerate(entries):
            filling = Plain(" " * (widths[i] - _width(entry)))
            parts += [Plain(GAPS[min(i, 3)]), *((filling, entry) if _numbers(values[i]) else (entry, filling))]
    return cat(*parts)


def _label(words: WordReader) -> Document:
    """`low, "a b"`, evenly spaced."""
    written = words.next.text
    words.take()
    return Plain(", ".join(part for _, part in label_parts(written)))


def _cell(words: WordReader) -> Document:
    """A cell; a minus is a word of its own."""
    return cat(words.take(), words.take()) if words.next.kind == "MINUS" else words.take()


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
