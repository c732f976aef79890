"""Literal data. In: a CSV file or a grid as cells; out: entries of tables and elements of sets, with their places."""

from collections.abc import Iterable
from dataclasses import replace

from colosseum.diagnostics import Diagnostic, Label, Span, counted, report
from colosseum.language import syntax
from colosseum.language.csv_files import Sheet, cell_value, whole
from colosseum.language.syntax import Cell
from colosseum.model.table_rows import TableEntry
from colosseum.model.values import Elements, Value, text


def sheet_rows(sheet: Sheet, *, table: str, indices: tuple[tuple[str, ...], ...], at: Span) -> (
    tuple[list[TableEntry], list[Diagnostic]]
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
        return [TableEntry(r[:k], r[k].value, r[k].span) for r in sheet.rows], []
    if leads and k >= 2 and len(header) == k + 1 and (not indices[k - 1] or header[k - 1] in indices[k - 1]):
        labels = [Label(at, "read here")]
        message = f"the last column holds `{table}`, but its heading is `{header[-1]}`"
        return [], [report("C059", sheet.header[-1].span, message, labels=labels, help=f"head it `{table}`")]
    if leads and k >= 2 and len(header) >= k:
        labelled = [replace(cell, value=cell_value(str(cell.value))) for cell in sheet.header[k - 1 :]]
        return [
            TableEntry((*r[: k - 1], label), cell.value, cell.span)
            for r in sheet.rows
            for label, cell in zip(labelled, r[k - 1 :], strict=True)
        ], []
    shown = [names[0] if names else f"index{i + 1}" for i, names in enumerate(indices)]
    wanted = ",".join((*shown, table))
    matrix = f", or `{','.join(shown[:-1])},` and the labels of `{shown[-1]}`" if k >= 2 else ""
    message = f"the header of this file does not fit `{table}`"
    return [], [report("C059", whole(sheet.header), message, labels=[Label(at, "read here")],
                       help=f"it must be `{wanted}`{matrix}")]  # fmt: skip


def grid_rows(grid: syntax.Grid, *, arity: int) -> tuple[list[TableEntry], list[Diagnostic]]:
    """A table's grid: with one index a single column of values, with more the columns are the last index."""
    diagnostics = []
    lengths = {len(row.cells) for row in grid.rows}
    if len(grid.rows) > 1 and len(lengths) == 1 and lengths != {len(grid.columns)}:
        message = f"every row has {uneven(lengths.pop(), grid)}"
        help_ = "the first line of a grid names each column; only the column of labels has no heading"
        diagnostics.append(report("C060", whole(grid.columns), message, help=help_))
        return [], diagnostics
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
    if diagnostics:
        return [], diagnostics
    return [
        TableEntry(row.label if arity == 1 else (*row.label, column), cell.value, cell.span)
        for row in grid.rows
        for column, cell in zip(grid.columns, row.cells, strict=True)
    ], []


def uneven(cells: int, grid: syntax.Grid) -> str:
    """How many cells a row has, and how many columns there are."""
    are = "is" if len(grid.columns) == 1 else "are"
    return f"{counted(cells, 'cell')}, but there {are} {counted(len(grid.columns), 'column')}"


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
