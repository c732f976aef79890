"""Campaigns by several processes. In: a campaign that is planned, and where workers are; out: its runs, made by them.

The seam is `concurrent.futures.Executor`: processes of this machine here, Dask's on a cluster. Every worker is given
all that is missing, and makes what no other is at.
"""

import math
import multiprocessing
import os
import pickle
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import wait
from time import monotonic

from colosseum.campaign.cluster import connected
from colosseum.campaign.folder import Result, Status
from colosseum.campaign.interrupting import TERMINATING, handling
from colosseum.campaign.meter import Gauge
from colosseum.campaign.purse import Purse
from colosseum.campaign.runner import Became, Tally
from colosseum.campaign.signals import exit_code, interrupt, more_time
from colosseum.campaign.work import Work
from colosseum.campaign.worker import Instructions, Made, make_runs
from colosseum.diagnostics import counted, stop
from colosseum.model.spec import Declared
from colosseum.players.models.request import Endpoint
from colosseum.run.redaction import secrets as passwords
from colosseum.run.trial import Expansions, Listed

LOOKING = 0.5
"""Seconds between two looks at what goes on."""


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
    """Make the runs, in processes of this machine or on a cluster; `models` are those that will be asked.

    Raises ColosseumError, OSError, Damaged, KeyboardInterrupt, and whatever breaks in a worker.
    """
    place, number = work.far, work.processes
    try:
        if place is None:
            told = _instructions(work, purse, number, calling=bool(models))
            with pool(number) as executor:
                there: list[Executor] = [executor] * number
                return Dispatch(work, told, purse, meter, lambda: [there.pop() for _ in tuple(there)]).run()
        asking = work.asking
        if asking.headers or any(passwords(asking.api_base.values())):
            help_ = "put the whole address into the environment of the workers, as in OPENAI_API_BASE"
            words = "what `--header` holds, or the password in `--api-base`, would have to be sent to the workers"
            raise stop("C127", words, help=help_)
        with connected(place, work.request.say) as supply:
            number = max(place.number, len(supply.there()))
            told = _instructions(work, purse, number, calling=bool(models))
            each = f"; of {work.request.connections} calls of a model at once, each makes {told.options.connections}"
            work.request.say(counted(number, "worker") + (each if models else ""))
            return Dispatch(work, replace(told, models=tuple(models.values())), purse, meter, supply.fresh).run()
    except BrokenProcessPool:
        raise stop("C127", "a worker process was killed from outside; run the same command to go on") from None


def _instructions(work: Work, purse: Purse, number: int, *, calling: bool) -> Instructions:
    """What so many workers are told; the spec is the folder's, as they may not see another. Raises ColosseumError."""
    path, trials, options = work.folder.path.absolute(), work.trials, work.options(purse)
    if calling and options.connections < number:
        words = f"{counted(number, 'worker')} cannot share `--max-connections {options.connections}`"
        raise stop("C127", words, help="each needs one: take fewer workers, or more connections")
    spec, left = trials.expansions.spec, {listed.trial for listed in work.left}
    main = replace(spec.composition.source, path=path / "spec" / work.plan.spec)
    fresh = Declared(replace(spec.composition, source=main), spec.symbols, spec.sheets)
    trials = replace(trials, expansions=Expansions(fresh, trials.expansions.params))
    todo = [block for block in work.planned if any(each.trial in left for each in block.listed)]
    each = options.connections // number or 1
    options = replace(options, retry_failed=False, connections=each, side_by_side=min(each, -(-len(left) // number)))
    packed = pickle.dumps((todo, trials))
    sign = path / f"cluster-{secrets.token_hex(8)}"
    return Instructions(path, sign, packed, options, purse.shared(), work.asking.secrets)


@dataclass
class Dispatch:
    """Makes a campaign by workers."""

    work: Work
    told: Instructions
    purse: Purse
    """Hears from the ledger what workers pay."""
    meter: Gauge
    fresh: Callable[[], Sequence[Executor]]
    """One for each worker that came since this was asked last. Raises ColosseumError where nobody will come."""
    tally: Tally = field(init=False, default_factory=Tally)
    left: dict[str, Listed] = field(init=False)
    """Trials that have not become anything yet."""
    out: set["Future[Made]"] = field(init=False, default_factory=set)
    """What workers are at."""
    again: float = 0.0
    """When to look next for results, by the monotonic clock."""

    def __post_init__(self) -> None:
        self.left = {listed.trial: listed for listed in self.work.left}

    def run(self) -> Tally:
        """Make what is missing. Raises KeyboardInterrupt once calls under way have ended, and what breaks."""
        self.told.sign.touch()
        try:
            with self.work.request.watching(self.meter), handling(interrupt):
                try:
                    self._run()
                except KeyboardInterrupt:
                    self._end()
                    raise KeyboardInterrupt("what was answered is kept: the same call goes on") from None
        finally:
            self.told.sign.unlink(missing_ok=True)
        return self.tally

    def _run(self) -> None:
        for listed in self.work.planned_trials:
            if listed.trial not in self.left:
                self._became(listed, self.work.folder.result(listed.trial), before=True)
            elif self.work.request.retry_failed:
                self.work.folder.retract(listed.trial)  # or every worker would try it again
        self.out |= {executor.submit(make_runs, self.told) for executor in self.fresh()}
        while self.out:
            self._take()
            self.out |= {executor.submit(make_runs, self.told) for executor in self.fresh()}
        if self.tally.gave_up and not self.purse.calls and len(self.left) == len(self.work.left):
            raise stop("C124", self.tally.gave_up, help="no run was started and nothing was spent on one")
        for listed in list(self.left.values()):
            self._became(listed, None)

    def _take(self) -> None:
        """Wait a little for workers, and hear of runs that have ended: a look takes a fiftieth of the time at most."""
        done, self.out = wait_for(self.out, LOOKING, FIRST_COMPLETED)
        for made in (future.result() for future in done):
            self.tally.gave_up = self.tally.gave_up or made.gave_up
            self.purse.add(made.purse)
            for listed, result in made.runs:
                if listed.trial in self.left:
                    self._became(listed, result)
        self.purse.listen()
        if (began := monotonic()) < self.again:
            return
        for listed in list(self.left.values()):
            if (ended := self.work.folder.result(listed.trial)) is not None:
                self._became(listed, ended)
        self.again = monotonic() + 50 * (monotonic() - began)

    def _became(self, listed: Listed, result: Result | None, *, before: bool = False) -> None:
        self.left.pop(listed.trial, None)
        earlier: dict[Status, Became] = {"complete": "reused", "failed": "failed before"}
        became: Became = "halted" if result is None else earlier[result.status] if before else result.status
        self.tally[became] += 1
        self.meter.trial(listed, became, result)

    def _end(self) -> None:
        """Let workers begin no further call, and wait for those under way: they are paid for."""
        self.told.sign.unlink()
        until = monotonic() + (TERMINATING if exit_code() == 128 + signal.SIGTERM else math.inf)
        calling = bool(self.work.models)
        if calling:
            self.work.request.warn("waiting for calls under way, so that no answer is lost; Ctrl-C again does not wait")
        while calling and wait_for(self.out, LOOKING).not_done and monotonic() < until:
            more_time()
