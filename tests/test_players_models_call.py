"""What litellm is told, what becomes of answers that are none, and what no option may change behind our back."""

import asyncio
import copy
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asking import ENDPOINT, VIEW, act, failure
from chat_server import Answer, ChatServer, cuts_midway, fails, raw, says, truncated

from colosseum.players.models.call import call
from colosseum.players.models.failure import Failure
from colosseum.players.models.messages import messages
from colosseum.players.models.reply import Answer as Answered
from colosseum.players.models.request import Endpoint, Place, Question
from colosseum.players.models.tools import tools
from colosseum.players.models.wire import SENDING

HI = says("hi")
CLAUDE = Answer(
    {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "done", "input": {}}],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }
)

pytestmark = pytest.mark.usefixtures("key")


def ask(endpoint: Endpoint, answer: Answer) -> tuple[Answered | Failure, ChatServer, Question]:
    """One call, and the request as it is afterwards."""
    request = Question(endpoint, messages(VIEW), tools(VIEW), Place())
    with ChatServer([answer]) as server:
        request = replace(request, endpoint=replace(endpoint, api_base=server.url))
        return asyncio.run(call(request)), server, request


def choice(answer: Answer, **fields: Any) -> Answer:
    """The answer with other fields in its choice."""
    body = copy.deepcopy(answer.body)
    assert isinstance(body, dict)
    body["choices"][0].update(fields)
    return Answer(body)


def test_whoever_wants_to_know_hears_when_a_request_goes_out() -> None:
    gone: list[int] = []

    async def once(server: ChatServer) -> Answered | Failure:
        SENDING.set(lambda: gone.append(len(server.requests)))
        return await call(Question(replace(ENDPOINT, api_base=server.url), messages(VIEW), tools(VIEW), Place()))

    with ChatServer([HI]) as server:
        assert isinstance(asyncio.run(once(server)), Answered)
        assert (gone, len(server.requests)) == ([0], 1)


def test_extra_parameters_go_into_the_body() -> None:
    _, server, _ = ask(replace(ENDPOINT, extra_body={"top_k": 5, "metadata": {"user": "me"}}), HI)
    body = server.requests[0].body
    assert (body["top_k"], body["metadata"]) == (5, {"user": "me"})
    assert "extra_body" not in body


@pytest.mark.parametrize("name", ["messages", "model", "tools", "max_tokens", "temperature", "stream", "n", "api_key",
                                  "max_output_tokens", "aws_secret_access_key", "maxOutputTokens"])  # fmt: skip
def test_extra_parameters_cannot_change_what_is_asked(name: str) -> None:
    body = {"generationConfig": {"topK": 5, name: 9}} if name == "maxOutputTokens" else {"top_k": 5, name: []}
    result, server, _ = ask(replace(ENDPOINT, extra_body=body), HI)
    assert isinstance(result, Failure)
    assert (result.kind, result.again) == ("bad_request", False)
    assert f"`--extra-body` must not hold `{name}`" in result.reason
    assert server.requests == []


def test_where_litellm_would_nest_extra_parameters_they_go_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-fake")
    endpoint = replace(ENDPOINT, model="anthropic/claude-sonnet-4-5", extra_body={"top_k": 5})
    result, server, _ = ask(endpoint, CLAUDE)
    assert isinstance(result, Answered)
    assert server.requests[0].body["top_k"] == 5
    assert "extra_body" not in server.requests[0].body
    faked, server, _ = ask(replace(endpoint, extra_body={"mock_response": "made up"}), CLAUDE)
    assert isinstance(faked, Failure)
    assert server.requests == []


@pytest.mark.parametrize("model", ["openai/test", "hosted_vllm/test", "openai/o3-mini"])
def test_litellm_changes_nothing_of_the_request(model: str) -> None:
    endpoint = replace(ENDPOINT, model=model, temperature=1.0, extra_body={"metadata": {"user": "me"}})
    _, _, request = ask(endpoint, HI)
    assert request.endpoint.extra_body == {"metadata": {"user": "me"}}
    assert (request.messages, request.tools) == (messages(VIEW), tools(VIEW))


PROGRAM = """
import asyncio, sys
from colosseum.players.models.call import call, library
from colosseum.players.models.request import Endpoint, Place, Question
endpoint = Endpoint("openai/test", api_base=sys.argv[1])
answer = asyncio.run(call(Question(endpoint, ({"role": "user", "content": "hi"},), (), Place())))
print(library().drop_params, library().modify_params, answer.completion.calls[0].id)
"""


def test_the_environment_cannot_have_parameters_dropped_and_nothing_is_printed() -> None:
    environment = {**os.environ, "LITELLM_DROP_PARAMS": "true", "LITELLM_MODIFY_PARAMS": "true"}
    odd = [{"id": 3, "type": "function", "function": {"name": "done", "arguments": {"a": 1}}}]
    with ChatServer([choice(says(None), message={"role": "assistant", "tool_calls": odd})]) as server:
        command = [sys.executable, "-c", PROGRAM, server.url]
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=Path(__file__).parent)
    assert (ran.stdout, ran.stderr) == ("False False 3\n", "")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (choice(says("half"), finish_reason="error"), "sent is no answer: it was broken off: error"),
        (choice(says("half"), finish_reason="abort"), "it was broken off: abort"),
        (choice(says(""), error={"code": 502, "message": "upstream"}), "upstream"),
        (Answer({**says("x").body, "choices": []}), "it holds no message"),  # type: ignore[dict-item]
        (raw(b"<html>Welcome</html>"), "does not answer in JSON"),
        (raw(b""), "does not answer in JSON"),
        (truncated(says("x")), "does not answer in JSON"),
        (cuts_midway(says("x" * 1000)), "broke"),
        (Answer({"error": {"message": "overloaded", "code": 502}}), "overloaded"),
        (choice(says(None), message={"role": "assistant", "tool_calls": {"0": []}}), "`openai/test-model`"),
    ],
)
def test_an_answer_that_is_none_is_a_failure_that_may_pass(answer: Answer, words: str) -> None:
    error, server, _ = failure([answer])
    assert error.kind == "transport"
    assert words in error.reason
    assert "\n" not in error.reason
    assert len(server.requests) == 4
    reply, _, _ = act([answer, says("here")])
    assert reply.note == "here"


@pytest.mark.parametrize(
    ("answer", "kind", "words", "asked"),
    [
        (fails(400, "context length of only 4096 tokens"), "context", "too long for `openai/test-model`", 1),
        (fails(400, "the prompt is too long"), "context", "too long", 1),
        (fails(400, "Failed to call a function.", code="tool_use_failed"), "bad_request", "Failed to call", 4),
        (
            fails(400, "'temperature' does not support 0.7. Only the default (1) value is supported."),
            "bad_request",
            "is supported; set `--temperature openai/test-model=1`",
            1,
        ),
        (
            fails(400, "`temperature` may only be set to 1 when thinking is enabled."),
            "bad_request",
            "is enabled; set `--temperature openai/test-model=1`",
            1,
        ),
    ],
)
def test_what_providers_refuse_is_understood(answer: Answer, kind: str, words: str, asked: int) -> None:
    error, server, _ = failure([answer])
    assert (error.kind, len(server.requests)) == (kind, asked)
    assert words in error.reason


@pytest.mark.parametrize("address", ["localhost", "ftp://localhost/v1", "http://"])
def test_an_address_that_is_none_fails_at_once(address: str) -> None:
    result = asyncio.run(call(Question(replace(ENDPOINT, api_base=address), messages(VIEW), (), Place())))
    assert result == Failure(
        "bad_request", f"`{address}` is not an address such as `http://localhost:8000/v1`", False
    )


def test_an_answer_in_another_providers_form_is_read_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-fake")
    result, _, _ = ask(replace(ENDPOINT, model="anthropic/claude-sonnet-4-5"), HI)
    assert isinstance(result, Answered)


def test_a_refusal_of_claude_and_its_cut_off_calls_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-fake")
    endpoint = replace(ENDPOINT, model="anthropic/claude-sonnet-4-5")
    assert isinstance(CLAUDE.body, dict)
    refused, _, _ = act([Answer({**CLAUDE.body, "content": [], "stop_reason": "refusal"})], endpoint=endpoint)
    assert (refused.calls, refused.finish) == ((), "refusal")
    part = [{"type": "tool_use", "id": "toolu_1", "name": "post", "input": {"channel": "team", "text": "I wi"}}]
    cut, _, _ = act([Answer({**CLAUDE.body, "content": part, "stop_reason": "max_tokens"})], endpoint=endpoint)
    assert (cut.finish, cut.calls[0].tool, type(cut.calls[0].arguments)) == ("length", "post", str)


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
def test_odd_types_in_an_answer_are_read() -> None:
    made: list[dict[str, Any]] = [
        {"id": 3, "type": "function", "function": {"name": "done", "arguments": {"a": 1}}},
        {"type": "function", "function": {"name": None, "arguments": None}},
    ]
    reply, _, _ = act([choice(says(None), message={"role": "assistant", "tool_calls": made})])
    assert [(c.tool, c.arguments) for c in reply.calls] == [("done", {"a": 1}), ("", {})]
    assert reply.calls[0].id == "3"
    old = {"role": "assistant", "function_call": {"name": "post", "arguments": '{"channel": "team"}'}}
    reply, _, _ = act([choice(says(None), message=old)])
    assert [(c.id, c.tool, c.arguments) for c in reply.calls] == [("call_1", "post", {"channel": "team"})]
