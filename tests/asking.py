"""Asks a real ModelPlayer against a scripted server. In: a script of answers; out: the reply or failure, and a log."""

import asyncio
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, ChatServer, Script
from conftest import planned

from colosseum.campaign.rate_limit import RateLimit
from colosseum.campaign.retry import PATIENCE, Attempt, Provider
from colosseum.model.scenario import Variable
from colosseum.players.models.failure import Failure
from colosseum.players.models.player import ModelPlayer
from colosseum.players.models.reply import Answer as Answered
from colosseum.players.models.request import Endpoint, Question
from colosseum.players.scripted.players import SCRIPTED
from colosseum.players.view import CallFailed, ChannelView, Position, Reply, View
from colosseum.run.run import LiveRun
from colosseum.run.trace import TraceWriter

ENDPOINT = Endpoint("openai/test-model", timeout=20.0)
VIEW = View(
    me="alice",
    agents=("alice", "bob"),
    position=Position(phase="execution", round=2, rounds=1, steps=6),
    briefing=("Do the tickets.",),
    variables=(Variable("pick[alice]", "alice", ("t1", 7, None)),),
    channels=(ChannelView("team", ("alice", "bob"), secret=False, posts=()),),
)


class Log:
    """Gets answers for a player; keeps what was asked, every attempt, and how long it would have slept."""

    def __init__(self) -> None:
        self.provider = Provider(sleep=self.sleep, most_wait=PATIENCE)
        self.requests: list[Question] = []
        self.attempts: list[Attempt] = []
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Time passes at once, and at the gate a hundred times as much: its pace is tested elsewhere."""
        self.slept.append(seconds)

    async def ask(self, request: Question) -> Answered | Failure:
        self.requests.append(request)
        heard = self.attempts.append
        return await self.provider.ask(request, heard=lambda _, attempt: heard(attempt))

    def player(self, endpoint: Endpoint) -> ModelPlayer:
        place = (endpoint.model, endpoint.api_base)
        self.provider.gates[place] = RateLimit(self.provider.most_connections, clock=lambda: 100 * sum(self.slept))
        return ModelPlayer(endpoint, self)


def act(script: Script, view: View = VIEW, endpoint: Endpoint = ENDPOINT) -> tuple[Reply, ChatServer, Log]:
    """One step against a server with this script."""
    log = Log()
    with ChatServer(script) as server:
        return asyncio.run(log.player(replace(endpoint, api_base=server.url)).act(view)), server, log


def failure(script: Script, endpoint: Endpoint = ENDPOINT) -> tuple[CallFailed, ChatServer, Log]:
    """The failure of one step."""
    log = Log()
    with ChatServer(script) as server:
        with pytest.raises(CallFailed) as caught:
            asyncio.run(log.player(replace(endpoint, api_base=server.url)).act(VIEW))
        return caught.value, server, log


def served(answer: Answer, model: str) -> Answer:
    """The same answer from a model of this name."""
    return replace(answer, body={**answer.body, "model": model})


PAIR = """colosseum 1
scenario pair
agents A, B
set moves = {left, right}
variable move[agents]: moves
reward agree: 1 if move[A] == move[B] else 0 undisclosed
network complete
experiment e { rounds 1  steps 3  arm baseline { } }
"""


def play(script: Script, endpoint: Endpoint = ENDPOINT) -> tuple[list[dict[str, Any]], ChatServer]:
    """The events of a run in which the model is A, and a scripted player B; A has a planning turn and one to decide."""
    trial, log = planned(PAIR)[1][0], Log()
    with ChatServer(script) as server, tempfile.TemporaryDirectory() as folder:
        team = {"A": log.player(replace(endpoint, api_base=server.url)), "B": SCRIPTED["sim/cooperate"]}
        trace = TraceWriter(Path(folder) / "trace.jsonl")
        asyncio.run(LiveRun(trial, team, trial.instance.rules, trace).play())
        trace.close()
        lines = trace.path.read_text(encoding="utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event.get("agent") == "A"], server
