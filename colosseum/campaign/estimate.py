"""The needs of a campaign. In: planned work, and judges; out: by model, what runs and judgements that are missing take.

Nothing is written. One block of every sweep point is rehearsed with habits that models have by default, and stands for
its others. Judges probably answer every question once. What is on file of runs that were begun is taken off.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from colosseum.campaign.calls import read_calls
from colosseum.campaign.money import prices_of
from colosseum.campaign.rehearsal import BYTES_PER_TOKEN, Load, Rehearsed, default_habits, rehearse
from colosseum.campaign.work import Work
from colosseum.model.scenario import Rubric, rubrics
from colosseum.players.models.request import Endpoint, Price
from colosseum.run.judging.asking import Matter
from colosseum.run.judging.transcript import Transcript
from colosseum.run.run import completed

SETS = 2  # of focal agents, that judges are asked every question about


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
    def of(cls, loads: Iterable[Load], unpriced: Iterable[str]) -> "Estimate":
        """From loads, and the models among theirs that have no price."""
        found, why = Load(), "; ".join(f"the price of `{model}` is not known" for model in unpriced) or None
        for load in loads:
            found.add(load)
        return cls(found.calls, found.prompt_tokens, found.completion_tokens, None if why else found.dollars, why)


def calls_on_file(work: Work, trial: str) -> Counter[str]:
    """By model, how many answers there are of a run, begun or failed, that will be used."""
    known = {} if work.request.cache == "off" else dict(read_calls(work.folder.calls(trial)))
    return Counter(call.model for call in known.values())


def missing_share(known: int, calls: float) -> float:
    """The share of so many calls that is not on file; what they cost is more, as prompts grow."""
    return max(0.0, 1 - known / calls) if calls else 0.0


Examples: TypeAlias = Mapping[tuple[str, str], Rehearsed]  # by sweep point and arm, a run of it


def examples(work: Work, judges: Sequence[Endpoint]) -> tuple[Examples, dict[str, Price], tuple[Rubric, ...]]:
    """One block of every sweep point, rehearsed; prices; and what judges are asked of a run. Raises ColosseumError."""
    first = {each.block.point: each.block for each in reversed(work.planned)}
    trials = [trial for block in first.values() for trial in work.trials.of(block)]
    endpoints = {name: endpoint for trial in reversed(trials) for name, endpoint in trial.endpoints.items()}
    prices = prices_of({**endpoints, **{each.model: each for each in judges}})

    async def rehearsed() -> Examples:
        return {(trial.point, trial.arm): await rehearse(trial, prices, default_habits) for trial in trials}

    asked = rubrics(scenario := trials[0].stage.scenario)  # decoys, or the texts alone, are asked about in the first
    return completed(rehearsed()), prices, (*asked, *asked[: any(channel.secret for channel in scenario.channels)])


def run_loads(work: Work, made: Examples) -> tuple[dict[str, Load], float, float]:
    """By model, what the missing runs take besides what is on file of them; the seconds, side by side; whole runs."""
    loads, whole = dict[str, Load](), 0.0
    for each in work.left:
        foreseen, known = made[each.point, each.arm].loads, calls_on_file(work, each.trial)
        for model, load in foreseen.items():
            loads.setdefault(model, Load()).add(load, missing_share(known[model], load.calls))
        whole += missing_share(known.total(), sum(load.calls for load in foreseen.values()))
    number, seconds = len(work.left), sum(load.seconds for load in loads.values())
    asked = {model: load for model, load in loads.items() if load.calls}
    return asked, math.ceil(number / work.request.connections) * seconds / max(1, number), whole


def judge_loads(
    work: Work, made: Examples, prices: Mapping[str, Price], judges: Sequence[Endpoint], asked: Sequence[Rubric]
) -> dict[str, Load]:  # fmt: skip
    """By judge, what judging the trials takes that are not judged yet, or will be made."""
    left = sum(not work.folder.judged(each.trial).exists() for each in work.planned_trials)
    said, written = (max(getattr(run, name) for run in made.values()) for name in ("said", "written"))
    found = {each.model: Load() for each in judges}
    for endpoint in judges:
        price, completion = prices.get(endpoint.model), default_habits(endpoint).completion_tokens
        for question in asked:
            words = sum(map(len, Matter(Transcript({}, {}, ()), question, "coalition", ()).texts))
            prompt = (words + (written if question.thoughts else said)) / BYTES_PER_TOKEN
            one = Load(1, prompt, completion, price.cost(prompt, completion) if price else 0.0)
            found[endpoint.model].add(one, SETS * left)
    return found
