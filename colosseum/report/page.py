"""Blocks on a terminal. In: blocks and a Rich console; out: lines that fit the width and hold no markup.

Reads the same without colour and in a pipe. Every string passes through `printable`, and reaches Rich as Text only, so
that no name is read as markup. What has no number has a mark, and the reason stands below the table.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Final, Literal, TextIO

from rich.align import Align
from rich.box import Box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from colosseum.report import document
from colosseum.report.pictures import Scale, scale
from colosseum.report.words import clean, number, printable, signed, significant

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
_BLANKS: Final = re.compile(r"(?: |\x1b\[[0-9;]*m)+$", re.MULTILINE)
"""Blanks at the end of a line, also where a style begins or ends between them."""


def print_blocks(blocks: Iterable[document.Block], stream: TextIO, *, color: bool | None = None) -> None:
    """Write one page when it is whole, without the blanks that fill up its lines."""
    plain = None if color is None else not color
    console = Console(file=stream, highlight=False, no_color=plain, force_terminal=color or None)
    with console.capture() as page:
        show(console, blocks)
    stream.write(_BLANKS.sub(lambda found: found[0].replace(" ", ""), page.get()))


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
            case document.Table():
                _show_table(console, block)
            case _:
                _show_chart(console, block)


def say(console: Console, text: str = "", *, style: str = "") -> None:
    """A paragraph, wrapped at words."""
    console.print(Text(printable(text, console.encoding), style, overflow="fold"))


def list_facts(console: Console, facts: Sequence[tuple[str, str]]) -> None:
    """A word or sign and what it means, one a line, the meanings aligned."""
    grid = Grid.grid("", "", padding=(0, _GAP, 0, 0), pad_edge=False)
    grid.columns[0].width = min(WIDEST_LABEL, max((cell_len(word) for word, _ in facts), default=0))
    for word, meaning in facts:
        cells = Text(printable(word, console.encoding), "bold"), Text(printable(meaning, console.encoding))
        grid.add_row(*cells)
    console.print(Padding(grid, (0, 0, 0, _INDENT)))


def _show_quote(console: Console, quote: document.Quote) -> None:
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


def _show_chart(console: Console, chart: document.AnyChart) -> None:
    """Means with intervals; the numbers of all other charts stand in tables."""
    if isinstance(chart, document.IntervalChart):
        say(console)
        say(console, chart.title, style="bold")
        for row in interval_rows(chart, console.width, ascii_only=console.options.ascii_only):
            say(console, row)


# ---- tables --------------------------------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """Cells below a heading; of words, which begin at the left and may be folded, or of numbers, which are whole."""

    heading: str
    cells: tuple[Text, ...]
    left: bool
    most: int
    """Widest cell of words; longer ones go on below."""

    @property
    def width(self) -> int:
        """In signs; a heading that is wider than its cells has two lines."""
        widest = max((cell.cell_len for cell in self.cells), default=0)
        lines = [self.heading] if cell_len(self.heading) <= widest else self.heading.rsplit(" ", 1)
        return max(1, min(WIDEST_LABEL, max(map(cell_len, lines))), min(widest, self.most) if self.left else widest)


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
    columns = list(map(ShownColumn, names, lines, [True, *left[table.grouped + 1 :]], [WIDEST_LABEL] * len(names)))
    for place, part in enumerate(_fit(columns, console.width - _INDENT)):
        if place:
            console.print()
        _print_part(console, part)
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


def _fit(columns: Sequence[ShownColumn], width: int) -> list[list[ShownColumn]]:
    """Parts no wider than `width`, as far as single columns allow; each begins with the rows' names."""
    label, *rest = columns
    for most in (WHOLE, *range(60, 19, -4), max(20, width - label.width - _GAP)):
        rest = [replace(column, most=most) for column in rest]
        if _width([label, *rest]) <= width:
            return [[label, *rest]]
    parts = [[label]]
    for column in rest:
        if len(parts[-1]) > 1 and _width([*parts[-1], column]) > width:
            parts.append([label])
        parts[-1].append(column)
    return parts


def _width(columns: Sequence[ShownColumn]) -> int:
    return sum(column.width + _GAP for column in columns) - _GAP


def _print_part(console: Console, columns: Sequence[ShownColumn]) -> None:
    """Headings, a line, and rows."""
    line = "--" if console.options.ascii_only else "──"
    box = Box(f"    \n    \n {line} \n" + "    \n" * 5, ascii=console.options.ascii_only)
    grid = Grid(box=box, padding=(0, _GAP - 1, 0, 0), pad_edge=False, show_edge=False)
    for column in columns:
        side: Literal["left", "right"] = "left" if column.left else "right"
        heading = Align(Text(column.heading, "bold"), side, vertical="bottom")
        grid.add_column(heading, justify=side, width=column.width, overflow="fold")
    for cells in zip(*(column.cells for column in columns), strict=True):
        grid.add_row(*cells)
    console.print(Padding(grid, (0, 0, 0, _INDENT)))


# ---- means with intervals ------------------------------------------------------------------------------------------


WIDEST, LEAST = 60, 20
"""Cells of a drawing."""
LONGEST: Final = 24
"""Cells of a name; a longer one is cut."""
TRACK, PLAIN_TRACK = "●○├─┤│┊┼", "ox[-]|:+"
"""A mean with an interval, one without, an interval from end to end, 0, the margin, and 0 within an interval."""


def interval_rows(chart: document.IntervalChart, width: int, *, ascii_only: bool) -> list[str]:
    """One line for each row, with 0 and the margin. The notes stand at the right if there is room."""
    signs = PLAIN_TRACK if ascii_only else TRACK
    label = min(LONGEST, max(cell_len(clean(row.name)) for row in chart.rows))
    note = max(cell_len(clean(row.note)) for row in chart.rows) + 2
    cells = width - label - 4
    notes = cells - note >= LEAST
    cells = max(LEAST, min(WIDEST, cells - note * notes))
    axis = scale([0.0, chart.margin, *(end for row in chart.rows for end in row.ends)], 0, cells - 1, margin=0)
    rows, group = list[str](), ""
    for row in chart.rows:
        if row.group != group:
            group = row.group
            rows.append(f"  {_fitted(group, width - 2)}".rstrip())
        words = f"  {clean(row.note)}" if notes else ""
        rows.append(f"  {_fitted(row.name, label)}  {_track(row, chart, axis, cells, signs)}{words}".rstrip())
    low, high = (signed(end, 2, sign="+") for end in (axis.low, axis.high))
    name, room = clean(chart.axis), cells - len(low) - len(high)
    below = [f"{name:^{room}}"] if cell_len(name) < room - 1 else [" " * room, *wrap(name, cells)]
    rows += [" " * (label + 4) + line for line in (f"{low}{below[0]}{high}", *below[1:])]
    return [*rows, *(f"  {line}" for line in wrap(_legend(chart, signs), max(LEAST, width - 2)))]


def _track(row: document.IntervalRow, chart: document.IntervalChart, axis: Scale, cells: int, signs: str) -> str:
    mean, alone, begin, dash, end, zero, rule, within = tuple(signs)
    track = [" "] * cells
    track[round(axis(chart.margin))] = rule
    track[round(axis(0.0))] = zero
    if row.low is not None and row.high is not None:
        first, last = round(axis(row.low)), round(axis(row.high))
        track[first : last + 1] = [within if sign == zero else dash for sign in track[first : last + 1]]
        track[first], track[last] = begin, end
    if row.mean is not None:
        track[round(axis(row.mean))] = alone if row.low is None else mean
    return "".join(track)


def _legend(chart: document.IntervalChart, signs: str) -> str:
    mean, alone, begin, dash, end, zero, rule, _ = tuple(signs)
    said = [f"{begin}{dash}{mean}{dash}{end} mean and {chart.level} % interval"]
    said += [f"{alone} mean, no interval"] * any(row.low is None for row in chart.rows)
    return "; ".join([*said, f"{zero} 0", f"{rule} margin {chart.margin:g}"])


def _fitted(name: str, cells: int) -> str:
    """A name cut or filled to exactly this width."""
    line = Text(clean(name))
    line.truncate(cells, overflow="ellipsis", pad=True)
    return line.plain
