"""Campaigns by several processes. In: a campaign that is planned, and where workers are; out: its runs, made by them.

The seam is `concurrent.futures.Executor`: processes of this machine here, Dask's on a cluster. A worker is given some
blocks at a time, and says what became of them.
"""

import math
import multiprocessing
import os
import secrets
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from time import monotonic
from types import FrameType

from colosseum.campaign.cluster import WorkerPlace, Workers, connected
from colosseum.campaign.folder import Result, Status
from colosseum.campaign.interrupting import TERMINATING, handling
from colosseum.campaign.meter import Gauge
from colosseum.campaign.planning import Planned
from colosseum.campaign.purse import Purse
from colosseum.campaign.runner import Became, Tally
from colosseum.campaign.signals import more_time
from colosseum.campaign.work import Work
from colosseum.campaign.worker import Instructions, Made, known_trials, make_blocks, meet
from colosseum.diagnostics import counted, stop
from colosseum.players.models.request import Endpoint
from colosseum.run.redaction import secrets as passwords
from colosseum.run.trial import Listed

LOOKING = 0.5
"""Seconds between two looks at what goes on."""
ROUNDS = 4
"""Batches for each worker: a late one still finds some, and none waits long for another."""
CALLING = 2
"""Batches that a worker on a cluster has at once where models play: when one ends, calls of the other go on."""
MOST = 16
"""Blocks of one batch, as far as they cost next to nothing."""


@contextmanager
def pool(number: int) -> Iterator[ProcessPoolExecutor]:
    """So many processes; they end with this one, whatever ends it.

    They are forked where no other thread may be in the middle of something: that saves each a second of imports.
    """
    threads = {thread.name for thread in threading.enumerate()} - {"MainThread", "obeying"}
    way = "fork" if sys.platform == "linux" and not threads else "spawn"
    workers = ProcessPoolExecutor(number, multiprocessing.get_context(way), _begin)
    workers.submit(int)  # so that they are forked now, before there are threads
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
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)


def run_by_workers(work: Work, models: Mapping[str, Endpoint], purse: Purse, meter: Gauge) -> Tally:
    """Make the runs, in processes of this machine or on a cluster.

    Raises ColosseumError, OSError, Damaged, KeyboardInterrupt, and whatever breaks in a worker.
    """
    place, begin = work.request.cluster if work.left else None, Beginning(work, models, purse)
    try:
        if place is None:
            number = work.processes
            with begin.told(number) as told, pool(number) as executor:
                workers = Workers(executor, lambda: number)
                return Dispatch(work, told, purse, meter, workers).run(1 if models else ROUNDS, bool(models))
        begin.check(place)
        with connected(place, CALLING if models else 1, work.request.say) as workers:
            number = max(place.number, workers.number())
            with begin.told(number) as told:
                begin.meet(workers, number, told)
                return Dispatch(work, told, purse, meter, workers).run(ROUNDS, bool(models))
    except BrokenProcessPool:
        raise stop("C127", "a worker process was killed from outside; run the same command to go on") from None


@dataclass(frozen=True)
class Beginning:
    """What is done before the first block."""

    work: Work
    models: Mapping[str, Endpoint]
    """Those that will be asked."""
    purse: Purse

    def check(self, place: WorkerPlace) -> None:
        """What can be said before there is a worker. Raises ColosseumError."""
        request, asking = self.work.request, self.work.asking
        if any(passwords(asking.api_base.values())):
            help_ = "put the whole address into the environment of the workers, as in OPENAI_API_BASE"
            raise stop("C127", "the password in `--api-base` would have to be sent to the workers", help=help_)
        if asking.headers:
            help_ = "a header of your own works from this machine only"
            raise stop("C127", "what `--header` holds would have to be sent to the workers", help=help_)
        if self.models and request.connections < place.number:
            help_ = "each needs one: take fewer workers, or more connections"
            words = f"{counted(place.number, 'worker')} cannot share `--max-connections {request.connections}`"
            raise stop("C127", words, help=help_)

    @contextmanager
    def told(self, number: int) -> Iterator[Instructions]:
        """What so many workers are told; a file says for how long the campaign goes on."""
        work, options = self.work, self.work.options(self.purse)
        trials, expansions = work.trials, work.trials.expansions
        told = Instructions(
            secrets.token_hex(8), work.folder.path.absolute(), work.plan.spec, expansions.params,
            trials.adjust, trials.endpoint, trials.coupled,
            replace(options, side_by_side=max(1, options.side_by_side // number)), self.purse.shared(),
            work.asking.secrets,
        )  # fmt: skip
        known_trials[told.token] = trials
        told.token_path.write_text(told.token, encoding="utf-8")
        try:
            yield told
        finally:
            told.token_path.unlink(missing_ok=True)
            del known_trials[told.token]

    def meet(self, workers: Workers, number: int, told: Instructions) -> None:
        """See whether workers can do the work, and ask models whether they can play. Raises ColosseumError."""
        words = counted(number, "worker")
        if self.models:
            each = told.options.side_by_side
            words += f"; of {self.work.request.connections} calls of a model at once, each makes {each}"
            words += f"\nasking {', '.join(self.models)} whether it can play, from every worker …"
        self.work.request.say(words)
        asked = [executor.submit(meet, told, tuple(self.models.values())) for executor in workers.each()]
        wrong = [words for future in asked for words in future.result()]
        if wrong:
            raise stop("C124", wrong[0], help="no run was started and nothing was spent on one")


@dataclass
class Dispatch:
    """Makes a campaign by workers."""

    work: Work
    told: Instructions
    purse: Purse
    """Hears from the ledger what workers pay."""
    meter: Gauge
    workers: Workers
    tally: Tally = field(init=False, default_factory=Tally)
    left: dict[str, Listed] = field(init=False)
    """Trials that have not become anything yet."""
    out: dict["Future[Made]", list[Planned]] = field(init=False, default_factory=dict)
    """Batches that are with workers."""
    until: float | None = None
    """By the monotonic clock, when calls under way are waited for no longer; None as long as nobody said stop."""
    again: float = 0.0
    """When to look next for results."""

    def __post_init__(self) -> None:
        self.left = {listed.trial: listed for listed in self.work.left}

    def run(self, rounds: int, calling: bool) -> Tally:
        """Make what is missing, with so many batches for each worker. Raises KeyboardInterrupt, and what breaks."""
        batches = self._batches(rounds, math.inf if calling else MOST)
        with self.work.request.watching(self.meter), handling(self._stop):
            for listed in self.work.planned_trials:
                if listed.trial not in self.left:
                    self._became(listed, self.work.folder.result(listed.trial), before=True)
            while batches or self.out:
                most = self.workers.batches * max(1, self.workers.number())
                while batches and len(self.out) < most and not self._over:
                    batch = batches.popleft()
                    self.out[self.workers.executor.submit(make_blocks, self.told, batch)] = batch
                if self._over:
                    batches.clear()
                self._take()
                if self.until is not None:
                    self._end(calling)
            for listed in list(self.left.values()):
                self._became(listed, None)
        return self.tally

    @property
    def _over(self) -> bool:
        return bool(self.purse.reached or self.tally.gave_up or self.until is not None)

    def _batches(self, rounds: int, most: float) -> deque[list[Planned]]:
        """Blocks with something to be made, in batches."""
        todo = [block for block in self.work.planned if any(each.trial in self.left for each in block.listed)]
        size = int(min(most, max(1, math.ceil(len(todo) / (rounds * max(1, self.workers.number()))))))
        return deque(todo[start : start + size] for start in range(0, len(todo), size))

    def _take(self) -> None:
        """Wait a little for batches, and hear what became of their runs."""
        done, _ = wait_for(self.out, LOOKING, FIRST_COMPLETED)
        for future in done:
            batch = self.out.pop(future)
            try:
                made = future.result()
            except Exception as error:
                error.add_note(f"in a worker, with blocks from seed {batch[0].block.seed} on")
                raise
            self.tally.gave_up = self.tally.gave_up or made.gave_up
            if made.purse is not None:
                self.purse.add(made.purse)
            for trial, result in made.runs:
                if result is not None and trial in self.left:
                    self._became(self.left[trial], result)
        self.workers.number()
        self.purse.listen()
        self._look()

    def _look(self) -> None:
        """Tell of runs that have ended since; a look takes no more than a fiftieth of the time."""
        began = monotonic()
        if began < self.again or self.workers.far or self.told.options.retry_failed:
            return
        for listed in list(self.left.values()):
            if (result := self.work.folder.result(listed.trial)) is not None:
                self._became(listed, result)
        self.again = monotonic() + 50 * (monotonic() - began)

    def _became(self, listed: Listed, result: Result | None, *, before: bool = False) -> None:
        self.left.pop(listed.trial, None)
        earlier: dict[Status, Became] = {"complete": "reused", "failed": "failed before"}
        became: Became = "halted" if result is None else earlier[result.status] if before else result.status
        self.tally.count(became)
        self.meter.trial(listed, became, result)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """Let workers begin no further call; a second signal does not wait for those under way."""
        if self.until is not None:
            raise KeyboardInterrupt
        self.until = monotonic() + (TERMINATING if number == signal.SIGTERM else math.inf)
        self.told.token_path.unlink(missing_ok=True)

    def _end(self, calling: bool) -> None:
        """Wait for calls under way, which are paid for. Raises KeyboardInterrupt."""
        if calling:
            self.work.request.warn("waiting for calls under way, so that no answer is lost; Ctrl-C again does not wait")
        while calling and wait_for(self.out, LOOKING).not_done and monotonic() < (self.until or 0.0):
            more_time()
        raise KeyboardInterrupt("what was answered is kept: the same call goes on")
