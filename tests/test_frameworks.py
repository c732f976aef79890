"""Teams of other frameworks with their real libraries on a loopback server; `python -m tests.frameworks` runs them."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from chat_mind import plays
from chat_server import Answer, Body, ChatServer, says
from conftest import MATCH
from frameworks.__main__ import HERE, NAMES, ROOT, python_of

GUIDE = ROOT / "colosseum" / "cli" / "guide" / "agents.md"
SPEC = MATCH.replace("experiment e {", "experiment e { rounds 1")


PLAN = "I shall wait and see."


def mind(body: Body) -> Answer:
    """A move where there are tools, whatever was planned, else a plan."""
    if not body.get("tools"):
        return says(PLAN)
    return plays({**body, "messages": [message for message in body["messages"] if message["content"] != PLAN]})


@pytest.mark.frameworks
@pytest.mark.parametrize("name", [f"{name}_team" for name in NAMES])
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


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_is_what_is_tested(name: str) -> None:
    source = (HERE / f"{name}_team.py").read_text(encoding="utf-8")
    shown = re.findall(r"```python agent\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert source in shown
    assert len(source.splitlines()) < 30
    pinned = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()[1:]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pinned)
