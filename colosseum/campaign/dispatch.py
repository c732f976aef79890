"""Hands blocks out to workers. In: planned blocks and a crew; out: the outcome of every trial, as far as money goes.

Where money is limited, every block that is handed out has a part of it set aside: as much as its runs will probably
cost, twice over, since a call may only begin where the most that it may cost is there. A block whose part was too
small is handed out again with more; it goes on from the answers that are on file, so none is paid for twice.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Literal, Protocol

from colosseum.campaign.folder import Folder, Result
from colosseum.campaign.planning import Planned
from colosseum.campaign.purse import Purse
from colosseum.campaign.runner import Became, Progress, Tally
from colosseum.campaign.spending import spent_before
from colosseum.campaign.worker import Made, Share
from colosseum.players.scripted.players import SCRIPTED
from colosseum.run.trial import Listed

SLACK = 2.0
"""A block's part of the budget, in what its runs will probably cost."""
NEW: Mapping[Became, Became] = {"reused": "complete", "failed before": "failed"}
"""What a worker finds that makes a block again, since another one died, was made in this call of the program."""


class Crew(Protocol):
    """The workers."""

    def workers(self) -> int:
        """How many there are now."""
        ...

    def places(self) -> int:
        """How many blocks they take at once, those included that wait so that nobody has nothing to do."""
        ...

    def give(self, number: int, share: Share) -> None:
        """A block for one of them."""
        ...

    def take(self) -> tuple[int, Made]:
        """Wait for one to be done, and say which. Raises what broke it, and KeyboardInterrupt."""
        ...


@dataclass
class Job:
    """A block with something to be made."""

    planned: Planned
    left: set[str]
    """Its trials that have not become anything yet."""
    asking: list[tuple[str, float]]
    """The models of each run of models among them, and what it cost so far in US dollars."""
    spent: float
    """US dollars on the block so far."""
    given: bool = False
    """Whether it was handed out before."""
    aside: float = 0.0
    """US dollars of the budget, while it is handed out."""
    needed: float | None = None
    """US dollars for the next time, where the last time showed it; else None."""
    last: bool = False
    """Whether it had all there was."""


@dataclass
class Dispatch:
    """Makes a campaign by a crew."""

    folder: Folder
    crew: Crew
    purse: Purse
    """What blocks that are handed out may still cost is set aside in it."""
    progress: Progress
    connections: int
    """To one model, for all workers together."""
    expected: int = 1
    """Workers that there will be."""
    retry_failed: bool = False
    tally: Tally = field(init=False, default_factory=Tally)
    out: dict[int, Job] = field(init=False, default_factory=dict)
    """Blocks that are handed out, by number."""
    again: deque[Job] = field(init=False, default_factory=deque)
    """Those for which too little money was set aside."""
    numbers: Iterator[int] = field(init=False, default_factory=count)

    def run(self, planned: Iterable[Planned]) -> Tally:
        """Make what is missing. Raises what breaks in a worker, and KeyboardInterrupt."""
        todo, job = self._todo(planned), None
        while True:
            if job is None:
                job = self.again.popleft() if self.again else next(todo, None)
            if job is not None and self.tally.gave_up:
                self._give_up(job)
                job = None
                continue
            if job is not None and len(self.out) < max(1, self.crew.places()) and self._begin(job):  # one awaits some
                job = None
            elif self.out:
                self._take()
            else:
                return self.tally

    def _todo(self, planned: Iterable[Planned]) -> Iterator[Job]:
        """Blocks with something to be made; of other trials it is told what became of them before."""
        for each in planned:
            left = {listed.trial for listed in each.listed if not self._settled(listed)}
            if left:
                spent = spent_before(self.folder, each.listed, self.purse.prices)
                teams = [(team_of(listed), listed.trial) for listed in each.listed if listed.trial in left]
                asking = [(team, spent.runs.get(trial, 0.0)) for team, trial in teams if team]
                yield Job(each, left, asking, spent.dollars)

    def _settled(self, listed: Listed) -> bool:
        """Whether the trial has a result that stands."""
        result = self.folder.result(listed.trial)
        if result is None or (result.status == "failed" and self.retry_failed):
            return False
        self._became(listed, "reused" if result.status == "complete" else "failed before", result)
        return True

    def _begin(self, job: Job) -> bool:
        """Hand a block out, or give it up where no money is left for it; False where it must wait for others."""
        limit = None
        if self.purse.limit is not None and job.asking:
            part = self._part(job)
            if part == "none":
                self.purse.reached = True
                self._give_up(job)
                return True
            if part == "wait":
                return False
            job.aside, limit = part, job.spent + part
            self.purse.aside += part
            self.purse.tell()
        number = next(self.numbers)
        self.out[number] = job
        connections = max(1, self.connections // max(self.expected, self.crew.workers()))
        self.crew.give(number, Share(job.planned, connections, limit, self.retry_failed and not job.given))
        job.given = True
        return True

    def _part(self, job: Job) -> float | Literal["wait", "none"]:
        """US dollars for a block; none where too little is left, and there will not be more when others are done."""
        left, dearest = self.purse.left(), self.purse.dearest
        if self.purse.reached or job.last:
            return "none"
        known = all(team in dearest for team, _ in job.asking)
        if job.needed is not None:
            least = part = job.needed
        else:
            least = sum(max(0.0, dearest.get(team, 0.0) - spent) for team, spent in job.asking)
            part = SLACK * sum(dearest.get(team, 0.0) for team, _ in job.asking)
        if left >= least and (known or job.needed is not None):
            return min(left, part)
        if any(other.aside for other in self.out.values()):
            return "wait"
        if left <= 0 or (known and job.needed is None):
            return "none"
        job.last = True  # it shows what runs cost, or had too little before: it gets all there is
        return left

    def _take(self) -> None:
        """Hear what became of a block."""
        number, made = self.crew.take()
        job = self.out.pop(number)
        self.purse.aside = sum(other.aside for other in self.out.values())
        self._count(made, made.spent - job.spent)
        had, job.spent, job.aside = job.aside, made.spent, 0.0
        listed = {each.trial: each for each in job.planned.listed}
        self.tally.gave_up = self.tally.gave_up or made.gave_up
        for trial, became, result in made.runs:
            if trial in job.left and became != "halted":
                job.left.discard(trial)
                self._became(listed[trial], NEW.get(became, became), result)
        if made.reached:
            self.purse.refused = made.refused
            job.needed, job.last = SLACK * had + (made.refused or 0.0), job.last or made.refused is None
            self.again.append(job)
        else:
            self._give_up(job)  # a run that has a budget of its own may have reached that

    def _count(self, made: Made, cost: float) -> None:
        purse = self.purse
        purse.spent += cost
        purse.tell(cost)
        purse.calls += made.calls
        purse.uncounted += made.uncounted
        purse.bounded += made.bounded
        purse.unanswered += made.unanswered
        for team, cost in made.dearest.items():
            purse.dearest[team] = max(purse.dearest.get(team, 0.0), cost)

    def _give_up(self, job: Job) -> None:
        for listed in job.planned.listed:
            if listed.trial in job.left:
                self._became(listed, "halted", None)

    def _became(self, listed: Listed, became: Became, result: Result | None) -> None:
        self.tally.count(became)
        self.progress(listed, became, result)


def team_of(listed: Listed) -> str:
    """The models that a run asks; empty where it asks none."""
    return ", ".join(sorted({name for name in listed.players.values() if name not in SCRIPTED}))
