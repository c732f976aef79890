"""Asks a real ModelPlayer against a scripted server. In: a script of answers; out: the reply or failure, and a log."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from chat_server import Answer, ChatServer, Script

from colosseum.audit.models.player import Attempt, ModelPlayer
from colosseum.audit.protocol import CallFailed, ChannelView, Position, Reply, View
from colosseum.model.scenario import Variable

KEY = "sk-fake-abcdefghijklmnop1234"
VIEW = View(
    me="alice",
    agents=("alice", "bob"),
    position=Position(phase="execution", round=2, rounds=1, steps=6),
    briefing=("Do the tickets.",),
    variables=(Variable("pick[alice]", "alice", ("t1", 7, None)),),
    channels=(ChannelView("team", ("alice", "bob"), secret=False, posts=()),),
)


def give_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets the key that every call needs, and no other address."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)


class Log:
    """What a player reports and how long it would have slept."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def player(self, url: str, *, model: str = "openai/test-model", timeout: float = 20.0) -> ModelPlayer:
        report: Callable[[Attempt], None] = self.attempts.append
        return ModelPlayer(model, api_base=url, timeout=timeout, on_attempt=report, sleep=self.sleep)


def act(script: Script, view: View = VIEW, *, model: str = "openai/test-model") -> tuple[Reply, ChatServer, Log]:
    """One step against a server with this script."""
    log = Log()
    with ChatServer(script) as server:
        return asyncio.run(log.player(server.url, model=model).act(view)), server, log


def failure(script: Script, *, timeout: float = 20.0) -> tuple[CallFailed, ChatServer, Log]:
    """The failure of one step."""
    log = Log()
    with ChatServer(script) as server:
        with pytest.raises(CallFailed) as caught:
            asyncio.run(log.player(server.url, timeout=timeout).act(VIEW))
        return caught.value, server, log


def served(answer: Answer, model: str) -> Answer:
    """The same answer from a model of this name."""
    return replace(answer, body={**answer.body, "model": model})
