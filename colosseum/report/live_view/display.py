"""Shows progress while a campaign goes on. In: a Meter and a stream; out: a view drawn twice a second, or JSON.

* `rich`: a view on a terminal, which goes when the runs are done.
* `json`: a line a minute and one at the end, for programs and log files; `colosseum schema progress` has the fields.

A thread looks now and then. A stream that nobody reads any more ends the showing, not the runs.
"""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from threading import Event
from typing import Literal, TextIO, TypeAlias, get_args

from colosseum.campaign.meter import Meter, watched
from colosseum.diagnostics import closest, stop

Display: TypeAlias = Literal["rich", "json", "none"]


@contextmanager
def showing(display: Display, meter: Meter, stream: TextIO) -> Iterator[None]:
    """Within the block, show what a meter counts."""
    if display == "none":
        yield
        return
    with watched(meter, partial(_draw if display == "rich" else _tell, stream)):
        yield


def _draw(stream: TextIO, meter: Meter, done: Event) -> None:
    from rich.console import Console
    from rich.live import Live

    from colosseum.report.live_view.drawing import draw

    console = Console(file=stream, force_terminal=True, highlight=False)
    live = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False, vertical_overflow="crop")
    with suppress(OSError), live:
        live.update(draw(meter.look()), refresh=True)
        while not done.wait(0.5):
            live.update(draw(meter.look()), refresh=True)


def _tell(stream: TextIO, meter: Meter, done: Event) -> None:
    with suppress(OSError):
        final = False
        while not final:
            final = done.wait(60)
            line = json.dumps(asdict(meter.look(final=final)), separators=(",", ":"), allow_nan=False)
            print(line, file=stream, flush=True)


def read_display(words: str | None, *, stream: TextIO | None = None) -> Display:
    """The display of this name; without one, or where rich has no terminal, what suits. Raises ColosseumError."""
    drawable = (stream or sys.stderr).isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")
    match words:
        case None | "rich":
            return "rich" if drawable else "json"
        case "json":
            return "json"
        case "none":
            return "none"
    known = get_args(Display)
    raise stop("C122", f"`--display {words}` is none of {', '.join(known)}", help=closest(words, known))
