"""The needs of a campaign. In: planned work, and judges; out: by model, what runs and judgements that are missing take.

Nothing is written. One block of every sweep point is rehearsed with habits that models have by default, and stands for
its others. Judges probably answer every question once.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from colosseum.campaign.money import prices_of
from colosseum.campaign.rehearsal import BYTES_PER_TOKEN, Load, Rehearsed, default_habits, rehearse
from colosseum.campaign.work import Work
from colosseum.model.scenario import rubrics
from colosseum.players.models.request import Endpoint, Price
from colosseum.run.judging.asking import Matter
from colosseum.run.judging.transcript import Transcript
from colosseum.run.run import completed
from colosseum.run.trial import Trial

SETS = 2
"""Of focal agents, that judges are asked every question about."""


@dataclass
class Runs:
    """Of one arm, or of all."""

    planned: int = 0
    complete: int = 0
    failed: int = 0
    """That stay so, unless they are tried again."""
    missing: int = 0
    """Those that are still to be made."""


def runs_by_arm(work: Work) -> dict[str, Runs]:
    """How far a campaign is. Raises OSError, and Damaged."""
    found, missing = {arm: Runs() for arm in work.design.arms}, {each.trial for each in work.left}
    for each in work.planned_trials:
        runs, result = found[each.arm], work.folder.result(each.trial)
        runs.planned += 1
        runs.missing += each.trial in missing
        runs.complete += result is not None and result.status == "complete"
        runs.failed += result is not None and result.status == "failed" and each.trial not in missing
    return {arm: runs for arm, runs in found.items() if runs.planned}


@dataclass(frozen=True)
class Estimate:
    """What calls of one model, or of all, will probably come to."""

    calls: float
    prompt_tokens: float
    completion_tokens: float
    """Thinking included."""
    dollars: float | None
    reason: str | None
    """Why there are no dollars."""

    @classmethod
    def of(cls, load: Load, model: str, *, priced: bool) -> "Estimate":
        """From the load of a model."""
        dollars, why = (load.dollars, None) if priced else (None, f"the price of `{model}` is not known")
        return cls(load.calls, load.prompt_tokens, load.completion_tokens, dollars, why)

    def __add__(self, other: "Estimate") -> "Estimate":
        reasons = dict.fromkeys(each for each in (self.reason, other.reason) if each)
        return Estimate(
            self.calls + other.calls, self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            None if reasons else (self.dollars or 0.0) + (other.dollars or 0.0), "; ".join(reasons) or None,
        )  # fmt: skip


@dataclass(frozen=True)
class Examples:
    """One block of every sweep point, rehearsed."""

    trials: Sequence[Trial]
    endpoints: Mapping[str, Endpoint]
    """How each model is asked in the first arm that has it."""
    prices: Mapping[str, Price]
    """Those of judges, too."""
    runs: Mapping[tuple[str, str], Rehearsed]
    """By sweep point and arm."""


def examples(work: Work, judges: Sequence[Endpoint]) -> Examples:
    """Rehearse one block of every sweep point. Raises ColosseumError."""
    first = {each.block.point: each.block for each in reversed(work.planned)}
    trials = [trial for block in first.values() for trial in work.trials.of(block)]
    endpoints = {name: endpoint for trial in reversed(trials) for name, endpoint in trial.endpoints.items()}
    prices = prices_of({**endpoints, **{each.model: each for each in judges}})

    async def rehearsed() -> dict[tuple[str, str], Rehearsed]:
        return {(trial.point, trial.arm): await rehearse(trial, prices, default_habits) for trial in trials}

    return Examples(trials, endpoints, prices, completed(rehearsed()))


def run_estimates(work: Work, made: Examples) -> tuple[dict[str, Estimate], float]:
    """By model, what the missing runs take; and the seconds, with as many runs side by side as there may be."""
    loads = {model: Load() for model in made.endpoints}
    for cell, number in Counter((each.point, each.arm) for each in work.left).items():
        for model, load in made.runs[cell].loads.items():
            loads[model].add(load, number)
    found = {name: Estimate.of(load, name, priced=name in made.prices) for name, load in loads.items() if load.calls}
    number, seconds = len(work.left), sum(load.seconds for load in loads.values())
    return found, math.ceil(number / work.request.connections) * seconds / max(1, number)


def judge_estimates(work: Work, made: Examples, judges: Sequence[Endpoint], repeats: int) -> dict[str, Estimate]:
    """By judge, what judging the trials takes that are not judged yet, or will be made."""
    times = SETS * repeats * sum(not work.folder.judged(each.trial).exists() for each in work.planned_trials)
    said, written = (max(getattr(run, name) for run in made.runs.values()) for name in ("said", "written"))
    found = dict[str, Estimate]()
    for endpoint in judges:
        price, load, completion = made.prices.get(endpoint.model), Load(), default_habits(endpoint).completion_tokens
        for question in rubrics(made.trials[0].stage.scenario):
            words = sum(map(len, Matter(Transcript({}, {}, ()), question, "coalition", ()).texts))
            prompt = (words + (written if question.thoughts else said)) / BYTES_PER_TOKEN
            load.add(Load(1, prompt, completion, price.cost(prompt, completion) if price else 0.0), times)
        found[endpoint.model] = Estimate.of(load, endpoint.model, priced=price is not None)
    return found
