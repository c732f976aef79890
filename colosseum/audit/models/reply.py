"""Reads a provider's answer. In: the JSON of litellm's response; out: a Reply, with nothing in it trusted.

This is the border: fields are read through pydantic, and what a provider left out is None.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from colosseum.audit.protocol import Reply, ToolCall, Usage


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    prompt: float
    completion: float


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore")


class CalledFunction(_Read):
    """The tool that was named and the text of its arguments."""

    name: str | None = None
    arguments: str | None = None


class Called(_Read):
    """One call."""

    id: str | None = None
    function: CalledFunction


class Extras(_Read):
    """What litellm keeps of fields that it does not translate."""

    refusal: str | None = None


class Said(_Read):
    """The message."""

    content: str | None = None
    tool_calls: list[Called] | None = None
    provider_specific_fields: Extras | None = None


class Choice(_Read):
    """One of the messages asked for; there is one at most."""

    message: Said
    finish_reason: str | None = None


class Tokens(_Read):
    """What the provider counted; litellm writes 0 for what it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Completion(_Read):
    """The whole answer."""

    model: str | None = None
    choices: list[Choice] = []
    usage: Tokens | None = None


@dataclass(frozen=True)
class Answer:
    """An answer as it came, with its price in US dollars, when known, and the seconds it took."""

    raw: Mapping[str, Any]
    """A border: the JSON of the response."""
    cost: float | None
    seconds: float

    @cached_property
    def completion(self) -> Completion | None:
        """What is read of it; None when it is nothing of the kind."""
        try:
            return Completion.model_validate(self.raw)
        except ValidationError:
            return None

    def priced(self, price: Price) -> "Answer":
        """The answer at another price; without one where the provider did not count the tokens."""
        taken = usage(self)
        if taken.prompt_tokens is None or taken.completion_tokens is None:
            return replace(self, cost=None)
        millionths = taken.prompt_tokens * price.prompt + taken.completion_tokens * price.completion
        return replace(self, cost=millionths / 1e6)


def reply(answer: Answer, *, turn_ids: frozenset[str] = frozenset()) -> Reply:
    """The Reply in an answer; `turn_ids` are the call ids of the running turn, which no new call may repeat."""
    choices = answer.completion.choices if answer.completion else []
    choice = choices[0] if choices else Choice(message=Said())
    said = choice.message
    calls = _calls(said.tool_calls or [], turn_ids)
    refusal = said.provider_specific_fields.refusal if said.provider_specific_fields else None
    note = _writable(said.content or refusal or "")
    return Reply(
        calls=calls,
        note=note,
        usage=usage(answer),
        finish=_finish(choice.finish_reason, calls=calls, note=note, refusal=refusal),
    )


def usage(answer: Answer) -> Usage:
    """What the answer took. No prompt is of 0 tokens: then the provider did not count."""
    tokens = answer.completion.usage if answer.completion else None
    counted = tokens is not None and bool(tokens.prompt_tokens)
    return Usage(
        prompt_tokens=tokens.prompt_tokens if tokens and counted else None,
        completion_tokens=tokens.completion_tokens if tokens and counted else None,
        cost=answer.cost if counted else None,
        seconds=answer.seconds,
        served_model=(answer.completion.model if answer.completion else None) or "",
    )


def _finish(reason: str | None, *, calls: tuple[ToolCall, ...], note: str, refusal: str | None) -> str:
    if reason == "length":
        return "length"
    if reason == "content_filter" or (refusal and not calls):
        return "refusal"
    if calls:
        return "tool_calls"
    return "stop" if note.strip() else "empty"


def _calls(called: list[Called], turn_ids: frozenset[str]) -> tuple[ToolCall, ...]:
    """The calls in order; an id that is missing or taken, as some servers send, is replaced by one that is free."""
    taken = set(turn_ids)
    made: list[ToolCall] = []
    for call in called:
        identity = call.id or ""
        number = len(taken) + 1
        while not identity or identity in taken:
            identity, number = f"call_{number}", number + 1
        taken.add(identity)
        made.append(ToolCall(identity, _writable(call.function.name or ""), arguments(call.function.arguments or "")))
    return tuple(made)


def arguments(raw: str) -> dict[str, object] | str:
    """The JSON object in the text ({} for none at all), or the text when there is no such object in it."""
    if not raw.strip():
        return {}
    try:
        read = json.loads(raw, parse_constant=_no_constant)
        clean = json.loads(_writable(json.dumps(read, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return _writable(raw)
    return clean if isinstance(clean, dict) else _writable(raw)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _writable(words: str) -> str:
    """Half characters, which no file can hold, become question marks."""
    return words.encode("utf-8", "replace").decode("utf-8")
