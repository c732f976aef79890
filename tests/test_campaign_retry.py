"""When a model is asked no more, and how an outage is waited for."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from leaping import leap, now

from colosseum.campaign.retry import IN_VAIN, PROBE, Provider
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Endpoint, Halt, Place, Question

ANSWER = Answer({"choices": []}, None, 1.0)
BROKEN = Failure("timeout", "boom", again=False)
UNPAID = Failure("bad_request", "your account is empty", again=False)
TOO_LONG = Failure("context", "too long", again=False)


def asked(*results: Sequence[Answer | Failure], models: Sequence[str] = ("m",)) -> tuple[Provider, int]:
    """What is left of a provider that is asked for each result in turn, of models in turn; and how often it was."""
    number, coming = 0, [result for some in results for result in some]

    async def call(request: Question) -> Answer | Failure:
        nonlocal number
        number += 1
        return coming[number - 1]

    async def ask() -> None:
        for place in range(len(coming)):
            request = Question(Endpoint(f"openai/{models[place % len(models)]}"), (), (), Place())
            await provider.ask(request)

    provider = Provider(call=call)
    try:
        asyncio.run(ask())
    except Halt:
        assert provider.stopping
    return provider, number


def test_calls_in_a_row_that_come_to_nothing_are_the_last() -> None:
    provider, number = asked([ANSWER] * 3, [BROKEN] * 2, [UNPAID] * 20)
    assert number == 3 + IN_VAIN
    assert provider.gave_up == UNPAID


@pytest.mark.parametrize(
    "results",
    [
        ([BROKEN] * (IN_VAIN - 1) + [ANSWER]) * 4,
        [TOO_LONG] * 20,
        [Failure("refusal", "no", again=False)] * 20,
        [Failure("transport", "no JSON", again=False)] * 20,
    ],
)
def test_an_answer_and_what_concerns_one_conversation_let_others_go_on(results: Sequence[Answer | Failure]) -> None:
    provider, number = asked(results)
    assert (number, provider.gave_up, provider.stopping) == (len(results), None, False)


def test_the_answers_of_one_model_are_no_sign_of_life_of_another() -> None:
    provider, number = asked([ANSWER, BROKEN] * 20, models=("alive", "dead"))
    assert (number, provider.gave_up) == (2 * IN_VAIN, BROKEN)


# ---- outages ---------------------------------------------------------------------------------------------------

DOWN = Failure("transport", "503", again=True, down=True)
LIMITED = Failure("rate_limit", "slow down", again=True)


class ManyConversations:
    """Eighty conversations of ten calls each that take a second, at a provider that is down for a while."""

    def __init__(self, broken: Failure, first: float, last: float, *, patience: float = 1800.0) -> None:
        self.broken, self.first, self.last = broken, first, last
        self.provider = Provider(call=self.call, patience=patience)
        self.answers, self.asked = list[Answer | Failure](), list[float]()
        self.seen = list[tuple[float, float]]()

    async def call(self, request: Question) -> Answer | Failure:
        if self.first <= now() < self.last:
            self.asked.append(now())
            self.seen += [(since, self.provider.gates[line].until) for line, since in self.provider.outages.items()]
            await asyncio.sleep(0.02)
            return self.broken
        await asyncio.sleep(1.0)
        return ANSWER

    async def run(self) -> int:
        """How many conversations were given up."""
        found = await asyncio.gather(*(self.talk() for _ in range(80)), return_exceptions=True)
        return sum(isinstance(each, Halt) for each in found)

    async def talk(self) -> None:
        for _ in range(10):
            self.answers.append(await self.provider.ask(Question(Endpoint("openai/m"), (), (), Place())))


def test_an_outage_of_two_minutes_costs_no_call() -> None:
    played = ManyConversations(DOWN, 3.0, 123.0)
    assert leap(played.run()) == 0
    assert played.answers == [ANSWER] * 800
    late = [when for when in played.asked if when > 3.0 + 30]
    assert len(late) <= 2, "once a minute, by one of all"
    assert (played.provider.outages, played.provider.stopping, played.provider.gave_up) == ({}, False, None)
    (since, probe), *_ = played.seen
    assert 3.0 <= since < 11.0
    assert probe == pytest.approx(since + 7 + PROBE, abs=8.0)


@pytest.mark.parametrize("broken", [DOWN, LIMITED])
def test_a_model_that_stays_down_ends_the_calls_when_patience_is_over(broken: Failure) -> None:
    played = ManyConversations(broken, 3.0, 1e9, patience=900.0)
    assert leap(played.run()) == 80
    assert all(each is ANSWER for each in played.answers)
    assert played.provider.gave_up == broken
    assert 900.0 <= max(played.asked) <= 900.0 + 20.0


def test_limits_for_less_than_patience_cost_no_call() -> None:
    played = ManyConversations(LIMITED, 3.0, 1500.0)
    assert leap(played.run()) == 0
    assert all(each is ANSWER for each in played.answers)
    assert len(played.answers) == 800


def test_a_call_that_alone_cannot_be_had_fails_by_itself() -> None:
    """Others are answered meanwhile, so the model is not down."""

    async def call(request: Question) -> Answer | Failure:
        await asyncio.sleep(0.5)
        return DOWN if request.place.agent == "unlucky" else ANSWER

    async def ask(agent: str, times: int) -> list[Answer | Failure]:
        return [await provider.ask(Question(Endpoint("openai/m"), (), (), Place(agent))) for _ in range(times)]

    async def both() -> list[list[Answer | Failure]]:
        return await asyncio.gather(ask("unlucky", 1), ask("lucky", 200))

    provider = Provider(call=call)
    unlucky, lucky = leap(both())
    assert unlucky == [DOWN]
    assert lucky == [ANSWER] * 200
    assert not provider.outages


@pytest.mark.parametrize(("broken", "seconds"), [(DOWN, 5.0), (LIMITED, 5.0), (replace(LIMITED, after=40.0), 30.0)])
def test_without_patience_attempts_are_made_all_the_same(broken: Failure, seconds: float) -> None:
    played = ManyConversations(broken, 3.0, 3.0 + seconds, patience=0.0)
    assert leap(played.run()) == 0
    assert played.answers == [ANSWER] * 800


@pytest.mark.parametrize("broken", [DOWN, LIMITED])
def test_without_patience_the_campaign_pauses_after_them(broken: Failure) -> None:
    played = ManyConversations(broken, 3.0, 1e9, patience=0.0)
    assert leap(played.run()) == 80
    assert played.provider.gave_up == broken
    assert 7.0 - 1e-6 <= max(played.asked) - 3.0 < 90.0


@pytest.mark.parametrize("conversations", [1, 4, 16, 60])
def test_a_provider_that_turns_away_every_second_call_fails_none(conversations: int) -> None:
    draws = random.Random(conversations)

    async def call(request: Question) -> Answer | Failure:
        await asyncio.sleep(0.5)
        return DOWN if draws.random() < 0.5 else ANSWER

    async def talk() -> list[Answer | Failure]:
        return [await provider.ask(Question(Endpoint("openai/m"), (), (), Place())) for _ in range(100)]

    async def all_of_them() -> list[list[Answer | Failure]]:
        return await asyncio.gather(*(talk() for _ in range(conversations)))

    provider = Provider(call=call)
    assert leap(all_of_them()) == [[ANSWER] * 100] * conversations


def test_a_stop_ends_the_wait_for_a_model_that_is_down() -> None:
    played = ManyConversations(DOWN, 0.0, 1e9)

    async def stopped() -> int:
        running = asyncio.ensure_future(played.run())
        await asyncio.sleep(30.0)
        assert len(played.provider.outages) == 1
        played.provider.stopping = True
        return await running

    assert leap(stopped()) == 80
    assert max(played.asked) < 30.0
