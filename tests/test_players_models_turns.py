"""Whole turns of a model against a real socket: every slip has its own kind, is answered and counted, and does nothing.

The model is A: it has a planning turn and one to decide, of three replies each.
"""

import json

import pytest
from asking import play
from chat_server import Answer, calls, fails, says

from colosseum.players.view import CallFailed

DECIDE = calls(("decide", {"variable": "move[A]", "value": "left"}))
DONE = calls(("done", {}))
HI = {"channel": "public", "text": "hi"}

pytestmark = pytest.mark.usefixtures("key")


@pytest.mark.parametrize(
    ("slip", "kind", "words"),
    [
        (calls(("post", '{"channel": ')), "unreadable", "arguments must be one JSON object"),
        (calls(("post", "[1]")), "unreadable", "arguments must be one JSON object"),
        (calls(("launch", {})), "unknown_tool", "there is no tool 'launch'"),
        (calls(("launch the rocket!", {})), "unknown_tool", "there is no tool 'launch the rocket!'"),
        (calls(("post", {"channel": "den", "text": "hi"})), "unknown_channel", "you have no channel 'den'"),
        (calls(("post", {"channel": "public", "text": " "})), "argument", "a post needs a text"),
        (calls(("post", {"channel": "public", "text": "x" * 20_001})), "argument", "has at most 20000"),
        (DECIDE, "out_of_turn", "decisions are taken in the execution turn"),
        (says(json.dumps({"name": "post", "arguments": HI})), "call_in_text", "call the tool itself"),
        (says(f'<tool_call>\n{{"name": "post", "arguments": {json.dumps(HI)}}}\n</tool_call>'), "call_in_text", "post"),
        (says(f'Right.\n```json\n{{"tool": "post", "arguments": {json.dumps(HI)}}}\n```'), "call_in_text", "post"),
        (says('post(channel="public", text="hi")'), "call_in_text", "post"),
        (says('{"tool": "post", "arguments": {"channel": '), "call_in_text", "post"),
        (calls(("post", '{"channel": "public", "te'), finish="length"), "cut_off", "your reply was cut off"),
        (calls(("post", HI), finish="length"), "cut_off", "your reply was cut off"),
        (calls(("post", HI), finish="content_filter"), "cut_off", "your reply was cut off"),
        (says(None, finish="malformed_function_call"), "unreadable", "your call could not be read"),
    ],
)
def test_a_slip_in_planning_is_answered_and_the_turn_goes_on(slip: Answer, kind: str, words: str) -> None:
    events, server = play([slip, DONE, DECIDE])
    mistakes = [event for event in events if event["event"] == "mistake"]
    assert [(m["kind"], m["round"]) for m in mistakes] == [(kind, 1)]
    assert words in mistakes[0]["message"]
    assert not any(event["event"] == "post" for event in events)
    assert [e["value"] for e in events if e["event"] == "decide"] == ["left"]
    answer = server.requests[1].body["messages"][-1]
    assert mistakes[0]["message"] in answer["content"]
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("variable", "value", "kind", "words"),
    [
        ("move[B]", "left", "unknown_variable", "you have no variable 'move[B]'; yours: move[A]"),
        (None, "left", "unknown_variable", "you have no variable None"),
        ("move[A]", "up", "outside_domain", "'up' is not a value of move[A]; its values: left, right"),
        ("move[A]", ["left"], "outside_domain", "['left'] is not a value"),
        ("move[A]", None, "outside_domain", "None is not a value"),
    ],
)
def test_a_decision_that_is_none_is_answered(variable: str, value: object, kind: str, words: str) -> None:
    slip = calls(("decide", {"variable": variable, "value": value}))
    events, server = play([DONE, slip, DECIDE])
    (mistake,) = (event for event in events if event["event"] == "mistake")
    assert (mistake["kind"], mistake["round"], mistake["tool"]) == (kind, 2, "decide")
    assert words in mistake["message"]
    assert [e["value"] for e in events if e["event"] == "decide"] == ["left"]
    assert server.requests[2].body["messages"][-1]["content"] == f"error: {mistake['message']}"


def test_a_decision_stands_and_one_needs_a_value() -> None:
    twice = calls(
        ("decide", {"variable": "move[A]", "value": "left"}), ("decide", {"variable": "move[A]", "value": "right"})
    )
    events, _ = play([DONE, calls(("decide", {"variable": "move[A]"})), twice, DONE])
    assert [e["kind"] for e in events if e["event"] == "mistake"] == ["argument", "decided"]
    assert [e["value"] for e in events if e["event"] == "decide"] == ["left"]


def test_parallel_calls_are_carried_out_in_order_and_each_is_answered() -> None:
    made = [("post", {"channel": "public", "text": str(n)}) for n in range(3)]
    events, server = play([calls(*made, ("post", {"channel": "den", "text": "x"})), calls(*made[:1]), DONE, DECIDE])
    assert [e["text"] for e in events if e["event"] == "post"] == ["0", "1", "2", "0"]
    told = server.requests[1].body["messages"][2:]
    assert [message["role"] for message in told] == ["assistant", *["tool"] * 4]
    assert [message["content"] for message in told[1:4]] == ["posted to public"] * 3
    assert told[4]["content"].startswith("error: you have no channel 'den'")
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    "text",
    [
        "I have said all I want to say.",
        "I could call post(channel, text) here, or done(), but I do not.",
        'My costs: {"ticket1": 3, "done": false}',
        '{"name": "Bob", "arguments": "none"}',
    ],
)
def test_other_text_is_a_note_that_is_answered_once_and_ends_the_turn_the_second_time(text: str) -> None:
    events, server = play([says(text), says(text), DECIDE])
    assert [e["kind"] for e in events if e["event"] == "mistake"] == ["idle", "idle"]
    assert [e["note"] for e in events if e["event"] == "reply"] == [text, text, ""]
    told = server.requests[1].body["messages"][2:]
    assert [(m["role"], m["content"].partition(".")[0]) for m in told] == [
        ("assistant", text.partition(".")[0]), ("user", "Nothing was posted: use post, or done"),
    ]  # fmt: skip
    assert len(server.requests) == 3


def test_a_note_in_place_of_a_post_is_made_up_for() -> None:
    events, server = play([says("I will post."), calls(("post", HI)), says("Now I am done."), DECIDE])
    assert [e["text"] for e in events if e["event"] == "post"] == ["hi"]
    assert [e["kind"] for e in events if e["event"] == "mistake"] == ["idle", "idle"]
    assert len(server.requests) == 4


def test_a_turn_ends_with_the_last_decision() -> None:
    events, server = play([calls(("post", HI)), DONE, DECIDE])
    assert [e["event"] for e in events if e["event"] in ("post", "decide")] == ["post", "decide"]
    assert len(server.requests) == 3


def test_text_that_tells_of_calls_that_are_made_is_no_slip() -> None:
    told = f"I post: {json.dumps({'tool': 'post', 'arguments': HI})}"
    events, server = play([calls(("post", HI), ("done", {}), text=told), DECIDE])
    assert [e["event"] for e in events if e["event"] in ("post", "mistake")] == ["post"]
    assert len(server.requests) == 2


def test_a_call_in_the_text_beside_another_that_is_made_is_one() -> None:
    told = json.dumps({"tool": "post", "arguments": HI})
    events, server = play([calls(("done", {}), text=told), DONE, DECIDE])
    assert [e["kind"] for e in events if e["event"] == "mistake"] == ["call_in_text"]
    roles = [message["role"] for message in server.requests[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "user"]


def test_names_that_no_provider_takes_back_are_told_in_letters() -> None:
    _, server = play([calls(("functions.launch the rocket!", {})), DONE, DECIDE])
    (call,) = server.requests[1].body["messages"][2]["tool_calls"]
    assert call["function"]["name"] == "functions_launch_the_rocket_"


def test_text_that_is_cut_off_in_planning_is_asked_again() -> None:
    events, server = play([says("Let me think", finish="length"), calls(("post", HI), ("done", {})), DECIDE])
    assert [e["finish"] for e in events if e["event"] == "reply"] == ["length", "tool_calls", "tool_calls"]
    assert [e["text"] for e in events if e["event"] == "post"] == ["hi"]
    assert server.requests[1].body["messages"][-1]["content"].startswith("Your reply was cut off at its limit")


def test_of_a_reply_that_is_cut_off_the_calls_before_the_last_are_carried_out() -> None:
    first, second = ("post", {"channel": "public", "text": "one"}), ("post", '{"channel": "public", "text": "tw')
    events, server = play([calls(first, second, finish="length"), DONE, DECIDE])
    assert [e["text"] for e in events if e["event"] == "post"] == ["one"]
    assert [e["kind"] for e in events if e["event"] == "mistake"] == ["cut_off"]
    assert server.requests[1].body["messages"][3]["content"] == "posted to public"


@pytest.mark.parametrize(
    ("answer", "finish", "asked"),
    [
        (says(None, refusal="No."), "refusal", 2),
        (says("I c", finish="content_filter"), "refusal", 2),
        (says("I cannot.", finish="refusal"), "refusal", 2),
        (says(None, finish="SAFETY"), "refusal", 2),
        (fails(400, "flagged", code="content_filter"), "refusal", 2),
        (says(None), "empty", 4),
        (says("  "), "empty", 4),
        (says("Hm."), "stop", 5),
        (says("Hm", finish="length"), "length", 6),
    ],
)
def test_who_says_nothing_or_refuses_has_a_status_and_no_decision(answer: Answer, finish: str, asked: int) -> None:
    events, server = play([answer])
    assert {e["finish"] for e in events if e["event"] == "reply"} == {finish}
    assert {e["event"] for e in events} - {"mistake"} == {"briefing", "reply"}
    assert {e["kind"] for e in events if e["event"] == "mistake"} == ({"idle"} if asked == 5 else set())
    assert len(server.requests) == asked


def test_a_conversation_that_is_too_long_ends_the_run() -> None:
    with pytest.raises(CallFailed) as caught:
        play([DONE, fails(400, "This model's maximum context length is 9 tokens", code="context_length_exceeded")])
    assert caught.value.kind == "context"
