"""What was seen of a campaign. In: trials, attempts and events as they happen; out: a Sight, whenever somebody looks.

To hear of something costs an addition. Looking is done by another thread, so both hold a lock.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from colosseum.audit.campaign.folder import Result
from colosseum.audit.campaign.purse import Purse
from colosseum.audit.campaign.rate_limit import RateLimit
from colosseum.audit.campaign.retry import Attempt
from colosseum.audit.campaign.runner import Became
from colosseum.audit.redaction import Redaction
from colosseum.audit.trial import Listed, Trial
from colosseum.cli.watching.wording import one_line
from colosseum.model.json_text import Json
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Request

WINDOW = 60.0
"""Seconds over which rates are measured."""
SOONEST = 2.0
"""Seconds after which there is a rate."""
MOST_SAID = 100
"""Messages that are kept."""


@dataclass(frozen=True)
class Money:
    """What was spent, in US dollars."""

    spent: float
    """As far as prices are known."""
    limit: float | None
    unpriced: int
    """Answers whose price is not known."""
    unknown: bool
    """Whether a model that is asked has no known price."""


@dataclass(frozen=True)
class Room:
    """How many calls one model gets at once."""

    model: str
    under_way: int
    room: int
    waiting: int
    held: float
    """Seconds that the provider asked to wait, from now."""


@dataclass(frozen=True)
class Message:
    """One post; its words fit a line and hold nothing but characters that can be seen."""

    agent: str
    channel: str
    secret: bool
    words: str


@dataclass(frozen=True)
class Sight:
    """A campaign at one moment."""

    total: int
    """Trials."""
    became: Mapping[Became, int]
    under_way: int
    """Runs that have begun and not ended."""
    answers: int
    again: Mapping[str, int]
    """Attempts that failed and are repeated, by kind."""
    broken: Mapping[str, int]
    """Runs that failed, by kind."""
    money: Money | None
    """None where no model is asked and nothing was spent."""
    rooms: tuple[Room, ...]
    runs_a_minute: float | None
    """None as long as there is too little to tell it by."""
    answers_a_minute: float | None
    seconds: float
    """Since the beginning."""
    messages: tuple[Message, ...]
    """The last ones, the newest at the end."""

    def number(self, *kinds: Became) -> int:
        """How many trials became one of these."""
        return sum(self.became.get(kind, 0) for kind in kinds)

    @property
    def done(self) -> int:
        """Trials that have a result; those that were put off have none."""
        return self.number("complete", "reused") + self.failed

    @property
    def failed(self) -> int:
        """Trials without figures."""
        return self.number("failed", "failed before")

    @property
    def minutes_left(self) -> float | None:
        """At the rate of now; it says little before as many runs are made as go on side by side."""
        if not self.runs_a_minute or self.number("complete", "failed") < self.under_way:
            return None
        return (self.total - self.done) / self.runs_a_minute


@dataclass
class Seen:
    """Counts what happens."""

    total: int
    models: tuple[str, ...]
    """Those that will be asked."""
    purse: Purse
    gates: Mapping[tuple[str, str | None], RateLimit]
    redaction: Redaction
    clock: Callable[[], float] = time.monotonic
    lock: Lock = field(default_factory=Lock)
    became: Counter[Became] = field(default_factory=Counter)
    running: set[str] = field(default_factory=set)
    answers: int = 0
    again: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    said: deque[tuple[Trial, Mapping[str, Json]]] = field(default_factory=lambda: deque(maxlen=MOST_SAID))
    looks: deque[tuple[float, int, int]] = field(default_factory=deque)
    """(moment, runs made, answers) of the last minute's looks."""
    begun: float = field(init=False)

    def __post_init__(self) -> None:
        self.begun = self.clock()
        self.looks.append((self.begun, 0, 0))

    def trial(self, listed: Listed, became: Became, result: Result | None) -> None:
        """A trial has become what it is."""
        with self.lock:
            self.became[became] += 1
            self.running.discard(listed.trial)
            if result is not None and result.reason is not None:
                self.broken[result.reason.kind] += 1

    def call(self, request: Request, attempt: Attempt) -> None:
        """A model was asked."""
        with self.lock:
            match attempt.result:
                case Answer():
                    self.answers += 1
                case Failure(kind=kind) if attempt.delay is not None:
                    self.again[kind] += 1

    def event(self, trial: Trial, event: str, content: Mapping[str, Json]) -> None:
        """Something happened in a run."""
        if event == "post":
            with self.lock:
                self.said.append((trial, content))
        elif event == "start":
            with self.lock:
                self.running.add(trial.identity)

    def look(self, *, messages: int = 0) -> Sight:
        """What there is to see now, with so many of the last messages."""
        with self.lock:
            now = self.clock()
            made = self.became["complete"] + self.became["failed"]
            self.looks.append((now, made, self.answers))
            while len(self.looks) > 2 and now - self.looks[1][0] >= WINDOW:
                self.looks.popleft()
            then, made_then, answers_then = self.looks[0]
            minutes = (now - then) / 60 if now - then >= SOONEST else None
            said = list(self.said)[-messages:] if messages else []
            return Sight(
                total=self.total,
                became=dict(self.became),
                under_way=len(self.running),
                answers=self.answers,
                again=dict(self.again),
                broken=dict(self.broken),
                money=self._money(),
                rooms=tuple(_room(model, gate) for (model, _), gate in list(self.gates.items())),
                runs_a_minute=(made - made_then) / minutes if minutes else None,
                answers_a_minute=(self.answers - answers_then) / minutes if minutes else None,
                seconds=now - self.begun,
                messages=tuple(self._message(trial, content) for trial, content in said),
            )

    def _money(self) -> Money | None:
        purse = self.purse
        if not (self.models or purse.spent or purse.uncounted):
            return None
        unknown = any(model not in purse.prices for model in self.models)
        return Money(purse.spent, purse.limit, purse.uncounted, unknown)

    def _message(self, trial: Trial, content: Mapping[str, Json]) -> Message:
        channel = str(content["channel"])
        secret = any(each.name == channel and each.secret for each in trial.stage.channels)
        words = one_line(self.redaction.clean(str(content["text"])))
        return Message(one_line(str(content["agent"])), one_line(channel), secret, words)


def _room(model: str, gate: RateLimit) -> Room:
    """A gate's state; the loop that moves it counts time as we do."""
    held = max(0.0, gate.until - time.monotonic())
    return Room(one_line(model), gate.under_way, int(gate.room), len(gate.waiting), held)
