"""Answers shared between the arms of one block. In: requests of several runs; out: one answer for equal ones.

While two arms are told the same, their members are given the same answer, so that what differs between them is the
arm and not chance. An arm whose conditions are those of another, as the control's twin, is there to show chance: such
twins share nothing with each other.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field

from colosseum.campaign.calls import AnswerSource, Recorded
from colosseum.campaign.retry import OnAttempt
from colosseum.model.serial import encode
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Question
from colosseum.run.trial import Trial, conditions_json


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


@dataclass(frozen=True)
class Coupled:
    """Answers for one of the runs; those that nobody was given yet are its own source's."""

    coupling: Coupling
    trial: str
    source: AnswerSource

    async def ask(self, request: Question, *, heard: OnAttempt) -> tuple[Answer | Failure, str]:
        """The answer that another run was given, or a new one; an own agent, which has a state, shares none."""
        if request.by is not None:
            return await self.source.ask(request, heard=heard)
        place = (self.coupling.twins[self.trial], request.key)
        while (given := self.coupling.given.get(place)) is not None:
            await asyncio.wait([given])
            if not given.cancelled():
                answer, origin = given.result()
                return answer, "" if origin == self.trial else origin
        future = self.coupling.given[place] = asyncio.get_running_loop().create_future()
        try:
            result, origin = await self.source.ask(request, heard=heard)
            if isinstance(result, Answer):
                future.set_result((result, origin or self.trial))
            return result, origin
        finally:
            if not future.done():  # there is no answer to share: whoever waits asks for itself
                del self.coupling.given[place]
                future.cancel()
