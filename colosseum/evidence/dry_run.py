"""What the missing runs of a campaign will take, with nothing asked. In: a request, a checked spec; out: a Forecast."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean

from colosseum.campaign.estimate import Estimate, Runs, calls_on_file, examples, judge_loads, run_loads, runs_by_arm
from colosseum.campaign.folder import Folder
from colosseum.campaign.judged import judges_of
from colosseum.campaign.money import campaign_budget
from colosseum.campaign.part import read_shard
from colosseum.campaign.purse import Purse
from colosseum.campaign.screening import Screening
from colosseum.campaign.work import Request, Work, foresee
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
    seconds: float
    """Probably, until all have ended."""
    measured: int
    """Complete runs on file whose cost is known."""
    at_their_cost: float | None
    """US dollars that missing runs take, besides what is on file, at the mean cost of those; null where none is."""
    spent: float
    """US dollars so far, as far as that is known."""
    unpriced: int
    """Answers so far of unknown cost."""
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
    place = request.place(checked)
    with in_words(place):
        folder = Folder(place / "put aside" if request.fresh else place)
        work = foresee(checked, request, folder, folder.earlier())
        return _forecast(work, place)


def _forecast(work: Work, place: Path) -> Forecast:
    request, folder, shards = work.request, work.folder, read_shard(work.request.part.shard)[1]
    judges, repeats = judges_of(request.judged, work.design, work.asking)
    (made, prices, questions), arms = examples(work, judges), runs_by_arm(work)
    runs = Runs(*(sum(getattr(arm, each.name) for arm in arms.values()) for each in fields(Runs)))
    models, seconds, whole = run_loads(work, made)
    judging = judge_loads(work, made, prices, judges, [*questions] * repeats)
    unknown = dict.fromkeys(model for model in (*models, *judging) if model not in prices)
    spent = Purse(None, prices).recall(folder, work.counted, folder.asked(request.part.shard))
    ended = [found.expense for each in work.plan.trials if (found := folder.result(each.trial)) and not found.reason]
    costs = [each.cost for each in ended if each.calls and not each.unpriced]
    return Forecast(
        title=work.title, question=work.design.question, folder=place, runs=runs, arms=arms,
        models={name: Estimate.of([load], {name} & unknown.keys()) for name, load in models.items()},
        judges={name: Estimate.of([load], {name} & unknown.keys()) for name, load in judging.items()},
        total=Estimate.of([*models.values(), *judging.values()], unknown),
        prices=prices, seconds=seconds, measured=len(costs),
        at_their_cost=fmean(costs) * whole if costs else None, spent=spent.spent, unpriced=spent.unpriced,
        unfinished=sum(calls_on_file(work, each.trial).total() for each in work.left),
        budget=None if (limit := campaign_budget(request.budget, work.design)) is None else limit / shards,
        run_budget=request.budget.run, screening=work.plan.screening,
    )  # fmt: skip
