"""Messages and decisions as a table. In: the runs of a folder that ended; out: one row each, as JSON lines or CSV.

JSON lines hold every text as it was written. CSV is for spreadsheets, which take a cell that opens with `=`, `+`, `-`
or `@` for a formula: an apostrophe stands before such a text.
"""

import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Any

from colosseum.campaign.folder import Damaged, Folder, Plan
from colosseum.campaign.verifying import misfit
from colosseum.diagnostics import stop
from colosseum.run.trace import BrokenTrace, read_trace
from colosseum.run.trial import Listed

FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Row:
    """A message, a decision or a thought."""

    run: str
    arm: str
    point: str
    seed: int
    repeat: int
    status: str
    """How the run ended: complete or failed."""
    n: int
    """The event's place in its trace."""
    round: int
    agent: str
    model: str
    """The agent's player."""
    kind: str
    """post or decide; thought on request."""
    channel: str | None
    secret: bool | None
    """Whether only the channel's members know of it."""
    text: str | None
    variable: str | None
    value: bool | int | float | str | None
    """Null is none where there is a variable."""


def rows(folder: Folder, plan: Plan, *, thoughts: bool = False) -> Iterator[Row]:
    """Of all runs that ended, in the order of the plan. Raises OSError, Damaged and BrokenTrace."""
    for listed, result in folder.results(plan):
        if result is not None:
            path = folder.trace(listed.trial)
            events = read_trace(path, result.trace)
            for event in events:
                if words := misfit(event):
                    raise BrokenTrace(f"{path.name}: {words}")
            yield from _rows(events, listed, result.status, ("post", "decide", *["thought"] * thoughts))


def _rows(events: Iterable[Mapping[str, Any]], listed: Listed, status: str, kinds: tuple[str, ...]) -> Iterator[Row]:
    secret: dict[str, bool] = {}
    for event in events:
        if event["event"] == "channels":
            secret = {channel["name"]: channel["secret"] for channel in event["channels"]}
        elif event["event"] in kinds:
            channel = event.get("channel")
            yield Row(
                listed.trial, listed.arm, listed.point, listed.seed, listed.repeat, status, event["n"], event["round"],
                event["agent"], listed.players.get(event["agent"], ""), event["event"], channel,
                secret.get(str(channel)), event.get("text"), event.get("variable"), event.get("value"),
            )  # fmt: skip


def export_acts(folder: Folder, plan: Plan, output: Path, *, thoughts: bool = False) -> int:
    """Write the table to a file that appears when it is whole; gives the number of rows. Raises ColosseumError."""
    write = WRITERS.get(output.suffix.lower())
    if write is None:
        raise stop("C122", f"`-o {output}` ends in none of {', '.join(WRITERS)}", help="as in `-o messages.csv`")
    part = output.with_name(f"{output.name}.{os.getpid()}.part")
    try:
        with open(part, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            number = write(rows(folder, plan, thoughts=thoughts), file)
        part.replace(output)
    except (BrokenTrace, Damaged) as fault:
        raise stop("C123", str(fault), help="`colosseum log verify` lists all that was changed") from None
    except OSError as error:
        raise stop("C122", f"cannot write {output}: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    return number


def write_jsonl(found: Iterable[Row], file: IO[str]) -> int:
    """One object a line; gives the number of rows."""
    number = 0
    for number, row in enumerate(found, start=1):  # noqa: B007 - how many there were
        file.write(json.dumps(asdict(row), ensure_ascii=False, allow_nan=False) + "\n")
    return number


def write_csv(found: Iterable[Row], file: IO[str]) -> int:
    """A line of names, then one line a row; values that are no text are as in JSON. Gives the number of rows."""
    writer, number = csv.writer(file), 0
    writer.writerow([field.name for field in fields(Row)])
    for number, row in enumerate(found, start=1):  # noqa: B007 - how many there were
        writer.writerow([_cell(name, value, row) for name, value in asdict(row).items()])
    return number


def _cell(name: str, value: object, row: Row) -> str:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(FORMULA) else value
    if value is None and not (name == "value" and row.kind == "decide"):
        return ""
    return json.dumps(value)


WRITERS: dict[str, Callable[[Iterable[Row], IO[str]], int]] = {".jsonl": write_jsonl, ".csv": write_csv}
"""By how the file's name ends."""
