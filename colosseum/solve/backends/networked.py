"""Engines for cost function networks. In: a task and a query; out: proven optima.

Each engine has a process of its own, `network_process.py` beside this file: neither its timer nor a crash
reaches who asked. Costs are whole numbers, a power of two of them to one unit of payoff, so that payoffs that are whole
numbers or halves of halves are exact; what rounding may change of others is added to the bound.
"""

import atexit
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from math import ceil, floor, inf, isfinite, log2
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from colosseum.model.scenario import Task
from colosseum.solve.backend import Engine, Optimum, Query, checked
from colosseum.solve.factors import Factors
from colosseum.solve.network import NotANetwork, WeightedNetwork, assigned, network
from colosseum.solve.scoring import grain

LARGEST = 2.0**46
"""What all costs may add up to; toulbar2 counts up to 2^49."""
FINEST = 2.0**40
"""Units of cost in a unit of payoff, at most."""
GRACE = 2.0
"""Seconds after which a process that was interrupted is ended."""
SCRIPT = Path(__file__).with_name("network_process.py")
TRIES = 2
"""How often a question is asked of a process that dies."""


class Networked:
    """An engine that takes a network, for one task."""

    def __init__(self, name: Engine, task: Task, factors: Factors | None = None) -> None:
        self.name, self.task, self.factors = name, task, factors or Factors(task)

    def solve(self, query: Query, *, until: float) -> Optimum:
        """The best assignment of a query that is a network, component by component."""
        try:
            made = network(self.factors, query)
        except NotANetwork as fault:
            return Optimum("limit", by=self.name, reason=f"{self.name} takes small tables and sums: {fault}")
        places, bound, thought = dict[str, int](), made.constant, made.constant
        for part in made.components() if isfinite(bound) else ():
            best = _proved(part, PROCESSES[self.name], until)
            if best.places is None and best.bound > -inf:
                return Optimum("limit", by=self.name, reason=f"{self.name} came to no end")
            places, bound, thought = places | (best.places or {}), bound + best.bound, thought + best.value
        if not isfinite(bound):
            return Optimum("infeasible", by=self.name)
        assignment = assigned(self.task, query, places)
        value = checked(self.task, query, assignment, thought, self.name)
        if bound - value > grain(value):
            return Optimum("limit", value, assignment, bound, by=self.name, reason=f"{self.name} came to no exact end")
        return Optimum("optimal", value, assignment, value, by=self.name)


@dataclass(frozen=True)
class _Best:
    """What is known of a network whose variables hang together."""

    bound: float
    """No places are worth more; −∞ where the rules cannot hold together."""
    value: float = 0.0
    """What the places are worth, up to rounding."""
    places: dict[str, int] | None = None


def _proved(made: WeightedNetwork, process: "EngineProcess", until: float) -> _Best:
    """The best places of a component, its costs in whole numbers, and a bound."""
    most = {scope: float(table.max()) for scope, table in made.tables.items()}
    if -inf in most.values():
        return _Best(-inf)
    reach = sum(most[scope] - float(table[np.isfinite(table)].min()) for scope, table in made.tables.items())
    scale = min(FINEST, 2.0 ** floor(log2(LARGEST / reach))) if reach > 0 else 1.0
    costs = {scope: (most[scope] - table) * scale for scope, table in made.tables.items()}
    finite = (table[np.isfinite(table)] for table in costs.values())
    error = sum(float(np.abs(table - np.rint(table)).max()) for table in finite)
    number = {name: place for place, name in enumerate(made.sizes)}
    tables = [([number[name] for name in scope], np.rint(table).ravel().tolist()) for scope, table in costs.items()]
    rules = [
        ([(number[name], place, weight) for (name, place), weight in rule.weights.items()], -rule.constant)
        for rule in made.rules
    ]
    told = process.ask([*made.sizes.values()], tables, rules, until=until)
    if told is None or told["places"] is None:
        return _Best(-inf if told is not None and told["ended"] else inf)
    least = told["cost"] if told["ended"] else told["bound"]
    whole = sum(most.values())
    places = dict(zip(made.sizes, told["places"], strict=True))
    return _Best(whole - (least - error) / scale, whole - told["cost"] / scale, places)


class EngineProcess:
    """The process of an engine, started when it is first asked and again after it has ended."""

    def __init__(self, library: str, distribution: str) -> None:
        self.library, self.distribution = library, distribution
        self.lock, self.owner = Lock(), 0
        self.running: subprocess.Popen[bytes] | None = None
        self.line: Connection
        atexit.register(self._end)

    @property
    def installed(self) -> bool:
        """Whether the library is there."""
        return find_spec(self.library) is not None

    def ask(self, *network: Sequence[Any], until: float) -> dict[str, Any] | None:
        """Its answer; None where it has not come in time, or the process has crashed."""
        with self.lock:
            for _ in range(TRIES):
                if (left := until - time.monotonic()) <= 0:
                    return None
                try:
                    return self._asked((*network, ceil(left + GRACE)), until)
                except (EOFError, OSError):
                    self._end()
                except BaseException:  # its answer may still come, and is nobody's
                    self._end()
                    raise
        return None

    def _asked(self, question: tuple[Any, ...], until: float) -> dict[str, Any] | None:
        if self.running is None or self.owner != os.getpid() or self.running.poll() is not None:
            self.line, theirs = Pipe()
            self.running = subprocess.Popen(
                [sys.executable, str(SCRIPT), str(theirs.fileno()), self.library], pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            theirs.close()
            self.owner = os.getpid()
        self.line.send(question)
        if not self.line.poll(max(0.0, until - time.monotonic())):
            self.running.send_signal(signal.SIGINT)  # it tells what it has found then
            if not self.line.poll(GRACE):
                self._end()
                return None
        found: dict[str, Any] = self.line.recv()
        return found

    def _end(self) -> None:
        if self.owner == os.getpid() and self.running is not None:
            self.running.kill()
            self.running.wait()
            self.line.close()
        self.running = None


PROCESSES: dict[Engine, EngineProcess] = {
    "toulbar2": EngineProcess("pytoulbar2", "pytoulbar2"),
    "cp-sat": EngineProcess("ortools", "'colosseum[exact]'"),
}
"""By engine."""
