"""Judgements on file. In: a campaign's folder; out: its judges, and their scores of each run.

A file of judgements names the seal of the trace that was judged: those of a run that was made again are none.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from filelock import FileLock
from pydantic import AfterValidator, Field

from colosseum.campaign.folder import Damaged, Folder, as_bytes, read_json
from colosseum.model.json_text import encode
from colosseum.players.models.request import Endpoint
from colosseum.run.judging.judgement import SCHEMA, Judged
from colosseum.run.trace import Published


def _askable(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Parameters of calls, and no others. Raises ValueError."""
    try:
        fitting = Endpoint("", **parameters).parameters == dict(parameters) and encode(dict(parameters))
    except TypeError:
        fitting = ""
    if not fitting:
        raise ValueError("nobody can be asked like this")
    return parameters


Parameters: TypeAlias = Annotated[Mapping[str, Any], AfterValidator(_askable)]


@dataclass(frozen=True)
class Judges(Published):
    """Who judges all runs of a campaign."""

    schema: int
    """Of this kind of file."""
    repeats: Annotated[int, Field(ge=1)]
    """How often each is asked the same."""
    models: Annotated[dict[str, Parameters], Field(min_length=1)]
    """By name, how each is asked: all that its answers depend on."""
    left_out: tuple[str, ...] = ()
    """Of these, whose scores no longer count, as was said after they had judged."""

    @property
    def counted(self) -> tuple[str, ...]:
        """Those whose scores count."""
        return tuple(name for name in self.models if name not in self.left_out)

    def like(self, other: "Judges") -> bool:
        """Whether those that both name are asked in the same way."""
        return all(dict(other.models[name]) == dict(own) for name, own in self.models.items() if name in other.models)

    def joined(self, other: "Judges") -> "Judges":
        """All of both; the more repeats count, and who is left out stays so unless the other names it."""
        left_out = tuple(name for name in self.left_out if name not in other.models) + other.left_out
        return Judges(self.schema, max(self.repeats, other.repeats), {**self.models, **other.models}, left_out)


def read_judges(folder: Folder) -> Judges | None:
    """Who judged a campaign; None where nobody has. Raises OSError, and Damaged."""
    return _read(folder.judges, Judges)


T = TypeVar("T", Judges, Judged)


def _read(path: Path, kind: type[T]) -> T | None:
    """What a file holds; None where there is none. Raises OSError, and Damaged."""
    try:
        found = read_json(path, kind)
    except FileNotFoundError:
        return None
    if found.schema != SCHEMA:
        raise Damaged(f"{path} is of version {found.schema}, and {SCHEMA} is what can be read here")
    return found


@contextmanager
def alone(folder: Folder) -> Iterator[None]:
    """Within the block no other process writes down who judges. Raises OSError."""
    path = folder.judges.with_suffix(".lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path):
        yield
        path.unlink(missing_ok=True)


def write_judges(folder: Folder, judges: Judges) -> None:
    """Keep who judges."""
    folder.keep(folder.judges, as_bytes(asdict(judges)))


def read_judged(folder: Folder, trial: str, chain: str) -> Judged:
    """What was made of a run whose trace has this seal. Raises OSError, and Damaged."""
    path, none = folder.judged(trial), Judged(SCHEMA, trial, chain)
    found = _read(path, Judged) or none
    if found.trial != trial:
        raise Damaged(f"{path.name} holds judgements of another trial")
    if found.fault:
        raise Damaged(f"{path} is damaged: {found.fault}")
    return found if found.chain == chain else none


def write_judged(folder: Folder, judged: Judged) -> None:
    """Keep what was made of a run."""
    path, calls = folder.judged(judged.trial), folder.judging(judged.trial)
    folder.keep(path, as_bytes(asdict(judged)), *filter(Path.exists, [calls]))
