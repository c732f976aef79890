"""Asks models until an answer comes. In: a Request; out: an Answer or a Failure, and word of every attempt.

A call that fails for a passing reason is repeated after 1, 2, 4, … seconds, more often where the provider turns some
away (no connection, 5xx, 429) while it answers others. A model that gives nobody an answer is down: its calls wait, one
asks once a minute. When patience is over, or several calls in a row come to nothing for another reason, as where the
account is empty, no call is begun any more: the campaign pauses.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeAlias

from colosseum.campaign.money import call_priced
from colosseum.campaign.rate_limit import RateLimit
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Halt, Question
from colosseum.players.models.wire import SENDING

FIRST_DELAY = 1.0
USUAL_DELAY = 0.2  # the same where a provider turns calls away at random
LONGEST_DELAY = 60.0  # seconds between two attempts, unless the provider asks for more
PATIENCE = 600.0  # seconds that one call may wait for a provider that limits the rate, while others get answers
PASSING = 16  # attempts of one call after which those count, too, that are turned away while others are answered
OUTAGE = 1800.0  # seconds that a model may be down, after the attempts of a call, before the campaign pauses
PROBE = 60.0  # seconds between two attempts at a model that is down; the last is made when patience ends
IN_VAIN = 5  # calls of a model in a row that came to nothing, after all their attempts; then no call is begun any more
OF_ONE_CONVERSATION = frozenset(("context", "refusal", "transport"))
"""Failures that say nothing about other calls: of those in transport, only a model that is down does."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call as it went, for the log."""

    number: int
    """From 1."""
    result: Answer | Failure
    delay: float | None
    """Seconds until the next attempt; None when this was the last."""


OnAttempt: TypeAlias = Callable[[Question, Attempt], None]
CallModel: TypeAlias = Callable[[Question], Awaitable[Answer | Failure]]  # makes one call


Line: TypeAlias = tuple[str, str | None]  # a model and its address


@dataclass
class Provider:
    """All models that a campaign asks, each with its own gate."""

    most_connections: int = 64
    attempts: int = 4
    """Of one call, not counting those that were turned away by a rate limit, or while others were answered."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    call: CallModel = call_priced
    patience: float = OUTAGE
    most_wait: float | None = None
    """Seconds for which a call may wait for a model that limits the rate, or is down; None for as long as it takes."""
    clock: Callable[[], float] = lambda: asyncio.get_running_loop().time()
    under_way: int = 0
    """Calls on the wire."""
    stopping: bool = False
    """Whether no further call is to begin."""
    gates: dict[Line, RateLimit] = field(default_factory=dict)
    outages: dict[Line, float] = field(default_factory=dict)
    """Models that are down now, and since when."""
    alive: dict[Line, float] = field(default_factory=dict)
    """When the last call had begun that a model reacted to."""
    in_vain: dict[str, int] = field(default_factory=dict)
    """Calls since a model's last answer that came to nothing."""
    gave_up: Failure | None = None
    """Why no call is begun any more."""

    async def ask(self, request: Question, *, heard: OnAttempt = lambda request, attempt: None) -> Answer | Failure:
        """The answer, or the failure after which no attempt is left or none would help. Raises Halt."""
        line, left, patience = _line(request), self.attempts, self.most_wait
        gate, lasting = self._gate(request), patience is None and request.by is None
        number, failed, limited, waited, since, sent = 0, 0, 0, 0.0, math.inf, request
        longest = max(LONGEST_DELAY, self.patience)
        while True:
            if gate.closed > (longest if patience is None else patience):
                more = f"it asked to wait, which takes another {gate.closed:.0f} s"
                words = f"`{request.endpoint.model}` is rate limited: {more}"
                closed = Failure("rate_limit", words, again=True, after=gate.closed)
                return self._give_up(closed) if lasting else closed
            result = await self._once(sent, gate)
            number, slow = number + 1, isinstance(result, Failure) and result.kind == "rate_limit"
            since = min(since, self.clock()) if _silent(result) else math.inf
            alone = self.alive.get(line, -math.inf) < since  # nobody else was answered since this call last failed
            passing = slow or (_silent(result) and not alone and number <= PASSING)
            failed, limited = failed + (not passing), limited + slow
            most = (PATIENCE if patience is None else patience) - waited if slow else LONGEST_DELAY
            first = FIRST_DELAY if not slow or gate.usual == 0 else USUAL_DELAY
            delay = _delay(result, limited if slow else failed, most, first) if passing or failed < left else None
            if isinstance(result, Failure) and result.fits and sent is request:  # of a shorter reply there is room
                sent, delay = replace(request, endpoint=replace(request.endpoint, max_tokens=result.fits)), 0.0
            usual = max(FIRST_DELAY * (2 ** (left - 1) - 1), min(PATIENCE, self.patience))
            over = delay is None or delay > longest or self.clock() - since >= usual
            down = lasting and since < math.inf and (line in self.outages or (alone and over))
            if down and isinstance(result, Failure):
                self._down(line, since if slow else self.clock(), result)
                heard(request, Attempt(number, result, gate.closed))
                failed, limited, waited, since = 0, 0, 0.0, math.inf
                continue
            since = since if alone else self.clock()
            heard(request, Attempt(number, result, delay))
            if delay is None:
                if request.by is None:  # a user's own agent says nothing about others
                    self._ended(request.endpoint.model, result)
                return result
            begun = self.clock()
            await self.sleep(delay)
            waited += max(delay, self.clock() - begun) if slow else 0.0

    async def _once(self, request: Question, gate: RateLimit) -> Answer | Failure:
        """One attempt, once there is room for it. Raises Halt."""
        async with gate.turn() as turn:
            if self.stopping:
                raise Halt("stopping")
            self.under_way += 1
            begun = self.clock()
            SENDING.set(turn.sent)
            try:
                result = await (request.by() if request.by else self.call(request))
            finally:
                self.under_way -= 1
            if isinstance(result, Answer):
                turn.succeeded()
            elif result.kind == "rate_limit" and result.again:
                turn.limited(result.after)
        if isinstance(result, Answer) or not (_silent(result) or result.kind == "timeout"):
            self.alive[_line(request)] = max(begun, self.alive.get(_line(request), begun))
            self.outages.pop(_line(request), None)
        return result

    def _down(self, line: Line, since: float, failure: Failure) -> None:
        """Note that a model is down, and let one call ask again later. Raises Halt when patience is over."""
        gate, left = self.gates[line], self.outages.setdefault(line, since) + self.patience - self.clock()
        if left <= 0:
            self._give_up(failure)
        gate.room, gate.until = 1.0, max(gate.until, gate.clock() + min(PROBE, left))

    def _give_up(self, failure: Failure) -> NoReturn:
        self.stopping, self.gave_up = True, self.gave_up or failure
        raise Halt("no answer")

    def _ended(self, model: str, result: Answer | Failure) -> None:
        """Count how many calls of a model came to nothing. Raises Halt after too many of them."""
        if isinstance(result, Answer):
            self.in_vain.pop(model, None)
        elif result.kind not in OF_ONE_CONVERSATION:
            self.in_vain[model] = self.in_vain.get(model, 0) + 1
            if self.in_vain[model] >= IN_VAIN:
                self._give_up(result)

    def _gate(self, request: Question) -> RateLimit:
        return self.gates.setdefault(_line(request), RateLimit(self.most_connections))


def silent_words(reason: str, *, runs: bool) -> str:
    """Why something was left where a model does not answer, and what to do; only `runs` that failed are kept so."""
    going_on = f"once it answers the same command {'with `--retry-failed` ' if runs else ''}goes on"
    return f"because one call after another got no answer: {reason.rstrip('.')}; {going_on}"


def _line(request: Question) -> Line:
    return request.endpoint.model, request.endpoint.api_base


def _silent(result: Answer | Failure) -> bool:
    """Whether it is as of a provider that is down: no connection, 5xx, 429. What is malformed came from one."""
    return isinstance(result, Failure) and result.again and (result.down or result.kind == "rate_limit")


def _delay(result: Answer | Failure, number: int, most: float, first: float) -> float | None:
    """Seconds before the next attempt after so many of a kind, or None when there should be none."""
    if isinstance(result, Answer) or not result.again:
        return None
    wait = max(result.after or 0.0, min(first * 2 ** (number - 1), LONGEST_DELAY))
    return wait if wait <= most else None
