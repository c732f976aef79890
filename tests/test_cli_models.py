"""Models end to end: the command against a real socket that speaks OpenAI's protocol."""

import json
from pathlib import Path
from typing import Any

import pytest
from chat_server import Answer, Body, ChatServer, calls, fails, says, unused_url
from conftest import KEY, MATCH, SPECS
from test_cli_commands import Done, colosseum

TOY = SPECS / "toy.colo"
pytestmark = pytest.mark.usefixtures("key")


class TriesEverything:
    """A model that tries everything once: nonsense first, then sense."""

    def __init__(self, *, breaks_at: int | None = None) -> None:
        self.asked, self.breaks_at = 0, breaks_at

    def __call__(self, body: Body) -> Answer:
        tools = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
        if "ready" in tools:
            return calls(("ready", {}))
        self.asked += 1
        if self.breaks_at is not None and self.asked >= self.breaks_at:
            return fails(400, "the model broke")
        replies = sum(m["role"] == "assistant" for m in body["messages"])
        if "decide" not in tools:
            nonsense = [calls(("post", {"channel": "nowhere", "text": "hi"})), calls(("post", "{no json"))]
            return ([*nonsense, calls(("post", {"channel": "public", "text": "left?"}), ("done", {}))])[replies]
        variable = tools["decide"]["parameters"]["properties"]["variable"]["enum"][0]
        wrong = calls(("decide", {"variable": variable, "value": "up"}))
        return [wrong, says("hm"), calls(("decide", {"variable": variable, "value": "left"}))][min(replies, 2)]


def audit(url: str, out: Path, *more: object, spec: Path = TOY) -> Done:
    return colosseum(
        "audit", spec, "--model", "openai/test", "--api-base", url, "--seeds", 1, "--no-budget", "--out", out, *more,
        OPENAI_API_KEY=KEY,
    )  # fmt: skip


def traces(folder: Path) -> list[list[dict[str, Any]]]:
    paths = sorted(p for p in (folder / "runs").glob("*.jsonl") if not p.name.endswith(".calls.jsonl"))
    return [[json.loads(line) for line in p.read_text().splitlines()] for p in paths]


def test_a_model_plays_a_campaign(tmp_path: Path) -> None:
    with ChatServer(TriesEverything()) as server:
        done = audit(server.url, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "openai/test" in done.stdout
    assert "SCRIPTED" not in done.stdout
    for lines in traces(tmp_path):
        mistakes = [e["kind"] for e in lines if e["event"] == "mistake"]
        assert {k: mistakes.count(k) for k in set(mistakes)} == {
            "unknown_channel": 12, "unreadable": 12, "outside_domain": 3,
        }  # fmt: skip
        assert [e["event"] for e in lines].count("post") == 12
        assert [e["event"] for e in lines].count("decide") == 3
        replies = [e for e in lines if e["event"] == "reply"]
        assert all(e["usage"]["served_model"] == "served-model-1" for e in replies)
        assert next(e for e in lines if e["event"] == "outcome")["undecided"] == []
    found = json.loads(colosseum("report", tmp_path, "--json").stdout)
    assert found["players"] == ["openai/test"]
    assert not found["scripted"]
    assert found["rows"][0]["failed_posts"] == 24
    assert found["rows"][0]["scalars"]["joint_payoff"]["mean"]["value"] == 3
    prompt = server.requests[1].body["messages"][0]["content"]
    assert "A turn takes at most 3 replies of yours" in prompt


def test_a_model_that_breaks_fails_its_run_and_a_later_call_mends_it(tmp_path: Path) -> None:
    with ChatServer(TriesEverything(breaks_at=60)) as server:
        done = audit(server.url, tmp_path, "--arm", "baseline", "--arm", "prompted")
        assert done.returncode == 3
        assert "failed" in done.stderr
        reported = colosseum("report", tmp_path, "--json")
    assert reported.returncode == 3
    arms = json.loads(reported.stdout)["rows"]
    assert sum(a["failed"] for a in arms) >= 1
    assert next(reason for a in arms for reason, _ in a["failures"]).startswith("bad_request: ")
    assert "the model broke" in colosseum("report", tmp_path).stdout.replace("\n", " ")
    assert "failed" in [lines[-1]["status"] for lines in traces(tmp_path)]
    with ChatServer(TriesEverything()) as server:
        same = audit(server.url, tmp_path, "--arm", "baseline", "--arm", "prompted")
        done = audit(server.url, tmp_path, "--arm", "baseline", "--arm", "prompted", "--retry-failed")
    assert (same.returncode, done.returncode) == (3, 0), done.stderr
    assert {lines[-1]["status"] for lines in traces(tmp_path)} == {"complete"}


def test_a_model_that_dies_midway_is_not_asked_for_every_run(tmp_path: Path) -> None:
    spec = tmp_path / "match.colo"
    spec.write_text(MATCH.replace("experiment e {", "experiment e { rounds 1"))
    with ChatServer(TriesEverything(breaks_at=60)) as server:
        done = audit(server.url, tmp_path, "--seeds", "1..8", "--max-connections", 4, spec=spec)
        asked = len(server.requests)
    assert done.returncode == 3
    words = " ".join(done.stderr.split())
    assert "because one call after another got no answer: `openai/test` refused the request: the model broke" in words
    assert "once it answers the same command with `--retry-failed` goes on" in words
    assert asked <= 60 + 5 + 4  # five in vain, and those that were under way
    before = len(list((tmp_path / "runs").glob("*[0-9a-f].json")))
    with ChatServer(TriesEverything()) as server:
        again = audit(server.url, tmp_path, "--seeds", "1..8", "--retry-failed", spec=spec)
    assert again.returncode == 0, again.stderr
    statuses = [lines[-1]["status"] for lines in traces(tmp_path)]
    assert set(statuses) == {"complete"}
    assert len(statuses) == 16 > before > 0


def test_a_refusal_and_silence_are_outcomes(tmp_path: Path) -> None:
    def script(body: Body) -> Answer:
        ready = any(t["function"]["name"] == "ready" for t in body["tools"])
        return calls(("ready", {})) if ready else says(None, refusal="I will not.")

    with ChatServer(script) as server:
        done = audit(server.url, tmp_path, "--arm", "baseline", "--json")
        asked = len(server.requests)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"][0]["undecided"] == 3
    assert asked == 1 + 4 * 3 + 3


def test_no_run_is_started_where_the_model_cannot_play(tmp_path: Path) -> None:
    unkeyed = colosseum("audit", TOY, "--model", "openai/gpt-4o-mini", "--out", tmp_path / "a")
    with ChatServer([says("I have no tools.")]) as server:
        toolless = audit(server.url, tmp_path / "b")
    unreachable = audit(unused_url(), tmp_path / "c")
    for done, words in ((unkeyed, "OPENAI_API_KEY"), (toolless, "did not call the tool"), (unreachable, "refused")):
        assert done.returncode == 2
        assert words in done.stderr
        assert "no run was started" in done.stderr
        assert done.stdout == ""
    assert not list(tmp_path.glob("*/runs/*"))


def in_text(body: Body) -> Answer:
    """A model without an interface for tools: it writes its calls, each in another shape."""
    assert "tools" not in body
    system = body["messages"][0]["content"]
    if '"tool": "ready"' in system:
        return says('Sure.\n```json\n{"name": "ready", "parameters": {}}\n```')
    if "- decide:" in system:
        variable = system.partition('variable: The variable. One of "')[2].partition('"')[0]
        return says(json.dumps({"tool": "decide", "arguments": {"variable": variable, "value": "left"}}))
    return says(
        '<tool_call>\n{"name": "post", "arguments": {"channel": "public", "text": "x"}}\n</tool_call>\n{"tool": "done"}'
    )


def test_a_model_that_calls_tools_in_text_plays_a_campaign(tmp_path: Path) -> None:
    with ChatServer(in_text) as server:
        done = audit(server.url, tmp_path, "--arm", "baseline", "--tools", "text")
    assert done.returncode == 0, done.stderr
    (lines,) = traces(tmp_path)
    kinds = [event["event"] for event in lines]
    assert (kinds.count("post"), kinds.count("decide"), kinds.count("mistake")) == (12, 3, 0)
    assert lines[0]["models"]["openai/test"]["dialect"] == "text"
    again = colosseum("replay", tmp_path)
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("worth", ["1e200", "1e-12"])
def test_payoffs_of_which_no_report_could_be_made_are_refused_before_anybody_is_asked(
    worth: str, tmp_path: Path
) -> None:
    spec = tmp_path / "match.colo"
    spec.write_text(MATCH.replace("1 if move", f"{worth} if move"))
    with ChatServer(TriesEverything()) as server:
        model = ("--model", "openai/test", "--api-base", server.url, "--no-budget")
        done = colosseum("audit", spec, *model, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "cannot be optimised exactly" in done.stderr
    assert not server.requests
    assert not (tmp_path / "out" / "campaign.json").exists()


def one_call_a_reply(body: Body) -> Answer:
    """A post in every turn of planning and a decision in the last one, each call in a reply of its own."""
    tools = {tool["function"]["name"]: tool["function"]["parameters"]["properties"] for tool in body["tools"]}
    if "ready" in tools:
        return calls(("ready", {}))
    if "decide" in tools:
        return calls(("decide", {"variable": tools["decide"]["variable"]["enum"][0], "value": None}))
    if any(message["role"] == "assistant" for message in body["messages"]):
        return calls(("done", {}))
    words = "I would take ticket4; ticket1 costs me 4.5."
    return calls(("post", {"channel": tools["post"]["channel"]["enum"][0], "text": words}))


def test_a_run_takes_no_call_and_says_no_word_more_than_it_needs(tmp_path: Path) -> None:
    """Six agents and four rounds: a post and an end in each, and one decision, which ends the last turn."""
    spec = tmp_path / "jira.colo"
    spec.write_text((SPECS / "jira.colo").read_text().replace("  rounds 4\n", "  rounds 4\n  memory none\n", 1))
    with ChatServer(one_call_a_reply) as server:
        done = colosseum(
            "audit", spec, "--model", "openai/test", "--api-base", server.url, "--seeds", 1, "--arm", "baseline",
            "--no-budget", "--out", tmp_path / "out", OPENAI_API_KEY=KEY,
        )  # fmt: skip
        asked = [request.body for request in server.requests][1:]
    assert (done.returncode, len(asked)) == (0, 6 * 4 * 2 + 6), done.stderr
    texts = sum(len(message["content"]) for body in asked for message in body["messages"][:2])
    sent = sum(
        len((message.get("content") or "") + json.dumps(message.get("tool_calls", "")))
        for body in asked for message in body["messages"]
    )  # fmt: skip
    assert sent <= 1.1 * texts
