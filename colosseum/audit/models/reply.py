"""Reads a provider's answer. In: litellm's response object; out: a Reply, with nothing in it trusted.

This is the border: attributes are read through pydantic, and what a provider left out is None.
"""

import json
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from colosseum.audit.protocol import Reply, ToolCall, Usage


class _Read(BaseModel):
    model_config = ConfigDict(from_attributes=True, extra="ignore")


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


@dataclass(frozen=True, slots=True)
class Answer:
    """A completion with its price in US dollars, when known, and the seconds it took."""

    completion: Completion
    cost: float | None
    seconds: float


def completion(response: object) -> Completion | None:
    """The response as a Completion, or None when it is nothing of the kind."""
    try:
        return Completion.model_validate(response)
    except ValidationError:
        return None


def reply(answer: Answer, *, turn_ids: frozenset[str] = frozenset()) -> Reply:
    """The Reply in an answer; `turn_ids` are the call ids of the running turn, which no new call may repeat."""
    choice = answer.completion.choices[0] if answer.completion.choices else Choice(message=Said())
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
    tokens = answer.completion.usage
    counted = tokens is not None and bool(tokens.prompt_tokens)
    return Usage(
        prompt_tokens=tokens.prompt_tokens if tokens and counted else None,
        completion_tokens=tokens.completion_tokens if tokens and counted else None,
        cost=answer.cost if counted else None,
        seconds=answer.seconds,
        served_model=answer.completion.model or "",
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
