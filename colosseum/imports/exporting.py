"""`colosseum export`. In: a folder of runs and a format; out: one file that others read, and that importers read back.

Only complete runs are written. A file is written whole, or not at all.
"""

import csv
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Final

from colosseum.campaign.folder import Folder, Plan
from colosseum.diagnostics import closest, counted, file_errors, stop
from colosseum.imports.exported_run import ExportedRun, exported_runs
from colosseum.imports.inspect_writer import write_inspect
from colosseum.imports.otel_writer import write_spans
from colosseum.imports.table_reader import GUARD

COLUMNS: Final = ("run", "arm", "point", "seed", "repeat", "model_label", "turn_order", "channels", "n", "round",
                  "agent", "model", "kind", "channel", "secret", "text", "variable", "value", "failed")  # fmt: skip
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
    if to not in WRITERS:
        help_ = closest(to, WRITERS) or f"formats: {', '.join(WRITERS)}"
        raise stop("C122", f"there is no format `{to}`", help=help_)
    parts = [part.strip() for part in without.split(",") if part.strip()]
    if unknown := sorted({*parts} - {*LEFT_OUT}):
        raise stop("C122", f"`--without {unknown[0]}` names nothing", help=f"parts: {', '.join(LEFT_OUT)}")
    ending, write = WRITERS[to]
    path = Path(f"{folder.path.absolute().name}{ending}") if out is None else out
    if path.suffix != ending:
        raise stop("C122", f"`{path}` does not end in {ending}")
    if not path.absolute().parent.is_dir():
        raise stop("C122", f"cannot write {path}: there is no folder {path.parent}")
    complete = [each for each in plan.trials if (r := folder.result(each.trial)) and r.status == "complete"]
    if not complete:
        raise stop("C122", f"no run of {folder.path} is complete")
    fresh = path.with_name(f"{path.name}.{os.getpid()}.part")
    with file_errors(path):
        try:
            with open(fresh, "wb") as file:
                write(file, exported_runs(folder, plan, parts), plan.scenario)
            os.replace(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
    return ExportedFile(path, len(complete), len(plan.trials) - len(complete))


def write_table(file: IO[bytes], runs: Iterable[ExportedRun], scenario: str) -> None:
    """A row for each agent, then for each act. GUARD stands before texts that a spreadsheet might compute.

    What UTF-8 cannot hold becomes `?`.
    """
    with TextIOWrapper(file, encoding="utf-8", errors="replace", newline="") as text:
        table = csv.DictWriter(text, COLUMNS, restval="")
        table.writeheader()
        for run in runs:
            players = run.listed.players
            for agent, model in players.items():
                table.writerow(run.fields | {"agent": agent, "model": model, "kind": "agent"})
            for turn in run.turns:
                for act in turn.acts:
                    secret = "" if act.channel is None else str(run.channels[act.channel]).lower()
                    own = {"n": act.n, "round": act.round, "agent": turn.agent, "model": players[turn.agent],
                           "kind": act.kind, "channel": act.channel, "secret": secret, "text": _guarded(act.text),
                           "variable": act.variable, "value": act.value, "failed": act.failed}  # fmt: skip
                    table.writerow(run.fields | own)


def _guarded(words: str | None) -> str | None:
    return words if words is None or words[:1].isalnum() else f"{GUARD}{words}"


WRITERS: Final[dict[str, tuple[str, Callable[[IO[bytes], Iterable[ExportedRun], str], None]]]] = {
    "csv": (".csv", write_table),
    "eval": (".eval", write_inspect),
    "otlp": (".jsonl", write_spans),
}
"""By format: the ending of its files, and what writes one."""
