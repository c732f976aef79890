"""CSV files. In: a `from "…"` of a statement; out: the cells of its file with their places, or diagnostics.

UTF-8 (a byte order mark is allowed), comma, RFC 4180 quotes, cells trimmed, finite decimal or exponent numbers.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from colosseum.diagnostics import Diagnostic, Label, Source, Span, counted, report
from colosseum.language import syntax
from colosseum.language.files import forbidden, read_source, within
from colosseum.language.record import Record
from colosseum.language.syntax import Cell

LARGEST_FILE = 16 * 1024 * 1024
CELL = re.compile(r'[ \t]*(?:"((?:[^"]|"")*)"|([^,"\r\n]*))[ \t]*(,|\r?\n|\r|\Z)')
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+\Z")
COMMAS = "a comma ends a cell: numbers are written with a point, and a text with a comma stands in quotes"
INTEGER = re.compile(r"[+-]?[0-9]{1,300}\Z")


class Sheet(Record):
    """A CSV file: its header and its rows, all of the header's length; without the column `seed`, if it begins so."""

    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    seeds: tuple[object, ...] = ()
    """Of each row, the seed of the instance that it is of; empty where all seeds have the same rows."""


def read_sheet(loaded: syntax.Loaded, *, main: Source) -> tuple[Sheet | None, list[Diagnostic]]:
    """Read the CSV file that a statement names, relative to its own text and confined to the main spec's folder."""
    base = loaded.span.source.path
    assert base is not None
    assert main.path is not None
    if reason := forbidden(loaded.path):
        return None, [report("C059", loaded.span, f"`from` does not follow `{loaded.path}`", help=reason)]
    path = within(base.parent / loaded.path, main.path.resolve().parent)
    if path is None:
        help_ = "a spec reads files below its own folder only; copy the file there"
        return None, [report("C059", loaded.span, f"`{loaded.path}` is outside the spec's folder", help=help_)]
    source = read_source(path, name=loaded.path, span=loaded.span, codes=("C059", "C059"), largest=LARGEST_FILE)
    if isinstance(source, Diagnostic):
        return None, [source]
    return _sheet(replace(source, name=str(Path(base.name).parent / loaded.path)), loaded)


def _sheet(source: Source, loaded: syntax.Loaded) -> tuple[Sheet | None, list[Diagnostic]]:
    records = _records(source)
    if isinstance(records, Span):
        help_ = "close the quote, and double the quotes inside it"
        return None, [report("C059", records, "this is not a CSV cell", help=help_)]
    if not records:
        return None, [report("C059", loaded.span, f"`{loaded.path}` is empty", help="its first line is a header")]
    if faults := list(_faults(records, [Label(loaded.span, "read here")])):
        return None, faults
    header = tuple(replace(cell, value="none" if cell.value is None else str(cell.value)) for cell in records[0])
    if len(header) > 1 and header[0].value == "seed":
        return Sheet(header[1:], tuple(r[1:] for r in records[1:]), tuple(r[0].value for r in records[1:])), []
    return Sheet(header, tuple(records[1:])), []


def _faults(records: list[tuple[Cell, ...]], labels: list[Label]) -> Iterator[Diagnostic]:
    """What is wrong with the lines of a file, and with their values."""
    first, *others = records[0]
    if not others and ";" in str(first.value):
        help_ = "in a spreadsheet, save it as comma-separated CSV, with decimal points"
        yield report("C059", first.span, "cells are separated by `,`, not by `;`", labels=labels, help=help_)
        return
    yield from _uneven_lines(records, labels)
    cells = [cell for record in records[1:] for cell in record]
    if blank := [cell for cell in cells if cell.value == ""]:
        message = "this cell is blank" if len(blank) == 1 else f"this cell and {len(blank) - 1} more are blank"
        yield report("C059", blank[0].span, message, labels=labels, help="every entry needs a value")
    for cell in cells:
        if isinstance(cell.value, float) and not math.isfinite(cell.value):
            yield report("C059", cell.span, "this number is not finite", labels=labels)
        elif isinstance(cell.value, str) and DECIMAL_COMMA.match(cell.value):
            help_ = f"leave the comma out, or write `{cell.value.replace(',', '.')}` if that is a fraction"
            yield report("C059", cell.span, f"`{cell.value}` has a comma", labels=labels, help=help_)


def _uneven_lines(records: list[tuple[Cell, ...]], labels: list[Label]) -> Iterator[Diagnostic]:
    """Lines of another length than the header; when all agree among themselves, the header is what is wrong."""
    width, lengths = len(records[0]), {len(record) for record in records[1:]}
    if len(records) > 2 and len(lengths) == 1 and lengths != {width}:
        message = f"the header has {counted(width, 'cell')}, every line below it {lengths.pop()}"
        yield report("C059", whole(records[0]), message, labels=labels, help=COMMAS)
        return
    for record in records[1:]:
        if len(record) != width:
            message = f"this line has {counted(len(record), 'cell')}, the header has {width}"
            yield report("C059", whole(record), message, labels=labels, help=COMMAS)


def _records(source: Source) -> list[tuple[Cell, ...]] | Span:
    """The lines in which something stands, or the place of what is no cell."""
    found, record, position = list[tuple[Cell, ...]](), list[Cell](), 0
    while position < len(source.text) or record:
        match = CELL.match(source.text, position)
        if match is None:
            end = source.text.find("\n", position)
            return Span(source, position, len(source.text) if end < 0 else end)
        group = 1 if match[1] is not None else 2
        value = match[1].replace('""', '"') if group == 1 else cell_value(match[2].strip())
        start, position = match.start(group), match.end()
        record.append(Cell(value, span=Span(source, start, start + max(1, len(match[group].rstrip())))))
        if match[3] != ",":
            found += [tuple(record)] if any(cell.value != "" for cell in record) else []
            record = []
    return found


def cell_value(raw: str) -> int | float | str | None:
    if raw == "none":
        return None
    if INTEGER.match(raw):
        return int(raw)
    return float(raw) if NUMBER.match(raw) else raw


def whole(parts: Sequence[Cell]) -> Span:
    """From the first part to the last."""
    return parts[0].span.to(parts[-1].span)
