"""Reads a provider's answer. In: the JSON of litellm's response; out: a Reply, with nothing in it trusted.

This is the border: fields are read through pydantic, and what a provider left out is None.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from colosseum.model.json_text import encode
from colosseum.players.models.written import Known, Written, arguments, calls_in, without, writable
from colosseum.players.view import Reply, ToolCall, Usage

MILLION = 1e6
MOST_TOKENS = 10**12
"""Of one call; no model takes nearly as many."""
BROKEN_OFF = frozenset(("error", "abort", "network_error", "insufficient_system_resource"))
"""Why a provider ended an answer of which the model says nothing: it is none."""
MISCALLED = frozenset(("malformed_function_call", "unexpected_tool_call"))
"""Why a provider ended an answer in which a call was, which it keeps for itself."""


@dataclass(frozen=True)
class LongPrice:
    """US dollars for a million tokens, of calls whose prompt is longer than so many tokens."""

    above: int
    prompt: float
    completion: float


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    prompt: float
    completion: float
    long: LongPrice | None = None

    def cost(self, prompt_tokens: float, completion_tokens: float) -> float:
        """Of one call, in US dollars."""
        each = self.long if self.long and prompt_tokens > self.long.above else self
        return (prompt_tokens * each.prompt + completion_tokens * each.completion) / MILLION


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore")


def _worded(given: object) -> object:
    """What should be text and is something else, as some servers send it."""
    return given if given is None or isinstance(given, str) else str(given)


Word = Annotated[str | None, BeforeValidator(_worded)]


class CalledFunction(_Read):
    """The tool that was named and the text of its arguments."""

    name: Word = None
    arguments: str | None = None

    @property
    def raw(self) -> str:
        """The text; empty where there is none."""
        return self.arguments or ""


class Called(_Read):
    """One call."""

    id: Word = None
    function: CalledFunction = CalledFunction()


class MessageExtras(_Read):
    """What litellm keeps of a message's fields that it does not translate."""

    refusal: str | None = None


class Said(_Read):
    """The message."""

    content: str | None = None
    tool_calls: list[Called] | None = None
    function_call: CalledFunction | None = None
    """One call in the interface's older form."""
    provider_specific_fields: MessageExtras | None = None


class ChoiceExtras(_Read):
    """What litellm keeps of a choice's fields that it does not translate."""

    native_finish_reason: str | None = None
    """As the provider said it, where litellm says it otherwise."""
    error: Any = None


class Choice(_Read):
    """One of the messages asked for; there is one at most."""

    message: Said
    finish_reason: str | None = None
    provider_specific_fields: ChoiceExtras | None = None

    @property
    def native_reason(self) -> str:
        """Why it ended, in the provider's own word."""
        extras = self.provider_specific_fields
        return ((extras.native_finish_reason if extras else None) or self.finish_reason or "").lower()

    @property
    def refusal(self) -> str | None:
        """The model's words, where it says that they are a refusal."""
        extras = self.message.provider_specific_fields
        return extras.refusal if extras else None


def _count(given: object) -> object:
    """A number of tokens; below 0, or of more than a campaign can have, it is no count."""
    return given if not isinstance(given, int) or 0 <= given < MOST_TOKENS else None


Count = Annotated[int | None, BeforeValidator(_count)]


class Tokens(_Read):
    """What the provider counted; litellm writes 0 for what it did not say."""

    prompt_tokens: Count = None
    completion_tokens: Count = None


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
    def written(self) -> str:
        """What came, on one line of JSON."""
        return encode(self.raw)

    @cached_property
    def completion(self) -> Completion | None:
        """What is read of it; None when it is nothing of the kind."""
        try:
            return Completion.model_validate(self.raw)
        except ValidationError:
            return None

    @property
    def trouble(self) -> str | None:
        """Why it is no answer, though it came as one; None where it is."""
        if self.completion is None:
            return "it could not be read"
        if not self.completion.choices:
            return "it holds no message"
        choice = self.completion.choices[0]
        extras = choice.provider_specific_fields
        if choice.native_reason in BROKEN_OFF or (extras and extras.error):
            return f"it was broken off: {(extras and extras.error) or choice.native_reason}"
        return None

    @cached_property
    def usage(self) -> Usage:
        """What the answer took. No prompt is of 0 tokens, nor is what was said: then the provider did not count.

        Of a user's own agent it is what that reports, and nothing where it reports nothing.
        """
        if "reply" in self.raw:
            return Usage(**(self.raw["reply"]["usage"] or {"prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0}))
        completion = self.completion
        tokens = completion.usage if completion else None
        said = completion is not None and any(c.message.content or c.message.tool_calls for c in completion.choices)
        counted = tokens is not None and bool(tokens.prompt_tokens) and (bool(tokens.completion_tokens) or not said)
        return Usage(
            prompt_tokens=tokens.prompt_tokens if tokens and counted else None,
            completion_tokens=tokens.completion_tokens if tokens and counted else None,
            cost=self.cost if counted and self.cost is not None and 0 <= self.cost < math.inf else None,
            seconds=self.seconds,
            served_model=(completion.model if completion else None) or "",
        )

    def priced(self, price: Price) -> "Answer":
        """The answer at another price; without one where the provider did not count the tokens."""
        taken = self.usage
        if taken.prompt_tokens is None or taken.completion_tokens is None:
            return replace(self, cost=None)
        return replace(self, cost=price.cost(taken.prompt_tokens, taken.completion_tokens))


def reply(answer: Answer, *, known: Known, as_text: bool = False, turn_ids: frozenset[str] = frozenset()) -> Reply:
    """The Reply in an answer.

    `known` are the tools there are; `as_text` says that they are called in the text, in which a call otherwise is
    lost; `turn_ids` are the call ids of the running turn, which no new call may repeat.
    """
    choices = answer.completion.choices if answer.completion else []
    choice = choices[0] if choices else Choice(message=Said())
    text, made = writable(choice.message.content or ""), _made(choice)
    found = calls_in(text, known)
    written: list[ToolCall] = []
    if as_text:
        made += [ToolCall("", call.tool, call.arguments) for call in found]
        text = without(text, found)
    else:
        written = [ToolCall("", c.tool, c.arguments) for c in found if c.tool in known and not _is_among(made, c)]
    if choice.native_reason in MISCALLED and not made:
        written.append(ToolCall("", "", choice.native_reason))
    calls, note = identified(made, turn_ids), text or writable(choice.refusal or "")
    finish = _finish(choice, calls=calls, note=note)
    return Reply(calls=calls, note=note, usage=answer.usage, finish=finish, written=tuple(written))


def _finish(choice: Choice, *, calls: tuple[ToolCall, ...], note: str) -> str:
    if choice.finish_reason == "length":
        return "length"
    if choice.finish_reason == "content_filter" or (choice.refusal and not calls):
        return "refusal"
    if calls:
        return "tool_calls"
    return "stop" if note.strip() else "empty"


def _made(choice: Choice) -> list[ToolCall]:
    """The calls that were made by the interface for them, with their ids as they are."""
    older = choice.message.function_call
    called = choice.message.tool_calls or ([Called(function=older)] if older else [])
    made = [ToolCall(c.id or "", writable(c.function.name or ""), arguments(c.function.raw)) for c in called]
    if made and choice.finish_reason in ("length", "content_filter"):
        # The last call may have been cut off, though some providers close what was open in it: none of it is trusted.
        made[-1] = replace(made[-1], arguments=writable(called[-1].function.raw))
    return made


def _is_among(made: Iterable[ToolCall], call: Written) -> bool:
    """Whether a call that stands in the text is one that was made besides."""
    return any(m.tool == call.tool and (m.arguments == call.arguments or isinstance(call.arguments, str)) for m in made)


def identified(made: Iterable[ToolCall], turn_ids: frozenset[str]) -> tuple[ToolCall, ...]:
    """The calls in order; an id that is missing or taken, as some servers send, is replaced by one that is free."""
    taken = set(turn_ids)
    calls: list[ToolCall] = []
    for call in made:
        identity, number = call.id, len(taken) + 1
        while not identity or identity in taken:
            identity, number = f"call_{number}", number + 1
        taken.add(identity)
        calls.append(ToolCall(identity, call.tool, call.arguments))
    return tuple(calls)
