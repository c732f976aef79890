"""`colosseum export`. In: a folder of runs and a format; out: one file that others read, and that importers read back.

Only complete runs are written. A file is written whole, or not at all.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from colosseum.campaign.folder import Folder, Plan, replace_file
from colosseum.diagnostics import counted, file_errors, one_of, stop
from colosseum.imports.exported_run import ExportedRun, exported_runs
from colosseum.imports.writers import write_inspect, write_spans, write_table

LEFT_OUT: Final = ("thoughts", "raw")
"""What `--without` may name: what models thought, and posts that were not delivered."""


@dataclass(frozen=True)
class ExportedFile:
    """What was written, in words by `str`."""

    path: Path
    runs: int
    left_out: int
    """Runs that are not complete."""

    def __str__(self) -> str:
        left = f"; {self.left_out:,} left out: not complete" if self.left_out else ""
        return f"{counted(self.runs, 'run')} in {self.path}{left}"


def export_runs(folder: Folder, plan: Plan, to: str, out: Path | None = None, without: str = "") -> ExportedFile:
    """Write the complete runs.

    `out` is by default the name of the folder in the working directory. Raises ColosseumError, OSError, Damaged and
    BrokenTrace.
    """
    parts = [part.strip() for part in without.split(",") if part.strip()]
    if unknown := sorted({*parts} - {*LEFT_OUT}):
        raise stop("C122", f"`--without {unknown[0]}` names nothing", help=f"parts: {', '.join(LEFT_OUT)}")
    ending, write = WRITERS[one_of("format", to, WRITERS)]
    path = Path(f"{folder.path.absolute().name}{ending}") if out is None else out
    if path.suffix != ending:
        raise stop("C122", f"`{path}` does not end in {ending}")
    complete = [each for each in plan.trials if (r := folder.result(each.trial)) and r.status == "complete"]
    if not complete:
        raise stop("C122", f"no run of {folder.path} is complete")
    with file_errors(path):
        replace_file(path, lambda file: write(file, exported_runs(folder, plan, parts), plan.scenario))
    return ExportedFile(path, len(complete), len(plan.trials) - len(complete))


WRITERS: Final[dict[str, tuple[str, Callable[[IO[bytes], Iterable[ExportedRun], str], None]]]] = {
    "csv": (".csv", write_table),
    "eval": (".eval", write_inspect),
    "otlp": (".jsonl", write_spans),
}
"""By format: the ending of its files, and what writes one."""
