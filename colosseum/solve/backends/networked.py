"""Engines for cost function networks. In: a task and a query; out: proven optima, and the first of them.

Each engine has a process of its own, `toulbar2.py` or `cp_sat.py` beside this file: neither its timer nor a crash
reaches who asked. Costs are whole numbers, a power of two of them to one unit of payoff, so that payoffs that are whole
numbers or halves of halves are exact; what rounding may change of others is added to the bound.
"""

import atexit
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from math import ceil, floor, inf, isfinite, log2
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

import numpy as np

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.backend import Engine, Found, Query, Status, checked, worth
from colosseum.solve.factors import Factors
from colosseum.solve.network import NotANetwork, WeightedNetwork, network
from colosseum.solve.rounding import grain

LARGEST = 2.0**46
"""What all costs may add up to; toulbar2 counts up to 2^49."""
FINEST = 2.0**40
"""Units of cost in a unit of payoff, at most."""
MOST_OPTIMA = 1_000
"""Optima that are listed to find the first; of more it is walked to."""
MOST_TESTS = 500
"""Steps of the walk."""
GRACE = 2.0
"""Seconds after which a process that was interrupted is ended."""
TRIES = 2
"""How often a question is asked of a process that dies."""


class Networked:
    """An engine that takes a network, for one task."""

    orders: ClassVar[bool] = True

    def __init__(self, name: Engine, task: Task, factors: Factors | None = None) -> None:
        self.name, self.task, self.factors = name, task, factors or Factors(task)
        self.process = PROCESSES[name]

    def solve(self, query: Query, *, until: float) -> Found:
        """The best assignment of a query that is a network, component by component."""
        try:
            made = network(self.factors, self.factors.weights(query), query.fixed)
        except NotANetwork as fault:
            return Found("limit", by=self.name, reason=f"{self.name} takes small tables and sums: {fault}")
        if not isfinite(made.constant):
            return Found("infeasible", by=self.name)
        parts = [_Component(part, self.process, until) for part in made.components()]
        places, bound = dict[str, int](), made.constant
        for part in parts:
            if not part.best():
                status: Status = "limit" if part.bound > -inf else "infeasible"
                return Found(status, by=self.name, reason=f"{self.name} came to no end" if status == "limit" else "")
            places, bound = places | part.places, bound + part.bound
        assignment, thought = self._assignment(query, places), made.constant + sum(part.thought for part in parts)
        value = checked(self.task, query, assignment, thought, self.name)
        if bound - value > grain(value):
            return Found("limit", assignment, bound, value, self.name, reason=f"{self.name} came to no exact end")
        found = Found("optimal", assignment, None, value, self.name)
        return self._first(query, found, parts) if query.canonical and found.status == "optimal" else found

    def _first(self, query: Query, found: Found, parts: list["_Component"]) -> Found:
        """The first of all optima, where all components have theirs; else the optimum at hand."""
        assert found.value is not None
        places = dict[str, int]()
        for part in parts:
            first = part.first(grain(found.value) / len(parts))
            if first is None:
                return found
            places |= first
        assignment = self._assignment(query, places)
        value = worth(self.task, query, assignment)
        if value is None or value < found.value - grain(found.value):
            return found
        return replace(found, assignment=assignment, value=value, first=True)

    def _assignment(self, query: Query, places: Mapping[str, int]) -> dict[str, Value]:
        return {
            v.name: query.fixed[v.name] if v.name in query.fixed else v.domain[places.get(v.name, 0)]
            for v in self.task.variables
        }


class _Component:
    """A network whose variables hang together, its costs in whole numbers."""

    def __init__(self, made: WeightedNetwork, process: "EngineProcess", until: float) -> None:
        self.made, self.process, self.until = made, process, until
        self.names = list(made.sizes)
        self.places: dict[str, int] = {}
        self.bound = inf
        """What no places are worth more than; −∞ where the rules cannot hold together."""
        highest = {scope: float(table.max()) for scope, table in made.tables.items()}
        self.broken = -inf in highest.values()
        if self.broken:
            return
        tables = made.tables.items()
        reach = sum(highest[scope] - float(table[np.isfinite(table)].min()) for scope, table in tables)
        self.scale = min(FINEST, 2.0 ** floor(log2(LARGEST / reach))) if reach > 0 else 1.0
        self.most = sum(highest.values())
        self.costs = {scope: (highest[scope] - table) * self.scale for scope, table in tables}
        self.rounded = {scope: np.rint(costs) for scope, costs in self.costs.items()}
        self.cost = 0
        """Of the best places."""

    @property
    def thought(self) -> float:
        """What the best places are worth, up to rounding."""
        return self.most - self.cost / self.scale

    @cached_property
    def error(self) -> float:
        """How far the whole costs of places may lie from their costs, in units of cost."""
        finite = (costs[np.isfinite(costs)] for costs in self.costs.values())
        return sum(float(np.abs(costs - np.rint(costs)).max(initial=0.0)) for costs in finite)

    @cached_property
    def asked(self) -> dict[str, Any]:
        """The network as the process reads it."""
        number = {name: place for place, name in enumerate(self.names)}
        return {
            "sizes": list(self.made.sizes.values()),
            "tables": [([number[n] for n in scope], costs.ravel().tolist()) for scope, costs in self.rounded.items()],
            "rules": [
                ([(number[name], place, weight) for (name, place), weight in rule.weights.items()], -rule.constant)
                for rule in self.made.rules
            ],
        }

    def best(self) -> bool:
        """Find the best places and a bound; False where there are none, or none was found in time."""
        if self.broken:
            self.bound = -inf
            return False
        told = self.process.ask(self.asked, until=self.until)
        if told is None or not told["solutions"]:
            self.bound = -inf if told is not None and told["ended"] else inf
            return False
        found, self.cost = told["solutions"][0]
        self.places = dict(zip(self.names, found, strict=True))
        least = self.cost if told["ended"] else told["bound"]
        self.bound = self.most - (least - self.error) / self.scale
        return True

    def first(self, slack: float) -> dict[str, int] | None:
        """The first places that are worth at most `slack` less than the best; None where that is too much work."""
        top = self.cost + ceil(2 * self.error + slack * self.scale) + 1
        told = self.process.ask(self.asked, until=self.until, top=top, most=MOST_OPTIMA)
        if told is not None and len(told["solutions"]) >= MOST_OPTIMA:
            return self._walked(top)
        if told is None or not told["ended"]:
            return None
        return dict(zip(self.names, min(places for places, _ in told["solutions"]), strict=True))

    def _walked(self, top: int) -> dict[str, int] | None:
        """The same, variable by variable: whether one of its earlier values will do with those that are settled."""
        best, tests = [self.places[name] for name in self.names], 0
        for number in range(len(best)):
            while best[number] > 0:
                tests += 1
                allowed = {n: [best[n]] for n in range(number)} | {number: list(range(best[number]))}
                told = self.process.ask(self.asked, until=self.until, top=top, most=1, allowed=allowed)
                if tests > MOST_TESTS or told is None or not (told["ended"] or told["solutions"]):
                    return None
                if not told["solutions"]:
                    break
                best = list(told["solutions"][0][0])
        return dict(zip(self.names, best, strict=True))


class EngineProcess:
    """The process of an engine, started when it is first asked and again after it has ended."""

    def __init__(self, library: str, script: str, *, distribution: str) -> None:
        self.library, self.script, self.distribution = library, Path(__file__).with_name(script), distribution
        self.lock, self.owner = Lock(), 0
        self.running: subprocess.Popen[bytes] | None = None
        self.line: Connection
        self.loaded: dict[str, Any] | None = None
        """The network that it knows."""
        atexit.register(self._end)

    @property
    def installed(self) -> bool:
        """Whether the library is there."""
        return find_spec(self.library) is not None

    def ask(self, network: dict[str, Any], *, until: float, top: int | None = None, most: int = 0,
            allowed: Mapping[int, list[int]] | None = None) -> dict[str, Any] | None:  # fmt: skip
        """Its answer; None where it has not come in time, or the process has crashed."""
        asked: dict[str, Any] = {"top": top, "most": most, "allowed": dict(allowed or {})}
        with self.lock:
            for _ in range(TRIES):
                if (left := until - time.monotonic()) <= 0:
                    return None
                try:
                    return self._asked(network, {**asked, "seconds": ceil(left + GRACE)}, until)
                except (EOFError, OSError):
                    self._end()
                except BaseException:  # its answer may still come, and is nobody's
                    self._end()
                    raise
        return None

    def _asked(self, network: dict[str, Any], asked: dict[str, Any], until: float) -> dict[str, Any] | None:
        if self.running is None or self.owner != os.getpid() or self.running.poll() is not None:
            self.line, theirs = Pipe()
            self.running = subprocess.Popen(
                [sys.executable, str(self.script), str(theirs.fileno())], pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            theirs.close()
            self.owner, self.loaded = os.getpid(), None
        self.line.send(asked if self.loaded is network else {**asked, "network": network})
        self.loaded = network
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
    "toulbar2": EngineProcess("pytoulbar2", "toulbar2.py", distribution="pytoulbar2"),
    "cp-sat": EngineProcess("ortools", "cp_sat.py", distribution="'colosseum[exact]'"),
}
"""By engine."""
