"""Types of the lines of files. In: a table of their fields, such as events.toml; out: pydantic models by their names.

Nothing makes such lines by these types: they are what a schema says of a file, and what a file is checked by.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError, create_model

Value: TypeAlias = bool | int | float | str | None
"""A value of a variable: a name, a number, or null for none; a pair is its text."""
Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0)]
Number = Annotated[int, Field(ge=1)]
Percent = Annotated[float, Field(ge=0, le=100)]
CALLS: Final = 2
"""Of calls.toml; raised when a field changes its name or meaning. That of events.toml is the trace's."""
MOST_STEPS: Final = 6
LONGEST: Final = 300
"""Parts of a place, and characters, that are said of what is wrong."""


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


def _adapter(table: str, tag: str) -> "TypeAdapter[BaseModel]":
    """A line of any kind; the field `tag` says which."""
    made = line_types(Path(__file__).with_name(table))
    every: Any = reduce(or_, (kind for kind in made.values() if tag in kind.model_fields))
    return TypeAdapter(Annotated[every, Field(discriminator=tag)])


@cache
def events() -> "TypeAdapter[BaseModel]":
    """A line of a trace."""
    return _adapter("events.toml", "event")


@cache
def calls() -> "TypeAdapter[BaseModel]":
    """A line of a file of calls."""
    return _adapter("calls.toml", "kind")


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


def lacking(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What no run of ours lacks: when something was done, the order of turns, the outcome."""
    for number, event in enumerate(() if events[0].get("imported") else events, start=1):
        for part in ("round", "agents", "assignment"):
            if part in event and event[part] is None:
                yield f"line {number}: `{event['event']}.{part}`: only an imported run may lack it"
