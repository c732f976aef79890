"""Reads a provider's answer. In: its JSON, and the body that it came in; out: a Reply, with nothing in it trusted."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from colosseum.model.serial import Json, encode
from colosseum.players.models.shapes import Completion, Tokens, named, read, tokens
from colosseum.players.models.wire import Exchange
from colosseum.players.models.written import Known, Written, arguments, calls_in, without
from colosseum.players.view import Finish, Reply, ToolCall, Usage

BROKEN_OFF = frozenset(("error", "abort", "network_error", "insufficient_system_resource", "failed"))
"""Why a provider ended an answer of which the model says nothing: it is none."""
MISCALLED = frozenset(("malformed_function_call", "unexpected_tool_call", "too_many_tool_calls", "malformed_tool_use"))
"""Why a provider ended an answer in which a call was, which it keeps for itself."""
TOO_LONG = frozenset(("length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"))
"""Why it ended an answer that reached a limit of tokens."""
REFUSED = frozenset(("content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii"))
"""Why it ended an answer that it did not want to give."""
ENDED = re.compile("stop|end_turn|end_of|complete|tool|function|eos|done")
"""Part of every word for an end that the model chose; an empty answer that ended otherwise is no answer."""


@dataclass(frozen=True)
class Answer:
    """An answer as it came, with its price in US dollars, when known, and the seconds it took."""

    raw: Mapping[str, Any]
    """A border: the provider's JSON, or litellm's translation of a protocol that we do not know."""
    cost: float | None
    seconds: float
    http: Exchange | None = None
    """The body that it came in; None in folders of earlier versions, which hold litellm's translation alone."""
    translated: bool = True
    """Whether `raw` is litellm's translation, and cannot be read from the body."""

    @classmethod
    def of(cls, http: Exchange, cost: float | None, seconds: float) -> "Answer":
        """What came in a body, as far as it is an object of JSON."""
        raw = arguments(http.body)
        return cls(raw if isinstance(raw, dict) else {}, cost, seconds, http, translated=False)

    @cached_property
    def written(self) -> str:
        """What came, on one line of JSON: the body, and `raw` only where it cannot be read from the body."""
        http, came = self.http, dict[str, Json](cost=self.cost, seconds=self.seconds)
        if http is not None:
            came["http"] = {"status": http.status, "type": http.type, "body": http.body}
        return encode(came | {"raw": self.raw} if self.translated else came)

    @cached_property
    def completion(self) -> Completion | None:
        """What is read of it; None when it holds no message."""
        return read(self.raw, translated=self.translated)

    @cached_property
    def tokens(self) -> Tokens:
        """What the provider counted."""
        return tokens(self.raw)

    def at(self, cost: float | None) -> "Answer":
        """The same answer at another cost."""
        return replace(self, cost=cost)

    @property
    def trouble(self) -> str | None:
        """Why it is no answer, though it came as one; None where it is."""
        said = self.completion
        if said is None:
            return "it holds no message"
        if said.error or said.reason in BROKEN_OFF:
            return f"it was broken off: {said.error or said.reason}"
        ended = said.reason in TOO_LONG | REFUSED | MISCALLED or ENDED.search(said.reason)
        empty = not (said.text or said.calls or said.refusal or ended)
        return f"it is empty, and ended for {f'`{said.reason}`' if said.reason else 'no reason'}" if empty else None

    @cached_property
    def usage(self) -> Usage:
        """What the answer took. No prompt is of 0 tokens, nor is what was said: then the provider did not count.

        Of a user's own agent it is what that reports, and nothing where it reports nothing.
        """
        if "reply" in self.raw:
            return Usage(**(self.raw["reply"]["usage"] or {"prompt_tokens": 0, "completion_tokens": 0, "cost": 0.0}))
        tokens, said = self.tokens, self.completion
        counted = bool(tokens.prompt) and (bool(tokens.completion) or not (said and (said.text or said.calls)))
        model = self.raw.get("model") or self.raw.get("modelVersion")
        return Usage(
            prompt_tokens=tokens.prompt if counted else None,
            completion_tokens=tokens.completion if counted else None,
            cost=self.cost if counted and self.cost is not None and 0 <= self.cost < math.inf else None,
            seconds=self.seconds,
            served_model=model if isinstance(model, str) else "",
        )


def reply(answer: Answer, *, known: Known, as_text: bool = False, turn_ids: frozenset[str] = frozenset()) -> Reply:
    """The Reply in an answer.

    `known` are the tools there are; `as_text` says that they are called in the text, in which a call otherwise is
    lost; `turn_ids` are the call ids of the running turn, which no new call may repeat.
    """
    message = answer.completion or Completion("", (), "")
    text, made = message.text, _made(message)
    found = calls_in(text, known)
    written: list[ToolCall] = []
    if as_text:
        made += [ToolCall("", call.tool, call.arguments) for call in found]
        text = without(text, found)
    else:
        written = [ToolCall("", c.tool, c.arguments) for c in found if c.tool in known and not _is_among(made, c)]
    if message.reason in MISCALLED and not made:
        written.append(ToolCall("", "", message.reason))
    calls, note = identified(made, turn_ids), text or message.refusal
    returned = message.returned if (calls or note) and not as_text else None  # without a reply, nothing goes back
    return Reply(
        calls=calls,
        note=note,
        usage=answer.usage,
        finish=_finish(message, calls=calls, note=note),
        written=tuple(written),
        thoughts=message.thoughts,
        provider_state=named(returned, calls) if returned else None,
    )


def _finish(message: Completion, *, calls: tuple[ToolCall, ...], note: str) -> Finish:
    if message.reason in TOO_LONG:
        return "length"
    if message.reason in REFUSED or (message.refusal and not calls):
        return "refusal"
    if calls:
        return "tool_calls"
    return "stop" if note.strip() else "empty"


def _made(message: Completion) -> list[ToolCall]:
    """The calls that were made by the interface for them, with their ids as they are."""
    made = [replace(call, arguments=arguments(str(call.arguments))) for call in message.calls]
    if made and message.reason in TOO_LONG | REFUSED:
        # The last call may have been cut off, though some providers close what was open in it: none of it is trusted.
        made[-1] = message.calls[-1]
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
