"""Progress while work goes on. In: a Meter, or what is done of how much; out: a view on a terminal, or lines.

A stream that nobody reads any more ends the showing, not the runs.
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict
from functools import partial
from threading import Event

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bars

from colosseum.campaign.meter import SCHEMA, AuditRemark, Gauge, Progress, ProgressLine, telling, watched
from colosseum.campaign.money import money
from colosseum.cli.options import Display
from colosseum.diagnostics import counted
from colosseum.report.words import span

EVERY = 10.0  # seconds between two lines that say how far a command is


def watching(display: Display | None) -> Callable[[Gauge], AbstractContextManager[None]]:
    """What shows what a meter counts; without a display, or where no terminal can be drawn on, what suits."""
    drawable = sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")
    if display is Display.NONE:
        return lambda _: nullcontext()
    return partial(watched, watch=_draw) if drawable and display is not Display.JSON else telling(_line, 60)


def _draw(meter: Gauge, done: Event) -> None:
    console = Console(stderr=True, force_terminal=True, highlight=False)
    columns = BarColumn(20), TextColumn("{task.description}", markup=False)
    with suppress(OSError), Bars(*columns, console=console, auto_refresh=False, transient=True) as bars:
        bar, over = bars.add_task("", total=1.0), False
        while not over:
            found = meter.look()
            bars.update(bar, completed=found.share, description="\n".join(view(found)), refresh=True)
            over = done.wait(0.5)


def _line(found: ProgressLine) -> None:
    line = json.dumps(asdict(found), separators=(",", ":"), allow_nan=False)
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - for programs and log files


def remark(words: str) -> None:
    """Words for the user as a line of JSON, as `--display json` has them."""
    _line(AuditRemark("remark", SCHEMA, words))


def view(found: Progress) -> Iterator[str]:
    """Lines of words, what matters most on top."""
    left = "" if found.seconds_left is None else f", {span(found.seconds_left)} left"
    became = {"failed": found.failed, "put off": found.halted, "under way": found.under_way}
    words = [f"{found.done:,} of {counted(found.runs, 'run')}", *(f"{n} {what}" for what, n in became.items() if n)]
    yield f"{', '.join(words)}, {span(found.seconds)} so far{left}"
    if found.turns:
        spent = money(found.dollars or 0.0, found.budget, found.unpriced, unknown=found.dollars is None)
        yield f"{found.turns_begun:,} of {found.turns:,} turns, spent {spent}"
    for what, kinds in (("failed runs", found.failed_runs), ("asked again", found.repeated_calls)):
        if kinds:
            yield f"{what}: {', '.join(f'{kind} {number}' for kind, number in Counter(kinds).most_common())}"
    for each in found.models:
        state = f", rate-limited for {span(max(1.0, each.limited_for))}" if each.limited_for else ""
        if each.silent_for:
            pause = span(each.pauses_in or 0)
            state = f", no answer for {span(each.silent_for)}: {each.last_failure}; pauses in {pause}"
        yield f"{each.model}: {each.under_way} of {each.room} calls under way, {each.waiting} waiting{state}"


def progress_lines(say: Callable[[str], None]) -> Callable[[str, int, int], None]:
    """Takes a name, what is done and how much there is, and says so every now and then."""
    last = time.monotonic()

    def tell(what: str, done: int, whole: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            say(f"{what}: {done:,} of {whole:,}")

    return tell
