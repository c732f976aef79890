"""The judges of a campaign. In: options as typed, and an experiment; out: judges' Endpoints, words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from colosseum.campaign.folder import Folder
from colosseum.campaign.judged import Judges, alone, read_judges, write_judges
from colosseum.campaign.model_options import Asking
from colosseum.diagnostics import stop
from colosseum.model.experiment import Design
from colosseum.model.settings import MODEL, Settings
from colosseum.players.models.request import Endpoint
from colosseum.run.judging.judgement import SCHEMA
from colosseum.run.judging.lexical import NAME


@dataclass(frozen=True)
class JudgeSetup:
    """Options of judges as they were typed."""

    models: tuple[str, ...] = ()
    repeats: int | None = None
    temperature: float | None = None


def judges_of(wanted: JudgeSetup, design: Design, asking: Asking) -> tuple[list[Endpoint], int]:
    """How each judge is asked, and how often; none where the baseline reads for free. Raises ColosseumError.

    Those of the command line win over the spec's. They are asked at temperature 0, unless another one is said.
    """
    spoken = next((cell.conditions.settings.judge for cell in design.cells), None)
    names = list(dict.fromkeys(wanted.models or ([spoken] if spoken else [])))
    settings = Settings(temperature=0.0 if wanted.temperature is None else wanted.temperature)
    asked_how = wanted.repeats is not None or wanted.temperature is not None
    if asked_how and not set(names) - {NAME}:
        option = "--judge-repeats" if wanted.repeats is not None else "--judge-temperature"
        help_ = "name one, as in `--judge openai/gpt-4o-mini`"
        raise stop("C122", f"`{option}` says how a model judges, and no model does", help=help_)
    found: list[Endpoint] = []
    for name in names:
        if not MODEL.match(name) or (name.startswith(("sim", "python:")) and name != NAME):
            raise stop("C122", f"`{name}` is no judge", help=f"as in `{NAME}`, a baseline, or `provider/model`")
        if name != NAME:
            own = {who: heat for who, heat in asking.temperature.items() if who in settings.known_as(name)}
            found.append(asking.endpoint(name, settings.told("temperature", own)))
    return found, wanted.repeats or 1


def check_panel(wanted: JudgeSetup) -> None:
    """The baseline never judges beside models: it would count in the mean of their scores. Raises ColosseumError."""
    if NAME in wanted.models and len(set(wanted.models)) > 1:
        help_ = f"leave it out: `{NAME}` speaks where no model judges"
        raise stop("C122", f"`{NAME}` is a baseline, and does not judge beside models", help=help_)


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
            help_ = f"those who have: {', '.join(known)}" if known else "nobody has"
            raise stop("C122", f"`{name}` has not judged the runs in {folder.path}", help=help_)
    if judges is not None and names:
        write_judges(folder, replace(judges, left_out=tuple(dict.fromkeys((*judges.left_out, *names)))))


def keep_judges(folder: Folder, endpoints: Sequence[Endpoint], repeats: int) -> Judges:
    """Write down who judges. Raises ColosseumError where one was asked in another way before, OSError, and Damaged."""
    fresh = Judges(SCHEMA, repeats, {each.model: each.parameters for each in endpoints})
    with alone(folder):
        earlier = read_judges(folder)
        if earlier is not None and not fresh.like(earlier):
            both = (name for name in fresh.models if name in earlier.models)
            unlike = next(name for name in both if dict(earlier.models[name]) != dict(fresh.models[name]))
            help_ = f"ask in the same way, or remove {folder.judges.parent} to begin anew"
            raise stop("C122", f"`{unlike}` has judged runs in {folder.path} with other parameters", help=help_)
        judges = fresh if earlier is None else earlier.joined(fresh)
        write_judges(folder, judges)
        return judges
