"""Spans of the real OpenTelemetry SDK are imported, whatever their order; what is damaged is refused."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from conftest import checked
from google.protobuf.json_format import MessageToDict
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from test_imports_table import spec_in

from colosseum.imports.importing import import_runs

MAPPED = """
trace from "otel" {
  post is send["words"]
  channel backroom is send["room"] == "private"
  decide move[a] is choose["side"]
  round is turn
  arm talk is team == "B"
  arm baseline is team == "A"
  seed is instance
}
"""


def team_spans() -> Any:
    """One conversation of three agents under a supervisor: calls as spans, and B's decision in a message alone."""
    memory = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "team"}))
    provider.add_span_processor(SimpleSpanProcessor(memory))
    tracer = provider.get_tracer("test")

    def span(operation: str, **attributes: Any) -> Any:
        named = {f"gen_ai.{name.replace('__', '.')}": value for name, value in attributes.items()}
        return tracer.start_as_current_span(operation, attributes={"gen_ai.operation.name": operation, **named})

    with span("invoke_agent", agent__name="supervisor", conversation__id="c1"):
        trace.get_current_span().set_attributes({"team": "B", "instance": 1})
        for agent, room in (("A", "public"), ("B", "private"), ("C", "public")):
            with span("invoke_agent", agent__name=agent):
                trace.get_current_span().set_attribute("turn", 1)
                parts = [
                    {"type": "reasoning", "content": f"{agent} thinks"},
                    {"type": "text", "content": "I call."},
                    {"type": "tool_call", "id": "1", "name": "send", "arguments": {"words": "hi", "room": room}},
                ]
                if agent == "B":
                    parts.append({"type": "tool_call", "id": "2", "name": "choose", "arguments": {"side": "left"}})
                told = json.dumps([{"role": "assistant", "parts": parts, "finish_reason": "tool_call"}])
                with span("chat", request__model="gpt-x", output__messages=told, usage__input_tokens=7):
                    pass
                arguments = json.dumps({"words": f"{agent} says", "room": room})
                with span("execute_tool", tool__name="send", tool__call__id="1", tool__call__arguments=arguments):
                    trace.get_current_span().set_status(StatusCode.ERROR if agent == "C" else StatusCode.OK)
        with span("execute_tool", tool__name="transfer_to_B", tool__call__arguments="{}"):
            pass
    return encode_spans(memory.get_finished_spans())


def as_lines(message: Any) -> bytes:
    """Every span a line of its own, as a collector may write them."""
    lines = list[str]()
    for resource in MessageToDict(message)["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            lines += (json.dumps({"resourceSpans": [{**resource, "scopeSpans": [{**scope, "spans": [span]}]}]})
                      for span in scope["spans"])  # fmt: skip
    return "\n".join(lines).encode()


def backwards(message: Any) -> bytes:
    return b"\n".join(reversed(as_lines(message).splitlines()))


def twice(message: Any) -> bytes:
    return as_lines(message) + b"\n\n" + as_lines(message)


def whole(message: Any) -> bytes:
    return bytes(message.SerializeToString())


def sized(message: Any) -> bytes:
    content = message.SerializeToString()
    return len(content).to_bytes(4, "big") + bytes(content)


def imported(tmp_path: Path, content: bytes, name: str = "spans.jsonl", mapping: str = MAPPED) -> dict[str, Any]:
    (tmp_path / name).write_bytes(content)
    return asdict(import_runs(checked(spec_in(tmp_path, mapping)), [tmp_path / name], tmp_path / "in", reader="otel"))


def events_in(tmp_path: Path, kind: str) -> list[dict[str, Any]]:
    (path,) = (tmp_path / "in" / "runs").glob("*.jsonl")
    return [e for e in map(json.loads, path.read_text(encoding="utf-8").splitlines()) if e["event"] == kind]


@pytest.mark.parametrize(("name", "written"), [("a.jsonl", as_lines), ("a.jsonl", backwards), ("a.jsonl", twice),
                                               ("a.binpb", whole), ("a.binpb", sized)])  # fmt: skip
def test_a_team_is_imported(tmp_path: Path, name: str, written: Callable[[Any], bytes]) -> None:
    (run,) = imported(tmp_path, written(team_spans()), name)["runs"]
    assert (run["became"], run["source"], run["arm"], run["seed"], run["model"]) == ("new", "c1", "talk", 1, "gpt-x")
    posts = [(e["agent"], e["channel"], e["text"], e["round"]) for e in events_in(tmp_path, "post")]
    assert posts == [("A", "public", "A says", 1), ("B", "backroom", "B says", 1)]
    assert [e["agent"] for e in events_in(tmp_path, "mistake")] == ["C"]
    assert [e["text"] for e in events_in(tmp_path, "thought")] == ["A thinks", "B thinks", "C thinks"]
    assert [(e["variable"], e["value"]) for e in events_in(tmp_path, "decide")] == [("move[B]", "left")]
    taken = [(e["agent"], e["usage"]["prompt_tokens"], e["usage"]["cost"])
             for e in events_in(tmp_path, "reply") if e["usage"]]  # fmt: skip
    assert taken == [("A", 7, None), ("B", 7, None), ("C", 7, None)]


def test_tokens_that_a_span_repeats_of_those_below_it_count_once(tmp_path: Path) -> None:
    used = {"gen_ai.usage.input_tokens": "5", "gen_ai.usage.output_tokens": "2"}
    chat = {"gen_ai.operation.name": "chat", "gen_ai.tool.name": None, "gen_ai.usage.cost": "0.25"}
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.tool.name": None}
    spans = [span_of(attributes=agent | used), span_of(spanId="s2", parentSpanId="s1", attributes=chat | used),
             span_of(spanId="s3", parentSpanId="s1")]  # fmt: skip
    assert imported(tmp_path, lines_of(*spans), mapping="")["runs"][0]["became"] == "new"
    (result,) = (json.loads(p.read_text()) for p in (tmp_path / "in" / "runs").glob("*.json"))
    spent = {name: result["expense"][name] for name in ("calls", "prompt_tokens", "completion_tokens", "cost")}
    assert spent == {"calls": 1, "prompt_tokens": 5, "completion_tokens": 2, "cost": 0.25}


def test_texts_of_assistants_are_posts_where_the_mapping_says_so(tmp_path: Path) -> None:
    mapping = MAPPED.replace('send["words"]', "message").replace('send["room"] == "private"', 'agent_name == "B"')
    imported(tmp_path, as_lines(team_spans()), mapping=mapping)
    posts = [(e["agent"], e["channel"], e["text"]) for e in events_in(tmp_path, "post")]
    assert posts == [("A", "public", "I call."), ("B", "backroom", "I call."), ("C", "public", "I call.")]


def span_of(**more: Any) -> dict[str, Any]:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "decide", "gen_ai.agent.name": "A",
                  "gen_ai.tool.call.arguments": '{"variable": "move[A]", "value": "left"}', "colosseum.arm": "talk",
                  "colosseum.seed": "1"} | more.pop("attributes", {})  # fmt: skip
    told = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items() if value is not None]
    return {"traceId": "t1", "spanId": "s1", "startTimeUnixNano": "5", "attributes": told, **more}


def lines_of(*spans: Any) -> bytes:
    return "\n".join(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}) for span in spans).encode()


def test_own_tools_need_no_mapping_and_a_lost_parent_no_refusal(tmp_path: Path) -> None:
    (run,) = imported(tmp_path, lines_of(span_of(parentSpanId="lost")), mapping="")["runs"]
    assert (run["became"], run["source"], run["decisions"]) == ("new", "t1", 1)


def test_messages_of_an_agent_count_where_no_chat_below_has_them(tmp_path: Path) -> None:
    parts = [{"type": "tool_call", "name": "decide", "arguments": {"variable": "move[A]", "value": "left"}}]
    told = json.dumps([{"role": "assistant", "parts": parts}])
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.tool.name": None, "gen_ai.tool.call.arguments": None}
    chat = agent | {"gen_ai.operation.name": "chat", "gen_ai.output.messages": told}
    above = span_of(attributes=agent | {"gen_ai.output.messages": told})
    for place, spans in enumerate(([above], [above, span_of(spanId="s2", parentSpanId="s1", attributes=chat)])):
        (tmp_path / str(place)).mkdir()
        (run,) = imported(tmp_path / str(place), lines_of(*spans), mapping="")["runs"]
        assert (run["became"], run["decisions"]) == ("new", 1)


def test_half_a_sign_is_a_question_mark(tmp_path: Path) -> None:
    words = json.dumps({"channel": "public", "text": "a \ud83d b \ud83d\ude00"})
    told = {"gen_ai.tool.name": "post", "gen_ai.tool.call.arguments": words}
    assert imported(tmp_path, lines_of(span_of(attributes=told)), mapping="")["runs"][0]["became"] == "new"
    assert [e["text"] for e in events_in(tmp_path, "post")] == ["a ? b \U0001f600"]


def test_an_attribute_names_the_run(tmp_path: Path) -> None:
    (run,) = imported(tmp_path, lines_of(span_of(attributes={"run": "game 7"})), mapping="")["runs"]
    assert (run["became"], run["source"]) == ("new", "game 7")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (lines_of(span_of())[:-1], "line 1 is damaged, or of another format: JSONDecodeError"),
        (lines_of(span_of()) + b'\n{"resourceSpans": 5}', "line 2 is damaged, or of another format: TypeError"),
        (lines_of(span_of()) + b"\n[1]", "line 2 is no object"),
        (b'{"resourceSpans": []}', "spans.jsonl holds no runs"),
        (lines_of(span_of(startTimeUnixNano="9" * 5000)), "line 1 is damaged, or of another format: ValueError"),
        (lines_of(span_of(spanId="")), "a span has no traceId or no spanId"),
        (lines_of(span_of(), span_of(startTimeUnixNano="6")), "two spans are `s1` of trace `t1`"),
        (lines_of(span_of(attributes={"gen_ai.agent.name": None})), "a message or a decision has no agent"),
        (lines_of(span_of(attributes={"gen_ai.agent.name": "Zed"})), "`Zed` is not an agent of the scenario"),
        (lines_of(span_of(attributes={"gen_ai.tool.call.arguments": "{"})), "span s1 is damaged"),
        (lines_of(span_of(attributes={"gen_ai.tool.call.arguments": "[" * 100_000})), "span s1 is damaged"),
        (lines_of(span_of()).replace(b'{"stringValue": "decide"}', b'{"arrayValue": {}}'), "span s1 is damaged"),
        (lines_of(span_of(), span_of(spanId="s2")), "`move[A]` is decided twice"),
        (lines_of(span_of(parentSpanId="s1", attributes={"gen_ai.agent.name": None})), "has no agent"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    (run,) = imported(tmp_path, content, mapping="")["runs"]
    assert run["became"] == "refused"
    assert reason in run["reason"]
    assert not (tmp_path / "in").exists()


def test_cut_protobuf_is_refused(tmp_path: Path) -> None:
    (run,) = imported(tmp_path, sized(team_spans())[:-3], "a.binpb")["runs"]
    assert "byte 0 is no protobuf of traces" in run["reason"]
