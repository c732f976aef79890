"""Bars for long computations. In: what is done, and how far; out: bars on a terminal, nothing elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, TaskID


@contextmanager
def progress_bars() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each thing that is told of."""
    with Progress(console=Console(file=sys.stderr), transient=True, disable=not sys.stderr.isatty()) as progress:
        bars: dict[str, TaskID] = {}

        def tell(what: str, done: int, whole: int) -> None:
            if what not in bars:
                bars[what] = progress.add_task(what, total=whole)
            progress.update(bars[what], completed=done)

        yield tell
