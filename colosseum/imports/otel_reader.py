"""OpenTelemetry spans of agents. In: OTLP, as JSON lines or protobuf; out: a ForeignRun a conversation or trace.

A span, by https://opentelemetry.io/docs/specs/semconv/gen-ai, is a row with its attributes and those of spans above it.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from colosseum.imports.foreign_run import ForeignRun, Refusal, Source, content_of, json_of, sound
from colosseum.imports.foreign_trace import TraceMapping
from colosseum.imports.table_reader import json_rows, run_name, run_of

WORDS: Any = tomllib.loads((Path(__file__).parent / "otel.toml").read_text(encoding="utf-8"))
TOKENS = ("input_tokens", "output_tokens", "cost")
Row: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[str, str]  # a span: its trace and its own name


@dataclass(frozen=True, slots=True)
class OtelSpan:
    """A span of OTLP with the attributes that are read."""

    key: Key
    parent: Key
    times: tuple[int, int]
    """Start and end, in nanoseconds."""
    failed: bool
    fields: Row

    @property
    def operation(self) -> Any:
        return self.fields.get("operation_name")

    @property
    def taken(self) -> Row:
        """Tokens, and US dollars; frameworks may give those of a span again in the spans above it."""
        return {name: self.fields[f"usage_{name}"] for name in TOKENS if f"usage_{name}" in self.fields}


def read_spans(path: Path, mapping: TraceMapping) -> Source:
    """The runs of a file, by their names. Raises Refusal where a line is damaged: its spans may be of any run."""
    spans: dict[Key, OtelSpan] = {}
    for where, batch in _batches(path):
        with sound(where):
            for span in _spans(batch):
                if spans.setdefault(span.key, span) != span:
                    raise ValueError(f"two spans are `{span.key[1]}` of trace `{span.key[0]}`")
    yield from runs_of(path.name, spans, mapping)


def runs_of(source: str, spans: dict[Key, OtelSpan], mapping: TraceMapping) -> Source:
    """The runs that spans tell, by their names."""
    conversation = {s.key[0]: s.fields["conversation_id"] for s in spans.values() if s.fields.get("conversation_id")}
    runs: dict[str, list[tuple[list[OtelSpan], Row]]] = {}
    for span in spans.values():
        line, trace, fields = _line(span, spans), span.key[0], Row()
        for each in reversed(line):
            fields |= {name: value for name, value in each.fields.items() if name not in WORDS["content"]}
        own = fields.get("conversation_id") or conversation.get(trace, trace)
        runs.setdefault(run_name(fields, mapping, str(own)), []).append((line, fields))
    yield from ((name, partial(_run, source, name, runs[name], mapping)) for name in sorted(runs))


def _run(source: str, name: str, lines: list[tuple[list[OtelSpan], Row]], mapping: TraceMapping) -> ForeignRun:
    """The run of some spans, each with those above it and the attributes of both; without agents who do not act."""
    rows = _rows(lines, {*WORDS["tools"], *(name for each in mapping.mapped for name in each.source.mentions)})
    acting = {row["agent"] for row in rows if row["kind"] is None}
    kept = [row if row["agent"] in acting else row | {"agent": None} for row in rows
            if row["agent"] in acting or row["kind"] != "thought"]  # fmt: skip
    return run_of(source, name, kept, mapping)


def _batches(path: Path) -> Iterator[tuple[str, Any]]:
    """Every message of a file, with its place. Raises Refusal."""
    if path.suffix in (".json", ".jsonl"):
        yield from json_rows(path)
        return
    with sound(path.name, "otel"):
        from google.protobuf.json_format import MessageToDict
        from google.protobuf.message import DecodeError
        from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    content, place = content_of(path), 0
    while place < len(content):
        # The Collector writes a message's size in four bytes before it; a file of one message begins with its tag.
        start = place if content[0] == 0x0A else place + 4
        end = len(content) if start == place else start + int.from_bytes(content[place:start], "big")
        try:
            if end > len(content):
                raise DecodeError("it is cut off")
            yield f"{path.name} byte {place}", MessageToDict(TracesData.FromString(content[start:end]))
        except (DecodeError, RecursionError) as error:
            raise Refusal(f"{path.name} byte {place} is no protobuf of traces: {error}") from None
        place = end


def _spans(batch: Any) -> Iterator[OtelSpan]:
    """Raises one of DAMAGED where it is no TracesData."""
    for resource in batch["resourceSpans"]:
        shared = _fields(resource.get("resource", {}).get("attributes", ()))
        for scope in resource.get("scopeSpans", ()):
            for span in scope.get("spans", ()):
                trace, own, above = (str(span.get(name, "")) for name in ("traceId", "spanId", "parentSpanId"))
                if not trace or not own:
                    raise ValueError("a span has no traceId or no spanId")
                fields = shared | _fields(span.get("attributes", ())) | {"trace_id": trace}
                failed = span.get("status", {}).get("code") in (2, "STATUS_CODE_ERROR") or "error_type" in fields
                times = int(span.get("startTimeUnixNano", 0)), int(span.get("endTimeUnixNano", 0))
                yield OtelSpan((trace, own), (trace, above), times, failed, fields)


def _fields(attributes: Any) -> Row:
    named = ((field_name(each["key"]), each["value"]) for each in attributes)
    return {name: _value(value) for name, value in named if name not in WORDS["heavy"]}


def field_name(key: str) -> str:
    """As a mapping writes it."""
    name = re.sub(r"\W", "_", key.removeprefix("gen_ai.").removeprefix("colosseum."))
    return f"{name}_" if name in WORDS["table"] else name


def _value(value: Any) -> Any:
    """A value of an attribute; None where it is no number of JSON."""
    match value:
        case {"intValue": found}:
            return int(found)
        case {"arrayValue": found}:
            return [_value(each) for each in found.get("values", ())]
        case {"kvlistValue": found}:
            return {each["key"]: _value(each["value"]) for each in found.get("values", ())}
        case {"doubleValue": str()}:
            return None
    return next(iter(value.values()), None)


def _rows(lines: list[tuple[list[OtelSpan], Row]], tools: set[str]) -> list[Row]:
    """The rows of spans that may stand in any order, by time. Only calls of `tools` are acts. Raises Refusal."""
    spans = [line[0] for line, _ in lines]
    carried = {(s.key[0], str(s.fields.get("tool_name"))) for s in spans
               if s.operation == "execute_tool" and s.fields.get("tool_call_arguments") is not None}  # fmt: skip
    failed = {(s.parent, call) for s in spans if s.failed and (call := s.fields.get("tool_call_id"))}
    answered = {above.key for (span, *line), _ in lines if span.operation == "chat" for above in line}
    counted = {above.key for (span, *line), _ in lines if span.taken for above in line}
    rows = list[tuple[int, Row]]()
    for line, fields in lines:
        span, author = line[0], fields.get("agent_name")
        fields["model"] = fields.get("response_model") or fields.get("request_model")
        fields["agent"] = None if author is None else str(author)
        rows.append((span.times[0], fields | {"kind": "agent"} | ({} if span.key in counted else span.taken)))
        # A call in a message counts where no span of the trace has carried out calls of its tool with their arguments.
        written = {tool for tool in tools if (span.key[0], tool) not in carried}
        with sound(f"span {span.key[1]}"):
            for row in _acts(line, tools, written, failed, set() if span.key in answered else {"invoke_agent"}):
                rows.append((span.times[span.operation != "execute_tool"], fields | {"kind": None} | row))
    return [row for _, row in sorted(rows, key=lambda each: each[0])]


def _line(span: OtelSpan, spans: dict[Key, OtelSpan]) -> list[OtelSpan]:
    """A span and those above it that the file holds."""
    line = [span]
    while (above := spans.get(line[-1].parent)) and above not in line:
        line.append(above)
    return line


def _acts(
    line: list[OtelSpan], tools: set[str], written: set[str], failed: set[tuple[Key, Any]], also: set[str]
) -> Iterator[Row]:
    """Calls and texts; of calls in messages, those of the `written` tools."""
    span, fields, where = line[0], line[0].fields, f"span {line[0].key[1]}"
    if span.operation == "execute_tool" and fields["tool_name"] in tools:
        yield from _called(where, fields["tool_name"], fields.get("tool_call_arguments"), failed=span.failed)
    elif span.operation in {"chat", "generate_content", "text_completion"} | also:
        for part in (p for m in json_of(fields.get("output_messages"), where) or () for p in m["parts"]):
            match part["type"]:
                case "tool_call" if part["name"] in written:
                    lost = any((each.parent, part.get("id")) in failed for each in line)
                    yield from _called(where, part["name"], part.get("arguments"), failed=lost)
                case "text" if "message" in tools:
                    yield {"message": str(part["content"])}
                case "reasoning":
                    yield {"text": str(part["content"]), "kind": "thought"}


def _called(where: str, tool: str, arguments: Any, *, failed: bool) -> Iterator[Row]:
    if arguments is not None:
        told = json_of(arguments, where)
        own = {name: told[name] for name in WORDS["tools"].get(tool, ()) if name in told}
        yield {tool: told, **own, "failed": "the tool failed" if failed else None}
