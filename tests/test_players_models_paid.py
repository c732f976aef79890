"""When a model is asked no more: after several calls in a row that came to nothing, and not before."""

import asyncio
from collections.abc import Sequence

import pytest

from colosseum.players.models.failure import Failure
from colosseum.players.models.paid import IN_VAIN, Provider
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Endpoint, Halt, Place, Request

ANSWER = Answer({"choices": []}, None, 1.0)
BROKEN = Failure("transport", "boom", again=False)
UNPAID = Failure("bad_request", "your account is empty", again=False)
TOO_LONG = Failure("context", "too long", again=False)


def asked(*results: Sequence[Answer | Failure], models: Sequence[str] = ("m",)) -> tuple[Provider, int]:
    """What is left of a provider that is asked for each result in turn, of models in turn; and how often it was."""
    number, coming = 0, [result for some in results for result in some]

    async def call(request: Request) -> Answer | Failure:
        nonlocal number
        number += 1
        return coming[number - 1]

    async def ask() -> None:
        for place in range(len(coming)):
            request = Request(Endpoint(f"openai/{models[place % len(models)]}"), (), (), Place())
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
    ],
)
def test_an_answer_and_what_concerns_one_conversation_let_others_go_on(results: Sequence[Answer | Failure]) -> None:
    provider, number = asked(results)
    assert (number, provider.gave_up, provider.stopping) == (len(results), None, False)


def test_the_answers_of_one_model_are_no_sign_of_life_of_another() -> None:
    provider, number = asked([ANSWER, BROKEN] * 20, models=("alive", "dead"))
    assert (number, provider.gave_up) == (2 * IN_VAIN, BROKEN)
