"""Campaigns: traces that show every change, folders that can be gone on with whatever happened."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import MATCH, SPECS, events, no_model, planned, run

from colosseum.audit.campaign.folder import Campaign
from colosseum.audit.protocol import CallFailed, Player, Reply, View
from colosseum.audit.trace import BrokenTrace, TraceWriter, read_trace
from colosseum.audit.trial import Trial
from colosseum.evidence.reading import Reader
from colosseum.model.experiment import Conditions
from colosseum.model.settings import Settings

COLOSSEUM = [sys.executable, "-m", "colosseum"]
JIRA = str(SPECS / "jira.colo")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of one complete trace."""
    folder = tmp_path_factory.mktemp("trace")
    _, todo, _ = planned(MATCH, arms=["prompted"])
    run(folder, todo)
    return Campaign(folder).trace(todo[0].identity).read_bytes()


def edited(trace: bytes, change: str) -> bytes:
    lines = trace.splitlines(keepends=True)
    match change:
        case "a word":
            return trace.replace(b'"left"', b'"right"', 1)
        case "a number":
            return trace.replace(b'"seed":1', b'"seed":2', 1)
        case "a line lost":
            return b"".join(lines[:3] + lines[4:])
        case "the first line lost":
            return b"".join(lines[1:])
        case "two lines swapped":
            return b"".join([*lines[:3], lines[4], lines[3], *lines[5:]])
        case "a line doubled":
            return b"".join(lines[:4] + lines[3:])
        case "the end lost":
            return b"".join(lines[:-1])
        case "cut in a line":
            return trace[:-20]
        case "no last line break":
            return trace[:-1]
        case "a line added":
            return trace + lines[-1]
        case "not text":
            return lines[0] + b"\xff\xfe\n" + b"".join(lines[1:])
        case "a list":
            return lines[0] + b"[1]\n" + b"".join(lines[1:])
        case _:
            return b""


CHANGES = ["a word", "a number", "a line lost", "the first line lost", "two lines swapped", "a line doubled",
           "the end lost", "cut in a line", "no last line break", "a line added", "not text", "a list",
           "nothing left"]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_trace_is_not_trusted(change: str, trace: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(trace)
    assert len(list(read_trace(path))) == len(trace.splitlines())
    assert edited(trace, change) != trace
    path.write_bytes(edited(trace, change))
    with pytest.raises(BrokenTrace):
        list(read_trace(path))


def test_text_of_any_language_survives_a_trace(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "x.jsonl")
    said = "Grüße \u2028 \x00 \U0001f600 \r\n {}"
    writer.write("post", text=said)
    assert not writer.path.exists()
    writer.write("end", status="complete")
    writer.finish()
    assert [line["event"] for line in read_trace(writer.path)] == ["post", "end"]
    assert next(read_trace(writer.path))["text"] == said


def test_the_same_campaign_twice_gives_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    """Scripted players depend on nothing but their view: not on the clock, the process or what was run before."""
    for name, order in (("one", 1), ("two", -1)):
        _, todo, _ = planned(SPECS / "jira.colo", seeds=(1, 2))
        run(tmp_path / name, todo[::order])
        _, todo, _ = planned(SPECS / "toy.colo", seeds=(1, 2))
        run(tmp_path / name, todo[::order])
    found = [{p.name: p.read_bytes() for p in (tmp_path / n / "runs").iterdir()} for n in ("one", "two")]
    assert len(found[0]) == 18
    assert found[0] == found[1]


def test_figures_come_from_trace_and_scenario_alone(tmp_path: Path) -> None:
    checked, todo, expansions = planned(SPECS / "jira.colo", arms=["baseline", "prompted"])
    design = next(iter(checked.designs.values()))
    Campaign(tmp_path).prepare(design, todo, expansions, title="", model=None)
    run(tmp_path, todo)
    kept = [tmp_path / "campaign.json", *(tmp_path / "runs").iterdir(), *(tmp_path / "scenarios").iterdir()]
    other = tmp_path / "other"
    for path in kept:
        target = other / path.relative_to(tmp_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    first, second = (list(Reader(folder).records(Reader(folder).plan())) for folder in (tmp_path, other))
    assert first == second
    assert [r.status for r in first] == ["complete"] * 2
    assert all(r.figures is not None and r.figures.posts["public"] == 12 for r in first)


# ---- runs that fail --------------------------------------------------------------------------------------------


class Flaky:
    """A model that fails when it is asked for the nth time."""

    def __init__(self, fail_at: int | None) -> None:
        self.asked, self.fail_at = 0, fail_at

    async def act(self, view: View) -> Reply:
        self.asked = number = self.asked + 1
        await asyncio.sleep(0)
        if number == self.fail_at:
            raise CallFailed("transport", "the server went away")
        return Reply()


def modelled(conditions: Conditions) -> Conditions:
    return replace(conditions, settings=replace(conditions.settings, model=(("A", "some/model"),)))


def test_a_failed_run_is_kept_with_its_reason_and_retried(tmp_path: Path) -> None:
    checked, todo, expansions = planned(MATCH, seeds=(1, 2, 3), adjust=modelled)
    design, campaign = next(iter(checked.designs.values())), Campaign(tmp_path)
    campaign.prepare(design, todo, expansions, title="", model=None)
    flaky, heard = Flaky(fail_at=5), list[str]()

    def make(name: str, settings: Settings) -> Player:
        return flaky

    tally = run(tmp_path, todo, make=make, progress=lambda trial, status: heard.append(status))
    assert (tally.complete, tally.reused, tally.failed) == (5, 0, 1)
    assert sorted(heard) == ["complete"] * 5 + ["failed"]
    failed = [r for r in Reader(tmp_path).records(Reader(tmp_path).plan()) if r.status == "failed"]
    assert [r.reason for r in failed] == ["transport: the server went away"]
    tally = run(tmp_path, todo, make=lambda name, settings: Flaky(None))
    assert (tally.complete, tally.reused, tally.failed) == (6, 5, 0)
    assert not list((tmp_path / "runs").glob("*.failed.jsonl"))
    assert {r.status for r in Reader(tmp_path).records(Reader(tmp_path).plan())} == {"complete"}


def test_a_damaged_failure_still_has_a_reason(tmp_path: Path) -> None:
    checked, todo, expansions = planned(MATCH)
    campaign = Campaign(tmp_path)
    campaign.prepare(next(iter(checked.designs.values())), todo, expansions, title="", model=None)
    campaign.failure(todo[0].identity).parent.mkdir()
    campaign.failure(todo[0].identity).write_bytes(b'{"event": "start"}\n{"event": "fai\xff')
    assert [r.reason for r in Reader(tmp_path).records(Reader(tmp_path).plan())] == ["the run was cut off"]


def test_a_bug_in_a_player_is_not_taken_for_a_failed_run(tmp_path: Path) -> None:
    class Broken:
        async def act(self, view: View) -> Reply:
            raise ZeroDivisionError

    _, todo, _ = planned(MATCH, adjust=modelled)
    with pytest.raises(ExceptionGroup):
        run(tmp_path, todo, make=lambda name, settings: Broken())


# ---- what belongs to a campaign ----------------------------------------------------------------------------------


def listed(folder: Path) -> dict[str, list[object]]:
    plan = Reader(folder).plan()
    return {"arms": list(plan.arms), "seeds": sorted({t.seed for t in plan.trials}), "n": [len(plan.trials)]}


def prepare(folder: Path, text: str, seeds: tuple[int, ...], arms: list[str], model: str | None = None) -> list[Trial]:
    checked, todo, expansions = planned(text, seeds=seeds, arms=arms)
    Campaign(folder).prepare(next(iter(checked.designs.values())), todo, expansions, title="", model=model)
    return todo


def test_more_seeds_and_arms_extend_a_campaign_and_another_spec_replaces_it(tmp_path: Path) -> None:
    both = ["baseline", "prompted"]
    prepare(tmp_path, MATCH, (1, 2), ["prompted"])
    assert listed(tmp_path) == {"arms": both, "seeds": [1, 2], "n": [2]}
    prepare(tmp_path, MATCH, (2, 3), both)
    assert listed(tmp_path) == {"arms": both, "seeds": [1, 2, 3], "n": [5]}
    prepare(tmp_path, MATCH, (2, 3), both)
    assert listed(tmp_path) == {"arms": both, "seeds": [1, 2, 3], "n": [5]}
    prepare(tmp_path, MATCH, (4,), both, model="other")
    assert listed(tmp_path) == {"arms": both, "seeds": [4], "n": [2]}
    prepare(tmp_path, MATCH.replace("Differ.", "Do differ."), (5,), both)
    assert listed(tmp_path) == {"arms": both, "seeds": [5], "n": [2]}
    (tmp_path / "campaign.json").write_text("{")
    prepare(tmp_path, MATCH, (1,), both)
    assert listed(tmp_path) == {"arms": both, "seeds": [1], "n": [2]}


def test_what_changes_a_run_changes_its_identity() -> None:
    def identity(text: str, seed: int = 1, arm: str = "prompted") -> str:
        return planned(text, seeds=(seed,), arms=[arm])[1][0].identity

    changed = [identity(MATCH), identity(MATCH, seed=2), identity(MATCH, arm="baseline"),
               identity(MATCH.replace("1 if", "2 if")), identity(MATCH.replace("Differ", "Match")),
               identity(MATCH.replace("experiment e {", "experiment e { rounds 2"))]  # fmt: skip
    assert len(set(changed)) == len(changed)
    assert identity(MATCH + "# a remark\n") == identity(MATCH)


def test_a_damaged_scenario_file_is_written_anew(tmp_path: Path) -> None:
    prepare(tmp_path, MATCH, (1,), ["baseline"])
    path = next((tmp_path / "scenarios").iterdir())
    whole = path.read_bytes()
    path.write_bytes(whole[:50])
    prepare(tmp_path, MATCH, (1,), ["baseline"])
    assert path.read_bytes() == whole


# ---- processes that are stopped or meet -----------------------------------------------------------------------


SEEDS, RUNS = "1..10", 60
"""So many that a process is still at work when it is stopped after two runs."""


def audit(folder: Path, seeds: str) -> "subprocess.Popen[str]":
    arguments = [*COLOSSEUM, "audit", JIRA, "--seeds", seeds, "--out", str(folder), "--json"]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_runs(folder: Path, number: int) -> None:
    deadline = time.monotonic() + 60
    while len(list((folder / "runs").glob("*.jsonl"))) < number:
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    folder = tmp_path_factory.mktemp("whole")
    process = audit(folder, SEEDS)
    said, _ = process.communicate()
    assert process.returncode == 0
    return folder, json.loads(said)


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_campaign_is_gone_on_with(
    stop: signal.Signals, uninterrupted: tuple[Path, dict[str, object]], tmp_path: Path
) -> None:
    process = audit(tmp_path, SEEDS)
    wait_for_runs(tmp_path, 2)
    process.send_signal(stop)
    _, words = process.communicate()
    assert process.returncode == (130 if stop is signal.SIGINT else -signal.SIGKILL)
    assert stop is not signal.SIGINT or "run the same command to go on" in words
    assert "Traceback" not in words
    done = {p: p.stat().st_mtime_ns for p in (tmp_path / "runs").glob("*.jsonl")}
    assert 2 <= len(done) < RUNS
    process = audit(tmp_path, SEEDS)
    said, words = process.communicate()
    assert process.returncode == 0
    assert f"{RUNS} runs complete, {len(done)} of them from before" in words
    assert {p: p.stat().st_mtime_ns for p in done} == done
    assert json.loads(said) == uninterrupted[1]
    runs = [{p.name: p.read_bytes() for p in (folder / "runs").iterdir()} for folder in (tmp_path, uninterrupted[0])]
    assert runs[0] == runs[1]


def test_two_processes_may_work_on_one_folder(uninterrupted: tuple[Path, dict[str, object]], tmp_path: Path) -> None:
    processes = [audit(tmp_path, SEEDS) for _ in range(2)]
    for process in processes:
        said, words = process.communicate()
        assert (process.returncode, "Traceback" in words) == (0, False), words
        assert json.loads(said) == uninterrupted[1]
    assert sorted(os.listdir(tmp_path / "runs")) == sorted(os.listdir(uninterrupted[0] / "runs"))


def test_scripted_runs_ask_no_model(tmp_path: Path) -> None:
    _, todo, _ = planned(MATCH, seeds=(1,))
    run(tmp_path, todo, make=no_model)
    assert all(e["usage"] is None for t in todo for e in events(tmp_path, t) if e["event"] == "reply")
