"""Signals while something is computed that takes minutes: the process ends soon, and in words."""

import os
import signal
import time
from pathlib import Path

import pytest
from test_campaign_processes import children, gone
from warm_process import Command

from colosseum.language import shipped

HEAVY = str(shipped("specs") / "hospital_published.colo")
"""Expanding, solving and reporting it each take longer than a signal may wait."""


def used(process: int) -> float:
    """Seconds of processor time."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stopped(process: Command, number: signal.Signals, *, everybody: bool = False) -> str:
    """What it says."""
    (os.killpg if everybody else os.kill)(process.pid, number)
    said, words = process.communicate()
    assert (process.returncode, said, "Traceback" in words) == (128 + number, "", False), words
    return words


@pytest.mark.parametrize(
    ("command", "seconds", "number"),
    [
        ("compile", 3.0, signal.SIGINT),
        ("audit", 1.0, signal.SIGTERM),
    ],
)
def test_what_is_computed_is_not_waited_for(
    command: str, seconds: float, number: signal.Signals, tmp_path: Path
) -> None:
    more = ("--seeds", "1..3", "--jobs", "1", "--out", str(tmp_path / "out")) if command == "audit" else ()
    process = Command(command, HEAVY, *more)
    while used(process.pid) < seconds:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    assert "interrupted" in (words := stopped(process, number))
    assert "kept" not in words, "there is no folder yet"


@pytest.mark.parametrize("everybody", [False, True])
def test_worker_processes_are_not_waited_for(everybody: bool, tmp_path: Path) -> None:
    """A queue sends SIGTERM to all processes of a job."""
    process = Command("audit", HEAVY, "--seeds", "1..1", "--jobs", "2", "--out", str(tmp_path / "out"))
    while sum(used(worker) > 0.5 for worker in children(process.pid)) < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.1)
    workers = children(process.pid)
    assert "run the same command to go on" in stopped(process, signal.SIGTERM, everybody=everybody)
    assert gone(workers)
