"""Carries out an audit. In: planned work, or a folder that is to be judged; out: runs and judgements, and the outcome.

What is there is used, what was paid for is kept, and Ctrl-C leaves a folder that can be gone on with.
"""

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from colosseum.campaign import judged
from colosseum.campaign.estimate import LEAST, LONGEST_TOKEN, examples, run_loads
from colosseum.campaign.folder import Folder, Plan, writing_to
from colosseum.campaign.judging import JudgementTally, Judging
from colosseum.campaign.ledger import Ledger, held
from colosseum.campaign.meter import Gauge
from colosseum.campaign.model_options import read_asking
from colosseum.campaign.money import dollars, entry
from colosseum.campaign.part import Part, read_design, read_shard
from colosseum.campaign.planning import Planned, write_plan
from colosseum.campaign.preflight import ask_whether_they_can
from colosseum.campaign.purse import Purse, budget_of, left_words, spent_words
from colosseum.campaign.retry import Provider, silent_words
from colosseum.campaign.runner import PaidSource, Runner, Tally
from colosseum.campaign.signals import awaited
from colosseum.campaign.vetting import require, vet
from colosseum.campaign.work import Request, Work
from colosseum.campaign.workers import run_by_workers
from colosseum.diagnostics import counted, stop
from colosseum.players.models.request import Endpoint
from colosseum.run.judging.asking import BASELINE
from colosseum.run.redaction import Redaction
from colosseum.run.trial import Block, Trials


@dataclass(frozen=True)
class AuditOutcome:
    """What came of the runs and of their judgements."""

    words: str = ""
    """What became of them, what they cost, and why some were left."""
    tally: Tally = field(default_factory=Tally)
    verdicts: JudgementTally = field(default_factory=JudgementTally)

    @property
    def left(self) -> bool:
        """Whether runs or judgements were put off."""
        return bool(self.tally["halted"] or self.verdicts["left"])


def carry_out(work: Work) -> AuditOutcome:
    """Make the runs, and have them judged. Raises ColosseumError, OSError, Damaged and KeyboardInterrupt."""
    request, models = work.request, work.models
    judged.check_panel(request.judged)
    endpoints, repeats = judged.judges_of(request.judged, work.design, work.asking)
    judges = {each.model: each for each in endpoints}
    purse = budget_of(request.budget, work.design, {**models, **judges}, shards=read_shard(request.part.shard)[1])
    shared = Ledger(work.folder.ledger(request.part.shard)) if purse.limit is not None or work.by_workers else None
    _check_place(work.folder.path)
    before = purse.recall(work.folder, work.counted, work.folder.asked(request.part.shard)).spent
    _check_block(work, purse)
    redaction = Redaction.of(others=work.asking.secrets)
    _ask_first(work, judges, purse, redaction)
    if work.files:  # what is refused leaves the folder as it was
        write_plan(work.folder, work.files, work.plan)
    purse.ledger = shared
    if purse.spent > before:
        purse.tell(purse.spent - before)
        purse.listen()
    if work.left:
        work.folder.drop(work.folder.report)  # it is of fewer runs than there will be
    if models and purse.limit is not None and request.cache != "rw":
        lost = "what unfinished runs cost is not kept, so each command may spend the whole budget again"
        request.warn(f"with `--cache {request.cache}` {lost}")
    provider = Provider(request.connections, patience=request.patience)
    source = PaidSource(provider, purse)
    judging = Judging(work.folder, work.plan, endpoints, repeats, source, redaction)
    if endpoints:
        judged.keep_judges(work.folder, endpoints, repeats)
    left = {each.trial for each in work.left}
    turns = {trial: turns * (trial in left) for block in work.planned for trial, turns in block.turns.items()}
    meter = Gauge(turns, tuple(models), purse, provider.gates, patience=provider.patience)
    if work.by_workers:
        tally = run_by_workers(work, models, meter)
    else:
        with request.watching(meter):
            source.watch = meter.call
            runner = Runner(work.folder, source, request, redaction, meter.trial, meter.event, work.retried)
            tally = awaited(runner.run(work.planned, work.trials.of), source, request.warn)
    if endpoints:
        awaited(judging.run(work.planned_trials), source, request.warn)
        tally.gave_up = redaction.clean(provider.gave_up.reason) if provider.gave_up else tally.gave_up
    for path in work.folder.locks:
        held(path)  # those of killed processes go, of earlier commands too
    return AuditOutcome(_words(work.folder, tally, purse, judging.verdicts), tally, judging.verdicts)


def _words(folder: Folder, tally: Tally, purse: Purse, verdicts: JudgementTally) -> str:
    parts = [f"{counted(tally['complete'] + tally['reused'], 'run')} complete"]
    parts += [f"{tally['reused']} of them from before"] if tally["reused"] else []
    parts += [f"{tally.failed} failed"] if tally.failed else []
    lines = [f"{', '.join(parts)}, in {folder.path}", spent_words(purse)]
    why = silent_words(tally.gave_up, runs=bool(tally["failed"])) if tally.gave_up else left_words(purse)
    if tally["halted"]:
        lines.append(f"{counted(tally['halted'], 'run')} left, {why}")
    if tally["failed before"]:
        lines.append(f"{counted(tally['failed before'], 'run')} had failed before: `audit --retry-failed` tries again")
    lines.append(verdicts.words + f", {why}" * bool(verdicts["left"]))
    return "\n".join(filter(None, lines))


def _ask_first(work: Work, judges: Mapping[str, Endpoint], purse: Purse, redaction: Redaction) -> None:
    """Whether the models that are called from here can play and judge. Raises ColosseumError."""
    players = {} if work.far else work.models
    needed = {**players, **(judges if work.unjudged(judges) or not work.files else {})}  # `judge` always asks
    asked = {model: endpoint for model, endpoint in needed.items() if model not in work.can_play}
    if not asked:
        return
    parts = [word for word, some in (("play", players), ("judge", asked.keys() & judges)) if some]
    for model in sorted(asked.keys() & work.models):
        if asked[model].max_tokens == Endpoint.max_tokens and entry(model).get("supports_reasoning"):
            help_ = f"`--max-tokens {model}=6000`"
            work.request.warn(f"`{model}` has {Endpoint.max_tokens} tokens a reply to think, too: {help_}")
    part, request = " and ".join(parts), work.request
    ask_whether_they_can(asked, part, request.say, purse, work.folder, redaction, request.part.shard)
    work.can_play.update(asked)


def _check_place(path: Path) -> None:
    """Raises OSError where a folder cannot be written to, or made, as far as is seen without writing."""
    near = next(place for place in (path, *path.absolute().parents) if place.exists())
    if not os.access(near, os.W_OK | os.X_OK):
        number = errno.EACCES if near.is_dir() else errno.ENOTDIR
        raise OSError(number, os.strerror(number), str(near))


def _check_block(work: Work, purse: Purse) -> None:
    """Raises ColosseumError where no run is complete yet, and the budget is less than any block of runs takes."""
    if purse.limit is None or purse.dearest or not work.models:
        return
    left = {listed.trial for listed in work.left}
    first = {each.block.point: each for each in reversed(work.planned) if left & each.turns.keys()}
    alone = [replace(work, planned=[block]) for block in first.values()]
    loads = [run_loads(one, examples(one, (), LEAST)[0])[0] for one in alone]
    least = min(sum(load.dollars for load in each.values()) for each in loads)
    if least > max(0.0, purse.limit - purse.spent):
        cost = f"{dollars(least)} where each turn takes one call and a token has {LONGEST_TOKEN:g} bytes"
        rest = dollars(max(0.0, purse.limit - purse.spent))
        words = f"what is left of the budget, {rest}, is less than one block of runs costs: {cost}"
        help_ = "nothing was asked; `--dry-run` says what the missing runs will probably cost"
        raise stop("C122", words, help=help_)


def judge_folder(folder: Folder, plan: Plan, request: Request) -> AuditOutcome:
    """Ask the judges, or those who judged before, about runs that ended. Raises ColosseumError, KeyboardInterrupt."""
    judged.check_panel(request.judged)
    with writing_to(folder.path):
        judged.leave_out(request.judged.without, folder)
        if request.judged.without and not request.judged.models:
            names = ", ".join(request.judged.without)
            return AuditOutcome(f"left out: {names}; to name it as a judge lets it count again")
        checked = require(*vet(folder.spec / plan.spec))
        design = read_design(checked, Part(plan.experiment), file=plan.spec)
        asking = read_asking(request.wanted, checked)
        request = replace(request, judged=judged.who_judged(request.judged, folder))
        models = {each.model: each for each in judged.judges_of(request.judged, design, asking)[0]}
        if not models:
            return AuditOutcome(_nobody(folder))
        judged.warn_of_names(checked.expansion.scenario.task.agents, request.say)
        trials = Trials(checked.spec, checked.params, asking.adjust, asking.endpoint)
        ended = [Planned(Block(each.point, each.seed, each.repeat, ()), (each,)) for each in plan.trials
                 if folder.ended(each.trial)]  # fmt: skip
        return carry_out(Work(request, design, asking, trials, folder, plan, ended))


def _nobody(folder: Folder) -> str:
    """That no model is asked, and who speaks."""
    earlier = judged.read_judges(folder)
    if earlier is not None and earlier.counted:
        return f"`{BASELINE}` has nothing to do where models judged before: {', '.join(earlier.counted)}"
    how = "counts words, costs nothing, and reads the runs again for every report"
    return f"`{BASELINE}` judged: it {how}; a model understands what it reads: `--judge openai/gpt-4o-mini`"
