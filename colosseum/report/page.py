"""Words and grids on a console. In: untrusted text and cells; out: lines that fit the width and hold no markup.

Every string passes through `printable`, and reaches Rich as Text only, so that no name is read as markup.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

WIDEST_LABEL: Final = 24
"""A longer row or column label is folded."""
_GAP: Final = 2
"""Columns between two cells: the padding and the divider."""
_INDENT: Final = 2
_ASCII: Final = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
"""`SIMPLE_HEAD` for encodings without line-drawing signs."""
_BLANKS: Final = re.compile(r" +((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)
"""Blanks at the end of a line, also where a style ends behind them."""
_SIGNS: Final = str.maketrans({"±": "+/-", "–": "-", "−": "-", "…": "...", "·": "*", "λ": "lambda"})


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells by row and column."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    """One tuple a row, one cell a column."""
    turns: bool = True
    """Rows and columns may change places where that fits the width better."""
    corner: str = ""
    """Above the rows' labels."""

    def transposed(self) -> "Grid":
        """Rows as columns."""
        return Grid(self.columns, self.rows, tuple(zip(*self.cells, strict=True)), self.turns, self.corner)

    def part(self, columns: Sequence[int]) -> "Grid":
        """The same rows with these columns only."""
        cells = tuple(tuple(row[c] for c in columns) for row in self.cells)
        return Grid(self.rows, tuple(self.columns[c] for c in columns), cells, self.turns, self.corner)


@contextmanager
def page_on(stream: TextIO, *, color: bool | None = None) -> Iterator[Console]:
    """A console for one page, which is written when it is whole, without the blanks that fill up its lines."""
    plain = None if color is None else not color
    console = Console(file=stream, highlight=False, no_color=plain, force_terminal=color or None)
    with console.capture() as page:
        yield console
    stream.write(_BLANKS.sub(r"\1", page.get()))


def printable(text: str, encoding: str) -> str:
    """One line without control characters (also bidirectional ones), in signs that the encoding has."""
    line = "".join(c if c.isprintable() else " " if c in "\t\n\r" else "\N{REPLACEMENT CHARACTER}" for c in text)
    if not encoding.lower().startswith("utf"):
        line = line.translate(_SIGNS).encode(encoding, "replace").decode(encoding)
    return line


def say(console: Console, text: str = "", *, style: str = "") -> None:
    """A paragraph, wrapped at words."""
    console.print(Text(printable(text, console.encoding), style, overflow="fold"))


def say_heading(console: Console, text: str) -> None:
    """A line across the page that opens a section."""
    console.print()
    console.rule(Text(printable(text, console.encoding), "bold"), align="left", style="dim")


def list_facts(console: Console, facts: Sequence[tuple[str, str]]) -> None:
    """A word or sign and what it means, one a line, the meanings aligned; a long word has a line of its own."""
    words = [printable(word, console.encoding) for word, _ in facts]
    column = max((cell_len(word) for word in words if cell_len(word) <= WIDEST_LABEL), default=0)
    margin = " " * (_INDENT + column + 2)
    for word, (_, meaning) in zip(words, facts, strict=True):
        lines = Text(printable(meaning, console.encoding)).wrap(console, max(1, console.width - len(margin)))
        fits = cell_len(word) <= column
        head = Text.assemble(" " * _INDENT, (word, "bold"))
        if not fits:
            console.print(head)
        for number, line in enumerate(lines):
            line.rstrip()
            opening = Text.assemble(head, " " * (column + 2 - cell_len(word))) if fits and not number else Text(margin)
            console.print(opening + line)


def list_notes(facts: Sequence[tuple[str, str]], console: Console) -> None:
    """The same below a table; nothing where there is nothing to note."""
    if facts:
        say(console)
        list_facts(console, facts)


def noted(note: str, notes: dict[str, int]) -> str:
    """The number of a note below a table; equal notes share it."""
    return f"({notes.setdefault(note, len(notes) + 1)})"


def show_grid(console: Console, grid: Grid) -> None:
    """The grid as one table if it fits as it is or turned, else as several with the same rows."""
    words = Grid(
        tuple(printable(label, console.encoding) for label in grid.rows),
        tuple(printable(label, console.encoding) for label in grid.columns),
        tuple(tuple(printable(cell, console.encoding) for cell in row) for row in grid.cells),
        grid.turns,
        printable(grid.corner, console.encoding),
    )
    for number, part in enumerate(fit(words, console.width - _INDENT)):
        if number:
            console.print()
        for heading, table in _tables(part, ascii_only=console.options.ascii_only):
            if heading:
                console.print(Padding(Text(heading, "bold", overflow="fold"), (0, 0, 0, _INDENT)))
            if table is not None:
                console.print(Padding(table, (0, 0, 0, _INDENT), expand=False))


def fits(console: Console, grid: Grid) -> bool:
    """Whether the page is wide enough for all columns."""
    return _width(grid, range(len(grid.columns))) <= console.width - _INDENT


def fit(grid: Grid, width: int) -> Iterator[Grid]:
    """Grids no wider than `width`, as far as single columns allow."""
    if _width(grid, range(len(grid.columns))) <= width:
        yield grid
        return
    turned = grid.transposed() if grid.turns and grid.rows else grid
    if _width(turned, range(len(turned.columns))) <= width:
        yield turned
        return
    parts = _split(grid, width)
    for narrower in range(width - 1, 0, -1):
        even = _split(grid, narrower)
        if len(even) > len(parts):
            break
        parts = even
    for part in parts:
        yield grid.part(part)


def _split(grid: Grid, width: int) -> list[list[int]]:
    """Runs of columns that are as long as `width` allows, one column at least."""
    parts: list[list[int]] = [[]]
    for column in range(len(grid.columns)):
        if parts[-1] and _width(grid, [*parts[-1], column]) > width:
            parts.append([])
        parts[-1].append(column)
    return parts


def _tables(grid: Grid, *, ascii_only: bool) -> Iterator[tuple[str, Table | None]]:
    """The rows in parts, each under a heading: a row that is nothing but its label."""
    heading, table = "", _table(grid, ascii_only=ascii_only, header=True)
    for name, row in zip(grid.rows, grid.cells, strict=True):
        if any(row):
            table.add_row(Text(name, overflow="fold"), *map(Text, row))
            continue
        yield heading, table if table.rows or table.show_header else None
        heading, table = name, _table(grid, ascii_only=ascii_only, header=False)
    yield heading, table if table.rows or table.show_header else None


def _table(grid: Grid, *, ascii_only: bool, header: bool) -> Table:
    """Without rows; all tables of a grid have the same columns."""
    lines = _ASCII if ascii_only else box.SIMPLE_HEAD
    table = Table(
        box=lines, show_edge=False, show_header=header, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    label = _label_width(grid)
    table.add_column(Text(grid.corner), vertical="bottom", min_width=label, max_width=label, overflow="fold")
    for number in range(len(grid.columns)):
        width = _column_width(grid, number)
        heading = Text(_heading(grid, number), justify="right", overflow="fold")
        table.add_column(heading, min_width=width, max_width=width, justify="right", vertical="bottom", overflow="fold")
    return table


def _width(grid: Grid, columns: Iterable[int]) -> int:
    return _label_width(grid) + sum(_GAP + _column_width(grid, column) for column in columns)


def _label_width(grid: Grid) -> int:
    labels = [label for label, row in zip(grid.rows, grid.cells, strict=True) if any(row) or not row]
    return min(WIDEST_LABEL, max(map(cell_len, (*labels, grid.corner))))


def _column_width(grid: Grid, column: int) -> int:
    heading = max(map(cell_len, _heading(grid, column).split("\n")))
    return max(1, min(WIDEST_LABEL, heading), _cells_width(grid, column))


def _cells_width(grid: Grid, column: int) -> int:
    return max((cell_len(row[column]) for row in grid.cells), default=0)


def _heading(grid: Grid, column: int) -> str:
    """The column's label, on two lines where it is wider than its cells."""
    label = grid.columns[column]
    return label if cell_len(label) <= _cells_width(grid, column) else "\n".join(label.rsplit(" ", 1))
