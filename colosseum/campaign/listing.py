"""The runs of a folder at a glance. In: a folder and its plan; out: how far each run is, what happened, and its cost.

Nothing is verified: files are only counted, so that thousands of runs are listed at once.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from colosseum.campaign.calls import read_paid
from colosseum.campaign.folder import Damaged, Expense, Folder, Plan
from colosseum.run.trial import Listed

State: TypeAlias = Literal["complete", "failed", "unfinished", "waiting", "damaged"]
EVENT = re.compile(rb'\{"n":\d+,"event":"([a-z]+)"')
"""How a line of a trace begins, whatever an agent wrote in it."""


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


def overviews(folder: Folder, plan: Plan) -> Iterator[Overview]:
    """Every run of the plan, in its order. Raises OSError."""
    for listed in plan.trials:
        yield _overview(folder, listed)


def _overview(folder: Folder, listed: Listed) -> Overview:
    events = _counted(folder.trace(listed.trial))
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


def _counted(path: Path) -> Counter[str] | None:
    try:
        with open(path, "rb") as file:
            return Counter(found[1].decode() for raw in file if (found := EVENT.match(raw)))
    except FileNotFoundError:
        return None
