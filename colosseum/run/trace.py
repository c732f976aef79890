"""Traces. In: events as they happen; out: an append-only JSONL file whose lines are chained by hash.

The `chain` of a line is the SHA-256 of the chain before it and the line's own content, so a changed, lost or moved line
shows; the run's result repeats the last. Tables such as events.toml say what a line has: files are checked by them.
"""

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial, reduce
from operator import or_
from pathlib import Path
from typing import IO, Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictInt, TypeAdapter, ValidationError, create_model

from colosseum.model.serial import Json, encode
from colosseum.run.redaction import Redaction

VERSION = 4
GENESIS = "0" * 64
Value: TypeAlias = bool | int | float | str | None
"""A value of a variable: a name, a number, or null for none; a pair is its text."""
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Count: TypeAlias = Annotated[StrictInt, Field(ge=0)]
Number: TypeAlias = Annotated[StrictInt, Field(ge=1)]
Percent = Annotated[float, Field(ge=0, le=100)]
CALLS: Final = 2  # of calls.toml; raised when a field changes its name or meaning. That of events.toml is the trace's.
MOST_STEPS: Final = 6
LONGEST: Final = 300  # parts of a place, and characters, that are said of what is wrong
ENDING = re.compile(rb',"chain":"[0-9a-f]{64}"\}\n\Z')


class Published:
    """The base of types whose JSON Schema is published."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class BrokenTrace(Exception):  # noqa: N818 - what is wrong, in words
    """A trace cannot be trusted; says which line and why."""


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
    heard: Callable[[str, Mapping[str, Json]], None] | None = None
    """Told of an event and its content once it is written."""
    count: int = 0
    chain: str = GENESIS
    file: IO[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.file = open(self.path, "wb")  # noqa: SIM115 - closed by finish or close

    def write(self, event: str, **content: Json) -> None:
        """Append one event."""
        line: Mapping[str, Json] = {"n": self.count, "event": event, **content}
        cleaned = self.redaction.clean(encode(line)).encode(errors="replace")  # half a sign is `?`
        self.chain = link(self.chain, cleaned)
        self.file.write(b'%b,"chain":"%b"}\n' % (cleaned[:-1], self.chain.encode()))
        self.count += 1
        if self.heard is not None:
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


def link(chain: str, written: bytes) -> str:
    """The hash of a line that follows `chain`."""
    return hashlib.sha256(b"%b\n%b" % (chain.encode(), written)).hexdigest()


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


_READER = json.JSONDecoder(parse_constant=_no_number)


def chained(path: Path) -> Iterator[dict[str, Json]]:
    """The events of a trace that may still grow. Raises BrokenTrace where the chain breaks."""
    chain = GENESIS
    with open(path, "rb") as file:
        for number, raw in enumerate(file):
            try:
                line: Any = _READER.decode(raw.decode("utf-8", "surrogatepass"))
            except (ValueError, RecursionError):
                line = None
            if not (isinstance(line, dict) and isinstance(line.get("event"), str) and ENDING.search(raw)):
                raise BrokenTrace(f"{path.name}: line {number + 1} is not an event")
            head, _, tail = raw.rpartition(b",")
            chain = link(chain, head + b"}")
            if tail != b'"chain":"%b"}\n' % chain.encode() or line.get("n") != number:
                raise BrokenTrace(f"{path.name}: line {number + 1} was changed, lost or moved")
            yield line


def read_trace(path: Path, seal: Seal) -> list[dict[str, Any]]:
    """The events of a finished trace. Raises BrokenTrace where it is not what was sealed, or has what no trace has."""
    events: list[dict[str, Any]] = list(chained(path))
    if not events or events[-1]["event"] != "end":
        raise BrokenTrace(f"{path.name}: the trace has no end")
    if (len(events), events[-1]["chain"]) != (seal.events, seal.chain):
        raise BrokenTrace(f"{path.name}: the trace is not the one that its result seals")
    for number, event in enumerate(events, start=1):
        if wrong := misfit(event) or ("" if events[0].get("imported") else lack(event)):
            raise BrokenTrace(f"{path.name}: line {number}: {wrong}")
    return events


class StrictLine(BaseModel):
    """A line, or a part of one: nothing but its fields."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class Network(BaseModel):
    """A network in place of the spec's, with its arguments."""

    model_config = ConfigDict(extra="allow", frozen=True, use_attribute_docstrings=True)
    __pydantic_extra__: dict[str, JsonValue]
    kind: str
    """As in the spec: `ring`, `star`, …"""


KNOWN: Final[dict[str, Any]] = {
    "Any": Any, "Count": Count, "Digest": Digest, "JsonValue": JsonValue, "Literal": Literal, "Network": Network,
    "Number": Number, "Percent": Percent, "Value": Value,
}  # fmt: skip
"""What types in tables are made of."""


@cache
def line_types(table: Path) -> Mapping[str, type[BaseModel]]:
    """The models of a table, by their names."""
    made: dict[str, type[BaseModel]] = {}
    for name, entry in tomllib.loads(table.read_text(encoding="utf-8")).items():
        about, base = entry.pop("about"), made.get(entry.pop("of", ""), StrictLine)
        fields: dict[str, Any] = {key: _field(*each) for key, each in entry.items()}
        made[name] = create_model(name, __base__=base, __doc__=about, **fields)
        made[name].model_rebuild(_types_namespace=KNOWN | made)
    return made


def _field(kind: str, meaning: str, absent: str = "") -> tuple[str, Any]:
    """What pydantic takes for a field."""
    described: dict[str, Any] = {"description": meaning or None}
    if absent:
        described |= {"default_factory": dict} if kind.startswith("dict") and "None" not in kind else {"default": None}
    return kind, Field(**described)


def _line(table: str, tag: str) -> "TypeAdapter[BaseModel]":
    """A line of any kind; the field `tag` says which."""
    made = line_types(Path(__file__).with_name(table))
    every: Any = reduce(or_, (kind for kind in made.values() if tag in kind.model_fields))
    return TypeAdapter(Annotated[every, Field(discriminator=tag)])


events = cache(partial(_line, "events.toml", "event"))  # a line of a trace
calls = cache(partial(_line, "calls.toml", "kind"))  # a line of a file of calls


def misfit(event: Mapping[str, Any]) -> str:
    """The first thing in which an event is none of ours, in words; empty where it is one."""
    try:
        events().validate_python(event)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"][:MOST_STEPS]))
        message = first["msg"][:1].lower() + first["msg"][1:]
        return (f"`{place}`: {message}" if place else message)[:LONGEST]
    return ""


def lack(event: Mapping[str, Any]) -> str:
    """What an event lacks and no run of ours does: when something was done, the order of turns, the outcome."""
    parts = (part for part in ("round", "agents", "assignment") if part in event and event[part] is None)
    return next((f"`{event['event']}.{part}`: only an imported run may lack it" for part in parts), "")
