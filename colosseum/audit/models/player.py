"""A player that is a language model. In: a View; out: the model's Reply, asked through litellm with native tools.

A call that fails for a passing reason is repeated after 1, 2, 4, … seconds, or after the time the provider names.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from colosseum.audit.models.call import Endpoint, call
from colosseum.audit.models.failure import Failure
from colosseum.audit.models.messages import Message, messages
from colosseum.audit.models.reply import Answer, reply, usage
from colosseum.audit.models.tools import Tool, tools
from colosseum.audit.protocol import CallFailed, Reply, Usage, View

FIRST_DELAY = 1.0
LONGEST_DELAY = 60.0
"""Seconds; a provider that asks for more has failed."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call as it went, for the log."""

    agent: str
    """Empty when no agent asked."""
    model: str
    number: int
    """From 1."""
    kind: str
    """ok, or the kind of failure."""
    reason: str
    delay: float | None
    """Seconds until the next attempt; None when this was the last."""
    usage: Usage | None


class ModelPlayer:
    """Asks one model; holds no state, so one player may act for many agents at once."""

    def __init__(
        self,
        model: str,
        *,
        api_base: str | None = None,
        temperature: float | None = 0.7,
        max_tokens: int = 1500,
        timeout: float = 120.0,
        attempts: int = 4,
        on_attempt: Callable[[Attempt], None] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.endpoint = Endpoint(model, api_base, temperature, max_tokens, timeout)
        self.attempts = attempts
        self._on_attempt = on_attempt
        self._sleep = sleep

    async def act(self, view: View) -> Reply:
        """Do one step. Raises CallFailed when no answer could be had."""
        result = await self.ask(messages(view), tools(view), agent=view.me)
        match result:
            case Answer():
                used = frozenset(c.id for step in view.steps for c in step.reply.calls)
                return reply(result, turn_ids=used)
            case Failure(kind="refusal", reason=reason):
                return Reply(note=reason, finish="refusal")
            case Failure(kind=kind, reason=reason):
                raise CallFailed(kind, reason)

    async def ask(
        self, said: Sequence[Message], offered: Sequence[Tool], *, agent: str = "", attempts: int | None = None
    ) -> Answer | Failure:
        """The first answer, or the failure after which no attempt is left or none would help."""
        most = self.attempts if attempts is None else attempts
        number = 1
        while True:
            result = await call(self.endpoint, said, offered)
            delay = _delay(result, number) if number < most else None
            self._report(result, agent=agent, number=number, delay=delay)
            if delay is None:
                return result
            await self._sleep(delay)
            number += 1

    def _report(self, result: Answer | Failure, *, agent: str, number: int, delay: float | None) -> None:
        if self._on_attempt is None:
            return
        model = self.endpoint.model
        match result:
            case Answer():
                attempt = Attempt(agent, model, number, "ok", "", None, usage(result))
            case Failure():
                attempt = Attempt(agent, model, number, result.kind, result.reason, delay, None)
        self._on_attempt(attempt)


def _delay(result: Answer | Failure, number: int) -> float | None:
    """Seconds before attempt `number` + 1, or None when there should be none."""
    match result:
        case Failure(again=True, after=after):
            wait = max(after or 0.0, min(FIRST_DELAY * 2 ** (number - 1), LONGEST_DELAY))
            return wait if wait <= LONGEST_DELAY else None
        case _:
            return None
