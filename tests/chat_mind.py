"""Scripts for the chat server. In: the body of a request; out: a sensible move in any scenario.

A move depends on nothing but the messages and tools, so that a campaign with faults comes to what one without does.
"""

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from chat_server import Answer, Body, calls, slow

from colosseum.model.experiment import Conditions

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
            given = _given(call["function"]["arguments"])
            tried.setdefault(given["variable"], []).append(given["value"])
            settled |= set() if call["id"] in failed else {given["variable"]}
    for name in decide["variable"]["enum"]:
        values = [v for v in _domain(decide["value"]["description"], name) if v not in tried.get(name, [])]
        if name not in settled and values:
            yield "decide", {"variable": name, "value": draw.choice(values)}


def _given(arguments: str) -> Body:
    """What `decide` was called with; a variable without a name where a proxy made it odd."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = None
    known = isinstance(given, dict) and isinstance(given.get("variable"), str)
    return {"variable": "", "value": None, **given} if known else {"variable": "", "value": None}


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


def broken(conditions: Conditions) -> Conditions:
    """What a bug does in a worker, which has to find it in a module."""
    raise ZeroDivisionError("a bug")
