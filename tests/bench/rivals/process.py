"""Rivals that need a process of their own. In: a Network and the script that solves it; out: an Answer.

OR-Tools and HiGHS do not share a process. The script reads one JSON object from stdin and writes one to stdout:
`places` (of each variable's value in its domain, or null), `proven`, and the seconds it took to load, build and solve.
"""

import json
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from colosseum.model.scenario import Task
from colosseum.solve.goal import WELFARE

from ..network import Network, Unnatural, network
from . import Answer, worth

SCALE = 10**6
"""Costs are rounded to whole multiples of 1 / SCALE, as these solvers count in whole numbers."""
GRACE = 240.0
"""Seconds past its limit after which a process is ended; a busy machine may be slow."""


def solve_apart(task: Task, *, library: str, script: Path, limit: float, natural: Network | None = None) -> Answer:
    """Maximise F_n in another process, which may search for `limit` seconds."""
    if find_spec(library) is None:
        return Answer("not installed")
    try:
        made = natural or network(task)
    except Unnatural as fault:
        return Answer("not expressible", note=str(fault))
    given = json.dumps({**made.plain(), "scale": SCALE, "limit": limit})
    began = time.perf_counter()
    try:
        ended = subprocess.run(
            [sys.executable, str(script)],
            input=given,
            capture_output=True,
            text=True,
            timeout=limit + GRACE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer("limit", solve=time.perf_counter() - began, note="ended from outside")
    if ended.returncode != 0:
        return Answer("failed", note=(ended.stderr.strip().splitlines() or ["no word"])[-1])
    return _read(task, made, json.loads(ended.stdout.splitlines()[-1]))


def _read(task: Task, made: Network, said: dict[str, object]) -> Answer:
    """A script's answer. It is a float's rounding, once for each number that is added up, away from the optimum."""
    if said.get("unnatural"):
        return Answer("not expressible", note=str(said["unnatural"]))
    startup, build, solve = (float(str(said[name])) for name in ("startup", "build", "solve"))
    places = said["places"]
    if not isinstance(places, list):
        return Answer("infeasible" if said["proven"] else "limit", build=build, solve=solve, startup=startup)
    x = {v.name: v.domain[place] for v, place in zip(task.variables, places, strict=True)}
    rounded = made.parts + sum(len(items) + 1 for _, _, items in made.excesses)
    return Answer(
        "optimal" if said["proven"] else "limit",
        worth(task, WELFARE, x),
        build=build,
        solve=solve,
        startup=startup,
        slack=rounded / SCALE,
    )
