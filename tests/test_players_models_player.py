"""Model players against a real socket, through the real litellm: answers, whole turns, the import and the output."""

import asyncio
import json
import subprocess
import sys
from dataclasses import replace

import pytest
from asking import ENDPOINT, VIEW, Log, act, failure, served
from chat_server import Answer, ChatServer, calls, fails, says, slow
from conftest import KEY

from colosseum.players.models.player import ModelPlayer
from colosseum.players.models.reply import Answer as Answered
from colosseum.players.models.request import Endpoint
from colosseum.players.models.written import arguments
from colosseum.players.view import Reply, Step, ToolResult

PRICED = Endpoint("openai/gpt-4o-mini")

pytestmark = pytest.mark.usefixtures("key")


def test_a_call_reaches_the_player_with_its_arguments_and_its_usage() -> None:
    reply, server, _ = act([calls(("post", {"channel": "team", "text": "hé\n"}))])
    (call,) = reply.calls
    assert (call.id, call.tool, call.arguments) == ("call_1", "post", {"channel": "team", "text": "hé\n"})
    assert (reply.finish, reply.note) == ("tool_calls", "")
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (11, 7)
    assert (reply.usage.cost, reply.usage.served_model) == (None, "served-model-1")
    assert reply.usage.seconds > 0
    (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert (request.body["model"], request.body["temperature"], request.body["max_tokens"]) == ("test-model", 0.7, 1500)
    assert [t["function"]["name"] for t in request.body["tools"]] == ["post", "decide", "done"]
    assert request.body["messages"][0]["content"].endswith("Do the tickets.")


def test_several_calls_keep_their_order_and_the_text_beside_them_is_a_note() -> None:
    made = [("post", {"channel": "team", "text": str(n)}) for n in range(3)]
    reply, _, _ = act([calls(*made, ("done", {}), text="my plan")])
    assert [c.tool for c in reply.calls] == ["post", "post", "post", "done"]
    assert [c.arguments for c in reply.calls[:3]] == [given for _, given in made]
    assert (reply.note, reply.finish) == ("my plan", "tool_calls")


@pytest.mark.parametrize("raw", ['{"channel": ', "[1, 2]", '"post"', "7", '{"x": NaN}'])
def test_arguments_that_are_no_json_object_stay_raw(raw: str) -> None:
    reply, _, _ = act([calls(("post", raw))])
    assert reply.calls[0].arguments == raw


def test_arguments_too_deep_to_read_stay_raw() -> None:
    assert arguments("[" * 100_000) == "[" * 100_000


def test_no_arguments_are_an_empty_object() -> None:
    reply, _, _ = act([calls(("done", ""))])
    assert reply.calls[0].arguments == {}


def test_an_unknown_tool_or_channel_is_passed_on_as_it_is() -> None:
    reply, _, _ = act([calls(("launch", {"now": True}), ("post", {"channel": "elsewhere", "text": ""}))])
    assert [(c.tool, c.arguments) for c in reply.calls] == [
        ("launch", {"now": True}),
        ("post", {"channel": "elsewhere", "text": ""}),
    ]


def test_ids_that_repeat_or_are_missing_are_made_anew() -> None:
    answer = calls(("done", {}), ("done", {}), ("done", {}))
    for call, identity in zip(
        answer.body["choices"][0]["message"]["tool_calls"], ("call_1", "call_1", ""), strict=True
    ):
        call["id"] = identity
    earlier, _, _ = act([calls(("done", {}))])
    step = Step(earlier, (ToolResult(earlier.calls[0], ok=True, message="ok"),))
    reply, _, _ = act([answer], replace(VIEW, steps=(step,)))
    ids = ["call_1", *(c.id for c in reply.calls)]
    assert len(set(ids)) == 4


def test_half_characters_do_not_reach_the_trace() -> None:
    reply, _, _ = act([calls(("post", '{"channel": "team", "text": "\\ud800"}'), text="\ud800")])
    assert reply.calls[0].arguments == {"channel": "team", "text": "?"}
    assert reply.note == "?"


@pytest.mark.parametrize(
    ("answer", "finish", "note"),
    [
        (says("just thinking"), "stop", "just thinking"),
        (says(None, refusal="I will not do that"), "refusal", "I will not do that"),
        (says(None, finish="content_filter"), "refusal", ""),
        (says(None), "empty", ""),
        (says(""), "empty", ""),
        (says("and then", finish="length"), "length", "and then"),
        (calls(("post", '{"chan'), finish="length"), "length", ""),
        (fails(400, "rejected by our safety system", code="content_policy_violation"), "refusal", None),
    ],
)
def test_what_the_model_does_is_no_failure(answer: Answer, finish: str, note: str | None) -> None:
    reply, server, _ = act([answer])
    assert reply.finish == finish
    assert note is None or reply.note == note
    assert len(server.requests) == 1


def test_a_model_with_a_price_has_a_cost() -> None:
    reply, _, log = act([served(says("hi"), "gpt-4o-mini-2024-07-18")], endpoint=PRICED)
    assert reply.usage is not None
    assert reply.usage.cost == pytest.approx(11 * 0.15e-6 + 7 * 0.6e-6)
    answer = log.attempts[0].result
    assert isinstance(answer, Answered)
    assert answer.cost == reply.usage.cost


def test_what_the_provider_did_not_count_is_none() -> None:
    reply, _, _ = act([served(says("hi", usage=False), "gpt-4o-mini-2024-07-18")], endpoint=PRICED)
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cost) == (None, None, None)


def test_the_second_request_of_a_turn_carries_the_calls_and_their_results() -> None:
    first = calls(("post", {"channel": "team", "text": "t1 is mine"}), ("decide", '{"oops'), text="claim it")
    log = Log()
    with ChatServer([first, calls(("done", {}))]) as server:
        player = log.player(replace(ENDPOINT, api_base=server.url))
        reply = asyncio.run(player.act(VIEW))
        results = (
            ToolResult(reply.calls[0], ok=True, message="posted"),
            ToolResult(reply.calls[1], ok=False, message="no"),
        )
        asyncio.run(player.act(replace(VIEW, steps=(Step(reply, results),))))
    sent, again = (request.body["messages"] for request in server.requests)
    assert again[:2] == sent
    assistant, *answers = again[2:]
    assert assistant["content"] == "claim it"
    assert [c["id"] for c in assistant["tool_calls"]] == ["call_1", "call_2"]
    assert [json.loads(c["function"]["arguments"]) for c in assistant["tool_calls"]] == [
        {"channel": "team", "text": "t1 is mine"},
        {"unreadable": '{"oops'},
    ]
    assert answers == [
        {"role": "tool", "tool_call_id": "call_1", "content": "posted"},
        {"role": "tool", "tool_call_id": "call_2", "content": "error: no"},
    ]


def test_one_player_acts_for_many_agents_at_once() -> None:
    def echo(body: dict[str, object]) -> Answer:
        return slow(says(json.dumps(body["messages"])), 0.05)

    async def together(player: ModelPlayer) -> list[Reply]:
        return await asyncio.gather(*(player.act(replace(VIEW, me=f"agent{n}")) for n in range(8)))

    with ChatServer(echo) as server:
        replies = asyncio.run(together(Log().player(replace(ENDPOINT, api_base=server.url))))
    assert [f'You are agent \\\\\\"agent{n}\\\\\\"' in json.dumps(reply.note) for n, reply in enumerate(replies)] == [
        True
    ] * 8


def test_importing_the_player_does_not_import_litellm() -> None:
    program = (
        "import sys, colosseum.players.models.player, colosseum.campaign.preflight;"
        "print([name for name in ('litellm', 'openai') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    act([says("x")])
    failure([fails(500, "boom")])
    assert capfd.readouterr() == ("", "")
