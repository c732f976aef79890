"""The pre-flight against a real socket: it passes a model that can play and says what is wrong with any other."""

import asyncio

import pytest
from asking import Log
from chat_server import Answer, ChatServer, Script, calls, fails, says

from colosseum.campaign.preflight import ATTEMPTS, PATIENCE, preflight
from colosseum.campaign.retry import Provider
from colosseum.players.models.messages import Dialect
from colosseum.players.models.request import Endpoint

pytestmark = pytest.mark.usefixtures("key")


def check(
    script: Script, *, model: str = "openai/test-model", dialect: Dialect = "native"
) -> tuple[str | None, ChatServer]:
    """The verdict of the pre-flight."""
    with ChatServer(script) as server:
        endpoint = Endpoint(model, api_base=server.url, dialect=dialect)
        provider = Provider(attempts=ATTEMPTS, most_wait=PATIENCE, sleep=Log().sleep)
        return asyncio.run(preflight(endpoint, provider.ask)), server


def test_preflight_passes_a_model_that_calls_the_tool() -> None:
    verdict, server = check([calls(("ready", {}))])
    assert verdict is None
    assert [t["function"]["name"] for t in server.requests[0].body["tools"]] == ["ready"]
    assert check([fails(500, "boom"), calls(("ready", {}))])[0] is None


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (says("ready"), "did not call the tool it was given: try `--tools text`"),
        (calls(("steady", {})), "did not call the tool it was given: try `--tools text`"),
        (says('{"name": "ready", "parameters": {}}'), "wrote its call as text, which is not read: try `--tools text`"),
        (says("<tool_call>ready</tool_call>"), "wrote its call as text, which is not read: try `--tools text`"),
        (fails(400, "gemma:latest does not support tools"), "does not support tools; try `--tools text`"),
        (fails(400, '"auto" tool choice requires --tool-call-parser to be set'), "to be set; try `--tools text`"),
        (says("hm", finish="length"), "used up its 1500 tokens"),
        (fails(404, "no such model"), "the provider does not know the model `openai/test-model`"),
        (fails(401, "bad key"), "no access to `openai/test-model`: bad key"),
        (fails(500, "boom"), "boom"),
    ],
)
def test_preflight_says_what_is_wrong(answer: Answer, words: str) -> None:
    assert words in (check([answer])[0] or "")


@pytest.mark.parametrize("answer", [fails(404, "no such model"), fails(500, "boom"), fails(401, "bad key")])
def test_another_way_of_calling_tools_is_not_advised_where_it_is_no_matter_of_tools(answer: Answer) -> None:
    assert "--tools" not in (check([answer], model="openai/tool-7b")[0] or "--tools")


@pytest.mark.parametrize("text", ['{"tool": "ready", "arguments": {}}', 'Sure.\n```json\n{"name": "ready"}\n```'])
def test_preflight_passes_a_model_that_calls_the_tool_in_text(text: str) -> None:
    verdict, server = check([says(text)], dialect="text")
    assert verdict is None
    assert "tools" not in server.requests[0].body
    assert '{"tool": "ready", "arguments": {}}' in server.requests[0].body["messages"][0]["content"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (says("I am ready."), "wrote no call that can be read"),
        (says('{"tool": "ready", "arguments": '), "wrote no call that can be read"),
        (says('{"tool": "steady", "arguments": {}}'), "wrote no call that can be read"),
        (says('{"tool": "rea', finish="length"), "used up its 1500 tokens"),
        (fails(400, "no tools here"), "no tools here"),
    ],
)
def test_preflight_says_what_is_wrong_with_calls_in_text(answer: Answer, words: str) -> None:
    verdict, _ = check([answer], dialect="text")
    assert words in (verdict or "")
    assert "--tools" not in (verdict or "")


def test_preflight_waits_for_a_limited_rate_but_not_for_long() -> None:
    verdict, server = check(lambda body: fails(429, "slow down", retry_after="1"))
    assert verdict is not None
    assert "rate" in verdict
    assert 2 <= len(server.requests) < 10


def test_preflight_names_the_missing_key_and_the_unknown_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "write provider/model" in (check([says("x")], model="nobody/nothing")[0] or "")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "set the environment variable OPENAI_API_KEY" in (check([says("x")])[0] or "")


def test_preflight_refuses_a_temperature_that_the_model_does_not_take() -> None:
    verdict, server = check([calls(("ready", {}))], model="openai/o3-mini")
    assert "temperature" in (verdict or "")
    assert server.requests == []
