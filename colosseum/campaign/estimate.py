"""The needs of a campaign. In: planned work, and judges; out: by model, what runs and judgements that are missing take.

Nothing is written. One block of every sweep point is rehearsed with habits that models have by default, and stands for
its others.

Judges probably answer every question once. At most each uses all its tries, about transcripts as long as all that
models may post, and write where the question is about their thoughts.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from colosseum.campaign.money import prices_of
from colosseum.campaign.rehearsal import EXCHANGE, Habits, Load, Rehearsed, ceiling_habits, default_habits, rehearse
from colosseum.campaign.work import Work
from colosseum.model.scenario import Scenario, rubrics
from colosseum.players.models.request import Endpoint, Price
from colosseum.run.judging.asking import TRIES, Matter
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
class Amounts:
    """A figure: what is likely, and the most that there can be, by which the budget reserves."""

    likely: float
    ceiling: float

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(self.likely + other.likely, self.ceiling + other.ceiling)


@dataclass(frozen=True)
class Estimate:
    """What calls of one model, or of all, will come to."""

    calls: Amounts
    prompt_tokens: Amounts
    completion_tokens: Amounts
    """Thinking included."""
    dollars: Amounts | None
    reason: str | None
    """Why there are no dollars."""

    @classmethod
    def of(cls, likely: Load, ceiling: Load, model: str, *, priced: bool) -> "Estimate":
        """From the loads of a model."""
        names = ("calls", "prompt_tokens", "completion_tokens", "dollars")
        pairs = [(getattr(likely, name), getattr(ceiling, name)) for name in names]
        calls, prompts, completions, dollars = (Amounts(min(usual, most), most) for usual, most in pairs)
        why = None if priced else f"the price of `{model}` is not known"
        return cls(calls, prompts, completions, dollars if priced else None, why)

    def __add__(self, other: "Estimate") -> "Estimate":
        reasons = dict.fromkeys(each for each in (self.reason, other.reason) if each)
        return Estimate(
            self.calls + other.calls, self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.dollars + other.dollars if self.dollars and other.dollars else None, "; ".join(reasons) or None,
        )  # fmt: skip


NOTHING = Amounts(0.0, 0.0)
Cells: TypeAlias = "dict[tuple[str, str], Rehearsed]"
"""One run by its sweep point and arm."""


@dataclass(frozen=True)
class Examples:
    """One block of every sweep point, rehearsed."""

    trials: Sequence[Trial]
    endpoints: Mapping[str, Endpoint]
    """How each model is asked in the first arm that has it."""
    prices: Mapping[str, Price]
    likely: Cells
    ceiling: Cells

    @property
    def said(self) -> tuple[float, float]:
        """Bytes that are posted in a run, probably and at most."""
        return self._most(lambda run: run.said)

    @property
    def written(self) -> tuple[float, float]:
        """The same of all that models write, thoughts included."""
        return self._most(lambda run: run.written)

    def _most(self, of: Callable[[Rehearsed], float]) -> tuple[float, float]:
        likely, most = (max(map(of, cells.values()), default=0.0) for cells in (self.likely, self.ceiling))
        return likely, most


def examples(work: Work, judges: Sequence[Endpoint]) -> Examples:
    """Rehearse one block of every sweep point, with prices of judges, too. Raises ColosseumError."""
    first = {each.block.point: each.block for each in reversed(work.planned)}
    trials = [trial for block in first.values() for trial in work.trials.of(block)]
    endpoints = {name: endpoint for trial in reversed(trials) for name, endpoint in trial.endpoints.items()}
    known = prices_of({**endpoints, **{each.model: each for each in judges}})

    async def rehearsed(habits: Callable[[Endpoint], Habits]) -> Cells:
        return {(trial.point, trial.arm): await rehearse(trial, known, habits) for trial in trials}

    likely, ceiling = (completed(rehearsed(habits)) for habits in (default_habits, ceiling_habits))
    return Examples(trials, endpoints, known, likely, ceiling)


def run_estimates(work: Work, made: Examples) -> tuple[dict[str, Estimate], float]:
    """By model, what the missing runs take; and probably so many seconds, with as many side by side as there may be."""
    missing = Counter((each.point, each.arm) for each in work.left)
    found, whole = dict[str, Estimate](), Load()
    for model in made.endpoints:
        usual, most = Load(), Load()
        for cell, number in missing.items():
            usual.add(made.likely[cell].loads.get(model, Load()), number)
            most.add(made.ceiling[cell].loads.get(model, Load()), number)
        whole.add(usual)
        if most.calls:
            found[model] = Estimate.of(usual, most, model, priced=model in made.prices)
    number = len(work.left)
    return found, math.ceil(number / work.request.connections) * whole.seconds / max(1, number)


def judge_estimates(work: Work, made: Examples, judges: Sequence[Endpoint], repeats: int) -> dict[str, Estimate]:
    """By judge, what judging the trials takes that are not judged yet, or will be made."""
    times = repeats * sum(not work.folder.judged(each.trial).exists() for each in work.planned_trials)
    scenario, found = made.trials[0].stage.scenario, dict[str, Estimate]()
    for endpoint in judges:
        price, usual, most = made.prices.get(endpoint.model), Load(), Load()
        usual.add(_judged(scenario, made, default_habits(endpoint), 1, price), times)
        most.add(_judged(scenario, made, ceiling_habits(endpoint), TRIES, price), times)
        found[endpoint.model] = Estimate.of(usual, most, endpoint.model, priced=price is not None)
    return found


def _judged(scenario: Scenario, made: Examples, habits: Habits, tries: int, price: Price | None) -> Load:
    """What one run takes with so many tries for each question; with more than one it is as long as it may be."""
    load, completion = Load(), habits.completion_tokens
    for question in rubrics(scenario):
        words = sum(map(len, Matter(Transcript({}, {}, ()), question, "coalition", ()).texts)) + EXCHANGE
        words += (made.written if question.thoughts else made.said)[tries > 1]
        for tried in range(tries):
            prompt = words / habits.bytes_per_token + tried * (completion + EXCHANGE / habits.bytes_per_token)
            load.add(Load(1, prompt, completion, price.cost(prompt, completion) if price else 0.0), SETS)
    return load
