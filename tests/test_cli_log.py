"""Logs: every run is listed, read, verified and exported, whatever agents wrote and whatever became of the files."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from audited import HOSTILE, Wild, file_of, harmless, modelled, scripted
from chat_server import Answer, Body, thinks
from conftest import MATCH
from plans import trials_of
from rich.cells import cell_len
from test_cli_commands import Done, colosseum

UNWANTED = "not {'litellm', 'openai', 'httpx'} & set(sys.modules)"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two complete runs of a model and two that failed."""
    return modelled(tmp_path_factory.mktemp("played"), script=Wild(breaks="Differ."), seeds="1..2")


@pytest.fixture
def folder(played: Path, tmp_path: Path) -> Path:
    """A copy of them."""
    return Path(shutil.copytree(played, tmp_path / "elsewhere"))


# ---- list ---------------------------------------------------------------------------------------------------------


def test_every_run_is_listed(folder: Path) -> None:
    file_of(folder, "baseline:2", "json").unlink()
    for path in (folder / "runs").glob(f"{file_of(folder, 'prompted:2', 'json').stem}*"):
        path.unlink()
    done = colosseum("log", "list", folder, "--json")
    runs = {(run["listed"]["arm"], run["listed"]["seed"]): run for run in json.loads(done.stdout)["runs"]}
    assert {key: run["state"] for key, run in runs.items()} == {
        ("baseline", 1): "complete", ("prompted", 1): "failed",
        ("baseline", 2): "unfinished", ("prompted", 2): "waiting",
    }  # fmt: skip
    one = runs["baseline", 1]
    assert [one["events"][kind] for kind in ("post", "mistake", "refused", "decide")] == [3, 18, 1, 3]
    assert (one["expense"]["calls"], one["expense"]["unpriced"]) == (16, 16)
    assert runs["prompted", 1]["reason"].startswith("bad_request: ")
    assert runs["baseline", 2]["expense"]["calls"] == 16
    waiting = runs["prompted", 2]
    assert (waiting["events"], waiting["expense"]) == (None, None)
    harmless(done)
    shown = colosseum("log", "list", folder)
    assert shown.returncode == 0
    assert "1 complete" in shown.stdout
    assert "unknown" in shown.stdout
    harmless(shown)


def test_what_costs_nothing_costs_nothing(tmp_path: Path) -> None:
    runs = json.loads(colosseum("log", "list", scripted(tmp_path), "--json").stdout)["runs"]
    assert {(run["expense"]["calls"], run["expense"]["cost"], run["expense"]["unpriced"]) for run in runs} == {
        (0, 0.0, 0)
    }


@pytest.mark.parametrize("width", [30, 50, 80, 200])
def test_a_list_and_a_run_fit_the_terminal(width: int, folder: Path) -> None:
    for arguments in (("list", folder), ("show", folder, "baseline:1", "--prompts"), ("verify", folder)):
        done = colosseum("log", *arguments, COLUMNS=str(width))
        assert done.returncode == 0
        assert max(map(cell_len, done.stdout.split("\n"))) <= width
        if arguments[0] == "list":
            assert {f"{name}" for name in ("baseline", "failed", "seed")} <= set(done.stdout.split())


def test_a_damaged_result_is_listed_as_such(folder: Path) -> None:
    file_of(folder, "baseline:1", "json").write_text("{}")
    runs = json.loads(colosseum("log", "list", folder, "--json").stdout)["runs"]
    assert sorted(run["state"] for run in runs) == ["complete", "damaged", "failed", "failed"]


# ---- show ---------------------------------------------------------------------------------------------------------


def test_a_run_reads_as_a_conversation(folder: Path) -> None:
    done = colosseum("log", "show", folder, "prompted:1", COLUMNS="120")
    words = done.stdout
    assert (done.returncode, done.stderr) == (0, "")
    for part in (
        "players  openai/test", "public             A, B, C", "backroom (secret)  B, C", "Planning, round 1",
        "  to backroom (secret)\n    │ left?", "note, which nobody sees", "cut off at the limit of tokens",
        "mistake in post: unknown channel", "mistake in post: unreadable", "mistake in shout: unknown tool",
        "mistake in decide: out of turn", "    │ a post needs a text", "a player could not be asked: bad request",
    ):  # fmt: skip
        assert part in words, part
    assert "    │ Outcome ───\n    │   move[B]  right\n    │ B" in words
    assert "Differ." not in words
    assert "    │ Differ." in colosseum("log", "show", folder, "prompted:1", "--prompts").stdout
    words = colosseum("log", "show", folder, "baseline:1").stdout
    assert "  decides move[B] = right" in words
    assert "may not decide move[A] = right: it breaks the rule never" in words
    assert "Outcome" in words
    harmless(done)


def test_a_run_that_is_complete_ends_with_what_everybody_earned(folder: Path) -> None:
    done = colosseum("log", "show", folder, "baseline:1").stdout
    paid = json.loads(colosseum("report", folder, "--json").stdout)["rows"][0]
    told = [line.split(maxsplit=1) for line in done.partition("\nPayoffs\n")[2].splitlines()]
    assert [name for name, _ in told] == ["A", "B", "C", "together"]
    assert ["in cabal" in words for _, words in told] == [False, True, True, False]
    assert float(told[-1][1]) == pytest.approx(sum(float(words.split(",")[0]) for _, words in told[:-1]))
    assert float(told[-1][1]) == pytest.approx(paid["scalars"]["joint_payoff"]["mean"]["value"])
    assert "Payoffs" not in colosseum("log", "show", folder, "prompted:1").stdout, "it failed"
    for path in (folder / "scenarios").iterdir():
        path.unlink()
    assert "Payoffs\n  not known  cannot read" in colosseum("log", "show", folder, "baseline:1").stdout


def test_hostile_words_stay_words(folder: Path) -> None:
    for arguments in (("baseline:1",), ("prompted:1",), ("prompted:1", "--prompts"), ("baseline:1", "--json")):
        for environment in ({}, {"FORCE_COLOR": "1"}, {"COLUMNS": "20"}, {"PYTHONIOENCODING": "ascii"}):
            done = colosseum("log", "show", folder, *arguments, **environment)
            plain = done.stdout
            for code in ("1", "2", "0", "1;32", "31", "35", "2;31"):
                plain = plain.replace(f"\x1b[{code}m", "")
            harmless(Done(done.returncode, plain, done.stderr))
            if not arguments[1:]:
                lines = plain.split("\n")
                assert sum(line.startswith("  move[B]") for line in lines) == (arguments[0] == "baseline:1")
                assert not any(line.startswith("Outcome ───") for line in lines if "baseline" not in arguments[0])
    events = json.loads(colosseum("log", "show", folder, "baseline:1", "--json").stdout)["events"]
    assert HOSTILE in {event.get("text") for event in events}
    assert "[bold red]loud[/]" in colosseum("log", "show", folder, "baseline:1", COLUMNS="200").stdout


def test_notes_are_dim_and_secret_channels_stand_out(folder: Path) -> None:
    lines = colosseum("log", "show", folder, "prompted:1", FORCE_COLOR="1").stdout.split("\n")
    for style, words in (("2", "note, which nobody sees"), ("35", "to backroom (secret)"), ("31", "mistake in shout")):
        assert [line for line in lines if words in line and f"\x1b[{style}m" in line], words
    assert not [line for line in lines if "to public" in line and "\x1b[" in line]


def test_silence_is_one_line(tmp_path: Path) -> None:
    words = colosseum("log", "show", scripted(tmp_path, text=MATCH), "baseline:1").stdout
    silent = [line for line in words.split("\n") if line.endswith(": nothing")]
    assert silent
    assert len(silent[0].split(",")) == 3


def test_a_run_is_named_in_short(folder: Path) -> None:
    trials = trials_of(folder)
    for trial in trials:
        for name in (
            trial["trial"],
            trial["trial"][:10],
            f"{trial['arm']}:{trial['seed']}",
            f"{trial['arm']}:{trial['seed']}:1",
        ):
            done = colosseum("log", "show", folder, name, "--json")
            assert json.loads(done.stdout)["listed"]["trial"] == trial["trial"]
    for name, words in (
        ("nobody", "as in `"), ("prompt:1", "did you mean `prompted`?"), ("prompted:3", "as in `prompted:"),
        ("prompted:1:2", "there is no run"), ("", "there is no run"), (":", "there is no run"),
    ):  # fmt: skip
        done = colosseum("log", "show", folder, name)
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
    shared = {t["trial"][:1] for t in trials}
    if len(shared) < len(trials):
        start = next(s for s in shared if sum(t["trial"].startswith(s) for t in trials) > 1)
        assert "name one" in colosseum("log", "show", folder, start).stderr


def test_a_sweep_has_several_runs_of_one_name(tmp_path: Path) -> None:
    swept = scripted(tmp_path, seeds="1", text=MATCH.replace("experiment e {", "experiment e { sweep noise in 0, 1"))
    done = colosseum("log", "show", swept, "baseline:1")
    assert done.returncode == 2
    assert "noise=0, baseline, seed 1" in done.stderr
    assert "noise=1, baseline, seed 1" in done.stderr


@pytest.mark.parametrize("cut", [1, 20, 60, 200, 2000])
def test_a_run_that_goes_on_is_shown_so_far(cut: int, folder: Path) -> None:
    file_of(folder, "baseline:1", "json").unlink()
    path = file_of(folder, "baseline:1", "jsonl")
    content = path.read_bytes()[:-cut]
    path.write_bytes(content)
    done = colosseum("log", "show", folder, "baseline:1", "--json", "--thoughts")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert found["whole"] == content.endswith(b"\n")
    assert len(found["events"]) == content.count(b"\n")
    shown = colosseum("log", "show", folder, "baseline:1")
    assert shown.returncode == 0
    assert "the run goes on, or was cut off" in shown.stdout
    assert colosseum("log", "verify", folder).returncode == 0


def test_an_empty_trace_and_none_are_told_apart(folder: Path) -> None:
    file_of(folder, "baseline:1", "json").unlink()
    file_of(folder, "baseline:1", "jsonl").write_bytes(b"")
    assert "goes on" in colosseum("log", "show", folder, "baseline:1").stdout
    file_of(folder, "baseline:1", "jsonl").unlink()
    done = colosseum("log", "show", folder, "baseline:1")
    assert done.returncode == 2
    assert "has not begun" in done.stderr


def test_a_changed_run_is_shown_with_a_warning(folder: Path) -> None:
    path = file_of(folder, "baseline:1", "jsonl")
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([*lines[:9], *lines[10:]]))
    done = colosseum("log", "show", folder, "baseline:1")
    assert done.returncode == 1
    assert "cannot be trusted: line 10 was changed, lost or moved" in done.stdout
    assert "Planning, round 1" in done.stdout
    path.write_bytes(b"\n".join(lines[:9]) + b"\n")
    done = colosseum("log", "show", folder, "baseline:1")
    assert done.returncode == 1
    assert "cannot be trusted: " in done.stdout
    assert "the trace has no end" in done.stdout


def test_logs_import_no_client(folder: Path) -> None:
    typed = [["log", *words] for words in (("list", str(folder)), ("show", str(folder), "baseline:1"),
                                           ("verify", str(folder)))]  # fmt: skip
    code = (
        "import sys; from colosseum.cli.commands import app\n"
        f"for words in {typed!r}: app(words, standalone_mode=False)\nassert {UNWANTED}"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_thoughts_are_shown_on_request_alone(tmp_path: Path) -> None:
    def thinking(body: Body) -> Answer:
        encrypted: Any = [{"type": "reasoning.encrypted", "data": "ZW5j"}]
        return thinks(thinks(Wild()(body), "HIDDENPLAN"), encrypted, field="reasoning_details")

    folder = modelled(tmp_path / "made", script=thinking)
    for more in ((), ("--thoughts",)):
        shown = colosseum("log", "show", folder, "baseline:1", *more)
        listed = colosseum("log", "show", folder, "baseline:1", "--json", *more)
        assert [("HIDDENPLAN" in words) for words in (shown.stdout, listed.stdout)] == [bool(more)] * 2
        assert [(f"{words}\n" in shown.stdout) for words in ("thinks", "thinks, withheld")] == [bool(more)] * 2
        assert "secret" not in shown.stdout.partition("Planning")[2]
