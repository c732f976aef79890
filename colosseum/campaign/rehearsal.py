"""Bounds on the cost of a run. In: a trial; out: calls, tokens and US dollars by model, probably, at most or at least.

The real prompts are rendered turn by turn, by the run itself, while stand-ins for models post as much as is asked for;
so prompts grow as posts do. Scripted players act as they do. Nothing is asked, and nothing is written.

A post of a stand-in is a short mark: what it stands for is added wherever a prompt, or the transcript, repeats it.
"""

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from colosseum.campaign.money import entry
from colosseum.campaign.purse import BYTES
from colosseum.model.values import plain
from colosseum.players.models.failure import Failure
from colosseum.players.models.player import ModelPlayer
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Endpoint, Price, Question
from colosseum.players.scripted.players import SCRIPTED
from colosseum.players.view import Player, Reply, ToolCall, View
from colosseum.run.run import LiveRun, completed
from colosseum.run.trace import TraceWriter
from colosseum.run.trial import Trial

THINKING = ("reasoning_effort", "reasoning", "thinking")
"""Parameters of `--extra-body` that make a model think."""
SAID, THOUGHT, LEAST_ROOM = 110.0, 900.0, 0.6
"""Tokens of one reply by default: what is said, and what is thought besides, at most this share of `max_tokens`."""
EXCHANGE = 400.0
"""Bytes of a call and what it is answered, besides the words in it; fewer by default than at most."""
LONGEST_TOKEN = 8.0
"""Bytes of a prompt for one token, at most: English has about four."""


@dataclass(frozen=True)
class Habits:
    """How one model acts: means, or for a ceiling the most that there can be."""

    planning_calls: float
    """Of a turn, as `deciding_calls`; a turn never has more than its steps."""
    deciding_calls: float
    posts: float
    """Of a planning turn."""
    post_bytes: float
    completion_tokens: float
    """Of a call."""
    step_bytes: float
    """That one exchange adds to the prompt of a turn's next call."""
    bytes_per_token: float
    seconds: float
    """Of a call."""
    everywhere: bool = False
    """Posts come in every phase, where most others read them: for a ceiling."""


def default_habits(endpoint: Endpoint) -> Habits:
    """Those of a model that nothing is known of but whether it thinks."""
    most = endpoint.most_tokens
    thinking = SAID + min(THOUGHT, LEAST_ROOM * most)
    known = entry(endpoint.model)
    thinks: bool | None = bool(known.get("supports_reasoning")) if known else None
    thinks = any(endpoint.extra_body.get(name) for name in THINKING) or thinks
    each = min({True: thinking, False: SAID, None: math.sqrt(SAID * thinking) / 1.6}[thinks], float(most))
    post = min(440.0, 4.0 * most)
    return Habits(1.5, 1.2, 1.0, post, each, post + 250, 4.0, 1 + each / 60)


def ceiling_habits(endpoint: Endpoint) -> Habits:
    """All that one can do: every step of every turn, every token of every answer, posted where most others read it."""
    most, all_ = endpoint.most_tokens, math.inf
    size = most * BYTES
    return Habits(all_, all_, all_, size, most, size + EXCHANGE, BYTES, endpoint.timeout, everywhere=True)


def least_habits(endpoint: Endpoint) -> Habits:
    """The least that one can do: a call in a turn, and nothing said."""
    return Habits(1.0, 1.0, 0.0, 0.0, 1.0, 0.0, LONGEST_TOKEN, 0.0)


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
    """What one run comes to, by model."""

    loads: dict[str, Load]
    said: float = 0.0
    """Bytes of all posts."""
    written: float = 0.0
    """Bytes of all that models write, thoughts included."""


async def rehearse(trial: Trial, prices: Mapping[str, Price], habits: Callable[[Endpoint], Habits]) -> Rehearsed:
    """What the run comes to; scripted players ask nobody."""
    found, marks = Rehearsed({name: Load() for name in trial.endpoints}), dict[str, float]()
    models = {
        name: StandIn(endpoint, found.loads[name], prices.get(name), habits(endpoint), marks)
        for name, endpoint in trial.endpoints.items()
    }
    silent = SCRIPTED["sim/greedy"]  # in place of agents of the user's own, who say themselves what they took
    team: dict[str, Player] = {a: models.get(name) or SCRIPTED.get(name, silent) for a, name in trial.roles.items()}
    trace = TraceWriter(Path(os.devnull))
    try:
        run = LiveRun(trial.stage, team, trial.instance.library, None, trace)
        await run.play()
    finally:
        trace.close()
    words = "".join(post.text for post in run.posts)
    found.said = len(words.encode()) + _behind(words, marks)
    for name, load in found.loads.items():
        found.written += load.completion_tokens * habits(trial.endpoints[name]).bytes_per_token
    return found


def least_cost(block: Sequence[Trial], prices: Mapping[str, Price]) -> float:
    """US dollars that a block costs at least, without a provider's discounts."""
    runs = [completed(rehearse(trial, prices, least_habits)) for trial in block]
    return sum(load.dollars for run in runs for load in run.loads.values())


def _behind(text: str, marks: Mapping[str, float]) -> float:
    """Bytes by which a text is longer with the words for which its marks stand."""
    return sum(text.count(mark) * (size - len(mark)) for mark, size in marks.items())


@dataclass
class StandIn:
    """Does all of a model's turn in one step, and counts what the turn would have come to."""

    endpoint: Endpoint
    load: Load
    price: Price | None
    habits: Habits
    marks: dict[str, float]
    """Of the whole team: how long the posts are for which they stand."""
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
        size = self.request.size + _behind(json.dumps(self.request.messages, ensure_ascii=False), self.marks)
        for number in range(steps):
            prompt = (size + number * habits.step_bytes) / habits.bytes_per_token
            price = self.price and (self.price.most if habits.everywhere else self.price.cost)
            dollars = price(prompt, habits.completion_tokens) if price else 0.0
            one = Load(1, prompt, habits.completion_tokens, dollars, habits.seconds)
            self.load.add(one, max(0.0, min(1.0, calls - number)))  # of a call that not every turn has, a part

    def _posts(self, view: View) -> list[ToolCall]:
        """Marks for the posts of a turn, on the widest channel for a ceiling, else on one after the other."""
        if not view.channels or not (self.habits.everywhere or view.position.phase == "planning"):
            return []
        widest_alone = self.habits.everywhere
        posts = min(self.habits.posts, float(view.position.steps)) if widest_alone else self.habits.posts
        number, mark = max(1, round(posts)), f"<{self.endpoint.model}>"
        self.marks[mark] = posts * self.habits.post_bytes / number
        widest = max(view.channels, key=lambda each: len(each.members))
        turn = view.position.round + view.agents.index(view.me)
        each = [widest if widest_alone else view.channels[(turn + n) % len(view.channels)] for n in range(number)]
        return [ToolCall(f"post{n}", "post", {"channel": c.name, "text": mark}) for n, c in enumerate(each)]


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
