"""Judgements on file. In: a campaign's folder; out: who judged it, and what they made of each run.

A file of judgements names the seal of the trace that was judged: those of a run that was made again are none.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from colosseum.audit.campaign.folder import Damaged, Folder, as_bytes, replace_file
from colosseum.audit.events import PUBLISHED
from colosseum.audit.judging.judgement import SCHEMA, Judged


@dataclass(frozen=True)
class Judges:
    """Who judges all runs of a campaign."""

    __pydantic_config__ = PUBLISHED

    schema: int
    """Of this kind of file."""
    repeats: int
    """How often each is asked the same."""
    models: dict[str, Mapping[str, Any]]
    """By name, how each is asked: all that its answers depend on."""

    def like(self, other: "Judges") -> bool:
        """Whether those that both name are asked in the same way."""
        return all(dict(other.models[name]) == dict(own) for name, own in self.models.items() if name in other.models)

    def joined(self, other: "Judges") -> "Judges":
        """All of both; the more repeats count."""
        return Judges(self.schema, max(self.repeats, other.repeats), {**self.models, **other.models})


@cache
def judges_adapter() -> TypeAdapter[Judges]:
    """What pydantic makes of it."""
    return TypeAdapter(Judges)


@cache
def judged_adapter() -> TypeAdapter[Judged]:
    """What pydantic makes of a run's judgements."""
    return TypeAdapter(Judged)


def read_judges(folder: Folder) -> Judges | None:
    """Who judged a campaign; None where nobody has. Raises OSError, and Damaged."""
    try:
        return judges_adapter().validate_json(folder.judges.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise Damaged(f"{folder.judges} is damaged: {error.error_count()} entries do not fit") from None


def write_judges(folder: Folder, judges: Judges) -> None:
    """Keep who judges."""
    replace_file(folder.judges, as_bytes(asdict(judges)))


def read_judged(folder: Folder, trial: str, chain: str) -> Judged:
    """What was made of a run whose trace has this seal. Raises OSError, and Damaged."""
    path = folder.judged(trial)
    try:
        found = judged_adapter().validate_json(path.read_bytes())
    except FileNotFoundError:
        return Judged(SCHEMA, trial, chain)
    except ValidationError as error:
        raise Damaged(f"{path} is damaged: {error.error_count()} entries do not fit") from None
    if found.trial != trial:
        raise Damaged(f"{path.name} holds judgements of another trial")
    return found if found.chain == chain else Judged(SCHEMA, trial, chain)


def write_judged(folder: Folder, judged: Judged) -> None:
    """Keep what was made of a run."""
    replace_file(folder.judged(judged.trial), as_bytes(asdict(judged)))
