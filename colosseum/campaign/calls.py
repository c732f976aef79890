"""The calls of one run. In: requests; out: answers, each paid for once and written down before it is used.

A call is a line of `ID.calls.jsonl` for every attempt, the last of which holds the answer as it came. A run that is
played again finds its answers here; what a killed process left of a line is cut off.
"""

import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias

from colosseum.campaign.retry import Attempt, OnAttempt
from colosseum.model.serial import Json, encode
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Question
from colosseum.players.models.wire import Exchange
from colosseum.players.models.written import writable
from colosseum.players.view import Usage
from colosseum.run.redaction import Redaction

CacheMode: TypeAlias = Literal["off", "read", "rw"]
"""Whether answers of earlier calls are used, and whether new ones are kept."""


@dataclass(frozen=True)
class Recorded:
    """An answer on file."""

    answer: Answer
    attempts: int
    """How many it took."""
    model: str
    """Who was asked."""
    prompt_bytes: int
    """Of what was asked, as JSON."""
    max_tokens: int
    """That the answer might have had."""
    lost: bool
    """Whether it could not be used."""


@dataclass(frozen=True)
class Expense:
    """What the calls of a run came to."""

    calls: int
    """Answers of models."""
    retries: int
    """Attempts besides."""
    shared: int
    """Of the answers, those that were paid for in another run: 0, but in runs that an earlier version made."""
    prompt_tokens: int
    completion_tokens: int
    uncounted: int
    """Answers whose tokens the provider did not count, or that may have been made and did not arrive."""
    cost: float
    """US dollars, without answers of unknown cost."""
    unpriced: int
    """Those of unknown cost: without a price, or without a count of tokens."""

    @classmethod
    def of(cls, used: Sequence[Recorded]) -> "Expense":
        """The expense of a run's answers and lost ones."""
        answers = [each for each in used if not each.lost]
        return cls.summed([each.answer.usage for each in used], len(answers), sum(a.attempts - 1 for a in answers))

    @classmethod
    def summed(cls, taken: Sequence[Usage], calls: int, retries: int = 0) -> "Expense":
        """What answers took, as far as it is known."""
        prompts, costs = [each.prompt_tokens for each in taken], [each.cost for each in taken]
        return cls(
            calls, retries, 0, sum(filter(None, prompts)), sum(each.completion_tokens or 0 for each in taken),
            prompts.count(None), sum(filter(None, costs), start=0.0), costs.count(None),
        )  # fmt: skip


Heard: TypeAlias = list[tuple[Question, Answer | Failure]]
NewAnswers: TypeAlias = Callable[[Question, OnAttempt], Awaitable[Answer | Failure]]
"""Where new answers come from. Raises Halt."""


@dataclass
class RunCalls:
    """Answers for one run."""

    path: Path
    source: NewAnswers | None
    """None where nothing is asked any more: a call that failed for good then fails in the same way, and one that is not
    on file raises Missing."""
    redaction: Redaction
    cache: CacheMode = "rw"
    known: dict[str, Recorded] = field(init=False, default_factory=dict)
    failures: dict[str, Failure] = field(init=False, default_factory=dict)
    """Calls that failed for good, by key; where more may be asked, those that were refused."""
    used: dict[str, Recorded] = field(init=False, default_factory=dict)
    """What this run asked so far, by key."""
    lost: list[Recorded] = field(init=False, default_factory=list)
    """What could not be used."""
    wrote: bool = field(init=False, default=False)
    file: IO[bytes] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        for key, recorded in read_paid(self.path):
            if recorded.lost or self.cache == "off":
                self.lost.append(replace(recorded, lost=True))
            else:
                self.known[key] = recorded
        if self.cache != "off":  # who was refused once is not asked again, or paid answers would follow on another turn
            given_up = read_failures(self.path)
            self.failures = {key: why for key, why in given_up if self.source is None or why.kind == "refusal"}

    async def ask(self, request: Question) -> Answer | Failure:
        """The recorded answer, or a new one. Raises Halt, and Missing."""
        found = self.known.get(request.key)
        if found is None:
            if request.key in self.failures:
                return self.failures[request.key]
            if self.source is None:
                raise Missing(f"the call of {request.place.agent} in round {request.place.round} is not on file")
            last: Attempt | None = None

            def heard(request: Question, attempt: Attempt) -> None:
                nonlocal last
                last = attempt
                self._write(request, attempt)
                if isinstance(failed := attempt.result, Failure) and (failed.unheard or _counted(failed.came)):
                    self.lost.append(_recorded(request, failed.came or NOTHING, attempt.number, lost=True))

            result = await self.source(request, heard)
            number = last.number if last else 1
            if isinstance(result, Failure):
                if last is None or last.result is not result:  # it was given up without another attempt
                    self._write(request, Attempt(number, result, None))
                return replace(result, reason=writable(self.redaction.clean(result.reason)))
            cleaned = writable(self.redaction.clean(result.written))
            if cleaned != result.written:  # what is acted on is what is on file
                result = _answer(json.loads(cleaned)) or result
            found = _recorded(request, result, number)
        self.used[request.key] = found
        return found.answer

    @property
    def paid(self) -> list[Recorded]:
        """All that the run has to pay for: what is on file and was not asked for again, too."""
        return [*{**self.known, **self.used}.values(), *self.lost]

    @property
    def digest(self) -> str | None:
        """SHA-256 of the file; None where there is none. Raises OSError, also where it was removed meanwhile."""
        return sha256(self.path.read_bytes()).hexdigest() if self.wrote or self.path.exists() else None

    def close(self) -> None:
        """Nothing more is asked; what was answered is durable before a result is made of it."""
        if self.file is not None:
            os.fsync(self.file.fileno())
            self.file.close()
            self.file = None

    def _write(self, request: Question, attempt: Attempt) -> None:
        if self.cache != "rw":
            return
        if self.file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            mend(self.path)
            self.file = open(self.path, "ab")  # noqa: SIM115 - closed by close
            self.wrote = True
        self.file.write(line_of(request, attempt, self.redaction))
        self.file.flush()


@dataclass
class Overheard:
    """The answers of a run or a judgement, with what was asked for each."""

    calls: RunCalls
    heard: Heard = field(default_factory=list)

    async def ask(self, request: Question) -> Answer | Failure:
        """The recorded answer, or a new one. Raises Halt, and Missing."""
        answer = await self.calls.ask(request)
        self.heard.append((request, answer))
        return answer


NOTHING = Answer({}, None, 0.0)  # in place of one that may have been made, and did not arrive


def _counted(answer: Answer | None) -> bool:
    return answer is not None and answer.usage.prompt_tokens is not None


def _recorded(request: Question, answer: Answer, attempts: int, *, lost: bool = False) -> Recorded:
    endpoint = request.endpoint
    return Recorded(answer, attempts, endpoint.model, request.size, endpoint.most_tokens, lost)


class Missing(Exception):  # noqa: N818 - what is wrong, in words
    """A call is not on file."""


def line_of(request: Question, attempt: Attempt, redaction: Redaction) -> bytes:
    """One attempt as it is written, without a secret."""
    head: dict[str, Json] = {
        "call": request.key,
        "place": vars(request.place),
        "model": request.endpoint.model,
        "prompt_bytes": request.size,
        "max_tokens": request.endpoint.most_tokens,
        "attempt": attempt.number,
    }
    match attempt.result:
        case Answer() as answer:
            opening = encode({**head, "kind": "ok"})
        case Failure(kind=kind, reason=reason, came=answer):
            told = {"unheard": True} if attempt.result.unheard else {}
            opening = encode({**head, "kind": kind, "reason": reason, "delay": attempt.delay, **told})
    line = opening if answer is None else f"{opening[:-1]},{answer.written[1:]}"
    return writable(f"{redaction.clean(line)}\n").encode()


def _answer(line: Mapping[str, Any]) -> Answer | None:
    """What came, as a line has it; None where nothing is on it that can have been written."""
    http, raw, cost, seconds = (line.get(name) for name in ("http", "raw", "cost", "seconds"))
    if not all(map(_amount, (cost, seconds))):
        return None
    try:
        exchange = Exchange(**http) if isinstance(http, dict) else None
    except TypeError:
        return None
    if isinstance(raw, dict):
        return Answer(raw, cost, float(seconds or 0), exchange)
    return Answer.of(exchange, cost, float(seconds or 0)) if exchange and isinstance(exchange.body, str) else None


def read_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """The whole lines of a file of calls, attempts that failed too; none where there is no file."""
    with suppress(FileNotFoundError, NotADirectoryError):
        for raw in whole_lines(path):
            try:
                line = json.loads(raw)
            except (ValueError, RecursionError):
                continue  # what a machine that crashed left of it
            if isinstance(line, dict) and isinstance(line.get("call"), str):
                yield line


def whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file; a killed process may have left half a one behind them. Raises OSError."""
    with open(path, "rb") as file:
        yield from (line for line in file if line.endswith(b"\n"))


def read_calls(path: Path) -> Iterator[tuple[str, Recorded]]:
    """The answers on file by the keys of their calls, in order; a line that cannot have been written is none."""
    return ((key, recorded) for key, recorded in read_paid(path) if not recorded.lost)


def read_paid(path: Path) -> Iterator[tuple[str, Recorded]]:
    """The same, with what has to be paid for, too: what came in place of an answer and had its tokens counted, and
    answers that may have been made and did not arrive, which have no count of tokens."""
    for line in read_lines(path):
        answer, numbers = _answer(line), list(map(line.get, ("attempt", "prompt_bytes", "max_tokens")))
        lost, unheard = line.get("kind") != "ok", line.get("unheard") is True
        answer = answer or (NOTHING if unheard else None)
        if answer is None or not all(map(_amount, numbers)) or (lost and not unheard and not _counted(answer)):
            continue
        attempt, prompt_bytes, max_tokens = (number or 0 for number in numbers)
        asked = str(line.get("model")), int(prompt_bytes), int(max_tokens)
        yield line["call"], Recorded(answer, max(1, int(attempt)), *asked, lost)


def _amount(given: object) -> bool:
    """Whether it is a number of something, or left out."""
    return given is None or (isinstance(given, int | float) and 0 <= given <= sys.float_info.max)


def read_failures(path: Path) -> Iterator[tuple[str, Failure]]:
    """Calls that were given up, by their keys, in order."""
    for line in read_lines(path):
        if line.get("kind") != "ok" and line.get("delay") is None:
            yield line["call"], Failure(str(line.get("kind")), str(line.get("reason")), again=False)


def mend(path: Path) -> None:
    """Cut off what a killed process left of a last line."""
    if not path.exists():
        return
    with open(path, "r+b") as file:
        content = file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            file.truncate(whole)
