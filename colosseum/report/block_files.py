"""Charts and tables as files. In: blocks of a report, a folder; out: figures for papers, and CSV, Markdown, LaTeX.

A file that cannot be written does not stop the others; the caller learns which are missing. Names are never markup.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from colosseum.campaign.folder import replace_file
from colosseum.report.charts.words import clean, slug
from colosseum.report.document import Amount, AnyChart, Between, Chart, Linked, Table, TableCell
from colosseum.report.page import cell_words
from colosseum.report.paper import FORMATS, NEEDS, figure_files
from colosseum.report.tables import as_csv

Plain: TypeAlias = str | int | float | bool | None
HELP: Final = f"{', '.join(name.upper() for name in FORMATS)} need {NEEDS}: `pip install 'colosseum[figures]'`"
LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "λ": r"$\lambda$", "Δ": r"$\Delta$", "−": "$-$", "–": "--",
    "…": r"\ldots{}", "·": r"$\cdot$", "▲": r"$\triangle$", "●": r"$\bullet$", "◇": r"$\diamond$",
}  # fmt: skip
"""Signs with their LaTeX commands."""
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~&^$@:])")


def write_files(blocks: Iterable[AnyChart | Table], folder: Path) -> tuple[int, list[str]]:
    """Write every chart in all formats and every table in three, by name. Returns how many files, and what is missing.

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
        files |= {"csv": csv_of(table), "md": markdown_of(table).encode(), "tex": latex_of(table).encode()}
        for ending, content in files.items():
            replace_file(folder / f"{slug(block.name)}.{ending}", content)
        written += len(files)
    return written, list(missing)


def csv_of(table: Table) -> bytes:
    """Numbers in full. Limits and notes of cells have their own columns."""
    columns = dict(_columns(table))
    return as_csv(list(columns), list(zip(*columns.values(), strict=True)))


def _columns(table: Table) -> Iterator[tuple[str, list[Plain]]]:
    for place, name in enumerate(table.columns):
        cells = [_parts(row[place]) for row in table.rows]
        for part in dict.fromkeys(["", *(part for cell in cells for part in cell)]):
            if part or not cells or any("" in cell for cell in cells):
                yield clean(f"{name} {part}".strip()), [cell.get(part) for cell in cells]


def _parts(cell: TableCell) -> dict[str, Plain]:
    """The values in a cell, by the suffix of their column."""
    match cell:
        case Amount(value=value, note=note):
            return {"": value, **({"note": clean(note)} if note else {})}
        case Between(low=low, high=high, words=words, mean=mean, note=note):
            found: dict[str, Plain] = {**({} if mean is None else {"": mean}), "low": low, "high": high}
            return found | ({"note": clean(f"{words} {note}".strip())} if words or note else {})
        case Linked(words=words, note=note):
            return {"": clean(words), **({"note": clean(note)} if note else {})}
        case str():
            return {"": clean(cell)}
        case _:
            return {"": cell}


def markdown_of(table: Table) -> str:
    """A table with pipes. Numbers stand at the right."""
    ruler = ["---:" if right else "---" for right in _right(table)]
    lines = [_marked(table.columns), ruler, *(_marked([cell_words(cell) for cell in row]) for row in table.rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _marked(cells: Sequence[str]) -> list[str]:
    return [cell if re.fullmatch(r"-?[\d.]+", cell) else _MARKDOWN.sub(r"\\\1", clean(cell)) for cell in cells]


def latex_of(table: Table) -> str:
    """A `tabular`, which needs no package."""
    spec = "".join("r" if right else "l" for right in _right(table))
    lines = [_row(table.columns), r"\hline", *(_row([cell_words(cell) for cell in row]) for row in table.rows)]
    return "\n".join([f"% {clean(table.title)}", rf"\begin{{tabular}}{{{spec}}}", *lines, r"\end{tabular}", ""])


def _row(cells: Sequence[str]) -> str:
    return " & ".join("".join(LATEX.get(sign, sign) for sign in clean(cell)) for cell in cells) + r" \\"


def _right(table: Table) -> list[bool]:
    """Which columns stand at the right: those without text."""
    texts = (any(isinstance(row[n], str | Linked) for row in table.rows) for n in range(len(table.columns)))
    return [bool(table.rows) and not text for text in texts]
