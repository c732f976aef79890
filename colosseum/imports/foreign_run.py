"""A run as its source tells it. In: files; out: the type that every reader makes, their content."""

import csv
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

Fields: TypeAlias = Mapping[str, Any]
"""Values of JSON by name."""
LARGEST = 256 * 1024 * 1024
"""Bytes of a file that is read whole."""
MALFORMED = (AttributeError, KeyError, TypeError, ValueError, RecursionError)
"""What JSON of another layout raises where it is taken apart."""


class Refusal(Exception):  # noqa: N818 - what is wrong, in words
    """A run cannot be read, or breaks the scenario; says why."""


@dataclass(frozen=True)
class ForeignChannel:
    """A channel as the source names it."""

    name: str
    members: tuple[str, ...] | None
    """None where the source does not say."""
    secret: bool


@dataclass(frozen=True)
class Utterance:
    """A message or a thought, by the source's names."""

    agent: str
    text: str
    channel: str | None
    """None of a thought."""
    round: int | None = None
    """From 1; None where the source does not say."""
    phase: Literal["planning", "execution"] = "planning"
    failed: str = ""
    """Why a message was not delivered."""


@dataclass(frozen=True)
class ForeignRun:
    """What a source holds of one run."""

    name: str
    """Within its source."""
    files: dict[str, str]
    """SHA-256 of all that was read of it, by file."""
    fields: Fields = field(default_factory=dict)
    """What a mapping may read; a known field that the source lacks is null."""
    own: Mapping[str, Fields] = field(default_factory=dict)
    """By agent, what it says of this agent."""
    agents: tuple[str, ...] = ()
    order: tuple[str, ...] | None = None
    """Of turns."""
    channels: tuple[ForeignChannel, ...] = ()
    said: tuple[Utterance, ...] = ()
    """In order."""
    models: Mapping[str, str] = field(default_factory=dict)
    """By agent."""
    coalition: tuple[str, ...] | None = None
    decided: bool = True
    """Whether it holds all decisions, so that one that it lacks was not taken."""
    filled: frozenset[str] = frozenset()
    """Agents whose decisions were drawn for them."""
    reported: Mapping[str, float] = field(default_factory=dict)
    """Figures that the source gives, by their names here."""
    missing: tuple[str, ...] = ()
    """What it does not hold."""
    broken: str = ""
    """Why it cannot be used."""


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Within the block, what is wrong with a file is a Refusal."""
    try:
        yield
    except UnicodeDecodeError:
        raise Refusal(f"{name} is not UTF-8 text; `--from inspect` reads what Inspect writes") from None
    except csv.Error as error:
        raise Refusal(f"{name} is not CSV: {error}") from None
    except OSError as error:
        raise Refusal(f"cannot read {name}: {error.strerror}") from None


def content_of(path: Path) -> bytes:
    """A whole file. Raises Refusal, also where it is too large."""
    with reading(path.name):
        if path.stat().st_size > LARGEST:
            raise Refusal(f"{path.name} is larger than {LARGEST // 2**20} MiB")
        return path.read_bytes()


def json_file(path: Path) -> tuple[Any, str]:
    """The value of a JSON file, and the SHA-256 of its content. Raises Refusal."""
    content = content_of(path)
    return json_of(content, path.name), hashlib.sha256(content).hexdigest()


def json_of(content: str | bytes, name: str) -> Any:
    """The value of a JSON text. Raises Refusal."""
    try:
        return json.loads(content, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Refusal(f"{name} is not JSON: {str(error)[:120]}") from None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
