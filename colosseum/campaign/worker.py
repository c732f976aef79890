"""One worker of a campaign. In: instructions; out: runs in the folder, and what became of them.

A worker shares the folder, and the budget in it, with all others, as several commands on one folder do: it makes every
block that nobody else is at, so it also goes on from what a worker left that died. It is told no key: it takes keys
from its own environment. It begins no further call once the file is gone by which it knows the campaign.
"""

import asyncio
import os
import pickle
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from colosseum import __version__
from colosseum.campaign.folder import Folder, Result
from colosseum.campaign.interrupting import unless_stopped
from colosseum.campaign.planning import Planned, remade
from colosseum.campaign.preflight import preflight
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import Provider
from colosseum.campaign.runner import Became, Options, Runner
from colosseum.campaign.source import PaidSource
from colosseum.diagnostics import stop
from colosseum.players.models.request import Endpoint
from colosseum.players.own_source import search
from colosseum.run.redaction import Redaction
from colosseum.run.trial import Listed, Trials

LOOKING = 0.5
"""Seconds between two looks at whether the campaign goes on."""


@dataclass(frozen=True)
class Instructions:
    """What every worker is told of a campaign."""

    path: Path
    """The folder, from the root of the file system on."""
    sign: Path
    """A file in it that is there as long as this campaign goes on."""
    work: bytes
    """Blocks, and the Trials that makes their runs, pickled: another version of this program may not understand it."""
    options: Options
    """With the part of the connections that is a worker's."""
    purse: Purse
    """As it was before the first run; its ledger says what was paid since then."""
    secrets: Sequence[str] = ()
    """What reaches no file."""
    models: Sequence[Endpoint] = ()
    """Those that the worker is to ask first whether they can play."""
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


@dataclass(frozen=True)
class Made:
    """What a worker did."""

    runs: Sequence[tuple[Listed, Result]]
    """How they ended."""
    purse: Purse
    """What was paid for them."""
    gave_up: str
    """Why a model was asked no more, in words."""


def make_runs(told: Instructions) -> Made:
    """Make what is missing and nobody else is at. Raises ColosseumError, OSError, Damaged, and whatever breaks."""
    place = f"the worker on {socket.gethostname()} (process {os.getpid()})"
    if not told.going_on:
        raise stop("C127", f"{place} does not see {told.path}: all workers need the same folder at the same place")
    if __version__ != told.version:
        raise stop("C127", f"{place} has Colosseum {__version__}, not {told.version}")
    search(told.home)
    try:
        return asyncio.run(_made(told, place))
    except BaseExceptionGroup as group:
        first = group.exceptions[0]  # one is enough to say what broke; the others were cut off by it
    raise first  # from here, or it would go to the client with the group in it, and that with it


async def _made(told: Instructions, place: str) -> Made:
    options, purse, runs = told.options, told.purse.shared(), list[tuple[Listed, Result]]()
    provider = Provider(options.connections, patience=options.patience, sharing=options.sharing)
    for words in await asyncio.gather(*(preflight(each, provider) for each in told.models)):
        if words:
            return Made((), purse.counts, f"{words} (so it is for {place})")
    planned, trials = _unpacked(told.work)

    def heard(listed: Listed, became: Became, result: Result | None) -> None:
        if result is not None:
            runs.append((listed, result))

    source = PaidSource(provider, purse)
    runner = Runner(Folder(told.path), source, purse, options, Redaction.of(others=told.secrets), heard)
    work = await unless_stopped(
        runner.run(planned, partial(remade, trials)), source, lambda: not told.going_on, looking=LOOKING
    )
    gave_up = "" if work.cancelled() else work.result().gave_up
    return Made(runs, purse.counts, gave_up)


def _unpacked(work: bytes) -> tuple[list[Planned], Trials]:
    found: tuple[list[Planned], Trials] = pickle.loads(work)
    return found
