"""New answers. In: requests of runs; out: paid answers, until no money is left or the campaign stops."""

from dataclasses import dataclass
from typing import Protocol

from colosseum.campaign.purse import Account, Purse
from colosseum.campaign.retry import Attempt, OnAttempt, unheard
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Question
from colosseum.players.models.wire import Exchange


class Answering(Protocol):
    """Whoever asks models, as a Provider does."""

    stopping: bool
    """Whether no further call is to begin."""
    gave_up: Failure | None
    """Why, where it is since models do not answer."""

    @property
    def under_way(self) -> int:
        """Calls on the wire."""
        ...

    async def ask(self, request: Question, *, heard: OnAttempt) -> Answer | Failure:
        """The answer, or the failure after which no attempt is left or none would help. Raises Halt."""
        ...


@dataclass
class PaidSource:
    """Asks models for all runs of a campaign."""

    provider: Answering
    purse: Purse
    watch: OnAttempt = unheard
    """Told of every attempt, whichever run it is for."""

    @property
    def stopping(self) -> bool:
        """Whether no further call is to begin."""
        return self.provider.stopping

    def stop(self) -> None:
        """Begin no further call."""
        self.provider.stopping = True

    async def ask(self, request: Question, *, heard: OnAttempt, account: Account) -> Answer | Failure:
        """A new answer, paid for by the run whose account it is. Raises Halt."""
        async with self.purse.paying(request, account) as pay:

            def told(request: Question, attempt: Attempt) -> None:
                heard(request, attempt)
                self.watch(request, attempt)
                match attempt.result:
                    case Failure(came=Answer() as came) if came.usage.prompt_tokens is not None:
                        pay(came)
                        if attempt.delay is not None:
                            self.purse.check(account)
                    case Failure(kind="timeout") | Failure(came=Answer(http=Exchange(status=200))):
                        self.purse.unanswered += 1

            result = await self.provider.ask(request, heard=told)
            if isinstance(result, Answer):
                pay(result)
        return result


@dataclass
class RunSource:
    """The same for one run."""

    paid: PaidSource
    account: Account

    async def ask(self, request: Question, *, heard: OnAttempt) -> tuple[Answer | Failure, str]:
        """A new answer. Raises Halt."""
        return await self.paid.ask(request, heard=heard, account=self.account), ""
