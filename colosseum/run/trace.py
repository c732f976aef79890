"""Traces. In: events as they happen; out: an append-only JSONL file whose lines are chained by hash.

A line is `{"n": …, "event": …, …, "chain": …}`, where `chain` is the SHA-256 of the line before it (its `chain`) and
its own content, so a changed, lost or moved line shows. The last `chain` seals the whole: the run's result repeats it.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeAlias

from pydantic import ConfigDict

from colosseum.model.serial import Json, encode
from colosseum.run.redaction import Redaction

VERSION = 4
GENESIS = "0" * 64
ENDING = re.compile(rb',"chain":"[0-9a-f]{64}"\}\n\Z')


class Published:
    """The base of types whose JSON Schema is published."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class BrokenTrace(Exception):  # noqa: N818 - what is wrong, in words
    """A trace cannot be trusted; says which line and why."""


OnEvent: TypeAlias = Callable[[str, Mapping[str, Json]], None]
"""Told of an event and its content once it is written."""


def unheard(event: str, content: Mapping[str, Json]) -> None:
    """For traces that nobody watches."""


@dataclass(frozen=True)
class Seal:
    """What a trace comes to: it was changed since where it no longer does."""

    events: int
    chain: str
    """Of the last event."""


@dataclass
class TraceWriter:
    """Appends events to a file; those of a step are given to the operating system before the run goes on."""

    path: Path
    redaction: Redaction = field(default_factory=Redaction)
    heard: OnEvent = unheard
    count: int = 0
    chain: str = GENESIS
    file: IO[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.file = open(self.path, "wb")  # noqa: SIM115 - closed by finish or close

    def write(self, event: str, **content: Json) -> None:
        """Append one event."""
        line: Mapping[str, Json] = {"n": self.count, "event": event, **content}
        cleaned = self.redaction.clean(encode(line))
        self.chain = link(self.chain, cleaned)
        self.file.write(f'{cleaned[:-1]},"chain":"{self.chain}"}}\n'.encode())
        self.count += 1
        self.heard(event, content)

    @property
    def seal(self) -> Seal:
        """What it comes to so far."""
        return Seal(self.count, self.chain)

    def save(self) -> None:
        """Give the operating system what was written: no killed process loses it."""
        self.file.flush()

    def finish(self) -> None:
        """Make it durable: no crash of the machine loses it."""
        self.save()
        os.fsync(self.file.fileno())
        self.file.close()

    def close(self) -> None:
        """Leave it as it is."""
        self.file.close()


def link(chain: str, written: str) -> str:
    """The hash of a line that follows `chain`."""
    return hashlib.sha256(f"{chain}\n{written}".encode("utf-8", "surrogatepass")).hexdigest()


def _event(raw: bytes) -> dict[str, Json] | None:
    """A line as it was written; None when it cannot have been."""
    try:
        line = _READER.decode(raw.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    whole = isinstance(line, dict) and isinstance(line.get("event"), str) and ENDING.search(raw)
    return line if whole else None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


_READER = json.JSONDecoder(parse_constant=_no_number)


def chained(path: Path) -> Iterator[dict[str, Json]]:
    """The events of a trace that may still grow. Raises BrokenTrace where the chain breaks."""
    chain = GENESIS
    with open(path, "rb") as file:
        for number, raw in enumerate(file):
            line = _event(raw)
            if line is None:
                raise BrokenTrace(f"{path.name}: line {number + 1} is not an event")
            head, _, tail = raw.rpartition(b",")
            chain = hashlib.sha256(b"%b\n%b}" % (chain.encode(), head)).hexdigest()
            if tail != b'"chain":"%b"}\n' % chain.encode() or line.get("n") != number:
                raise BrokenTrace(f"{path.name}: line {number + 1} was changed, lost or moved")
            yield line


def read_trace(path: Path, seal: Seal) -> list[dict[str, Json]]:
    """The events of a finished trace. Raises BrokenTrace where it is not what was sealed."""
    events = list(chained(path))
    if not events or events[-1]["event"] != "end":
        raise BrokenTrace(f"{path.name}: the trace has no end")
    if (len(events), events[-1]["chain"]) != (seal.events, seal.chain):
        raise BrokenTrace(f"{path.name}: the trace is not the one that its result seals")
    return events
