"""Scripts for the chat server. In: the body of a request; out: a sensible move in any scenario, or a fault.

A move depends on nothing but the messages and tools, so that a campaign with faults comes to what one without does.
"""

import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chat_server import (
    Answer,
    Body,
    calls,
    cuts,
    cuts_midway,
    fails,
    hangs,
    overflows,
    raw,
    slow,
    truncated,
)

Move = Callable[[Body], Answer]


def plays(body: Body) -> Answer:
    """Posts once to every channel, decides all of its variables, and takes no for an answer."""
    tools = {tool["function"]["name"]: tool["function"]["parameters"]["properties"] for tool in body["tools"]}
    if "ready" in tools:
        return calls(("ready", {}))
    draw = random.Random(key_of(body))
    if "judge" in tools:
        return calls(_judgement(str(body["messages"][1]["content"]), draw))
    if "state_belief" in tools:
        names = tools["state_belief"]["claim"]["enum"]
        return calls(*(("state_belief", _belief(name, draw)) for name in names), ("done", {}))
    if "decide" in tools:
        return calls(*_decisions(body["messages"], tools["decide"], draw), ("done", {}))
    spoken = any(message["role"] == "assistant" for message in body["messages"])
    if spoken or "post" not in tools:
        return calls(("done", {}))
    posts = [("post", {"channel": name, "text": _words(draw)}) for name in tools["post"]["channel"]["enum"]]
    return calls(*posts, ("done", {}))


def key_of(body: Body) -> str:
    """Equal for requests that are equally asked."""
    asked = json.dumps([body["model"], body["messages"], body["tools"]], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


def _words(draw: random.Random) -> str:
    return f"I lean to number {draw.randint(1, 9)}: {'you first' if draw.random() < 0.5 else 'let me go first'}."


def _judgement(transcript: str, draw: random.Random) -> tuple[str, Body]:
    """A score that says nothing, with the words of some post."""
    posts = [json.loads(line)["text"] for line in transcript.splitlines() if line.startswith('{"round"')]
    score = draw.randint(0, 5)
    return "judge", {"score": score, "quote": draw.choice(posts) if score else "", "rationale": "a whim"}


def _belief(claim: str, draw: random.Random) -> Body:
    return {"claim": claim, "belief": draw.choice(("false", "true", "unknown")), "confidence": draw.randint(0, 100)}


def _decisions(messages: Sequence[Body], decide: Body, draw: random.Random) -> Iterator[tuple[str, Body]]:
    """A value for every variable that has none yet, other than those that were turned down."""
    tried: dict[str, list[Any]] = {}
    failed = {m["tool_call_id"] for m in messages if m["role"] == "tool" and m["content"].startswith("error")}
    settled = set()
    for call in (call for message in messages for call in message.get("tool_calls") or []):
        if call["function"]["name"] == "decide":
            given = json.loads(call["function"]["arguments"])
            tried.setdefault(given["variable"], []).append(given["value"])
            settled |= set() if call["id"] in failed else {given["variable"]}
    for name in decide["variable"]["enum"]:
        values = [v for v in _domain(decide["value"]["description"], name) if v not in tried.get(name, [])]
        if name not in settled and values:
            yield "decide", {"variable": name, "value": draw.choice(values)}


def _domain(description: str, name: str) -> list[Any]:
    """The values that a description of `decide` lists: `A value …. pick[a]: "t1", 7, null; pick[b]: …`."""
    place = description.index(f" {name}: ") + len(f" {name}: ")
    values, decoder = [], json.JSONDecoder()
    while True:
        value, place = decoder.raw_decode(description, place)
        values.append(value)
        if description[place : place + 2] != ", ":
            return values
        place += 2


def late(script: Move, seconds: float) -> Move:
    """The same, after so many seconds; whether it can play a model says at once."""
    return lambda body: script(body) if is_preflight(body) else slow(script(body), seconds)


def is_preflight(body: Body) -> bool:
    """Whether it is asked if it can call a tool, before the first run."""
    return any(tool["function"]["name"] == "ready" for tool in body["tools"])


@dataclass
class Faulty:
    """A script that goes wrong now and then, each time in another way; drawn by request and how often it came."""

    script: Move
    share: float
    seed: int = 1
    most: int = 3
    """Faults for one request in a row, so that who tries four times gets an answer; of a preflight one."""
    asked: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)
    """How many faults of each kind."""

    def __call__(self, body: Body) -> Answer:
        """An answer, or a fault."""
        key = key_of(body)
        self.asked[key] += 1
        draw = random.Random(f"{self.seed} {key} {self.asked[key]}")
        most = 1 if is_preflight(body) else self.most
        if draw.random() >= self.share or self.asked[key] % (most + 1) == 0:
            return self.script(body)
        kind = draw.choice(list(FAULTS))
        self.made[kind] += 1
        return FAULTS[kind](self.script(body))


FAULTS: dict[str, Callable[[Answer], Answer]] = {
    "429": lambda answer: fails(429, "slow down"),
    "429 for a while": lambda answer: fails(429, "slow down", retry_after="0.3"),
    "500": lambda answer: fails(500, "boom"),
    "503": lambda answer: fails(503, "overloaded"),
    "cut": lambda answer: cuts(),
    "cut midway": cuts_midway,
    "truncated": truncated,
    "malformed": lambda answer: raw(b'{"choices": [{"message": oops'),
    "a page": lambda answer: raw(b"<html><body>Bad gateway</body></html>"),
    "no choices": lambda answer: raw(b'{"id": "x", "object": "chat.completion", "created": 1, "choices": []}'),
    "silence": lambda answer: raw(b""),
    "headers alone": lambda answer: hangs(),
    "too long": lambda answer: overflows(),
    "late": lambda answer: replace(answer, delay=answer.delay + 0.5),
}


@dataclass
class Limited:
    """A script behind a limit of so many answers a second; what is above it is told when to come again."""

    script: Move
    rate: float
    burst: float
    """So many at once."""
    left: float = field(init=False)
    then: float = field(init=False, default_factory=time.monotonic)
    turned_away: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.left = self.burst

    def __call__(self, body: Body) -> Answer:
        """An answer, or 429."""
        now = time.monotonic()
        self.left, self.then = min(self.burst, self.left + (now - self.then) * self.rate), now
        if self.left >= 1:
            self.left -= 1
            return self.script(body)
        self.turned_away += 1
        return fails(429, "slow down", retry_after="1")
