"""A table for other programs. In: rows as dicts; out: a FigureTable, which is CSV, JSON lines or a data frame.

Numbers are in full, and a null is an empty cell. What a column holds shows in its cells.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from colosseum.campaign.folder import replace_file
from colosseum.diagnostics import file_errors, stop

if TYPE_CHECKING:
    from pandas import DataFrame

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""How a text begins that a spreadsheet would compute, also by full-width signs."""
PANDAS: Final = {bool: "boolean", int: "Int64", float: "float64", str: "string[python]", object: "object"}
"""By the kind of a column. Whole numbers of more than 64 bits, and cells of several kinds, are objects; text stays in
Python, as not all that agents write can be stored elsewhere.
"""


@dataclass(frozen=True)
class FigureTable:
    """Rows with equal columns; a figure that is null has its reason in the column NAME_reason."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, object]], heads: Sequence[str]) -> "FigureTable":
        """The columns are `heads`, then the other names; those that differ in `[…]` alone stand together.

        Of the columns of reasons, those without any are left out.
        """
        found = list(rows)
        every = list(dict.fromkeys(chain(heads, *found)))
        families = {family: place for place, family in enumerate(dict.fromkeys(map(_family, every)))}
        names = tuple(
            name for name in sorted(every, key=lambda name: families[_family(name)])
            if not _family(name).endswith("_reason") or any(row.get(name) for row in found)
        )  # fmt: skip
        return cls(names, tuple(tuple(row.get(name) for name in names) for row in found))

    def to_pandas(self) -> "DataFrame":
        """As a data frame. Raises ImportError without pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("tables need pandas, which comes with `pip install 'colosseum[pandas]'`") from None
        return pandas.DataFrame({name: pandas.Series(cells, dtype=PANDAS[kind]) for name, kind, cells in self._typed()})

    def write(self, path: str | PathLike[str]) -> None:
        """Write a file of the kind that its name ends in. Raises ColosseumError."""
        make = ENDINGS.get(Path(path).suffix.lower())
        if make is None:
            raise stop("C122", f"`{path}` does not end in {' or '.join(ENDINGS)}")
        with file_errors(Path(path)):
            replace_file(Path(path), make(self))

    def to_csv(self) -> bytes:
        """UTF-8 after RFC 4180; a text that a spreadsheet would take for a formula has an apostrophe before it."""
        sheet = io.StringIO()
        lines = ([_written(cell) for cell in row] for row in (self.columns, *self.rows))
        csv.writer(sheet, lineterminator="\r\n").writerows(lines)
        return sheet.getvalue().encode("utf-8", "backslashreplace")

    def to_jsonl(self) -> bytes:
        """An object a line, with every text as it was written."""
        rows = (dict(zip(self.columns, row, strict=True)) for row in self.rows)
        lines = [f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n" for row in rows]
        return "".join(lines).encode("utf-8", "backslashreplace")

    def _typed(self) -> Iterator[tuple[str, type, list[object]]]:
        """Every column with the kind of its cells."""
        for place, name in enumerate(self.columns):
            cells = [row[place] for row in self.rows]
            kind = _kind(name, [cell for cell in cells if cell is not None])
            yield name, kind, [cell if cell is None or kind is object else kind(cell) for cell in cells]


ENDINGS: Final = {".csv": FigureTable.to_csv, ".jsonl": FigureTable.to_jsonl}
"""Of files, with what makes them."""


def _family(name: str) -> str:
    return name.partition("[")[0]


def _kind(name: str, cells: Sequence[object]) -> type:
    """A column of nulls is one of numbers, but for reasons."""
    if not cells:
        return str if _family(name).endswith("reason") else float
    kinds = {next(kind for kind in PANDAS if isinstance(cell, kind)) for cell in cells}
    if kinds <= {int, float} and kinds != {int}:
        return float
    wide = kinds == {int} and any(abs(cell) >= 2**63 for cell in cells if isinstance(cell, int))
    return kinds.pop() if len(kinds) == 1 and not wide else object


def _written(cell: object) -> object:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    guarded = isinstance(cell, str) and cell.startswith((*FORMULA, "'"))  # "'" too, so that it can be told apart
    return f"'{cell}" if guarded else cell
