"""Whole commands, as users give them. In: named instances; out: CPU seconds of each, and of the best engine.

`check` reads; `compile` also proves the optimum, the worst case and each coalition's best. The solver is asked the same
in this process, where nothing is read or printed; other engines are, too, and are given what reading made. What engines
use in processes of their own counts. `audit` plays one scripted run, `report` measures it again from an empty cache.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from colosseum.model.scenario import Scenario, Task
from colosseum.solve.backend import Engine, Query
from colosseum.solve.backends import BACKENDS, installed_engines
from colosseum.solve.backends.engine_process import PROCESSES
from colosseum.solve.goal import WELFARE, coalition_goal, mixed
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.solver import Solver

from .cases import SPECS, from_path
from .families import family
from .lines import Mark, Measurements
from .rivals import clock, direct
from .single import LIMIT, QUICK_LIMIT, RIVALS, warmed

PEERS: Final[tuple[Engine | Literal["HiGHS"], ...]] = ("HiGHS", *RIVALS)
"""Engines that are asked beside ours; HiGHS is left alone with the program."""

INSTANCES = ("roster 5 7", "tickets 100 125", "capacity 100 8", "tree 500 10", "grid 10 10 4", "scale_free 50 10")
QUICK = 1
"""How many of these a quick run measures."""
PLAYED = {"roster", "tickets", "capacity", "grid", "scale_free"}
"""Families of which a scripted team plays a run."""
REPEATS, QUICK_REPEATS = 3, 1
MOST = 300.0
"""Seconds, by the wall clock, after which a command is stopped."""
START = 0.3
"""CPU seconds of `check`, of a spec that has next to nothing to read."""
BEYOND = 3.0
"""How much longer than the solver alone `compile` may take beyond `check`, …"""
LONG = 0.5
"""… where the solver takes more CPU seconds than this, so that starting hardly counts."""
REPORT = 60.0
"""CPU seconds of a report of one run."""
SMALL = {"check": str(SPECS / "toy.colo"), "compile": str(SPECS / "toy.colo"), "explain": "regret"}
"""Commands that do next to nothing, and with what."""
BARE = ("-c", "import rich, typer, lark")
"""What a program of this kind imports at least."""
AGAINST_BARE = {"check": 1.8, "compile": 4.0}
"""How many bare imports a command may take with `jira.colo`."""


def commands(ledger: Measurements) -> None:
    """Measure what starting costs, then every instance."""
    repeats = QUICK_REPEATS if ledger.quick else REPEATS
    with tempfile.TemporaryDirectory() as folder:
        ledger.tables(_small(Path(folder), repeats))
        for words in INSTANCES[: QUICK if ledger.quick else None]:
            ledger.note(f"commands: {words}")
            ledger.tables(_lines(ledger, words, Path(folder), repeats))


def _small(home: Path, repeats: int) -> Iterator[Mark]:
    """What they take, they take to start."""
    for name, what in SMALL.items():
        most = START if name == "check" else None
        yield Mark("Starting, CPU s", f"{name} {Path(what).name}", _least([name, what], home, repeats), most=most)
    bare = _least([], home, repeats, program=BARE)
    for name, most in AGAINST_BARE.items():
        seconds = _least([name, str(SPECS / "jira.colo")], home, repeats)
        yield Mark("Beside bare imports, CPU s", f"{name} jira.colo", seconds, "bare", bare, most_ratio=most)


def _lines(ledger: Measurements, words: str, home: Path, repeats: int) -> Iterator[Mark]:
    name, *sizes = words.split()
    heading, spec, out = f"Commands, CPU s: {name} {'×'.join(sizes)}", home / f"{name}.colo", str(home / name)
    spec.write_text(family(name, *map(int, sizes), seed=1), encoding="utf-8")
    read, compiled = (_least([command, str(spec)], home, repeats) for command in ("check", "compile"))
    yield Mark(heading, "check", read)
    yield Mark(heading, "compile", compiled)
    if read is not None and compiled is not None:
        yield from _beyond(ledger, heading, words, compiled - read, from_path(spec, seed=1))
    if name in PLAYED:
        played = _least(["audit", str(spec), "--jobs", "1", "--out", out], home, 1)
        yield Mark(heading, "audit, one run", played)
        if played is not None:
            yield Mark(heading, "report, from an empty cache", _least(["report", out], home, repeats), most=REPORT)


def _beyond(ledger: Measurements, heading: str, words: str, ours: float, scenario: Scenario) -> Iterator[Mark]:
    """`compile` without reading, beside the solver and beside the engine that is soonest with the same questions."""
    task = scenario.task
    queries = [Query(WELFARE, canonical=True), Query(mixed({WELFARE: -1.0}))]
    queries += [Query(coalition_goal(each), canonical=True) for each in scenario.coalitions]
    warmed()
    began = _spent()
    solver = Solver(task)
    asked = [solver.maximise(query.goal, canonical=query.canonical) for query in queries]
    alone = _spent() - began
    yield Mark(heading, "compile beyond check", ours, "solver alone", alone,
               most_ratio=BEYOND if alone > LONG else None)  # fmt: skip
    proven, limit = dict[str, float](), QUICK_LIMIT if ledger.quick else LIMIT
    for name in PEERS:
        seconds, values = _peer(name, task, queries, limit)
        if all(value is not None for value in values):
            proven[name] = seconds
            for optimum, value in zip(asked, values, strict=True):
                ledger.equal(f"{words}, {name}", optimum.value, value)
    best = min(proven, key=proven.__getitem__, default="nobody")
    yield Mark(heading, "compile beyond check, the best engine", ours, best, proven.get(best))


def _peer(
    name: Engine | Literal["HiGHS"], task: Task, queries: Sequence[Query], limit: float
) -> tuple[float, list[float | None]]:
    """CPU seconds of an engine for all questions, and the values that it proved; it stops at the first it cannot."""
    seconds, values = 0.0, list[float | None]()
    for query in queries:
        value: float | None = None
        if name == "HiGHS":
            try:
                answer = direct.solve(task, limit=limit, goal=query.goal)
            except NotLowered:
                return seconds, [None]
            seconds += answer.build + answer.solve
            value = answer.value if answer.proven else None
        elif name in installed_engines():
            began = _spent()
            found = BACKENDS[name](task).solve(Query(query.goal), until=time.monotonic() + limit)
            seconds += _spent() - began
            value = found.proven
        values.append(value)
        if value is None:
            break
    return seconds, values


def _spent() -> float:
    """CPU seconds of this process, of those that it waited for, and of engines that still run."""
    running = (process.running for process in PROCESSES.values())
    ticks = 0
    for each in running:
        if each is not None and each.poll() is None:
            fields = Path(f"/proc/{each.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return clock() + ticks / os.sysconf("SC_CLK_TCK")


def _least(
    arguments: Sequence[str], home: Path, repeats: int, *, program: Sequence[str] = ("-m", "colosseum")
) -> float | None:
    """The least CPU seconds of a command, after a first time that fills caches of code; None where it is stopped."""
    found = list[float]()
    for number in range(repeats + (arguments[:1] != ["audit"])):
        cache = home / (f"cache-{Path(arguments[-1]).name}-{number}" if arguments[:1] == ["report"] else "cache")
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPYCACHEPREFIX": str(home / "code")}
        environment["PYTHONDONTWRITEBYTECODE"] = ""
        began = clock()
        try:
            subprocess.run([sys.executable, *program, *arguments], check=True, capture_output=True,
                           env=environment, timeout=MOST)  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
        found.append(clock() - began)
    return min(found)
