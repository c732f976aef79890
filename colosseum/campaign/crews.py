"""Campaigns by workers. In: a campaign that is planned, and where workers are; out: its runs, made by them.

Before the first block every worker is asked whether it sees the folder, and whether models can play where it is.
"""

import math
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from colosseum.campaign.cluster import DaskCrew, Place, Unusable, crew, read_place
from colosseum.campaign.dispatch import Dispatch
from colosseum.campaign.interrupting import handling
from colosseum.campaign.meter import Meter
from colosseum.campaign.part import Say
from colosseum.campaign.processes import ProcessCrew, processes
from colosseum.campaign.purse import Purse
from colosseum.campaign.runner import Options, Tally
from colosseum.campaign.signals import more_time
from colosseum.campaign.work import Work
from colosseum.campaign.worker import Instructions
from colosseum.diagnostics import ColosseumError, counted, stop
from colosseum.players.models.request import Endpoint
from colosseum.run.redaction import secrets as passwords


@dataclass(frozen=True)
class Workload:
    """What is to be made by workers."""

    work: Work
    models: Mapping[str, Endpoint]
    """Those that will be asked."""
    options: Options


def read_cluster(words: str | None) -> Place | None:
    """Where workers are, as typed; None where there are none. Raises ColosseumError."""
    try:
        return None if words is None else read_place(words)
    except Unusable as fault:
        raise _stop(fault) from None


def run_by_workers(load: Workload, purse: Purse, meter: Meter) -> Tally:
    """Make the runs on a cluster, else those of scripted players in processes of this machine.

    Raises ColosseumError, OSError, Damaged, Died, KeyboardInterrupt, and whatever breaks in a worker.
    """
    place, number = load.work.request.cluster, load.work.processes
    if place is None or not load.work.left:
        with processes(number, _instructions(load, purse)) as workers:
            return _dispatched(workers, number, load, purse, meter)
    return _run_on_cluster(place, load, purse, meter)


def _run_on_cluster(place: Place, load: Workload, purse: Purse, meter: Meter) -> Tally:
    _check(place, load, purse)
    try:
        say, threads = load.work.request.say, _threads(place, load)
        with crew(place, _instructions(load, purse), threads=threads, say=say) as workers:
            _prepare(workers, load)
            return _dispatched(workers, workers.expected, load, purse, meter)
    except Unusable as fault:
        raise _stop(fault) from None


def _dispatched(workers: DaskCrew | ProcessCrew, expected: int, load: Workload, purse: Purse, meter: Meter) -> Tally:
    work, options = load.work, load.options
    with work.request.watching(meter), _interruptible(workers, work.request.warn):
        dispatch = Dispatch(
            work.folder, workers, purse, meter.trial, options.side_by_side, expected, options.retry_failed
        )  # fmt: skip
        return dispatch.run(work.planned)


def _stop(fault: Unusable) -> ColosseumError:
    return stop("C127", str(fault), help=fault.help)


def _check(place: Place, load: Workload, purse: Purse) -> None:
    """What can be said before there is a worker. Raises ColosseumError."""
    if any(passwords(load.work.asking.api_base.values())):
        help_ = "put the whole address into the environment of the workers, as in OPENAI_API_BASE"
        raise stop("C127", "the password in `--api-base` would have to be sent to the workers", help=help_)
    if load.work.asking.headers:
        help_ = "a header of your own works from this machine only"
        raise stop("C127", "what `--header` holds would have to be sent to the workers", help=help_)
    if purse.limit is not None and load.options.cache != "rw":
        help_ = "leave out `--cache`: a block that needs more than its part of the budget goes on from answers on file"
        raise stop("C127", "a budget on a cluster needs answers that are kept", help=help_)
    if load.models and load.options.side_by_side < place.number:
        help_ = "each needs one: take fewer workers, or more connections"
        words = f"{counted(place.number, 'worker')} cannot share `--max-connections {load.options.side_by_side}`"
        raise stop("C127", words, help=help_)


def _instructions(load: Workload, purse: Purse) -> Instructions:
    expansions = load.work.trials.expansions
    return Instructions(
        token=secrets.token_hex(8),
        path=load.work.folder.path.absolute(),
        spec=load.work.folder.plan().spec,
        params=expansions.params,
        adjust=load.work.asking.adjust,
        endpoint=load.work.asking.endpoint,
        coupled=load.work.trials.coupled,
        options=load.options,
        prices=purse.prices,
    )


def _threads(place: Place, load: Workload) -> int:
    """Blocks that a process of ours makes at once: enough to use its connections; scripted players wait for nothing."""
    if not load.models or not place.number:
        return 1
    runs = max(len(each.listed) for each in load.work.planned)
    return max(1, min(load.options.side_by_side // runs, len(load.work.planned)) // place.number)


def _prepare(workers: DaskCrew, load: Workload) -> None:
    """Say who works, and ask models whether they can play. Raises ColosseumError."""
    number = workers.expected
    words = counted(number, "worker")
    if load.models:
        share = max(1, load.options.side_by_side // number)
        words += f"; of {load.options.side_by_side} calls of a model at once, each makes {share}"
        load.work.request.say(f"{words}\nasking {', '.join(load.models)} whether it can play, from every worker …")
        wrong = workers.ask(list(load.models.values()))
        if wrong:
            raise stop("C124", wrong[0], help="no run was started and nothing was spent on one")
    else:
        load.work.request.say(words)


@contextmanager
def _interruptible(workers: DaskCrew | ProcessCrew, warn: Say) -> Iterator[None]:
    """Within the block, Ctrl-C lets calls under way come to their end; a second one does not wait."""
    asked = False

    def stopped(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        if isinstance(workers, DaskCrew):
            more_time(math.inf)
            warn("waiting for calls under way, so that no answer is lost; Ctrl-C again does not wait")
        workers.interrupt()

    with handling(stopped):
        yield
