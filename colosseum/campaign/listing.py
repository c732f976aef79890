"""The runs of a folder at a glance. In: a folder and its plan; out: how far each run is, what happened, and its cost;
which run is meant by a name as typed.

An overview verifies nothing: files are only counted, so that thousands of runs are listed at once.
"""

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from colosseum.campaign.calls import Expense, read_paid
from colosseum.campaign.folder import Damaged, Folder, Plan
from colosseum.campaign.verifying import HALF, doubt, so_far
from colosseum.diagnostics import closest, file_errors, stop
from colosseum.run.trial import Listed

State: TypeAlias = Literal["complete", "failed", "unfinished", "waiting", "damaged"]
EVENT = re.compile(rb'\{"n":\d+,"event":"([a-z]+)"')  # how a line of a trace begins, whatever an agent wrote in it
SHORT = 8  # characters of an identity that are shown
MOST_LISTED = 8  # runs that a message lists


@dataclass(frozen=True)
class Overview:
    """One run."""

    listed: Listed
    state: State
    """`unfinished` goes on or was cut off, `waiting` has not begun, `damaged` has a result that cannot be read."""
    reason: str
    """Why it failed or is damaged."""
    events: Counter[str] | None
    """By kind; None where there is no trace."""
    expense: Expense | None
    """None where it has none, or is not known."""


def overview(folder: Folder, listed: Listed) -> Overview:
    """How far a run is. Raises OSError."""
    events: Counter[str] | None = None
    with suppress(FileNotFoundError), open(folder.trace(listed.trial), "rb") as file:
        events = Counter(found[1].decode() for raw in file if (found := EVENT.match(raw)))
    try:
        result = folder.result(listed.trial)
    except Damaged as damaged:
        return Overview(listed, "damaged", str(damaged), events, None)
    if result is not None:
        reason = f"{result.reason.kind}: {result.reason.words}" if result.reason else ""
        return Overview(listed, result.status, reason, events, result.expense)
    path = folder.calls(listed.trial)
    expense = Expense.of([recorded for _, recorded in read_paid(path)]) if path.exists() else None
    return Overview(listed, "waiting" if events is None else "unfinished", "", events, expense)


def run_words(listed: Listed) -> str:
    """`3fa9c2d1, prompted, seed 3`, with the sweep point and the repeat where there are any."""
    parts = [listed.trial[:SHORT], listed.point, listed.arm, f"seed {listed.seed}"]
    return ", ".join([*filter(None, parts), *([f"repeat {listed.repeat}"] if listed.repeat > 1 else [])])


def find_run(plan: Plan, words: str) -> Listed:
    """The run that is meant by the start of its identity, or by `ARM:SEED[:REPEAT]`. Raises ColosseumError."""
    found = [
        each for each in plan.trials
        if words in (name := f"{each.arm}:{each.seed}", f"{name}:{each.repeat}")
        or (words and each.trial.startswith(words.lower()))
    ]  # fmt: skip
    if len(found) == 1:
        return found[0]
    arm = words.partition(":")[0]
    near = found or [listed for listed in plan.trials if listed.arm == arm] or plan.trials
    names = "; ".join(map(run_words, near[:MOST_LISTED]))
    if found:
        raise stop("C122", f"`{words}` is {len(found)} runs", help=f"name one: {names}")
    help_ = closest(arm, plan.arms) if ":" in words and arm not in plan.arms else ""
    first = f"{near[0].arm}:{near[0].seed}" if near else ""
    raise stop("C122", f"there is no run `{words}`", help=help_ or f"as in `{first}`, or by its id: {names}")


@dataclass(frozen=True)
class RunFile:
    """One run with its events."""

    listed: Listed
    whole: bool
    """Whether the trace ends with a whole line."""
    doubt: str
    """Why it cannot be trusted; else empty."""
    events: tuple[Mapping[str, Any], ...]
    """As `colosseum schema trace` has them."""


def read_run(path: Path, listed: Listed, *, thoughts: bool = False) -> RunFile:
    """What is on file of a run, also of one that goes on or was cut off. Raises ColosseumError."""
    folder, trace = Folder(path), Folder(path).trace(listed.trial)
    if not trace.exists():
        raise stop("C122", f"the run {run_words(listed)} has not begun: there is no {trace.name}")
    with file_errors(trace, verb="read", code="C123"):
        found, broken = so_far(trace)
        wrong = broken if broken not in ("", HALF) else doubt(folder, listed, found)
    events = tuple(event for event in found if thoughts or event.get("event") != "thought")
    return RunFile(listed, broken != HALF, wrong, events)
