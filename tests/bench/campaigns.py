"""Campaigns of scripted players, by the command that users give. In: shipped specs; out: seconds, and memory."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from .cases import SPECS
from .lines import Mark, Measurements

MANY, QUICK_MANY = 1000, 120
"""Runs whose time is measured."""
FAST = 60.0
"""Seconds of a thousand runs, with their report."""
REPORT = 5.0
"""Seconds of a report of a thousand runs, and of one of fewer."""
FLAT, QUICK_FLAT = 5000, 300
"""Runs whose memory is measured."""
FEW = 6
MOST_MEMORY = 300.0
"""MB above what a few runs need."""
MOST_CPU = 1.18
"""What two processes may take of what one takes."""
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


def campaigns(ledger: Measurements) -> None:
    """Measure runs, their report, and the memory they need."""
    ledger.tables(_lines(ledger))


def _lines(ledger: Measurements) -> Iterator[Mark]:
    runs = QUICK_MANY if ledger.quick else MANY
    ledger.note(f"campaigns: {runs} runs of specs/jira.colo")
    note = f"{os.cpu_count()} cores"
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        seconds, _ = _audit("jira", runs, home, arms=6)
        yield Mark("Scripted runs, s", f"{runs} of specs/jira.colo", seconds, most=FAST * runs / 1000, note=note)
        yield Mark("Report, s", f"{runs} runs of specs/jira.colo", _report(home, home / "cache"), most=REPORT)
        yield Mark("Report, s", "the same, none of them measured before", _report(home, home / "empty"), note=note)
    one, two = (_cpu("jira", runs, jobs) for jobs in (1, 2))
    yield Mark("CPU, s", f"{runs} runs in two processes", two, "in one", one, most_ratio=MOST_CPU)
    runs = QUICK_FLAT if ledger.quick else FLAT
    ledger.note(f"campaigns: {runs} runs of specs/toy.colo")
    few, many = (_memory("toy", number, arms=3) for number in (FEW, runs))
    yield Mark("Memory, MB", f"{runs} runs above {FEW}", many - few, most=MOST_MEMORY, note=f"{few:.0f} for {FEW}")


def _audit(spec: str, runs: int, folder: Path, *more: str, arms: int) -> tuple[float, float]:
    """Seconds, and MB at most of one process, of at least so many runs with their report."""
    memory = folder / "memory"
    seeds = f"1..{-(-runs // arms)}"
    command = ["audit", str(SPECS / f"{spec}.colo"), "--seeds", seeds, "--out", str(folder / "out"), *more]
    return _timed([str(memory), *command], folder / "cache"), int(memory.read_text()) / MB


def _cpu(spec: str, runs: int, jobs: int) -> float:
    """CPU seconds of at least so many runs by so many processes, with their report, which is cached by nobody."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        _audit(spec, runs, Path(folder), "--jobs", str(jobs), arms=6)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _report(folder: Path, cache: Path) -> float:
    """Seconds of a report of these runs, with what is measured in this cache."""
    return _timed([str(folder / "memory"), "report", str(folder / "out")], cache)


def _timed(arguments: list[str], cache: Path) -> float:
    began = time.perf_counter()
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    subprocess.run([sys.executable, "-c", COUNTED, *arguments], check=True, capture_output=True, env=environment)
    return time.perf_counter() - began


def _memory(spec: str, runs: int, *, arms: int) -> float:
    """MB at most of one process that makes so many runs."""
    with tempfile.TemporaryDirectory() as folder:
        return _audit(spec, runs, Path(folder), arms=arms)[1]
