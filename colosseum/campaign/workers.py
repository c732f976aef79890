"""Campaigns by several processes. In: a campaign that is planned, and where workers are; out: its runs, made by them.

The seam is `concurrent.futures.Executor`: processes of this machine here, Dask's on a cluster. A worker shares the
folder, and the budget in it, with all others: every one is given all that is missing, and makes each block that nobody
else is at. It is told no key, and begins no further call once the campaign's `sign` is gone.
"""

import asyncio
import multiprocessing.connection
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import TypeAlias
from uuid import uuid4

from filelock import FileLock

from colosseum import __version__
from colosseum.campaign.cluster import connected
from colosseum.campaign.folder import Folder, Result
from colosseum.campaign.meter import Gauge
from colosseum.campaign.part import silent
from colosseum.campaign.planning import Planned
from colosseum.campaign.preflight import ask_whether_they_can
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import Provider
from colosseum.campaign.runner import Became, Options, PaidSource, Runner, Tally
from colosseum.campaign.signals import TERMINATING, exit_code, handling, more_time, unless_stopped
from colosseum.campaign.work import Work
from colosseum.diagnostics import ColosseumError, counted, stop
from colosseum.model.spec import Declared
from colosseum.players.models.request import Endpoint
from colosseum.players.own_source import search
from colosseum.run.redaction import Redaction, secrets
from colosseum.run.trial import Listed, Trials

LOOKING = 0.5  # seconds between two looks at what goes on, here and in workers


@contextmanager
def pool(number: int) -> Iterator[ProcessPoolExecutor]:
    """So many processes, which end with this one; forked where it has one thread, which saves a second of imports."""
    threads = {thread.name for thread in threading.enumerate()} - {"MainThread", "obeying"}
    way = "fork" if sys.platform == "linux" and not threads else "spawn"
    workers = ProcessPoolExecutor(number, multiprocessing.get_context(way), _begin)
    workers.submit(int)  # so that they are forked now, before there are threads
    try:
        yield workers
    except BaseException:  # down to Ctrl-C: whatever it is, it goes on once no process is left
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
    wait_for, ended = multiprocessing.connection.wait, [parent.sentinel]
    threading.Thread(target=lambda: (wait_for(ended), os._exit(1)), daemon=True).start()


@dataclass(frozen=True)
class Instructions:
    """What every worker is told of a campaign."""

    sign: Path
    """A file in the folder that is there as long as the campaign goes on, locked by the process that began it."""
    todo: Sequence[Planned]
    """Blocks of which something is missing."""
    trials: Trials
    """Makes their runs."""
    options: Options
    """With the part of the connections that is a worker's."""
    purse: Purse
    """As it was before the first run; its ledger says what was paid since then."""
    retried: Mapping[str, int] = field(default_factory=dict)
    """As a Runner has it."""
    secrets: Sequence[str] = ()
    """What reaches no file."""
    models: Mapping[str, Endpoint] = field(default_factory=dict)
    """Those that the worker is to ask first whether they can play."""
    shard: str | None = None
    home: Path = field(default_factory=Path.cwd)
    """Where modules of users' own agents are looked for."""
    version: str = __version__

    @property
    def going_on(self) -> bool:
        """Whether the campaign goes on, in a folder that this process sees; what is opened is never an old copy."""
        try:
            with open(self.sign, "rb"):
                return True
        except OSError:
            return False


Made: TypeAlias = tuple[Purse, str]
"""What a worker paid, and why a model was asked no more, in words; its runs stand in the folder."""


def make_runs(told: Instructions) -> Made:
    """Make what is missing and nobody else is at. Raises ColosseumError, OSError, Damaged, and whatever breaks."""
    place = f"the worker on {socket.gethostname()} (process {os.getpid()})"
    if not told.going_on:
        raise stop("C127", f"{place} does not see {told.sign.parent}: all workers need the same folder there")
    if __version__ != told.version:
        raise stop("C127", f"{place} has Colosseum {__version__}, not {told.version}")
    search(told.home)
    purse, redaction = told.purse.shared(), Redaction.of(others=told.secrets)
    try:
        if told.models:
            ask_whether_they_can(told.models, "play", silent, purse, Folder(told.sign.parent), redaction, told.shard)
    except ColosseumError as fault:
        return told.purse, f"{fault.diagnostics[0].message} (so it is for {place})"
    try:
        return asyncio.run(_made(told, purse, redaction))
    except BaseExceptionGroup as group:
        first = group.exceptions[0]  # one is enough to say what broke; the others were cut off by it
    raise first  # from here, or it would go to the client with the group in it, and that with it


async def _made(told: Instructions, purse: Purse, redaction: Redaction) -> Made:
    source = PaidSource(Provider(told.options.connections, patience=told.options.patience), purse)
    runner = Runner(Folder(told.sign.parent), source, told.options, redaction, retried=told.retried)
    making = runner.run(told.todo, told.trials.of)
    work = await unless_stopped(making, source, lambda: not told.going_on, looking=LOOKING)
    gave_up = "" if work.cancelled() else work.result().gave_up
    return replace(purse, ledger=None, accounts=[], changed=asyncio.Event()), gave_up


def run_by_workers(work: Work, models: Mapping[str, Endpoint], meter: Gauge) -> Tally:
    """Make the runs, in processes of this machine or on a cluster; `models` are those that will be asked.

    Raises ColosseumError, OSError, Damaged, KeyboardInterrupt, and whatever breaks in a worker.
    """
    place, number = work.far, work.processes
    try:
        if place is None:
            told = _instructions(work, meter.purse, number, models)
            with pool(number) as executor:
                all_at_once = iter([[executor] * number])
                return Dispatch(work, told, meter, lambda: next(all_at_once, [])).run()
        asking = work.asking
        if asking.headers or any(secrets(asking.api_base.values())):
            help_ = "put the whole address into the environment of the workers, as in OPENAI_API_BASE"
            words = "what `--header` holds, or the password in `--api-base`, would have to be sent to the workers"
            raise stop("C127", words, help=help_)
        with connected(place, work.request.say) as supply:
            number = max(place.number, len(supply.there()))
            told = _instructions(work, meter.purse, number, models)
            work.request.say(counted(number, "worker"))
            return Dispatch(work, told, meter, supply.fresh).run()
    except BrokenExecutor:
        raise stop("C127", "a worker process was killed from outside; run the same command to go on") from None


def _instructions(work: Work, purse: Purse, number: int, models: Mapping[str, Endpoint]) -> Instructions:
    """What so many workers are told; the spec is the folder's, as they may not see another. Raises ColosseumError."""
    path, trials, asked = work.folder.path.absolute(), work.trials, work.request
    if models and asked.connections < number:
        words = f"{counted(number, 'worker')} cannot share `--max-connections {asked.connections}`"
        raise stop("C127", words, help="each needs one: take fewer workers, or more connections")
    spec, left = trials.spec, {listed.trial for listed in work.left}
    main = replace(spec.composition.source, path=path / "spec" / work.plan.spec)
    fresh = Declared(replace(spec.composition, source=main), spec.symbols, spec.sheets)
    todo = [block for block in work.planned if any(each.trial in left for each in block.listed)]
    each = asked.connections // number or 1
    most = min(each, -(-len(left) // number))
    options = Options(
        cache=asked.cache, budget=asked.budget, side_by_side=most, connections=each, patience=asked.patience
    )
    sign, unsure = path / f"cluster-{uuid4().hex[:16]}.lock", models if work.far else {}
    trials, retried = replace(trials, spec=fresh), work.retried
    told = todo, trials, options, purse.shared(), retried, work.asking.secrets, unsure, asked.part.shard
    return Instructions(sign, *told)


@dataclass
class Dispatch:
    """Makes a campaign by workers."""

    work: Work
    told: Instructions
    meter: Gauge
    """Its purse hears from the ledger what workers pay."""
    fresh: Callable[[], Sequence[Executor]]
    """One for each worker that came since this was asked last. Raises ColosseumError where nobody will come."""
    left: dict[str, Listed] = field(init=False)
    """Trials of which it is not known yet what they became."""
    out: set["Future[Made]"] = field(init=False, default_factory=set)
    """What workers are at."""
    again: float = 0.0
    """When to look next for results, by the monotonic clock."""
    signals: list[int] = field(init=False, default_factory=list)
    """Not heeded yet. Their handler raises nothing: what is raised within C code may be lost."""

    def run(self) -> Tally:
        """Make what is missing. Raises KeyboardInterrupt once calls under way have ended, and what breaks."""
        self.left = {listed.trial: listed for listed in self.work.planned_trials}
        with FileLock(self.told.sign), self.work.request.watching(self.meter), handling(self.signals.append):
            try:
                self._run()
                self._heed()
            except KeyboardInterrupt:
                self._end()
                raise KeyboardInterrupt("what was answered is kept: the same call goes on") from None
            finally:
                self.told.sign.unlink(missing_ok=True)
        return self.meter.became

    def _heed(self) -> None:
        """Raises KeyboardInterrupt where somebody said stop."""
        if self.signals:
            self.signals.clear()
            raise KeyboardInterrupt

    def _run(self) -> None:
        while True:
            self._heed()
            self.out |= {executor.submit(make_runs, self.told) for executor in self.fresh()}
            if not self.out:
                break
            self._take()
        self._look()  # at what came since the last look
        if self.meter.became.gave_up and not self.meter.purse.calls and len(self.left) == len(self.work.left):
            raise stop("C124", self.meter.became.gave_up, help="no run was started and nothing was spent on one")
        for listed in list(self.left.values()):
            self._became(listed, "halted", None)

    def _take(self) -> None:
        """Wait a little for workers, and hear of runs that have ended: a look takes a fiftieth of the time at most."""
        done, self.out = wait(self.out, LOOKING, FIRST_COMPLETED)
        for purse, gave_up in (future.result() for future in done):
            self.meter.became.gave_up = self.meter.became.gave_up or gave_up
            self.meter.purse.add(purse)
        if (began := monotonic()) >= self.again:
            self._look()
            self.again = monotonic() + 50 * (monotonic() - began)

    def _look(self) -> None:
        """Hear what workers paid, and which runs have ended, now or before."""
        self.meter.purse.listen()
        missing = {listed.trial for listed in self.work.left}
        for listed in list(self.left.values()):
            self._heed()
            if (ended := self.work.folder.result_after(listed.trial, self.work.retried)) is not None:
                before: Became = "reused" if ended.status == "complete" else "failed before"
                self._became(listed, ended.status if listed.trial in missing else before, ended)

    def _became(self, listed: Listed, became: Became, result: Result | None) -> None:
        del self.left[listed.trial]
        self.meter.trial(listed, became, result)

    def _end(self) -> None:
        """Let workers begin no further call, wait for those under way, which are paid for, and count what has ended."""
        self.told.sign.unlink()
        calling = bool(self.work.models)
        patient, until = calling and exit_code() != 128 + signal.SIGTERM, monotonic() + TERMINATING
        if calling:
            self.work.request.warn("waiting for calls under way, so that no answer is lost; Ctrl-C again does not wait")
        while wait(self.out, LOOKING).not_done and (patient or monotonic() < until):
            self._heed()
            more_time()
        self._look()
