"""Literal data: CSV files and grids. In: a file below the spec's folder or a grid; out: entries with their places.

CSV: UTF-8 (a byte order mark is allowed), comma, RFC 4180 quotes, cells trimmed, finite decimal or exponent numbers.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from colosseum.diagnostics import Diagnostic, Label, Source, Span, closest, counted, report
from colosseum.language import syntax
from colosseum.language.files import forbidden, within
from colosseum.language.syntax import Cell
from colosseum.model.table_rows import Row
from colosseum.model.values import Elements, Fault, Value, text

LARGEST_FILE = 16 * 1024 * 1024
CELL = re.compile(r'[ \t]*(?:"((?:[^"]|"")*)"|([^,"\r\n]*))[ \t]*(,|\r?\n|\r|\Z)')
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+\Z")
INTEGER = re.compile(r"[+-]?[0-9]{1,300}\Z")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A CSV file: its header and its rows, all of the header's length; without the column `seed`, if it begins so."""

    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    seeds: tuple[Value, ...] = ()
    """Of each row, the seed of the instance that it is of; empty where all seeds have the same rows."""

    def at(self, seed: int, where: Span) -> "Sheet":
        """The rows of one seed; raises Fault where there are none."""
        if not self.seeds:
            return self
        rows = tuple(row for row, of in zip(self.rows, self.seeds, strict=True) if of == seed)
        if not rows:
            known = ", ".join(text(of) for of in dict.fromkeys(self.seeds))
            raise Fault(f"this file has no data for seed {seed}", code="C059", help=f"its seeds: {known}", span=where)
        return Sheet(self.header, rows)


def read_sheet(loaded: syntax.Loaded, *, main: Source) -> tuple[Sheet | None, list[Diagnostic]]:
    """Read the CSV file that a statement names, relative to its own text and confined to the main spec's folder."""
    base = loaded.span.source.path
    if base is None or main.path is None:
        return None, [report("C059", loaded.span, "a text without a folder cannot read files", help="save it first")]
    reason = forbidden(loaded.path)
    if reason:
        return None, [report("C059", loaded.span, f"`from` does not follow `{loaded.path}`", help=reason)]
    path = within(base.parent / loaded.path, main.path.resolve().parent)
    if path is None:
        return None, [report("C059", loaded.span, f"`{loaded.path}` is outside the spec's folder",
                             help="a spec reads files below its own folder only; copy the file there")]  # fmt: skip
    try:
        if path.exists() and not path.is_file():
            return None, [report("C059", loaded.span, f"`{loaded.path}` is not a file")]
        if path.stat().st_size > LARGEST_FILE:
            return None, [report("C059", loaded.span, f"`{loaded.path}` is larger than 16 MiB")]
        content = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        help_ = _nearby(path) or f"it is looked for in the folder of `{base.name}`"
        return None, [report("C059", loaded.span, f"there is no file `{loaded.path}`", help=help_)]
    except OSError as error:
        return None, [report("C059", loaded.span, f"cannot read `{loaded.path}`: {error.strerror or error}")]
    except UnicodeDecodeError:
        return None, [report("C059", loaded.span, f"`{loaded.path}` is not UTF-8 text", help="save it as UTF-8")]
    return _sheet(Source(str(Path(base.name).parent / loaded.path), content, path), loaded)


def _nearby(path: Path) -> str:
    """Did you mean …, among the CSV files of the same folder."""
    beside = sorted(entry.stem for entry in path.parent.glob("*.csv")) if path.parent.is_dir() else []
    near = closest(path.stem, beside)
    return f"{near[:-2]}{path.suffix}`?" if near else ""


def _sheet(source: Source, loaded: syntax.Loaded) -> tuple[Sheet | None, list[Diagnostic]]:
    records, diagnostics = [], list[Diagnostic]()
    for record, fault in _records(source):
        if fault is not None:
            help_ = "close the quote, and double the quotes inside it"
            return None, [report("C059", fault, "this is not a CSV cell", help=help_)]
        if any(entry.value != "" for entry in record):
            records.append(record)
    if not records:
        return None, [report("C059", loaded.span, f"`{loaded.path}` is empty", help="its first line is a header")]
    header = tuple(replace(cell, value=text(cell.value)) for cell in records[0])
    if len(header) == 1 and ";" in str(header[0].value):
        help_ = "in a spreadsheet, save it as comma-separated CSV, with decimal points"
        return None, [report("C059", header[0].span, "cells are separated by `,`, not by `;`",
                             labels=[Label(loaded.span, "read here")], help=help_)]  # fmt: skip
    labels = [Label(loaded.span, "read here")]
    diagnostics += _uneven_lines(records, labels)
    cells = [e for record in records[1:] for e in record]
    blank = [e for e in cells if e.value == ""]
    if blank:
        message = "this cell is blank" if len(blank) == 1 else f"this cell and {len(blank) - 1} more are blank"
        diagnostics.append(report("C059", blank[0].span, message, labels=labels, help="every entry needs a value"))
    for cell in cells:
        if isinstance(cell.value, float) and not math.isfinite(cell.value):
            diagnostics.append(report("C059", cell.span, "this number is not finite", labels=labels))
        elif isinstance(cell.value, str) and DECIMAL_COMMA.match(cell.value):
            help_ = f"numbers are written with a point: `{cell.value.replace(',', '.')}`"
            message = f"`{cell.value}` has a decimal comma"
            diagnostics.append(report("C059", cell.span, message, labels=labels, help=help_))
    if diagnostics:
        return None, diagnostics
    if len(header) > 1 and header[0].value == "seed":
        return Sheet(header[1:], tuple(r[1:] for r in records[1:]), tuple(r[0].value for r in records[1:])), []
    return Sheet(header, tuple(records[1:])), []


def _uneven_lines(records: list[tuple[Cell, ...]], labels: list[Label]) -> Iterator[Diagnostic]:
    """Lines of another length than the header; when all agree among themselves, the header is what is wrong."""
    width, lengths = len(records[0]), {len(record) for record in records[1:]}
    if len(records) > 2 and len(lengths) == 1 and lengths != {width}:
        message = f"the header has {counted(width, 'cell')}, every line below it {lengths.pop()}"
        yield report("C059", whole(records[0]), message, labels=labels, help=_split(records[1]))
        return
    for record in records[1:]:
        if len(record) != width:
            message = f"this line has {counted(len(record), 'cell')}, the header has {width}"
            yield report("C059", whole(record), message, labels=labels, help=_split(record))


def _split(record: tuple[Cell, ...]) -> str:
    """Why a line may have too many cells: a number with a decimal comma makes two of them."""
    for left, right in pairwise(record):
        if isinstance(left.value, int) and isinstance(right.value, int) and right.span.start == left.span.end + 1:
            halves = f"{left.span.text},{right.span.text}"
            return f"if `{halves}` is one number, write it with a point: `{left.span.text}.{right.span.text}`"
    return ""


def _records(source: Source) -> Iterator[tuple[tuple[Cell, ...], Span | None]]:
    position, record = 0, list[Cell]()
    while position < len(source.text) or record:
        match = CELL.match(source.text, position)
        if match is None:
            end = source.text.find("\n", position)
            yield (), Span(source, position, len(source.text) if end < 0 else end)
            return
        group = 1 if match.group(1) is not None else 2
        raw = match.group(1).replace('""', '"') if group == 1 else match.group(2).strip()
        value = raw if group == 1 else _value(raw)
        start = match.start(group)
        place = Span(source, start, start + max(1, len(match.group(group).rstrip())))
        record.append(Cell(value, span=place))
        position = match.end()
        if match.group(3) != ",":
            yield tuple(record), None
            record = []


def _value(raw: str) -> int | float | str | None:
    if raw == "none":
        return None
    if INTEGER.match(raw):
        return int(raw)
    return float(raw) if NUMBER.match(raw) else raw


def sheet_rows(sheet: Sheet, *, table: str, indices: tuple[tuple[str, ...], ...], at: Span) -> (
    tuple[list[Row], list[Diagnostic]]
):  # fmt: skip
    """A table's entries. `indices[i]` are the names that the header may use for index i.

    k indices: a header of k index names and the table's name, one row an entry; for k ≥ 2 also a matrix whose first
    k − 1 columns are indices and whose other headers are labels of the last.
    """
    k, header = len(indices), [str(cell.value) for cell in sheet.header]
    if k == 0:
        message = f"`{table}` has no index, so it cannot be read from a file"
        return [], [report("C059", at, message, help="write `= …`")]
    leads = all(name in names or not names for name, names in zip(header, indices[: max(1, k - 1)], strict=False))
    last = len(header) == k + 1 and header[-1] == table and (header[k - 1] in indices[k - 1] or not indices[k - 1])
    if leads and last:
        return [Row(r[:k], r[k].value, r[k].span) for r in sheet.rows], []
    if leads and k >= 2 and len(header) == k + 1 and (not indices[k - 1] or header[k - 1] in indices[k - 1]):
        labels = [Label(at, "read here")]
        message = f"the last column holds `{table}`, but its heading is `{header[-1]}`"
        return [], [report("C059", sheet.header[-1].span, message, labels=labels, help=f"head it `{table}`")]
    if leads and k >= 2 and len(header) >= k:
        labelled = [replace(cell, value=_value(str(cell.value))) for cell in sheet.header[k - 1 :]]
        return [
            Row((*r[: k - 1], label), cell.value, cell.span)
            for r in sheet.rows
            for label, cell in zip(labelled, r[k - 1 :], strict=True)
        ], []
    shown = [names[0] if names else f"index{i + 1}" for i, names in enumerate(indices)]
    wanted = ",".join((*shown, table))
    matrix = f", or `{','.join(shown[:-1])},` and the labels of `{shown[-1]}`" if k >= 2 else ""
    message = f"the header of this file does not fit `{table}`"
    return [], [report("C059", whole(sheet.header), message, labels=[Label(at, "read here")],
                       help=f"it must be `{wanted}`{matrix}")]  # fmt: skip


def grid_rows(grid: syntax.Grid, *, arity: int) -> tuple[list[Row], list[Diagnostic]]:
    """A table's grid: with one index a single column of values, with more the columns are the last index."""
    diagnostics = []
    lengths = {len(row.cells) for row in grid.rows}
    if len(grid.rows) > 1 and len(lengths) == 1 and lengths != {len(grid.columns)}:
        message = f"every row has {counted(lengths.pop(), 'cell')}, but there {_columns(len(grid.columns))}"
        help_ = "the first line of a grid names each column; only the column of labels has no heading"
        diagnostics.append(report("C060", whole(grid.columns), message, help=help_))
        return [], diagnostics
    for row in grid.rows:
        if len(row.cells) != len(grid.columns):
            message = uneven(row, grid)
            diagnostics.append(report("C060", row.span, message, labels=[Label(whole(grid.columns), "the columns")]))
        lead = max(1, arity - 1)
        if len(row.label) != lead:
            message = f"this row's label has {len(row.label)} parts, the table needs {lead}"
            help_ = "write the leading indices, with commas, before the bar"
            diagnostics.append(report("C060", row.span, message, help=help_))
    if arity == 1 and len(grid.columns) != 1:
        diagnostics.append(report("C060", whole(grid.columns), "a table of one index has one column of values"))
    if diagnostics:
        return [], diagnostics
    return [
        Row(row.label if arity == 1 else (*row.label, column), cell.value, cell.span)
        for row in grid.rows
        for column, cell in zip(grid.columns, row.cells, strict=True)
    ], []


def uneven(row: syntax.GridRow, grid: syntax.Grid) -> str:
    """The message for a row that does not fit its columns."""
    return f"this row has {counted(len(row.cells), 'cell')}, but there {_columns(len(grid.columns))}"


def _columns(number: int) -> str:
    return f"{'is' if number == 1 else 'are'} {counted(number, 'column')}"


def whole(parts: Sequence[Cell]) -> Span:
    """From the first part to the last."""
    return parts[0].span.to(parts[-1].span)


def elements(cells: Iterable[Cell], *, at: Span) -> tuple[Elements, list[Diagnostic]]:
    """The elements of a set from its first column; a doubled one is a diagnostic."""
    seen: dict[Value, Cell] = {}
    diagnostics = []
    for cell in cells:
        if cell.value in seen:
            labels = [Label(seen[cell.value].span, "first here"), Label(at, "the set")]
            diagnostics.append(report("C061", cell.span, f"`{text(cell.value)}` is listed twice", labels=labels))
        seen.setdefault(cell.value, cell)
    return Elements(tuple(seen)), diagnostics
