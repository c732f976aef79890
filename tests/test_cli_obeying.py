"""Signals while something is computed that takes minutes: the process ends soon, and in words."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_campaign_processes import children, gone

from colosseum.language import shipped

HEAVY = str(shipped("specs") / "hospital_published.colo")
"""Expanding, solving and reporting it each take longer than a signal may wait."""
LIMIT = 120.0
"""Seconds after which a process hangs; one that obeys takes a few on a busy machine."""


def begin(*arguments: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "colosseum", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def used(process: int) -> float:
    """Seconds of processor time."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stopped(process: "subprocess.Popen[str]", number: signal.Signals, *, everybody: bool = False) -> str:
    """What it says."""
    (os.killpg if everybody else os.kill)(process.pid, number)
    try:
        said, words = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    assert (process.returncode, said, "Traceback" in words) == (128 + number, "", False), words
    return words


@pytest.mark.parametrize(
    ("command", "seconds", "number"),
    [
        ("compile", 4.0, signal.SIGINT),
        ("audit", 2.0, signal.SIGTERM),
    ],
)
def test_what_is_computed_is_not_waited_for(
    command: str, seconds: float, number: signal.Signals, tmp_path: Path
) -> None:
    more = ("--seeds", "1..3", "--jobs", "1", "--out", str(tmp_path / "out")) if command == "audit" else ()
    process = begin(command, HEAVY, *more)
    while used(process.pid) < seconds:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    assert "interrupted" in stopped(process, number)


@pytest.mark.parametrize("everybody", [False, True])
def test_worker_processes_are_not_waited_for(everybody: bool, tmp_path: Path) -> None:
    """A queue sends SIGTERM to all processes of a job."""
    process = begin("audit", HEAVY, "--seeds", "1..1", "--jobs", "2", "--out", str(tmp_path / "out"))
    while sum(used(worker) > 1 for worker in children(process.pid)) < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    workers = children(process.pid)
    assert "run the same command to go on" in stopped(process, signal.SIGTERM, everybody=everybody)
    assert gone(workers)
