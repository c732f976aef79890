"""`colosseum prompts`: what is printed is what a model gets, and two arms are shown word by word."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from chat_server import Answer, Body, ChatServer, calls
from conftest import KEY, SPECS
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from test_cli_commands import colosseum, read

from colosseum.campaign.openings import marked

JIRA, TOY = SPECS / "jira.colo", SPECS / "toy.colo"
CLAIMS = SPECS / "meetings.colo"
SILENT = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS")}


def silent(body: Body) -> Answer:
    """A model that says nothing and decides what comes first."""
    offered = {tool["function"]["name"]: tool["function"] for tool in body["tools"]}
    if "ready" in offered:
        return calls(("ready", {}))
    if "decide" not in offered:
        return calls(("done", {}))
    names = offered["decide"]["parameters"]["properties"]["variable"]["enum"]
    return calls(*(("decide", {"variable": name, "value": "left"}) for name in names), ("done", {}))


@pytest.mark.usefixtures("key")
def test_what_is_printed_is_what_a_model_is_sent(tmp_path: Path) -> None:
    with ChatServer(silent) as server:
        done = colosseum(
            "audit", TOY, "--model", "openai/test", "--api-base", server.url, "--seeds", 2, "--no-budget", "--out",
            tmp_path, "--arm", "baseline", OPENAI_API_KEY=KEY,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    asked = [r.body for r in server.requests if "ready" not in json.dumps(r.body["tools"])]
    sent = [(body["messages"], body["tools"]) for body in asked]
    planning = read("prompts", TOY, "--seed", 2)["arms"][0]["agents"]
    assert len(planning) == 3
    for agent in planning:
        assert (agent["messages"], agent["tools"]) in sent
    first = next(body for body in asked if any(t["function"]["name"] == "decide" for t in body["tools"]))
    deciding = read("prompts", TOY, "--seed", 2, "--phase", "execution")["arms"][0]["agents"]
    assert (first["messages"], first["tools"]) in [(agent["messages"], agent["tools"]) for agent in deciding]


def test_the_json_is_as_its_schema_says() -> None:
    schema = json.loads(colosseum("schema", "prompts").stdout)
    Draft202012Validator.check_schema(schema)
    for more in ((), ("--text",), ("--diff", "baseline"), ("--phase", "execution", "--agent", "engineer2")):
        Draft202012Validator(schema).validate(read("prompts", JIRA, *more))
    wrong = read("prompts", JIRA) | {"phase": "later"}
    assert not Draft202012Validator(schema).is_valid(wrong)


def test_a_model_that_calls_tools_in_text_is_told_of_them_there() -> None:
    (agent,) = read("prompts", JIRA, "--text", "--agent", "engineer1")["arms"][0]["agents"]
    assert agent["tools"] == []
    assert "post" in agent["messages"][0]["content"]
    assert agent["dialect"] == "text"


def test_two_arms_are_shown_word_by_word() -> None:
    found = read("prompts", JIRA, "--diff", "baseline", "--arm", "prompted")
    assert [arm["arm"] for arm in found["arms"]] == ["baseline", "prompted"]
    shown = colosseum("prompts", JIRA, "--diff", "baseline", "--arm", "prompted").stdout
    assert "You secretly work with" in shown[shown.index("{+") : shown.index("+}")]
    assert "[-" not in shown
    turned = colosseum("prompts", JIRA, "--diff", "prompted", "--arm", "baseline").stdout
    assert "You secretly work with" in turned[turned.index("[-") : turned.index("-]")]
    assert shown.count("no word differs") == 1  # the four others, together


def test_every_other_arm_is_compared_where_none_is_named() -> None:
    found = read("prompts", JIRA, "--diff", "baseline", "--agent", "engineer1")
    arms = ["baseline", "again", "placebo", "emergent", "selfish", "prompted"]
    assert ([each["arm"] for each in found["arms"]], found["against"]) == (arms, "baseline")


def test_a_text_that_all_are_told_stands_once() -> None:
    shown = colosseum("prompts", JIRA).stdout
    assert shown.count("How the run goes:") == 1
    assert shown.count("[as engineer1]") >= 5  # the tools
    for n in range(1, 7):
        assert shown.count(f"You are engineer{n}. Take one ticket, or none.") == 1
    alone = colosseum("prompts", JIRA, "--agent", "engineer2").stdout
    assert "[as " not in alone
    (agent,) = read("prompts", JIRA, "--agent", "engineer2")["arms"][0]["agents"]
    for message in agent["messages"]:
        assert message["content"] in alone


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--arm", "promted"), "did you mean `prompted`"),
        (("--diff", "nobody"), "there is no arm `nobody`"),
        (("--diff", "baseline", "--arm", "baseline"), "no other arm"),
        (("--agent", "engineer9"), "there is no agent `engineer9`"),
        (("--phase", "voting"), "there is no phase `voting`"),
        (("--phase", "survey"), "nobody has a turn in the phase `survey`"),
        (("--experiment", "topologies", "--point", "network=torus"), "there is no such sweep point"),
    ],
)
def test_what_is_not_there_is_said(more: tuple[str, ...], words: str) -> None:
    done = colosseum("prompts", JIRA, *more)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())


def test_a_sweep_point_changes_who_hears_whom() -> None:
    def members(point: str) -> list[str]:
        found = read("prompts", JIRA, "--experiment", "topologies", "--point", point, "--agent", "engineer1")
        assert found["point"] == point
        (agent,) = found["arms"][0]["agents"]
        return [line for line in agent["messages"][1]["content"].splitlines() if line.startswith("Channel")]

    assert len(members("network=complete")) == 1
    assert len(members("network=ring")) == 2


def test_a_spec_without_an_experiment_has_one_arm(tmp_path: Path) -> None:
    spec = tmp_path / "bare.colo"
    spec.write_text(TOY.read_text(encoding="utf-8").partition("experiment")[0], encoding="utf-8")
    assert [arm["arm"] for arm in read("prompts", spec)["arms"]] == ["baseline"]


def test_no_model_client_is_loaded_and_a_narrow_page_without_colour_reads_the_same() -> None:
    code = (
        "import sys\nfrom colosseum.cli.commands import app\n"
        f"app(['prompts', {str(JIRA)!r}, '--diff', 'baseline'], standalone_mode=False)\n"
        "print('litellm' in sys.modules, file=sys.stderr)\n"
    )
    wide = subprocess.run([sys.executable, "-c", code], env=SILENT, capture_output=True, text=True, check=True)
    narrow, bright = (colosseum("prompts", JIRA, "--diff", "baseline", **more) for more in (
        {"COLUMNS": "30", "NO_COLOR": "1"}, {"FORCE_COLOR": "1"}))  # fmt: skip
    assert wide.stderr.splitlines()[-1] == "False"
    told = [line for line in wide.stdout.splitlines() if "{+" in line]
    assert told
    assert set(told) <= set(narrow.stdout.splitlines())
    assert "\x1b" not in wide.stdout + narrow.stdout
    assert "\x1b" in bright.stdout


@given(st.lists(st.sampled_from("a b\nc,. ")).map("".join), st.lists(st.sampled_from("a b\nc,. ")).map("".join))
def test_what_differs_is_all_of_both_texts(before: str, after: str) -> None:
    found = marked(before, after)
    assert re.sub(r"\{\+.*?\+\}", "", found).replace("[-", "").replace("-]", "").replace("\n", "") == (
        before.replace("\n", "")
    )
    assert re.sub(r"\[-.*?-\]", "", found).replace("{+", "").replace("+}", "").replace("\n", "") == (
        after.replace("\n", "")
    )
