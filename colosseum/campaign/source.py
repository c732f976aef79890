"""New answers. In: requests of runs; out: paid answers, until no money is left or the campaign stops.

Arms of one block may share them. While two arms are told the same, their members are then given the same answer, so
that what differs between them is the arm and not chance. An arm whose conditions are those of another, as the control's
twin, is there to show chance: such twins share nothing with each other.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from colosseum.campaign.calls import NewAnswers, Recorded
from colosseum.campaign.purse import Account, Purse
from colosseum.campaign.retry import Attempt, OnAttempt, Provider, unheard
from colosseum.model.serial import encode
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Question
from colosseum.players.models.wire import Exchange
from colosseum.run.trial import Trial, conditions_json


@dataclass
class PaidSource:
    """Asks models for all runs of a campaign."""

    provider: Provider
    purse: Purse
    watch: OnAttempt = unheard
    """Told of every attempt, whichever run it is for."""

    async def ask(self, account: Account, request: Question, heard: OnAttempt) -> tuple[Answer | Failure, str]:
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
        return result, ""


@dataclass
class Coupling:
    """The answers of one block."""

    trials: Iterable[Trial]
    given: dict[tuple[int, str], "asyncio.Future[tuple[Answer, str]]"] = field(init=False, default_factory=dict)
    """By twin and key: the answer, and the trial that paid for it."""
    twins: dict[str, int] = field(init=False, default_factory=dict)
    """How many trials of the same conditions come before each."""

    def __post_init__(self) -> None:
        met: dict[str, int] = {}
        for trial in self.trials:
            conditions = encode(conditions_json(trial.stage.conditions))
            self.twins[trial.identity] = met[conditions] = met.get(conditions, -1) + 1

    def remember(self, trial: Trial, known: Iterable[tuple[str, Recorded]]) -> None:
        """Give what a run was answered earlier to those that ask the same."""
        for key, recorded in known:
            place = (self.twins[trial.identity], key)
            if place not in self.given:
                future = self.given[place] = asyncio.get_running_loop().create_future()
                future.set_result((recorded.answer, recorded.origin or trial.identity))

    async def ask(
        self, trial: str, anew: NewAnswers, request: Question, heard: OnAttempt
    ) -> tuple[Answer | Failure, str]:
        """The answer that another run was given, or a new one; an own agent, which has a state, shares none."""
        if request.by is not None:
            return await anew(request, heard)
        place = (self.twins[trial], request.key)
        while (given := self.given.get(place)) is not None:
            await asyncio.wait([given])
            if not given.cancelled():
                answer, origin = given.result()
                return answer, "" if origin == trial else origin
        future = self.given[place] = asyncio.get_running_loop().create_future()
        try:
            result, origin = await anew(request, heard)
            if isinstance(result, Answer):
                future.set_result((result, origin or trial))
            return result, origin
        finally:
            if not future.done():  # there is no answer to share: whoever waits asks for itself
                del self.given[place]
                future.cancel()
