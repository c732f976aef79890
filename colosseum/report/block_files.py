"""Charts and tables as files. In: blocks of a report, a folder; out: figures for papers, and CSV.

A file that cannot be written does not stop the others; the caller learns which are missing. Names are never markup.
"""

from collections import ChainMap
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Final

from colosseum.campaign.folder import replace_file
from colosseum.report.charts.words import clean, slug
from colosseum.report.document import Amount, AnyChart, Between, Chart, Linked, Table, TableCell
from colosseum.report.paper import FORMATS, NEEDS, figure_files
from colosseum.report.tables import FigureTable

HELP: Final = f"{', '.join(name.upper() for name in FORMATS)} need {NEEDS}: `pip install 'colosseum[figures]'`"



def write_files(blocks: Iterable[AnyChart | Table], folder: Path) -> tuple[int, list[str]]:
    """Write every chart in all formats and every table as CSV, by name. Returns how many files, and what is missing.

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
        files["csv"] = csv_of(table)
        for ending, content in files.items():
            replace_file(folder / f"{slug(block.name)}.{ending}", content)
        written += len(files)
    return written, list(missing)


def csv_of(table: Table) -> bytes:
    """Numbers in full. Limits and notes of cells have their own columns."""
    names = [clean(name) for name in table.columns]
    rows = [[_values(name, cell) for name, cell in zip(names, row, strict=True)] for row in table.rows]
    heads = list(chain(*chain(*zip(*rows, strict=True)))) or names
    return FigureTable.of([ChainMap(*row) for row in rows], heads).to_csv()


def _values(name: str, cell: TableCell) -> dict[str, object]:
    """What is in a cell, by column."""
    note = getattr(cell, "note", "")
    match cell:
        case Amount(value=value):
            found: dict[str, object] = {name: value}
        case Between(low=low, high=high, mean=mean, words=words):
            found = {name: mean, f"{name} low": low, f"{name} high": high}
            note = f"{words} {note}".strip()
        case Linked(words=words):
            found = {name: clean(words)}
        case _:
            found = {name: clean(cell) if isinstance(cell, str) else cell}
    return {**found, f"{name} note": clean(note)} if note else found
