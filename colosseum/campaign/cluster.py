"""Workers on other processes and machines; the only file that knows Dask. In: where they are; out: a crew for blocks.

    local:4                 four processes of this machine
    tcp://HOST:8786         the workers of a Dask scheduler that is there already
    slurm:20, htcondor:20   twenty jobs, as the configuration of dask-jobqueue describes them

Workers may die: Dask hands their blocks to others. What goes over the wire is which block to make and what became of
it; everything else stands in the folder, which all workers share.
"""

import logging
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from queue import Empty, SimpleQueue
from shutil import which
from typing import Any, Literal

from colosseum.campaign import worker as block_worker
from colosseum.players.models.request import Endpoint

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


class Unusable(Exception):  # noqa: N818 - what is wrong, in words
    """The cluster cannot be used."""

    def __init__(self, words: str, help: str = "") -> None:  # noqa: A002 - the word users read
        super().__init__(words)
        self.help = help


@dataclass(frozen=True)
class Place:
    """Where workers are."""

    kind: Literal["local", "slurm", "htcondor", "address"]
    number: int = 0
    """Of processes or jobs; 0 where it is not ours to say."""
    address: str = ""


def read_place(words: str) -> Place:
    """A place as it was typed. Raises Unusable."""
    kind, colon, number = words.partition(":")
    if ADDRESS.fullmatch(words):
        return Place("address", address=words)
    whole = int(number) if number.isdecimal() else 0
    match kind:
        case "local" if whole:
            return Place("local", whole)
        case "slurm" | "htcondor" if whole or not colon:
            return Place(kind, whole or 1)
    help_ = "as in `local:4`, `tcp://host:8786`, `slurm:20` or `htcondor:20`"
    raise Unusable(f"`--cluster {words}` is not a place for workers", help_)


@dataclass
class Supply:
    """Where workers come from."""

    number: int = 0
    """Of workers that there will be, as far as it is ours to say."""
    refill: Callable[[], None] = lambda: None
    """Ask for workers in place of those that ended."""
    refused: list[str] = field(default_factory=list)
    """What was said to jobs that were not taken."""


@contextmanager
def crew(
    place: Place, instructions: block_worker.Instructions, *, threads: int, say: Callable[[str], None]
) -> Iterator["DaskCrew"]:
    """Workers that see the folder; each makes `threads` blocks at once, where that is ours to say. Raises Unusable.

    When the block of the `with` breaks, workers stop as soon as their calls under way have ended.
    """
    with _client(place, threads) as (client, supply), _token(instructions):
        found = DaskCrew(client, instructions, supply, say)
        found.meet()
        try:
            yield found
        except BaseException:
            found.stop()
            raise
        finally:
            found.leave()


@contextmanager
def _token(instructions: block_worker.Instructions) -> Iterator[None]:
    """A file by which workers can tell that they see the folder."""
    instructions.token_path.write_text(instructions.token, encoding="utf-8")
    try:
        yield
    finally:
        instructions.token_path.unlink(missing_ok=True)


@contextmanager
def _client(place: Place, threads: int) -> Iterator[tuple[Any, Supply]]:
    """A connection to the scheduler. Raises Unusable."""
    with _installed():
        import dask
        import distributed
    _quiet()
    if place.kind == "address":
        with _connected(distributed.Client, place.address) as client:
            yield client, Supply()
        return
    supply = Supply(place.number)
    with dask.config.set({"distributed.scheduler.allowed-failures": MOST_DEATHS}):
        cluster = _local(distributed.LocalCluster, place, threads) if place.kind == "local" else _jobs(place, supply)
    try:
        supply.refill()
        with _connected(distributed.Client, cluster) as client:
            yield client, supply
    finally:
        cluster.close()


@contextmanager
def _installed() -> Iterator[None]:
    """Within the block what is optional is imported."""
    try:
        yield
    except ImportError as error:
        raise Unusable(f"`--cluster` needs {error.name}", "`pip install 'colosseum[cluster]'`") from None


@contextmanager
def _connected(made: Any, to: Any) -> Iterator[Any]:  # a border: Dask's types are not exact
    try:
        client = made(to, set_as_default=False, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise Unusable(f"no scheduler answers at {to}: {error}", "`dask scheduler` starts one") from None
    with client:
        yield client


def _local(made: Any, place: Place, threads: int) -> Any:
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


def _jobs(place: Place, supply: Supply) -> Any:
    """Jobs in a queue, none of which is asked for yet."""
    with _installed():
        import dask_jobqueue
        from distributed.deploy.spec import ProcessInterface
    name, command = QUEUES[place.kind]
    made = getattr(dask_jobqueue, name)
    if which(command) is None:
        raise Unusable(f"`{command}` is not on this machine, so no job can be handed to {place.kind}")

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
        raise Unusable(f"{place.kind} jobs cannot be made: {words}", help_) from None
    supply.refill = lambda: cluster.scale(jobs=place.number)
    return cluster


@dataclass
class DaskCrew:
    """The workers of a scheduler."""

    client: Any
    instructions: block_worker.Instructions
    supply: Supply
    say: Callable[[str], None]
    futures: dict[str, tuple[int, block_worker.Share, Any]] = field(default_factory=dict)
    """Blocks under way by Dask's name for them."""
    finished: "SimpleQueue[str | None]" = field(default_factory=SimpleQueue)
    """Names of those that are done; None when somebody says stop."""
    looked: float = field(default_factory=time.monotonic)
    """When it was last seen whether workers are left."""
    lonely: bool = False
    """Whether it was said that there are none."""

    @property
    def expected(self) -> int:
        """Workers that there will be."""
        return max(1, self.supply.number, self.workers())

    def workers(self) -> int:
        """How many there are now."""
        return len(self._threads())

    def places(self) -> int:
        """A block for every thread of a worker, and one more for each, so that it need not wait for the next."""
        threads = self._threads()
        return sum(threads.values()) + len(threads)

    def _threads(self) -> dict[str, int]:
        with self._told():
            found: dict[str, int] = self.client.nthreads()
            return found

    def meet(self) -> None:
        """Wait for a first worker, and see whether those that are there can do the work. Raises Unusable."""
        while not self.workers():
            self._look()
            time.sleep(WAITING)
        with self._told():
            answers = self.client.run(block_worker.unfit, self.instructions, on_error="return")
        for answer in answers.values():
            if isinstance(answer, ImportError):
                raise Unusable(f"a worker cannot import what it needs: {answer}", "workers need the same installation")
            if answer and not isinstance(answer, OSError):  # which is one that died meanwhile
                raise Unusable(str(answer))

    def ask(self, endpoints: Sequence[Endpoint]) -> list[str]:
        """What keeps models from playing, seen from every worker."""
        with self._told():
            answers = self.client.run(block_worker.ask_models, self.instructions, endpoints, on_error="return")
        said = (answer if isinstance(answer, list) else [str(answer)] for answer in answers.values())
        return list(dict.fromkeys(words for each in said for words in each))

    def give(self, number: int, share: block_worker.Share) -> None:
        """A block for one of the workers."""
        name = f"block-{self.instructions.token}-{number}"
        with self._told():
            future = self.client.submit(block_worker.make_block, self.instructions, share, key=name, pure=False)
        self.futures[name] = (number, share, future)
        future.add_done_callback(lambda done: self.finished.put(done.key))

    def take(self) -> tuple[int, block_worker.Made]:
        """Wait for a block to be done. Raises Unusable, KeyboardInterrupt, and whatever broke in the block."""
        name: str | None = ""
        while name == "":
            if time.monotonic() - self.looked > LOOKING:
                self._look()
            with suppress(Empty):
                name = self.finished.get(timeout=LOOKING)
        if name is None:
            raise KeyboardInterrupt
        number, share, future = self.futures.pop(name)
        return number, self._made(share, future)

    def _made(self, share: block_worker.Share, future: Any) -> block_worker.Made:
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker

        block = share.planned.block
        try:
            made: block_worker.Made = future.result()
        except KilledWorker:
            raise Unusable(f"every worker that was given the block of seed {block.seed} died") from None
        except (CancelledError, CommClosedError):
            raise Unusable("the scheduler was lost; run the same command to go on") from None
        except block_worker.Unfit as fault:
            raise Unusable(str(fault)) from None
        except Exception as error:
            error.add_note(
                f"in a worker, with the block of seed {block.seed}, repeat {block.repeat} {block.point}".rstrip()
            )
            raise
        return made

    def _look(self) -> None:
        """See whether there is anybody to do the work. Raises Unusable where nobody will come."""
        self.looked = time.monotonic()
        self.supply.refill()
        alone = not self.workers()
        if alone and self.supply.refused:
            raise Unusable(f"no job was taken: {self.supply.refused[-1]}")
        if alone and not self.lonely:
            self.say("there is no worker: waiting for one …")
        self.lonely = alone

    def interrupt(self) -> None:
        """Let `take` raise KeyboardInterrupt; may be called by a handler of signals."""
        self.finished.put(None)

    def stop(self) -> None:
        """Let workers leave their blocks as they are, once their calls under way have ended."""
        if self.client.status == "running":
            with suppress(OSError):
                self.client.cancel([future for _, _, future in self.futures.values()])
                self.client.run(block_worker.stop_blocks, self.instructions.token, on_error="ignore")

    def leave(self) -> None:
        """Workers keep nothing of us."""
        if self.client.status == "running":
            with suppress(OSError):
                self.client.run(block_worker.leave, self.instructions.token, on_error="ignore")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """A connection that breaks is told in words."""
        try:
            yield
        except (OSError, CancelledError) as error:
            raise Unusable(f"the scheduler was lost: {error}", "run the same command to go on") from None
