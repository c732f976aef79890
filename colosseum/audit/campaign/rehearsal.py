"""Runs rehearsed without a model. In: the trials of a block; out: calls, tokens and US dollars, at least and at most.

Every run is gone through twice with its real prompts: once with agents who end every turn in one call, say nothing and
decide nothing, and once with agents who use up every step of every turn and every token of every answer, on the
channel that most others read. Scripted players act as they do. Nothing is asked, and nothing is written.

Tokens are estimated from bytes: SPARSE of them for one token at least, and as few as a purse counts with at most.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from colosseum.audit.campaign.calls import Source
from colosseum.audit.campaign.coupling import Coupling
from colosseum.audit.campaign.purse import BYTES
from colosseum.audit.campaign.retry import OnAttempt, unheard
from colosseum.audit.rules import Rules
from colosseum.audit.run import Run
from colosseum.audit.trace import TraceWriter
from colosseum.audit.trial import Trial
from colosseum.model.values import plain
from colosseum.players.models.failure import Failure
from colosseum.players.models.player import ModelPlayer
from colosseum.players.models.reply import Answer, Price
from colosseum.players.models.request import Endpoint, Request
from colosseum.players.scripted.players import SCRIPTED
from colosseum.players.view import Player, Reply, Step, ToolCall, ToolResult, View

SPARSE = 5.0
"""Bytes of a prompt's JSON, or of an answer's, for one token at most."""
MARK = "lorem-ipsum-dolor-sit-amet-"
"""Stands for all that fits into one answer, wherever a prompt repeats it."""
KEY = 8
"""Characters behind the mark that tell answers to different prompts apart."""


@dataclass
class Load:
    """What calls of one model come to."""

    calls: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    dollars: float = 0.0
    """As far as there is a price."""

    def add(self, other: "Load", times: float = 1.0) -> None:
        """So many more of these calls."""
        self.calls += times * other.calls
        self.prompt_tokens += times * other.prompt_tokens
        self.completion_tokens += times * other.completion_tokens
        self.dollars += times * other.dollars


@dataclass(frozen=True)
class Bounds:
    """What calls come to at least and at most."""

    low: Load = field(default_factory=Load)
    high: Load = field(default_factory=Load)


async def rehearse(block: Sequence[Trial], prices: Mapping[str, Price]) -> dict[str, dict[str, Bounds]]:
    """By arm and model, what a run of each of the block's trials comes to; scripted players ask nobody.

    Runs that share answers share them here: at least as many as they can, at most while their prompts cannot differ.
    """
    low, high = await _gone_through(block, prices, full=False), await _gone_through(block, prices, full=True)
    return {arm: {model: Bounds(load, high[arm][model]) for model, load in loads.items()} for arm, loads in low.items()}


async def _gone_through(
    block: Sequence[Trial], prices: Mapping[str, Price], *, full: bool
) -> dict[str, dict[str, Load]]:
    coupling = Coupling(block)
    found: dict[str, dict[str, Load]] = {}
    for trial in block:
        loads = found[trial.arm] = {name: Load() for name in trial.endpoints}
        source = coupling.source_of(trial, Silence()) if trial.coupled else Silence()
        models = {
            name: Rehearsing(Ear(endpoint, source), Ear(endpoint, Silence()), loads[name], prices.get(name), full)
            for name, endpoint in trial.endpoints.items()
        }
        team: dict[str, Player] = {a: models.get(name) or SCRIPTED[name] for a, name in trial.roles.items()}
        trace = TraceWriter(Path(os.devnull))
        try:
            await Run(trial.stage, team, trial.instance.library, Lenient(trial.stage.scenario.task), trace).play()
        finally:
            trace.close()
    return found


class Lenient(Rules):
    """Rules that nothing breaks: whoever decides, decides once."""

    def forbids(self, decided: Mapping[str, object], variable: str, value: object) -> None:
        """Nothing."""


class Silence:
    """Where nobody is asked."""

    async def ask(self, request: Request, *, heard: OnAttempt) -> tuple[Answer | Failure, str]:
        """An answer with nothing in it."""
        return Answer({"choices": []}, None, 0.0), ""


@dataclass
class Ear:
    """Hears what a model would be asked."""

    endpoint: Endpoint
    source: Source
    request: Request | None = None
    shared: bool = False
    """Whether another run is asked the same, and pays."""

    async def ask(self, request: Request) -> Answer | Failure:
        """Note the request."""
        result, origin = await self.source.ask(request, heard=unheard)
        self.request, self.shared = request, bool(origin)
        return result

    async def hear(self, view: View) -> Request:
        """What a model that is shown this is asked."""
        await ModelPlayer(self.endpoint, self).act(view)
        assert self.request is not None
        return self.request


@dataclass
class Rehearsing:
    """A player that acts by itself, in one step a turn, and counts what a model's turn would have come to."""

    ear: Ear
    second: Ear
    """For requests that are only measured."""
    load: Load
    price: Price | None
    full: bool
    """Whether all is said that may be said."""

    async def act(self, view: View) -> Reply:
        """Do all of a turn at once."""
        request = await self.ear.hear(view)
        said = _said(view, f"{MARK}{request.key[:KEY]}") if self.full else Reply((_done(),))
        if self.ear.shared:
            return said
        if self.full:
            await self._count_steps(view, request)
        else:
            written = json.dumps([[call.tool, call.arguments] for call in said.calls])
            self._count(request.size / SPARSE, len(written) / SPARSE)
        return said

    async def _count_steps(self, view: View, request: Request) -> None:
        """Every step of the turn: its prompt repeats what was said in those before."""
        call = _post(view, f"{MARK}{request.key[:KEY]}", "1")
        result = ToolResult(call, ok=bool(view.channels), message="posted to the channel")
        later = await self.second.hear(replace(view, steps=(Step(Reply((call,)), (result,)),)))
        first, most = self._filled(request), self.ear.endpoint.max_tokens
        exchange = self._filled(later) - first
        for number in range(view.position.steps):
            self._count((first + number * exchange) / BYTES, most)

    def _filled(self, request: Request) -> float:
        """Bytes of a prompt in which every mark stands for a whole answer."""
        whole = self.ear.endpoint.max_tokens * BYTES - len(MARK) - KEY
        return request.size + max(0.0, whole) * json.dumps(request.messages).count(MARK)

    def _count(self, prompt: float, completion: float) -> None:
        dollars = self.price.cost(prompt, completion) if self.price else 0.0
        self.load.add(Load(1, prompt, completion, dollars))


def _said(view: View, words: str) -> Reply:
    """All the posts of a turn, where there is a channel for them, and its decisions; in the survey, all answers."""
    if view.position.phase == "survey":
        return Reply((*(_believed(n, name) for n, (name, _) in enumerate(view.claims)), _done()))
    posts = [_post(view, words, str(n)) for n in range(view.position.steps)] if view.channels else []
    return Reply((*posts, *_decisions(view), _done()))


def _post(view: View, words: str, identity: str) -> ToolCall:
    """A post that as many others read as can; to no channel where there is none."""
    channel = max(view.channels, key=lambda each: len(each.members)).name if view.channels else ""
    return ToolCall(f"post{identity}", "post", {"channel": channel, "text": words})


def _decisions(view: View) -> list[ToolCall]:
    """Some decision on each of the agent's variables, where it is time for that."""
    if view.position.phase != "execution":
        return []
    return [
        ToolCall(f"decide{n}", "decide", {"variable": v.name, "value": plain(v.domain[0])})
        for n, v in enumerate(view.variables)
    ]


def _believed(number: int, claim: str) -> ToolCall:
    return ToolCall(f"belief{number}", "state_belief", {"claim": claim, "belief": "unknown", "confidence": 100})


def _done() -> ToolCall:
    return ToolCall("done1", "done", {})
