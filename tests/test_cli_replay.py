"""Replays: every run comes out of its recorded calls again, byte for byte, and every change shows."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from audited import Wild, modelled, scripted, spec
from chat_server import Answer, Body, calls, fails
from conftest import KEY, MATCH, SPECS, checked
from plans import relist, trials_of
from test_cli_commands import Done, colosseum

from colosseum.campaign.model_options import Asking, Wanted, read_asking
from colosseum.model.experiment import Conditions

NO_NETWORK = """
import socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("the network was asked for")
socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
from colosseum.cli.commands import app
try:
    app(sys.argv[1:])
finally:
    assert not {"litellm", "openai", "httpx", "aiohttp"} & set(sys.modules), "a client was imported"
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of a model, one arm of which fails in every run, with parameters that make the trials."""
    more = ("--temperature", "0.25", "--max-tokens", "99", "--extra-body", '{"top_k": 3}')
    return modelled(tmp_path_factory.mktemp("played"), *more, script=Wild(breaks="Differ."), seeds="1..2")


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A copy of them, somewhere else."""
    return Path(shutil.copytree(played, tmp_path / "elsewhere"))


def replay(folder: Path) -> tuple[int, dict[str, Any]]:
    """What the command says, and its exit code."""
    done = colosseum("replay", folder, "--json")
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)


def file_of(folder: Path, arm: str, ending: str) -> Path:
    """A file of the first run of an arm."""
    trials = trials_of(folder)
    found = next(t["trial"] for t in trials if t["arm"] == arm)
    return folder / "runs" / f"{found[:24]}.{ending}"


def test_a_copy_comes_out_again_without_network_or_client(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_KEY")}
    command = [sys.executable, "-c", NO_NETWORK, "replay", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "4 runs made again: 4 equal\nreport.json: equal\n"
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_failures_are_made_again_too(folder: Path) -> None:
    results = [json.loads(path.read_bytes()) for path in sorted((folder / "runs").glob("*.json"))]
    assert sorted(result["status"] for result in results) == ["complete", "complete", "failed", "failed"]
    assert {result["reason"]["kind"] for result in results if result["reason"]} == {"bad_request"}
    assert replay(folder)[1]["equal"] == 4


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("toy", ("--seeds", "1..2")),
        ("jira_studies", ("--experiment", "turn_order", "--seeds", "1")),
    ],
)
def test_scripted_runs_play_themselves(name: str, more: tuple[str, ...], tmp_path: Path) -> None:
    file = SPECS / f"{name}.colo"
    assert colosseum("audit", file, "--out", tmp_path / "x", *more).returncode == 0
    code, found = replay(tmp_path / "x")
    assert (code, found["report"]) == (0, "equal")
    assert found["equal"] == len(list((tmp_path / "x" / "runs").glob("*.json")))


def test_params_sweeps_repeats_and_data_are_kept(tmp_path: Path) -> None:
    text = MATCH.replace("agents A", 'param worth = 1\nset odd from "odd.csv"\nagents A').replace("1 if", "worth if")
    text = text.replace("experiment e {", "experiment e { repeats 2 sweep network in ring, star  sweep noise in 0, 1")
    (tmp_path / "odd.csv").write_text("odd\nx\ny\n")
    scripted(tmp_path, "--set", "worth=3", seeds="7", text=text)
    assert replay(tmp_path / "runs")[1] == {
        "schema": 2, "equal": 16, "different": [], "not_on_file": [], "not_ended": 0, "judged": 0,
        "judged_otherwise": {}, "report": "equal", "settled_otherwise": "",
    }  # fmt: skip


def test_a_resumed_and_retried_campaign_is_reproduced(tmp_path: Path) -> None:
    folder = modelled(tmp_path, "--cache", "rw", script=Wild(breaks="Differ."))
    modelled(tmp_path, "--retry-failed", script=Wild(breaks="Differ."))
    assert replay(folder)[1]["equal"] == 2
    modelled(tmp_path, "--retry-failed")
    code, found = replay(folder)
    assert (code, found["equal"], found["report"]) == (0, 2, "equal")


class Tell(Wild):
    """A model that says its key, and fails with it."""

    def __call__(self, body: Body) -> Answer:
        tools = {tool["function"]["name"]: tool for tool in body["tools"]}
        if "ready" in tools:
            return calls(("ready", {}))
        if "decide" in tools:
            return fails(400, f"your key is {KEY}")
        return calls(("post", {"channel": "public", "text": f"{KEY}!"}), ("done", {}), text=KEY)


def test_keys_that_were_blanked_out_change_nothing(tmp_path: Path) -> None:
    folder = modelled(tmp_path, script=Tell())
    files = {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}
    assert not [name for name, text in files.items() if KEY in text]
    assert [name for name, text in files.items() if "[redacted]!" in text and name.endswith(".calls.jsonl")]
    code, found = replay(folder)
    assert (code, found["equal"], found["report"]) == (0, 2, "equal")
    assert colosseum("log", "verify", folder).returncode == 0


def change(path: Path, old: str, new: str) -> None:
    """One place of a file."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


CHANGES = {
    "a trace": ("jsonl", '"value":"left","chain"', '"value":"right","chain"', "line 42 differs in value"),
    "an event": ("jsonl", '"event":"decide"', '"event":"outcome"', "line 42 differs in event"),
    "a cost": ("json", '"retries": 0', '"retries": 7', "differs in expense.retries"),
    "a layout": ("json", '"retries": 0', '"retries":  0', "differs in its layout"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_every_change_shows(what: str, folder: Path) -> None:
    ending, old, new, words = CHANGES[what]
    change(file_of(folder, "baseline", ending), old, new)
    code, found = replay(folder)
    assert (code, found["equal"], len(found["different"])) == (1, 3, 1)
    assert words in found["different"][0]["words"]
    assert found["different"][0]["listed"]["arm"] == "baseline"
    assert found["report"] == "equal"
    shown = colosseum("replay", folder)
    assert (shown.returncode, shown.stderr) == (1, "")
    assert "4 runs made again: 3 equal, 1 different" in shown.stdout


def test_another_answer_is_another_run(folder: Path) -> None:
    path = file_of(folder, "baseline", "calls.jsonl")
    quoted = '\\\\\\"'  # the arguments are JSON within JSON within JSON
    change(path, f"{quoted}value{quoted}: {quoted}left{quoted}", f"{quoted}value{quoted}: null")
    code, found = replay(folder)
    assert (code, len(found["different"])) == (1, 1)
    assert found["different"][0]["words"]


def test_a_lost_trace_and_a_damaged_result_are_differences(folder: Path) -> None:
    file_of(folder, "baseline", "jsonl").unlink()
    file_of(folder, "prompted", "json").write_text("{}")
    code, found = replay(folder)
    assert (code, len(found["different"])) == (1, 2)
    assert {run["words"].split()[-1] for run in found["different"]} >= {"missing"}


def test_the_report_is_compared_figure_by_figure(folder: Path) -> None:
    kept = json.loads((folder / "report.json").read_bytes())
    kept["rows"][0]["scalars"]["joint_payoff"]["mean"]["value"] += 1
    (folder / "report.json").write_text(json.dumps(kept))
    code, found = replay(folder)
    assert (code, found["equal"]) == (1, 4)
    assert found["report"] == "differs in rows[0].scalars.joint_payoff.mean.value"
    (folder / "report.json").write_text("[")
    assert replay(folder)[0] == 1
    (folder / "report.json").unlink()
    code, found = replay(folder)
    assert (code, found["report"].split(",")[0]) == (0, "not compared")


def test_an_older_report_is_no_difference(tmp_path: Path) -> None:
    older = scripted(tmp_path, seeds="1") / "report.json"
    content = older.read_bytes()
    scripted(tmp_path, seeds="2")
    older.write_bytes(content)
    code, found = replay(tmp_path / "runs")
    assert (code, found["equal"]) == (0, 4)
    assert "older than the last run" in found["report"]


def test_runs_whose_calls_were_not_kept_are_named(tmp_path: Path) -> None:
    folder = modelled(tmp_path, "--cache", "off", script=Wild(breaks="Differ."))
    code, found = replay(folder)
    assert (code, found["equal"], found["different"]) == (3, 0, [])
    assert [(run["listed"]["seed"], run["words"]) for run in found["not_on_file"]] == [
        (1, "not all of its calls are there")
    ] * 2
    assert "2 cannot be made again" in colosseum("replay", folder).stdout


def test_a_lost_call_is_named(folder: Path) -> None:
    path = file_of(folder, "baseline", "calls.jsonl")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    code, found = replay(folder)
    assert (code, found["equal"], len(found["not_on_file"])) == (3, 3, 1)
    assert found["report"] == "not compared, as a run is missing"


def test_a_run_that_has_not_ended_is_left_out(folder: Path) -> None:
    file_of(folder, "baseline", "json").unlink()
    code, found = replay(folder)
    assert (code, found["equal"], found["not_ended"]) == (0, 3, 1)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"temperature": 0.25', '"temperature": 0.5', "plays it differently: models.openai/test.temperature"),
        ('"model": "openai/test"', '"model": "sim"', "plays it differently"),
    ],
)
def test_a_trial_that_is_played_otherwise_now_is_said_to_be(old: str, new: str, words: str, folder: Path) -> None:
    change(folder / "campaign.json", old, new)
    code, found = replay(folder)
    assert (code, len(found["different"])) == (1, 4)
    assert all(words in run["words"] for run in found["different"])


def test_a_changed_spec_is_another_game(folder: Path) -> None:
    change(folder / "spec" / "match.colo", '"Differ."', '"Do differ."')
    code, found = replay(folder)
    assert code == 1
    assert all("this version plays it differently: scenario" in run["words"] for run in found["different"])


def test_what_was_asked_for_is_kept_by_model_and_without_secrets() -> None:
    wanted = Wanted(
        models=("openai/a", "cabal=openai/b"), api_base=("http://me:pass@h:1/v1?key=secret", "openai/b=http://[bad"),
        extra_body=('{"x": 1}', 'openai/b={"y": [2]}'), tools=("openai/b=text",), price=("1,2",),
        temperature=("0.5", "cabal=none"),
        max_tokens=("7",),
    )  # fmt: skip
    asking = read_asking(wanted, checked(MATCH))
    again = Asking.from_options(json.loads(json.dumps(asking.options)))
    conditions = asking.adjust(Conditions())
    assert again.adjust(Conditions()) == conditions
    for model in ("openai/a", "openai/b"):
        parameters = [each.endpoint(model, conditions.settings).parameters for each in (asking, again)]
        assert parameters[0] == parameters[1]
    assert asking.options["api_base"] == {"": "http://h:1/v1", "openai/b": "no address"}
    assert Asking.from_options({**asking.options, "model": ""}).models == ()
    with pytest.raises(ValueError, match="tools"):
        Asking.from_options({**asking.options, "tools": {"": "smoke"}})


def refusal(folder: Path) -> Done:
    """What the command says where it cannot go on."""
    done = colosseum("replay", folder)
    assert (done.returncode, done.stdout) == (2, "")
    return done


def test_what_is_no_campaign_is_said(folder: Path, tmp_path: Path) -> None:
    assert "holds no campaign" in refusal(tmp_path / "nowhere").stderr
    change(folder / "campaign.json", '"experiment": "e"', '"experiment": "f"')
    assert "no experiment `f`" in refusal(folder).stderr
    spec(folder / "spec", "nonsense")
    assert "error[C" in refusal(folder).stderr
    (folder / "campaign.json").write_text("{}")
    assert "is damaged" in refusal(folder).stderr


@pytest.mark.parametrize("name", ["../../elsewhere.colo", "/etc/passwd", "a\\\\b"])
def test_a_plan_leads_nowhere_else(name: str, folder: Path) -> None:
    plan = json.loads((folder / "campaign.json").read_bytes())
    (folder / "campaign.json").write_text(json.dumps({**plan, "spec": name, "files": {name: "0" * 64}}))
    assert "is damaged" in refusal(folder).stderr
    (folder / "campaign.json").write_text(json.dumps({**plan, "configuration": f"../{'0' * 61}"}))
    assert "is damaged" in refusal(folder).stderr
    (folder / "campaign.json").write_text(json.dumps(plan))
    relist(folder, [{**trials_of(folder)[0], "trial": f"../{'0' * 61}"}])
    assert "is damaged" in refusal(folder).stderr
