"""`colosseum audit`."""

import asyncio
import gc
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from colosseum.audit.campaign.folder import Campaign, Tally
from colosseum.audit.models.player import ModelPlayer
from colosseum.audit.models.preflight import preflight
from colosseum.audit.protocol import Player
from colosseum.audit.scripted.players import SCRIPTED
from colosseum.audit.team import MakeModel, UnknownPlayer
from colosseum.audit.trial import Expansions, Trial, trials
from colosseum.cli.progress import Progress
from colosseum.cli.report import report_folder
from colosseum.cli.words import Stop, checked_spec, note, read_seeds, stop
from colosseum.diagnostics import closest, counted
from colosseum.language import syntax
from colosseum.model.check import Checked
from colosseum.model.experiment import Conditions, Design, overruled
from colosseum.model.settings import Settings
from colosseum.optimum.lowering.lower import NotLowered


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    file: Path
    experiment: str | None
    models: tuple[str, ...]
    api_base: str | None
    seeds: str | None
    arms: tuple[str, ...]
    sets: tuple[str, ...]
    out: Path | None


def audit_file(request: Request, *, as_json: bool) -> int:
    """Run an experiment's trials and report. Exit 3 when some runs failed, 130 when interrupted."""
    gc.enable()
    checked = checked_spec(request.file, seed=None, sets=request.sets)
    design = _design(checked, request)
    expansions = Expansions(checked.spec, checked.params)
    model = _model(request.models)
    planned = _trials(design, expansions, model)
    make = _maker(request.api_base)
    with _lasting():
        _preflight(planned, make)
    folder = request.out or Path("runs") / f"{checked.expansion.scenario.name}-{design.name}"
    campaign = Campaign(folder)
    try:
        whole, title = checked.designs[design.name], checked.expansion.scenario.title
        campaign.prepare(whole, planned, expansions, title=title, model=model)
        with _lasting():
            tally = _run(campaign, planned, make)
    except OSError as error:
        raise stop("C122", f"cannot write to {folder}: {error.strerror}") from None
    except KeyboardInterrupt:
        note(f"interrupted; complete runs are kept in {folder}: run the same command to go on")
        return 130
    note(_words(tally, folder))
    return report_folder(folder, as_json=as_json)


@contextmanager
def _lasting() -> Iterator[None]:
    """A connection that a server closes, or a reader of our words who leaves, does not end the runs."""
    if not hasattr(signal, "SIGPIPE"):
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)


def _design(checked: Checked, request: Request) -> Design:
    """The experiment asked for, with the arms and seeds asked for. Raises Stop."""
    if not checked.designs:
        example = 'experiment first "Does a private channel change anything?" { seeds 1..5  arm baseline { } }'
        message = f"{request.file} has no experiment, so there is nothing to run"
        raise stop("C091", message, help=f"add one, such as `{example}`")
    name = request.experiment or next(iter(checked.designs))
    if name not in checked.designs:
        known = list(checked.designs)
        help_ = closest(name, known) or f"experiments: {', '.join(known)}"
        raise stop("C091", f"there is no experiment `{name}`", help=help_)
    design = checked.designs[name]
    swept = overruled(next(e for e in checked.spec.of(syntax.Experiment) if e.name == name), checked.params)
    if swept:
        raise Stop(*swept)
    for arm in request.arms:
        if arm not in design.arms:
            help_ = closest(arm, design.arms) or f"arms: {', '.join(design.arms)}"
            raise stop("C091", f"the experiment `{name}` has no arm `{arm}`", help=help_)
    if request.arms:
        if design.arms[0] not in request.arms:
            note(f"the control `{design.arms[0]}` is left out: differences need runs of it, in this folder")
        chosen = tuple(a for a in design.arms if a in request.arms)
        design = replace(design, arms=chosen, cells=tuple(c for c in design.cells if c.name in chosen))
    return replace(design, seeds=read_seeds(request.seeds)) if request.seeds else design


def _model(models: Sequence[str]) -> str | None:
    """The one model asked for, if any. Raises Stop."""
    if len(models) > 1:
        swept = ", ".join(f'"{model}"' for model in models)
        help_ = f"to compare models, write `sweep model in {swept}` in the experiment"
        raise stop("C122", "`--model` names one model, for everybody", help=help_)
    return models[0] if models else None


def _trials(design: Design, expansions: Expansions, model: str | None) -> list[Trial]:
    def adjust(conditions: Conditions) -> Conditions:
        if model is None:
            return conditions
        return replace(conditions, settings=replace(conditions.settings, model=(("agents", model),)))

    try:
        planned, diagnostics = trials(design, expansions, seeds=design.seeds, adjust=adjust)
        if diagnostics:
            raise Stop(*diagnostics)
        for number, trial in enumerate({t.scenario_hash: t for t in planned}.values()):
            trial.rules.prepare(always=not number)
    except UnknownPlayer as unknown:
        raise stop("C122", str(unknown), help=unknown.help) from None
    except NotLowered as fault:
        raise stop("C100", str(fault), help=fault.help) from None
    return planned


def _maker(api_base: str | None) -> MakeModel:
    def make(name: str, settings: Settings) -> Player:
        return ModelPlayer(
            name, api_base=api_base, temperature=settings.temperature, max_tokens=settings.max_tokens
        )  # fmt: skip

    return make


def _preflight(planned: Sequence[Trial], make: MakeModel) -> None:
    """Ask every model once, before the first run, whether it can play. Raises Stop."""
    models = {name: t for t in planned for name in t.roles.values() if name not in SCRIPTED}

    async def ask_all() -> list[str | None]:
        players = [make(name, trial.stage.conditions.settings) for name, trial in models.items()]
        return list(await asyncio.gather(*(preflight(p) for p in players if isinstance(p, ModelPlayer))))

    if models:
        note(f"asking {', '.join(models)} whether it can play …")
        wrong = [w for w in asyncio.run(ask_all()) if w]
        if wrong:
            raise stop("C124", wrong[0], help="no run was started and nothing was spent on one")


def _run(campaign: Campaign, planned: Sequence[Trial], make: MakeModel) -> Tally:
    progress: Callable[[Trial, str], None]
    with Progress(len(planned), stream=sys.stderr) as progress:
        try:
            return asyncio.run(campaign.run(planned, make, progress=progress))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None  # one is enough to say what broke; the others were cut off by it


def _words(tally: Tally, folder: Path) -> str:
    parts = [f"{counted(tally.complete, 'run')} complete"]
    parts += [f"{tally.reused} of them from before"] if tally.reused else []
    parts += [f"{tally.failed} failed"] if tally.failed else []
    return f"{', '.join(parts)}, in {folder}"
