"""Thoughts in four protocols: they are read, priced, kept on file and handed back as each provider demands."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from asking import ENDPOINT, VIEW, Log
from chat_server import Answer, Body, ChatServer
from thinking_servers import PLAN, Anthropic, Chat, Gemini, Responses, Thinker

from colosseum.campaign.preflight import preflight
from colosseum.players.models.reply import Answer as Answered
from colosseum.players.models.request import Endpoint
from colosseum.players.view import Reply, Step, ToolResult, View


@dataclass(frozen=True)
class ThinkingModel:
    """A provider, and how its model is asked."""

    make: Callable[[], Thinker]
    endpoint: Endpoint
    path: str = ""
    """What of the server's address the provider's own begins with."""
    kinds: tuple[str, ...] = ("text",)
    """Of the thoughts in one reply."""
    cost: float | None = None
    """US dollars of one reply."""


THINKING = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
CASES = {
    "anthropic": ThinkingModel(
        Anthropic,
        replace(ENDPOINT, model="anthropic/claude-sonnet-4-5", temperature=1.0, extra_body=THINKING),
        kinds=("text", "withheld", "text"),
        cost=(3 * 3.0 + 5 * 0.3 + 2 * 3.75 + 20 * 15.0) / 1e6,
    ),
    "gemini": ThinkingModel(
        Gemini,
        replace(ENDPOINT, model="gemini/gemini-2.5-pro"),
        kinds=("summary",),
        cost=(5 * 1.25 + 5 * 0.125 + 20 * 10.0) / 1e6,
    ),
    "responses": ThinkingModel(
        Responses,
        replace(ENDPOINT, model="openai/responses/gpt-5-mini", temperature=None),
        path="/v1",
        kinds=("summary", "withheld"),
        cost=(5 * 0.25 + 5 * 0.025 + 20 * 2.0) / 1e6,
    ),
    "reasoning_content": ThinkingModel(Chat, replace(ENDPOINT, model="openai/reasoner"), path="/v1"),
    "deepseek": ThinkingModel(
        Chat,
        replace(ENDPOINT, model="deepseek/deepseek-reasoner"),
        path="/v1",
        cost=(5 * 0.28 + 5 * 0.028 + 20 * 0.42) / 1e6,
    ),
    "reasoning": ThinkingModel(
        lambda: Chat(name="reasoning"), replace(ENDPOINT, model="hosted_vllm/reasoner"), path="/v1"
    ),
    "openrouter": ThinkingModel(
        lambda: Chat(name="reasoning_details"),
        replace(ENDPOINT, model="openrouter/some/reasoner"),
        path="/v1",
        kinds=("text", "withheld"),
    ),
}
NAMES = ("ANTHROPIC", "GEMINI", "DEEPSEEK", "OPENROUTER", "HOSTED_VLLM")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, key: None) -> None:
    for name in NAMES:
        monkeypatch.setenv(f"{name}_API_KEY", "sk-fake-abcdefghijklmnop")


def turn(case: ThinkingModel, server: ChatServer, steps: int = 3) -> tuple[list[Reply], Log]:
    """So many replies of one turn."""
    log, view, replies = Log(), VIEW, list[Reply]()
    player = log.player(replace(case.endpoint, api_base=server.url.removesuffix("/v1") + case.path))
    for _ in range(steps):
        reply = asyncio.run(player.act(view))
        replies.append(reply)
        view = answered(view, reply)
    return replies, log


def answered(view: View, reply: Reply) -> View:
    """The view after the calls of a reply were carried out."""
    results = tuple(ToolResult(call, ok=True, message="done") for call in reply.calls)
    return replace(view, steps=(*view.steps, Step(reply, results)))


@pytest.mark.parametrize("name", CASES)
def test_what_a_provider_thought_goes_back_as_it_came(name: str) -> None:
    case, provider = CASES[name], CASES[name].make()
    with ChatServer(provider) as server:  # type: ignore[arg-type]
        replies, log = turn(case, server)
    assert [reply.calls[0].tool for reply in replies] == ["post", "post", "decide"]
    for number, (reply, attempt) in enumerate(zip(replies, log.attempts, strict=True), 1):
        assert tuple(thought.kind for thought in reply.thoughts) == case.kinds
        assert reply.thoughts[0].text == f"{PLAN} {number}"
        assert all((thought.text == "") == (thought.kind == "withheld") for thought in reply.thoughts)
        assert PLAN not in reply.note
        assert reply.usage is not None
        assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (10, 20)
        assert reply.usage.cost == (None if case.cost is None else pytest.approx(case.cost))
        assert isinstance(attempt.result, Answered)
        assert attempt.result.http is not None
        assert f"{PLAN} {number}" in attempt.result.http.body
        assert not attempt.result.translated


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_handed_back_in_the_next_turn(name: str) -> None:
    case, provider = CASES[name], CASES[name].make()
    with ChatServer(provider) as server:  # type: ignore[arg-type]
        turn(case, server)
        before = len(provider.bodies)
        turn(case, server, steps=1)
    assert PLAN in str(provider.bodies[before - 1])
    assert PLAN not in str(provider.bodies[before])


@pytest.mark.parametrize("name", CASES)
def test_the_preflight_hands_thoughts_back_once(name: str) -> None:
    case, provider = CASES[name], CASES[name].make()
    with ChatServer(provider) as server:  # type: ignore[arg-type]
        endpoint = replace(case.endpoint, api_base=server.url.removesuffix("/v1") + case.path)
        assert asyncio.run(preflight(endpoint, Log().provider.ask)) is None
    assert len(provider.bodies) == 2
    assert PLAN in str(provider.bodies[1])


class Forgetful(Chat):
    """A server that wants its reasoning back under another name than it gave it."""

    def __call__(self, body: Body) -> Answer:
        for message in body["messages"]:
            message["reasoning_content"] = message.pop("internal", None)
        return super().__call__(body)


def test_a_model_whose_thoughts_cannot_go_back_is_found_before_the_first_run() -> None:
    with ChatServer(Forgetful()) as server:
        endpoint = replace(ENDPOINT, model="openai/reasoner", api_base=server.url)
        wrong = asyncio.run(preflight(endpoint, Log().provider.ask))
    assert wrong is not None
    assert "Missing `reasoning_content` field" in wrong


class Nameless(Responses):
    """A server that sends an item without a type, among others."""

    def __call__(self, body: Body) -> Answer:
        answer = super().__call__(body)
        assert isinstance(answer.body, dict)
        if "output" in answer.body:
            answer.body["output"].insert(0, {"note": "of no type"})
        return answer


def test_an_item_of_no_type_goes_back_as_it_came() -> None:
    with ChatServer(provider := Nameless()) as server:
        turn(CASES["responses"], server)
    assert [sum("note" in item for item in body["input"]) for body in provider.bodies] == [0, 1, 2]


def test_counts_of_another_type_are_no_reason_to_print(capfd: pytest.CaptureFixture[str]) -> None:
    class Odd(Gemini):
        def __call__(self, body: Body) -> Answer:
            answer = super().__call__(body)
            assert isinstance(answer.body, dict)
            answer.body.get("usageMetadata", {})["thoughtsTokenCount"] = ""
            return answer

    with ChatServer(Odd()) as server:
        turn(CASES["gemini"], server, steps=1)
    assert capfd.readouterr() == ("", "")
