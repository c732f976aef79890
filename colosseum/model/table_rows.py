"""Entries of data. In: a grid, a map or a CSV file, and the keys wanted; out: the entries of a table, or of a set.

Total: a missing, doubled or unknown entry is a diagnostic. A wrong label is told once, at the label, and not for
every cell beside it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from colosseum.diagnostics import Diagnostic, Label, Span, closest, counted, report
from colosseum.language import syntax
from colosseum.language.csv_files import Sheet, cell_value, whole
from colosseum.language.syntax import Cell
from colosseum.model.values import Entries, Fault, Key, Value, instance_name, text
from colosseum.model.world import Problems

MOST_LISTED = 3
"""Entries that a message names before it counts the rest."""
MOST_KNOWN = 8
"""Labels that a help names."""
MOST_COMPARED = 2000
"""Labels among which a near one is looked for."""
TableEntry: TypeAlias = tuple[tuple[Cell, ...], Cell]
"""The labels of an entry of a table as data gives it, and its value."""


def headings(table: syntax.Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The set that each index runs over, and what a CSV header may call it; a pair's parts have no set."""
    for index in table.indices.items if table.indices else ():
        domain = index.domain.id if isinstance(index.domain, syntax.Name) else ""
        if len(index.names) > 1:
            yield from (("", (name,)) for name in index.names)
        else:
            yield domain, tuple(n for n in (domain, *index.names) if n)


def fit(rows: Iterable[TableEntry], keys: Iterable[Key], table: syntax.Table, at: Span, findings: Problems) -> Entries:
    """The entries in the order of the keys. Raises Poisoned when something is wrong with them, which is reported.

    They are listed at a span; in a file, that is its header.
    """
    order = dict.fromkeys(keys)
    labels = [dict.fromkeys(column) for column in zip(*order, strict=True)] if order else []
    found: dict[Key, Cell] = {}
    strange: dict[tuple[int, Value], Cell] = {}
    beside: list[tuple[Key, Cell]] = []
    diagnostics: list[Diagnostic] = []
    for parts, entry in rows:
        key = tuple(part.value for part in parts)
        unknown = [i for i, part in enumerate(key) if i >= len(labels) or part not in labels[i]]
        for position in unknown:
            strange.setdefault((position, key[position]), parts[position])
        if key in found:
            message = f"`{instance_name(table.name, key)}` is given twice"
            diagnostics.append(report("C061", entry.span, message, labels=[Label(found[key].span, "first here")]))
        elif key in order:
            found[key] = entry
        elif not unknown:
            beside.append((key, entry))
    for (position, _), label in strange.items():
        diagnostics.append(_unknown_label(position, label, labels, table))
    diagnostics += _left_out(beside, table)
    if not strange:
        diagnostics += _missing([key for key in order if key not in found], table, at)
    findings.refuse(diagnostics)
    return {key: found[key].value for key in order}


def _unknown_label(
    position: int, label: Cell, labels: Sequence[Mapping[Value, None]], table: syntax.Table
) -> Diagnostic:
    """A row's or column's label that no entry of the table has."""
    part = text(label.value)
    over = dict(enumerate(name for name, _ in headings(table))).get(position)
    known = [text(each) for each in labels[position]] if position < len(labels) else []
    what = f"is not in `{over}`, over which `{table.name}` runs" if over else f"is not an index of `{table.name}`"
    labelled = [Label(table.name_span, "the table")]
    owner = f"`{over}` has" if over else "known are"
    help_ = closest(part, known[:MOST_COMPARED]) or (f"{owner}: {few(known, MOST_KNOWN)}" if known else "")
    return report("C061", label.span, f"`{part}` {what}", labels=labelled, help=help_)


def _left_out(rows: Sequence[tuple[Key, Cell]], table: syntax.Table) -> Iterator[Diagnostic]:
    """Entries whose labels are known, but not together: a `where` leaves them out."""
    if rows:
        names = few([f"`{instance_name(table.name, key)}`" for key, _ in rows])
        some = "is not an entry" if len(rows) == 1 else "are not entries"
        labels = [Label(table.name_span, "the table")]
        help_ = "the `where` of its indices leaves this out; without it, every combination has a value"
        yield report("C061", rows[0][1].span, f"{names} {some} of this table", labels=labels, help=help_)


def _missing(keys: Sequence[Key], table: syntax.Table, at: Span) -> Iterator[Diagnostic]:
    if keys:
        in_file = at.source is not table.span.source
        labels = [Label(table.name_span, "the table")] if in_file else []
        message = f"no value for {few([f'`{instance_name(table.name, key)}`' for key in keys])}"
        place = at if in_file else table.name_span
        yield report("C061", place, message, labels=labels, help="a table has a value for each of its indices")


def few(names: Sequence[str], most: int = MOST_LISTED) -> str:
    """The first of these, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def sheet_rows(sheet: Sheet, *, table: str, indices: tuple[tuple[str, ...], ...], at: Span) -> list[TableEntry]:
    """A table's entries. `indices[i]` are the names that the header may use for index i. Raises Fault.

    k indices: a header of k index names and the table's name, one row an entry; for k ≥ 2 also a matrix whose first
    k − 1 columns are indices and whose other headers are labels of the last.
    """
    k, header = len(indices), [str(cell.value) for cell in sheet.header]
    if k == 0:
        message = f"`{table}` has no index, so it cannot be read from a file"
        raise Fault(message, code="C059", help="write `= …`", span=at)
    leads = all(name in names or not names for name, names in zip(header, indices[: max(1, k - 1)], strict=False))
    last = len(header) == k + 1 and header[-1] == table and (header[k - 1] in indices[k - 1] or not indices[k - 1])
    if leads and last:
        return [(r[:k], r[k]) for r in sheet.rows]
    here = [Label(at, "read here")]
    if leads and k >= 2 and len(header) == k + 1 and (not indices[k - 1] or header[k - 1] in indices[k - 1]):
        message = f"the last column holds `{table}`, but its heading is `{header[-1]}`"
        raise Fault(message, code="C059", help=f"head it `{table}`", span=sheet.header[-1].span, labels=here)
    if leads and k >= 2 and len(header) >= k:
        labelled = [replace(cell, value=cell_value(str(cell.value))) for cell in sheet.header[k - 1 :]]
        matrix = ((r[: k - 1], zip(labelled, r[k - 1 :], strict=True)) for r in sheet.rows)
        return [((*lead, label), cell) for lead, cells in matrix for label, cell in cells]
    shown = [names[0] if names else f"index{i + 1}" for i, names in enumerate(indices)]
    wanted = ",".join((*shown, table))
    other = f", or `{','.join(shown[:-1])},` and the labels of `{shown[-1]}`" if k >= 2 else ""
    message, help_ = f"the header of this file does not fit `{table}`", f"it must be `{wanted}`{other}"
    raise Fault(message, code="C059", help=help_, span=whole(sheet.header), labels=here)


def grid_rows(grid: syntax.Grid, *, arity: int, findings: Problems) -> list[TableEntry]:
    """A table's grid: with one index a single column of values, with more the columns are the last index.

    Raises Fault; Poisoned for what is reported.
    """
    diagnostics = []
    lengths = {len(row.cells) for row in grid.rows}
    if len(grid.rows) > 1 and len(lengths) == 1 and lengths != {len(grid.columns)}:
        message = f"every row has {uneven(lengths.pop(), grid)}"
        help_ = "the first line of a grid names each column; only the column of labels has no heading"
        raise Fault(message, code="C060", help=help_, span=whole(grid.columns))
    for row in grid.rows:
        if len(row.cells) != len(grid.columns):
            message = f"this row has {uneven(len(row.cells), grid)}"
            diagnostics.append(report("C060", row.span, message, labels=[Label(whole(grid.columns), "the columns")]))
        lead = max(1, arity - 1)
        if len(row.label) != lead:
            message = f"this row's label has {len(row.label)} parts, the table needs {lead}"
            help_ = "write the leading indices, with commas, before the bar"
            diagnostics.append(report("C060", row.span, message, help=help_))
    if arity == 1 and len(grid.columns) != 1:
        diagnostics.append(report("C060", whole(grid.columns), "a table of one index has one column of values"))
    findings.refuse(diagnostics)
    rows = ((row.label, zip(grid.columns, row.cells, strict=True)) for row in grid.rows)
    return [(lead if arity == 1 else (*lead, column), cell) for lead, cells in rows for column, cell in cells]


def uneven(cells: int, grid: syntax.Grid) -> str:
    """How many cells a row has, and how many columns there are."""
    are = "is" if len(grid.columns) == 1 else "are"
    return f"{counted(cells, 'cell')}, but there {are} {counted(len(grid.columns), 'column')}"
