"""`colosseum report --table`. In: a path; out: whether a table can be written there, and a report's runs in it."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from colosseum.audit.campaign.folder import Plan
from colosseum.cli.words import note, stop
from colosseum.diagnostics import counted
from colosseum.evidence.figures import RunRecord
from colosseum.report.tables import NEEDS, SUFFIXES, columns, write


def check_table(path: Path | None) -> None:
    """Refuse what could not be written in the end, before anything is computed. Raises Stop."""
    if path is None:
        return
    if path.suffix.lower() not in SUFFIXES:
        raise stop("C122", f"`--table {path}` ends in none of {', '.join(SUFFIXES)}", help="as in `--table runs.csv`")
    if path.suffix.lower() == ".parquet" and find_spec(NEEDS) is None:
        help_ = "`pip install 'colosseum[parquet]'`; a name that ends in .csv needs nothing more"
        raise stop("C122", f"`--table {path}` needs {NEEDS}", help=help_)
    if not path.absolute().parent.is_dir():
        raise stop("C122", f"cannot write {path}: there is no folder {path.parent}")


def write_table(plan: Plan, records: Sequence[RunRecord], path: Path) -> None:
    """Write the runs that have ended. Raises Stop."""
    try:
        write(columns(plan, records), path)
    except OSError as error:
        raise stop("C122", f"cannot write {path}: {error.strerror}") from None
    note(f"{counted(len(records), 'run')} in {path}")
