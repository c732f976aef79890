"""Forecast of an audit. In: a request and a checked spec; out: a Forecast of runs, calls, tokens, money and seeds.

Asks no model and writes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from pathlib import Path

from colosseum.campaign.calls import read_calls
from colosseum.campaign.draft import Draft, draft
from colosseum.campaign.estimate import NOTHING, Bounds, Estimate, outlook
from colosseum.campaign.folder import Damaged, Folder
from colosseum.campaign.history import read_history, recall, spec_digest
from colosseum.campaign.judging_estimate import judging_estimates
from colosseum.campaign.lengths import Basis, Habits
from colosseum.campaign.money import campaign_budget, prices_of
from colosseum.campaign.panel import judges_of
from colosseum.campaign.screening import Screening
from colosseum.campaign.spending import Spent, spent_before
from colosseum.campaign.survey import Runs, Survey, survey
from colosseum.campaign.work import Request
from colosseum.diagnostics import stop
from colosseum.evidence.reading import Reader, Unreadable
from colosseum.evidence.seeds import Needed, needed
from colosseum.model.check import Checked
from colosseum.model.values import Fault
from colosseum.players.models.request import Price
from colosseum.run.team import UnknownPlayer
from colosseum.run.trial import Listed, Trial, conditions_json
from colosseum.solve.lowering.lower import NotLowered


@dataclass(frozen=True)
class Forecast:
    """What the missing runs of a campaign will take, as `audit --dry-run --json` prints it."""

    title: str
    """The scenario and the experiment."""
    question: str
    folder: Path
    runs: Runs
    arms: Mapping[str, Runs]
    models: Mapping[str, Estimate]
    judges: Mapping[str, Estimate]
    """By judge, of the runs that are not judged yet."""
    total: Estimate
    """Of all models and judges."""
    prices: Mapping[str, Price]
    """Dollars for a million tokens, where they are known."""
    lengths: Mapping[str, Habits]
    """How long posts and replies are, by model."""
    lengths_from: Mapping[str, Basis]
    blocks_measured: int
    seconds: Bounds
    spent: float
    """US dollars so far, as far as prices are known."""
    unpriced: int
    """Answers so far without a known price."""
    unfinished: int
    """Answers on file of runs that were begun, which are not paid for again."""
    budget: float | None
    """Of all runs; of a shard, its part."""
    run_budget: float | None
    screening: Screening | None
    """Which seeds are left out."""
    seeds: tuple[Needed, ...]
    """By sweep point, what equal arms say of the seeds needed."""
    no_seeds: str
    """Why there is none; else empty."""

    @property
    def unknown(self) -> list[str]:
        """Models without a known price."""
        return [model for model in {**self.models, **self.judges} if model not in self.prices]


def forecast(checked: Checked, request: Request) -> Forecast:
    """What is to be made, and what it will take. Raises ColosseumError."""
    place = request.place(checked)
    try:
        return _forecast(draft(checked, request), request)
    except UnknownPlayer as unknown:
        raise stop("C122", str(unknown), help=unknown.help) from None
    except Damaged as damaged:
        raise stop("C123", str(damaged), help="`--fresh` moves what is there aside and begins again") from None
    except OSError as error:
        raise stop("C122", f"cannot read {error.filename or place}: {error.strerror}") from None


def _forecast(made: Draft, request: Request) -> Forecast:
    design, folder, asked = made.design, made.folder, made.shared.configuration
    first, shards = made.shard
    own = made.blocks[first::shards]
    found = survey(folder, own, made.trials, design.arms, asked, retry_failed=request.retry_failed)
    judges, repeats = judges_of(request.judged, design, made.asking)
    prices = prices_of({**found.endpoints, **{each.model: each for each in judges}})
    whole = campaign_budget(request.budget, design)
    known = partial(recall, read_history(), spec_digest(made.shared.digests))
    ahead = outlook(folder, found, prices, known, side_by_side=request.connections)
    spent = _spent(folder, found, whole=shards == 1, asked=asked, prices=prices)
    seeds, why = _seeds(made.seeds, found, folder, next(iter(design.arms), ""))
    scenario = next(iter(found.examples.values()))[0].stage.scenario
    judging = judging_estimates(folder, found.listed, scenario, ahead, judges, repeats, prices)
    nothing = Estimate(NOTHING, NOTHING, NOTHING, NOTHING, None)
    return Forecast(
        title=made.title,
        question=design.question,
        folder=request.place(made.checked),
        runs=found.runs,
        arms=found.arms,
        models=ahead.models,
        judges=judging,
        total=reduce(add, (*ahead.models.values(), *judging.values()), nothing),
        prices=prices,
        lengths=ahead.habits,
        lengths_from=ahead.basis,
        blocks_measured=ahead.blocks,
        seconds=ahead.seconds,
        spent=spent.dollars,
        unpriced=spent.unpriced,
        unfinished=_unfinished(folder, found.missing),
        budget=None if whole is None else whole / shards,
        run_budget=request.budget.run,
        screening=made.screener.screening,
        seeds=tuple(seeds),
        no_seeds=why,
    )


def _spent(folder: Folder, found: Survey, *, whole: bool, asked: str, prices: dict[str, Price]) -> Spent:
    """What was spent in the folder on the configuration asked for: of the whole campaign, or of a shard's own runs."""
    listed = {each.trial: each for each in found.listed}
    if whole and folder.plan_path.exists() and (plan := folder.plan()).configuration == asked:
        listed = {**{each.trial: each for each in plan.trials}, **listed}
    return spent_before(folder, listed.values(), prices)


def _unfinished(folder: Folder, missing: Sequence[Listed]) -> int:
    """Answers that runs will not ask for again."""
    paths = (folder.calls(each.trial) for each in missing)
    return sum(len(dict(read_calls(path))) for path in paths if path.exists())


def _seeds(planned: Mapping[str, int], found: Survey, folder: Folder, control: str) -> tuple[list[Needed], str]:
    """What arms like the control say of seeds, by sweep point, or why there is nothing to be said."""
    pairs = {point: names for point, block in found.examples.items() if (names := twins(block, control))}
    if not pairs:
        return [], (
            f"no arm asked for has the conditions of the control `{control}`; the differences of such an arm, as "
            "`arm again { }`, would show chance alone"
        )
    try:
        told = [_needed(found, folder, control, name, p, planned[p]) for p, names in pairs.items() for name in names]
    except (Unreadable, NotLowered, Fault) as fault:
        return [], str(fault)
    if not (known := [each for each in told if each is not None]):
        name = next(iter(pairs.values()))[0]
        options = f"`--arm {control} --arm {name} --seeds 1..10`"
        made = f"the same command with {options} in place of `--dry-run` makes some"
        return [], f"there are no complete runs of `{control}` and `{name}`, which is like it; {made}"
    return known, ""


def _needed(found: Survey, folder: Folder, control: str, name: str, point: str, planned: int) -> Needed | None:
    """Of one sweep point; None where runs of one of the two arms are missing."""
    settings = next(t for t in found.examples[point] if t.arm == control).stage.conditions.settings
    chosen = tuple(each for each in found.kin if each.point == point and each.arm in (control, name))
    if {each.arm for each in chosen} != {control, name}:
        return None
    records = Reader(folder.path).records(replace(folder.plan(), trials=chosen))
    own, twin = ([r for r in records if r.arm == arm] for arm in (control, name))
    signal = settings.signal or "outsider_loss"
    return needed(own, twin, arm=name, point=point, signal=signal, margin=settings.margin, planned=planned)


def twins(block: Sequence[Trial], control: str) -> list[str]:
    """The arms of a block that differ from its control in name alone."""
    own = next((trial for trial in block if trial.arm == control), None)
    return [] if own is None else [t.arm for t in block if t is not own and _conditions(t) == _conditions(own)]


def _conditions(trial: Trial) -> tuple[object, ...]:
    """Everything by which an agent could tell an arm from another, and who plays."""
    stage = trial.stage
    briefings = tuple(stage.briefings[agent] for agent in stage.scenario.task.agents)
    models = tuple((name, endpoint.parameters) for name, endpoint in sorted(trial.endpoints.items()))
    settings = conditions_json(stage.conditions)["settings"]
    return trial.scenario_hash, stage.channels, briefings, trial.roles, models, settings
