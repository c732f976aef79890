"""Processes of this machine for scripted players. In: instructions; out: a crew for blocks.

Scripted players compute and never wait, so that more of them at once need more cores. Models wait, and need none of
this.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from queue import SimpleQueue

from colosseum.campaign.worker import Instructions, Made, Share, make_block


class Died(Exception):  # noqa: N818 - what is wrong, in words
    """A process of ours was ended from outside."""


@contextmanager
def processes(number: int, instructions: Instructions) -> Iterator["ProcessCrew"]:
    """So many processes that make runs."""
    instructions.token_path.write_text(instructions.token, encoding="utf-8")
    try:
        with pool(number) as workers:
            yield ProcessCrew(number, instructions, workers)
    finally:
        instructions.token_path.unlink(missing_ok=True)


@contextmanager
def pool(number: int) -> Iterator[ProcessPoolExecutor]:
    """So many processes; they end with this one, whatever ends it."""
    workers = ProcessPoolExecutor(number, multiprocessing.get_context("spawn"), _begin)
    try:
        yield workers
    except BaseException:
        for process in multiprocessing.active_children():
            process.kill()  # what it was at is made anew
        raise
    finally:
        workers.shutdown(cancel_futures=True)


def _begin() -> None:
    """Called in a process as it starts: Ctrl-C and SIGTERM are for its parent, with which it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


@dataclass
class ProcessCrew:
    """The processes."""

    number: int
    instructions: Instructions
    pool: ProcessPoolExecutor
    finished: "SimpleQueue[tuple[int, Future[Made]] | None]" = field(default_factory=SimpleQueue)
    """Blocks that are done; None when somebody says stop."""
    stopped: bool = False

    def workers(self) -> int:
        """How many there are."""
        return self.number

    def places(self) -> int:
        """A block for each, and one more, so that nobody waits for the next."""
        return 2 * self.number

    def give(self, number: int, share: Share) -> None:
        """A block for one of them."""
        future = self.pool.submit(make_block, self.instructions, share)
        future.add_done_callback(lambda done: self.finished.put((number, done)))

    def take(self) -> tuple[int, Made]:
        """Wait for a block to be done. Raises Died, KeyboardInterrupt, and whatever broke in the block."""
        done = self.finished.get()
        if done is None or self.stopped:  # a process may have been told first, and have ended
            raise KeyboardInterrupt
        number, future = done
        try:
            return number, future.result()
        except BrokenProcessPool:
            raise Died("a worker process was killed from outside; run the same command to go on") from None

    def interrupt(self) -> None:
        """Let `take` raise KeyboardInterrupt; may be called by a handler of signals."""
        self.stopped = True
        self.finished.put(None)
