"""The work of an audit. In: a request and a checked spec; out: its trials, planned in a folder, or its blocks alone."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import cast, get_args

from colosseum.campaign.calls import CacheMode
from colosseum.campaign.folder import Folder, Plan
from colosseum.campaign.judged import JudgeSetup, judges_of, warn_of_names
from colosseum.campaign.margins import few_seeds
from colosseum.campaign.meter import Gauge
from colosseum.campaign.model_options import Asking, Wanted, read_asking
from colosseum.campaign.part import Part, Say, read_design, sharded, silent
from colosseum.campaign.planning import Planned, check_rules, configured, plan
from colosseum.campaign.runner import Options
from colosseum.campaign.screening import Screener, screening_words
from colosseum.campaign.verifying import looked, unrecorded
from colosseum.diagnostics import counted, one_of, stop
from colosseum.language.compose import NewFile
from colosseum.model.check import Checked
from colosseum.model.experiment import Design
from colosseum.model.serial import Json, encode
from colosseum.model.values import Value
from colosseum.players.models.request import Endpoint
from colosseum.players.own_source import module_of
from colosseum.players.scripted.players import SCRIPTED
from colosseum.run.redaction import Redaction
from colosseum.run.trial import Listed, Trials, blocks
from colosseum.solve.lowering.lower import NotLowered

PLACE = re.compile(r"(local(?=:)|slurm|htcondor|(?:tcp|tls)://[^\s/]+:\d+)(?::([1-9][0-9]{0,8}))?")
MANY_RUNS = 100  # runs of scripted players for which more processes than one are worth their start


@dataclass(frozen=True)
class WorkerPlace:
    """Where workers are."""

    kind: str
    """`local`, `slurm`, `htcondor`, or the address of a scheduler."""
    number: int = 1
    """Of processes or jobs; a scheduler may have more workers."""


def read_place(words: str | None) -> WorkerPlace | None:
    """A place as it was typed; None where there is none. Raises ColosseumError."""
    if words is None:
        return None
    if (found := PLACE.fullmatch(words)) is None:
        help_ = "as in `local:4`, `tcp://host:8786`, `slurm:20` or `htcondor:20`"
        raise stop("C127", f"`--cluster {words}` is not a place for workers", help=help_)
    return WorkerPlace(found[1], int(found[2] or 1))


@dataclass(frozen=True)
class Request(Options):
    """What the user asked for."""

    file: Path
    params: Mapping[str, Value] = field(default_factory=dict)
    part: Part = field(default_factory=Part)
    wanted: Wanted = field(default_factory=Wanted)
    out: Path | None = None
    retry_failed: bool = False
    fresh: bool = False
    jobs: int | None = None
    """Processes that make runs; None for one where models play."""
    cluster: WorkerPlace | None = None
    judged: JudgeSetup = field(default_factory=JudgeSetup)
    say: Say = silent
    """Told of what is done."""
    warn: Say = silent
    """Told of what may not be as the user thinks."""
    watching: Callable[[Gauge], AbstractContextManager[object]] = nullcontext
    """What goes on while runs are made."""

    def place(self, checked: Checked) -> Path:
        """The campaign's folder."""
        name = self.part.experiment or next(iter(checked.designs), "none")
        return self.out or Path("runs") / f"{checked.expansion.scenario.name}-{name}"


@dataclass(frozen=True)
class Work:
    """The same, read and checked: what is to be run, where and how."""

    request: Request
    design: Design
    asking: Asking
    trials: Trials
    folder: Folder
    plan: Plan
    """The whole campaign's, as it will stand in the folder."""
    planned: Sequence[Planned]
    files: Sequence[NewFile] = ()
    """Of the spec, which are written with the plan; none where both are there."""
    can_play: set[str] = field(default_factory=set)
    """Models that were asked whether they can play or judge."""

    @property
    def title(self) -> str:
        """The scenario and the experiment."""
        return f"{self.plan.scenario}, experiment {self.plan.experiment}"

    @property
    def seeds(self) -> int:
        """How many are planned, at the sweep point where they are fewest."""
        return min(Counter(point for point, _ in {(b.block.point, b.block.seed) for b in self.planned}).values())

    def pilot(self, number: int) -> "Work":
        """The same with so many of its blocks, so that different sweep points are among them."""
        number, last = min(number, len(self.planned)), len(self.planned) - 1
        return replace(self, planned=[self.planned[round(n * last / max(1, number - 1))] for n in range(number)])

    @property
    def counted(self) -> Sequence[Listed]:
        """The trials whose cost counts: all of the campaign; of a shard its own, as it has its part of the budget."""
        return self.planned_trials if self.request.part.is_shard else self.plan.trials

    @cached_property
    def retried(self) -> Mapping[str, int]:
        """The trials that had failed when this was first asked and are tried again, with the time of their results."""
        of, asked = self.folder, self.planned_trials if self.request.retry_failed else ()
        results = {each.trial: of.result(each.trial) for each in asked}
        return {trial: of.written_at(trial) for trial, found in results.items() if found and found.status == "failed"}

    @cached_property
    def left(self) -> Sequence[Listed]:
        """The trials that had no result that stands when this was first asked."""
        ended = self.folder.ended
        return [each for each in self.planned_trials if each.trial in self.retried or not ended(each.trial)]

    @property
    def planned_trials(self) -> list[Listed]:
        """All that are to be there in the end."""
        return [listed for block in self.planned for listed in block.listed]

    def unjudged(self, judges: Collection[str]) -> bool:
        """Whether a judge has something to do, as far as is seen without reading what it judged."""
        if not judges or self.left:
            return bool(judges)
        left = (each.trial for each in self.planned_trials if not self.folder.judged(each.trial).exists())
        return any((found := self.folder.result(trial)) and found.status == "complete" for trial in left)

    @property
    def models(self) -> dict[str, Endpoint]:
        """Those that will be asked."""
        settings = {(cell.point, cell.name): self.asking.adjust(cell.conditions).settings for cell in self.design.cells}
        found: dict[str, Endpoint] = {}
        for listed in self.left:
            for model in dict.fromkeys(listed.players.values()):
                if model not in SCRIPTED and model not in found:
                    found[model] = self.asking.endpoint(model, settings[listed.point, listed.arm])
        return found

    @property
    def far(self) -> WorkerPlace | None:
        """The cluster that makes the runs; None where this machine does."""
        place = self.request.cluster
        return None if place is None or place.kind == "local" or not self.left else place

    @property
    def processes(self) -> int:
        """How many make the runs: many of scripted players, who compute, are spread over the cores; models wait."""
        few, place = len(self.left) < MANY_RUNS or self.models, self.request.cluster
        asked = place.number if place is not None else self.request.jobs
        return min(len(self.left), asked or (1 if few else os.cpu_count() or 1))

    @property
    def by_workers(self) -> bool:
        """Whether others than this process make the runs."""
        return self.far is not None or self.processes > 1


def read_cache(words: str) -> CacheMode:
    """A mode by its name. Raises ColosseumError."""
    return cast(CacheMode, one_of("cache", words, get_args(CacheMode)))


def plan_work(checked: Checked, request: Request, folder: Folder) -> Work:
    """Everything that is to be done, where it may be done. Raises ColosseumError, OSError, and Damaged."""
    if request.fresh and (aside := folder.set_aside()):
        request.say(f"what was there is kept in {aside}")
    before = folder.earlier()
    if before is None and folder.plan_path.exists():
        request.warn(f"{folder.plan_path} cannot be read, and is written anew: what it had settled is not known")
    ended = [each.seed for each in (before.trials if before else ()) if folder.ended(each.trial)]
    if before and ended and (gone := unrecorded(folder, before)):
        request.warn(gone)
        looked(folder, len(ended), len(set(ended)))  # somebody may have looked at all of them
    work = foresee(checked, request, folder, before)
    for name in work.asking.own:
        if (module := module_of(name)) not in request.wanted.python:
            help_ = f"read its source; then `--allow-python {module}` lets it run"
            raise stop("C128", f"`{name}` is not named by `--model`, and nothing else may run code", help=help_)
    if work.plan.screening:
        request.say(f"screened: {screening_words(work.plan.screening)}")
    own = {each.trial[:24] for each in work.plan.trials}
    if apart := sum(path.stem not in own for path in (folder.path / "runs").glob("*.json")):
        request.say(f"{folder.path} also keeps {counted(apart, 'run')} of another configuration, not in this report")
    if judges_of(request.judged, work.design, work.asking)[0]:
        warn_of_names(checked.expansion.scenario.task.agents, request.warn)
    return work


def foresee(checked: Checked, request: Request, folder: Folder, before: Plan | None) -> Work:
    """Everything that is to be done beside the folder's plan; nothing is written. Raises ColosseumError and OSError."""
    design, asking, trials, asked, files = read_request(checked, request)
    blocks = sharded(design, request.part.shard)
    try:
        planned, whole = plan(folder, asked, checked.designs[design.name], blocks, trials, before=before)
    except NotLowered as fault:
        raise stop("C100", str(fault), help=fault.help) from None
    work = Work(request, design, asking, trials, folder, whole, planned, files)
    fewest = len(design.seeds) if request.part.is_shard else work.seeds
    if len(design.arms) > 1 and (words := few_seeds(fewest)):
        request.warn(f"{words}; `colosseum power` says how often more seeds are right")
    return work


def draft(checked: Checked, request: Request) -> Work:
    """The same without trials, and as if the folder were empty. Raises ColosseumError, OSError and Damaged."""
    design, asking, trials, asked, _ = read_request(checked, request)
    before = (folder := Folder(request.place(checked))).earlier(asked.configuration)
    screener = Screener(checked.designs[design.name], trials, before.screening if before else None)
    passing = [Planned(block, ()) for block in screener.passing(blocks(design))]
    if not passing:
        raise screener.nothing
    check_rules(trials, trials.of(passing[0].block)[0])
    return Work(request, design, asking, trials, folder, replace(asked, screening=screener.screening), passing)


def read_request(checked: Checked, request: Request) -> tuple[Design, Asking, Trials, Plan, tuple[NewFile, ...]]:
    """The arms and seeds asked for, how models are asked, what makes trials, and a plan without them with the spec.

    Raises ColosseumError and OSError.
    """
    design = read_design(checked, request.part, file=str(request.file), say=request.warn)
    asking = read_asking(request.wanted, checked, design)
    trials = Trials(checked.spec, checked.params, asking.adjust, asking.endpoint)
    whole, options = checked.designs[design.name], resolved(request, asking)
    return design, asking, trials, *configured(whole, checked, options, seeds=len(design.seeds))


def resolved(request: Request, asking: Asking) -> Mapping[str, Json]:
    """What was asked for as campaign.json keeps it, without a secret."""
    part, budget = request.part, request.budget
    options: dict[str, Json] = {
        **asking.options,
        "couple": False,  # earlier versions could share answers between arms
        "cache": request.cache,
        "shard": part.shard,
        "seeds": part.seeds,
        "arms": list(part.arms),
        "retry_failed": request.retry_failed,
        "max_connections": request.connections,
        "budget": budget.campaign,
        "run_budget": budget.run,
        "no_budget": budget.none,
    }
    return dict(json.loads(Redaction.of(others=asking.secrets).clean(encode(options))))
