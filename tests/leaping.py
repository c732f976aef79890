"""A loop whose clock moves on by itself. In: work that waits; out: its result, at once."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Leaping(selectors.DefaultSelector):
    """Waits by moving the clock on. Raises StuckError where nothing would ever happen."""

    def __init__(self, early: float) -> None:
        super().__init__()
        self.now, self.early = 0.0, early

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready at once; else time passes."""
        ready = super().select(0)
        if not ready and timeout is None:
            raise StuckError
        if not ready and timeout is not None and timeout > 0:
            self.now += timeout - self.early if timeout > 2 * self.early else timeout
        return ready


class StuckError(Exception):
    """Somebody waits for what never comes."""


class LeapingLoop(asyncio.SelectorEventLoop):
    """A loop on that clock; `early` is by how many seconds timers go off too early, as real ones may."""

    def __init__(self, early: float = 0.0) -> None:
        self.leaping = Leaping(early)
        super().__init__(self.leaping)

    def time(self) -> float:
        """Seconds since it was made."""
        return self.leaping.now


def leap(work: Coroutine[Any, Any, T], *, early: float = 0.0) -> T:
    """The work's result, at once."""
    with asyncio.Runner(loop_factory=lambda: LeapingLoop(early)) as runner:
        return runner.run(work)


def now() -> float:
    return asyncio.get_running_loop().time()
