"""Campaigns of scripted players, by the command that users give. In: shipped specs; out: seconds, and memory."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .cases import SPECS
from .lines import Ledger, Line

MANY, QUICK_MANY = 1000, 120
"""Runs whose time is measured."""
FAST = 60.0
"""Seconds of a thousand runs, with their report."""
FLAT, QUICK_FLAT = 5000, 300
"""Runs whose memory is measured."""
FEW = 6
MOST_MEMORY = 300.0
"""MB above what a few runs need."""
MB = 1024.0
"""Of what the system counts, in kB."""
COUNTED = """
import atexit, resource, sys
from colosseum.cli import main

def told(path=sys.argv.pop(1)):
    own = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
    open(path, "w").write(str(max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)))

atexit.register(told)
main()
"""
"""The command, which says at its end how much memory it or a process of its own had at most."""


def campaigns(ledger: Ledger) -> None:
    """Measure both."""
    ledger.tables(_lines(ledger))


def _lines(ledger: Ledger) -> Iterator[Line]:
    runs = QUICK_MANY if ledger.quick else MANY
    ledger.note(f"campaigns: {runs} runs of specs/jira.colo")
    seconds, _ = _audit("jira", runs, arms=6)
    note = f"{os.cpu_count()} cores"
    yield Line("Scripted runs, s", f"{runs} of specs/jira.colo", seconds, most=FAST * runs / 1000, note=note)
    runs = QUICK_FLAT if ledger.quick else FLAT
    ledger.note(f"campaigns: {runs} runs of specs/toy.colo")
    _, few = _audit("toy", FEW, arms=3)
    _, many = _audit("toy", runs, arms=3)
    yield Line("Memory, MB", f"{runs} runs above {FEW}", many - few, most=MOST_MEMORY, note=f"{few:.0f} for {FEW}")


def _audit(spec: str, runs: int, *, arms: int) -> tuple[float, float]:
    """Seconds, and MB at most of one process, of at least so many runs with their report."""
    seeds = f"1..{-(-runs // arms)}"
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder) / "memory"
        command = ["audit", str(SPECS / f"{spec}.colo"), "--seeds", seeds, "--out", str(Path(folder) / "out")]
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", COUNTED, str(memory), *command], check=True, capture_output=True)
        return time.perf_counter() - began, int(memory.read_text()) / MB
