"""Models without native tool calls: what they are told, how their replies are read, and whole turns."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from asking import ENDPOINT, VIEW, act, play
from chat_server import Answer, calls, says
from hypothesis import given
from hypothesis import strategies as st

from colosseum.players.models.messages import messages
from colosseum.players.view import Position, Reply, Step, ToolCall, ToolResult

ENDPOINT_OF_TEXT = replace(ENDPOINT, dialect="text")

pytestmark = pytest.mark.usefixtures("key")


def written(tool: str, **arguments: object) -> str:
    return json.dumps({"tool": tool, "arguments": arguments})


def test_the_system_message_says_how_calls_are_written_and_which_tools_there_are() -> None:
    native, told = messages(VIEW)[0]["content"] or "", messages(VIEW, None, "text")[0]["content"] or ""
    rules = native.removesuffix("Do the tickets.")
    assert told.startswith(rules)
    assert told.endswith("\n\nDo the tickets.")
    assert told[len(rules) : -len("\n\nDo the tickets.")].splitlines()[3:] == [
        "- post: Send a message to all members of one of your channels.",
        '  {"tool": "post", "arguments": {"channel": "…", "text": "…"}}',
        '  channel: The channel. One of "team".',
        "  text: The message.",
        "- decide: Set one of your own variables to a value of its domain.",
        '  {"tool": "decide", "arguments": {"variable": "…", "value": "…"}}',
        '  variable: The variable. One of "pick[alice]".',
        '  value: A value that the variable may take. pick[alice]: "t1", 7, null',
        "- done: End your turn.",
        '  {"tool": "done", "arguments": {}}',
    ]
    planning = replace(VIEW, position=Position("planning", 1, 1, 3))
    assert "- decide:" not in (messages(planning, None, "text")[0]["content"] or "")
    assert messages(VIEW, None, "text")[1] == messages(VIEW)[1]


def test_a_turn_is_told_back_as_text() -> None:
    made = ToolCall("call_1", "post", {"channel": "team", "text": "hé\n"})
    broken = ToolCall("call_2", "decide", '{"tool": "decide", !}')
    steps = (
        Step(
            Reply(calls=(made, broken), note="<think>\nhm\n</think>\nI claim it."),
            (ToolResult(made, ok=True, message="posted"), ToolResult(broken, ok=False, message="no JSON")),
        ),
        Step(Reply(finish="empty"), ()),
        Step(Reply(note="Well.", finish="length"), ()),
    )
    assert [(m["role"], m["content"]) for m in messages(replace(VIEW, steps=steps), None, "text")[2:]] == [
        (
            "assistant",
            'I claim it.\n{"tool": "post", "arguments": {"channel": "team", "text": "hé\\n"}}\n{"tool": "decide", !}',
        ),
        (
            "user",
            "post: posted\ndecide: error: no JSON\n\n"
            "You called no tool. Call one, or done() if you have nothing more to do.",
        ),
        ("assistant", "Well."),
        (
            "user",
            "Your reply was cut off at its limit of tokens before it called a tool. Call one now, in fewer words.",
        ),
    ]


REPLIES = st.builds(
    Reply, note=st.sampled_from(["", "hm", "<think>\nx\n</think>"]), finish=st.sampled_from(["stop", "empty"])
)


@given(st.lists(st.builds(Step, REPLIES, st.just(()))))
def test_roles_take_turns_whatever_was_said(steps: Sequence[Step]) -> None:
    roles = [message["role"] for message in messages(replace(VIEW, steps=tuple(steps)), None, "text")]
    assert roles[0] == "system"
    assert all(role == ("user", "assistant")[n % 2] for n, role in enumerate(roles[1:]))
    assert roles[-1] == "user"


def test_a_request_has_no_tools_and_a_reply_has_its_calls() -> None:
    said = f"I take it.\n```json\n{written('post', channel='team', text='hi')}\n{written('done')}\n```"
    reply, server, log = act([says(said)], endpoint=ENDPOINT_OF_TEXT)
    assert "tools" not in server.requests[0].body
    assert [(c.id, c.tool, c.arguments) for c in reply.calls] == [
        ("call_1", "post", {"channel": "team", "text": "hi"}),
        ("call_2", "done", {}),
    ]
    assert (reply.note, reply.finish, reply.written) == ("I take it.", "tool_calls", ())
    native = replace(log.requests[0], endpoint=replace(log.requests[0].endpoint, dialect="native"))
    assert log.requests[0].key != native.key


def test_calls_that_a_server_reads_by_itself_count_too() -> None:
    reply, _, _ = act([calls(("post", {"channel": "team"}), text=written("done"))], endpoint=ENDPOINT_OF_TEXT)
    assert [call.tool for call in reply.calls] == ["post", "done"]


def test_ids_differ_from_those_of_the_turn_so_far() -> None:
    first, _, _ = act([says(written("done"))], endpoint=ENDPOINT_OF_TEXT)
    step = Step(first, (ToolResult(first.calls[0], ok=True, message="ok"),))
    second, _, _ = act([says(written("done"))], replace(VIEW, steps=(step,)), ENDPOINT_OF_TEXT)
    assert first.calls[0].id != second.calls[0].id


@pytest.mark.parametrize(
    ("answer", "finish", "note"),
    [
        (says("just thinking"), "stop", "just thinking"),
        (says(None), "empty", ""),
        (says("and then", finish="length"), "length", "and then"),
        (says(None, refusal="I will not"), "refusal", "I will not"),
    ],
)
def test_text_without_a_call_is_what_it_is(answer: Answer, finish: str, note: str) -> None:
    reply, _, _ = act([answer], endpoint=ENDPOINT_OF_TEXT)
    assert (reply.calls, reply.finish, reply.note) == ((), finish, note)


def test_a_whole_run_in_text() -> None:
    script = [
        says(f'{written("post", channel="nowhere", text="hi")} {{"tool": "post", "arguments": oops}}'),
        says(f"{written('post', channel='public', text='left?')}\n{written('done')}"),
        says(f"{written('decide', variable='move[A]', value='up')} {written('launch')}"),
        says("Hm, which one?"),
        says(written("decide", variable="move[A]", value="left")),
    ]
    events, server = play(script, ENDPOINT_OF_TEXT)
    kinds = [event["kind"] for event in events if event["event"] == "mistake"]
    assert kinds == ["unknown_channel", "unreadable", "outside_domain", "unknown_tool"]
    assert [e["text"] for e in events if e["event"] == "post"] == ["left?"]
    assert [e["value"] for e in events if e["event"] == "decide"] == ["left"]
    assert len(server.requests) == 5
    answered = server.requests[1].body["messages"][-1]["content"]
    assert answered.splitlines()[0].startswith("post: error: you have no channel 'nowhere'; yours: public.")
    assert answered.splitlines()[1] == (
        "post: error: your call of post cannot be read; its arguments must be one JSON object"
    )
    assert server.requests[4].body["messages"][-1]["content"].startswith("You called no tool.")


def test_a_call_that_is_cut_off_is_not_carried_out_and_those_before_it_are() -> None:
    whole, half = written("post", channel="public", text="one"), written("post", channel="public", text="two")[:-8]
    decision = says(written("decide", variable="move[A]", value="left"))
    events, server = play([says(whole + half, finish="length"), says(written("done")), decision], ENDPOINT_OF_TEXT)
    assert [e["text"] for e in events if e["event"] == "post"] == ["one"]
    assert [e["kind"] for e in events if e["event"] == "mistake"] == ["cut_off"]
    assert "your reply was cut off within its call of post" in server.requests[1].body["messages"][-1]["content"]
