"""Calls that fail, against a real socket: what is tried again, what is not, and that no reason holds a secret."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import replace
from email.utils import formatdate
from typing import Any
from urllib.parse import urlsplit

import pytest
from asking import ENDPOINT, VIEW, Log, act, failure
from chat_server import Answer, ChatServer, calls, cuts, fails, overflows, says, slow, unused_url
from conftest import KEY

from colosseum.campaign.retry import PATIENCE, Attempt
from colosseum.players.models.failure import Failure, redact
from colosseum.players.models.request import Endpoint
from colosseum.players.view import CallFailed

pytestmark = pytest.mark.usefixtures("key")


def kind_of(attempt: Attempt) -> str:
    return attempt.result.kind if isinstance(attempt.result, Failure) else "ok"


def test_passing_trouble_is_tried_again_with_growing_delays() -> None:
    reply, server, log = act([fails(500, "boom"), cuts(), fails(503, "busy"), says("here")])
    assert reply.note == "here"
    assert len(server.requests) == 4
    assert log.slept == [1.0, 2.0, 4.0]
    assert [(a.number, kind_of(a), a.delay) for a in log.attempts] == [
        (1, "transport", 1.0),
        (2, "transport", 2.0),
        (3, "transport", 4.0),
        (4, "ok", None),
    ]


def test_retry_after_is_honoured() -> None:
    _, _, log = act([fails(429, "slow down", retry_after="7"), fails(429, "slow down", retry_after="0"), says("x")])
    assert log.slept == [7.0, 2.0]


def test_a_date_to_wait_for_is_honoured() -> None:
    later = formatdate(time.time() + 30, usegmt=True)
    _, _, log = act([fails(429, "slow down", retry_after=later), says("x")])
    assert log.slept == [pytest.approx(29, abs=2)]


@pytest.mark.parametrize("reason", ["other", "language", "cancelled", "", "unknown"])
def test_an_empty_answer_that_did_not_end_is_asked_for_again(reason: str) -> None:
    reply, server, log = act([says(None, finish=reason), says("here")])
    assert (reply.note, len(server.requests)) == ("here", 2)
    assert log.attempts[0].result.reason.endswith(f"ended for {f'`{reason}`' if reason else 'no reason'}")  # type: ignore[union-attr]
    assert act([says(None, finish="stop")])[0].finish == "empty"


def test_a_rate_limit_has_a_patience_of_its_own() -> None:
    reply, server, log = act([*[fails(429, "slow down")] * 8, fails(500, "boom"), says("x")])
    assert (reply.note, len(server.requests)) == ("x", 10)
    assert log.slept == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 1.0]
    error, _, log = failure([fails(429, "slow down")])
    assert (error.kind, "slow down" in error.reason) == ("rate_limit", True)
    assert PATIENCE - 60 < sum(log.slept) <= PATIENCE
    assert log.attempts[-1].delay is None


def test_to_be_asked_to_wait_for_longer_than_that_is_a_failure() -> None:
    error, server, log = failure([fails(429, "slow down", retry_after="601")])
    assert (error.kind, len(server.requests), log.slept) == ("rate_limit", 1, [])


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (fails(500, "boom"), "transport", "boom"),
        (fails(529, "overloaded"), "transport", "overloaded"),
        (cuts(), "transport", "connection"),
        (Answer({"hello": 1}), "transport", "broke"),
    ],
)
def test_trouble_that_does_not_pass_fails_after_four_attempts(answer: Answer, kind: str, words: str) -> None:
    error, server, log = failure([answer])
    assert error.kind == kind
    assert words in error.reason
    assert len(server.requests) == 4
    assert [a.delay for a in log.attempts] == [1.0, 2.0, 4.0, None]


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (fails(400, "Invalid parameter"), "bad_request", "Invalid parameter"),
        (
            fails(401, f"Incorrect API key provided: {KEY}", code="invalid_api_key"),
            "authentication",
            "Incorrect API key",
        ),
        (fails(403, "not yours"), "authentication", "not yours"),
        (fails(404, "no such model", code="model_not_found"), "bad_request", "does not know the model"),
        (fails(413, "too large"), "context", "too long"),
        (fails(422, "unprocessable"), "bad_request", "unprocessable"),
        (fails(400, "This model's maximum context length is 9 tokens"), "context", "maximum context length"),
        (overflows(), "context", "too long"),
        (fails(429, "You exceeded your quota", code="insufficient_quota"), "rate_limit", "quota"),
    ],
)
def test_trouble_that_no_retry_helps_fails_at_once(answer: Answer, kind: str, words: str) -> None:
    error, server, log = failure([answer])
    assert error.kind == kind
    assert words in error.reason
    assert len(server.requests) == 1
    assert log.slept == []


def test_a_slow_answer_is_a_timeout() -> None:
    error, server, _ = failure([slow(says("late"), 30)], replace(ENDPOINT, timeout=0.3))
    assert (error.kind, error.reason) == ("timeout", "`openai/test-model` did not answer within 0.3 s")
    assert len(server.requests) == 4


def test_a_refused_connection_is_named() -> None:
    url = unused_url()
    with pytest.raises(CallFailed) as caught:
        asyncio.run(Log().player(replace(ENDPOINT, api_base=url)).act(VIEW))
    assert caught.value.kind == "transport"
    assert caught.value.reason == f"`openai/test-model` cannot be reached at {url}: connection refused"


@pytest.mark.parametrize(
    ("model", "name"), [("openai/test-model", "OPENAI_API_KEY"), ("anthropic/c", "ANTHROPIC_API_KEY")]
)
def test_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch, model: str, name: str) -> None:
    for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(key, raising=False)
    log = Log()
    with ChatServer([says("x")]) as server, pytest.raises(CallFailed) as caught:
        asyncio.run(log.player(Endpoint(model, api_base=server.url)).act(VIEW))
    assert caught.value.kind == "authentication"
    own = f"(to any word, if what is at {server.url} asks for none)"
    assert caught.value.reason == f"no key for `{model}`: set the environment variable {name} {own}"
    assert (server.requests, len(log.attempts)) == ([], 1)


def test_several_variables_that_are_missing_are_all_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_API_VERSION", "2024-10-21")
    monkeypatch.delenv("AZURE_API_KEY", raising=False)
    with pytest.raises(CallFailed) as caught:
        asyncio.run(Log().player(Endpoint("azure/mine")).act(VIEW))
    words = "set the environment variables AZURE_API_BASE and AZURE_API_KEY"
    assert caught.value.reason == f"no key for `azure/mine`: {words}"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500])
def test_no_reason_holds_a_key(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    monkeypatch.setenv("OTHER_TOKEN", "hunter22-plain")
    said = f"{KEY} / sk-other-99999 / hunter22-plain / Authorization: Bearer {KEY} / x-api-key: zzz9 / sk-fake-***1234"
    error, _, log = failure([fails(status, said)])
    shown = " ".join(
        (error.reason, str(error), *(a.result.reason for a in log.attempts if isinstance(a.result, Failure)))
    )
    for secret in (KEY, "sk-other", "hunter22", "zzz9", "1234", "sk-fake"):
        assert secret not in shown


def test_redaction_spares_what_is_no_secret() -> None:
    kept = "`openai/gpt-4o` cannot be reached at http://127.0.0.1:80/v1: set OPENAI_API_KEY; ask-me, task-1"
    assert redact(kept, environment={"OPENAI_API_KEY": "", "MODE": "http"}) == kept
    assert redact("http://me:pw@host/v1?key=abc&x=1", environment={}) == "http://host/v1?[redacted]"
    assert redact("value s3cr3t!", environment={"MY_API_KEY": "s3cr3t!"}) == "value [redacted]"


# ---- redirects, and answers that litellm cannot read -----------------------------------------------------------------

PROVIDERS = ("openai", "anthropic", "azure", "gemini", "groq", "mistral", "deepseek", "cohere_chat", "hosted_vllm")


@pytest.mark.filterwarnings("ignore:Item:UserWarning")  # of pydantic, at litellm's types
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("status", [302, 307])
def test_who_a_provider_redirects_to_gets_neither_key_nor_prompt(
    provider: str, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{provider.partition('_')[0].upper()}_API_KEY", KEY)
    monkeypatch.setenv("AZURE_API_VERSION", "2024-06-01")
    with ChatServer([says("leaked")]) as there:
        moved = Answer({}, status=status, headers=(("location", f"{there.url}/chat/completions"),))
        endpoint = replace(ENDPOINT, model=f"{provider}/claude-3-5-haiku-20241022")
        error, here, _ = failure([moved], endpoint)
    assert (error.kind, len(here.requests), there.requests) == ("bad_request", 1, [])
    assert urlsplit(here.url).netloc in error.reason
    assert urlsplit(there.url).netloc in error.reason


def changed(change: Callable[[dict[str, Any]], object]) -> Answer:
    """An answer that posts, with a change to its body."""
    answer = calls(("post", {"channel": "team", "text": "hi"}), text="so")
    body = json.loads(json.dumps(answer.body))
    change(body)
    return replace(answer, body=body)


def message(body: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = body["choices"][0]["message"]
    return found


def argued(written: object) -> Callable[[dict[str, Any]], object]:
    return lambda body: message(body)["tool_calls"][0]["function"].update(arguments=written)


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@pytest.mark.parametrize(
    ("change", "tool", "given"),
    [
        (argued('{"channel": "team", "text": ' + "9" * 5000 + "}"), "post", str),
        (argued("[" * 3000 + "]" * 3000), "post", str),
        (argued({"channel": "team", "text": "hi"}), "post", dict),
        (lambda body: body.update(usage="12 tokens"), "post", dict),
        (lambda body: body.update(choices=body["choices"][0]), "post", dict),
        (lambda body: message(body).update(content=[{"type": "text", "text": "so"}]), "post", dict),
        (lambda body: message(body).update(tool_calls=message(body)["tool_calls"][0]), "post", dict),
    ],
)
def test_an_odd_answer_is_asked_for_once_and_read(
    change: Callable[[dict[str, Any]], object], tool: str, given: type
) -> None:
    reply, server, log = act([changed(change)])
    assert (len(server.requests), [kind_of(attempt) for attempt in log.attempts]) == (1, ["ok"])
    (call,) = reply.calls
    assert (call.tool, reply.note, type(call.arguments)) == (tool, "so", given)
