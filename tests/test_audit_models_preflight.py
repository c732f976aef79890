"""The pre-flight against a real socket: it passes a model that can play and says what is wrong with any other."""

import asyncio

import pytest
from asking import Log, give_key
from chat_server import Answer, ChatServer, Script, calls, fails, says

from colosseum.audit.models.paid import Provider
from colosseum.audit.models.preflight import preflight
from colosseum.audit.models.request import Endpoint


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    give_key(monkeypatch)


def check(script: Script, *, model: str = "openai/test-model") -> tuple[str | None, ChatServer]:
    """The verdict of the pre-flight."""
    with ChatServer(script) as server:
        return asyncio.run(preflight(Endpoint(model, api_base=server.url), Provider(sleep=Log().sleep))), server


def test_preflight_passes_a_model_that_calls_the_tool() -> None:
    verdict, server = check([calls(("ready", {}))])
    assert verdict is None
    assert [t["function"]["name"] for t in server.requests[0].body["tools"]] == ["ready"]
    assert check([fails(500, "boom"), calls(("ready", {}))])[0] is None


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (says("ready"), "did not call the tool"),
        (calls(("steady", {})), "did not call the tool"),
        (says("hm", finish="length"), "used up its 1500 tokens"),
        (fails(404, "no such model"), "the provider does not know the model `openai/test-model`"),
        (fails(401, "bad key"), "no access to `openai/test-model`: bad key"),
        (fails(500, "boom"), "boom"),
    ],
)
def test_preflight_says_what_is_wrong(answer: Answer, words: str) -> None:
    assert words in (check([answer])[0] or "")


def test_preflight_names_the_missing_key_and_the_unknown_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "write provider/model" in (check([says("x")], model="nobody/nothing")[0] or "")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "set the environment variable OPENAI_API_KEY" in (check([says("x")])[0] or "")


def test_preflight_refuses_a_temperature_that_the_model_does_not_take() -> None:
    verdict, server = check([calls(("ready", {}))], model="openai/o3-mini")
    assert "temperature" in (verdict or "")
    assert server.requests == []
