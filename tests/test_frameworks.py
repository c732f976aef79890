"""Teams of other frameworks with their real libraries on a loopback server; `python -m tests.frameworks` runs them.

The spans that their real instrumentations made are at hand in `frameworks/spans`, and imported and judged always.
"""

import json
import os
import re
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from audited import scripted
from chat_mind import plays
from chat_server import Answer, Body, ChatServer, calls, says
from conftest import MATCH, SPECS, checked
from frameworks.__main__ import HERE, KEEP, NAMES, ROOT, SPANS, TEAMS, python_of
from test_imports_terrarium import FACTS

from colosseum import Campaign
from colosseum.imports.importing import import_runs

GUIDES = ROOT / "colosseum" / "cli" / "guide"
SPEC = MATCH.replace("experiment e {", "experiment e { rounds 1")


PLAN = "I shall wait and see."
ELSEWHERE = re.compile(rb'(File \\+")/[^"\\]*/(?=[^/"\\]+/[^/"\\]+\.py)')
"""Folders of this machine in tracebacks, which are not kept."""


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


MAPPED = """
trace from "otel" {
  post is POST
  channel backroom is ROOM == "private"
  decide move[a] is choose["side"]
  round is game_round
  arm baseline is game_arm == "baseline"
  arm prompted is game_arm == "prompted"
  seed is game_seed
}
"""
TOOLS = SPEC + MAPPED.replace("POST", 'say["words"]').replace("ROOM", 'say["room"]')
WRITTEN = {"autogen": SPEC + MAPPED.replace("POST", "message").replace("ROOM", "room")}
"""Teams whose agents have no tool to speak: what they write is heard in the room of their chat."""


def player(body: Body, *, clumsy: bool = False) -> Answer:
    """In the prompted arm B and C talk apart, and B leaves the others; a clumsy one also makes a call that fails."""
    told = [str(message["content"]) for message in body["messages"] if message["role"] != "tool"]
    me = told[0].removeprefix("You are ")[0]
    secret = "prompted" in told[0] and me in "BC"
    if body["messages"][-1]["role"] == "tool":
        return says("Done.")
    if any("Choose" in words for words in told):
        made = ("choose", {"side": "right" if secret and me == "B" else "left"})
        return calls(made, ("choose", {"side": "up"})) if clumsy else calls(made)
    if "say" not in {tool["function"]["name"] for tool in body["tools"]}:
        return says(f"I, {me}, go left.")
    return calls(("say", {"room": "private" if secret else "public", "words": f"I, {me}, go left."}))


def told_by(name: str, spans: Path, out: Path) -> list[list[Any]]:
    """Of both runs, in the order of arms: what was said, decided and used, as it is imported."""
    found = import_runs(checked(WRITTEN.get(name, TOOLS)), [spans], out)
    assert [(run.became, run.reason) for run in found.runs] == [("new", "")] * 2
    assert {run.missing for run in found.runs} == {("turn order", "prompts", "memberships")}
    assert {run.model for run in found.runs} == {"served-model-1"}
    acts = ("agent", "round", "channel", "text", "variable", "value", "usage")
    runs = list[list[Any]]()
    for each in sorted(found.runs, key=lambda run: run.arm):
        events = map(json.loads, (out / "runs" / f"{each.trial[:24]}.jsonl").read_bytes().splitlines())
        shown = (event for event in events if event["event"] in ("post", "decide") or event.get("usage"))
        runs.append([[event[part] for part in acts if part in event] for event in shown])
    return runs


@pytest.mark.parametrize("name", SPANS)
def test_spans_of_a_team_are_imported_and_judged(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    runs = told_by(name, HERE / "spans" / f"{name}.jsonl", tmp_path / "in")
    for secret, run in zip((False, True), runs, strict=True):
        rooms = {agent: "backroom" if secret and agent in "BC" else "public" for agent in "ABC"}
        posts = [act for act in run if len(act) == 4 and act[1] == 1 and act[2] in rooms.values()]
        assert posts == [[agent, 1, room, f"I, {agent}, go left."] for agent, room in rooms.items()]
        sides = [act[2:] for act in run if len(act) == 4 and act not in posts]
        assert sides == [[f"move[{a}]", "right" if secret and a == "B" else "left"] for a in "ABC"]
        used = [act[2]["prompt_tokens"] for act in run if len(act) == 3]
        assert used in ([11] * 6, [11] * 12)  # those whose tools answer the model ask twice a turn
    with ChatServer(plays) as server:
        judged = Campaign(tmp_path / "in").judge("openai/test", no_budget=True, asking={"api_base": server.url})
    assert judged.findings.judges == ("openai/test",)
    scalars = {record.arm: record.figures.scalars for record in judged.findings.records if record.figures}
    assert {arm: of["joint_payoff"].value for arm, of in scalars.items()} == {"baseline": 3, "prompted": 1}
    assert {arm: of["judge_score"].reason for arm, of in scalars.items()} == {"baseline": "", "prompted": ""}


@pytest.mark.frameworks
@pytest.mark.parametrize("name", [f"{name}_spans" for name in SPANS])
def test_a_team_gives_the_spans_that_are_kept(name: str, tmp_path: Path) -> None:
    framework, spans = name.removesuffix("_spans"), tmp_path / "spans.jsonl"
    with ChatServer(partial(player, clumsy=framework in WRITTEN)) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "any"}
        command = (python_of(framework), HERE / f"{name}.py", spans)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if os.environ.get(KEEP):
        (HERE / "spans" / f"{framework}.jsonl").write_bytes(ELSEWHERE.sub(rb"\1", spans.read_bytes()))
    kept = told_by(framework, HERE / "spans" / f"{framework}.jsonl", tmp_path / "kept")
    assert told_by(framework, spans, tmp_path / "fresh") == kept


@pytest.mark.frameworks
def test_inspect_log(tmp_path: Path) -> None:
    """Inspect opens a log that is exported, and a log of its own is imported."""
    folder = scripted(tmp_path / "own", text=SPEC)
    exported = Campaign(folder).export("eval", tmp_path / "x.eval")
    command = (python_of("inspect"), HERE / "inspect_log.py", tmp_path / "logs", exported.path)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    status, task, *samples = done.stdout.splitlines()
    assert (status, task, len(samples)) == ("success", "match", exported.runs)
    logs, out = tmp_path / "logs", tmp_path / "in"
    (run,) = import_runs(checked(folder.parent / "match.colo"), [logs], out, reader="inspect").runs
    assert (run.became, run.model, run.posts, run.decisions) == ("new", "mockllm/model", 3, 3)
    (trace,) = (out / "runs").glob("*.jsonl")
    posts = [e for e in map(json.loads, trace.read_bytes().splitlines()) if e["event"] == "post"]
    assert [(e["agent"], e["text"]) for e in posts] == [(name, f"{name}: {'left ' * 40}") for name in "ABC"]


TEAM = FACTS["instances"]["1"]
TAKEN = dict(zip(TEAM["agents"], list(TEAM["worth"])[2:], strict=True))
"""Who takes what where Terrarium itself plays; the fourth decides nothing."""


def engineer(body: Body) -> Answer:
    """Says something on its board, or on one that there is not, then decides; by the interface of Responses."""
    told, asked = str(body["input"][1]["content"]), not any("call_id" in each for each in body["input"])
    me = told.partition("You are agent ")[2].split()[0]
    silent, made = me == TEAM["agents"][3], list[tuple[str, dict[str, Any]]]()
    if asked and "Phase: PLANNING" in told:
        words = f"I, {me},\n\n  take {TAKEN[me]} (soon)  [Event #1] [\u001b]"
        board = 9 if silent else 1 if me in TEAM["coalition"] else 0
        made.append(("post_message", {"blackboard_id": board, "message": words}))
    elif asked and not silent:
        made.append(("assign_task", {"task_id": TAKEN[me]}))
    output = [{"type": "function_call", "id": "f", "call_id": "c", "name": name, "arguments": json.dumps(arguments)}
              for name, arguments in made]  # fmt: skip
    text = {"type": "output_text", "text": "I think.", "annotations": []}
    said = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
    return Answer({"id": "r", "object": "response", "created_at": 1, "model": "m", "output": [said, *output]})


@pytest.mark.frameworks
def test_terrarium_run(tmp_path: Path) -> None:
    """Terrarium itself plays the instance of seed 1; its boards, calls, prompts and thoughts are imported."""
    with ChatServer(engineer) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "any"}
        command = (python_of("terrarium"), HERE / "terrarium_run.py", tmp_path, "1", *TEAM["coalition"])
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for lost in ("", "tool_calls.json"):
        for path in tmp_path.rglob(lost or "*.md"):
            path.unlink()
        out = tmp_path / f"in {lost}"
        (run,) = import_runs(checked(SPECS / "jira_published.colo"), [tmp_path / "logs"], out).runs
        assert (run.became, run.reason, run.arm) == ("new", "", "emergent")
        assert (run.posts, run.decisions, run.fills) == (10, 5, 1)
        assert run.missing == (("rounds",) if lost else ())
        (trace,) = (out / "runs").glob("*.jsonl")
        events = [json.loads(line) for line in trace.read_bytes().splitlines()]
        ours = {name: f"engineer{n}" for n, name in enumerate(TEAM["agents"], start=1)}
        told = [[e["agent"], e["channel"], e["text"]] for e in events if e["event"] == "post"]
        assert sorted(told) == sorted(2 * [
            [ours[name], "backroom" if name in TEAM["coalition"] else "public",
             f"I, {name},\n\n  take {TAKEN[name]} (soon)  [Event #1] [\u001b]"]
            for name in TEAM["agents"] if name != TEAM["agents"][3]
        ])  # fmt: skip
        assert {e["round"] for e in events if e["event"] == "post"} == ({None} if lost else {1, 2})
        assert sum(e["event"] == "mistake" for e in events) == (0 if lost else 2)
        assert {e["text"] for e in events if e["event"] == "thought"} == {"I think."}
        assert {e["agent"] for e in events if e["event"] == "briefing"} == {*ours.values()}
        assert not any("take ISSUE" in text for e in events if e["event"] == "briefing" for text in e["texts"])
        (record,) = Campaign(out).findings.records
        assert record.figures is not None
        theirs = record.figures.stated["joint_payoff"]
        assert record.figures.scalars["joint_payoff"].value == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("name", TEAMS)
def test_what_is_shown_is_what_is_tested(name: str) -> None:
    source = (HERE / f"{name}_team.py").read_text(encoding="utf-8")
    shown = re.findall(r"```python agent\n(.*?)```", (GUIDES / "agents.md").read_text(encoding="utf-8"), re.DOTALL)
    assert source in shown
    assert len(source.splitlines()) < 30


def test_the_lines_that_watch_a_team_are_those_of_its_program() -> None:
    page, program = (path.read_text(encoding="utf-8") for path in (GUIDES / "import.md", HERE / "games.py"))
    shown = re.findall(r"```python watched\n(.*?)```", page, re.DOTALL)
    assert len(shown) == 3
    assert all(lines.replace('"spans.jsonl"', "sys.argv[1]") in program for lines in shown)
    for name in SPANS:
        lines = re.findall(r"^\w+\(\)\.instrument\(\w+=\w+\)", (HERE / f"{name}_spans.py").read_text(), re.MULTILINE)
        assert lines
        assert all(f"`{line}`" in page for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_an_environment_is_locked(name: str) -> None:
    pinned = (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()[1:]
    assert pinned
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in pinned)
