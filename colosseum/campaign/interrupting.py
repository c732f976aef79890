"""Ctrl-C. In: work that asks models; out: its result, or a KeyboardInterrupt once nothing paid for gets lost."""

import asyncio
import math
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TypeVar

from colosseum.campaign.part import Say
from colosseum.campaign.signals import STOPS, heard, more_time
from colosseum.campaign.source import PaidSource
from colosseum.diagnostics import counted
from colosseum.run.event_loop import completed

T = TypeVar("T")
LOOKING = 0.02
"""Seconds between two looks at calls under way."""
TERMINATING = 4.0
"""Seconds for which they are waited for after SIGTERM: who sends it kills what does not end soon."""


def awaited(work: Coroutine[None, None, T], source: PaidSource, warn: Say) -> T:
    """The result of work that asks models.

    Raises KeyboardInterrupt after Ctrl-C or SIGTERM, once calls under way have ended, and the first of what broke.
    """
    stopping = _Stopping(source, warn)
    try:
        with handling(stopping.heard):
            return completed(stopping.until_interrupted(work))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("what was answered is kept: the same call goes on") from None
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None  # one is enough to say what broke; the others were cut off by it


@dataclass
class _Stopping:
    """Ends work that asks models, in good order."""

    source: PaidSource
    warn: Say
    signals: int = 0
    until: float = math.inf
    """By the monotonic clock, when calls under way are waited for no longer."""
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    loop: asyncio.AbstractEventLoop | None = None
    """Where the work goes on."""

    def heard(self, number: int, frame: FrameType | None) -> None:
        """Calls under way are paid for, so they are waited for; a second signal does not wait.

        A third one does not even wait for what is being computed: it ends us wherever we are, not always tidily.
        """
        self.signals += 1
        self.until = time.monotonic() + TERMINATING if number == signal.SIGTERM else self.until
        if self.signals > 2:
            raise KeyboardInterrupt
        if self.signals == 1:
            self.source.stop()
            if self.source.provider.under_way:
                calls = counted(self.source.provider.under_way, "call")
                self.warn(f"waiting for {calls} under way, so that no answer is lost; Ctrl-C again does not wait")
            if self.loop is not None:
                self.loop.call_soon_threadsafe(self.asked.set)

    async def until_interrupted(self, work: Coroutine[None, None, T]) -> T:
        """The work's result. Raises KeyboardInterrupt once calls under way have ended."""
        self.loop = asyncio.get_running_loop()
        working, waiting = asyncio.ensure_future(work), asyncio.ensure_future(self.asked.wait())
        if self.signals:
            self.asked.set()
        await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            waiting.cancel()
            return working.result()
        await ended(working, self.source, self._patient)
        if not working.cancelled():
            working.exception()  # it was about to end by itself; what we were asked for comes first
        raise KeyboardInterrupt

    def _patient(self) -> bool:
        more_time()
        return self.signals < 2 and time.monotonic() < self.until


async def ended(work: "asyncio.Future[T]", source: PaidSource, patient: Callable[[], bool] = lambda: True) -> None:
    """End work once calls under way, which are paid for, have ended, or nobody is patient any more."""
    source.stop()
    while source.provider.under_way and patient():
        await asyncio.sleep(LOOKING)
    work.cancel()
    await asyncio.wait([work])


@contextmanager
def handling(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Within the block the handler hears of what asks us to stop; only the main thread can hear of it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def told(number: int, frame: FrameType | None) -> None:
        heard(number)
        handler(number, frame)

    before = {number: signal.signal(number, told) for number in STOPS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
