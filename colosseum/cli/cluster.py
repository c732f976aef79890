"""Campaigns by workers. In: a campaign that is planned, and where workers are; out: its runs, made by them.

Before the first block every worker is asked whether it sees the folder, and whether models can play where it is.
"""

import math
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from colosseum.api.errors import ColosseumError, stop
from colosseum.campaign.cluster import DaskCrew, Place, Unusable, crew, read_place
from colosseum.campaign.dispatch import Dispatch
from colosseum.campaign.folder import Folder
from colosseum.campaign.planning import Planned
from colosseum.campaign.processes import ProcessCrew, processes
from colosseum.campaign.purse import Purse
from colosseum.campaign.runner import Options, Tally
from colosseum.campaign.worker import Instructions
from colosseum.cli.asking import Asking
from colosseum.cli.interrupting import handling
from colosseum.cli.live_view.display import Display, showing
from colosseum.cli.live_view.meter import Meter
from colosseum.cli.obeying import more_time
from colosseum.cli.words import note
from colosseum.diagnostics import counted
from colosseum.players.models.request import Endpoint
from colosseum.run.redaction import secrets as passwords
from colosseum.run.trial import Trials


@dataclass(frozen=True)
class Campaign:
    """What is to be made by workers."""

    folder: Folder
    planned: Sequence[Planned]
    trials: Trials
    asking: Asking
    models: Mapping[str, Endpoint]
    """Those that will be asked."""
    options: Options
    connections: int
    display: Display
    say: Callable[[str], None]


def read_cluster(words: str | None) -> Place | None:
    """Where workers are, as typed; None where there are none. Raises ColosseumError."""
    try:
        return None if words is None else read_place(words)
    except Unusable as fault:
        raise _stop(fault) from None


def run_on_cluster(place: Place, campaign: Campaign, purse: Purse, meter: Meter) -> Tally:
    """Make the runs. Raises ColosseumError, OSError, Damaged, KeyboardInterrupt, and whatever breaks in a worker."""
    _check(place, campaign, purse)
    try:
        with crew(
            place, _instructions(campaign, purse), threads=_threads(place, campaign), say=campaign.say
        ) as workers:
            _prepare(workers, campaign)
            return _dispatched(workers, workers.expected, campaign, purse, meter)
    except Unusable as fault:
        raise _stop(fault) from None


def run_in_processes(number: int, campaign: Campaign, purse: Purse, meter: Meter) -> Tally:
    """Make runs of scripted players in processes of this machine. Raises as `run_on_cluster` does."""
    with processes(number, _instructions(campaign, purse)) as workers:
        return _dispatched(workers, number, campaign, purse, meter)


def _dispatched(
    workers: DaskCrew | ProcessCrew, expected: int, campaign: Campaign, purse: Purse, meter: Meter
) -> Tally:
    with showing(campaign.display, meter, sys.stderr), _interruptible(workers):
        dispatch = Dispatch(
            campaign.folder, workers, purse, meter.trial, campaign.connections, expected, campaign.options.retry_failed
        )
        return dispatch.run(campaign.planned)


def _stop(fault: Unusable) -> ColosseumError:
    return stop("C127", str(fault), help=fault.help)


def _check(place: Place, campaign: Campaign, purse: Purse) -> None:
    """What can be said before there is a worker. Raises ColosseumError."""
    if any(passwords(campaign.asking.api_base.values())):
        help_ = "put the whole address into the environment of the workers, as in OPENAI_API_BASE"
        raise stop("C127", "the password in `--api-base` would have to be sent to the workers", help=help_)
    if campaign.asking.headers:
        help_ = "an own header reaches models from this machine alone"
        raise stop("C127", "what `--header` holds would have to be sent to the workers", help=help_)
    if purse.limit is not None and campaign.options.cache != "rw":
        help_ = "leave out `--cache`: a block that needs more than its part of the budget goes on from answers on file"
        raise stop("C127", "a budget on a cluster needs answers that are kept", help=help_)
    if campaign.models and campaign.connections < place.number:
        help_ = "each needs one: take fewer workers, or more connections"
        words = f"{counted(place.number, 'worker')} cannot share `--max-connections {campaign.connections}`"
        raise stop("C127", words, help=help_)


def _instructions(campaign: Campaign, purse: Purse) -> Instructions:
    expansions = campaign.trials.expansions
    return Instructions(
        token=secrets.token_hex(8),
        path=campaign.folder.path.absolute(),
        spec=campaign.folder.plan().spec,
        params=expansions.params,
        adjust=campaign.asking.adjust,
        endpoint=campaign.asking.endpoint,
        coupled=campaign.trials.coupled,
        options=campaign.options,
        prices=purse.prices,
    )


def _threads(place: Place, campaign: Campaign) -> int:
    """Blocks that a process of ours makes at once: enough to use its connections; scripted players wait for nothing."""
    if not campaign.models or not place.number:
        return 1
    runs = max(len(each.listed) for each in campaign.planned)
    return max(1, min(campaign.connections // runs, len(campaign.planned)) // place.number)


def _prepare(workers: DaskCrew, campaign: Campaign) -> None:
    """Say who works, and ask models whether they can play. Raises ColosseumError."""
    number = workers.expected
    words = counted(number, "worker")
    if campaign.models:
        share = max(1, campaign.connections // number)
        words += f"; of {campaign.connections} calls of a model at once, each makes {share}"
        campaign.say(f"{words}\nasking {', '.join(campaign.models)} whether it can play, from every worker …")
        wrong = workers.ask(list(campaign.models.values()))
        if wrong:
            raise stop("C124", wrong[0], help="no run was started and nothing was spent on one")
    else:
        campaign.say(words)


@contextmanager
def _interruptible(workers: DaskCrew | ProcessCrew) -> Iterator[None]:
    """Within the block, Ctrl-C lets calls under way come to their end; a second one does not wait."""
    asked = False

    def stopped(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        if isinstance(workers, DaskCrew):
            more_time(math.inf)
            note("waiting for calls under way, so that no answer is lost; Ctrl-C again does not wait")
        workers.interrupt()

    with handling(stopped):
        yield
