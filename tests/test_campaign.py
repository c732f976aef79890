"""Campaigns: traces that show every change, folders that can be gone on with whatever happened."""

import asyncio
import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import MATCH, SPECS, Silence, adjusted, events, planned, prepare, run
from warm_process import Command

from colosseum.campaign.folder import Damaged, Folder
from colosseum.campaign.planning import Planned
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import Attempt, OnAttempt
from colosseum.campaign.runner import Options, PaidSource, Runner
from colosseum.evidence.reading import Reader
from colosseum.model.experiment import Arm, Conditions
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Question
from colosseum.run.redaction import Redaction
from colosseum.run.trace import BrokenTrace, Seal, TraceWriter, read_trace
from colosseum.run.trial import Block, Trial

JIRA = str(SPECS / "jira.colo")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of one complete trace."""
    folder = tmp_path_factory.mktemp("trace")
    _, todo, _ = planned(MATCH, arms=["prompted"])
    run(folder, todo)
    return Folder(folder).trace(todo[0].identity).read_bytes()


def sealed(trace: bytes) -> Seal:
    """What a result says of a whole trace."""
    lines = trace.splitlines()
    return Seal(len(lines), json.loads(lines[-1])["chain"])


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
    assert len(read_trace(path, sealed(trace))) == len(trace.splitlines())
    assert edited(trace, change) != trace
    path.write_bytes(edited(trace, change))
    with pytest.raises(BrokenTrace):
        read_trace(path, sealed(trace))


POST: dict[str, Any] = {"number": 1, "agent": "A", "round": 1, "channel": "public"}


def test_text_of_any_language_survives_a_trace(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "x.jsonl")
    said = "Grüße \u2028 \x00 \U0001f600 \r\n {}"
    writer.write("post", **POST, text=said)
    writer.write("end", status="complete")
    writer.finish()
    events = read_trace(writer.path, writer.seal)
    assert [line["event"] for line in events] == ["post", "end"]
    assert events[0]["text"] == said


def test_a_trace_that_was_made_anew_is_not_the_one_that_was_sealed(tmp_path: Path) -> None:
    seals = []
    for said in ("left", "right"):
        writer = TraceWriter(tmp_path / "x.jsonl")
        writer.write("post", **POST, text=said)
        writer.write("end", status="complete")
        writer.finish()
        seals.append(writer.seal)
    assert len(read_trace(tmp_path / "x.jsonl", seals[1])) == 2
    with pytest.raises(BrokenTrace):
        read_trace(tmp_path / "x.jsonl", seals[0])


def test_the_same_campaign_twice_gives_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    """Scripted players depend on nothing but their view: not on the clock, the process or what was run before."""
    for name, order in (("one", 1), ("two", -1)):
        _, todo, _ = planned(SPECS / "jira.colo", seeds=(1,))
        run(tmp_path / name, todo[::order])
        _, todo, _ = planned(SPECS / "toy.colo", seeds=(1, 2))
        run(tmp_path / name, todo[::order])
    found = [{p.name: p.read_bytes() for p in (tmp_path / n / "runs").iterdir()} for n in ("one", "two")]
    assert len(found[0]) == 2 * 12  # a trace and a result each
    assert found[0] == found[1]


def test_figures_come_from_trace_and_scenario_alone(tmp_path: Path) -> None:
    todo = prepare(tmp_path, SPECS / "jira.colo", arms=["baseline", "prompted"])
    run(tmp_path, todo)
    kept = [*tmp_path.glob("*.json*"), *(tmp_path / "runs").iterdir(), *(tmp_path / "scenarios").iterdir()]
    other = tmp_path / "other"
    for path in kept:
        target = other / path.relative_to(tmp_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    first, second = (Reader(folder).records(Reader(folder).plan()) for folder in (tmp_path, other))
    assert first == second
    assert [r.status for r in first] == ["complete"] * 2
    assert all(r.figures is not None and r.figures.posts["public"] == 12 for r in first)


# ---- runs that fail --------------------------------------------------------------------------------------------


OPENING = {"choices": [{"message": {"content": "hm"}, "finish_reason": "stop"}]}


class Flaky:
    """Answers that say nothing, and a failure when asked for the nth time."""

    under_way, stopping, gave_up = 0, False, None

    def __init__(self, fail_at: int | None) -> None:
        self.asked, self.fail_at = 0, fail_at

    async def ask(self, request: Question, *, heard: OnAttempt) -> Answer | Failure:
        self.asked = number = self.asked + 1
        await asyncio.sleep(0)
        failed = Failure("transport", "the server went away", again=False)
        result = failed if number == self.fail_at else Answer(OPENING, 0.25, 0.5)
        heard(request, Attempt(1, result, None))
        return result


MODELLED = adjusted(model=(("agents", "some/model"),), rounds=1)


def statuses(folder: Path) -> list[tuple[str, str]]:
    return [(r.status, r.reason) for r in Reader(folder).records(Reader(folder).plan())]


def test_a_run_that_fails_does_not_stop_the_others_and_is_tried_again_when_asked_to(tmp_path: Path) -> None:
    todo, heard = prepare(tmp_path, MATCH, seeds=(1, 2, 3), adjust=MODELLED), list[str]()
    tally = run(tmp_path, todo, provider=Flaky(5), progress=lambda listed, became, result: heard.append(became))
    assert (tally["complete"], tally["reused"], tally["failed"]) == (5, 0, 1)
    assert sorted(heard) == ["complete"] * 5 + ["failed"]
    assert sorted(statuses(tmp_path)) == [("complete", "")] * 5 + [("failed", "transport: the server went away")]
    tally = run(tmp_path, todo, provider=Flaky(1))
    assert (tally["complete"], tally["reused"], tally["failed before"]) == (0, 5, 1)
    again, folder = Flaky(None), Folder(tmp_path)
    for each in todo:
        if (result := folder.result(each.identity)) and result.status == "failed":
            folder.result_path(each.identity).unlink()
    tally = run(tmp_path, todo, provider=again)
    assert (tally["complete"], tally["reused"], tally["failed"]) == (1, 5, 0)
    assert 0 < again.asked < 15  # a run takes 15; what was answered before the failure is not asked for again
    assert statuses(tmp_path) == [("complete", "")] * 6


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    todo = prepare(tmp_path, MATCH)
    run(tmp_path, todo)
    Folder(tmp_path).result_path(todo[0].identity).write_bytes(b'{"schema": 1, "trial"')
    with pytest.raises(Damaged, match=r"\.json is damaged"):
        statuses(tmp_path)


def test_a_bug_in_a_player_is_not_taken_for_a_failed_run(tmp_path: Path) -> None:
    class Broken(Flaky):
        async def ask(self, request: Question, *, heard: OnAttempt) -> Answer | Failure:
            raise ZeroDivisionError

    _, todo, _ = planned(MATCH, adjust=MODELLED)
    with pytest.raises(ExceptionGroup):
        run(tmp_path, todo, provider=Broken(None))


# ---- what belongs to a campaign ----------------------------------------------------------------------------------


def listed(folder: Path) -> dict[str, list[object]]:
    plan = Reader(folder).plan()
    return {"arms": list(plan.arms), "seeds": sorted({t.seed for t in plan.trials}), "n": [len(plan.trials)]}


def test_more_seeds_and_arms_extend_a_campaign_and_another_spec_replaces_it(tmp_path: Path) -> None:
    both = ["baseline", "prompted"]
    prepare(tmp_path, MATCH, seeds=(1, 2), arms=["prompted"])
    assert listed(tmp_path) == {"arms": both, "seeds": [1, 2], "n": [2]}
    prepare(tmp_path, MATCH, seeds=(2, 3), arms=both)
    assert listed(tmp_path) == {"arms": both, "seeds": [1, 2, 3], "n": [5]}
    prepare(tmp_path, MATCH, seeds=(2, 3), arms=both)
    assert listed(tmp_path) == {"arms": both, "seeds": [1, 2, 3], "n": [5]}
    prepare(tmp_path, MATCH, seeds=(4,), arms=both, model="other")
    assert listed(tmp_path) == {"arms": both, "seeds": [4], "n": [2]}
    prepare(tmp_path, MATCH.replace("Differ.", "Do differ."), seeds=(5,), arms=both)
    assert listed(tmp_path) == {"arms": both, "seeds": [5], "n": [2]}
    (tmp_path / "campaign.json").write_text("{")
    prepare(tmp_path, MATCH, seeds=(1,), arms=both)
    assert listed(tmp_path) == {"arms": both, "seeds": [1, 2, 3], "n": [6]}, "its list only grows"


def test_what_changes_a_run_changes_its_identity() -> None:
    def identity(text: str, seed: int = 1, arm: str = "prompted") -> str:
        return planned(text, seeds=(seed,), arms=[arm])[1][0].identity

    changed = [identity(MATCH), identity(MATCH, seed=2), identity(MATCH, arm="baseline"),
               identity(MATCH.replace("1 if", "2 if")), identity(MATCH.replace("Differ", "Match")),
               identity(MATCH.replace("experiment e {", "experiment e { rounds 2"))]  # fmt: skip
    assert len(set(changed)) == len(changed)
    assert identity(MATCH + "# a remark\n") == identity(MATCH)
    assert identity(MATCH.replace("scenario match", 'scenario match "A title"')) == identity(MATCH)


def test_a_damaged_scenario_file_is_written_anew_with_the_next_run(tmp_path: Path) -> None:
    run(tmp_path, prepare(tmp_path, MATCH, seeds=(1,), arms=["baseline"]))
    path = next((tmp_path / "scenarios").iterdir())
    whole = path.read_bytes()
    path.write_bytes(whole[:50])
    next((tmp_path / "runs").glob("*.json")).unlink()
    run(tmp_path, prepare(tmp_path, MATCH, seeds=(1,), arms=["baseline"]))
    assert path.read_bytes() == whole


# ---- processes that are stopped or meet -----------------------------------------------------------------------


SEEDS, RUNS = "1..4", 24
"""So many that a process is still at work when it is stopped after two runs."""


def audit(folder: Path, *more: object, jobs: int = 1) -> Command:
    small = ("--set", "engineers=4", "--set", "tickets=5")
    return Command("audit", JIRA, *small, "--seeds", SEEDS, "--out", folder, "--json", "--jobs", jobs, *more)


def wait_for_runs(folder: Path, number: int) -> None:
    deadline = time.monotonic() + 300
    while len(list((folder / "runs").glob("*.json"))) < number:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def files(folder: Path) -> dict[str, bytes]:
    """What a campaign leaves of its runs; a lock or half a file may stay, where a process was killed."""
    return {p.name: p.read_bytes() for p in (folder / "runs").iterdir() if p.suffix not in (".lock", ".part")}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    folder = tmp_path_factory.mktemp("whole")
    process = audit(folder)
    said, _ = process.communicate()
    assert process.returncode == 0
    return folder, json.loads(said)


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGTERM])
def test_a_stopped_campaign_is_gone_on_with(
    stop: signal.Signals, uninterrupted: tuple[Path, dict[str, object]], tmp_path: Path
) -> None:
    process = audit(tmp_path)
    wait_for_runs(tmp_path, 2)
    process.send_signal(stop)
    _, words = process.communicate()
    assert process.returncode == (-stop if stop is signal.SIGKILL else 128 + stop)
    assert stop is signal.SIGKILL or "run the same command to go on" in words
    assert "Traceback" not in words
    done = {p: p.stat().st_mtime_ns for p in (tmp_path / "runs").glob("*.json")}
    assert 2 <= len(done) < RUNS
    process = audit(tmp_path)
    said, words = process.communicate()
    assert process.returncode == 0
    assert f"{RUNS} runs complete, {len(done)} of them from before" in words
    assert {p: p.stat().st_mtime_ns for p in done} == done
    assert json.loads(said) == uninterrupted[1]
    runs = [files(folder) for folder in (tmp_path, uninterrupted[0])]
    assert runs[0] == runs[1]


def test_two_processes_may_work_on_one_folder(uninterrupted: tuple[Path, dict[str, object]], tmp_path: Path) -> None:
    processes = [audit(tmp_path) for _ in range(2)]
    for process in processes:
        said, words = process.communicate()
        assert (process.returncode, "Traceback" in words) == (0, False), words
        assert json.loads(said) == uninterrupted[1]
    assert files(tmp_path) == files(uninterrupted[0])


def test_scripted_runs_ask_no_model(tmp_path: Path) -> None:
    _, todo, _ = planned(MATCH, seeds=(1,))
    run(tmp_path, todo)
    assert all(e["usage"] is None for t in todo for e in events(tmp_path, t) if e["event"] == "reply")


# ---- blocks ------------------------------------------------------------------------------------------------------


def test_a_block_that_no_money_is_left_for_is_not_even_expanded(tmp_path: Path) -> None:
    listed, purse = planned(MATCH)[1][0].listed, Purse(1.0, {}, reached=True)
    block = Planned(Block("", 1, 1, ()), (listed,), {listed.trial: 3})
    source = PaidSource(Silence(), purse)
    runner = Runner(Folder(tmp_path), source, Options(), Redaction())

    def expanded(block: Block) -> list[Trial]:
        raise AssertionError(block)

    assert asyncio.run(runner.run([block], expanded)) == {"halted": 1}
    assert not list(tmp_path.rglob("*.json*"))


def test_a_block_has_one_lock_whatever_arms_are_asked_for(tmp_path: Path) -> None:
    """A command that makes other arms of it waits, and two blocks may be made at once."""
    folder, trials = Folder(tmp_path), planned(MATCH, seeds=(1, 2))[1]
    arms = tuple(Arm(trial.arm, "", Conditions()) for trial in trials)
    assert folder.lock(Block("", 1, 1, arms)) == folder.lock(Block("", 1, 1, arms[1:]))
    assert len({folder.lock(Block(point, seed, 1, ())) for point in ("", "n=2") for seed in (1, 2)}) == 4
