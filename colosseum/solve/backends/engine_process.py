"""Processes of engines. In: a question in whole numbers; out: the answer, or that none came in time.

Each engine runs `engine_script.py` in a process of its own: neither its timer nor a crash reaches who asked. Costs are
whole numbers, a power of two to a unit of payoff; what rounding may change is added to the bound.
"""

import atexit
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from math import ceil, floor, log2
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Lock
from typing import Any

from colosseum.model.scenario import Task
from colosseum.model.values import Value
from colosseum.solve.backend import Engine, Optimum, Query, checked
from colosseum.solve.scoring import grain

LARGEST = 2.0**46  # what all costs may add up to; toulbar2 counts up to 2^49
FINEST = 2.0**40  # units of cost in a unit of payoff, at most
GRACE = 2.0  # seconds after which a process that was interrupted is ended
NO_END = "it came to no exact end"  # why an answer is not proven
SCRIPT = Path(__file__).with_name("engine_script.py")
TRIES = 2  # how often a question is asked of a process that dies


def units(reach: float) -> float:
    """Units of cost in a unit of payoff, where all payoffs together reach so far."""
    return min(FINEST, 2.0 ** floor(log2(LARGEST / reach))) if reach > 0 else 1.0


def judged(
    task: Task, query: Query, assignment: dict[str, Value], by: Engine, *, thought: float, bound: float
) -> Optimum:  # fmt: skip
    """An engine's answer: the best where its bound is no more than it is worth in the model."""
    value = checked(task, query, assignment, thought, by, off=max(0.0, bound - thought))
    if bound - value > grain(value):
        return Optimum("limit", value, assignment, bound, by=by, reason=NO_END)
    return Optimum("optimal", value, assignment, value, by=by)


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

    def ask(self, *question: Any, until: float) -> dict[str, Any] | None:
        """Its answer; None where it has not come in time, or the process has crashed."""
        with self.lock:
            for _ in range(TRIES):
                if (left := until - time.monotonic()) <= 0:
                    return None
                try:
                    return self._asked((*question, ceil(left + GRACE)), until)
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
