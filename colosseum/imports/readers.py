"""The readers by name. In: nothing; out: a function for each kind of source, which `trace from "NAME"` names."""

from typing import Final

from colosseum.imports.foreign_run import ReadRuns
from colosseum.imports.table_reader import read_table
from colosseum.imports.terrarium_reader import read_terrarium

READERS: Final[dict[str, ReadRuns]] = {"table": read_table, "terrarium": read_terrarium}
