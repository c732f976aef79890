"""The judges of a campaign. In: options as typed, or its folder; out: judges' Endpoints, and their scores on file.

A file of judgements names the seal of the trace that was judged: those of a run that was made again are none.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from filelock import FileLock
from pydantic import AfterValidator, Field

from colosseum.campaign.folder import Damaged, Folder, as_bytes, read_json
from colosseum.campaign.model_options import Asking
from colosseum.diagnostics import stop
from colosseum.model.experiment import Design
from colosseum.model.serial import encode
from colosseum.model.settings import MODEL, Settings
from colosseum.players.models.request import Endpoint
from colosseum.run.judging.asking import BASELINE, SCHEMA, Judged
from colosseum.run.judging.blinding import WORDS
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

    def joined(self, other: "Judges", folder: Folder) -> "Judges":
        """All of both; the more repeats count, and who is left out stays so unless the other names it.

        Raises ColosseumError where one was asked in another way in the other's folder.
        """
        for name, own in self.models.items():
            if dict(other.models.get(name, own)) != dict(own):
                help_ = f"ask in the same way, or remove {folder.judges.parent} to begin anew"
                raise stop("C122", f"`{name}` has judged runs in {folder.path} with other parameters", help=help_)
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


@dataclass(frozen=True)
class JudgeSetup:
    """Options of judges as they were typed."""

    models: tuple[str, ...] = ()
    repeats: int | None = None
    temperature: float | None = None
    without: tuple[str, ...] = ()
    """Judges of a folder whose scores are to count no longer."""


def judges_of(wanted: JudgeSetup, design: Design, asking: Asking) -> tuple[list[Endpoint], int]:
    """How each judge is asked, and how often; none where the baseline reads for free. Raises ColosseumError.

    Those of the command line win over the spec's. They are asked at temperature 0, unless another one is said.
    """
    spoken = next((cell.conditions.settings.judge for cell in design.cells), None)
    names = list(dict.fromkeys(wanted.models or ([spoken] if spoken else [])))
    settings = Settings(temperature=0.0 if wanted.temperature is None else wanted.temperature)
    asked_how = wanted.repeats is not None or wanted.temperature is not None
    if asked_how and not set(names) - {BASELINE}:
        option = "--judge-repeats" if wanted.repeats is not None else "--judge-temperature"
        help_ = "name one, as in `--judge openai/gpt-4o-mini`"
        raise stop("C122", f"`{option}` says how a model judges, and no model does", help=help_)
    found: list[Endpoint] = []
    for name in names:
        if not MODEL.match(name) or (name.startswith(("sim", "python:")) and name != BASELINE):
            raise stop("C122", f"`{name}` is no judge", help=f"as in `{BASELINE}`, a baseline, or `provider/model`")
        if name != BASELINE:
            own = {who: heat for who, heat in asking.temperature.items() if who in settings.known_as(name)}
            found.append(asking.endpoint(name, settings.told("temperature", own)))
    return found, wanted.repeats or 1


def warn_of_names(agents: Collection[str], say: Callable[[str], None]) -> None:
    """Say which agents are called like a word: what hides names from judges has to guess where they are meant."""
    if alike := sorted(WORDS.keys() & set(agents)):
        say(f"agents named {' or '.join(alike)} cannot always be hidden from judges, as these are words: rename them")


def check_panel(wanted: JudgeSetup) -> None:
    """The baseline never judges beside models: it would count in the mean of their scores. Raises ColosseumError."""
    if BASELINE in wanted.models and len(set(wanted.models)) > 1:
        help_ = f"leave it out: `{BASELINE}` speaks where no model judges"
        raise stop("C122", f"`{BASELINE}` is a baseline, and does not judge beside models", help=help_)


def who_judged(wanted: JudgeSetup, folder: Folder) -> JudgeSetup:
    """Those of the command line, or else those who judged the folder before. Raises OSError, and Damaged."""
    earlier = None if wanted.models else read_judges(folder)
    if earlier is None:
        return wanted
    return replace(wanted, models=earlier.counted, repeats=wanted.repeats or earlier.repeats)


def leave_out(names: Sequence[str], folder: Folder) -> None:
    """Scores of judges count no longer; what they said stays on file. Raises ColosseumError, OSError, Damaged."""
    judges = read_judges(folder)
    known = () if judges is None else tuple(judges.models)
    for name in names:
        if name not in known:
            help_ = f"those who have: {', '.join(known)}" if known else f"`{BASELINE}` speaks where no model does"
            raise stop("C122", f"`{name}` has not judged the runs in {folder.path}", help=help_)
    if judges is not None and names:
        write_judges(folder, replace(judges, left_out=tuple(dict.fromkeys((*judges.left_out, *names)))))


def keep_judges(folder: Folder, endpoints: Sequence[Endpoint], repeats: int) -> None:
    """Write down who judges. Raises ColosseumError where one was asked in another way before, OSError, and Damaged."""
    fresh = Judges(SCHEMA, repeats, {each.model: each.parameters for each in endpoints})
    folder.judges.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.judges.with_suffix(".lock")) as lock:
        earlier = read_judges(folder)
        write_judges(folder, fresh if earlier is None else earlier.joined(fresh, folder))
        Path(lock.lock_file).unlink(missing_ok=True)
