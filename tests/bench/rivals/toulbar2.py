"""toulbar2 on the natural model. In: a task; out: an Answer; `toulbar2_process.py` is the process that solves it."""

from pathlib import Path

from colosseum.model.scenario import Task

from ..network import Network
from . import Answer
from .process import solve_apart


def solve(task: Task, *, limit: float, natural: Network | None = None) -> Answer:
    """Maximise F_n as a cost function network."""
    script = Path(__file__).with_name("toulbar2_process.py")
    return solve_apart(task, library="pytoulbar2", script=script, limit=limit, natural=natural)
