"""Ctrl-C and SIGTERM. In: signals; out: a KeyboardInterrupt, at once or when nothing paid for gets lost; an exit code.

Python hears a signal between two of its own steps, and an event loop between two of its tasks. Where that takes longer
than GRACE, as within a solver, a thread ends the process: everything that counts is on file already.
"""

import math
import os
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

from colosseum.diagnostics import counted

if TYPE_CHECKING:
    import asyncio

    from colosseum.campaign.runner import PaidSource

T = TypeVar("T")

GRACE = 3.0  # seconds in which we end in good order
STOPS = (signal.SIGINT, signal.SIGTERM)
LOOKING, WAITING, SOON = 0.1, 0.02, 0.05
"""Seconds between two looks: at whether somebody said stop; then at calls under way, and at the time."""
TERMINATING = 4.0
"""Seconds for which calls under way are waited for after SIGTERM: who sends it kills what does not end soon."""
INTERRUPTED = "interrupted: run the same command to go on"


class _Watch:
    """What one command was told to do, and how long it has for that."""

    def __init__(self) -> None:
        self.number: int = signal.SIGINT
        self.until, self.least = math.inf, -math.inf  # a handler may give time before the thread knows of its signal
        self.over = False

    def wait(self, reading: int) -> None:
        """End the process when time is up; a byte for every signal comes through the pipe."""
        while not self.over and (byte := os.read(reading, 1)):
            if byte[0] in STOPS:
                self.number, self.until = byte[0], time.monotonic() + GRACE
                break
        while not self.over:
            if time.monotonic() > max(self.until, self.least):
                shown = "\x1b[?25h" if os.isatty(2) else ""  # the cursor, which a live view hides
                os.write(2, f"{shown}{INTERRUPTED}\n".encode())
                os._exit(128 + self.number)
            time.sleep(SOON)


_watch = _Watch()


@contextmanager
def obeying() -> Iterator[None]:
    """Within the block SIGTERM raises KeyboardInterrupt, as Ctrl-C does, and neither waits for what is computed."""
    global _watch
    if threading.current_thread() is not threading.main_thread() or os.name == "nt":
        yield
        return
    watch = _watch = _Watch()
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    fd = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    thread = threading.Thread(target=watch.wait, args=(reading,), name="obeying", daemon=True)
    thread.start()
    try:
        with handling(interrupt, signal.SIGTERM):
            yield
    finally:
        watch.over = True
        signal.set_wakeup_fd(fd)
        os.close(writing)
        thread.join()
        os.close(reading)


@contextmanager
def handling(handler: Callable[[int], None], *numbers: signal.Signals) -> Iterator[None]:
    """Within the block the handler hears of these signals, else of all that stop us, where this is the main thread."""

    def heard(number: int, frame: FrameType | None) -> None:
        _watch.number = number  # it is the one that ends us
        handler(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, heard) for number in numbers or STOPS}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


def interrupt(number: int) -> None:
    """A handler of signals."""
    raise KeyboardInterrupt


def more_time() -> None:
    """What goes on after a signal ends by itself soon, counted from now."""
    _watch.least = time.monotonic() + GRACE


def exit_code() -> int:
    """Of a command that was interrupted: 130, or 143 after SIGTERM."""
    return 128 + _watch.number


def awaited(work: Coroutine[None, None, T], source: "PaidSource", warn: Callable[[str], None]) -> T:
    """The result of work that asks models.

    Calls under way are paid for, so after a signal they are waited for; a second one does not wait. A third one does
    not even wait for what is being computed: it ends us wherever we are, not always tidily.

    Raises KeyboardInterrupt after Ctrl-C or SIGTERM, once calls under way have ended, and the first of what broke.
    """
    from colosseum.run.run import completed

    signals, until = 0, math.inf

    def hear(number: int) -> None:
        nonlocal signals, until
        signals += 1
        until = time.monotonic() + TERMINATING if number == signal.SIGTERM else until
        if signals > 2:
            raise KeyboardInterrupt
        source.provider.stopping = True
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
    work: Coroutine[None, None, T], source: "PaidSource", stopped: Callable[[], bool],
    *, patient: Callable[[], bool] = lambda: True, looking: float = LOOKING,
) -> "asyncio.Task[T]":  # fmt: skip
    """The work once it has ended: by itself or, when it is stopped, after calls under way, which are paid for."""
    import asyncio

    task = asyncio.create_task(work)
    while not task.done():
        await asyncio.wait([task], timeout=looking)
        if not task.done() and stopped():
            source.provider.stopping = True
            while source.provider.under_way and patient():
                await asyncio.sleep(WAITING)
            task.cancel()
            await asyncio.wait([task])
    return task
