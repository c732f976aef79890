"""Exports of own runs. In: a folder and a format; out: one file that others read, and that importers read back."""

import csv
import json
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final, TypeAlias
from zipfile import ZIP_DEFLATED, ZipFile

from colosseum.campaign.folder import Folder, Plan, replace_file
from colosseum.diagnostics import counted, file_errors, one_of, stop
from colosseum.imports.otel_reader import WORDS
from colosseum.imports.table_reader import CELL, guarded
from colosseum.run.trace import Seal, read_trace
from colosseum.run.trial import Listed

LEFT_OUT: Final = ("thoughts", "raw")
"""What `--without` may name: what models thought, and posts that were not delivered."""
USED: Final = {"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens", "cost": "cost"}
"""What a reply took, tokens and US dollars, by its columns and as traces have it."""
ACT: Final = ("n", "round", "agent", "model", "kind", "channel", "secret", "text", "variable", "value")
COLUMNS: Final = ("run", *CELL, "model_label", "turn_order", "channels", *ACT, "failed", *USED)
ACTS: Final = ("run", *CELL, "status", *ACT)
"""Of a table for statistics: `status` is how the run ended; a null `value` is none where there is a variable."""
Act: TypeAlias = Mapping[str, Any]
"""An event `reply`, `thought`, `post` or `decide` with the columns that it has, the `arguments` of its call, and what
it has `used`. A post that was not delivered has `failed`, and no channel."""


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
    """Write the complete runs; `out` is by default the name of the folder in the working directory.

    Raises ColosseumError, OSError, Damaged and BrokenTrace.
    """
    parts = [one_of("part", part.strip(), LEFT_OUT) for part in without.split(",") if part.strip()]
    ending, write = WRITERS[one_of("format", to, WRITERS)]
    path = Path(f"{folder.path.absolute().name}{ending}") if out is None else out
    if path.suffix != ending:
        raise stop("C122", f"`{path}` does not end in {ending}")
    results = [(each, folder.result(each.trial)) for each in plan.trials]
    complete = [(each, result.trace) for each, result in results if result and result.status == "complete"]
    if not complete:
        raise stop("C122", f"no run of {folder.path} is complete")
    with file_errors(path):
        runs = (exported_run(folder, each, seal, parts) for each, seal in complete)
        replace_file(path, lambda file: write(file, runs, plan.scenario))
    return ExportedFile(path, len(complete), len(plan.trials) - len(complete))


@dataclass(frozen=True)
class ExportedRun:
    """A run by the names of its own scenario."""

    listed: Listed
    fields: dict[str, Any]
    """What tells it apart, and what importers cannot see in its acts: names stand as in a shell."""
    turns: list[list[Act]]
    """Each a reply, then what was thought and done in it."""


def exported_run(folder: Folder, listed: Listed, seal: Seal, without: Collection[str]) -> ExportedRun:
    """A run that has ended. Raises OSError and BrokenTrace."""
    events = read_trace(folder.trace(listed.trial), seal)
    single = {event["event"]: event for event in events}
    secret = {channel["name"]: channel["secret"] for channel in single["channels"]["channels"]}
    names = {"turn_order": shlex.join(single["order"]["agents"] or ()), "channels": shlex.join(secret)}
    fields = {"run": listed.trial, **{name: getattr(listed, name) for name in CELL}, "model_label": listed.model}
    turns = [[_act(event, listed.players, secret) for event in turn] for turn in _turns(events, without)]
    return ExportedRun(listed, fields | names, turns)


def act_rows(folder: Folder, plan: Plan) -> Iterator[dict[str, Any]]:
    """The messages and decisions of all runs that ended, by ACTS. Raises OSError, Damaged and BrokenTrace."""
    for listed in plan.trials:
        if result := folder.result(listed.trial):
            run = exported_run(folder, listed, result.trace, LEFT_OUT)
            for act in (act for _, *acts in run.turns for act in acts):
                told = {**run.fields, "status": result.status, **act}
                yield {name: told.get(name) for name in ACTS}


def _turns(events: list[Any], without: Collection[str]) -> list[list[Any]]:
    """Each post, delivered or not, is that of the next call."""
    turns, thoughts, written = list[list[Any]](), list[Any](), iter(list[Any]())
    for event in events:
        match event["event"]:
            case "thought" if event["text"] and "thoughts" not in without:
                thoughts.append(event)
            case "reply":
                written = iter([call["arguments"] for call in event["calls"] if call["tool"] == "post"])
                turns.append([event, *thoughts])
                thoughts.clear()
            case "mistake" if event["tool"] == "post":
                asked = next(written, "")
                told = str(asked.get("text", "") if isinstance(asked, dict) else asked)
                failed = {**event, "event": "post", "channel": None, "text": told, "failed": event["message"]}
                turns[-1] += [failed] if "raw" not in without else []
            case "post" | "decide" as kind:
                next(written, None) if kind == "post" else None
                turns[-1].append(event)
    return turns


def _act(event: Any, players: Mapping[str, str], secret: Mapping[str, bool]) -> Act:
    usage = event.get("usage") or {}
    used = {name: usage[ours] for name, ours in USED.items() if usage.get(ours) is not None}
    told = {"kind": event["event"], "model": players[event["agent"]], "secret": secret.get(event.get("channel"))}
    arguments = {name: event[name] for name in WORDS["tools"].get(event["event"], ())}
    return {**event, **told, **used, "used": used, "arguments": arguments}


def write_table(file: IO[bytes], runs: Iterable[ExportedRun], scenario: str) -> None:
    """A row for each agent, then for each act. What UTF-8 cannot hold becomes `?`."""
    lines = TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
    table = csv.DictWriter(lines, COLUMNS, restval="", extrasaction="ignore")
    table.writeheader()
    for run in runs:
        agents = [{"agent": agent, "model": model, "kind": "agent"} for agent, model in run.listed.players.items()]
        for act in chain(agents, *run.turns):
            table.writerow({name: guarded(cell) for name, cell in {**run.fields, **act}.items()})
    lines.detach()


def write_spans(file: IO[bytes], runs: Iterable[ExportedRun], scenario: str) -> None:
    """Write every run as one TracesData, by https://opentelemetry.io/docs/specs/semconv/gen-ai.

    A run is a trace, a turn a span `invoke_agent`, a post or a decision in it a span `execute_tool`, a thought a span
    `chat`. The status 2 is an error. Runs have no clock: times count events.
    """
    resource = {"attributes": _attributes({"service.name": "colosseum", "colosseum.scenario": scenario})}
    for run in runs:
        scope = {"scope": {"name": "colosseum"}, "spans": list(_spans(run))}
        line = json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]})
        file.write(f"{line}\n".encode())


def _spans(run: ExportedRun) -> Iterator[dict[str, Any]]:
    own = {f"colosseum.{name}": value for name, value in run.fields.items()}
    root = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.conversation.id": run.listed.trial}
    yield _span(run, 0, max((act["n"] for turn in run.turns for act in turn), default=0) + 1, root | own)
    for turn in run.turns:
        for act in turn:
            above = {"parentSpanId": f"{(0 if act is turn[0] else turn[0]['n']) + 1:016x}"}
            failed = {"status": {"code": 2, "message": act["failed"]}} if "failed" in act else {}
            yield _span(run, act["n"], act["n"] + 1, _about(act)) | above | failed


def _about(act: Act) -> dict[str, Any]:
    """The attributes of an act."""
    match act["kind"]:
        case "reply":
            used = {f"gen_ai.usage.{name}": value for name, value in act["used"].items()}
            told = {"gen_ai.agent.name": act["agent"], "gen_ai.request.model": act["model"]}
            return {"gen_ai.operation.name": "invoke_agent", **told, "colosseum.round": act["round"], **used}
        case "thought":
            parts = [{"type": "reasoning", "content": act["text"]}]
            answer = [{"role": "assistant", "parts": parts, "finish_reason": "stop"}]
            return {"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(answer)}
    called = {"gen_ai.tool.name": act["kind"], "gen_ai.tool.call.arguments": json.dumps(act["arguments"])}
    return {"gen_ai.operation.name": "execute_tool", **called}


def _span(run: ExportedRun, n: int, end: int, about: Mapping[str, Any]) -> dict[str, Any]:
    """A span, of the kind 1 (internal), by its event's place in the trace; the root has place 0."""
    words = (about.get(f"gen_ai.{part}.name") for part in ("operation", "agent", "tool"))
    return {
        "traceId": run.listed.trial[:32], "spanId": f"{n + 1:016x}", "name": " ".join(filter(None, words)),
        "kind": 1, "startTimeUnixNano": str(n), "endTimeUnixNano": str(end), "attributes": _attributes(about),
    }  # fmt: skip


def _attributes(named: Mapping[str, Any]) -> list[dict[str, Any]]:
    kinds = {int: "intValue", float: "doubleValue", str: "stringValue"}
    told = ((key, kinds[type(value)], value) for key, value in named.items() if value is not None)
    return [{"key": key, "value": {kind: str(value) if kind == "intValue" else value}} for key, kind, value in told]


def write_inspect(file: IO[bytes], runs: Iterable[ExportedRun], scenario: str) -> None:
    """Write every run as a sample, and what they have in common as the header.

    The layout is that of https://inspect.aisi.org.uk/eval-logs.html: spans of agents hold the calls of their turns.
    Runs have no clock, and what models were asked is not exported.
    """
    samples, models = list[dict[str, Any]](), dict[str, None]()
    with ZipFile(file, "w", ZIP_DEFLATED) as log:
        for run in runs:
            own, name = run.listed, f"{run.listed.arm}:{run.listed.seed} {run.listed.trial[:8]}"
            sample = {"id": name, "epoch": own.repeat, "input": f"Run {name}", "target": "", "metadata": run.fields}
            content = json.dumps({**sample, "uuid": own.trial[:22], "events": list(_events(run))})
            log.writestr(f"samples/{name}_epoch_{own.repeat}.json", content)
            samples.append(sample | {"completed": True})
            models[own.model] = None
        spec = {
            "created": "1970-01-01T00:00:00+00:00", "task": scenario, "model": ", ".join(models),
            "dataset": {"name": scenario, "samples": len(samples)},
            "config": {"epochs": max(each["epoch"] for each in samples)},
        }  # fmt: skip
        log.writestr("summaries.json", json.dumps(samples))
        log.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": spec}))


def _events(run: ExportedRun) -> Iterator[dict[str, Any]]:
    """A span for each turn, with an answer of the model that has its thoughts and what it took, and its calls."""
    for reply, *acts in run.turns:
        span, model, used = {"span_id": f"turn {reply['n']}"}, reply["model"], reply["used"]
        named = {"request_model": model, "round": reply["round"]}
        yield {"event": "span_begin", "id": span["span_id"], "type": "agent", "name": reply["agent"], "metadata": named}
        parts = [{"type": "reasoning", "reasoning": act["text"]} for act in acts if act["kind"] == "thought"]
        if parts or used:
            message = {"role": "assistant", "source": "generate", "content": parts}
            whole = used.get("input_tokens", 0) + used.get("output_tokens", 0)
            usage = {**used, "total_tokens": whole, "total_cost": used.get("cost")} if used else None
            output = {"model": model, "choices": [{"message": message, "stop_reason": "stop"}], "usage": usage}
            asked = {"input": [], "tools": [], "tool_choice": "auto", "config": {}}
            yield {"event": "model", "model": model, **asked, "output": output, **span}
        for act in (act for act in acts if act["arguments"]):
            error = {"type": "parsing", "message": act["failed"]} if "failed" in act else None
            call = {"id": str(act["n"]), "function": act["kind"], "arguments": act["arguments"], "error": error}
            yield {"event": "tool", "type": "function", **call, **span}
        yield {"event": "span_end", "id": span["span_id"]}


WRITERS: Final[dict[str, tuple[str, Callable[[IO[bytes], Iterable[ExportedRun], str], None]]]] = {
    "csv": (".csv", write_table), "eval": (".eval", write_inspect), "otlp": (".jsonl", write_spans),
}  # fmt: skip
"""By format: the ending of its files, and what writes one."""
