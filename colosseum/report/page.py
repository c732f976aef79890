"""Blocks on a terminal. In: blocks and a Rich console; out: lines that fit the width and hold no markup.

Reads the same without colour and in a pipe. Every string passes through `printable`, and reaches Rich as Text only, so
that no name is read as markup. What has no number has a mark, and the reason stands below the table.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from io import StringIO
from typing import Final, Literal, TextIO, TypeAlias

from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Column as GridColumn
from rich.table import Table as Grid
from rich.text import Text

from colosseum.diagnostics.harmless import printable
from colosseum.report import document
from colosseum.report.words import number, significant

WIDEST_LABEL: Final = 24  # a longer row or column label is folded
STYLES: Final = {
    "": "", "title": "bold", "strong": "bold", "warning": "bold yellow", "bad": "bold red", "quiet": "dim",
    "secret": "magenta", "wrong": "red",
}  # fmt: skip
TONES: Final = {"bad": "bold red", "clear": "green", "open": "yellow", "plain": ""}
WHOLE: Final = 9_999  # wider than any table
_GAP: Final = 2  # columns between two cells: the padding and the divider
_INDENT: Final = 2
_BLANKS: Final = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)
"""Blanks at the end of a line, also where a style begins or ends between them."""


def print_blocks(blocks: Iterable[document.Block], stream: TextIO, *, color: bool) -> None:
    """Write one page when it is whole, without the blanks that fill up its lines; in a notebook as text, too."""
    system: Literal["auto"] | None = "auto" if color else None
    console = Console(
        file=stream, highlight=False, color_system=system, force_terminal=color or None, force_jupyter=False
    )
    with console.capture() as page:
        show(console, blocks)
    stream.write(_BLANKS.sub(lambda found: found[0].replace(" ", ""), page.get()))


def text_of(blocks: Iterable[document.Block]) -> str:
    """One page as plain text."""
    print_blocks(blocks, page := StringIO(), color=False)
    return page.getvalue()


def show(console: Console, blocks: Iterable[document.Block]) -> None:
    """Print blocks from top to bottom."""
    below = False
    for block in blocks:
        apart = isinstance(block, document.Heading | document.Table | document.AnyChart)
        if below and not apart and getattr(block, "title", "") == "":
            say(console)
        below = isinstance(block, document.Table | document.AnyChart)
        match block:
            case document.Heading(text):
                console.print()
                console.rule(Text(printable(text, console.encoding), "bold"), align="left", style="dim")
            case document.Paragraph(text, style):
                say(console, text, style=STYLES[style])
            case document.Quote():
                _show_quote(console, block)
            case document.Listing(name, text):
                say(console, name, style="bold") if name else None
                clean = "\n".join(printable(line, console.encoding) for line in text.split("\n"))
                console.print(Text(clean), soft_wrap=True)
            case document.Definitions(items, title):
                if title:
                    say(console)
                    say(console, title, style="bold")
                list_facts(console, items)
            case document.Table() | document.IntervalChart():
                _show_table(console, block.table if isinstance(block, document.IntervalChart) else block)
            case document.Plot():
                pass  # for a page


def say(console: Console, text: str = "", *, style: str = "") -> None:
    """A paragraph, wrapped at words."""
    console.print(Text(printable(text, console.encoding), style, overflow="fold"))


def list_facts(console: Console, facts: Sequence[tuple[str, str]]) -> None:
    """A word or sign and what it means, one a line, the meanings aligned."""
    widest = min(WIDEST_LABEL, max((cell_len(word) for word, _ in facts), default=0))
    columns = GridColumn(width=widest, overflow="fold"), GridColumn(overflow="fold")
    grid = Grid.grid(*columns, padding=(0, _GAP, 0, 0), pad_edge=False)
    for word, meaning in facts:
        cells = Text(printable(word, console.encoding), "bold"), Text(printable(meaning, console.encoding))
        grid.add_row(*cells)
    console.print(Padding(grid, (0, 0, 0, _INDENT)))


def _show_quote(console: Console, quote: document.Quote) -> None:
    """Our line, then theirs behind a bar."""
    style = STYLES[quote.style]
    if quote.opening:
        console.print(Padding(Text(printable(quote.opening, console.encoding), style), (0, 0, 0, _INDENT)))
    bar = "| " if console.options.ascii_only else "│ "
    for part in quote.text.splitlines():
        text = Text(printable(part, console.encoding), style)
        for line in text.wrap(console, max(1, console.width - 6)) or [text]:
            line.rstrip()
            console.print(Text("    ") + Text(bar, "dim") + line)


def cell_words(cell: document.TableCell, notes: dict[str, int] | None = None) -> str:
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
        case str():
            return cell
    words = _amount(cell)
    return f"{words} ({notes.setdefault(cell.note, len(notes) + 1)})" if cell.note and notes is not None else words


def _amount(cell: document.Amount) -> str:
    """`+0.31 [+0.25, +0.37]`, `0.31 ± 0.06`, `+0.31 (3/20 differ)`, `–`."""

    def shown(value: float) -> str:
        return significant(value) if cell.places is None else number(value, cell.places, sign="-+"[cell.signed])

    if cell.is_text:
        return cell.words
    value = shown(cell.value) if cell.value is not None else "" if cell.limits else "–"
    limits = f"[{', '.join(map(shown, cell.limits))}]" if cell.limits else cell.words
    if cell.short and cell.limits and cell.value is not None:
        limits = f"± {shown(cell.limits[1] - cell.value)}"
    return " ".join(filter(None, (value, limits, document.SIGNS[cell.tone])))


def table_notes(table: document.Table) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """All cells as words, and what stands below them: numbered notes, then the table's own facts."""
    notes: dict[str, int] = {}
    cells = [[cell_words(cell, notes) for cell in row] for row in table.rows]
    return cells, [*((f"({mark})", note) for note, mark in notes.items()), *table.facts]


Column: TypeAlias = tuple[str, Sequence[Text], bool]
"""A heading, cells, and whether they are words, which begin at the left and may be folded; numbers are whole."""


def _show_table(console: Console, table: document.Table) -> None:
    """As one if it fits, else as several with the same rows; its facts below."""
    shown = replace(table, rows=table.rows[: table.most])
    words, facts = table_notes(shown)
    say(console)
    say(console, table.title, style="bold")
    lines = zip(*_lines(shown, words, console.encoding), strict=True)
    names = [printable(name, console.encoding) for name in table.columns[table.grouped :]]
    left = [all(cell.is_text if isinstance(cell, document.Amount) else isinstance(cell, str | None) for cell in cells)
            for cells in zip(*shown.rows, strict=True)]  # fmt: skip
    label, *columns = zip(names, lines, [True, *left[table.grouped + 1 :]], strict=False)
    parts, wide = [[label]], console.options.update(width=WHOLE)
    for column in columns:
        least = console.measure(_grid(console, [*parts[-1], column]), options=wide).minimum
        if len(parts[-1]) > 1 and least > console.width - _INDENT:
            parts.append([label])
        parts[-1].append(column)
    for place, part in enumerate(parts):
        if place:
            console.print()
        console.print(Padding(_grid(console, part), (0, 0, 0, _INDENT)))
    if len(table.rows) > len(shown.rows):
        say(console, f"… and {len(table.rows) - len(shown.rows):,} more rows: `--json` lists all")
    if facts:
        say(console)
        list_facts(console, facts)


def _lines(table: document.Table, words: Sequence[Sequence[str]], encoding: str) -> Iterator[list[Text]]:
    """The cells of all rows; those of a group stand below its heading, indented."""
    last = ""
    for row, cells in zip(words, table.rows, strict=True):
        tones = (TONES[getattr(cell, "tone", "plain")] for cell in cells)
        group, name, *rest = [Text(), *map(Text, (printable(word, encoding) for word in row), tones)][table.grouped :]
        if group.plain != last:
            last = group.plain
            yield [Text(last, "bold"), *[Text()] * len(rest)]
        yield [Text("  " if last else "") + name, *rest]


def _grid(console: Console, columns: Sequence[Column]) -> Grid:
    """Headings, a line, and rows; a heading that is wider than its cells has two lines, where there is no room."""
    line = "--" if console.options.ascii_only else "──"
    box = Box(f"    \n    \n {line} \n" + "    \n" * 5, ascii=console.options.ascii_only)
    grid, ends = Grid(box=box, padding=(0, _GAP - 1, 0, 0), pad_edge=False, show_edge=False), list[tuple[int, int]]()
    for place, (heading, cells, left) in enumerate(columns):
        widest = max((cell.cell_len for cell in cells), default=0)
        parts = [heading] if cell_len(heading) <= widest else heading.rsplit(" ", 1)
        least = widest if place and not left else min(widest, WIDEST_LABEL)
        least = max(1, least, min(WIDEST_LABEL, max(map(cell_len, parts))))
        ends.append((least, max(least, widest, cell_len(heading)) if place and left else least))
    spare = console.width - _INDENT - sum(least for least, _ in ends) - _GAP * (len(columns) - 1)
    for (heading, _, left), (least, most) in zip(columns, ends, strict=True):  # Rich would shrink the widest most
        width = max(least, min(most, least + spare))
        spare -= width - least
        grid.add_column(Text(heading, "bold"), justify="left" if left else "right", width=width, overflow="fold")
    for row in zip(*(cells for _, cells, _ in columns), strict=True):
        grid.add_row(*row)
    return grid
