"""New answers. In: requests of runs; out: answers that are paid for, until there is no money left or somebody says stop."""

from dataclasses import dataclass

from colosseum.audit.campaign.calls import Source
from colosseum.audit.campaign.purse import Halt, Purse
from colosseum.audit.models.failure import Failure
from colosseum.audit.models.paid import OnAttempt, Provider
from colosseum.audit.models.reply import Answer
from colosseum.audit.models.request import Request


@dataclass
class PaidSource:
    """Asks models for all runs of a campaign."""

    provider: Provider
    purse: Purse
    stopping: bool = False
    """Whether no further call is to begin."""

    async def ask(self, request: Request, *, heard: OnAttempt) -> tuple[Answer | Failure, str]:
        """A new answer. Raises Halt."""
        async with self.purse.paying(request) as bill:
            if self.stopping:
                raise Halt("stopping")
            result = await self.provider.ask(request, heard=heard)
            if isinstance(result, Answer):
                bill.answered(result)
        return result, ""


@dataclass
class Limited:
    """The same for one run, which has a budget of its own."""

    source: Source
    purse: Purse

    async def ask(self, request: Request, *, heard: OnAttempt) -> tuple[Answer | Failure, str]:
        """A new answer. Raises Halt."""
        async with self.purse.paying(request) as bill:
            result, origin = await self.source.ask(request, heard=heard)
            if isinstance(result, Answer) and not origin:
                bill.answered(result)
        return result, origin
