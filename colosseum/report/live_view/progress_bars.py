"""How far a long computation is. In: what is done, and how much; out: bars on a terminal, else a line now and then."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

EVERY: Final = 10.0
"""Seconds between two lines where there is no terminal."""


@contextmanager
def progress_bars(say: Callable[[str], None]) -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each thing by its name; `say` prints a line where there is no terminal."""
    if not sys.stderr.isatty():
        yield _lines(say)
        return
    from rich.console import Console
    from rich.progress import Progress, TaskID

    with Progress(console=Console(file=sys.stderr), transient=True) as progress:
        bars: dict[str, TaskID] = {}

        def tell(what: str, done: int, whole: int) -> None:
            if what not in bars:
                bars[what] = progress.add_task(what, total=whole)
            progress.update(bars[what], completed=done)

        yield tell


def _lines(say: Callable[[str], None]) -> Callable[[str, int, int], None]:
    last = time.monotonic()

    def tell(what: str, done: int, whole: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            say(f"{what}: {done:,} of {whole:,}")

    return tell
