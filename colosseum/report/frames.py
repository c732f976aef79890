"""Tables for pandas. In: named columns; out: a DataFrame. The one file that knows pandas, which is an extra."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from pandas import DataFrame

Kind: TypeAlias = Literal["text", "whole", "number", "truth", "value"]
Cells: TypeAlias = tuple[str, Kind, Sequence[object]]
"""A column: its name, what its cells are, and these; None is null in all of them."""
TYPES: Final[dict[Kind, str]] = {
    "text": "string[python]",
    "whole": "Int64",
    "number": "float64",
    "truth": "boolean",
    "value": "object",
}
"""Of pandas. Text stays in Python: not all that agents write can be stored elsewhere. A value may be a name, a number,
a truth or None.
"""


def frame(columns: Iterable[Cells]) -> "DataFrame":
    """A row for each cell of the columns, numbered from 0. Raises ImportError without pandas."""
    try:
        import pandas
    except ImportError:
        raise ImportError("tables need pandas, which comes with `pip install 'colosseum[pandas]'`") from None
    return pandas.DataFrame({name: pandas.Series(cells, dtype=TYPES[kind]) for name, kind, cells in columns})
