"""What the missing runs of a campaign will take. In: a request and a checked spec; out: a Forecast.

Asks no model and writes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path

from colosseum.campaign.calls import read_calls
from colosseum.campaign.estimate import NOTHING, Basis, Estimate, Runs, Spread, Survey, judge_estimates, outlook, survey
from colosseum.campaign.folder import Folder
from colosseum.campaign.judged import judges_of
from colosseum.campaign.margins import few_seeds
from colosseum.campaign.money import campaign_budget, prices_of
from colosseum.campaign.part import read_shard
from colosseum.campaign.purse import Purse
from colosseum.campaign.rehearsal import Habits
from colosseum.campaign.screening import Screening
from colosseum.campaign.work import Draft, Request, draft
from colosseum.evidence.findings import in_words
from colosseum.model.check import Checked
from colosseum.players.models.request import Price


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
    """How long posts and replies are by default, by model; runs on file then correct what they come to."""
    lengths_from: Mapping[str, Basis]
    blocks_measured: int
    seconds: Spread
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

    @property
    def unknown(self) -> list[str]:
        """Models without a known price."""
        return [model for model in {**self.models, **self.judges} if model not in self.prices]


def forecast(checked: Checked, request: Request) -> Forecast:
    """What is to be made, and what it will take. Raises ColosseumError."""
    with in_words(request.place(checked)):
        return _forecast(draft(checked, request), request)


def _forecast(made: Draft, request: Request) -> Forecast:
    design, folder, asked = made.design, made.folder, made.shared.plan.configuration
    shards = read_shard(request.part.shard)[1]
    found = survey(folder, made.own, made.trials, design.arms, asked, retry_failed=request.retry_failed)
    judges, repeats = judges_of(request.judged, design, made.asking)
    prices = prices_of({**found.endpoints, **{each.model: each for each in judges}})
    whole = campaign_budget(request.budget, design)
    ahead = outlook(folder, found, prices, side_by_side=request.connections)
    spent = _spent(folder, found, whole=shards == 1, asked=asked, prices=prices)
    scenario = found.examples[0].stage.scenario
    judging = judge_estimates(folder, found.listed, scenario, ahead, judges, repeats, prices)
    if len(design.arms) > 1 and (words := few_seeds(min(made.seeds.values()))):
        request.warn(words)
    begun = [folder.calls(each.trial) for each in found.missing]
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
        spent=spent.spent,
        unpriced=spent.uncounted,
        unfinished=sum(len(dict(read_calls(path))) for path in begun if path.exists()),
        budget=None if whole is None else whole / shards,
        run_budget=request.budget.run,
        screening=made.screener.screening,
    )


def _spent(folder: Folder, found: Survey, *, whole: bool, asked: str, prices: dict[str, Price]) -> Purse:
    """What was spent in the folder on the configuration asked for: of the whole campaign, or of a shard's own runs."""
    listed = {each.trial: each for each in found.listed}
    if whole and folder.plan_path.exists() and (plan := folder.plan()).configuration == asked:
        listed = {**{each.trial: each for each in plan.trials}, **listed}
    return Purse(None, prices).recall(folder, listed.values())
