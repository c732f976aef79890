"""Progress. In: what became of each trial; out: a bar on a terminal, a line now and then elsewhere."""

import time
from types import TracebackType
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text

from colosseum.audit.campaign.folder import Result
from colosseum.audit.campaign.runner import Became
from colosseum.audit.trial import Listed
from colosseum.diagnostics import counted

EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


class Progress:
    """Called with every trial as it ends."""

    def __init__(self, total: int, *, stream: TextIO) -> None:
        self.total, self.stream = total, stream
        self.done, self.failed = 0, 0
        self.told = time.monotonic()
        columns = (TextColumn("runs"), BarColumn(bar_width=None), MofNCompleteColumn(), TimeRemainingColumn(),
                   TextColumn("{task.description}", style="red"))  # fmt: skip
        self.bar = Bar(*columns, console=Console(file=stream), transient=True, disable=not stream.isatty())
        self.task = self.bar.add_task("", total=total)

    def __enter__(self) -> "Progress":
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def __call__(self, trial: Listed, became: Became, result: Result | None) -> None:
        """One more trial has become what it is."""
        self.done += 1
        self.failed += became in ("failed", "failed before")
        words = f"{self.failed} failed" if self.failed else ""
        self.bar.update(self.task, completed=self.done, description=words)
        if became == "failed":
            self.bar.console.print(Text(f"failed: {trial.arm}, seed {trial.seed}"))
        if not self.stream.isatty() and time.monotonic() - self.told > EVERY:
            self.told = time.monotonic()
            print(f"{self.done} of {counted(self.total, 'run')}, {self.failed} failed", file=self.stream, flush=True)
