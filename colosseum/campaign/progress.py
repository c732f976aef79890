"""How far a campaign has come. In: nothing; out: Progress, drawn on terminals and written as JSON."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

SCHEMA = 2


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
    """Seconds for which the provider still asks to wait."""
    silent_for: float | None
    """Seconds since calls began to fail without an answer in between; null where the last one was answered."""
    pauses_in: float | None
    """Seconds until the campaign pauses if the model is down all the while; null where the last call was answered."""
    last_failure: str
    """The kind of the last failure since then; else empty."""


@dataclass(frozen=True)
class Progress:
    """A campaign at one moment. A rate is of the last minute, and null as long as there is too little to tell it by."""

    event: Literal["progress"]
    schema: int
    final: bool
    seconds: float
    """Since the beginning."""
    answered: int
    """Replies of models in the runs that are to be made, those on file too."""
    expected: int
    """How many replies these runs will probably take; 0 where no model plays."""
    seconds_left: float | None
    """Probably; null where nothing has been answered of late."""
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
    answers_a_minute: float | None
    tokens_a_minute: float | None
    dollars_a_minute: float | None
    dollars: float | None
    """Spent on the campaign so far; null, as its rate, where no price is known."""
    unpriced: int
    """Answers that are not in the dollars."""
    budget: float | None
    models: tuple[ModelProgress, ...]

    @property
    def done(self) -> int:
        """Runs that have a result."""
        return self.complete + self.reused + self.failed

    @property
    def share(self) -> float:
        """Of the work that is done, by replies where models play, else by runs."""
        part, whole = (self.answered, self.expected) if self.expected else (self.done, self.runs)
        return min(1.0, part / whole) if whole else 1.0


@dataclass(frozen=True)
class AuditRemark:
    """Words for the user of an audit, such as that its seeds settle nothing."""

    event: Literal["remark"]
    schema: int
    words: str


ProgressLine: TypeAlias = Progress | AuditRemark
"""A line of `audit --display json`."""
