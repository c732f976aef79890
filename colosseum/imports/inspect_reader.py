"""Logs of Inspect. In: an `.eval`; out: a ForeignRun for each sample.

The layout is that of https://inspect.aisi.org.uk/eval-logs.html; Inspect itself is not needed.
Events are read as spans: a span of type `agent` is an agent's, a tool event a call, a model event what was written.
"""

import json
import re
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from colosseum.imports.foreign_run import LARGEST, Refusal, Source, json_of, sound
from colosseum.imports.foreign_trace import TraceMapping
from colosseum.imports.otel_reader import TOKENS, Key, OtelSpan, field_name, runs_of

ZSTANDARD = 93  # the compression that Inspect writes today, by its number in ZIP
ATTACHED = re.compile('"attachment://([^"\\\\]*)"')  # a text that stands among the sample's attachments


def read_inspect(path: Path, mapping: TraceMapping) -> Source:
    """The samples of a log, one after the other. Raises Refusal where it is no log."""
    with sound(path.name), ZipFile(path) as log:
        members = {each.filename: each for each in log.infolist()}
        header = members.get("header.json") or members.get("_journal/start.json")
        if header is None:
            raise Refusal(f"{path.name} is no log of Inspect: it has no header.json")
        task = json_of(_member(log, header), header.filename).get("eval")
        for name, member in members.items():
            if name.startswith("samples/") and name.endswith(".json"):
                try:
                    with sound("it"):
                        sample = json_of(_member(log, member), name)
                        if sample.get("error"):
                            raise Refusal("the sample ended with an error")
                        yield from runs_of(path.name, _spans(task, sample), mapping)
                except Refusal as unfit:
                    yield name, unfit


def _member(log: ZipFile, member: ZipInfo) -> bytes:
    """The content of a file in an archive, which may be packed by Zstandard. Raises Refusal where it is too large."""
    stored, packed = copy(member), member.compress_type == ZSTANDARD
    if packed:
        stored.compress_type, stored.file_size, stored.CRC = ZIP_STORED, member.compress_size, None  # type: ignore[assignment]
    with log.open(stored) as file:
        content = _unpacked(file, member.filename) if packed else file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise Refusal(f"{member.filename} is larger than {LARGEST // 2**20} MiB")
    return content


def _unpacked(file: IO[bytes], name: str) -> bytes:
    with sound(name, "inspect"):
        from zstandard import ZstdDecompressor, ZstdError
    try:
        return bytes(ZstdDecompressor().stream_reader(file, read_across_frames=True).read(LARGEST + 1))
    except ZstdError as error:
        raise Refusal(f"{name} is damaged: {error}") from None


def _spans(task: Any, sample: Any) -> dict[Key, OtelSpan]:
    """A sample as the span of a workflow, with its events below. Raises one of DAMAGED."""
    trace = f"{sample['id']}:{sample['epoch']}"
    own = {"trace_id": trace, "task": task["task"], "sample": sample["id"], "epoch": sample["epoch"]}
    root = OtelSpan((trace, ""), ("", ""), (0, 0), False, _named(sample) | own | {"request_model": task["model"]})
    spans = {root.key: root}
    texts, events = sample.get("attachments") or {}, json.dumps(sample["events"])
    events = ATTACHED.sub(lambda found: json.dumps(texts.get(found[1], found[0].strip('"'))), events)
    for place, event in enumerate(json.loads(events)):
        kind, inside = event["event"], (trace, str(event.get("span_id") or ""))
        key, fields = (trace, f"event {place}"), dict[str, Any]()
        if kind == "span_begin":
            key, inside = (trace, str(event["id"])), (trace, str(event.get("parent_id") or ""))
            fields = _named(event)
            if event.get("type") == "agent":
                fields |= {"operation_name": "invoke_agent", "agent_name": event["name"]}
        elif kind == "tool":
            fields = {"operation_name": "execute_tool", "tool_name": event["function"]}
            fields["tool_call_arguments"] = event["arguments"]
        elif kind == "model" and event["output"]["choices"]:
            parts, used = list(_parts(event["output"]["choices"][0]["message"])), event["output"].get("usage") or {}
            fields = {"operation_name": "chat", "output_messages": [{"parts": parts}]}
            told = {**used, "cost": used.get("total_cost")}
            fields |= {f"usage_{name}": told[name] for name in TOKENS if told.get(name) is not None}
            if inside in spans:  # calls of one span are those of the model that it asked last
                spans[inside].fields["request_model"] = event["model"]
        if fields or kind == "span_begin":
            above = inside if inside in spans else root.key
            spans[key] = OtelSpan(key, above, (place, place), bool(event.get("error")), fields)
    return spans


def _named(told: Any) -> dict[str, Any]:
    return {field_name(name): value for name, value in (told.get("metadata") or {}).items()}


def _parts(message: Any) -> Iterator[dict[str, Any]]:
    """An assistant's message as OpenTelemetry has it."""
    content = message["content"]
    for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        if part["type"] in ("text", "reasoning") and (words := part[part["type"]]):
            yield {"type": part["type"], "content": words}
    for call in message.get("tool_calls") or ():
        yield {"type": "tool_call", "name": call["function"], "arguments": call["arguments"]}
