"""What a campaign may cost. In: prices, and what calls cost; out: leave to call, or a halt before money is missing.

Every call sets aside the most that it may cost before it begins, so that calls under way never exceed the budget
together, as far as tokens can be counted beforehand.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from colosseum.audit.models.reply import Answer, Price
from colosseum.audit.models.request import Halt, Request

CHARACTERS = 2.0
"""Of a prompt's JSON for one token, at least: an estimate from above for languages that are written in letters."""
MILLION = 1e6


@dataclass
class Purse:
    """US dollars of one campaign, or of one run of it."""

    limit: float | None
    prices: Mapping[str, Price]
    """By model; with a limit there is one for every model."""
    spent: float = 0.0
    uncounted: int = 0
    """Calls whose price is not known; with a limit the most that they may have cost is counted."""
    aside: float = 0.0
    """For calls under way."""
    calls: int = 0
    reached: bool = False
    """Whether a call was refused."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def most(self, request: Request) -> float:
        """The most that a call may cost."""
        price = self.prices.get(request.endpoint.model)
        if price is None:
            return 0.0
        prompt = request.characters / CHARACTERS
        return (prompt * price.prompt + request.endpoint.max_tokens * price.completion) / MILLION

    @asynccontextmanager
    async def paying(self, request: Request) -> AsyncIterator["Bill"]:
        """Within the block one call is under way. Raises Halt where it might cost more than there is."""
        most = self.most(request)
        await self._set_aside(most)
        bill = Bill(self, most)
        try:
            yield bill
        finally:
            self.aside -= most
            self.changed.set()

    async def _set_aside(self, most: float) -> None:
        while self.limit is not None and self.spent + self.aside + most > self.limit:
            if self.aside <= 0 or self.spent + most > self.limit:
                self.reached = True
                raise Halt("the budget is reached")
            self.changed.clear()
            await self.changed.wait()  # what is set aside for others may not be needed
        self.aside += most


@dataclass
class Bill:
    """What one call comes to."""

    purse: Purse
    most: float

    def answered(self, answer: Answer) -> None:
        """Pay for an answer."""
        self.purse.calls += 1
        if answer.cost is None:
            self.purse.uncounted += 1
        self.purse.spent += self.most if answer.cost is None else answer.cost
