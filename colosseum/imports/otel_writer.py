"""Runs as OpenTelemetry spans. In: ExportedRuns; out: OTLP as JSON lines, a line a run.

Spans follow https://opentelemetry.io/docs/specs/semconv/gen-ai. A run is a trace, a turn a span `invoke_agent`, a post
or a decision in it a span `execute_tool`, a thought a span `chat`. Runs have no clock: times count events.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any

from colosseum.imports.exported_run import ExportedAct, ExportedRun, ExportedTurn

INTERNAL, ERROR = 1, 2
"""A span's kind, and the status of one that failed, by their numbers in OTLP."""


def write_spans(file: IO[bytes], runs: Iterable[ExportedRun], scenario: str) -> None:
    """Write every run as one TracesData."""
    resource = {"attributes": _attributes({"service.name": "colosseum", "colosseum.scenario": scenario})}
    for run in runs:
        scope = {"scope": {"name": "colosseum"}, "spans": list(_spans(run))}
        line = json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]})
        file.write(f"{line}\n".encode())


def _spans(run: ExportedRun) -> Iterator[dict[str, Any]]:
    own = {f"colosseum.{name}": value for name, value in run.fields.items()}
    last = run.turns[-1].n + 1 if run.turns else 1
    about = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.conversation.id": run.listed.trial}
    root = _span(run, 0, 0, last, "invoke_workflow", about | own)
    root.pop("parentSpanId")
    yield root
    for turn in run.turns:
        told = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": turn.agent, "colosseum.round": turn.round,
                "gen_ai.request.model": run.listed.players[turn.agent]}  # fmt: skip
        used = zip(("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"), turn.tokens, strict=True)
        yield _span(run, turn.n, 0, turn.n + 1, f"invoke_agent {turn.agent}", told | {n: v for n, v in used if v})
        for act in turn.acts:
            yield _act_span(run, turn, act)


def _act_span(run: ExportedRun, turn: ExportedTurn, act: ExportedAct) -> dict[str, Any]:
    if act.kind == "thought":
        parts = [{"role": "assistant", "parts": [{"type": "reasoning", "content": act.text}], "finish_reason": "stop"}]
        about = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(parts)}
        return _span(run, act.n, turn.n, act.n + 1, "chat", about)
    about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": act.kind,
             "gen_ai.tool.call.arguments": json.dumps(arguments_of(act))}  # fmt: skip
    span = _span(run, act.n, turn.n, act.n + 1, f"execute_tool {act.kind}", about)
    return span | {"status": {"code": ERROR, "message": act.failed}} if act.failed else span


def arguments_of(act: ExportedAct) -> dict[str, Any]:
    """Those of the tools `post` and `decide`."""
    if act.kind == "decide":
        return {"variable": act.variable, "value": act.value}
    return {"channel": act.channel, "text": act.text}


def _span(run: ExportedRun, n: int, above: int, end: int, name: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """A span by its event's place in the trace; the root has place 0."""
    return {
        "traceId": run.listed.trial[:32], "spanId": f"{n + 1:016x}", "parentSpanId": f"{above + 1:016x}", "name": name,
        "kind": INTERNAL, "startTimeUnixNano": str(n), "endTimeUnixNano": str(end), "attributes": _attributes(about),
    }  # fmt: skip


def _attributes(named: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}
            for key, value in named.items() if value is not None]  # fmt: skip
