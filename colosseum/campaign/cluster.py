"""Workers on other processes and machines; the only file that knows Dask. In: where they are; out: an executor.

    local:4                 four processes of this machine, without Dask
    tcp://HOST:8786         the workers of a Dask scheduler that is there already
    slurm:20, htcondor:20   twenty jobs, as the configuration of dask-jobqueue describes them

Workers may die, or come late: Dask hands blocks to those that are there. What goes over the wire is which blocks to
make and what became of them; everything else stands in the folder, which all workers share.
"""

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from typing import Any

from colosseum.campaign.work import WorkerPlace
from colosseum.diagnostics import stop

QUEUES = {"slurm": "SLURMCluster", "htcondor": "HTCondorCluster"}  # classes of dask-jobqueue
PATIENCE = "10s"  # for the connection to a scheduler
MOST_DEATHS = 20  # workers that may die over one block before it is blamed: blocks go on from where the last one was


@dataclass
class Supply:
    """Where workers of a cluster come from."""

    client: Any
    say: Callable[[str], None]
    refill: Callable[[], None] = lambda: None
    """Ask for workers in place of those that ended."""
    refused: list[str] = field(default_factory=list)
    """What was said to jobs that were not taken."""
    known: set[str] = field(default_factory=set)
    """Workers that were told what to do."""
    lonely: bool = False
    """Whether it was said that there are none."""

    def fresh(self) -> list[Executor]:
        """For every worker that came since, one whose tasks are first of all its own. Raises as `there`."""
        new = [each for each in self.there() if each not in self.known]
        self.known.update(new)
        return [self.client.get_executor(pure=False, workers=[one], allow_other_workers=True) for one in new]

    def there(self) -> list[str]:
        """The addresses of those that are there now. Raises ColosseumError where nobody will come."""
        try:
            found = list(self.client.nthreads())
        except OSError:
            raise CancelledError from None
        self.refill()
        if not found and self.refused:
            raise stop("C127", f"no job was taken: {self.refused[-1]}")
        if not found and not self.lonely:
            self.say("there is no worker: waiting for one …")
        self.lonely = not found
        return found


@contextmanager
def connected(place: WorkerPlace, say: Callable[[str], None]) -> Iterator[Supply]:
    """Workers, the first of which is there. Raises ColosseumError."""
    try:
        import dask
        import distributed
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise stop("C127", f"`--cluster` needs {error.name}", help="`pip install 'colosseum[cluster]'`") from None
    for name in ("distributed", "distributed.client", "tornado.application"):  # what matters is said in our words
        logging.getLogger(name).setLevel(logging.CRITICAL)
    supply = Supply(None, say)
    try:
        with ExitStack() as stack:
            to: Any = place.kind
            if place.kind in QUEUES:
                stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": MOST_DEATHS}))
                to = stack.enter_context(closing(_jobs(place, supply)))
            try:
                supply.client = stack.enter_context(distributed.Client(to, set_as_default=False, timeout=PATIENCE))
            except (OSError, ValueError) as error:
                help_ = "`dask scheduler` starts one"
                raise stop("C127", f"no scheduler answers at {to}: {error}", help=help_) from None
            while not supply.there():
                time.sleep(0.2)
            yield supply
    except KilledWorker:
        raise stop("C127", "every worker that was given some blocks died") from None
    except (CancelledError, CommClosedError):
        raise stop("C127", "the scheduler was lost", help="run the same command to go on") from None


def _jobs(place: WorkerPlace, supply: Supply) -> Any:
    """Jobs in a queue, none of which is asked for yet."""
    import dask_jobqueue
    from distributed.deploy.spec import ProcessInterface

    made = getattr(dask_jobqueue, QUEUES[place.kind])

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
