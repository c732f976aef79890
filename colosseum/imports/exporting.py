"""Exports of own runs. In: a folder and a format; out: one file that others read, and that importers read back."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from colosseum.campaign.folder import Folder, Plan, replace_file
from colosseum.diagnostics import counted, file_errors, one_of, stop
from colosseum.imports.exported_run import Act, ExportedRun, arguments_of, exported_runs, taken
from colosseum.imports.table_reader import guarded

LEFT_OUT: Final = ("thoughts", "raw")
"""What `--without` may name: what models thought, and posts that were not delivered."""
COLUMNS: Final = ("run", "arm", "point", "seed", "repeat", "model_label", "turn_order", "channels", "n", "round",
                  "agent", "model", "kind", "channel", "secret", "text", "variable", "value", "failed",
                  "input_tokens", "output_tokens", "cost")  # fmt: skip
INTERNAL, ERROR = 1, 2
"""A span's kind, and the status of one that failed, by their numbers in OTLP."""
CREATED = "1970-01-01T00:00:00+00:00"
"""Runs have no clock."""


@dataclass(frozen=True)
class ExportedFile:
    """What was written, in words by `str`."""

    path: Path
    runs: int
    left_out: int
    """Runs that are not complete."""

    def __str__(self) -> str:
        left = f"; {self.left_out:,} left out: not complete" if self.left_out else ""
        return f"{counted(self.runs, 'run')} in {self.path}{left}"


def export_runs(folder: Folder, plan: Plan, to: str, out: Path | None = None, without: str = "") -> ExportedFile:
    """Write the complete runs.

    `out` is by default the name of the folder in the working directory. Raises ColosseumError, OSError, Damaged and
    BrokenTrace.
    """
    parts = [part.strip() for part in without.split(",") if part.strip()]
    if unknown := sorted({*parts} - {*LEFT_OUT}):
        raise stop("C122", f"`--without {unknown[0]}` names nothing", help=f"parts: {', '.join(LEFT_OUT)}")
    ending, write = WRITERS[one_of("format", to, WRITERS)]
    path = Path(f"{folder.path.absolute().name}{ending}") if out is None else out
    if path.suffix != ending:
        raise stop("C122", f"`{path}` does not end in {ending}")
    results = [(each, folder.result(each.trial)) for each in plan.trials]
    complete = [(each, result.trace) for each, result in results if result and result.status == "complete"]
    if not complete:
        raise stop("C122", f"no run of {folder.path} is complete")
    with file_errors(path):
        replace_file(path, lambda file: write(file, exported_runs(folder, complete, parts), plan.scenario))
    return ExportedFile(path, len(complete), len(plan.trials) - len(complete))


def write_table(file: IO[bytes], runs: Iterable[ExportedRun], scenario: str) -> None:
    """A row for each agent, then for each act. What UTF-8 cannot hold becomes `?`."""
    lines = TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    table = csv.DictWriter(lines, COLUMNS, restval="", extrasaction="ignore")
    table.writeheader()
    for run in runs:
        players = run.listed.players
        for agent, model in players.items():
            table.writerow(run.fields | {"agent": agent, "model": model, "kind": "agent"})
        for act in run.acts:
            channel, model = act.get("channel"), players[act["agent"]]
            secret = "" if channel is None else str(run.channels[channel]).lower()
            told = {"model": model, "kind": act["event"], "secret": secret, "text": guarded(act.get("text"))}
            table.writerow({**run.fields, **act, **told, **taken(act)})
    lines.detach()


def write_spans(file: IO[bytes], runs: Iterable[ExportedRun], scenario: str) -> None:
    """Write every run as one TracesData, by https://opentelemetry.io/docs/specs/semconv/gen-ai.

    A run is a trace, a turn a span `invoke_agent`, a post or a decision in it a span `execute_tool`, a thought a span
    `chat`. Runs have no clock: times count events.
    """
    resource = {"attributes": _attributes({"service.name": "colosseum", "colosseum.scenario": scenario})}
    for run in runs:
        scope = {"scope": {"name": "colosseum"}, "spans": list(_spans(run))}
        line = json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]})
        file.write(f"{line}\n".encode())


def _spans(run: ExportedRun) -> Iterator[dict[str, Any]]:
    own = {f"colosseum.{name}": value for name, value in run.fields.items()}
    root = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.conversation.id": run.listed.trial}
    yield _span(run, 0, max((act["n"] for act in run.acts), default=0) + 1, root | own)
    turn = 0
    for act in run.acts:
        above, turn = (0, act["n"]) if act["event"] == "reply" else (turn, turn)
        failed = {"status": {"code": ERROR, "message": act["failed"]}} if "failed" in act else {}
        parent = {"parentSpanId": f"{above + 1:016x}"}
        yield _span(run, act["n"], act["n"] + 1, _about(run, act)) | parent | failed


def _about(run: ExportedRun, act: Act) -> dict[str, Any]:
    """The attributes of an act."""
    match act["event"]:
        case "reply":
            used = {f"gen_ai.usage.{name}": value for name, value in taken(act).items()}
            told = {"gen_ai.agent.name": act["agent"], "gen_ai.request.model": run.listed.players[act["agent"]]}
            return {"gen_ai.operation.name": "invoke_agent", **told, "colosseum.round": act["round"], **used}
        case "thought":
            parts = [{"type": "reasoning", "content": act["text"]}]
            answer = [{"role": "assistant", "parts": parts, "finish_reason": "stop"}]
            return {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(answer)}
    called = {"gen_ai.tool.name": act["event"], "gen_ai.tool.call.arguments": json.dumps(arguments_of(act))}
    return {"gen_ai.operation.name": "execute_tool", **called}


def _span(run: ExportedRun, n: int, end: int, about: Mapping[str, Any]) -> dict[str, Any]:
    """A span by its event's place in the trace; the root has place 0."""
    words = (about.get(f"gen_ai.{part}.name") for part in ("operation", "agent", "tool"))
    return {
        "traceId": run.listed.trial[:32], "spanId": f"{n + 1:016x}", "name": " ".join(filter(None, words)),
        "kind": INTERNAL, "startTimeUnixNano": str(n), "endTimeUnixNano": str(end), "attributes": _attributes(about),
    }  # fmt: skip


def _attributes(named: Mapping[str, Any]) -> list[dict[str, Any]]:
    kinds = {int: "intValue", float: "doubleValue", str: "stringValue"}
    told = ((key, kinds[type(value)], value) for key, value in named.items() if value is not None)
    return [{"key": key, "value": {kind: str(value) if kind == "intValue" else value}} for key, kind, value in told]


def write_inspect(file: IO[bytes], runs: Iterable[ExportedRun], scenario: str) -> None:
    """Write every run as a sample, and what they have in common as the header.

    The layout is that of https://inspect.aisi.org.uk/eval-logs.html: spans of agents hold the calls of their turns.
    """
    summaries, models = list[dict[str, Any]](), dict[str, None]()
    with ZipFile(file, "w", ZIP_DEFLATED) as log:
        for run in runs:
            sample = _sample(run)
            log.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
            summaries.append({name: sample[name] for name in ("id", "epoch", "input", "target", "metadata")})
            models[run.listed.model] = None
        config = {"epochs": max(each["epoch"] for each in summaries)}
        dataset = {"name": scenario, "samples": len({each["id"] for each in summaries})}
        spec = {"created": CREATED, "task": scenario, "dataset": dataset, "model": ", ".join(models), "config": config}
        counts = {"total_samples": len(summaries), "completed_samples": len(summaries)}
        log.writestr("summaries.json", json.dumps([each | {"completed": True} for each in summaries]))
        log.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": spec, "results": counts}))


def _sample(run: ExportedRun) -> dict[str, Any]:
    own, acts = run.listed, [act for act in run.acts if act["event"] in ("post", "decide") and "failed" not in act]
    shown = ("{}, {}: {}".format(act["agent"], *arguments_of(act).values()) for act in acts)
    name = f"{own.arm}:{own.seed} {own.trial[:8]}"
    return {
        "id": name, "epoch": own.repeat, "input": f"Run {own.trial[:8]}: arm {own.arm}, seed {own.seed}", "target": "",
        "uuid": own.trial[:22], "metadata": run.fields, "events": list(_events(run)),
        "messages": [{"role": "assistant", "content": words} for words in shown],
    }  # fmt: skip


def _events(run: ExportedRun) -> Iterator[dict[str, Any]]:
    """A span for each reply, with what was thought and done in it."""
    span = ""
    for act in run.acts:
        model, used = run.listed.players[act["agent"]], taken(act)
        match act["event"]:
            case "reply":
                yield from [{"event": "span_end", "id": span}] if span else []
                span = f"turn {act['n']}"
                named = {"request_model": model} | ({} if act["round"] is None else {"round": act["round"]})
                yield {"event": "span_begin", "id": span, "type": "agent", "name": act["agent"], "metadata": named}
                yield from [_answer([], model, used) | {"span_id": span}] if used else []
            case "thought":
                yield _answer([{"type": "reasoning", "reasoning": act["text"]}], model, {}) | {"span_id": span}
            case tool:
                error = {"type": "parsing", "message": act["failed"]} if "failed" in act else None
                call = {"id": str(act["n"]), "function": tool, "arguments": arguments_of(act), "error": error}
                yield {"event": "tool", "type": "function", **call, "span_id": span}
    yield from [{"event": "span_end", "id": span}] if span else []


def _answer(parts: list[dict[str, Any]], model: str, used: dict[str, Any]) -> dict[str, Any]:
    """An answer of the model that has reasoning alone, or nothing but what it took."""
    message = {"role": "assistant", "source": "generate", "content": parts}
    output = {"model": model, "choices": [{"message": message, "stop_reason": "stop"}]}
    asked = {"input": [], "tools": [], "tool_choice": "auto", "config": {}}
    whole = sum(number for name, number in used.items() if name != "cost")
    usage = {"usage": {**used, "total_tokens": whole, "total_cost": used.get("cost")}} if used else {}
    return {"event": "model", "model": model, **asked, "output": output | usage}


WRITERS: Final[dict[str, tuple[str, Callable[[IO[bytes], Iterable[ExportedRun], str], None]]]] = {
    "csv": (".csv", write_table),
    "eval": (".eval", write_inspect),
    "otlp": (".jsonl", write_spans),
}
"""By format: the ending of its files, and what writes one."""
