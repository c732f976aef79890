"""Ctrl-C. In: work that asks models; out: its result, or a KeyboardInterrupt once nothing paid for gets lost."""

import asyncio
import math
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from colosseum.campaign.source import PaidSource
from colosseum.cli.obeying import STOPS, heard, more_time
from colosseum.cli.words import note
from colosseum.diagnostics import counted

T = TypeVar("T")
LOOKING = 0.02
"""Seconds between two looks at calls under way."""
TERMINATING = 10.0
"""Seconds for which they are waited for after SIGTERM: who sends it kills what does not end soon."""


async def until_interrupted(work: Coroutine[None, None, T], source: PaidSource) -> T:
    """The work's result. Raises KeyboardInterrupt after Ctrl-C or SIGTERM, once calls under way have ended.

    Their answers are paid for, so they are waited for; a second signal does not wait. A third one does not even wait
    for what is being computed: it ends us wherever we are, which is not always tidy.
    """
    loop, asked, signals, until = asyncio.get_running_loop(), asyncio.Event(), 0, math.inf

    def stopped(number: int, frame: FrameType | None) -> None:
        nonlocal signals, until
        signals += 1
        until = loop.time() + TERMINATING if number == signal.SIGTERM else until
        if signals > 2:
            raise KeyboardInterrupt
        if signals > 1:
            return
        source.stop()
        if source.provider.under_way:
            calls = counted(source.provider.under_way, "call")
            note(f"waiting for {calls} under way, so that no answer is lost; Ctrl-C again does not wait")
        loop.call_soon_threadsafe(asked.set)

    with handling(stopped):
        working, waiting = asyncio.ensure_future(work), asyncio.ensure_future(asked.wait())
        await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            waiting.cancel()
            return working.result()
        while source.provider.under_way and signals < 2 and loop.time() < until:
            more_time()
            await asyncio.sleep(LOOKING)
        working.cancel()
        await asyncio.wait({working})
        if not working.cancelled():
            working.exception()  # it was about to end by itself; what we were asked for comes first
        raise KeyboardInterrupt


@contextmanager
def handling(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Within the block the handler hears of what asks us to stop."""

    def told(number: int, frame: FrameType | None) -> None:
        heard(number)
        handler(number, frame)

    before = {number: signal.signal(number, told) for number in STOPS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def awaited(work: Coroutine[None, None, T], source: PaidSource) -> T:
    """The result of work that asks models. Raises KeyboardInterrupt, and the first of what broke."""
    try:
        return asyncio.run(until_interrupted(work, source))
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None  # one is enough to say what broke; the others were cut off by it
