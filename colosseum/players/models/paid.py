"""Asks models until an answer comes. In: a Request; out: an Answer or a Failure, and word of every attempt.

The loop of attempts is ours: a call that fails for a passing reason is repeated after 1, 2, 4, … seconds. Waiting for a
provider that limits the rate is no failed attempt; it has a patience of its own. A provider that asks for more than
that is not asked again before its time, by anybody. One that gives several calls in a row no answer is asked no more:
it is down, or the account is empty, and every further run would fail of the same.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from colosseum.players.models.call import call
from colosseum.players.models.failure import Failure
from colosseum.players.models.gate import Gate
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Halt, Request

FIRST_DELAY = 1.0
LONGEST_DELAY = 60.0
"""Seconds between two attempts, unless the provider asks for more."""
PATIENCE = 600.0
"""Seconds that one call may wait for a provider that limits the rate."""
IN_VAIN = 5
"""Calls of a model in a row that came to nothing, after all their attempts; then no call is begun any more."""
OF_ONE_CONVERSATION = frozenset(("context", "refusal"))
"""Failures that say nothing about other calls."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call as it went, for the log."""

    number: int
    """From 1."""
    result: Answer | Failure
    delay: float | None
    """Seconds until the next attempt; None when this was the last."""


OnAttempt: TypeAlias = Callable[[Request, Attempt], None]


CallModel: TypeAlias = Callable[[Request], Awaitable[Answer | Failure]]
"""Makes one call."""


def unheard(request: Request, attempt: Attempt) -> None:
    """For whoever keeps no log."""


@dataclass
class Provider:
    """All models that a campaign asks, each with its own gate."""

    most_connections: int = 64
    attempts: int = 4
    """Of one call, not counting those that were turned away by a rate limit."""
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    call: CallModel = call
    under_way: int = 0
    """Calls on the wire."""
    stopping: bool = False
    """Whether no further call is to begin."""
    gates: dict[tuple[str, str | None], Gate] = field(default_factory=dict)
    in_vain: dict[str, int] = field(default_factory=dict)
    """Calls since a model's last answer that came to nothing."""
    gave_up: Failure | None = None
    """What the last of too many of them came to."""

    async def ask(
        self,
        request: Request,
        *,
        attempts: int | None = None,
        patience: float = PATIENCE,
        heard: OnAttempt = unheard,
    ) -> Answer | Failure:
        """The answer, or the failure after which no attempt is left or none would help. Raises Halt."""
        gate, left = self._gate(request), self.attempts if attempts is None else attempts
        failed, limited, waited = 0, 0, 0.0
        clock = asyncio.get_running_loop().time
        while True:
            if gate.closed > patience:
                return _closed(request, gate.closed)
            result = await self._once(request, gate)
            if isinstance(result, Failure) and result.kind == "rate_limit":
                limited += 1
                delay = _delay(result, limited, patience - waited)
            else:
                failed += 1
                delay = _delay(result, failed, LONGEST_DELAY) if failed < left else None
            heard(request, Attempt(failed + limited, result, delay))
            if delay is None:
                if request.by is None:  # a user's own agent says nothing about others
                    self._ended(request.endpoint.model, result)
                return result
            begun = clock()
            await self.sleep(delay)
            if isinstance(result, Failure) and result.kind == "rate_limit":
                waited += max(delay, clock() - begun)

    async def _once(self, request: Request, gate: Gate) -> Answer | Failure:
        """One attempt, once there is room for it. Raises Halt."""
        async with gate.turn() as turn:
            if self.stopping:
                raise Halt("stopping")
            self.under_way += 1
            try:
                result = await (request.by() if request.by else self.call(request))
            finally:
                self.under_way -= 1
            if isinstance(result, Answer):
                turn.succeeded()
            elif result.kind == "rate_limit" and result.again:
                turn.limited(result.after)
        return result

    def _ended(self, model: str, result: Answer | Failure) -> None:
        """Count how many calls of a model came to nothing. Raises Halt after too many of them."""
        if isinstance(result, Answer):
            self.in_vain.pop(model, None)
        elif result.kind not in OF_ONE_CONVERSATION:
            self.in_vain[model] = self.in_vain.get(model, 0) + 1
            if self.in_vain[model] >= IN_VAIN:
                self.stopping, self.gave_up = True, self.gave_up or result
                raise Halt("no answer")

    def _gate(self, request: Request) -> Gate:
        endpoint = request.endpoint
        return self.gates.setdefault((endpoint.model, endpoint.api_base), Gate(self.most_connections))


def _delay(result: Answer | Failure, number: int, most: float) -> float | None:
    """Seconds before the next attempt after so many of a kind, or None when there should be none."""
    match result:
        case Failure(again=True, after=after):
            wait = max(after or 0.0, min(FIRST_DELAY * 2 ** (number - 1), LONGEST_DELAY))
            return wait if wait <= most else None
        case _:
            return None


def _closed(request: Request, seconds: float) -> Failure:
    words = f"`{request.endpoint.model}` is rate limited: it asked to wait, which takes another {seconds:.0f} s"
    return Failure("rate_limit", words, again=True, after=seconds)
