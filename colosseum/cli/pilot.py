"""`colosseum audit --pilot N`. In: a planned campaign; out: some of its blocks to make first, and whether to go on.

A pilot shows no result: who saw one before deciding whether to go on would choose by it.
"""

import sys
from dataclasses import dataclass, replace

from colosseum.campaign.work import Work
from colosseum.cli.words import note, output, wants_color
from colosseum.diagnostics import counted
from colosseum.evidence.forecast import forecast
from colosseum.model.check import Checked
from colosseum.report.forecast import bill_table
from colosseum.report.page import print_blocks


@dataclass(frozen=True)
class Pilot:
    """What was asked for."""

    blocks: int
    """That are made before the user is told what the others will take."""
    yes: bool
    """Whether to go on after them without being asked."""


def goes_on(work: Work, checked: Checked, pilot: Pilot, *, as_data: bool) -> bool:
    """Print what the other blocks will take, and ask; without a terminal, `--yes` answers. Raises OSError, Damaged."""
    if not work.left:
        return True
    found = forecast(checked, replace(work.request, fresh=False, out=work.folder.path))
    left = counted(found.survey.runs.missing, "run")
    bill = [bill_table(found, f"What the {left} left will take")]
    asks = sys.stdin.isatty() and sys.stderr.isatty()
    if pilot.yes or asks:
        print_blocks(bill, sys.stderr, color=wants_color(sys.stderr.isatty()))
        return pilot.yes or _agrees()
    output(lambda: bill, "forecast", found.content, as_data)
    going_on = "the same command with `--yes`, or without `--pilot`, goes on"
    note(f"the pilot is done, and its runs count; {counted(len(work.left), 'run')} left: {going_on}")
    return False


def _agrees() -> bool:
    print("Go on? [y/N] ", end="", file=sys.stderr, flush=True)  # noqa: T201 - a question to the user
    return sys.stdin.readline().strip().lower() in ("y", "yes")
