"""The path of an audit through own code. In: a shipped spec; out: files of which a function runs, and how deep.

The depth of a call is how many functions of the package are open at that moment, the called one included; the code of
modules and classes does not count. A process of its own is measured, with one job; its cache holds the grammar only.
"""

import inspect
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from .cases import SPECS
from .lines import Mark, Measurements

SPEC = SPECS / "jira.colo"
FILES, DEPTH = 140.0, 20.0
"""Bars."""


@cache
def own(file: str) -> bool:
    """Whether code of the package stands in a file."""
    return "colosseum" in Path(file).parent.parts and "site-packages" not in file and "tests" not in Path(file).parts


class Steps:
    """Counts calls, as a profile function."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.depth = 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event != "call" or not code.co_flags & inspect.CO_OPTIMIZED or not own(code.co_filename):
            return
        self.calls[code.co_filename] += 1
        at: FrameType | None = frame
        while at is not None:
            self.depth += own(at.f_code.co_filename) and bool(at.f_code.co_flags & inspect.CO_OPTIMIZED)
            at = at.f_back


def measured(arguments: list[str]) -> dict[str, Any]:
    """Files, calls and mean depth of a command, given in this process."""
    steps = Steps()
    from colosseum.cli.commands import app

    threading.setprofile(steps)
    sys.setprofile(steps)
    try:
        app(arguments)
    except SystemExit as ended:
        if ended.code:
            raise
    finally:
        sys.setprofile(None)
    calls = steps.calls.total()
    return {"files": len(steps.calls), "calls": calls, "depth": steps.depth / calls, "by_file": dict(steps.calls)}


def path(ledger: Measurements) -> None:
    """Measure `audit --seeds 1..2`."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "path.json"
        command = ["audit", str(SPEC), "--seeds", "1..2", "--jobs", "1", "--out", str(Path(folder) / "runs")]
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        for module, arguments in (("colosseum", ["check", str(SPEC)]), ("tests.bench.path", [str(out), *command])):
            subprocess.run([sys.executable, "-m", module, *arguments], check=True, capture_output=True, env=environment)
        found = json.loads(out.read_text(encoding="utf-8"))
    heading, note = "The path of `audit --seeds 1..2`", f"{found['calls']:,} calls"
    ledger.tables([
        Mark(heading, "own files of which a function runs", found["files"], most=FILES),
        Mark(heading, "own functions that are open at a call, mean", found["depth"], most=DEPTH, note=note),
    ])  # fmt: skip


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(measured(sys.argv[2:])), encoding="utf-8")
