"""Runs as their sources tell them. In: files; out: their content, the type that readers make of it, or a Refusal."""

import csv
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias
from zipfile import BadZipFile

from colosseum.diagnostics import closest

Fields: TypeAlias = Mapping[str, Any]  # values of JSON by name
DAMAGED = (
    ArithmeticError, AttributeError, BadZipFile, EOFError, LookupError, MemoryError, RuntimeError, SyntaxError,
    TypeError, ValueError, csv.Error, zlib.error,
)  # fmt: skip
"""What reading a file, and taking apart what is in it, raise where it is not as it should be."""
LARGEST = 256 * 1024 * 1024  # bytes of a file that is read whole


class Refusal(Exception):  # noqa: N818 - what is wrong, in words
    """A run cannot be read, or breaks the scenario; says why."""


def short(name: str) -> str:
    """A source's name for a player or a run, cut."""
    return name[:80]


def meant(name: str, kind: str, known: Collection[str]) -> str:
    """Of a name that means nothing, the one that may be meant, or else all that there are."""
    near = next(filter(None, (closest(each, known) for each in (name, name.lower(), name.upper()))), "")
    return near or f"{kind}: {', '.join([*known][:12])}"


@dataclass(frozen=True)
class Utterance:
    """A message, a thought, or what an answer took, by the source's names."""

    agent: str
    text: str
    channel: str | None
    """None of a thought."""
    round: int | None = None
    """From 1; 0 where decisions are taken, None where the source does not say."""
    failed: str = ""
    """Why a message was not delivered."""
    usage: Fields | None = None
    """What an answer of a model took, as a trace has it; it stands alone, with no text and no channel."""


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
    order: tuple[str, ...] | None = None
    """Of turns."""
    channels: Mapping[str, tuple[tuple[str, ...] | None, bool]] = field(default_factory=dict)
    """The members of each, None where the source does not say, and whether it is secret."""
    said: tuple[Utterance, ...] = ()
    """In order."""
    told: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By agent, the prompts at its beginning."""
    models: Mapping[str, str | None] = field(default_factory=dict)
    """By agent, of each that it names."""
    coalition: tuple[str, ...] | None = None
    taken: Fields = field(default_factory=dict)
    """Fields that differ where what was drawn for agents who decided nothing is left out."""
    reported: Mapping[str, float] = field(default_factory=dict)
    """Figures that the source gives, by their names here."""
    missing: tuple[str, ...] = ()
    """What it does not hold. Where that is not `decisions`, one that it lacks was not taken."""


Source: TypeAlias = Iterator[tuple[str, Callable[[], ForeignRun] | Refusal]]
"""What a reader gives: the name of each run, and what makes it of its files, or why nothing can. That raises Refusal or
one of DAMAGED; whatever is wrong with the whole source is a Refusal of the reader itself."""


@dataclass(frozen=True)
class ImportedRun:
    """What became of one run of a source."""

    source: str
    """Its name there."""
    became: Literal["new", "known", "refused"]
    reason: str
    """Why it was refused; else empty."""
    trial: str = ""
    """Its identity here; empty of one that was refused."""
    arm: str = ""
    seed: int | None = None
    repeat: int | None = None
    model: str = ""
    posts: int = 0
    channels: Mapping[str, int] = field(default_factory=dict)
    """Posts by channel of the scenario; 0 of one that the arm or the mapping has, and nobody used."""
    decisions: int = 0
    """Variables that agents decided."""
    fills: int = 0
    """Variables that were drawn for agents who decided nothing."""
    missing: tuple[str, ...] = ()
    """What the source does not hold."""
    undecided: tuple[str, ...] = ()
    """Variables that no agent decided, where it holds decisions."""


@dataclass(frozen=True)
class ImportFile:
    """What an import found."""

    out: str
    dry_run: bool
    reader: str
    runs: tuple[ImportedRun, ...]

    @property
    def refused(self) -> int:
        """Runs that do not fit."""
        return sum(run.became == "refused" for run in self.runs)


@contextmanager
def sound(name: str, extra: str = "") -> Iterator[None]:
    """Within the block, what is wrong with a file is a Refusal; so is the lack of the package that reads it."""
    try:
        yield
    except ImportError:
        raise Refusal(f"{name} needs `pip install colosseum[{extra}]`") from None
    except UnicodeDecodeError:
        raise Refusal(f"{name} is not UTF-8 text; `--from inspect` reads what Inspect writes") from None
    except OSError as error:
        raise Refusal(f"cannot read {name}: {error.strerror or error}") from None
    except DAMAGED as error:
        raise Refusal(f"{name} is damaged, or of another format: {type(error).__name__}: {str(error)[:120]}") from None


def content_of(path: Path) -> bytes:
    """A whole file. Raises Refusal, also where it is too large."""
    with sound(path.name):
        if path.stat().st_size > LARGEST:
            raise Refusal(f"{path.name} is larger than {LARGEST // 2**20} MiB")
        return path.read_bytes()


def json_of(content: Any, name: str) -> Any:
    """The value of a JSON text, where NaN and the like are null, or what is structured already. Raises Refusal."""
    with sound(name):
        return json.loads(content, parse_constant=lambda _: None) if isinstance(content, str | bytes) else content
