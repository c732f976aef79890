"""Charts and tables as files. In: blocks of a report, a folder; out: figures for papers, and CSV, LaTeX.

A file that cannot be written does not stop the others; the caller learns which are missing. Names are never markup.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from colosseum.campaign.folder import replace_file
from colosseum.report.charts.words import clean, slug
from colosseum.report.document import Amount, AnyChart, Between, Chart, Linked, Table, TableCell
from colosseum.report.page import cell_words
from colosseum.report.paper import FORMATS, NEEDS, figure_files
from colosseum.report.tables import FigureTable

HELP: Final = f"{', '.join(name.upper() for name in FORMATS)} need {NEEDS}: `pip install 'colosseum[figures]'`"
LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "λ": r"$\lambda$", "Δ": r"$\Delta$", "−": "$-$", "–": "--",
    "…": r"\ldots{}", "·": r"$\cdot$", "▲": r"$\triangle$", "●": r"$\bullet$", "◇": r"$\diamond$",
}  # fmt: skip
"""Signs with their LaTeX commands."""


def write_files(blocks: Iterable[AnyChart | Table], folder: Path) -> tuple[int, list[str]]:
    """Write every chart in all formats and every table in two, by name. Returns how many files, and what is missing.

    The folder is made where there is none; what else is in it stays. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written, missing = 0, dict[str, None]()
    for block in blocks:
        files: dict[str, bytes] = {}
        if isinstance(block, Chart):
            try:
                files |= figure_files(block)
            except ImportError:
                missing[HELP] = None
            except (ValueError, RuntimeError) as fault:
                missing[f"{block.name}: matplotlib cannot draw it: {clean(str(fault))}"] = None
        table = block.table if isinstance(block, Chart) else block
        files |= {"csv": csv_of(table), "tex": latex_of(table).encode()}
        for ending, content in files.items():
            replace_file(folder / f"{slug(block.name)}.{ending}", content)
        written += len(files)
    return written, list(missing)


def csv_of(table: Table) -> bytes:
    """Numbers in full. Limits and notes of cells have their own columns."""
    rows = [dict(chain(*map(_values, table.columns, row))) for row in table.rows]
    names = list(dict.fromkeys(chain(*rows))) if rows else table.columns
    cells = tuple(tuple(row.get(name) for name in names) for row in rows)
    return FigureTable(tuple(map(clean, names)), cells).to_csv()


def _values(name: str, cell: TableCell) -> Iterator[tuple[str, str | int | float | bool | None]]:
    """What is in a cell, by column."""
    match cell:
        case Amount(value=value):
            yield name, value
        case Between(low=low, high=high, mean=mean, words=words):
            found = {name: mean, f"{name} low": low, f"{name} high": high, f"{name} words": clean(words)}
            yield from ((part, value) for part, value in found.items() if value not in (None, ""))
        case Linked(words=words):
            yield name, clean(words)
        case _:
            yield name, clean(cell) if isinstance(cell, str) else cell
    if note := getattr(cell, "note", ""):
        yield f"{name} note", clean(note)


def latex_of(table: Table) -> str:
    """A `tabular`, which needs no package. Columns without text stand at the right."""
    texts = [any(isinstance(cell, str | Linked) for cell in column) for column in zip(*table.rows, strict=True)]
    spec = "".join("l" if text else "r" for text in texts) or "l" * len(table.columns)
    lines = [_row(table.columns), r"\hline", *(_row([cell_words(cell) for cell in row]) for row in table.rows)]
    return "\n".join([f"% {clean(table.title)}", rf"\begin{{tabular}}{{{spec}}}", *lines, r"\end{tabular}", ""])


def _row(cells: Sequence[str]) -> str:
    return " & ".join("".join(LATEX.get(sign, sign) for sign in clean(cell)) for cell in cells) + r" \\"
