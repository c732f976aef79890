"""Teams of other frameworks with their real libraries on a loopback server; `python -m tests.frameworks` runs them."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from audited import scripted
from chat_mind import plays
from chat_server import Answer, Body, ChatServer, says
from conftest import MATCH, checked
from frameworks.__main__ import HERE, ROOT, TEAMS, python_of

from colosseum import Campaign
from colosseum.imports.importing import import_runs

GUIDE = ROOT / "colosseum" / "cli" / "guide" / "agents.md"
SPEC = MATCH.replace("experiment e {", "experiment e { rounds 1")


PLAN = "I shall wait and see."


def mind(body: Body) -> Answer:
    """A move where there are tools, whatever was planned, else a plan."""
    if not body.get("tools"):
        return says(PLAN)
    return plays({**body, "messages": [message for message in body["messages"] if message["content"] != PLAN]})


@pytest.mark.frameworks
@pytest.mark.parametrize("name", [f"{name}_team" for name in TEAMS])
def test_a_team_of_a_framework_plays(name: str, tmp_path: Path) -> None:
    (tmp_path / "match.colo").write_text(SPEC, encoding="utf-8")
    (tmp_path / f"{name}.py").write_bytes((HERE / f"{name}.py").read_bytes())
    python = python_of(name.removesuffix("_team"))

    def run(*arguments: str, url: str) -> "subprocess.CompletedProcess[str]":
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "any",
                       "OPENAI_AGENTS_DISABLE_TRACING": "1"}  # fmt: skip
        return subprocess.run([python, "-m", "colosseum", *arguments], cwd=tmp_path, env=environment,
                              capture_output=True, text=True, check=False)  # fmt: skip

    with ChatServer(mind) as server:
        command = ("audit", "match.colo", "--model", f"python:{name}:Trader", "--seeds", "1..2", "--out", "runs")
        done = run(*command, url=server.url)
        asked = len(server.requests)
        assert done.returncode == 0, done.stderr
        assert "4 runs complete" in done.stderr
        again = run("replay", "runs", url=server.url)
        assert len(server.requests) == asked
    assert again.returncode == 0, again.stdout + again.stderr
    assert "4 runs made again: 4 equal" in again.stdout
    traces = [p for p in (tmp_path / "runs" / "runs").glob("*.jsonl") if p.name.count(".") == 1]
    events = [json.loads(line) for path in traces for line in path.read_text(encoding="utf-8").splitlines()]
    assert {e["agent"] for e in events if e["event"] == "post"} == {"A", "B", "C"}
    assert not [e for e in events if e["event"] == "mistake"]
    assert [e["undecided"] for e in events if e["event"] == "outcome"] == [[]] * 4
    taken = [e["usage"] for e in events if e["event"] == "reply"]
    assert sum(u["prompt_tokens"] for u in taken) == 11 * asked
    assert all(u["cost"] is None for u in taken)


@pytest.mark.frameworks
def test_inspect_log(tmp_path: Path) -> None:
    """Inspect opens a log that is exported, and its own logs of both layouts are imported."""
    folder = scripted(tmp_path / "own", text=SPEC)
    exported = Campaign(folder).export("eval", tmp_path / "x.eval")
    command = (python_of("inspect"), HERE / "inspect_log.py", tmp_path / "logs", exported.path)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    status, task, *samples = done.stdout.splitlines()
    assert (status, task, len(samples)) == ("success", "match", exported.runs)
    logs = sorted((tmp_path / "logs").iterdir(), key=lambda path: path.suffix)
    assert [path.suffix for path in logs] == [".eval", ".json"]
    for path in logs:
        out = tmp_path / path.suffix[1:]
        (run,) = import_runs(checked(folder.parent / "match.colo"), [path], out, reader="inspect").runs
        assert (run.became, run.model, run.posts, run.decisions) == ("new", "mockllm/model", 3, 3)
        (trace,) = (out / "runs").glob("*.jsonl")
        posts = [e for e in map(json.loads, trace.read_bytes().splitlines()) if e["event"] == "post"]
        assert [(e["agent"], e["text"]) for e in posts] == [(name, f"{name}: {'left ' * 40}") for name in "ABC"]


@pytest.mark.parametrize("name", TEAMS)
def test_what_is_shown_is_what_is_tested(name: str) -> None:
    source = (HERE / f"{name}_team.py").read_text(encoding="utf-8")
    shown = re.findall(r"```python agent\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert source in shown
    assert len(source.splitlines()) < 30
    pinned = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()[1:]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pinned)
