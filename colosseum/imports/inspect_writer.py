"""Runs as a log of Inspect. In: ExportedRuns; out: an `.eval` file, a sample a run, that `inspect view` opens.

The layout is that of https://inspect.aisi.org.uk/eval-logs.html: spans of agents hold the calls of their turns.
"""

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

from colosseum.imports.exported_run import ExportedRun
from colosseum.imports.otel_writer import arguments_of

CREATED = "1970-01-01T00:00:00+00:00"
"""Runs have no clock."""


def write_inspect(file: IO[bytes], runs: Iterable[ExportedRun], scenario: str) -> None:
    """Write every run as a sample, and what they have in common as the header."""
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
        stats = {"started_at": CREATED, "completed_at": CREATED}
        start = {"version": 2, "eval": spec, "plan": {}}
        log.writestr("_journal/start.json", json.dumps(start))
        log.writestr("summaries.json", json.dumps([each | {"completed": True} for each in summaries]))
        log.writestr("header.json", json.dumps({**start, "status": "success", "results": counts, "stats": stats}))


def _sample(run: ExportedRun) -> dict[str, Any]:
    own = run.listed
    acts = [(turn.agent, act) for turn in run.turns for act in turn.acts if not act.failed]
    shown = [f"{agent} → {act.channel}: {act.text}" if act.kind == "post" else f"{agent}: {act.variable} = {act.value}"
             for agent, act in acts if act.kind != "thought"]  # fmt: skip
    name = f"{own.arm}:{own.seed} {own.trial[:8]}"
    return {
        "id": name, "epoch": own.repeat, "input": f"Run {own.trial[:8]}: arm {own.arm}, seed {own.seed}", "target": "",
        "uuid": own.trial[:22], "metadata": run.fields, "events": list(_events(run)), "model_usage": _usage(run),
        "messages": [{"role": "assistant", "content": words} for words in shown],
    }  # fmt: skip


def _usage(run: ExportedRun) -> dict[str, Any]:
    """Tokens by model."""
    used: dict[str, Any] = {}
    for turn in run.turns:
        if any(turn.tokens):
            of = used.setdefault(run.listed.players[turn.agent], {"input_tokens": 0, "output_tokens": 0})
            of["input_tokens"] += turn.tokens[0]
            of["output_tokens"] += turn.tokens[1]
    return {model: of | {"total_tokens": sum(of.values())} for model, of in used.items()}


def _events(run: ExportedRun) -> Iterator[dict[str, Any]]:
    for turn in run.turns:
        span, model = f"turn {turn.n}", run.listed.players[turn.agent]
        told = {"request_model": model} | ({} if turn.round is None else {"round": turn.round})
        yield {"event": "span_begin", "id": span, "type": "agent", "name": turn.agent, "metadata": told}
        for act in turn.acts:
            if act.kind == "thought":
                yield _thought(act.text or "", model) | {"span_id": span}
                continue
            error = {"type": "parsing", "message": act.failed} if act.failed else None
            call = {"id": str(act.n), "function": act.kind, "arguments": arguments_of(act), "error": error}
            yield {"event": "tool", "type": "function", **call, "span_id": span}
        yield {"event": "span_end", "id": span}


def _thought(words: str, model: str) -> dict[str, Any]:
    """An answer of the model that has reasoning alone."""
    message = {"role": "assistant", "source": "generate", "content": [{"type": "reasoning", "reasoning": words}]}
    output = {"model": model, "choices": [{"message": message, "stop_reason": "stop"}]}
    asked = {"input": [], "tools": [], "tool_choice": "auto", "config": {}}
    return {"event": "model", "model": model, **asked, "output": output}
