"""Traces. In: events as they happen; out: an append-only JSONL file whose lines are chained by hash.

A trace is written to `NAME.jsonl.PID.part`, line by line, and renamed to `NAME.jsonl` when its last event, `end`, is
there; two processes that do the same trial do not meet until one file replaces the other. A line is
`{"n": …, "event": …, …, "chain": …}`, where `chain` is the SHA-256 of the line before it (its `chain`) and its own
content, so a changed, lost or moved line shows.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeAlias

VERSION = 1
GENESIS = "0" * 64

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"


class BrokenTrace(Exception):  # noqa: N818 - what is wrong, in words
    """A trace cannot be trusted; says which line and why."""


@dataclass
class TraceWriter:
    """Appends events to a file, each flushed to the operating system before the run goes on."""

    path: Path
    """Where the finished trace will stand."""
    count: int = 0
    chain: str = GENESIS
    file: IO[str] = field(init=False)

    def __post_init__(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.file = open(self.part, "w", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed by finish or close

    @property
    def part(self) -> Path:
        """Where this process writes it until it is whole."""
        return self.path.with_name(f"{self.path.name}.{os.getpid()}.part")

    def write(self, event: str, **content: Json) -> None:
        """Append one event."""
        line: dict[str, Json] = {"n": self.count, "event": event, **content}
        self.chain = link(self.chain, line)
        self.file.write(encode({**line, "chain": self.chain}) + "\n")
        self.file.flush()
        self.count += 1

    def finish(self) -> None:
        """Make it durable and give it its name, at once; what killed processes left of the same trace goes."""
        os.fsync(self.file.fileno())
        self.file.close()
        with suppress(FileNotFoundError):  # another process finished the same trial and cleared this away
            os.replace(self.part, self.path)
        for left in self.path.parent.glob(f"{self.path.name}.*.part"):
            left.unlink(missing_ok=True)

    def close(self) -> None:
        """Leave it unfinished where it is."""
        self.file.close()


def encode(content: Mapping[str, Json]) -> str:
    """One line of JSON, the same for equal content."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def link(chain: str, line: Mapping[str, Json]) -> str:
    """The hash of a line that follows `chain`."""
    return hashlib.sha256(f"{chain}\n{encode(line)}".encode("utf-8", "surrogatepass")).hexdigest()


def _event(raw: bytes) -> dict[str, Json] | None:
    """A line as it was written; None when it cannot have been."""
    try:
        line = json.loads(raw)
        encode(line)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) and {"chain", "event"} <= line.keys() and raw.endswith(b"\n") else None


def read_trace(path: Path) -> Iterator[dict[str, Json]]:
    """The events of a finished trace, each without its `chain`. Raises BrokenTrace where the chain breaks."""
    chain, last = GENESIS, ""
    with open(path, "rb") as file:
        for number, raw in enumerate(file):
            line = _event(raw)
            if line is None:
                raise BrokenTrace(f"{path.name}: line {number + 1} is not an event")
            claimed = line.pop("chain")
            chain = link(chain, line)
            if claimed != chain or line.get("n") != number:
                raise BrokenTrace(f"{path.name}: line {number + 1} was changed, lost or moved")
            last = str(line["event"])
            yield line
    if last != "end":
        raise BrokenTrace(f"{path.name}: the trace has no end")
