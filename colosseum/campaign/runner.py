"""Makes the runs of a campaign. In: blocks of trials and a folder; out: every run exactly once, as far as money goes.

Runs of models go on side by side, those of one block together; scripted ones never wait, so they go one by one. A run
belongs to the process that holds its lock; what another process is at is looked at again in the end.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias
from weakref import WeakValueDictionary

from filelock import FileLock, Timeout

from colosseum.campaign.calls import AnswerSource, CacheMode, Expense, RunCalls, read_calls
from colosseum.campaign.coupling import Coupled, Coupling
from colosseum.campaign.folder import FailureReason, Folder, Result, Status
from colosseum.campaign.planning import Planned, keep_scenario
from colosseum.campaign.purse import Account, Purse
from colosseum.campaign.retry import OUTAGE
from colosseum.campaign.source import PaidSource, RunSource
from colosseum.model.serial import Json
from colosseum.players.models.request import Asker, Halt
from colosseum.players.view import CallFailed
from colosseum.run.redaction import Redaction
from colosseum.run.run import LiveRun
from colosseum.run.team import players
from colosseum.run.trace import VERSION, Seal, TraceWriter
from colosseum.run.trial import Block, Listed, Trial

SCHEMA = 1
BUSY = 0.5
"""Seconds between two looks at a run that another process makes."""

Became: TypeAlias = Literal["complete", "failed", "reused", "failed before", "halted"]
"""What became of a trial in this call of the program."""
Progress: TypeAlias = Callable[[Listed, Became, Result | None], None]
Left: TypeAlias = tuple[Trial, Sequence[Trial]]
"""A trial that another process may be at, and its block."""
Watch: TypeAlias = Callable[[Trial, str, Mapping[str, Json]], None]
"""Told of every event of every run, and its content, as it happens."""


@dataclass(frozen=True)
class Options:
    """How a campaign is run; nothing here changes what a run comes to."""

    cache: CacheMode = "rw"
    run_budget: float | None = None
    """US dollars for one run."""
    retry_failed: bool = False
    side_by_side: int = 64
    """Runs of models at once."""
    patience: float = OUTAGE
    """Seconds that a model may be down."""
    sharing: tuple[frozenset[str], ...] = ()
    """Models that share a rate limit."""


@dataclass
class Tally:
    """How many trials became what."""

    became: dict[Became, int] = field(default_factory=dict)
    gave_up: str = ""
    """Why a model was asked no more, in words."""

    def count(self, became: Became) -> None:
        """One more."""
        self.became[became] = self.became.get(became, 0) + 1

    def __getitem__(self, became: Became) -> int:
        return self.became.get(became, 0)


@dataclass
class Runner:
    """Makes runs in one folder."""

    folder: Folder
    source: PaidSource
    purse: Purse
    options: Options
    redaction: Redaction
    progress: Progress
    tally: Tally = field(init=False, default_factory=Tally)
    kept: set[str] = field(init=False, default_factory=set)
    """Scenarios that are in the folder."""
    running: int = field(init=False, default=0)
    """Runs that go on."""
    held: WeakValueDictionary[Path, FileLock] = field(init=False, default_factory=WeakValueDictionary)
    """Locks on runs that go on: one that several of them share is let go by the last."""
    left: asyncio.Event = field(init=False, default_factory=asyncio.Event)
    """Set when one of them ends."""
    watch: Watch = lambda trial, event, content: None
    then: Callable[[Listed], Coroutine[None, None, None]] | None = None
    """What is done with a run that is complete, while others go on."""
    group: asyncio.TaskGroup = field(init=False, default_factory=asyncio.TaskGroup)

    async def run(self, planned: Iterable[Planned], make: Callable[[Block], Sequence[Trial]]) -> Tally:
        """Make what is missing. A run that no money is left for stays as it is."""
        busy: list[Left] = []
        async with self.group as group:
            for rank, each in enumerate(planned):
                todo = {listed.trial for listed in each.listed if not self._settled(listed)}
                if not todo:
                    await asyncio.sleep(0)
                    continue
                trials = make(each.block)
                missing = [(trial, self._account(trial, rank)) for trial in trials if trial.identity in todo]
                if not await self._admitted([account for _, account in missing if account.team]):
                    for trial, _ in missing:
                        self._became(trial.listed, "halted", None)
                    continue
                shared = _coupling(trials)
                for trial, account in missing:
                    await self._room(trial)
                    one = self._one((trial, trials), account, shared, busy)
                    group.create_task(one).add_done_callback(self._left)
                    await asyncio.sleep(0)  # so that Ctrl-C is heard between two runs that never wait
        self.group = asyncio.TaskGroup()
        async with self.group:
            await self._others(busy)
        silent = self.source.provider.gave_up
        self.tally.gave_up = self.redaction.clean(silent.reason) if silent else ""
        return self.tally

    def _account(self, trial: Trial, rank: int) -> Account:
        """What a run costs is counted on it, with what its calls on file cost."""
        account = Account(", ".join(sorted(trial.endpoints)), rank, self.options.run_budget, trial.most_calls)
        if account.team and (self.purse.limit is not None or account.limit is not None):
            account.spent = Purse(None, self.purse.prices).recall(self.folder, [trial.listed]).spent
        return account

    async def _admitted(self, todo: Sequence[Account]) -> bool:
        """Whether a block may begin: where money is limited, as much must be left as its runs will probably cost.

        Blocks are begun whole, so that what is compared is there in all arms. What runs of a team cost is shown by the
        first of them: until one is complete, others begin only where there is enough for all that they may need.
        """
        purse = self.purse
        while todo and purse.limit is not None:
            if purse.reached or self.source.stopping:
                return False
            known = all(account.team in purse.dearest for account in todo)
            if sum(map(purse.owed, todo)) <= purse.left() and (known or not purse.accounts):
                return True
            if purse.has_for(todo):
                return True
            if not purse.accounts and not purse.others:
                purse.reached = True
                return False
            await purse.change()
        return not self.source.stopping

    async def _room(self, trial: Trial) -> None:
        """Wait until one more run may go on: as many of models as was said, one of scripted players."""
        while self.running >= (self.options.side_by_side if trial.endpoints else 1):
            self.left.clear()
            await self.left.wait()
        self.running += 1

    def _left(self, task: "asyncio.Task[None]") -> None:
        self.running -= 1
        self.left.set()

    def _settled(self, listed: Listed) -> bool:
        """Whether the trial has a result that stands."""
        result = self.folder.result(listed.trial)
        if result is None or (result.status == "failed" and self.options.retry_failed):
            return False
        self._became(listed, "reused" if result.status == "complete" else "failed before", result)
        return True

    def _recall(self, shared: Coupling, block: Sequence[Trial]) -> None:
        """Share what earlier calls of the program, and other processes, were answered."""
        for trial in block:
            path = self.folder.calls(trial.identity)
            if path.exists() and self.options.cache != "off":
                shared.remember(trial, read_calls(path))

    async def _one(self, left: Left, account: Account, shared: Coupling | None, busy: list[Left]) -> None:
        """Make one run, unless another process is at it."""
        (trial, block), source = left, RunSource(self.source, account)
        try:
            with self._claim(trial, block) as fresh:
                if shared and fresh:
                    self._recall(shared, block)
                if not self._settled_meanwhile(trial):
                    with self.purse.open(account):
                        await self._made(trial, account, Coupled(shared, trial.identity, source) if shared else source)
        except Timeout:
            busy.append(left)

    @contextmanager
    def _claim(self, trial: Trial, block: Sequence[Trial]) -> Iterator[bool]:
        """Within the block no other process makes this run; whether one may have until now. Raises Timeout.

        The system lets go of the lock when a process dies, however it does. The file goes once there are results. Runs
        that share answers are claimed together, or two processes would pay for the same, and be answered differently.
        """
        together = [other for other in block if other.coupled] if trial.coupled else [trial]
        path = self.folder.lock(min(other.identity for other in together))
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = self.held.setdefault(path, FileLock(path, timeout=0))
        fresh = not lock.is_locked
        with lock:
            yield fresh
            if all(self.folder.ended(other.identity) for other in together):
                path.unlink(missing_ok=True)

    def _settled_meanwhile(self, trial: Trial) -> bool:
        """Whether another process has made the run since we looked."""
        result = self.folder.result(trial.identity)
        if result is not None and result.status == "failed" and self.options.retry_failed:
            self.folder.retract(trial.identity)
            return False
        return result is not None and self._settled(trial.listed)

    async def _made(self, trial: Trial, account: Account, source: AnswerSource) -> None:
        """Make one run. A player that cannot be asked ends this run only."""
        if trial.scenario_hash not in self.kept:
            keep_scenario(self.folder, trial)
            self.kept.add(trial.scenario_hash)
        calls = RunCalls(self.folder.calls(trial.identity), source, self.redaction, self.options.cache)
        watch = partial(self.watch, trial)
        trace = TraceWriter(self.folder.trace(trial.identity), self.redaction, watch)
        reason: FailureReason | None = None
        try:
            await perform(trial, calls, trace)
        except CallFailed as failure:
            reason = FailureReason(failure.kind, failure.reason)
        except Halt:
            self._became(trial.listed, "halted", None)
            return
        finally:
            calls.close()
            trace.close()
        result = result_of(trial, calls, trace.seal, reason)
        self.folder.commit(result)
        if result.status == "complete":
            self.purse.learn(account)
        self._became(trial.listed, result.status, result)

    async def _others(self, busy: Sequence[Left]) -> None:
        """Wait for runs that other processes make, and make those that they leave."""
        for each in busy:
            left = [each]
            while left:
                left.clear()
                if not self._settled(each[0].listed):
                    await self._one(each, self._account(each[0], 0), _coupling(each[1]), left)
                if left:
                    await asyncio.sleep(BUSY)

    def _became(self, listed: Listed, became: Became, result: Result | None) -> None:
        self.tally.count(became)
        self.progress(listed, became, result)
        if self.then is not None and became in ("complete", "reused"):
            self.group.create_task(self.then(listed))


def _coupling(block: Sequence[Trial]) -> Coupling | None:
    """What the arms of a block share."""
    return Coupling(block) if any(trial.coupled for trial in block) else None


async def perform(trial: Trial, calls: Asker, trace: TraceWriter) -> None:
    """Play one run into its trace. Raises CallFailed, at the end of the trace, and Halt, in the middle of it."""
    trace.write("start", version=VERSION, trial=trial.identity, **trial.description())
    team = players(trial.roles, trial.endpoints, calls, trial.stage.templates)
    try:
        await LiveRun(trial.stage, team, trial.instance.library, trial.instance.rules, trace).play()
    except CallFailed:
        trace.write("end", status="failed")
        trace.finish()
        raise
    trace.write("end", status="complete")
    trace.finish()


def result_of(trial: Trial, calls: RunCalls, seal: Seal, reason: FailureReason | None) -> Result:
    """How a run ended; it depends on what happened alone."""
    status: Status = "failed" if reason else "complete"
    expense = Expense.of([*calls.used.values(), *calls.lost])
    return Result(SCHEMA, trial.identity, status, reason, seal, expense, calls.digest)
