"""Reads a provider's own JSON. In: the body of an answer in any of four protocols; out: a Completion, or None.

This is the border: a field that is not of the type asked for is left out, and a count that a provider left out is None.
JSON of another protocol is left to litellm, whose translation is a chat completion.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from colosseum.model.serial import encode
from colosseum.players.models.wire import Raw, Returned
from colosseum.players.models.written import split_thoughts, writable
from colosseum.players.view import Thought, ToolCall

MOST_TOKENS = 10**12  # of one call; no model takes nearly as many
THINKING = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "provider_specific_fields")
"""Fields of a chat message that hold reasoning; a server that sends one takes it back under the same name."""
SIGNING = ("extra_content", "provider_specific_fields")  # fields of a chat message's call that hold signatures
WITHHELD = Thought("withheld", "")
NAMELESS = "a tool call names no function"
NO_NAME = re.compile("[^A-Za-z0-9_-]")
LONGEST_NAME = 64  # characters of a tool's name


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the provider counted: cached tokens are part of the prompt, reasoning is part of the completion."""

    prompt: int | None = None
    completion: int | None = None
    read: int = 0
    stored: int = 0
    """Of the prompt, what came from a cache and what was written to one."""
    cost: float | None = None
    """US dollars, as the provider states them; None where it states none, or 0."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    """With the text of their arguments."""
    reason: str = ""
    """Why it ended, in the provider's word, in lower case."""
    thoughts: tuple[Thought, ...] = ()
    returned: Returned | None = None
    """The answer as its provider wants it back; None where any translation will do."""
    refusal: str = ""
    """The model's words, where it says that they are a refusal."""
    error: object = None
    """What broke the answer off."""


def read(raw: Raw, *, translated: bool = False) -> Completion | None:
    """What an answer says, or litellm's translation of it; None where it says nothing in a protocol that we know."""
    if translated:
        return _chat(raw, translated=True)
    return _chat(raw) or _anthropic(raw) or _gemini(raw) or _responses(raw)


def tokens(raw: Raw) -> Tokens:
    """What was counted, in one way for all protocols."""
    usage, gemini = _object(raw, "usage"), _object(raw, "usageMetadata")
    read, stored = (_count(usage, f"cache_{way}_input_tokens") or 0 for way in ("read", "creation"))
    if gemini:
        said = (_count(gemini, "candidatesTokenCount") or 0) + (_count(gemini, "thoughtsTokenCount") or 0)
        return Tokens(_count(gemini, "promptTokenCount"), said, _count(gemini, "cachedContentTokenCount") or 0)
    if "input_tokens" in usage:
        prompt, within = _count(usage, "input_tokens"), _count(_object(usage, "input_tokens_details"), "cached_tokens")
        whole = None if prompt is None else prompt + read + stored  # Anthropic counts them apart
        return Tokens(whole, _count(usage, "output_tokens"), within or read, stored)
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    thought = _count(_object(usage, "completion_tokens_details"), "reasoning_tokens") or 0
    if prompt and completion is not None and _count(usage, "total_tokens") == prompt + completion + thought:
        completion += thought  # some count reasoning apart
    cached = _count(_object(usage, "prompt_tokens_details"), "cached_tokens")
    read = cached or _count(usage, "prompt_cache_hit_tokens") or read
    cost = _object(usage, "cost").get("total_cost") or usage.get("cost")
    beside = _object(usage, "cost_details").get("upstream_inference_cost") if usage.get("is_byok") else None
    stated = [each for each in (cost, beside) if isinstance(each, int | float) and each is not True]
    dollars = sum(float(each) for each in stated if 0 < each < MOST_TOKENS)  # which are fewer than tokens
    return Tokens(prompt, completion, read, stored, dollars or None)


def _chat(raw: Raw, *, translated: bool = False) -> Completion | None:
    """OpenAI's chat completions, and all that are like them; litellm keeps what it does not translate in `extras`."""
    choice = next(iter(_objects(raw, "choices")), {})
    if "message" not in choice:
        return None
    said, extras = _object(choice, "message"), _object(choice, "provider_specific_fields")
    text, inside = _contents(said)
    made, older = _objects(said, "tool_calls"), _object(said, "function_call")
    named = [(_text(call, "id"), _object(call, "function")) for call in made] or ([("", older)] if older else [])
    fields = {name: said[name] for name in (*THINKING, *["content"] * bool(inside)) if said.get(name)}
    signed = [{name: call[name] for name in SIGNING if name in call} for call in made]
    returned: Returned | None = {"chat": {"message": fields, "calls": signed}} if fields or any(signed) else None
    if translated:
        returned = {"litellm": {"thinking_blocks": said["thinking_blocks"]}} if said.get("thinking_blocks") else None
    return Completion(
        text,
        tuple(ToolCall(identity, _text(called, "name"), _text(called, "arguments")) for identity, called in named),
        (_text(extras, "native_finish_reason") or _text(choice, "finish_reason")).lower(),
        (*_reasoned(said), *inside),
        returned,
        _text(said, "refusal") or _text(_object(said, "provider_specific_fields"), "refusal"),
        choice.get("error") or extras.get("error") or next((NAMELESS for call in made if "function" not in call), None),
    )


def _contents(said: Raw) -> tuple[str, list[Thought]]:
    """The text of a chat message, and the thoughts that stand in it."""
    parts = _objects(said, "content")
    if not parts:
        inside, text = split_thoughts(_text(said, "content"))
        return text, [Thought("text", inside)] if inside else []
    thinking = [_joined(_objects(part, "thinking")) for part in parts if _text(part, "type") == "thinking"]
    text = _joined(part for part in parts if _text(part, "type") == "text")
    return text, [Thought("text", each) for each in thinking]


def _reasoned(said: Raw) -> Iterator[Thought]:
    """The reasoning beside a chat message: as text, else in the details that an aggregator gives."""
    texts = dict.fromkeys(_text(said, name) for name in THINKING[:2])
    shown = [Thought("text", text) for text in texts if text.strip()]
    yield from shown
    for detail in _objects(said, "reasoning_details"):
        if _text(detail, "type") == "reasoning.encrypted":
            yield WITHHELD
        elif not shown:
            summary = _text(detail, "summary")
            yield _shown(summary, "summary") if summary else _shown(_text(detail, "text"))


def _anthropic(raw: Raw) -> Completion | None:
    """Anthropic's messages."""
    if not isinstance(raw.get("content"), list):
        return None
    blocks = [(_text(block, "type"), block) for block in _objects(raw, "content")]
    thoughts = [_shown(_text(b, "thinking")) for kind, b in blocks if kind in ("thinking", "redacted_thinking")]
    # A thought that was cut off has no signature, and is refused; so is a text of nothing.
    needed = {"thinking": "signature", "text": "text"}
    kept = [b for kind, b in blocks if kind not in needed or _text(b, needed[kind]).strip()]
    signed = [block for block in kept if "thinking" in _text(block, "type")]
    return Completion(
        _joined(block for kind, block in blocks if kind == "text"),
        tuple(
            ToolCall(_text(b, "id"), _text(b, "name"), _text(b, "input")) for kind, b in blocks if kind == "tool_use"
        ),
        _text(raw, "stop_reason"),
        tuple(thoughts),
        {"anthropic": kept, "litellm": {"thinking_blocks": signed}} if thoughts else None,
    )


def _gemini(raw: Raw) -> Completion | None:
    """Gemini's contents, and a prompt that it blocks."""
    if not _objects(raw, "candidates"):
        return Completion(reason="safety") if _text(_object(raw, "promptFeedback"), "blockReason") else None
    candidate = _objects(raw, "candidates")[0]
    parts = _objects(_object(candidate, "content"), "parts")
    called = [call for part in parts if (call := _object(part, "functionCall"))]
    thoughts = [_shown(_text(part, "text"), "summary") for part in parts if part.get("thought")]
    signed = any("thoughtSignature" in part for part in parts)
    return Completion(
        _joined(part for part in parts if not part.get("thought")),
        tuple(ToolCall(_text(call, "id"), _text(call, "name"), _text(call, "args")) for call in called),
        _text(candidate, "finishReason").lower(),
        tuple(thoughts or [WITHHELD] * signed),
        {"gemini": parts} if signed or thoughts else None,
    )


def _responses(raw: Raw) -> Completion | None:
    """OpenAI's responses."""
    if not isinstance(raw.get("output"), list):
        return None
    items = [(_text(item, "type"), item) for item in _objects(raw, "output")]
    inside = [part for kind, item in items if kind == "message" for part in _objects(item, "content")]
    called = [item for kind, item in items if kind == "function_call"]
    thoughts: list[Thought] = []
    for item in (item for kind, item in items if kind == "reasoning"):
        shown = [_shown(_text(part, "text"), "summary") for part in _objects(item, "summary")]
        thoughts += shown + [_shown(_text(part, "text")) for part in _objects(item, "content")] or [WITHHELD]
    return Completion(
        _joined(inside),
        tuple(ToolCall(_text(call, "call_id"), _text(call, "name"), _text(call, "arguments")) for call in called),
        _text(_object(raw, "incomplete_details"), "reason") or _text(raw, "status"),
        tuple(thoughts),
        {"responses": [item for _, item in items]} if thoughts else None,
        "".join(_text(part, "refusal") for part in inside),
        raw.get("error"),
    )


def named(returned: Returned, calls: Sequence[ToolCall]) -> Returned:
    """The same with the ids of these calls, which some servers leave out or repeat, and names that they accept."""
    ids, names = iter([call.id for call in calls]), iter([a_name(call.tool) for call in calls])
    match returned:
        case {"anthropic": list(blocks)}:
            own = [b | {"id": next(ids), "name": next(names)} if b.get("type") == "tool_use" else b for b in blocks]
            return {**returned, "anthropic": own}
        case {"responses": list(made)}:
            called = "function_call"
            own = [i | {"call_id": next(ids), "name": next(names)} if i.get("type") == called else i for i in made]
            return {"responses": own}
        case _:
            return returned


def a_name(tool: str) -> str:
    """A tool's name in characters that providers accept; a model may have made it up."""
    return NO_NAME.sub("_", tool)[:LONGEST_NAME] or "unnamed"


def _shown(text: str, kind: Literal["text", "summary"] = "text") -> Thought:
    return Thought(kind, text) if text else WITHHELD


def _joined(parts: Iterable[Raw]) -> str:
    return "".join(_text(part, "text") for part in parts)


def _text(raw: Raw, name: str) -> str:
    """A text, or what stands in its place, as some servers send it."""
    found = raw.get(name)
    return writable(found) if isinstance(found, str) else encode(found) if isinstance(found, dict) else str(found or "")


def _count(raw: Raw, name: str) -> int | None:
    """A number of tokens; below 0, or of more than a campaign can have, it is no count."""
    found = raw.get(name)
    return found if isinstance(found, int) and 0 <= found < MOST_TOKENS else None


def _object(raw: Raw, name: str) -> Raw:
    found = raw.get(name)
    return found if isinstance(found, dict) else {}


def _objects(raw: Raw, name: str) -> list[dict[str, Any]]:
    """A list of objects; some servers send one without the list."""
    found = raw.get(name)
    return [each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict)]
