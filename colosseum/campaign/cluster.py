"""Workers on other processes and machines; the only file that knows Dask. In: where they are; out: an executor.

    local:4                 four processes of this machine
    tcp://HOST:8786         the workers of a Dask scheduler that is there already
    slurm:20, htcondor:20   twenty jobs, as the configuration of dask-jobqueue describes them

Workers may die, or come late: Dask hands blocks to those that are there. What goes over the wire is which blocks to
make and what became of them; everything else stands in the folder, which all workers share.
"""

import logging
import math
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from shutil import which
from typing import Any, Literal

from colosseum.diagnostics import stop

ADDRESS = re.compile(r"(tcp|tls)://[^\s/]+:\d+")
QUEUES = {"slurm": ("SLURMCluster", "sbatch"), "htcondor": ("HTCondorCluster", "condor_submit")}
"""The class of dask-jobqueue and the command that takes jobs."""
PATIENCE = "10s"
"""For the connection to a scheduler."""
LOOKING = 5.0
"""Seconds between two looks at whether workers are left."""
WAITING = 0.2
"""The same, before there are any."""
MOST_DEATHS = 20
"""Workers that may die over one block before it is blamed: blocks go on from where the last one was."""


@dataclass(frozen=True)
class WorkerPlace:
    """Where workers are."""

    kind: Literal["local", "slurm", "htcondor", "address"]
    number: int = 0
    """Of processes or jobs; 0 where it is not ours to say."""
    address: str = ""


def read_place(words: str | None) -> WorkerPlace | None:
    """A place as it was typed; None where there is none. Raises ColosseumError."""
    if words is None:
        return None
    kind, colon, number = words.partition(":")
    if ADDRESS.fullmatch(words):
        return WorkerPlace("address", address=words)
    whole = int(number) if number.isdecimal() else 0
    match kind:
        case "local" if whole:
            return WorkerPlace("local", whole)
        case "slurm" | "htcondor" if whole or not colon:
            return WorkerPlace(kind, whole or 1)
    help_ = "as in `local:4`, `tcp://host:8786`, `slurm:20` or `htcondor:20`"
    raise stop("C127", f"`--cluster {words}` is not a place for workers", help=help_)


@dataclass
class Workers:
    """Those who make blocks."""

    executor: Executor
    number: Callable[[], int]
    """How many there are now. Raises ColosseumError where nobody will come."""
    batches: int = 2
    """That each is given at once, so that it need not wait for the next."""
    each: Callable[[], Sequence[Executor]] = list
    """On a cluster, one for each that is there."""
    far: bool = False
    """Whether they are on a cluster."""


@dataclass
class Supply:
    """Where workers come from."""

    client: Any
    say: Callable[[str], None]
    refill: Callable[[], None] = lambda: None
    """Ask for workers in place of those that ended."""
    refused: list[str] = field(default_factory=list)
    """What was said to jobs that were not taken."""
    looked: float = -math.inf
    """When it was last seen whether workers are left."""
    lonely: bool = False
    """Whether it was said that there are none."""

    def number(self) -> int:
        """How many workers there are now. Raises ColosseumError where nobody will come."""
        try:
            found = len(self.client.nthreads())
        except OSError:
            raise CancelledError from None
        if time.monotonic() - self.looked > LOOKING:
            self.looked = time.monotonic()
            self.refill()
        if not found and self.refused:
            raise stop("C127", f"no job was taken: {self.refused[-1]}")
        if not found and not self.lonely:
            self.say("there is no worker: waiting for one …")
        self.lonely = not found
        return found

    def each(self) -> list[Executor]:
        """For every worker that is there, where blocks are first of all its own."""
        there = list(self.client.nthreads())
        return [self.client.get_executor(pure=False, workers=[one], allow_other_workers=True) for one in there]


@contextmanager
def connected(place: WorkerPlace, threads: int, say: Callable[[str], None]) -> Iterator[Workers]:
    """Workers, the first of which is there; each has so many threads, if that is ours to say. Raises ColosseumError."""
    with _installed():
        import dask
        import distributed
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker
    _quiet()
    supply = Supply(None, say)
    try:
        with ExitStack() as stack:
            to: Any = place.address
            if place.kind != "address":
                stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": MOST_DEATHS}))
                local = place.kind == "local"
                made = _local(distributed.LocalCluster, place, threads) if local else _jobs(place, supply)
                to = stack.enter_context(closing(made))
                supply.refill()
            supply.client = stack.enter_context(_client(distributed.Client, to))
            while not supply.number():
                time.sleep(WAITING)
            yield Workers(supply.client.get_executor(pure=False), supply.number, threads + 1, supply.each, far=True)
    except KilledWorker:
        raise stop("C127", "every worker that was given some blocks died") from None
    except (CancelledError, CommClosedError):
        raise stop("C127", "the scheduler was lost", help="run the same command to go on") from None


@contextmanager
def _installed() -> Iterator[None]:
    """Within the block what is optional is imported."""
    try:
        yield
    except ImportError as error:
        raise stop("C127", f"`--cluster` needs {error.name}", help="`pip install 'colosseum[cluster]'`") from None


@contextmanager
def _client(made: Any, to: Any) -> Iterator[Any]:  # a border: Dask's types are not exact
    try:
        client = made(to, set_as_default=False, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise stop("C127", f"no scheduler answers at {to}: {error}", help="`dask scheduler` starts one") from None
    with client:
        yield client


def _local(made: Any, place: WorkerPlace, threads: int) -> Any:
    """Processes of this machine; Dask starts each anew when it dies."""
    with _deaf():
        return made(
            n_workers=place.number,
            threads_per_worker=threads,
            processes=True,
            memory_limit=0,  # or a process that needs more is killed
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs=logging.CRITICAL,
            preload=[__name__],
        )


@contextmanager
def _deaf() -> Iterator[None]:
    """Threads and processes that begin here, and all that begin in them, never hear Ctrl-C: it is for the client."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # or the thread that starts it with a process hears Ctrl-C again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def dask_setup(worker: object) -> None:
    """Called in a local worker as it starts."""
    _quiet()


def _quiet() -> None:
    """What matters is said in our words."""
    for name in ("distributed", "distributed.client", "tornado.application"):  # each has a level of its own
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _jobs(place: WorkerPlace, supply: Supply) -> Any:
    """Jobs in a queue, none of which is asked for yet."""
    with _installed():
        import dask_jobqueue
        from distributed.deploy.spec import ProcessInterface
    name, command = QUEUES[place.kind]
    made = getattr(dask_jobqueue, name)
    if which(command) is None:
        raise stop("C127", f"`{command}` is not on this machine, so no job can be handed to {place.kind}")

    async def start(job: Any) -> None:
        try:
            await made.job_cls.start(job)
        except (OSError, RuntimeError, ValueError) as error:
            supply.refused.append(str(error).strip().splitlines()[-1])
            await ProcessInterface.start(job)  # to Dask it is one whose workers have not come yet

    try:
        cluster = made(job_cls=type("Job", (made.job_cls,), {"start": start}), silence_logs=logging.CRITICAL)
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        help_ = f"dask-jobqueue takes jobs from `jobqueue: {place.kind}:` in ~/.config/dask/jobqueue.yaml"
        words = str(error).splitlines()[0].partition(", for example")[0]
        raise stop("C127", f"{place.kind} jobs cannot be made: {words}", help=help_) from None
    supply.refill = lambda: cluster.scale(jobs=place.number)
    return cluster
