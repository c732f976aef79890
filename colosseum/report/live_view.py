"""Progress while work goes on. In: a Meter, or what is done of how much; out: a view on a terminal, or lines.

* `rich`: a view on a terminal, drawn twice a second, which goes when the runs are done.
* `json`: a line a minute and one at the end, for programs and log files; `colosseum schema progress` has the fields.

A stream that nobody reads any more ends the showing, not the runs.
"""

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from threading import Event
from typing import Final, Literal, TextIO, TypeAlias, get_args

from rich.console import Console, RenderableType, group
from rich.live import Live
from rich.progress import Progress as Bars
from rich.progress import TaskID
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from colosseum.campaign.meter import Gauge, watched
from colosseum.campaign.money import dollars, money
from colosseum.campaign.progress import ModelProgress, Progress
from colosseum.diagnostics import closest, counted, stop
from colosseum.report.words import span

Display: TypeAlias = Literal["rich", "json", "none"]
EVERY: Final = 10.0
"""Seconds between two lines where there is no terminal for bars."""
PATIENT: Final = 5.0
"""Seconds without an answer that are worth a word."""


def read_display(words: str | None) -> Display:
    """The display of this name; without one, or where rich has no terminal, what suits. Raises ColosseumError."""
    drawable = sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")
    match words:
        case None | "rich":
            return "rich" if drawable else "json"
        case "json" | "none":
            return words
    known = get_args(Display)
    raise stop("C122", f"`--display {words}` is none of {', '.join(known)}", help=closest(words, known))


@contextmanager
def showing(display: Display, meter: Gauge, stream: TextIO) -> Iterator[None]:
    """Within the block, show what a meter counts."""
    if display == "none":
        yield
        return
    with watched(meter, partial(_draw if display == "rich" else _tell, stream)):
        yield


def _draw(stream: TextIO, meter: Gauge, done: Event) -> None:
    console = Console(file=stream, force_terminal=True, highlight=False)
    live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False, vertical_overflow="crop")
    with suppress(OSError), live:
        live.update(draw(meter.look()), refresh=True)
        while not done.wait(0.5):
            live.update(draw(meter.look()), refresh=True)


def _tell(stream: TextIO, meter: Gauge, done: Event) -> None:
    final = False
    with suppress(OSError):
        while not final:
            final = done.wait(60)
            line = json.dumps(asdict(meter.look(final=final)), separators=(",", ":"), allow_nan=False)
            print(line, file=stream, flush=True)


@contextmanager
def progress_bars(say: Callable[[str], None]) -> Iterator[Callable[[str, int, int], None]]:
    """Takes a name, what is done and how much there is: a bar for each name; `say` has lines where no terminal is."""
    last, bars = time.monotonic(), dict[str, TaskID]()
    with Bars(console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty()) as shown:

        def tell(what: str, done: int, whole: int) -> None:
            nonlocal last
            if not shown.disable:
                if what not in bars:
                    bars[what] = shown.add_task(what, total=whole)
                shown.update(bars[what], completed=done)
            elif time.monotonic() - last >= EVERY:
                last = time.monotonic()
                say(f"{what}: {done:,} of {whole:,}")

        yield tell


# ---- what is drawn -------------------------------------------------------------------------------------------------


@group()
def draw(progress: Progress) -> Iterator[RenderableType]:
    """What matters most on top."""
    yield _bar(progress)
    yield _line(
        f"{progress.done:,} of {counted(progress.runs, 'run')} done",
        f"{progress.failed} failed" if progress.failed else "",
        f"{progress.halted} put off" if progress.halted else "",
        f"{progress.under_way} under way" if progress.under_way else "",
        f"{span(progress.seconds)} so far",
    )
    if progress.expected or progress.dollars:
        rate = progress.dollars_a_minute
        paid = money(progress.dollars or 0.0, progress.budget, progress.unpriced, unknown=progress.dollars is None)
        yield _line(f"spent {paid}", f"{dollars(rate)}/min" if rate else "")
    if progress.failed_runs:
        yield _line(f"failed runs: {_kinds(progress.failed_runs)}", style="red")
    if progress.repeated_calls:
        yield _line(f"asked again: {_kinds(progress.repeated_calls)}", style="yellow")
    table = Table.grid(padding=(0, 2))
    for each in progress.models:
        calls = f"{each.under_way} of {each.room} under way"
        cells = f"{each.answers:,} answered", calls, f"{each.waiting} waiting"
        table.add_row(_line(each.model, style="bold"), *map(_line, cells), _line(_state(each), style="yellow"))
    if progress.models:
        yield table


def _kinds(counts: Mapping[str, int]) -> str:
    """`timeout 3, context 1`, the most frequent first."""
    return ", ".join(f"{kind} {number}" for kind, number in Counter(counts).most_common())


def _line(*parts: str, style: str = "") -> Text:
    return Text(", ".join(part for part in parts if part), style, no_wrap=True, overflow="ellipsis")


def _bar(progress: Progress) -> Table:
    """`840 of 4,320 calls ━━━━━━──── 19%  12 min left`."""
    runs, calls = (progress.done, progress.runs, "runs"), (progress.answered, progress.expected, "calls")
    done, whole, what = calls if progress.expected else runs
    left = "" if progress.seconds_left is None else f"  {span(progress.seconds_left)} left"
    grid = Table.grid(padding=(0, 1), expand=True)
    for ratio in (None, 1, None):
        grid.add_column(ratio=ratio, no_wrap=True)
    bar = ProgressBar(total=1.0, completed=progress.share)
    grid.add_row(f"{done:,} of {whole:,} {what}", bar, f"{progress.share:.0%}{left}")
    return grid


def _state(model: ModelProgress) -> str:
    """What is wrong with a model, in words; empty where nothing is."""
    if model.limited_for:
        return f"rate-limited for {span(max(1.0, model.limited_for))}"
    if model.silent_for is not None and model.silent_for >= PATIENT:
        return f"no answer for {span(model.silent_for)}: {model.last_failure}; pauses in {span(model.pauses_in or 0)}"
    return ""
