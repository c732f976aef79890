"""Calls in text: which are found, in all the shapes that open models write, and what is none."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colosseum.players.models.written import calls_in, thoughtless, without
from colosseum.players.view import TOOLS

POST = {"channel": "team", "text": 'a {b} "c"'}
GIVEN = json.dumps(POST)
DONE = '{"tool": "done"}'
BOTH = [("post", POST), ("done", {})]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (f'{{"tool": "post", "arguments": {GIVEN}}}\n{{"tool": "done", "arguments": {{}}}}', ""),
        (f'{{"tool": "post", "arguments": {GIVEN}}}{DONE}', ""),
        (f'First {{"name": "post", "parameters": {GIVEN}}} and then {{"name": "done"}}.', "First  and then ."),
        (f'I go.\n```json\n{{"name": "post", "arguments": {GIVEN}}}\n```\n```\n{DONE}\n```', "I go."),
        (
            f'<tool_call>\n{{"name": "post", "arguments": {GIVEN}}}\n</tool_call>\n'
            '<tool_call>{"name": "done", "arguments": {}}</tool_call>',
            "",
        ),
        (f'[{{"name": "post", "arguments": {json.dumps(GIVEN)}}}, {{"name": "done", "arguments": ""}}]', ""),
        (
            json.dumps(
                {
                    "content": "hm",
                    "tool_calls": [
                        {"id": "1", "type": "function", "function": {"name": "post", "arguments": GIVEN}},
                        {"id": "2", "type": "function", "function": {"name": "done", "arguments": "{}"}},
                    ],
                }
            ),
            "",
        ),
        (f'{{"type": "function", "name": "post", "parameters": {GIVEN}}}; {{"type": "function", "name": "done"}}', ";"),
        (f'{{"action": "post", "action_input": {GIVEN}}}\n{{"action": "done", "action_input": null}}', ""),
        (
            f'{{"thought": "t", "action": {{"tool": "post", "args": {GIVEN}}}}} {{"recipient_name": "functions.done"}}',
            "",
        ),
        (f'{{"tool": "post", "reason": "r", {GIVEN[1:]} {{"function": "done"}}', ""),
        (f'[TOOL_CALLS][{{"name": "post", "arguments": {GIVEN}}}, {{"name": "done"}}]', "[TOOL_CALLS]"),
        (f'The set {{x, y}} is fine. {{"tool": "post", "input": {GIVEN}}} {DONE}', "The set {x, y} is fine."),
        (
            f'<think>\nShould I {DONE}?\n</think>\n{{"tool": "post", "arguments": {GIVEN}}} {DONE}',
            '<think>\nShould I {"tool": "done"}?\n</think>',
        ),
        (f'Maybe {DONE}?</think>\n{{"tool": "post", "arguments": {GIVEN}}} {DONE}', None),
    ],
)
def test_calls_are_read_in_the_shapes_that_models_write(text: str, note: str | None) -> None:
    calls = calls_in(text, TOOLS)
    assert [(call.tool, call.arguments) for call in calls] == BOTH
    assert note is None or without(text, calls) == note


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ('{"tool": "post", "arguments": {"channel": "team", "text": "he said "no""}}', ["post"]),
        ('{"tool": "post", "arguments": {"channel": "team", "text": "cut', ["post"]),
        ("{'tool': 'post', 'arguments': {'channel': 'team'}}", ["post"]),
        ('{tool: "post", arguments: {}}', ["post"]),
        ('{"name": "post", "arguments": ["team", "hi"]}', ["post"]),
        ('{"name": "post", "arguments": "team"}', ["post"]),
        ('{"tool": "post", "arguments": {"text": NaN}}', ["post"]),
        ('{"type": "function", "function": {"name": "decide", "arguments": {"variable": oops}}}', ["decide"]),
        ('{"plan": {"now": {"tool": "decide", "arguments": {}}}}', ["decide"]),
        ('post(channel="team", text="hi")', ["post"]),
        ("Fine.\n```tool_code\nprint(default_api.post('team', 'hi'))\n```", ["post"]),
        ('[post(channel="team", text="hi"), done()]', ["post"]),
        ("I am done.\ndone()", ["done"]),
        ('<function=post>{"channel": "team"}</function>', ["post"]),
        ("<tool_call>\n<function=post>\n<parameter=channel>\nteam\n</parameter>\n</function>\n</tool_call>", ["post"]),
        ("<tool_call>post\n<arg_key>channel</arg_key>\n<arg_value>team</arg_value>\n</tool_call>", ["post"]),
        ('<invoke name="post"><parameter name="channel">team</parameter></invoke>', ["post"]),
        ('<|python_tag|>post.call(channel="team")', ["post"]),
        ('[TOOL_CALLS]post[ARGS]{"channel": "team"}', ["post"]),
        ("<|channel|>commentary to=functions.decide <|constrain|>json<|message|>{}<|call|>", ["decide"]),
        (
            '<|tool_call_begin|>functions.post:0<|tool_call_argument_begin|>{"channel": "team"}<|tool_call_end|>',
            ["post"],
        ),
        (
            '{"tool": "post", "arguments": {"text": "a "b""}}\n\n{\n "tool": "decide", "arguments": {!}\n}',
            ["post", "decide"],
        ),
    ],
)
def test_a_call_that_cannot_be_read_is_found_with_its_text(text: str, tools: list[str]) -> None:
    calls = calls_in(text, TOOLS)
    assert [call.tool for call in calls] == tools
    for call in calls:
        assert isinstance(call.arguments, str)
        assert call.arguments in text or json.loads(call.arguments)


def test_what_stands_within_a_broken_call_is_not_carried_out() -> None:
    line = '{"tool": "post", "arguments": {"text": "no {"tool": "decide", "arguments": {"value": 1}} yet"}}'
    broken, done = calls_in(f"{line}\n{DONE}", TOOLS)
    assert (broken.tool, broken.arguments) == ("post", line)
    assert (done.tool, done.arguments) == ("done", {})


def test_a_line_break_within_a_string_can_mean_one_thing_only() -> None:
    (call,) = calls_in('{"tool": "post", "arguments": {"channel": "team", "text": "one\ntwo"}}', TOOLS)
    assert call.arguments == {"channel": "team", "text": "one\ntwo"}


def test_tags_within_a_text_are_no_thoughts() -> None:
    arguments = {"channel": "team", "text": "a <think> b </think> c"}
    (call,) = calls_in(json.dumps({"tool": "post", "arguments": arguments}), TOOLS)
    assert call.arguments == arguments


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would post(channel, text) first and then call done().",
        "done() ends my turn, so I do not call it yet.",
        "We are done (I think). {a, b} and [1, 2] < 3",
        '{"name": "done", "status": "open"}',
        '{"name": "Bob", "age": 7}',
        '{"ticket3": {"cost": 4, "name": "post office"}}',
        '{"tasks": [{"name": "done"}, {"name": "post"}]}',
        '{"launch": "tool"}',
        '{"tool": "hammer"}',
        "{" * 50 + '"tool"',
        "```json\n[]\n```",
        '<think>\n{"tool": "done"} would be',
        '<thinking>{"tool": "done"}</thinking> no',
    ],
)
def test_prose_and_other_json_are_no_calls(text: str) -> None:
    assert calls_in(text, TOOLS) == []
    assert without(text, []) == text.strip()


def test_a_clear_call_of_an_unknown_tool_is_one() -> None:
    (call,) = calls_in('{"tool": "launch", "arguments": {"now": true}}', TOOLS)
    assert (call.tool, call.arguments) == ("launch", {"now": True})


def test_half_characters_become_question_marks() -> None:
    (call,) = calls_in('{"tool": "post", "arguments": {"text": "\\ud800"}}', TOOLS)
    assert call.arguments == {"text": "?"}


def test_thoughts_are_left_out_of_what_is_told_back() -> None:
    assert thoughtless("<think>\nhm\n</think>\nYes.") == "Yes."
    assert thoughtless("hm</think>\n\nYes.") == "Yes."
    assert thoughtless("I think so.") == "I think so."


@pytest.mark.parametrize(
    "text", ['{"a":' * 3000, "[" * 9000, '{"tool": "post", ' * 900, "<tool_call>" * 900, "<think>\n" * 900]
)
def test_deep_and_endless_texts_are_read_to_their_end(text: str) -> None:
    assert all(isinstance(call.arguments, str) for call in calls_in(text, TOOLS))


WORDS = st.lists(
    st.sampled_from(['{"tool": "post"', '"arguments": {', '"text": "', '"', "}", "{", "\n", "done()", "<think>", ","])
)


@given(WORDS.map(" ".join))
def test_whatever_is_written_calls_are_in_order_and_do_not_overlap(text: str) -> None:
    calls = calls_in(text, TOOLS)
    assert all(0 <= call.start < call.end <= len(text) for call in calls)
    assert all(a.end <= b.start for a, b in pairwise(calls) if a.start != b.start)
    without(text, calls)
