"""Ctrl-C and SIGTERM for every command. In: signals; out: a KeyboardInterrupt at once, and the exit code for it.

Python hears a signal between two of its own steps, and an event loop between two of its tasks. Where that takes longer
than GRACE, as within a solver, a thread ends the process: everything that counts is on file already.
"""

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

GRACE = 3.0
"""Seconds in which we end in good order."""
STOPS = (signal.SIGINT, signal.SIGTERM)
LOOKING = 0.05
"""Seconds between two looks at the time."""
SHOWN = "\x1b[?25h"
"""Shows the cursor, which a live view hides."""


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
                os.write(2, ((SHOWN if os.isatty(2) else "") + "interrupted: run the same command to go on\n").encode())
                os._exit(128 + self.number)
            time.sleep(LOOKING)


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
    term = signal.signal(signal.SIGTERM, interrupt)
    fd = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    thread = threading.Thread(target=watch.wait, args=(reading,), name="obeying", daemon=True)
    thread.start()
    try:
        yield
    finally:
        watch.over = True
        signal.set_wakeup_fd(fd)
        signal.signal(signal.SIGTERM, term)
        os.close(writing)
        thread.join()
        os.close(reading)


def interrupt(number: int, frame: FrameType | None) -> None:
    """A handler of signals."""
    heard(number)
    raise KeyboardInterrupt


def heard(number: int) -> None:
    """Note which signal it was that ends us."""
    _watch.number = number


def more_time(seconds: float = GRACE) -> None:
    """What goes on after a signal ends by itself within so many seconds from now."""
    _watch.least = time.monotonic() + seconds


def exit_code() -> int:
    """Of a command that was interrupted: 130, or 143 after SIGTERM."""
    return 128 + _watch.number
