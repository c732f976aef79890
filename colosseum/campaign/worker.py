"""One worker process. In: instructions and blocks; out: their runs in the folder, and what became of them.

A worker shares the folder, and the budget in it, with all others, as several commands on one folder do. What was made
stands there, so blocks that are given again, since a worker died, go on from it. A worker is told no key: it takes keys
from its own environment. It begins no further call once the file is gone by which it knows the campaign.
"""

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from pathlib import Path

from colosseum import __version__
from colosseum.campaign.folder import Folder, Result
from colosseum.campaign.planning import Planned
from colosseum.campaign.preflight import preflight
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import Provider
from colosseum.campaign.runner import Became, Options, Runner
from colosseum.campaign.source import PaidSource
from colosseum.diagnostics import stop
from colosseum.model.check import read_spec
from colosseum.model.experiment import Conditions
from colosseum.model.values import Value
from colosseum.players.models.request import Endpoint
from colosseum.players.own_source import search
from colosseum.run.redaction import Redaction
from colosseum.run.trial import Block, Expansions, Listed, MakeEndpoint, Trial, Trials

LOOKING, WAITING = 0.5, 0.02
"""Seconds between two looks at whether the campaign goes on, and then at calls under way."""


@dataclass(frozen=True)
class Instructions:
    """What every worker is told of a campaign."""

    token: str
    """Names this call of the program; a file in the folder holds it while runs are to be made."""
    path: Path
    """The folder, from the root of the file system on."""
    spec: str
    """The main file, below `spec/`."""
    params: Mapping[str, Value]
    adjust: Callable[[Conditions], Conditions]
    endpoint: MakeEndpoint
    coupled: bool
    options: Options
    """With the part of the connections that is a worker's."""
    purse: Purse
    """As it was before the first run; its ledger says what was paid since then."""
    secrets: Sequence[str] = ()
    """What reaches no file."""
    home: Path = field(default_factory=Path.cwd)
    """Where modules of users' own agents are looked for."""
    version: str = __version__

    @property
    def token_path(self) -> Path:
        """The file that shows that a worker sees the folder, and that the campaign goes on."""
        return self.path / f"cluster-{self.token}"


@dataclass(frozen=True)
class Made:
    """What became of some blocks."""

    runs: Sequence[tuple[str, Result | None]] = ()
    """By trial; None where a run was left."""
    purse: Purse | None = None
    """What was paid for them."""
    gave_up: str = ""
    """Why a model was asked no more, in words."""


@dataclass
class Workshop:
    """What a process keeps of one campaign: its blocks share one event loop, and its connections to models."""

    instructions: Instructions
    trials: Trials
    provider: Provider = field(init=False)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    tasks: set["asyncio.Task[Made]"] = field(default_factory=set)

    def __post_init__(self) -> None:
        options = self.instructions.options
        self.provider = Provider(options.side_by_side, patience=options.patience, sharing=options.sharing)
        threading.Thread(target=self.loop.run_forever, name="blocks", daemon=True).start()
        asyncio.run_coroutine_threadsafe(self._watch(), self.loop)

    async def _watch(self) -> None:
        """When the campaign ends, wait for calls under way, which are paid for, and leave everything as it is."""
        while sees(self.instructions):
            await asyncio.sleep(LOOKING)
        self.provider.stopping = True
        while self.provider.under_way:
            await asyncio.sleep(WAITING)
        for task in self.tasks:
            task.cancel()
        _workshops.pop(self.instructions.token, None)

    async def make(self, planned: Sequence[Planned]) -> Made:
        """Make what is missing of some blocks."""
        task = asyncio.ensure_future(self._made(planned))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return await task

    async def _made(self, planned: Sequence[Planned]) -> Made:
        told, runs = self.instructions, list[tuple[str, Result | None]]()
        wanted = {listed.trial for block in planned for listed in block.listed}

        def heard(trial: Listed, became: Became, result: Result | None) -> None:
            runs.append((trial.trial, result))

        purse = told.purse.shared()
        source, redaction = PaidSource(self.provider, purse), Redaction.of(others=told.secrets)
        runner = Runner(Folder(told.path), source, purse, told.options, redaction, heard)
        tally = await runner.run(planned, lambda block: self._trials(block, wanted))
        return Made(runs, replace(purse, ledger=None, accounts=[], changed=asyncio.Event()), tally.gave_up)

    def _trials(self, block: Block, wanted: Collection[str]) -> Sequence[Trial]:
        """A block's trials, which must be those that were planned."""
        made, _ = self.trials.of(block)
        if not made or any(trial.identity not in wanted for trial in made):
            words = f"would make other runs than were planned: the spec in {self.instructions.path} is another"
            raise stop("C127", f"{_where()} {words}")
        return made


_workshops: dict[str, Workshop] = {}
"""By the token of their campaign."""
known_trials: dict[str, Trials] = {}
"""The same: what a process that is forked need not read again."""
_opening = threading.Lock()


def workshop(instructions: Instructions) -> Workshop:
    """This process's workshop for a campaign. Raises ColosseumError."""
    with _opening:
        found = _workshops.get(instructions.token)
        if found is None:
            trials = known_trials.get(instructions.token) or _read(instructions)
            found = _workshops[instructions.token] = Workshop(instructions, trials)
        return found


def _read(instructions: Instructions) -> Trials:
    if not sees(instructions):
        words = f"does not see {instructions.path}: all workers need the same folder at the same place"
        raise stop("C127", f"{_where()} {words}")
    if __version__ != instructions.version:
        raise stop("C127", f"{_where()} has Colosseum {__version__}, not {instructions.version}")
    search(instructions.home)
    spec, _ = read_spec(instructions.path / "spec" / instructions.spec)
    if spec is None:
        raise stop("C127", f"{_where()} cannot read the spec in {instructions.path}")
    expansions = Expansions(spec, instructions.params)
    return Trials(expansions, instructions.adjust, instructions.endpoint, instructions.coupled)


def sees(instructions: Instructions) -> bool:
    """Whether the campaign goes on, in a folder that this process sees; a file that is opened is never an old copy."""
    try:
        return instructions.token_path.read_text(encoding="utf-8") == instructions.token
    except OSError:
        return False


def _where() -> str:
    return f"the worker on {socket.gethostname()} (process {os.getpid()})"


def meet(instructions: Instructions, endpoints: Sequence[Endpoint]) -> list[str]:
    """What keeps models from playing, seen from this process. Raises ColosseumError."""
    place = workshop(instructions)

    async def ask() -> list[str]:
        return list(filter(None, await asyncio.gather(*(preflight(each, place.provider) for each in endpoints))))

    return asyncio.run_coroutine_threadsafe(ask(), place.loop).result()


def make_blocks(instructions: Instructions, planned: Sequence[Planned]) -> Made:
    """Make what is missing of some blocks. Raises ColosseumError, OSError, Damaged, and whatever breaks in a run."""
    place = workshop(instructions)
    try:
        return asyncio.run_coroutine_threadsafe(place.make(planned), place.loop).result()
    except CancelledError:
        return Made()
    except BaseExceptionGroup as group:
        first = group.exceptions[0]  # one is enough to say what broke; the others were cut off by it
    raise first  # from here, or it would go to the client with the group in it, and that with it
