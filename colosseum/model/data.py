"""Literal data: CSV files and grids. In: a file below the spec's folder or a grid; out: entries with their places.

CSV: UTF-8 (a byte order mark is allowed), comma, RFC 4180 quotes, cells trimmed, finite decimal or exponent numbers.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from colosseum.diagnostics import Diagnostic, Label, Source, Span, closest, report
from colosseum.language import syntax
from colosseum.language.files import forbidden, within
from colosseum.model.values import Elements, Value, flatten, instance_name, text

LARGEST_FILE = 16 * 1024 * 1024
CELL = re.compile(r'[ \t]*(?:"((?:[^"]|"")*)"|([^,"\r\n]*))[ \t]*(,|\r?\n|\r|\Z)')
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
INTEGER = re.compile(r"[+-]?[0-9]{1,300}\Z")


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell of a sheet or grid: what it says and where."""

    value: Value
    span: Span

    @property
    def text(self) -> str:
        """As written."""
        return text(self.value)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A CSV file: its header and its rows, all of the header's length."""

    header: tuple[Entry, ...]
    rows: tuple[tuple[Entry, ...], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One entry of a table as data gives it: its key parts, its value and its place."""

    key: tuple[Value, ...]
    value: Value
    span: Span


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
    except OSError as error:
        return None, [report("C059", loaded.span, f"cannot read `{loaded.path}`: {error.strerror or error}")]
    except UnicodeDecodeError:
        return None, [report("C059", loaded.span, f"`{loaded.path}` is not UTF-8 text", help="save it as UTF-8")]
    return _sheet(Source(str(Path(base.name).parent / loaded.path), content, path), loaded)


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
    header = tuple(Entry(text(e.value), e.span) for e in records[0])
    labels = [Label(loaded.span, "read here")]
    for record in records[1:]:
        if len(record) != len(header):
            message = f"this line has {len(record)} cells, the header has {len(header)}"
            diagnostics.append(report("C059", record[0].span, message, labels=labels))
        diagnostics += [report("C059", e.span, "this cell is blank", labels=labels, help="every entry needs a value")
                        for e in record if e.value == ""]  # fmt: skip
        diagnostics += [report("C059", e.span, "this number is not finite", labels=labels)
                        for e in record if isinstance(e.value, float) and not math.isfinite(e.value)]  # fmt: skip
    if diagnostics:
        return None, diagnostics
    return Sheet(header, tuple(records[1:])), []


def _records(source: Source) -> Iterator[tuple[tuple[Entry, ...], Span | None]]:
    position, record = 0, list[Entry]()
    while position < len(source.text) or record:
        match = CELL.match(source.text, position)
        if match is None:
            end = source.text.find("\n", position)
            yield (), Span(source, position, len(source.text) if end < 0 else end)
            return
        group = 1 if match.group(1) is not None else 2
        raw = match.group(1).replace('""', '"') if group == 1 else match.group(2).strip()
        value: Value = raw if group == 1 else _value(raw)
        start = match.start(group)
        record.append(Entry(value, Span(source, start, start + max(1, len(match.group(group).rstrip())))))
        position = match.end()
        if match.group(3) != ",":
            yield tuple(record), None
            record = []


def _value(raw: str) -> Value:
    if INTEGER.match(raw):
        return int(raw)
    return float(raw) if NUMBER.match(raw) else raw


def column_rows(sheet: Sheet, column: int) -> Iterator[Row]:
    """Column `column` of a set's sheet as a table over its first."""
    return (Row((r[0].value,), r[column].value, r[column].span) for r in sheet.rows)


def sheet_rows(sheet: Sheet, *, table: str, indices: tuple[tuple[str, ...], ...], at: Span) -> (
    tuple[list[Row], list[Diagnostic]]
):  # fmt: skip
    """A table's entries. `indices[i]` are the names that the header may use for index i.

    k indices: a header of k index names and the table's name, one row an entry; for k ≥ 2 also a matrix whose first
    k − 1 columns are indices and whose other headers are labels of the last.
    """
    k, header = len(indices), [e.text for e in sheet.header]
    if k == 0:
        message = f"`{table}` has no index, so it cannot be read from a file"
        return [], [report("C059", at, message, help="write `= …`")]
    leads = all(name in names or not names for name, names in zip(header, indices[: max(1, k - 1)], strict=False))
    last = len(header) == k + 1 and header[-1] == table and (header[k - 1] in indices[k - 1] or not indices[k - 1])
    if leads and last:
        return [Row(tuple(e.value for e in r[:k]), r[k].value, r[k].span) for r in sheet.rows], []
    if leads and k >= 2 and len(header) >= k:
        labels = [_value(e.text) for e in sheet.header[k - 1 :]]
        return [
            Row((*(e.value for e in r[: k - 1]), label), e.value, e.span)
            for r in sheet.rows
            for label, e in zip(labels, r[k - 1 :], strict=True)
        ], []
    shown = [names[0] if names else f"index{i + 1}" for i, names in enumerate(indices)]
    wanted = ",".join((*shown, table))
    matrix = f", or `{','.join(shown[:-1])},` and the labels of `{shown[-1]}`" if k >= 2 else ""
    message = f"the header of this file does not fit `{table}`"
    return [], [report("C059", sheet.header[0].span.to(sheet.header[-1].span), message, labels=[Label(at, "read here")],
                       help=f"it must be `{wanted}`{matrix}")]  # fmt: skip


def grid_rows(grid: syntax.Grid, *, arity: int) -> tuple[list[Row], list[Diagnostic]]:
    """A table's grid: with one index a single column of values, with more the columns are the last index."""
    diagnostics = []
    for row in grid.rows:
        if len(row.cells) != len(grid.columns):
            message = uneven(row, grid)
            diagnostics.append(report("C060", row.span, message, labels=[Label(_whole(grid.columns), "the columns")]))
        lead = max(1, arity - 1)
        if len(row.label) != lead:
            message = f"this row's label has {len(row.label)} parts, the table needs {lead}"
            help_ = "write the leading indices, with commas, before the bar"
            diagnostics.append(report("C060", row.span, message, help=help_))
    if arity == 1 and len(grid.columns) != 1:
        diagnostics.append(report("C060", _whole(grid.columns), "a table of one index has one column of values"))
    if diagnostics:
        return [], diagnostics
    return [
        Row((*(c.value for c in row.label), *(() if arity == 1 else (column.value,))), cell.value, cell.span)
        for row in grid.rows
        for column, cell in zip(grid.columns, row.cells, strict=True)
    ], []


def uneven(row: syntax.GridRow, grid: syntax.Grid) -> str:
    """What to say of a row that does not fit its columns."""
    cells, columns = len(row.cells), len(grid.columns)
    return f"this row has {cells} cell{'s' * (cells != 1)} for {columns} column{'s' * (columns != 1)}"


def _whole(cells: tuple[syntax.Cell, ...]) -> Span:
    return cells[0].span.to(cells[-1].span)


def fit(
    rows: Iterable[Row], keys: Iterable[tuple[Value, ...]], *, table: str, at: Span, data: Span
) -> tuple[dict[tuple[Value, ...], Value], list[Diagnostic]]:
    """The entries in the order of the keys; a missing, doubled or unknown entry is a diagnostic.

    `at` is where the table is named, `data` where its entries are listed (in a file, its header).
    """
    wanted = dict.fromkeys(keys)
    found: dict[tuple[Value, ...], Row] = {}
    diagnostics = []
    strange: set[tuple[int, Value]] = set()
    for row in rows:
        key = tuple(flatten(row.key))
        if key not in wanted:
            part = _strange(key, wanted)
            if part is None or part not in strange:  # a wrong label is told once, not for every cell of its row
                message = f"`{instance_name(table, key)}` is not an entry of this table"
                known = [instance_name(table, k) for k in list(wanted)[:2000]]
                help_ = closest(instance_name(table, key), known)
                diagnostics.append(report("C061", row.span, message, labels=[Label(at, "the table")], help=help_))
            strange |= {part} if part else set()
        elif key in found:
            message = f"`{instance_name(table, key)}` is given twice"
            diagnostics.append(report("C061", row.span, message, labels=[Label(found[key].span, "first here")]))
        else:
            found[key] = row
    missing = [key for key in wanted if key not in found]
    if missing and not diagnostics:
        names = ", ".join(f"`{instance_name(table, key)}`" for key in missing[:3])
        more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
        labels = [Label(at, "the table")] if data.source is not at.source else []
        place = data if labels else at
        message = f"no value for {names}{more}"
        diagnostics.append(report("C061", place, message, labels=labels, help="a table must be total"))
    return {key: found[key].value for key in wanted if key in found}, diagnostics


def _strange(key: tuple[Value, ...], wanted: Mapping[tuple[Value, ...], None]) -> tuple[int, Value] | None:
    """The first part of a key that no wanted key has at its place."""
    return next((p for p in enumerate(key) if all(p[0] >= len(k) or k[p[0]] != p[1] for k in wanted)), None)


def elements(entries: Iterable[Entry], *, at: Span) -> tuple[Elements, list[Diagnostic]]:
    """The elements of a set from its first column; a doubled one is a diagnostic."""
    seen: dict[Value, Entry] = {}
    diagnostics = []
    for entry in entries:
        if entry.value in seen:
            labels = [Label(seen[entry.value].span, "first here"), Label(at, "the set")]
            diagnostics.append(report("C061", entry.span, f"`{entry.text}` is listed twice", labels=labels))
        seen.setdefault(entry.value, entry)
    return Elements(tuple(seen)), diagnostics
