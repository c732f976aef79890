"""The numbers of a picture as text. In: a table; out: CSV, Markdown and LaTeX, in which no name is read as markup."""

import re
from collections.abc import Sequence
from typing import Final

from colosseum.report.html.pictures.picture import Cell, Table, clean
from colosseum.report.tables import Column, Kind, as_csv

UNKNOWN: Final = "–"
"""What stands for None where people read; a CSV file has an empty cell."""
LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "λ": r"$\lambda$", "Δ": r"$\Delta$", "−": "$-$", "–": "--",
    "…": r"\ldots{}", "·": r"$\cdot$",
}  # fmt: skip
"""What signs are written as."""
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&^$@:])")


def csv_of(table: Table) -> bytes:
    """Numbers in full."""
    columns = zip(table.columns, zip(*table.rows, strict=True), strict=True) if table.rows else ()
    return as_csv([_column(name, cells) for name, cells in columns] or [Column(n, "text", ()) for n in table.columns])


def _column(name: str, cells: Sequence[Cell]) -> Column:
    kind = _kind(cells)
    texts = tuple(None if cell is None else clean(str(cell)) for cell in cells)
    return Column(clean(name), kind, texts if kind == "text" else tuple(cells))


def _kind(cells: Sequence[Cell]) -> Kind:
    known = [cell for cell in cells if cell is not None]
    if any(isinstance(cell, str) for cell in known):
        return "text"
    return "whole" if known and all(isinstance(cell, int) for cell in known) else "number"


def markdown_of(table: Table) -> str:
    """A table with pipes; numbers with six digits, to the right."""
    kinds = _kinds(table)
    ruler = ["---" if kind == "text" else "---:" for kind in kinds]
    lines = [_marked(table.columns), ruler, *(_marked([_shown(cell) for cell in row]) for row in table.rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _marked(cells: Sequence[str]) -> list[str]:
    return [cell if re.fullmatch(r"-?[\d.]+", cell) else _MARKDOWN.sub(r"\\\1", clean(cell)) for cell in cells]


def latex_of(table: Table, title: str) -> str:
    """A `tabular`, which needs no package; numbers with six digits, to the right."""
    spec = "".join("l" if kind == "text" else "r" for kind in _kinds(table))
    lines = [_row(table.columns), r"\hline", *(_row([_shown(cell) for cell in row]) for row in table.rows)]
    return "\n".join([f"% {clean(title)}", rf"\begin{{tabular}}{{{spec}}}", *lines, r"\end{tabular}", ""])


def _row(cells: Sequence[str]) -> str:
    return " & ".join("".join(LATEX.get(sign, sign) for sign in clean(cell)) for cell in cells) + r" \\"


def _kinds(table: Table) -> list[Kind]:
    if not table.rows:
        return ["text" for _ in table.columns]
    return [_kind(cells) for cells in zip(*table.rows, strict=True)]


def _shown(cell: Cell) -> str:
    if cell is None:
        return UNKNOWN
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
