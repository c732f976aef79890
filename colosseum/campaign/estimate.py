"""The needs of a campaign. In: planned work, and judges; out: by model, what runs and judgements that are missing take.

The real prompts of a run are rendered turn by turn, by the run itself, while stand-ins for models post as much as most
models do; so prompts grow as posts do. Scripted players act as they do. Nothing is asked, and nothing is written. One
block of every sweep point stands for its others, and what is on file of runs that were begun is taken off. Judges
probably answer every question once.
"""

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final, TypeAlias

from colosseum.campaign.calls import read_calls
from colosseum.campaign.money import entry, prices_of
from colosseum.campaign.work import Work
from colosseum.model.scenario import Rubric, rubrics
from colosseum.model.values import plain
from colosseum.players.models.failure import Failure
from colosseum.players.models.player import ModelPlayer
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Endpoint, Price, Question
from colosseum.players.scripted.players import SCRIPTED
from colosseum.players.view import Player, Reply, ToolCall, View
from colosseum.run.judging.asking import Matter
from colosseum.run.judging.transcript import Transcript
from colosseum.run.run import LiveRun, completed
from colosseum.run.trace import TraceWriter
from colosseum.run.trial import Trial

THINKING = ("reasoning_effort", "reasoning", "thinking")  # parameters of `--extra-body` that make a model think
SAID, THOUGHT, LEAST_ROOM = 110.0, 900.0, 0.6
"""Tokens of one reply: what is said, and what is thought besides, at most this share of `max_tokens`."""
POST, EXCHANGE = 440.0, 250.0  # bytes of a post; and of a call and what it is answered, besides the words in it
BYTES_PER_TOKEN, LONGEST_TOKEN = 4.0, 8.0
"""Bytes of a prompt for a token, as in English, and where tokens are as long as they hardly ever are."""
SETS = 2  # of focal agents, that judges are asked every question about


@dataclass(frozen=True)
class Habits:
    """How one model acts, on average."""

    planning_calls: float
    """Of a turn, as `deciding_calls`; a turn never has more than its steps."""
    deciding_calls: float
    post_bytes: int
    """Of the post of a planning turn; 0 where it posts nothing."""
    completion_tokens: float
    """Of a call."""
    bytes_per_token: float
    seconds: float
    """Of a call."""


def default_habits(endpoint: Endpoint) -> Habits:
    """Those of a model that nothing is known of but whether it thinks."""
    most = endpoint.most_tokens
    thinking = SAID + min(THOUGHT, LEAST_ROOM * most)
    known = entry(endpoint.model)
    thinks: bool | None = bool(known.get("supports_reasoning")) if known else None
    thinks = any(endpoint.extra_body.get(name) for name in THINKING) or thinks
    each = min({True: thinking, False: SAID, None: math.sqrt(SAID * thinking) / 1.6}[thinks], float(most))
    return Habits(1.5, 1.2, round(min(POST, BYTES_PER_TOKEN * most)), each, BYTES_PER_TOKEN, 1 + each / 60)


LEAST: Final = Habits(1.0, 1.0, 0, 1.0, LONGEST_TOKEN, 0.0)
"""The least that one can do: a call in a turn, and nothing said; tokens are as long as they hardly ever are."""


@dataclass
class Load:
    """What calls of one model come to: in dollars as far as there is a price, in seconds one after the other."""

    calls: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    dollars: float = 0.0
    seconds: float = 0.0

    def add(self, other: "Load", times: float = 1.0) -> None:
        """So many more of these calls."""
        for each in fields(self):
            setattr(self, each.name, getattr(self, each.name) + times * getattr(other, each.name))


@dataclass
class Rehearsed:
    """What one run comes to."""

    loads: dict[str, Load]
    """By model."""
    said: float = 0.0
    """Bytes of all posts."""

    @property
    def written(self) -> float:
        """Bytes of all that models write, thoughts included."""
        return BYTES_PER_TOKEN * sum(load.completion_tokens for load in self.loads.values())


async def rehearse(trial: Trial, prices: Mapping[str, Price], habits: Habits | None) -> Rehearsed:
    """What the run comes to, by habits of models that are known or by default; scripted players ask nobody."""
    found = Rehearsed({name: Load() for name in trial.endpoints})
    models = {
        name: StandIn(endpoint, found.loads[name], prices.get(name), habits or default_habits(endpoint))
        for name, endpoint in trial.endpoints.items()
    }
    silent = SCRIPTED["sim/greedy"]  # in place of agents of the user's own, who say themselves what they took
    team: dict[str, Player] = {a: models.get(name) or SCRIPTED.get(name, silent) for a, name in trial.roles.items()}
    with closing(TraceWriter(Path(os.devnull))) as trace:
        run = LiveRun(trial, team, None, trace)
        await run.play()
    found.said = len("".join(post.text for post in run.posts).encode())
    return found


@dataclass
class StandIn:
    """Does all of a model's turn in one step, and counts what the turn would have come to."""

    endpoint: Endpoint
    load: Load
    price: Price | None
    habits: Habits
    request: Question = field(init=False)

    async def ask(self, request: Question) -> Answer | Failure:
        """Note what a model would be asked; the answer has nothing in it."""
        self.request = request
        return Answer({"choices": []}, None, 0.0)

    async def act(self, view: View) -> Reply:
        """Do all of a turn at once."""
        await ModelPlayer(self.endpoint, self).act(view)
        self._count(view)
        return Reply((*self._posts(view), *_settled(view), ToolCall("done1", "done", {})))

    def _count(self, view: View) -> None:
        """Every call of the turn: its prompt repeats what was said in those before."""
        habits, steps = self.habits, view.position.steps
        calls = min(steps, habits.planning_calls if view.position.phase == "planning" else habits.deciding_calls)
        for number in range(steps):
            size = self.request.size + number * (habits.post_bytes + EXCHANGE)
            prompt, completion = size / habits.bytes_per_token, habits.completion_tokens
            dollars = self.price.cost(prompt, completion) if self.price else 0.0
            one = Load(1, prompt, completion, dollars, habits.seconds)
            self.load.add(one, max(0.0, min(1.0, calls - number)))  # of a call that not every turn has, a part

    def _posts(self, view: View) -> list[ToolCall]:
        """The post of a planning turn, on one channel after the other."""
        if not view.channels or not self.habits.post_bytes or view.position.phase != "planning":
            return []
        channel = view.channels[(view.position.round + view.agents.index(view.me)) % len(view.channels)].name
        return [ToolCall("post", "post", {"channel": channel, "text": "x" * self.habits.post_bytes})]


def _settled(view: View) -> list[ToolCall]:
    """Some decision on each of the agent's variables, or some belief about each claim, where it is time for that."""
    match view.position.phase:
        case "planning":
            return []
        case "survey":
            told = {"belief": "unknown", "confidence": 100}
            return [ToolCall(f"b{n}", "state_belief", {"claim": c, **told}) for n, (c, _) in enumerate(view.claims)]
        case "execution":
            moves: list[dict[str, object]] = [{"variable": v.name, "value": plain(v.domain[0])} for v in view.variables]
            return [ToolCall(f"d{n}", "decide", move) for n, move in enumerate(moves)]


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


def examples(
    work: Work, judges: Sequence[Endpoint], habits: Habits | None = None
) -> tuple[Examples, dict[str, Price], tuple[Rubric, ...]]:
    """One block of every sweep point, rehearsed; prices; and what judges are asked of a run. Raises ColosseumError."""
    first = {each.block.point: each.block for each in reversed(work.planned)}
    trials = [trial for block in first.values() for trial in work.trials.of(block)]
    endpoints = {name: endpoint for trial in reversed(trials) for name, endpoint in trial.endpoints.items()}
    prices = prices_of({**endpoints, **{each.model: each for each in judges}})

    async def rehearsed() -> Examples:
        return {(trial.point, trial.arm): await rehearse(trial, prices, habits) for trial in trials}

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
