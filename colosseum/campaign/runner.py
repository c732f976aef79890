"""Makes the runs of a campaign. In: blocks of trials and a folder; out: every run exactly once, as far as money goes.

Runs of models go on side by side, those of one block together; scripted ones never wait, so they go one by one. A block
belongs to the process that holds its lock; what another process is at is looked at again in the end.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias

from filelock import FileLock, Timeout

from colosseum.campaign.calls import CacheMode, Expense, NewAnswers, RunCalls
from colosseum.campaign.folder import FailureReason, Folder, Result, Status, keep_file
from colosseum.campaign.money import Budget
from colosseum.campaign.planning import Planned
from colosseum.campaign.purse import Account, Purse
from colosseum.campaign.retry import OUTAGE, Attempt, OnAttempt, Provider
from colosseum.model.serial import Json
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Asker, Halt, Question
from colosseum.players.view import CallFailed
from colosseum.run.redaction import Redaction
from colosseum.run.run import LiveRun
from colosseum.run.stage import players
from colosseum.run.trace import TraceWriter
from colosseum.run.trial import Block, Listed, Trial

SCHEMA = 1
SOON, BUSY = 0.02, 1.0
"""Seconds before a second look at blocks that other processes make, and at most, as it doubles each time."""

Became: TypeAlias = Literal["complete", "failed", "reused", "failed before", "halted"]
"""What became of a trial in this call of the program."""
Progress: TypeAlias = Callable[[Listed, Became, Result | None], None]
MakeTrials: TypeAlias = Callable[[Block], Sequence[Trial]]  # makes the trials of a block
Watch: TypeAlias = Callable[[Trial, str, Mapping[str, Json]], None]
"""Told of every event of every run, and its content, as it happens."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a campaign is run; nothing here changes what a run comes to."""

    cache: CacheMode = "rw"
    budget: Budget = field(default_factory=Budget)
    side_by_side: int | None = None
    """Runs of models at once; None for as many as connections."""
    connections: int = 64
    """Calls of a model at once."""
    patience: float = OUTAGE
    """Seconds that a model may be down."""


class Tally(Counter[Became]):
    """How many trials became what."""

    gave_up: str = ""
    """Why a model was asked no more, in words."""

    @property
    def failed(self) -> int:
        """How many failed, now or before."""
        return self["failed"] + self["failed before"]


@dataclass
class PaidSource:
    """Asks models for all runs of a campaign."""

    provider: Provider
    purse: Purse
    watch: OnAttempt = lambda request, attempt: None
    """Told of every attempt, whichever run it is for."""

    async def ask(self, account: Account, request: Question, heard: OnAttempt) -> Answer | Failure:
        """A new answer, paid for by the run whose account it is. Raises Halt."""
        async with self.purse.paying(request, account) as pay:

            def told(request: Question, attempt: Attempt) -> None:
                heard(request, attempt)
                self.watch(request, attempt)
                match attempt.result:
                    case Failure(came=Answer() as came) if came.usage.prompt_tokens is not None:
                        pay(came)
                        if attempt.delay is not None:
                            self.purse.check(account)
                    case Failure(unheard=True):
                        self.purse.unanswered += 1

            result = await self.provider.ask(request, heard=told)
            if isinstance(result, Answer):
                pay(result)
        return result


@dataclass
class Runner:
    """Makes runs in one folder."""

    folder: Folder
    source: PaidSource
    options: Options
    redaction: Redaction
    progress: Progress = lambda listed, became, result: None
    tally: Tally = field(init=False, default_factory=Tally)
    rank: int = field(init=False, default=0)
    """Blocks that were begun."""
    rooms: dict[bool, asyncio.Semaphore] = field(init=False)
    """For runs of models, as many at once as was said, and for one of scripted players."""
    watch: Watch = lambda trial, event, content: None
    retried: Mapping[str, int] = field(default_factory=dict)
    """By trial that had failed and is tried again, the time of its result, which goes once the run is begun anew."""
    group: asyncio.TaskGroup = field(init=False, default_factory=asyncio.TaskGroup)

    def __post_init__(self) -> None:
        most = self.options.side_by_side or self.options.connections
        self.rooms = {True: asyncio.Semaphore(most), False: asyncio.Semaphore(1)}

    async def run(self, planned: Iterable[Planned], make: MakeTrials) -> Tally:
        """Make what is missing. A run that no money is left for stays as it is."""
        async with self.group:
            busy, pause = list(planned), SOON
            while busy := [each for each in busy if not await self._block(each, make)]:
                await asyncio.sleep(pause)
                pause = min(BUSY, 2 * pause)
        silent = self.source.provider.gave_up
        self.tally.gave_up = self.redaction.clean(silent.reason) if silent else ""
        return self.tally

    async def _block(self, each: Planned, make: MakeTrials) -> bool:
        """Begin what is missing of a block, unless another process is at it; whether none is.

        The system lets go of the lock when a process dies, however it does.
        """
        lock, found = None, self._standing(each)
        if None in found:
            path = self.folder.lock(each.block)
            path.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(path, timeout=0)
            try:
                lock.acquire()
            except Timeout:
                return False
            found = self._standing(each)
        try:
            for listed, result in zip(each.listed, found, strict=True):
                if result is not None:
                    self._became(listed, "reused" if result.status == "complete" else "failed before", result)
            if lock is not None and None in found:
                todo = [listed for listed, result in zip(each.listed, found, strict=True) if result is None]
                await self._begin(each, todo, make, lock)
        finally:
            if lock is not None:
                _let_go(lock)
        await asyncio.sleep(0)
        return True

    async def _begin(self, each: Planned, todo: Sequence[Listed], make: MakeTrials, lock: FileLock) -> None:
        """Begin runs of a block, each once there is room for it and if there is money for all of them."""
        self.rank += 1
        wanted = {listed.trial for listed in todo}
        nothing = self.source.provider.stopping or (self.source.purse.reached and any(map(each.turns.get, wanted)))
        trials = [] if nothing else make(each.block)  # which takes long
        missing = [(trial, self._account(trial)) for trial in trials if trial.identity in wanted]
        paying = [account for _, account in missing if account.team]
        if nothing or not await self.source.purse.admits(paying, lambda: self.source.provider.stopping):
            for listed in todo:
                self._became(listed, "halted", None)
            return
        for trial, account in missing:
            room = self.rooms[bool(trial.endpoints)]
            await room.acquire()
            lock.acquire()  # once more: it is held until the last of its runs has ended
            made = self._made(trial, account, partial(self.source.ask, account))
            self.group.create_task(made).add_done_callback(partial(_let_go, lock, room))
            await asyncio.sleep(0)  # so that Ctrl-C is heard between two runs that never wait

    def _account(self, trial: Trial) -> Account:
        """What a run costs is counted on it, with what its calls on file cost."""
        account = Account(", ".join(sorted(trial.endpoints)), self.rank, self.options.budget.run, trial.most_calls)
        if account.team and (self.source.purse.limit is not None or account.limit is not None):
            account.spent = Purse(None, self.source.purse.prices).recall(self.folder, [trial.listed]).spent
        return account

    def _standing(self, each: Planned) -> list[Result | None]:
        return [self.folder.result_after(listed.trial, self.retried) for listed in each.listed]

    async def _made(self, trial: Trial, account: Account, source: NewAnswers) -> None:
        """Make one run. A player that cannot be asked ends this run only."""
        keep_file(self.folder.scenario(trial.instance.digest), trial.instance.written)
        calls = RunCalls(self.folder.calls(trial.identity), source, self.redaction, self.options.cache)
        self.folder.result_path(trial.identity).unlink(missing_ok=True)
        trace = TraceWriter(self.folder.trace(trial.identity), self.redaction, partial(self.watch, trial))
        try:
            with self.source.purse.open(account):
                result = await perform(trial, calls, trace)
        except Halt:
            self._became(trial.listed, "halted", None)
            return
        self.folder.commit(result)
        if result.status == "complete":
            self.source.purse.learn(account)
        self._became(trial.listed, result.status, result)

    def _became(self, listed: Listed, became: Became, result: Result | None) -> None:
        self.tally[became] += 1
        self.progress(listed, became, result)


def _let_go(lock: FileLock, room: asyncio.Semaphore | None = None, run: "asyncio.Task[None] | None" = None) -> None:
    """A run has ended, or all that are to be made of a block have begun."""
    if room is not None:
        room.release()
    if lock.lock_counter == 1:
        Path(lock.lock_file).unlink(missing_ok=True)  # while it is held, or we would take another's away
    lock.release()


async def perform(trial: Trial, calls: RunCalls, trace: TraceWriter, asked: Asker | None = None) -> Result:
    """Play one run into its trace; how it ended depends on what happened alone.

    Raises Halt and Missing, in the middle of the trace. Trace and calls are closed, and durable where it ended.
    """
    reason: FailureReason | None = None
    with closing(trace), closing(calls):
        team = players(trial.roles, trial.endpoints, asked or calls, trial.stage.templates)
        try:
            await LiveRun(trial, team, trial.instance.rules, trace).play()
        except CallFailed as failure:
            reason = FailureReason(failure.kind, failure.reason)
        status: Status = "failed" if reason else "complete"
        trace.write("end", status=status)
        trace.finish()
    return Result(SCHEMA, trial.identity, status, reason, trace.seal, Expense.of(calls.paid), calls.digest)
