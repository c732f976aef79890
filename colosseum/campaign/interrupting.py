"""Ctrl-C. In: work that asks models; out: its result, or a KeyboardInterrupt once nothing paid for gets lost."""

import asyncio
import math
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from colosseum.campaign.part import Say
from colosseum.campaign.signals import STOPS, heard, more_time
from colosseum.campaign.source import PaidSource
from colosseum.diagnostics import counted
from colosseum.run.run import completed

T = TypeVar("T")
LOOKING, WAITING = 0.1, 0.02
"""Seconds between two looks at whether somebody said stop, and then at calls under way."""
TERMINATING = 4.0
"""Seconds for which they are waited for after SIGTERM: who sends it kills what does not end soon."""


def awaited(work: Coroutine[None, None, T], source: PaidSource, warn: Say) -> T:
    """The result of work that asks models.

    Calls under way are paid for, so after a signal they are waited for; a second one does not wait. A third one does
    not even wait for what is being computed: it ends us wherever we are, not always tidily.

    Raises KeyboardInterrupt after Ctrl-C or SIGTERM, once calls under way have ended, and the first of what broke.
    """
    signals, until = 0, math.inf

    def hear(number: int, frame: FrameType | None) -> None:
        nonlocal signals, until
        heard(number)
        signals += 1
        until = time.monotonic() + TERMINATING if number == signal.SIGTERM else until
        if signals > 2:
            raise KeyboardInterrupt
        source.stop()
        if signals == 1 and source.provider.under_way:
            calls = counted(source.provider.under_way, "call")
            warn(f"waiting for {calls} under way, so that no answer is lost; Ctrl-C again does not wait")

    def patient() -> bool:
        more_time()
        return signals < 2 and time.monotonic() < until

    try:
        with handling(hear):
            task = completed(unless_stopped(work, source, lambda: signals > 0, patient=patient))
        if not signals:
            return task.result()
        if not task.cancelled():
            task.exception()  # it was about to end by itself; what we were asked for comes first
    except KeyboardInterrupt:
        pass
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None  # one is enough to say what broke; the others were cut off by it
    raise KeyboardInterrupt("what was answered is kept: the same call goes on")


async def unless_stopped(
    work: Coroutine[None, None, T], source: PaidSource, stopped: Callable[[], bool],
    *, patient: Callable[[], bool] = lambda: True, looking: float = LOOKING,
) -> "asyncio.Task[T]":  # fmt: skip
    """The work once it has ended: by itself or, when it is stopped, after calls under way, which are paid for."""
    task = asyncio.create_task(work)
    while not task.done():
        await asyncio.wait([task], timeout=looking)
        if not task.done() and stopped():
            source.stop()
            while source.provider.under_way and patient():
                await asyncio.sleep(WAITING)
            task.cancel()
            await asyncio.wait([task])
    return task


@contextmanager
def handling(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Within the block the handler hears of what asks us to stop; only the main thread can hear of it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in STOPS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
