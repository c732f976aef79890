"""`colosseum audit`."""

import gc
import json
import os
import signal
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar, get_args

from colosseum.api.errors import ColosseumError, stop
from colosseum.api.part import Part, read_design, read_shard, sharded
from colosseum.campaign.calls import CacheMode
from colosseum.campaign.cluster import Place
from colosseum.campaign.folder import Damaged, Folder, replace_file
from colosseum.campaign.judging import Judging, Verdicts
from colosseum.campaign.ledger import Ledger
from colosseum.campaign.planning import Asked, Planned, plan
from colosseum.campaign.prices import entry
from colosseum.campaign.processes import Died
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import OUTAGE, Provider
from colosseum.campaign.runner import Options, Runner, Tally
from colosseum.campaign.source import PaidSource
from colosseum.campaign.spending import spent_before
from colosseum.cli.asking import Asking, Wanted, ask_whether_they_can, asking_words, read_asking
from colosseum.cli.cluster import Campaign, run_in_processes, run_on_cluster
from colosseum.cli.gate import Gate
from colosseum.cli.history import remember, spec_digest
from colosseum.cli.interrupting import awaited
from colosseum.cli.judging import Judged, check_panel, judges_of, keep_judges, verdict_words
from colosseum.cli.live_view.display import Display, showing
from colosseum.cli.live_view.meter import Meter
from colosseum.cli.obeying import exit_code
from colosseum.cli.report import report_folder
from colosseum.cli.spending import Budget, Limits, budget_of, check_budget, tally_words
from colosseum.cli.words import checked_spec, note
from colosseum.diagnostics import counted
from colosseum.model.check import Checked
from colosseum.model.experiment import Design
from colosseum.model.json_text import Json, encode
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.players.models.request import Endpoint
from colosseum.players.own_source import module_of
from colosseum.players.scripted.players import SCRIPTED
from colosseum.report.screening import screening_words
from colosseum.run.redaction import Redaction
from colosseum.run.team import UnknownPlayer
from colosseum.run.trial import Block, Expansions, Listed, Trial, Trials

T = TypeVar("T")
LEFT = 4
"""The exit code where runs are left for the sake of money."""
MANY_RUNS = 100
"""Runs of scripted players for which more processes than one are worth their start."""


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    file: Path
    sets: tuple[str, ...] = ()
    part: Part = field(default_factory=Part)
    wanted: Wanted = field(default_factory=Wanted)
    budget: Budget = field(default_factory=Budget)
    out: Path | None = None
    cache: CacheMode = "rw"
    couple: bool = False
    retry_failed: bool = False
    fresh: bool = False
    pilot: int | None = None
    """Blocks that are made before the user is told what the others will take."""
    yes: bool = False
    """Whether to go on after them without being asked."""
    connections: int = 64
    jobs: int | None = None
    """Processes for scripted players."""
    display: Display = "json"
    cluster: Place | None = None
    judged: Judged = field(default_factory=Judged)
    gate: Gate = field(default_factory=Gate)
    patience: float = OUTAGE
    """Seconds that a model may be down."""
    sharing: tuple[frozenset[str], ...] = ()
    """Models that share a rate limit."""

    def say(self, words: str) -> None:
        """A remark for people, where they are told of anything but errors."""
        if self.display != "none":
            note(words)


@dataclass(frozen=True)
class Work:
    """The same, read and checked: what is to be run, where and how."""

    request: Request
    design: Design
    asking: Asking
    trials: Trials
    folder: Folder
    planned: Sequence[Planned]
    can_play: set[str] = field(default_factory=set)
    """Models that were asked whether they can play or judge."""

    def make(self, block: Block) -> Sequence[Trial]:
        """A block's trials."""
        made, diagnostics = self.trials.of(block)
        assert not diagnostics, diagnostics  # planning has made them before
        return made

    @property
    def counted(self) -> Sequence[Listed]:
        """The trials whose cost counts: all of the campaign, seeds and arms that are not asked for now too.

        Of a shard, its own: it has a part of the budget to itself.
        """
        if read_shard(self.request.part.shard)[1] > 1:
            return [listed for block in self.planned for listed in block.listed]
        return self.folder.plan().trials

    @cached_property
    def left(self) -> Sequence[Listed]:
        """The trials that had no result that stands when this was first asked."""
        listed = self.planned_trials
        results = [self.folder.result(each.trial) for each in listed]
        again = self.request.retry_failed
        return [e for e, r in zip(listed, results, strict=True) if r is None or (again and r.status == "failed")]

    @property
    def planned_trials(self) -> list[Listed]:
        """All that are to be there in the end."""
        return [listed for block in self.planned for listed in block.listed]

    def unjudged(self, judges: Collection[str]) -> bool:
        """Whether a judge has something to do, as far as is seen without reading what it judged."""
        if not judges or self.left:
            return bool(judges)
        results = [(each.trial, self.folder.result(each.trial)) for each in self.planned_trials]
        complete = [trial for trial, result in results if result is not None and result.status == "complete"]
        return any(not self.folder.judged(trial).exists() for trial in complete)

    def options(self, budget: Limits) -> Options:
        """How runs are made."""
        request = self.request
        return Options(
            request.cache, budget.run, request.retry_failed, request.connections,
            request.patience, request.sharing,
        )  # fmt: skip

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
    def processes(self) -> int:
        """How many make the runs: scripted players compute, so that many runs of them are spread over the cores."""
        if self.models or len(self.left) < 2:
            return 1
        return self.request.jobs or (1 if len(self.left) < MANY_RUNS else os.cpu_count() or 1)


def read_cache(words: str) -> CacheMode:
    """A mode by its name. Raises ColosseumError."""
    for mode in get_args(CacheMode):
        if words == mode:
            found: CacheMode = mode
            return found
    raise stop("C122", f"`--cache {words}` is none of {', '.join(get_args(CacheMode))}")


def audit_file(request: Request, *, as_json: bool) -> int:
    """Run an experiment's trials and report.

    Exit 3 when some runs failed, 4 without money or after a pilot, 100 at a shut gate, 130 when interrupted.
    """
    gc.enable()
    checked = checked_spec(request.file, seed=None, sets=request.sets)
    folder = Folder(request.out or default_folder(checked, request.part))
    try:
        if request.fresh and (aside := folder.set_aside()):
            request.say(f"what was there is kept in {aside}")
        with _lasting(), _unless_refused(folder):
            made = _made(checked, request, folder, as_json=as_json)
    except Died as died:
        raise stop("C127", str(died)) from None
    except Damaged as damaged:
        raise stop("C123", str(damaged), help="`--fresh` puts what is there aside and begins anew") from None
    except OSError as error:
        raise stop("C122", f"cannot write to {folder.path}: {error.strerror}") from None
    except KeyboardInterrupt:
        note(f"interrupted; {going_on(folder.path)}")
        return exit_code()
    if made is None:
        return LEFT
    tally, purse, verdicts = made
    request.say(tally_words(tally, purse, folder.path) + (f"\n{judged}" if (judged := verdict_words(verdicts)) else ""))
    code = report_folder(folder.path, as_json=as_json, keep=True, gate=request.gate)
    if (tally["halted"] or verdicts.left) and not tally.gave_up:
        return LEFT
    return max(code, 3 if tally["halted"] or verdicts.left or verdicts.missing else 0)


def _made(checked: Checked, request: Request, folder: Folder, *, as_json: bool) -> tuple[Tally, Purse, Verdicts] | None:
    """What became of the runs; None where a pilot ends here. Raises as `_run` does."""
    work = _planned(checked, request, folder)
    if request.pilot:
        from colosseum.cli.pilot import goes_on, pilot_of

        made = _run(pilot_of(work, request.pilot))
        if made[0]["halted"]:
            return made
        if not goes_on(work, checked, as_data=as_json):
            return None
    return _run(work)


def going_on(path: Path) -> str:
    """What a user who stopped us can do."""
    return f"all that was answered is kept in {path}: run the same command to go on"


def default_folder(checked: Checked, part: Part) -> Path:
    """Where a campaign goes that is given no folder."""
    name = part.experiment or next(iter(checked.designs), "none")
    return Path("runs") / f"{checked.expansion.scenario.name}-{name}"


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


@contextmanager
def _unless_refused(folder: Folder) -> Iterator[None]:
    """A command that is refused before its first run leaves a folder's plan as it was.

    Else a price that is not known would hide the runs of another configuration from the next report.
    """
    before = folder.plan_path.read_bytes() if folder.plan_path.exists() else None
    begun = folder.begun
    try:
        yield
    except ColosseumError:
        if before is not None and folder.begun == begun:
            replace_file(folder.plan_path, before)
        raise


def _planned(checked: Checked, request: Request, folder: Folder) -> Work:
    """Everything that is to be done, written down. Raises ColosseumError, OSError."""
    check_budget(request.budget)
    design = read_design(checked, request.part, file=str(request.file))
    asking, shard = read_asking(request.wanted, checked, design), read_shard(request.part.shard)
    for name in asking.own:
        if (module := module_of(name)) not in request.wanted.python:
            help_ = f"read its source; then `--allow-python {module}` lets it run"
            raise stop("C128", f"`{name}` is not named by `--model`, and nothing else may run code", help=help_)
    trials = Trials(Expansions(checked.spec, checked.params), asking.adjust, asking.endpoint, request.couple)
    options = resolved(request, asking)
    asked = Asked(checked.designs[design.name], checked.expansion.scenario.title, asking.words, options)
    earlier = _earlier(folder)
    try:
        planned, diagnostics = plan(folder, asked, sharded(design, (0, 1)), trials)
    except UnknownPlayer as unknown:
        raise stop("C122", str(unknown), help=unknown.help) from None
    except NotLowered as fault:
        raise stop("C100", str(fault), help=fault.help) from None
    if diagnostics:
        raise ColosseumError(*diagnostics)
    if screening := folder.plan().screening:
        request.say(f"screened: {screening_words(screening)}")
    if apart := _apart(earlier, folder):
        runs = counted(apart, "run")
        request.say(f"{folder.path} also keeps {runs} of another configuration, which this report leaves out")
    first, number = shard
    return Work(request, design, asking, trials, folder, planned[first::number])


def _earlier(folder: Folder) -> Sequence[Listed]:
    """The trials that a folder was last asked for."""
    try:
        return folder.plan().trials
    except (OSError, Damaged):
        return ()  # there are none, or planning says what is wrong


def _apart(earlier: Sequence[Listed], folder: Folder) -> int:
    """How many of them have ended, and are no trials of what the folder is asked for now."""
    listed = {each.trial for each in folder.plan().trials}
    return sum(each.trial not in listed and folder.result_path(each.trial).exists() for each in earlier)


def resolved(request: Request, asking: Asking) -> Mapping[str, Json]:
    """What was asked for as campaign.json keeps it, without a secret."""
    part, budget = request.part, request.budget
    options: dict[str, Json] = {
        **asking.options,
        "couple": request.couple,
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


def _run(work: Work) -> tuple[Tally, Purse, Verdicts]:
    """Make the runs, and have them judged. Raises ColosseumError, OSError, Damaged and KeyboardInterrupt."""
    request, models = work.request, work.models
    check_panel(request.judged)
    endpoints, repeats = judges_of(request.judged, work.design, work.asking)
    judges = {each.model: each for each in endpoints}
    shards = read_shard(request.part.shard)[1]
    budget = budget_of(request.budget, work.design, {**models, **judges}, shards=shards)
    on_cluster = request.cluster is not None and bool(work.left)
    asked = {**({} if on_cluster else models), **(judges if work.unjudged(judges) else {})}
    asked = {model: endpoint for model, endpoint in asked.items() if model not in work.can_play}
    if asked:
        parts = [word for word, some in (("play", models and not on_cluster), ("judge", asked.keys() & judges)) if some]
        request.say(asking_words(asked, " and ".join(parts)))
        for model in sorted(asked.keys() & models):
            if asked[model].max_tokens == Endpoint.max_tokens and entry(model).get("supports_reasoning"):
                note(f"`{model}` has {Endpoint.max_tokens} tokens a reply to think, too: `--max-tokens {model}=6000`")
        ask_whether_they_can(asked)
        work.can_play.update(asked)
    if work.left:
        work.folder.report.unlink(missing_ok=True)  # it is of fewer runs than there will be
    if models and budget.campaign is not None and request.cache != "rw":
        note(f"with `--cache {request.cache}` no answers are kept: what unfinished runs cost is forgotten later")
    purse = _purse(work, budget)
    provider = Provider(request.connections, patience=request.patience, sharing=request.sharing)
    source = PaidSource(provider, purse)
    redaction = Redaction.of(others=work.asking.secrets)
    coalition = next(iter(work.folder.plan().coalitions), "")
    judging = Judging(work.folder, coalition, endpoints, repeats, source, redaction, request.connections)
    if endpoints:
        keep_judges(work.folder, endpoints, repeats)
    turns = {trial: turns for block in work.planned for trial, turns in block.turns.items()}
    meter = Meter(turns, tuple(models), purse, provider.gates, patience=provider.patience)
    options = work.options(budget)
    if on_cluster or work.processes > 1:
        tally = _spread(work, purse, meter, models, options)
        return tally, purse, awaited(judging.run(work.planned_trials), source) if endpoints else judging.verdicts
    with showing(request.display, meter, sys.stderr):
        source.watch = meter.call
        runner = Runner(work.folder, source, purse, options, redaction, meter.trial, watch=meter.event)
        runner.then = judging.judge if endpoints else None
        tally = awaited(runner.run(work.planned, work.make), source)
    remember(spec_digest(work.folder.plan().files), models, work.folder, work.planned_trials)
    return tally, purse, judging.verdicts


def _purse(work: Work, budget: Limits) -> Purse:
    """What may be spent, with what was spent before."""
    shard = (work.request.part.shard or "").replace("/", "-")
    ledger = None if budget.campaign is None else Ledger(work.folder.ledger(shard))
    before = spent_before(work.folder, work.counted, budget.prices)
    known = (before.dollars, before.unpriced, before.bounded)
    return Purse(budget.campaign, budget.prices, *known, dearest=before.teams, ledger=ledger)


def _spread(work: Work, purse: Purse, meter: Meter, models: Mapping[str, Endpoint], options: Options) -> Tally:
    """Make the runs by workers."""
    request = work.request
    campaign = Campaign(
        work.folder, work.planned, work.trials, work.asking, models, options,
        request.connections, request.display, request.say,
    )  # fmt: skip
    if request.cluster is not None and work.left:
        return run_on_cluster(request.cluster, campaign, purse, meter)
    return run_in_processes(work.processes, campaign, purse, meter)
