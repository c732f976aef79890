"""Blocks on a terminal. In: blocks and a Rich console; out: lines that fit the width and hold no markup.

Reads the same without colour and in a pipe. Every string passes through `printable`, and reaches Rich as Text only, so
that no name is read as markup. What has no number has a mark, and the reason stands below the table.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final, Literal, TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text

from colosseum.report.document import (
    SIGNS,
    Amount,
    AnyChart,
    Between,
    Block,
    Definitions,
    Heading,
    IntervalChart,
    Linked,
    Listing,
    Paragraph,
    Quote,
    Table,
    TableCell,
)
from colosseum.report.numbers import number, significant

WIDEST_LABEL: Final = 24
"""A longer row or column label is folded."""
STYLES: Final = {
    "": "", "title": "bold", "strong": "bold", "warning": "bold yellow", "bad": "bold red", "quiet": "dim",
    "secret": "magenta", "wrong": "red",
}  # fmt: skip
TONES: Final = {"bad": "bold red", "clear": "green", "open": "yellow", "plain": ""}
WHOLE: Final = 999
"""Cells of a column that is not narrowed."""
_GAP: Final = 2
"""Columns between two cells: the padding and the divider."""
_INDENT: Final = 2
_ASCII: Final = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
"""`SIMPLE_HEAD` for encodings without line-drawing signs."""
_BLANKS: Final = re.compile(r" +((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)
"""Blanks at the end of a line, also where a style ends behind them."""
_SIGNS: Final = str.maketrans(
    {"±": "+/-", "–": "-", "−": "-", "…": "...", "·": "*", "λ": "lambda", "▲": "^", "●": "o", "◇": "?"}
)


@contextmanager
def page_on(stream: TextIO, *, color: bool | None = None) -> Iterator[Console]:
    """A console for one page, which is written when it is whole, without the blanks that fill up its lines."""
    plain = None if color is None else not color
    console = Console(file=stream, highlight=False, no_color=plain, force_terminal=color or None)
    with console.capture() as page:
        yield console
    stream.write(_BLANKS.sub(r"\1", page.get()))


def print_blocks(blocks: Iterable[Block], stream: TextIO, *, color: bool | None = None) -> None:
    """Write one page of blocks."""
    with page_on(stream, color=color) as console:
        show(console, blocks)


def show(console: Console, blocks: Iterable[Block]) -> None:
    """Print blocks from top to bottom."""
    below = False
    for block in blocks:
        if below and not isinstance(block, Heading | Table | AnyChart) and getattr(block, "title", "") == "":
            say(console)
        below = isinstance(block, Table | AnyChart)
        match block:
            case Heading(text):
                say_heading(console, text)
            case Paragraph(text, style):
                say(console, text, style=STYLES[style])
            case Quote():
                _show_quote(console, block)
            case Listing(name, text):
                say(console, name, style="bold") if name else None
                clean = "\n".join(printable(line, console.encoding) for line in text.split("\n"))
                console.print(Text(clean), soft_wrap=True)
            case Definitions(items, title):
                if title:
                    say(console)
                    say(console, title, style="bold")
                list_facts(console, items)
            case Table():
                _show_table(console, block)
            case _:
                _show_chart(console, block)


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
        for number_, line in enumerate(lines):
            line.rstrip()
            opening = Text.assemble(head, " " * (column + 2 - cell_len(word))) if fits and not number_ else Text(margin)
            console.print(opening + line)


def _show_quote(console: Console, quote: Quote) -> None:
    """Our line, then theirs behind a bar."""
    style = STYLES[quote.style]
    opening = Text(printable(quote.opening, console.encoding), style)
    for place, line in enumerate(opening.wrap(console, max(1, console.width - 4)) if quote.opening else ()):
        console.print(Text("    " if place else "  ") + line)
    bar = "| " if console.options.ascii_only else "│ "
    for part in quote.text.splitlines():
        text = Text(printable(part, console.encoding), style)
        for line in text.wrap(console, max(1, console.width - 6)) or [text]:
            line.rstrip()
            console.print(Text("    ") + Text(bar, "dim") + line)


def _show_chart(console: Console, chart: AnyChart) -> None:
    """Means with intervals; the numbers of all other charts stand in tables."""
    from colosseum.report.text_charts import interval_rows

    if isinstance(chart, IntervalChart):
        say(console)
        say(console, chart.title, style="bold")
        for row in interval_rows(chart, console.width, ascii_only=console.options.ascii_only):
            say(console, row)


# ---- tables --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells as words, by row and column; a row without any is a heading over those below it."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Text, ...], ...]
    """One tuple a row, one cell a column."""
    corner: str = ""
    """Above the rows' labels."""
    left: frozenset[str] = frozenset()
    """Columns of words, which begin at the left."""
    most: int = WHOLE
    """Cells of a column of words; longer ones go on below."""

    def transposed(self) -> "Grid":
        """Rows as columns."""
        return Grid(self.columns, self.rows, tuple(zip(*self.cells, strict=True)), self.corner)

    def part(self, columns: Sequence[int]) -> "Grid":
        """The same rows with these columns only."""
        cells = tuple(tuple(row[c] for c in columns) if row else () for row in self.cells)
        return replace(self, columns=tuple(self.columns[c] for c in columns), cells=cells)


def cell_words(cell: TableCell, notes: dict[str, int] | None = None) -> str:
    """A cell as it is read; `notes` numbers the notes below a table, equal ones alike."""
    match cell:
        case None:
            return ""
        case bool():
            return "yes" if cell else "no"
        case int():
            return f"{cell:,}"
        case float():
            return significant(cell)
        case Amount(value, places, signed):
            sign = "+" if signed else "-"
            words = "–" if value is None else significant(value) if places is None else number(value, places, sign=sign)
            words = f"{words} {SIGNS[cell.tone]}".rstrip()
        case Between():
            words = _between(cell)
        case Linked():
            words = cell.words
        case _:
            return cell
    note = getattr(cell, "note", "")
    return f"{words} ({notes.setdefault(note, len(notes) + 1)})" if note and notes is not None else words


def _between(cell: Between) -> str:
    sign = "+" if cell.signed else "-"
    mean = "" if cell.mean is None else number(cell.mean, cell.places, sign=sign)
    if cell.low is None or cell.high is None:
        return " ".join(part for part in (mean or "–", cell.words) if part)
    if cell.short and cell.mean is not None:
        return f"{mean} ± {number(cell.high - cell.mean, cell.places)}"
    limits = f"[{number(cell.low, cell.places, sign=sign)}, {number(cell.high, cell.places, sign=sign)}]"
    return f"{mean} {limits}".strip()


def table_notes(table: Table) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """All cells as words, and what stands below them: numbered notes, then the table's own facts."""
    notes: dict[str, int] = {}
    cells = [[cell_words(cell, notes) for cell in row] for row in table.rows]
    return cells, [*((f"({mark})", note) for note, mark in notes.items()), *table.facts]


def _show_table(console: Console, table: Table) -> None:
    """As one if it fits as it is or turned, else as several with the same rows; its facts below."""
    shown = replace(table, rows=table.rows[: table.most])
    words, facts = table_notes(shown)
    say(console)
    say(console, table.title, style="bold")
    rows = [
        [_text(console, w, cell) for w, cell in zip(*row, strict=True)] for row in zip(words, shown.rows, strict=True)
    ]
    names = [printable(name, console.encoding) for name in table.columns]
    columns = zip(names, zip(*shown.rows, strict=True), strict=True) if shown.rows else ()
    left = frozenset(name for name, cells in columns if all(isinstance(c, str | Linked | None) for c in cells))
    grid = _grid(rows, names, left, grouped=table.grouped)
    for place, part in enumerate(_fit(grid, console.width - _INDENT, turns=table.turns)):
        if place:
            console.print()
        for heading, lines in _tables(part, ascii_only=console.options.ascii_only):
            if heading:
                console.print(Padding(Text(heading, "bold", overflow="fold"), (0, 0, 0, _INDENT)))
            if lines is not None:
                console.print(Padding(lines, (0, 0, 0, _INDENT), expand=False))
    if len(table.rows) > len(shown.rows):
        say(console, f"… and {len(table.rows) - len(shown.rows):,} more rows: `--json` lists all")
    if facts:
        say(console)
        list_facts(console, facts)


def _text(console: Console, words: str, cell: TableCell) -> Text:
    style = TONES[cell.tone] if isinstance(cell, Amount | Linked) else ""
    return Text(printable(words, console.encoding), style)


def _grid(rows: Sequence[Sequence[Text]], columns: Sequence[str], left: frozenset[str], *, grouped: bool) -> Grid:
    """Rows under the headings of their groups."""
    if not grouped:
        labels = tuple(row[0].plain for row in rows)
        return Grid(labels, tuple(columns[1:]), tuple(tuple(row[1:]) for row in rows), columns[0], left)
    labels_, cells = list[str](), list[tuple[Text, ...]]()
    for heading, group in groupby(rows, key=lambda row: row[0].plain):
        if heading:
            labels_.append(heading)
            cells.append(())
        for row in group:
            labels_.append(f"  {row[1].plain}" if heading else row[1].plain)
            cells.append(tuple(row[2:]))
    return Grid(tuple(labels_), tuple(columns[2:]), tuple(cells), columns[1], left)


def _fit(grid: Grid, width: int, *, turns: bool) -> Iterator[Grid]:
    """Grids no wider than `width`, as far as single columns allow."""
    if _width(grid, _every(grid)) <= width:
        yield grid
        return
    turned = grid.transposed() if turns and grid.rows and all(grid.cells) else grid
    if _width(turned, _every(turned)) <= width:
        yield turned
        return
    if narrow := next((g for n in range(60, 19, -4) if _width(g := replace(grid, most=n), _every(g)) <= width), None):
        yield narrow
        return
    grid = replace(grid, most=max(20, width - _label_width(grid) - _GAP))
    parts = _split(grid, width)
    for narrower in range(width - 1, 0, -1):
        even = _split(grid, narrower)
        if len(even) > len(parts):
            break
        parts = even
    for part in parts:
        yield grid.part(part)


def _every(grid: Grid) -> range:
    return range(len(grid.columns))


def _split(grid: Grid, width: int) -> list[list[int]]:
    """Runs of columns that are as long as `width` allows, one column at least."""
    parts: list[list[int]] = [[]]
    for column in range(len(grid.columns)):
        if parts[-1] and _width(grid, [*parts[-1], column]) > width:
            parts.append([])
        parts[-1].append(column)
    return parts


def _tables(grid: Grid, *, ascii_only: bool) -> Iterator[tuple[str, RichTable | None]]:
    """The rows in parts, each under its heading."""
    heading, table = "", _table(grid, ascii_only=ascii_only, header=True)
    for name, row in zip(grid.rows, grid.cells, strict=True):
        if row:
            table.add_row(Text(name, overflow="fold"), *row)
            continue
        yield heading, table if table.rows or table.show_header else None
        heading, table = name, _table(grid, ascii_only=ascii_only, header=False)
    yield heading, table if table.rows or table.show_header else None


def _table(grid: Grid, *, ascii_only: bool, header: bool) -> RichTable:
    """Without rows; all tables of a grid have the same columns."""
    lines = _ASCII if ascii_only else box.SIMPLE_HEAD
    table = RichTable(
        box=lines, show_edge=False, show_header=header, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
    )
    label = _label_width(grid)
    vertical: Literal["top", "bottom"] = "bottom" if grid.most == WHOLE else "top"
    table.add_column(Text(grid.corner), vertical=vertical, min_width=label, max_width=label, overflow="fold")
    for column in range(len(grid.columns)):
        width = _column_width(grid, column)
        side: Literal["left", "right"] = "left" if grid.columns[column] in grid.left else "right"
        heading = Text(_heading(grid, column), justify=side, overflow="fold")
        table.add_column(heading, min_width=width, max_width=width, justify=side, vertical=vertical, overflow="fold")
    return table


def _width(grid: Grid, columns: Iterable[int]) -> int:
    return _label_width(grid) + sum(_GAP + _column_width(grid, column) for column in columns)


def _label_width(grid: Grid) -> int:
    labels = [label for label, row in zip(grid.rows, grid.cells, strict=True) if row]
    return min(WIDEST_LABEL, max(map(cell_len, (*labels, grid.corner)), default=1))


def _column_width(grid: Grid, column: int) -> int:
    heading = max(map(cell_len, _heading(grid, column).split("\n")))
    return max(1, min(WIDEST_LABEL, heading), _cells_width(grid, column))


def _cells_width(grid: Grid, column: int) -> int:
    widest = max((row[column].cell_len for row in grid.cells if row), default=0)
    return min(widest, grid.most) if grid.columns[column] in grid.left else widest


def _heading(grid: Grid, column: int) -> str:
    """The column's label, on two lines where it is wider than its cells."""
    label = grid.columns[column]
    return label if cell_len(label) <= _cells_width(grid, column) else "\n".join(label.rsplit(" ", 1))
