"""The needs of a campaign. In: blocks of trials, and a folder that may be there; out: a Survey, an Estimate by model.

Nothing is written. One block of every sweep point is rehearsed with habits that models have by default, and stands for
its others; runs on file then correct it: what they took, as a share of what their rehearsal came to.

Judges probably answer every question once. At most each uses all its tries, about transcripts as long as all that
models may post, and write where the question is about their thoughts.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain
from typing import Literal, TypeAlias

from colosseum.campaign.calls import read_paid
from colosseum.campaign.folder import Folder
from colosseum.campaign.money import cost_of
from colosseum.campaign.rehearsal import EXCHANGE, Habits, Load, Rehearsed, ceiling_habits, default_habits, rehearse
from colosseum.model.scenario import Scenario, rubrics
from colosseum.players.models.request import Endpoint, Price
from colosseum.run.judging.asking import TRIES, Matter
from colosseum.run.judging.transcript import Transcript
from colosseum.run.run import completed
from colosseum.run.trial import Block, Listed, Trial, Trials

Basis: TypeAlias = Literal["defaults", "runs in this folder"]
"""Where an estimate comes from."""
SPREAD: Mapping[Basis, float] = {"defaults": math.sqrt(8), "runs in this folder": 1.5}
"""Of a 90 % interval: the likely figure is divided and multiplied by this."""
MOST_MEASURED = 30
"""Blocks that are read, spread evenly."""
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


@dataclass(frozen=True)
class Survey:
    """Everything that is planned, and how far it is."""

    listed: tuple[Listed, ...]
    missing: tuple[Listed, ...]
    """Those of them that are still to be made."""
    examples: tuple[Trial, ...]
    """Those of one block of every sweep point."""
    kin: Sequence[Listed]
    """Runs on file that are like those, but for seed and repeat."""
    arms: dict[str, Runs]

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """The models of all trials, and how they are asked in the first arm that has them."""
        found: dict[str, Endpoint] = {}
        for trial in self.examples:
            found = {**trial.endpoints, **found}
        return found

    @property
    def runs(self) -> Runs:
        """Of all arms."""
        return Runs(*(sum(getattr(arm, each.name) for arm in self.arms.values()) for each in fields(Runs)))


def survey(
    folder: Folder, blocks: Iterable[Block], trials: Trials, arms: Iterable[str], asked: str, *, retry_failed: bool
) -> Survey:
    """See what is to be done in a configuration. Raises ColosseumError, OSError, and Damaged."""
    listed, missing, examples = list[Listed](), list[Listed](), dict[str, list[Trial]]()
    counts = {arm: Runs() for arm in arms}
    for block in blocks:
        made = trials.of(block)
        examples.setdefault(block.point, made)
        for each in (trial.listed for trial in made):
            result, runs = folder.result(each.trial), counts[each.arm]
            again = result is None or (result.status == "failed" and retry_failed)
            runs.planned += 1
            runs.complete += result is not None and result.status == "complete"
            runs.failed += result is not None and result.status == "failed" and not again
            runs.missing += again
            listed.append(each)
            missing += [each] if again else []
    shown, made = {arm: runs for arm, runs in counts.items() if runs.planned}, list(chain(*examples.values()))
    cells, plan = {(trial.point, trial.arm) for trial in made}, folder.earlier(asked)
    known = {each.trial: each for each in (*(plan.trials if plan else ()), *listed) if (each.point, each.arm) in cells}
    kin = [each for each in known.values() if folder.result(each.trial) is not None]
    return Survey(tuple(listed), tuple(missing), tuple(made), kin, shown)


@dataclass(frozen=True)
class Spread:
    """A figure: a 90 % prediction interval around what is likely, and the most that there can be."""

    low: float
    likely: float
    high: float
    ceiling: float | None
    """By which the budget reserves; null where there is none."""

    def __add__(self, other: "Spread") -> "Spread":
        ceiling = None if self.ceiling is None or other.ceiling is None else self.ceiling + other.ceiling
        return Spread(self.low + other.low, self.likely + other.likely, self.high + other.high, ceiling)


@dataclass(frozen=True)
class Estimate:
    """What calls of one model, or of all, will come to."""

    calls: Spread
    prompt_tokens: Spread
    completion_tokens: Spread
    """Thinking included."""
    dollars: Spread | None
    reason: str | None
    """Why there are no dollars."""

    def __add__(self, other: "Estimate") -> "Estimate":
        reasons = dict.fromkeys(each for each in (self.reason, other.reason) if each)
        return Estimate(
            self.calls + other.calls, self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.dollars + other.dollars if self.dollars and other.dollars else None, "; ".join(reasons) or None,
        )  # fmt: skip


NOTHING = Spread(0.0, 0.0, 0.0, 0.0)


def estimated(likely: Load, ceiling: Load, spread: float, model: str, *, priced: bool) -> Estimate:
    """The interval around a load; no turn takes less than a call."""

    def bounds(name: str, least: float = 0.0) -> Spread:
        middle, most = getattr(likely, name), getattr(ceiling, name)
        middle = min(middle, most)
        return Spread(max(least, middle / spread), middle, min(most, middle * spread), most)

    return Estimate(
        bounds("calls", min(likely.turns, likely.calls)),
        bounds("prompt_tokens"),
        bounds("completion_tokens"),
        bounds("dollars") if priced else None,
        None if priced else f"the price of `{model}` is not known",
    )


@dataclass(frozen=True)
class RemainingWork:
    """What the missing runs will take."""

    models: dict[str, Estimate]
    seconds: Spread
    """Until all have ended, as many side by side as there may be."""
    basis: dict[str, Basis]
    """By model."""
    habits: dict[str, Habits]
    """By model: the means that were reckoned with, before runs on file corrected what they come to."""
    blocks: int
    """On file, by which the estimate was corrected."""
    said: tuple[float, float]
    """Bytes that are posted in a run, probably and at most."""
    written: tuple[float, float]
    """The same of all that models write, thoughts included."""


def outlook(folder: Folder, ahead: Survey, prices: Mapping[str, Price], *, side_by_side: int) -> RemainingWork:
    """What the missing runs come to. Raises OSError."""
    blocks = _on_file(folder, ahead.kin, prices)
    habits = {model: default_habits(endpoint) for model, endpoint in ahead.endpoints.items()}
    measured = {model for _, took in blocks for model in took}
    basis: dict[str, Basis] = {m: "runs in this folder" if m in measured else "defaults" for m in habits}
    likely = completed(_rehearsed(ahead, prices, lambda endpoint: habits[endpoint.model]))
    ceiling = completed(_rehearsed(ahead, prices, ceiling_habits))
    whole = Load()
    models: dict[str, Estimate] = {}
    for model in habits:
        usual, most = (_summed(cells, ahead.missing, model) for cells in (likely, ceiling))
        for name, factor in _factors(blocks, likely, [model]).items():
            setattr(usual, name, getattr(usual, name) * factor)
        whole.add(usual)
        if most.calls:
            models[model] = estimated(usual, most, SPREAD[basis[model]], model, priced=model in prices)
    widest, number = max((SPREAD[basis[model]] for model in models), default=1.0), len(ahead.missing)
    seconds = math.ceil(number / side_by_side) * whole.seconds / max(1, number)
    longer = _factors(blocks, likely, habits)["completion_tokens"]
    said, most_said = (max((run.said for run in cells.values()), default=0.0) for cells in (likely, ceiling))
    written, most_written = (max((run.written for run in cells.values()), default=0.0) for cells in (likely, ceiling))
    return RemainingWork(
        models, Spread(seconds / widest, seconds, seconds * widest, None), basis, habits, len(blocks),
        (min(said * longer, most_said), most_said), (min(written * longer, most_written), most_written),
    )  # fmt: skip


Cells: TypeAlias = "dict[tuple[str, str], Rehearsed]"
"""One run by its sweep point and arm."""


async def _rehearsed(ahead: Survey, prices: Mapping[str, Price], habits: Callable[[Endpoint], Habits]) -> Cells:
    return {(trial.point, trial.arm): await rehearse(trial, prices, habits) for trial in ahead.examples}


def _summed(cells: Cells, runs: Iterable[Listed], model: str) -> Load:
    """What so many runs ask of one model."""
    whole = Load()
    for each in runs:
        whole.add(cells[each.point, each.arm].loads.get(model, Load()))
    return whole


Taken: TypeAlias = "tuple[Sequence[Listed], dict[str, Load]]"
"""Complete runs of one point, seed and repeat, and what they took by model."""


def _on_file(folder: Folder, kin: Iterable[Listed], prices: Mapping[str, Price]) -> list[Taken]:
    """Blocks that are complete as far as they go, and whose tokens were counted; some of many, spread evenly."""
    groups: dict[tuple[str, int, int], list[Listed]] = {}
    for each in kin:
        result = folder.result(each.trial)
        if result is not None and result.status == "complete":
            groups.setdefault((each.point, each.seed, each.repeat), []).append(each)
    chosen = list(groups.values())[:: max(1, math.ceil(len(groups) / MOST_MEASURED))]
    found = ((runs, _measured(folder, runs, prices)) for runs in chosen)
    return [(runs, took) for runs, took in found if took and all(each.prompt_tokens for each in took.values())]


def _measured(folder: Folder, runs: Iterable[Listed], prices: Mapping[str, Price]) -> dict[str, Load]:
    """By model, what runs took, as far as it was counted and paid for there. Raises OSError."""
    found: dict[str, Load] = {}
    for path in (folder.calls(each.trial) for each in runs):
        for _, recorded in read_paid(path):
            taken, cost = recorded.answer.usage, cost_of(recorded.answer, prices.get(recorded.model))
            if not recorded.origin:
                tokens = taken.prompt_tokens or 0, taken.completion_tokens or 0
                found.setdefault(recorded.model, Load()).add(Load(0, 1, *tokens, cost or 0.0, recorded.answer.seconds))
    return found


def _factors(blocks: Sequence[Taken], cells: Cells, models: Iterable[str]) -> dict[str, float]:
    """By figure, how many times as much blocks on file took of some models as their rehearsal came to."""
    took, thought = Load(), Load()
    for runs, loads, model in ((*block, model) for block in blocks for model in models if model in block[1]):
        took.add(loads[model])
        thought.add(_summed(cells, runs, model))
    names = [each.name for each in fields(Load) if each.name != "turns"]  # those are what is played, however it goes
    pairs = ((name, getattr(took, name), getattr(thought, name)) for name in names)
    return {name: real / guess if real and guess else 1.0 for name, real, guess in pairs}


def judge_estimates(
    folder: Folder,
    listed: Sequence[Listed],
    scenario: Scenario,
    ahead: RemainingWork,
    judges: Sequence[Endpoint],
    repeats: int,
    prices: Mapping[str, Price],
) -> dict[str, Estimate]:
    """By judge, what judging the trials takes that are not judged yet, or will be made."""
    times = repeats * sum(not folder.judged(each.trial).exists() for each in listed)
    found = dict[str, Estimate]()
    for endpoint in judges:
        price, usual, most = prices.get(endpoint.model), Load(), Load()
        usual.add(_one_run(scenario, ahead, default_habits(endpoint), 1, price), times)
        most.add(_one_run(scenario, ahead, ceiling_habits(endpoint), TRIES, price), times)
        found[endpoint.model] = estimated(usual, most, SPREAD["defaults"], endpoint.model, priced=price is not None)
    return found


def _one_run(scenario: Scenario, ahead: RemainingWork, habits: Habits, tries: int, price: Price | None) -> Load:
    """What one run takes with so many tries for each question; with more than one it is as long as it may be."""
    load, completion = Load(), habits.completion_tokens
    for question in rubrics(scenario):
        words = sum(map(len, Matter(Transcript({}, {}, ()), question, "coalition", ()).texts)) + EXCHANGE
        length = ahead.written if question.thoughts else ahead.said
        words += length[tries > 1]
        for tried in range(tries):
            prompt = words / habits.bytes_per_token + tried * (completion + EXCHANGE / habits.bytes_per_token)
            load.add(Load(0, 1, prompt, completion, price.cost(prompt, completion) if price else 0.0), SETS)
    return load
