"""Logs of Inspect are imported, however they are packed; what is damaged is refused with its reason."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard
from conftest import checked
from test_cli_commands import colosseum
from test_imports_table import spec_in

from colosseum.imports.importing import import_runs
from colosseum.imports.inspect_reader import ZSTANDARD

LONG = "left " * 40
MAPPED = """
trace from "inspect" {
  post is message
  decide move[a] is choose["side"]
  repeat is epoch
  arm baseline is task == "match"
  seed is instance
}
"""


def sample_of(*events: Any, **more: Any) -> dict[str, Any]:
    """A turn of each agent: a tool call each, then the events."""
    turns = list[Any]()
    for name in "ABC":
        turns.append({"event": "span_begin", "id": name, "type": "agent", "name": name, "parent_id": "team"})
        about = {"channel": "public", "text": "attachment://abc"}
        turns.append({"event": "tool", "function": "post", "arguments": about, "span_id": name, "error": None})
        turns.append({"event": "span_end", "id": name})
    own = {"id": 1, "epoch": 2, "events": [*turns, *events], "attachments": {"abc": LONG}}
    own["metadata"] = {"arm": "baseline", "seed": 1, "instance": 1}
    return own | {"scores": {"x": {"value": float("nan")}}} | more


def log_of(sample: Any) -> dict[str, Any]:
    return {"version": 2, "status": "success", "eval": {"task": "match", "model": "mockllm/model"}, "samples": [sample]}


def as_zip(sample: Any, header: str = "header.json") -> bytes:
    log, content = log_of(sample), io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("samples/1_epoch_2.json", json.dumps(sample))
        file.writestr(header, json.dumps(log | {"samples": None}))
    return content.getvalue()


def begun(sample: Any) -> bytes:
    return as_zip(sample, "_journal/start.json")


def with_zstandard(sample: Any) -> bytes:
    """Members are stored as packed frames, and then said to be packed, as Inspect does."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, told in (("samples/1_epoch_2.json", sample), ("header.json", log_of(None) | {"samples": None})):
            raw = json.dumps(told).encode()
            frames = b"".join(zstandard.compress(part) for part in (raw[:100], raw[100:]))
            file.writestr(name, frames)
            file.filelist[-1].compress_type = ZSTANDARD
            file.filelist[-1].file_size = len(raw)
    return content.getvalue()


def imported(tmp_path: Path, name: str, content: bytes, mapping: str = "") -> tuple[Any, list[Any]]:
    (tmp_path / name).write_bytes(content)
    spec = spec_in(tmp_path, mapping)
    found = import_runs(checked(spec), [tmp_path / name], tmp_path / "in", reader="inspect")
    traces = list((tmp_path / "in" / "runs").glob("*.jsonl"))
    return found.runs[0], [json.loads(line) for path in traces for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize(("name", "written"), [("x.eval", as_zip), ("x.eval", begun), ("x.eval", with_zstandard)])
def test_a_sample_is_a_run(tmp_path: Path, name: str, written: Any) -> None:
    run, events = imported(tmp_path, name, written(sample_of()))
    assert (run.became, run.source, run.arm, run.seed, run.model) == ("new", "1:2", "baseline", 1, "mockllm/model")
    posts = [(e["agent"], e["channel"], e["text"]) for e in events if e["event"] == "post"]
    assert posts == [(name, "public", LONG) for name in "ABC"]


def test_a_mapping_reads_metadata_and_answers_of_models(tmp_path: Path) -> None:
    parts = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "I go left."}]
    call = {"id": "1", "function": "choose", "arguments": {"side": "left"}}
    answer = {"message": {"role": "assistant", "content": parts, "tool_calls": [call]}, "stop_reason": "tool_calls"}
    event = {"event": "model", "model": "gpt-x", "span_id": "B", "error": None,
             "output": {"choices": [answer], "usage": {"input_tokens": 9, "output_tokens": 4, "total_cost": 0.5}}}
    failed = {"event": "tool", "function": "other", "arguments": {}, "span_id": "B", "error": {"message": "no"}}
    run, events = imported(tmp_path, "x.eval", as_zip(sample_of(event, failed)), MAPPED)
    assert (run.became, run.repeat, run.model) == ("new", 2, "gpt-x, mockllm/model")
    said = [(e["agent"], e["event"], e.get("text") or e.get("value")) for e in events
            if e["event"] in ("post", "thought", "decide")]  # fmt: skip
    assert said == [("B", "thought", "hm"), ("B", "post", "I go left."), ("B", "decide", "left")]
    (used,) = [(e["agent"], e["usage"]) for e in events if e["event"] == "reply" and e["usage"]]
    assert used == ("B", {"prompt_tokens": 9, "completion_tokens": 4, "cost": 0.5, "seconds": None, "served_model": ""})


def test_a_folder_of_logs_is_read_log_by_log(tmp_path: Path) -> None:
    logs = tmp_path / "logs" / "deeper"
    logs.mkdir(parents=True)
    for epoch in (1, 2):
        (logs / f"{epoch}.eval").write_bytes(as_zip(sample_of(epoch=epoch)))
    (logs / "damaged.eval").write_bytes(b"PK no zip")
    (logs / "logs.json").write_text("{}")
    spec = spec_in(tmp_path, 'trace from "inspect" { repeat is epoch }')
    found = import_runs(checked(spec), [tmp_path / "logs"], tmp_path / "in").runs
    assert [(run.source, run.became) for run in found] == [("1:1", "new"), ("1:2", "new"), ("damaged.eval", "refused")]


def test_the_reader_has_the_name_that_export_uses_too(tmp_path: Path) -> None:
    (tmp_path / "x.eval").write_bytes(as_zip(sample_of()))
    where = (spec_in(tmp_path), tmp_path / "x.eval", "--out", tmp_path / "out", "--dry-run")
    done = [colosseum("import", *where, "--from", name) for name in ("eval", "inspect", "table")]
    assert "1 new" in done[0].stdout
    assert done[0] == done[1]
    assert "x.eval is not UTF-8 text; `--from inspect` reads" in " ".join(done[2].stdout.split())


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.eval", b"PK no zip", "x.eval is damaged, or of another format"),
        ("x.eval", as_zip(sample_of())[:-40], "x.eval is damaged, or of another format"),
        ("x.eval", as_zip(sample_of(), "other.json"), "it has no header.json"),
        ("x.json", b"{", "x.json is damaged, or of another format: BadZipFile"),
        ("x.eval", as_zip([]), "it is damaged, or of another format: AttributeError"),
        ("x.eval", as_zip(sample_of({"event": "tool"})), "it is damaged, or of another format: KeyError"),
        ("x.eval", as_zip(sample_of(error={"message": "no"})), "the sample ended with an error"),
        ("x.eval", as_zip(sample_of(metadata=None)), "the source does not say its arm"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    run, events = imported(tmp_path, name, content)
    assert (run.became, events) == ("refused", [])
    assert reason in run.reason
