"""Runs of scripted players in several processes: the same bytes, and nothing is left when one of them is killed."""

import json
import os
import signal
import time
from pathlib import Path

import pytest
from test_campaign import RUNS, audit, files, wait_for_runs
from test_cli_commands import colosseum


def children(process: int) -> list[int]:
    """The processes that it has begun and that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def gone(processes: list[int]) -> bool:
    """Whether they end soon."""
    deadline = time.monotonic() + 300
    while any(Path(f"/proc/{number}").exists() for number in processes):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], str]:
    """What one process makes of it."""
    folder = tmp_path_factory.mktemp("alone")
    said, words = audit(folder).communicate()
    assert said, words
    return files(folder), said


def test_processes_make_the_same_and_go_with_the_one_that_began_them(
    alone: tuple[dict[str, bytes], str], tmp_path: Path
) -> None:
    process = audit(tmp_path, jobs=2)
    wait_for_runs(tmp_path, 2)
    workers = children(process.pid)
    assert len(workers) >= 2
    process.kill()
    _, words = process.communicate()
    assert process.returncode == -signal.SIGKILL, words
    assert gone(workers)
    assert 2 <= len(list((tmp_path / "runs").glob("*.json"))) < RUNS
    defects = json.loads(colosseum("doctor", tmp_path, "--json").stdout)["defects"]
    (sign,) = [each for each in defects if each["file"].startswith("cluster-")]
    assert (sign["words"], sign["free"]) == ("is a lock that no process holds", True)
    process = audit(tmp_path)
    said, words = process.communicate()
    assert not list(tmp_path.rglob("*.lock"))
    assert process.returncode == 0, words
    assert (files(tmp_path), said) == alone


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_last_line_of_an_interrupted_audit_counts_every_run(stop: signal.Signals, tmp_path: Path) -> None:
    process = audit(tmp_path, "--display", "json", jobs=2)
    wait_for_runs(tmp_path, 4)
    began = time.monotonic()
    process.send_signal(stop)
    _, words = process.communicate()
    assert (process.returncode, "Traceback" in words) == (128 + stop, False), words
    assert time.monotonic() - began < 5
    *_, last = [json.loads(line) for line in words.splitlines() if line.startswith("{")]
    made = list((tmp_path / "runs").glob("*.json"))
    assert (last["final"], last["complete"]) == (True, len(made))
    assert not list(tmp_path.rglob("*.lock"))


def test_a_process_that_is_killed_is_told(alone: tuple[dict[str, bytes], str], tmp_path: Path) -> None:
    process = audit(tmp_path, jobs=2)
    wait_for_runs(tmp_path, 2)
    os.kill(children(process.pid)[0], signal.SIGKILL)
    _, words = process.communicate()
    assert (process.returncode, "Traceback" in words) == (2, False), words
    assert "was killed from outside; run the same command to go on" in words
    said, words = audit(tmp_path).communicate()
    assert (files(tmp_path), said) == alone
