"""One worker process of a cluster. In: instructions and a block; out: its runs in the folder.

The blocks of a process go on side by side on one event loop, so that they share its connections to models. A worker is
told no key: it takes keys from its own environment. What was made stands in the shared folder, so a block that is made
again, since a worker died, goes on from there.
"""

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from colosseum import __version__
from colosseum.campaign.folder import Folder, Result
from colosseum.campaign.planning import Planned
from colosseum.campaign.preflight import preflight
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import Provider
from colosseum.campaign.runner import Became, Options, Runner
from colosseum.campaign.source import PaidSource
from colosseum.campaign.spending import spent_before
from colosseum.model.check import read_spec
from colosseum.model.experiment import Conditions
from colosseum.model.values import Value
from colosseum.players.models.request import Endpoint, Price
from colosseum.players.own_source import search
from colosseum.run.redaction import Redaction
from colosseum.run.trial import Block, Expansions, Listed, MakeEndpoint, Trial, Trials

T = TypeVar("T")
LOOKING = 0.02
"""Seconds between two looks at calls under way."""
ENDING = 1.0
"""Seconds for all that goes on to end."""


class Unfit(Exception):  # noqa: N818 - what is wrong, in words
    """This process cannot make blocks of the campaign."""


@dataclass(frozen=True)
class Instructions:
    """What every worker is told of a campaign."""

    token: str
    """Names this call of the program; a file in the folder holds it, by which workers can tell that they see that."""
    path: Path
    """The folder, from the root of the file system on."""
    spec: str
    """The main file, below `spec/`."""
    params: Mapping[str, Value]
    adjust: Callable[[Conditions], Conditions]
    endpoint: MakeEndpoint
    coupled: bool
    options: Options
    prices: Mapping[str, Price]
    home: Path = field(default_factory=Path.cwd)
    """Where modules of users' own agents are looked for."""
    version: str = __version__

    @property
    def folder(self) -> Folder:
        """Where everything is."""
        return Folder(self.path)

    @property
    def token_path(self) -> Path:
        """The file that shows that a worker sees the folder."""
        return self.path / f"cluster-{self.token}"


@dataclass(frozen=True)
class Share:
    """What one worker is given at a time."""

    planned: Planned
    connections: int
    """To one model, for all blocks of a worker."""
    limit: float | None = None
    """US dollars for the block, with what was spent on it before; None is no limit."""
    retry_failed: bool = False


@dataclass(frozen=True)
class Made:
    """What became of a block, as far as a client must know."""

    runs: tuple[tuple[str, Became, Result | None], ...] = ()
    """By trial."""
    spent: float = 0.0
    """US dollars on the block in all, with what was spent before."""
    calls: int = 0
    """New answers."""
    uncounted: int = 0
    """Of them, those whose price is not known."""
    bounded: int = 0
    """Of them, those that are taken for the most that they may have cost."""
    unanswered: int = 0
    """Attempts that timed out."""
    dearest: Mapping[str, float] = field(default_factory=dict)
    """The most that a run has cost, in US dollars, by team."""
    refused: float | None = None
    """The most that the first call might have cost that there was no money for."""
    reached: bool = False
    """Whether something was left for want of money."""
    gave_up: str = ""
    """Why a model was asked no more, in words."""


@dataclass
class Workshop:
    """What a process keeps between the blocks of one campaign."""

    instructions: Instructions
    trials: Trials
    redaction: Redaction
    provider: Provider = field(default_factory=Provider)
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    blocks: set["asyncio.Task[Made]"] = field(default_factory=set)
    """Under way."""

    def __post_init__(self) -> None:
        options = self.instructions.options
        self.provider.patience, self.provider.sharing = options.patience, options.sharing
        threading.Thread(target=self._serve, name="blocks", daemon=True).start()

    def _serve(self) -> None:
        """Run the loop until it is stopped."""
        self.loop.run_forever()
        self.loop.close()

    async def make(self, share: Share) -> Made:
        """Make what is missing of a block."""
        if self.provider.stopping:
            return Made()
        task = asyncio.ensure_future(self._made(share))
        self.blocks.add(task)
        try:
            return await task
        finally:
            self.blocks.discard(task)

    async def _made(self, share: Share) -> Made:
        told, folder, listed = self.instructions, self.instructions.folder, share.planned.listed
        self._limit(share.connections)
        before = spent_before(folder, listed, told.prices)
        purse = Purse(share.limit, told.prices, before.dollars, runs=before.runs)
        runs: list[tuple[str, Became, Result | None]] = []

        def heard(trial: Listed, became: Became, result: Result | None) -> None:
            runs.append((trial.trial, became, result))

        options = replace(told.options, retry_failed=share.retry_failed)
        runner = Runner(folder, PaidSource(self.provider, purse), purse, options, self.redaction, heard)
        tally = await runner.run([share.planned], lambda block: self._trials(block, listed))
        return Made(
            tuple(runs), purse.spent, purse.calls, purse.uncounted, purse.bounded, purse.unanswered, purse.dearest,
            purse.refused, purse.reached, tally.gave_up,
        )  # fmt: skip

    def _trials(self, block: Block, listed: Sequence[Listed]) -> Sequence[Trial]:
        """A block's trials, which must be those that were planned."""
        made, _ = self.trials.of(block)
        if [trial.identity for trial in made] != [each.trial for each in listed]:
            raise Unfit(
                f"{_where()} would make other runs than were planned: the spec in {self.instructions.path} is another"
            )
        return made

    def _limit(self, connections: int) -> None:
        """So many calls of one model at once, from now on."""
        self.provider.most_connections = connections
        for gate in self.provider.gates.values():
            gate.most, gate.room = connections, min(gate.room, float(connections))

    async def stop(self) -> None:
        """Begin no further call, wait for those under way, which are paid for, and leave the blocks as they are."""
        self.provider.stopping = True
        while self.provider.under_way:
            await asyncio.sleep(LOOKING)
        for task in self.blocks:
            task.cancel()

    async def close(self) -> None:
        """End at once."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=ENDING)
        self.loop.call_soon(self.loop.stop)

    async def ask(self, endpoints: Sequence[Endpoint]) -> list[str]:
        """What keeps models from playing, seen from here."""
        found = await asyncio.gather(*(preflight(endpoint, self.provider) for endpoint in endpoints))
        return [words for words in found if words]


_workshops: dict[str, Workshop] = {}
"""By the token of their campaign: what is left to us of a process between two blocks."""
_opening = threading.Lock()


def workshop(instructions: Instructions) -> Workshop:
    """This process's workshop for a campaign. Raises Unfit."""
    with _opening:
        found = _workshops.get(instructions.token)
        if found is None:
            _check(instructions)
            search(instructions.home)
            spec, _ = read_spec(instructions.folder.spec / instructions.spec)
            if spec is None:
                raise Unfit(f"{_where()} cannot read the spec in {instructions.path}")
            expansions = Expansions(spec, instructions.params)
            trials = Trials(expansions, instructions.adjust, instructions.endpoint, instructions.coupled)
            found = _workshops[instructions.token] = Workshop(instructions, trials, Redaction.of())
        return found


def _check(instructions: Instructions) -> None:
    try:
        seen = instructions.token_path.read_text(encoding="utf-8")
    except OSError:
        seen = ""
    if seen != instructions.token:
        raise Unfit(f"{_where()} does not see {instructions.path}: all workers need the same folder at the same place")
    if __version__ != instructions.version:
        raise Unfit(f"{_where()} has Colosseum {__version__}, not {instructions.version}")


def _where() -> str:
    return f"the worker on {socket.gethostname()} (process {os.getpid()})"


def unfit(instructions: Instructions) -> str:
    """What keeps this process from making blocks, in words; empty where nothing does."""
    try:
        workshop(instructions)
    except Unfit as fault:
        return str(fault)
    return ""


def make_block(instructions: Instructions, share: Share) -> Made:
    """Make what is missing of a block. Raises Unfit, OSError, Damaged, and whatever breaks in a run."""
    place = workshop(instructions)
    try:
        return asyncio.run_coroutine_threadsafe(place.make(share), place.loop).result()
    except CancelledError:
        return Made()
    except BaseExceptionGroup as group:
        first = group.exceptions[0]  # one is enough to say what broke; the others were cut off by it
    raise first  # from here, or it would go to the client with the group in it, and that with it


async def ask_models(instructions: Instructions, endpoints: Sequence[Endpoint]) -> list[str]:
    """What keeps models from playing, seen from this process."""
    place = workshop(instructions)
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(place.ask(endpoints), place.loop))


async def stop_blocks(token: str) -> None:
    """Leave the blocks of a campaign as they are once their calls under way have ended."""
    place = _workshops.get(token)
    if place is not None:
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(place.stop(), place.loop))


def leave(token: str) -> None:
    """Keep nothing of a campaign any more."""
    with _opening:
        place = _workshops.pop(token, None)
    if place is not None:
        asyncio.run_coroutine_threadsafe(place.close(), place.loop)
