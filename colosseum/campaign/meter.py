"""How far a campaign has come. In: trials, attempts and events as they happen; out: Progress, when asked for.

Where models play, the work is their turns: all are known beforehand. Another thread looks, so both hold a lock.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Literal, TypeAlias

from colosseum.campaign.folder import Result
from colosseum.campaign.money import dollars
from colosseum.campaign.purse import Purse
from colosseum.campaign.rate_limit import RateLimit
from colosseum.campaign.retry import OUTAGE, Attempt
from colosseum.campaign.runner import Became, Tally
from colosseum.model.serial import Json
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Question
from colosseum.players.scripted.players import SCRIPTED
from colosseum.run.trial import Listed, Trial

SCHEMA = 4  # of progress
WINDOW, SOONEST = 60.0, 2.0  # seconds over which rates are measured, and after which there is one


@dataclass(frozen=True)
class ModelProgress:
    """One model at one moment."""

    model: str
    answers: int
    under_way: int
    """Calls on the wire."""
    room: int
    """How many there may be at once."""
    waiting: int
    limited_for: float
    """Seconds for which it is not asked, as the provider wants or is down."""
    silent_for: float | None
    """Seconds since calls began to fail without an answer in between; null where the last one was answered."""
    pauses_in: float | None
    """Seconds until the campaign pauses if the model is down all the while; null where the last call was answered."""
    last_failure: str
    """The kind of the last failure since then; else empty."""


@dataclass(frozen=True)
class Progress:
    """A campaign at one moment."""

    event: Literal["progress"]
    schema: int
    final: bool
    seconds: float
    """Since the beginning."""
    turns_begun: int
    """Of models in the runs that are to be made; those of runs that have ended are all counted."""
    turns: int
    """How many there are; 0 where no model plays."""
    seconds_left: float | None
    """By the pace of the last minute; null where nothing has happened of late."""
    runs: int
    complete: int
    reused: int
    """Complete before, as `failed` also counts those that failed before."""
    failed: int
    halted: int
    """Put off: no money is left, or somebody said stop."""
    under_way: int
    failed_runs: dict[str, int]
    """By the kind of failure."""
    repeated_calls: dict[str, int]
    """Attempts that failed and are made again, by the kind of failure."""
    dollars: float | None
    """Spent on the campaign so far; null where that is not known."""
    unpriced: int
    """Answers of unknown cost, which are not in the dollars."""
    budget: float | None
    models: tuple[ModelProgress, ...]

    @property
    def done(self) -> int:
        """Runs that have a result."""
        return self.complete + self.reused + self.failed

    @property
    def share(self) -> float:
        """Of the work that is done, by turns where models play, else by runs."""
        part, whole = (self.turns_begun, self.turns) if self.turns else (self.done, self.runs)
        return min(1.0, part / whole) if whole else 1.0


@dataclass(frozen=True)
class AuditRemark:
    """Words for the user of an audit, such as that its seeds settle nothing."""

    event: Literal["remark"]
    schema: int
    words: str


ProgressLine: TypeAlias = Progress | AuditRemark  # a line of `audit --display json`


@dataclass
class Gauge:
    """Counts for one campaign."""

    turns: Mapping[str, int]
    """By trial, its turns that models play; 0 of one that had ended before."""
    models: tuple[str, ...]
    purse: Purse
    gates: Mapping[tuple[str, str | None], RateLimit]
    clock: Callable[[], float] = time.monotonic
    patience: float = OUTAGE
    lock: Lock = field(default_factory=Lock)
    became: Tally = field(default_factory=Tally)
    begun: dict[str, set[tuple[str, str, int]]] = field(default_factory=dict)
    """By trial that goes on, the turns that have begun."""
    left: dict[str, int] = field(init=False)
    """By trial that has not ended, turns that have not begun."""
    answers: Counter[str] = field(default_factory=Counter)
    """By model."""
    failing: dict[str, tuple[float, str]] = field(default_factory=dict)
    """By model whose last call failed, since when, and the kind of the last failure."""
    repeated: Counter[str] = field(default_factory=Counter)
    failed_runs: Counter[str] = field(default_factory=Counter)
    marks: deque[tuple[float, ...]] = field(default_factory=deque)
    """Of the last minute: the moment, turns and runs so far."""
    start: float = field(init=False)

    def __post_init__(self) -> None:
        self.left, self.start = dict(self.turns), self.clock()
        self.marks.append(self._mark(self.start))

    def trial(self, listed: Listed, became: Became, result: Result | None) -> None:
        """A trial has become what it is."""
        with self.lock:
            self.became[became] += 1
            self.left.pop(listed.trial, None)
            self.begun.pop(listed.trial, None)
            if result is not None and result.reason is not None:
                self.failed_runs[result.reason.kind] += 1

    def call(self, request: Question, attempt: Attempt) -> None:
        """A model was asked."""
        with self.lock:
            model = request.endpoint.model
            match attempt.result:
                case Answer():
                    self.answers[model] += 1
                    self.failing.pop(model, None)
                case Failure(kind=kind):
                    self.repeated[kind] += attempt.delay is not None
                    self.failing[model] = self.failing.get(model, (self.clock(), ""))[0], kind

    def event(self, trial: Trial, event: str, content: Mapping[str, Json]) -> None:
        """Something happened in a run."""
        if event not in ("start", "reply"):
            return
        with self.lock:
            begun = self.begun.setdefault(trial.identity, set())
            if event == "reply" and trial.roles[str(content["agent"])] not in SCRIPTED:
                turn = str(content["agent"]), str(content["phase"]), int(str(content["round"]))
                if turn not in begun:
                    begun.add(turn)
                    self.left[trial.identity] = max(0, self.left.get(trial.identity, 0) - 1)

    def look(self, *, final: bool = False) -> Progress:
        """How far it has come."""
        with self.lock:
            now = self._mark(self.clock())
            self.marks.append(now)
            while len(self.marks) > 2 and now[0] - self.marks[1][0] >= WINDOW:
                self.marks.popleft()
            counts, purse = self.became, self.purse
            priced = purse.spent > 0 or all(model in purse.prices for model in self.models)
            return Progress(
                "progress", SCHEMA, final, round(now[0] - self.start, 3), int(now[1]), sum(self.turns.values()),
                self._seconds_left(now), len(self.turns), counts["complete"], counts["reused"],
                counts["failed"] + counts["failed before"], counts["halted"], len(self.begun), dict(self.failed_runs),
                dict(+self.repeated), purse.spent if priced else None, purse.unpriced, purse.limit,
                tuple(self._model(model, gate, now[0]) for (model, _), gate in list(self.gates.items())),
            )  # fmt: skip

    def _mark(self, moment: float) -> tuple[float, ...]:
        turns = sum(self.turns.values()) - sum(self.left.values())
        return moment, turns, self.became["complete"] + self.became["failed"]

    def _seconds_left(self, now: tuple[float, ...]) -> float | None:
        if not self.left:
            return 0.0
        seconds, turns, runs = (b - a for a, b in zip(self.marks[0], now, strict=True))
        left, made = (sum(self.left.values()), turns) if any(self.turns.values()) else (len(self.left), runs)
        return left * seconds / made if made and seconds >= SOONEST else None

    def _model(self, model: str, gate: RateLimit, now: float) -> ModelProgress:
        since, failure = self.failing.get(model, (now, ""))
        held = max(0.0, gate.until - time.monotonic())  # the loop that moves it counts time as we do
        silent = round(now - since, 3) if failure else None
        return ModelProgress(
            model, self.answers[model], gate.under_way, int(gate.room), gate.waiting, round(held, 3), silent,
            None if silent is None else max(0.0, round(self.patience - silent, 3)), failure,
        )  # fmt: skip


@contextmanager
def watched(meter: Gauge, watch: Callable[[Gauge, Event], None]) -> Iterator[None]:
    """Within the block a thread watches, until the event is set."""
    done = Event()
    thread = Thread(target=watch, args=(meter, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def telling(tell: Callable[[Progress], None], seconds: float = 0.5) -> Callable[[Gauge], AbstractContextManager[None]]:
    """What to do with a meter so that somebody is told every so often how far it has come, and once in the end."""

    def watch(meter: Gauge, done: Event) -> None:
        final = False
        while not final:
            final = done.wait(seconds)
            tell(meter.look(final=final))

    return lambda meter: watched(meter, watch)


def print_progress(progress: Progress) -> None:
    """Print one line, which the next one replaces."""
    failed = f", {progress.failed} failed" if progress.failed else ""
    spent = f", {dollars(progress.dollars)} spent" if progress.dollars else ""
    end = "\n" if progress.final else ""
    print(f"\r{progress.done} of {progress.runs} runs{failed}{spent}", end=end, flush=True)  # noqa: T201 - asked for
