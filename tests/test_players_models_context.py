"""Prompts that are too long for a context, and prompts that are marked for a cache."""

from dataclasses import dataclass, field, replace

import pytest
from asking import ENDPOINT, VIEW, act, failure
from chat_server import Answer, Body, fails, says

from colosseum.campaign.money import known_price
from colosseum.players.models.failure import Failure, room
from colosseum.players.models.request import Price

WINDOW, PROMPT = 2400, 944
OPENAI = (
    "This model's maximum context length is {window} tokens. However, you requested {sum} tokens ({prompt} in the "
    "messages, {asked} in the completion). Please reduce the length of the messages or completion."
)
WORDS = (
    OPENAI,
    "'max_tokens' or 'max_completion_tokens' is too large: {asked}. This model's maximum context length is {window} "
    "tokens and your request has {prompt} input tokens ({asked} > {window} - {prompt}).",
    "input length and `max_tokens` exceed context limit: {prompt} + {asked} > {window}, decrease input length",
    "`inputs` tokens + `max_new_tokens` must be <= {window}. Given: {prompt} `inputs` tokens and {asked} of context",
    "Requested {sum} tokens, which is more than the context window of {window}",
)

pytestmark = pytest.mark.usefixtures("key")


def said(words: str, asked: int, prompt: int = PROMPT) -> str:
    return words.format(window=WINDOW, prompt=prompt, asked=asked, sum=prompt + asked)


@dataclass
class Small:
    """A server with a small context."""

    words: str
    prompt: int = PROMPT
    asked: list[int] = field(default_factory=list)

    def __call__(self, body: Body) -> Answer:
        self.asked.append(body["max_tokens"])
        if self.prompt + body["max_tokens"] <= WINDOW:
            return says("here")
        return fails(400, said(self.words, body["max_tokens"], self.prompt), code="context_length_exceeded")


@pytest.mark.parametrize("words", WORDS)
def test_a_reply_gets_what_the_context_leaves_for_it(words: str) -> None:
    server = Small(words)
    reply, _, log = act(server)
    assert reply.note == "here"
    assert server.asked == [1500, WINDOW - PROMPT]
    first, second = log.attempts
    assert isinstance(first.result, Failure)
    assert (first.result.kind, first.result.fits, first.delay) == ("context", WINDOW - PROMPT, 0.0)
    assert first.result.came is not None
    assert first.result.came.http is not None
    assert first.result.came.http.status == 400
    assert (second.number, second.delay) == (2, None)
    assert log.slept == [0.0]


def test_a_prompt_that_fills_the_context_fails_at_once() -> None:
    server = Small(OPENAI, prompt=WINDOW + 100)
    error, _, _ = failure(server)
    assert error.kind == "context"
    assert server.asked == [1500]


def test_the_limit_is_lowered_once() -> None:
    counts = iter((944, 1000, 1100))

    def grows(body: Body) -> Answer:
        return fails(400, said(OPENAI, body["max_tokens"], next(counts)), code="context_length_exceeded")

    error, server, _ = failure(grows)
    assert (error.kind, len(server.requests)) == ("context", 2)


@pytest.mark.parametrize(
    ("words", "left"),
    [("8192 tokens is all there is", None), ("context length of only 4096 tokens", None), ("", None),
     ("1000 tokens of 1000, and 1500 more", None)],
)  # fmt: skip
def test_words_that_do_not_say_what_is_left_say_nothing(words: str, left: int | None) -> None:
    assert room(words, 1500) == left


def test_the_system_message_is_marked_for_providers_that_ask_for_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-fake")
    claude = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "done", "input": {}}],
        "usage": {"input_tokens": 4, "output_tokens": 7, "cache_read_input_tokens": 1000},
    }  # fmt: skip
    endpoint = replace(ENDPOINT, model="anthropic/claude-sonnet-4-5")
    _, server, _ = act([Answer(claude)], VIEW, endpoint)
    (system,) = server.requests[0].body["system"]
    assert system["cache_control"] == {"type": "ephemeral"}
    assert system["text"].endswith("Do the tickets.")
    _, server, _ = act([says("x")])
    assert isinstance(server.requests[0].body["messages"][0]["content"], str)


def test_cached_tokens_have_a_price_of_their_own() -> None:
    price = Price(10.0, 20.0, read=1.0, stored=12.5)
    assert price.cost(1000, 100) == pytest.approx(0.012)
    assert price.cost(1000, 100, read=600, stored=200) == pytest.approx((200 * 10 + 600 * 1 + 200 * 12.5 + 2000) / 1e6)
    assert price.most(1000, 100) == pytest.approx((12500 + 2000) / 1e6)
    assert Price(10.0, 20.0).cost(1000, 0, read=600) == Price(10.0, 20.0).cost(1000, 0)
    claude = known_price("anthropic/claude-sonnet-4-5")
    assert claude is not None
    assert (claude.read, claude.stored) == (pytest.approx(0.3), pytest.approx(3.75))
