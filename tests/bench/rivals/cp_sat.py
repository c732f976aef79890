"""CP-SAT on the natural model. In: a task; out: an Answer; `cp_sat_process.py` is the process that solves it."""

from pathlib import Path

from colosseum.model.scenario import Task

from ..network import Network
from . import Answer
from .process import solve_apart


def solve(task: Task, *, limit: float, natural: Network | None = None) -> Answer:
    """Maximise F_n with one worker and `linearization_level=2`."""
    script = Path(__file__).with_name("cp_sat_process.py")
    return solve_apart(task, library="ortools", script=script, limit=limit, natural=natural)
