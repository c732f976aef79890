"""Asks models until an answer comes. In: a Request; out: an Answer or a Failure, and word of every attempt.

The loop of attempts is ours: a call that fails for a passing reason is repeated after 1, 2, 4, … seconds. Waiting for a
provider that limits the rate is no failed attempt; it has a patience of its own.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from colosseum.audit.models.call import call
from colosseum.audit.models.failure import Failure
from colosseum.audit.models.gate import Gate
from colosseum.audit.models.reply import Answer
from colosseum.audit.models.request import Halt, Request

FIRST_DELAY = 1.0
LONGEST_DELAY = 60.0
"""Seconds between two attempts, unless the provider asks for more."""
PATIENCE = 600.0
"""Seconds that one call may wait for a provider that limits the rate."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call as it went, for the log."""

    number: int
    """From 1."""
    result: Answer | Failure
    delay: float | None
    """Seconds until the next attempt; None when this was the last."""


OnAttempt = Callable[[Request, Attempt], None]


def unheard(request: Request, attempt: Attempt) -> None:
    """For whoever keeps no log."""


@dataclass
class Provider:
    """All models that a campaign asks, each with its own gate."""

    most_connections: int = 64
    attempts: int = 4
    """Of one call, not counting those that were turned away by a rate limit."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    under_way: int = 0
    """Calls on the wire."""
    stopping: bool = False
    """Whether no further call is to begin."""
    gates: dict[tuple[str, str | None], Gate] = field(default_factory=dict)

    async def ask(
        self, request: Request, *, attempts: int | None = None, heard: OnAttempt = unheard
    ) -> Answer | Failure:
        """The answer, or the failure after which no attempt is left or none would help. Raises Halt."""
        gate, left = self._gate(request), self.attempts if attempts is None else attempts
        number, spent, waited = 0, 0, 0.0
        while True:
            number += 1
            async with gate.turn() as turn:
                if self.stopping:
                    raise Halt("stopping")
                self.under_way += 1
                try:
                    result = await call(request)
                finally:
                    self.under_way -= 1
                if isinstance(result, Answer):
                    turn.succeeded()
                elif result.kind == "rate_limit" and result.again:
                    turn.limited(result.after)
            limited = isinstance(result, Failure) and result.kind == "rate_limit"
            spent += not limited
            delay = _delay(result, number, waited) if limited or spent < left else None
            heard(request, Attempt(number, result, delay))
            if delay is None:
                return result
            begun = time.monotonic()
            await self.sleep(delay)
            if limited:
                waited += max(delay, time.monotonic() - begun)

    def _gate(self, request: Request) -> Gate:
        endpoint = request.endpoint
        return self.gates.setdefault((endpoint.model, endpoint.api_base), Gate(self.most_connections))


def _delay(result: Answer | Failure, number: int, waited: float) -> float | None:
    """Seconds before the next attempt, or None when there should be none."""
    match result:
        case Failure(again=True, after=after, kind=kind):
            wait = max(after or 0.0, min(FIRST_DELAY * 2 ** (number - 1), LONGEST_DELAY))
            most = PATIENCE - waited if kind == "rate_limit" else LONGEST_DELAY
            return wait if wait <= most else None
        case _:
            return None
