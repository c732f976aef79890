"""Providers with reasoning, each strict about what it wants back. In: a protocol; out: a script for `chat_server`.

Every server thinks before each call and remembers what it sent. A request whose history leaves out, changes or moves
any of it is refused with the provider's own words. The game is that of `asking.VIEW`: post, post, then decide.
"""

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from chat_server import Answer, Body, fails

PLAN = "HIDDENPLAN"
"""What every thought begins with."""
MOVES: tuple[tuple[str, dict[str, object]], ...] = (
    ("post", {"channel": "team", "text": "one"}),
    ("post", {"channel": "team", "text": "two"}),
    ("decide", {"variable": "pick[alice]", "value": "t1"}),
)


def refusal(words: str) -> Answer:
    """A request that is not as it must be."""
    return fails(400, words)


def _move(tools: list[str], step: int) -> tuple[str, dict[str, object]]:
    return ("ready", {}) if "ready" in tools else MOVES[min(step, len(MOVES) - 1)]


@dataclass
class Thinker:
    """What is common to all: replies that were sent, by the number of the assistant's turn."""

    sent: dict[str, Any] = field(default_factory=dict)
    """By the id of the reply's first call, or its text."""
    bodies: list[Body] = field(default_factory=list)
    counter: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))


class Anthropic(Thinker):
    """Messages with extended thinking: a turn with tools begins with its thinking, unchanged and in order."""

    def __call__(self, body: Body) -> Answer:
        self.bodies.append(body)
        if body.get("thinking", {}).get("type") != "enabled":
            return refusal("thinking is off")
        if body["max_tokens"] <= body["thinking"]["budget_tokens"]:
            return refusal("`max_tokens` must be greater than `thinking.budget_tokens`")
        turns = [message for message in body["messages"] if message["role"] == "assistant"]
        for number, message in enumerate(turns):
            found = message["content"]
            if not isinstance(found, list) or found[0]["type"] not in ("thinking", "redacted_thinking"):
                kind = found[0]["type"] if isinstance(found, list) else "text"
                return refusal(
                    f"messages.{2 * number + 1}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
                    f"`{kind}`. When `thinking` is enabled, a final `assistant` message must start with one"
                )
            called = next(block["id"] for block in found if block["type"] == "tool_use")
            if found != self.sent[called]:
                return refusal(
                    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified"
                )
        n = next(self.counter)
        tool, given = _move([tool["name"] for tool in body["tools"]], len(turns))
        content = [
            {"type": "thinking", "thinking": f"{PLAN} {n}", "signature": f"c2ln{n}+/="},
            {"type": "text", "text": "Interleaved."},
            {"type": "redacted_thinking", "data": f"cmVk{n}=="},
            {"type": "thinking", "thinking": f"{PLAN} {n}, go on", "signature": f"c2lnLg{n}=="},
            {"type": "tool_use", "id": f"toolu_{n}", "name": tool, "input": given},
        ]
        self.sent[f"toolu_{n}"] = content
        usage = {
            "input_tokens": 3, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 2, "output_tokens": 20,
        }  # fmt: skip
        return Answer(
            {
                "id": f"msg_{n}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
                "content": content, "stop_reason": "tool_use", "stop_sequence": None, "usage": usage,
            }
        )  # fmt: skip


class Gemini(Thinker):
    """Contents with thought parts; the first call of every step must carry its signature where it was."""

    def __call__(self, body: Body) -> Answer:
        self.bodies.append(body)
        turns = [content for content in body["contents"] if content.get("role") == "model"]
        for number, content in enumerate(turns):
            call = next(part for part in content["parts"] if "functionCall" in part or "function_call" in part)
            if "thoughtSignature" not in call:
                return refusal(
                    f"Function call is missing a thought_signature in functionCall parts. content block {number + 1}."
                )
            if content["parts"] != self.sent.get(call["thoughtSignature"]):
                return refusal("Thought signature is not valid")
        n = next(self.counter)
        declared = [each["name"] for tool in body["tools"] for each in tool["function_declarations"]]
        tool, given = _move(declared, len(turns))
        parts = [
            {"text": f"{PLAN} {n}", "thought": True},
            {"functionCall": {"name": tool, "args": given}, "thoughtSignature": f"Z2Vt{n}=="},
            {"functionCall": {"name": tool, "args": given}},
        ]
        self.sent[f"Z2Vt{n}=="] = parts
        usage = {
            "promptTokenCount": 10, "cachedContentTokenCount": 5, "candidatesTokenCount": 4, "thoughtsTokenCount": 16,
            "totalTokenCount": 30,
        }  # fmt: skip
        return Answer(
            {
                "candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": usage, "modelVersion": "gemini-2.5-pro", "responseId": f"r{n}",
            }
        )  # fmt: skip


class Responses(Thinker):
    """A responses API that stores nothing: every call needs the reasoning item before it, with its encrypted text."""

    def __call__(self, body: Body) -> Answer:
        self.bodies.append(body)
        steps, items = 0, list(body["input"])
        for place, item in enumerate(items):
            if item.get("type") != "function_call":
                continue
            sent = self.sent[item["call_id"]]
            before = items[place - len(sent) + 1 : place + 1]
            if not any(each.get("type") == "reasoning" for each in before):
                return refusal(
                    f"Item 'fc_{item['call_id']}' of type 'function_call' was provided without its required "
                    "'reasoning' item"
                )
            if before != sent:
                return refusal("The encrypted content could not be verified, or an item was moved")
            steps += 1
        n = next(self.counter)
        tool, given = _move([tool["name"] for tool in body["tools"]], steps)
        output = [
            {"type": "reasoning", "id": f"rs_{n}", "encrypted_content": f"ZW5j{n}==",
             "summary": [{"type": "summary_text", "text": f"{PLAN} {n}"}]},
            {"type": "message", "id": f"msg_{n}", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "Well.", "annotations": []}]},
            {"type": "reasoning", "id": f"rs_{n}b", "encrypted_content": f"ZW5jYg{n}==", "summary": []},
            {"type": "function_call", "id": f"fc_{n}", "call_id": f"call_{n}", "name": tool, "status": "completed",
             "arguments": json.dumps(given)},
        ]  # fmt: skip
        self.sent[f"call_{n}"] = output
        usage = {
            "input_tokens": 10, "input_tokens_details": {"cached_tokens": 5}, "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 16}, "total_tokens": 30,
        }  # fmt: skip
        return Answer(
            {
                "id": f"resp_{n}", "object": "response", "created_at": 1, "status": "completed", "error": None,
                "incomplete_details": None, "instructions": None, "metadata": {}, "model": "gpt-5-mini",
                "output": output, "parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [],
                "top_p": 1.0, "usage": usage,
            }
        )  # fmt: skip


@dataclass
class Chat(Thinker):
    """Chat completions of an open model that reasons between calls, and wants its reasoning back under its name."""

    name: str = "reasoning_content"

    def __call__(self, body: Body) -> Answer:
        self.bodies.append(body)
        turns = [message for message in body["messages"] if message["role"] == "assistant"]
        for message in turns:
            if message.get(self.name) != self.sent[message["tool_calls"][0]["id"]]:
                return refusal(f"Missing `{self.name}` field in the assistant message of a tool call")
        n = next(self.counter)
        tool, given = _move([tool["function"]["name"] for tool in body["tools"]], len(turns))
        call = {"id": f"call_{n}", "type": "function", "function": {"name": tool, "arguments": json.dumps(given)}}
        thought: Any = f"{PLAN} {n}"
        if self.name == "reasoning_details":
            thought = [
                {"type": "reasoning.text", "text": f"{PLAN} {n}", "signature": f"c2ln{n}", "index": 0},
                {"type": "reasoning.encrypted", "data": f"ZW5j{n}", "index": 1},
            ]
        self.sent[f"call_{n}"] = thought
        message = {"role": "assistant", "content": None, self.name: thought, "tool_calls": [call]}
        usage = {
            "prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 5}, "completion_tokens": 20,
            "completion_tokens_details": {"reasoning_tokens": 16}, "total_tokens": 30,
        }  # fmt: skip
        return Answer(
            {
                "id": f"chatcmpl-{n}", "object": "chat.completion", "created": 1, "model": "reasoner",
                "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}], "usage": usage,
            }
        )  # fmt: skip


Provider = Callable[[Body], Answer]
