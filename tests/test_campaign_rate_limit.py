"""The room of a model, on a clock that leaps: against simulated providers of many kinds, whatever calls come to."""

import asyncio
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leaping import StuckError, leap, now

from colosseum.campaign import rate_limit as gates
from colosseum.campaign.rate_limit import BELOW, LEAST, START, RateLimit
from colosseum.campaign.retry import FIRST_DELAY, PATIENCE, Attempt, Provider
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Endpoint, Halt, Place, Question
from colosseum.players.models.wire import SENDING

T = TypeVar("T")
ASKED = Question(Endpoint("openai/test"), (), (), Place())
ANSWER = Answer({"choices": []}, None, 1.0)
LIMITED = Failure("rate_limit", "slow down", again=True)
BROKEN = Failure("transport", "boom", again=True)


async def settle() -> None:
    """Let everybody go on who can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def hold_open(gate: RateLimit, number: int) -> tuple[list[gates.Turn], asyncio.Event, list[asyncio.Task[None]]]:
    """So many callers; those that are let in stay until the event is set."""
    turns: list[gates.Turn] = []
    ended = asyncio.Event()

    async def call() -> None:
        async with gate.turn() as turn:
            turns.append(turn)
            await ended.wait()

    tasks = [asyncio.ensure_future(call()) for _ in range(number)]
    await settle()
    return turns, ended, tasks


# ---- what may happen in any order ------------------------------------------------------------------------------


@dataclass
class Simulated:
    """A provider whose answers, failures and times are drawn."""

    seed: int
    failing: float
    gate: RateLimit
    under_way: int = 0
    asked: int = 0
    told: float = -1.0
    """When it last said that the rate is limited."""

    async def __call__(self, request: Question) -> Answer | Failure:
        self.asked += 1
        draw = random.Random(f"{self.seed} {self.asked}")
        self.under_way += 1
        assert self.under_way <= self.gate.under_way <= self.gate.most
        assert now() >= self.gate.until or now() == self.told  # it had been let in at that moment
        try:
            await asyncio.sleep(draw.choice((0.0, 0.01, 0.3, 2.0)))
        finally:
            self.under_way -= 1
        if draw.random() >= self.failing:
            return ANSWER
        self.told = now()
        return draw.choice((BROKEN, LIMITED, replace(LIMITED, after=draw.choice((0.0, 0.2, 5.0, 70.0)))))


@given(
    seed=st.integers(0, 2**32),
    most=st.integers(1, 40),
    callers=st.integers(1, 80),
    failing=st.sampled_from((0.0, 0.1, 0.6, 1.0)),
    cancelled=st.sampled_from((0.0, 0.3, 1.0)),
    early=st.sampled_from((0.0, 5e-10)),
)
def test_whatever_happens_room_is_kept_to_and_given_back(
    seed: int, most: int, callers: int, failing: float, cancelled: float, early: float
) -> None:
    async def campaign() -> None:
        provider = Provider(most)
        gate = provider._gate(ASKED)
        provider.call = Simulated(seed, failing, gate)
        draw = random.Random(seed)
        tasks = [asyncio.ensure_future(provider.ask(ASKED)) for _ in range(callers)]
        for task in tasks:
            if draw.random() < cancelled:
                asyncio.get_running_loop().call_later(draw.choice((0.0, 0.005, 0.01, 0.3, 1.0, 4.0)), task.cancel)
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(r, Answer | Failure | Halt | asyncio.CancelledError) for r in results)
        assert (gate.under_way, gate.waiting, provider.under_way) == (0, 0, 0)
        assert 1 <= gate.room <= most
        assert gate.pace >= LEAST
        provider.call, provider.stopping = Simulated(seed, 0.0, gate), False
        assert isinstance(await provider.ask(ASKED), Answer)

    leap(campaign(), early=early)


def test_a_thousand_callers_are_let_in_in_the_order_they_came() -> None:
    served: list[int] = []

    async def call(gate: RateLimit, number: int) -> None:
        async with gate.turn() as turn:
            served.append(number)
            await asyncio.sleep(0.5)
            turn.succeeded()

    async def all_of_them() -> float:
        gate = RateLimit(64)
        await asyncio.gather(*(call(gate, number) for number in range(1000)))
        assert gate.room == 64
        return now()

    assert leap(all_of_them()) == pytest.approx(0.5 * (2 + math.ceil((1000 - 16 - 32) / 64)))
    assert served == list(range(1000))


# ---- room ------------------------------------------------------------------------------------------------------


def test_the_pace_is_cut_once_for_all_calls_that_were_under_way() -> None:
    async def limited() -> None:
        gate = RateLimit(64)
        turns, ended, tasks = await hold_open(gate, 100)
        assert (len(turns), gate.pace) == (START, math.inf)
        await asyncio.sleep(1.0)
        for turn in turns:
            turn.limited(None)
        assert (gate.pace, gate.cuts) == (START - 1, 1)  # calls a second that were granted, as far as was known
        ended.set()
        await asyncio.sleep(1.0)
        assert len(turns) == 2 * START
        turns[-1].limited(None)
        assert (gate.pace, gate.cuts) == (BELOW * (START - 1), 2)
        turns[0].limited(None)
        assert (gate.pace, gate.cuts) == (BELOW * (START - 1), 2)
        for task in tasks:
            task.cancel()

    leap(limited())


def test_room_that_nobody_waits_for_does_not_grow() -> None:
    async def few() -> None:
        gate = RateLimit(64)
        turns, _, tasks = await hold_open(gate, START)
        for turn in turns:
            turn.succeeded()
        assert gate.room == START
        more, _, others = await hold_open(gate, 2)
        assert not more
        turns[0].succeeded()
        assert gate.room == START + 1
        for task in tasks + others:
            task.cancel()

    leap(few())


async def called(provider: Provider, seconds: float, callers: int = 64) -> None:
    """Callers who ask again and again for so long."""

    async def again_and_again() -> None:
        while True:
            await provider.ask(ASKED)

    tasks = [asyncio.ensure_future(again_and_again()) for _ in range(callers)]
    await asyncio.sleep(seconds)
    assert not [task for task in tasks if task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def test_the_pace_falls_just_below_what_was_too_much_and_grows_slowly() -> None:
    async def cut() -> None:
        limited = [9.5, 15.0]
        draw = random.Random(1)

        async def call(request: Question) -> Answer | Failure:
            await asyncio.sleep(draw.uniform(0.5, 1.5))
            if limited and now() > limited[0]:
                del limited[0]
                return LIMITED
            return ANSWER

        provider = Provider(64, call=call)
        gate = provider._gate(ASKED)
        paces: list[float] = []
        work = asyncio.ensure_future(called(provider, 60))
        while now() < 59:
            paces.append(gate.pace)
            await asyncio.sleep(0.1)
        await work
        assert paces[90] == math.inf
        too_much, rested = paces[148], paces[153]
        assert rested == BELOW * too_much < math.inf
        assert rested <= min(paces[153:180]) <= max(paces[153:180]) < 1.01 * rested
        assert paces[-1] > max(paces[153:180])
        assert gate.room == 64

    leap(cut())


def test_a_pause_of_a_month_is_no_reason_to_begin_more_than_before() -> None:
    async def paused() -> None:
        draw = random.Random(1)

        async def call(request: Question) -> Answer | Failure:
            await asyncio.sleep(1.0)
            return LIMITED if draw.random() < 0.3 else ANSWER

        provider = Provider(8, call=call)
        await asyncio.sleep(3e6)  # the clock of a machine that has been on for long
        for _ in range(2):
            await called(provider, 30)
            await asyncio.sleep(3e6)
        assert 1 <= provider._gate(ASKED).room <= 8

    leap(paused())


def test_nobody_begins_while_the_provider_asks_to_wait() -> None:
    begun: list[float] = []

    async def call(request: Question) -> Answer | Failure:
        begun.append(now())
        number = len(begun)
        await asyncio.sleep(0.2)
        return replace(LIMITED, after=7.0) if number == 5 else ANSWER

    async def waits() -> float:
        provider = Provider(64, call=call)
        await asyncio.gather(*(provider.ask(ASKED) for _ in range(300)))
        return now()

    leap(waits())
    told = begun[4] + 0.2
    assert not [t for t in begun if told < t < told + 7.0]
    assert len(begun) == 301
    assert max(begun) > told + 7.0


@pytest.mark.parametrize("when", ["waiting", *range(8), "passed over", "under way"])
def test_who_is_cancelled_leaves_no_trace(when: str | int) -> None:
    """Also so many steps after there was room for it."""

    async def cancelled() -> None:
        gate = RateLimit(1)
        turns, ended, tasks = await hold_open(gate, 3)
        assert len(turns) == 1
        match when:
            case "waiting":
                tasks[1].cancel()
                await settle()
            case int(steps):
                ended.set()
                for _ in range(steps):
                    await asyncio.sleep(0)
                tasks[1].cancel()
            case "passed over":
                tasks[1].cancel()
                ended.set()
            case _:
                tasks[0].cancel()
        ended.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(task.cancelled() for task in tasks) == 1 or when in range(8)
        assert (gate.under_way, gate.waiting) == (0, 0)

    leap(cancelled())


# ---- rate limits of several kinds ------------------------------------------------------------------------------


@dataclass
class Limiting:
    """A provider that turns calls away: above `rate` a second of a bucket of `burst`, or more than `at_once`."""

    rate: float
    burst: float
    seconds: float
    after: float | None
    at_once: float = math.inf
    wobble: float = 0.0
    """Seconds that a call takes to come, on average."""
    left: float = field(init=False)
    then: float = 0.0
    under_way: int = 0
    answered: int = 0
    refused: int = 0

    def __post_init__(self) -> None:
        self.left, self.draw = self.burst, random.Random(1)

    async def __call__(self, request: Question) -> Answer | Failure:
        if self.wobble:
            await asyncio.sleep(self.draw.expovariate(1 / self.wobble))
        self.left, self.then = min(self.burst, self.left + (now() - self.then) * self.rate), now()
        if self.left < 1 or self.under_way >= self.at_once:
            self.refused += 1
            await asyncio.sleep(0.02)
            return replace(LIMITED, after=self.after)
        self.left, self.under_way = self.left - 1, self.under_way + 1
        try:
            await asyncio.sleep(self.seconds * self.draw.uniform(0.5, 1.5))
        finally:
            self.under_way -= 1
        self.answered += 1
        return ANSWER

    @property
    def most(self) -> float:
        """Calls a second, for 64 connections."""
        return min(self.rate, min(self.at_once, 64) / self.seconds)


@pytest.mark.parametrize(
    ("limit", "share", "refused"),
    [
        (Limiting(rate=20, burst=20, seconds=1.0, after=1.0), 0.95, 0.02),
        (Limiting(rate=20, burst=5, seconds=1.0, after=None), 0.93, 0.02),
        (Limiting(rate=20, burst=2, seconds=1.0, after=0.1), 0.91, 0.03),
        (Limiting(rate=100, burst=100, seconds=0.3, after=1.0), 0.95, 0.02),
        (Limiting(rate=0.8, burst=50, seconds=5.0, after=3.0), 0.95, 0.2),
        (Limiting(rate=2, burst=1, seconds=2.0, after=1.0), 0.87, 0.1),
        (Limiting(rate=5, burst=1, seconds=0.05, after=None), 0.92, 0.04),
        (Limiting(rate=5, burst=1, seconds=1.0, after=None), 0.92, 0.04),
        (Limiting(rate=5, burst=1, seconds=1.0, after=1.0), 0.87, 0.04),
        (Limiting(rate=5, burst=1, seconds=5.0, after=None), 0.85, 0.05),
        (Limiting(rate=5, burst=10, seconds=20.0, after=2.0), 0.85, 0.02),
        (Limiting(rate=1e9, burst=1e9, seconds=1.0, after=None, at_once=8), 0.85, 0.02),
        (Limiting(rate=1e9, burst=1e9, seconds=2.0, after=1.0, at_once=40), 0.85, 0.02),
        (Limiting(rate=1e9, burst=1e9, seconds=1.0, after=None), 0.99, 0.0),
    ],
    ids=lambda value: str(value.rate) if isinstance(value, Limiting) else "",
)
def test_a_rate_limit_is_used_and_hardly_exceeded(limit: Limiting, share: float, refused: float) -> None:
    """What is reached, over five minutes, of the most that anybody could."""
    leap(called(Provider(64, call=limit), 300))
    assert limit.answered / 300 / limit.most >= share
    assert limit.refused / limit.answered <= refused


@pytest.mark.parametrize(("seconds", "after"), [(0.3, None), (1.0, None), (1.0, 1.0)])
@pytest.mark.parametrize(("wobble", "first", "share"), [(0.001, 0.88, 0.9), (0.005, 0.79, 0.86)])
def test_a_strict_pace_is_kept_to_from_the_first_minute_on(
    seconds: float, after: float | None, wobble: float, first: float, share: float
) -> None:
    """Five calls a second without any burst, as on real sockets, where no call takes just as long as another."""
    begun, whole = [], []
    for seed in range(6):
        for found, length in ((begun, 60), *[(whole, 240)] * (seed < 3)):
            limit = Limiting(rate=5, burst=1, seconds=seconds, after=after, wobble=wobble)
            limit.draw = random.Random(seed)
            leap(called(Provider(64, call=limit), length))
            found.append(limit.answered / length / limit.most)
    assert sum(begun) / len(begun) >= first
    assert sum(whole) / len(whole) >= share


def test_calls_keep_their_distance_from_when_the_one_before_went_out() -> None:
    """Whatever a busy machine does between a call's turn and its first byte: a strict server sees the bytes."""
    sent: list[float] = []
    draw = random.Random(1)

    async def call(request: Question) -> Answer | Failure:
        await asyncio.sleep(draw.uniform(0, 0.1))
        SENDING.get()()
        sent.append(now())
        await asyncio.sleep(1.0)
        return ANSWER

    async def campaign() -> None:
        provider = Provider(64, call=call)
        gate = provider._gate(ASKED)
        gate.pace = gate.enough = 5.0
        gate.rested = math.inf
        await asyncio.gather(*(provider.ask(ASKED) for _ in range(40)))

    leap(campaign())
    assert min(later - earlier for earlier, later in pairwise(sent)) >= 0.19  # the pace grows a little meanwhile


@pytest.mark.parametrize(("after", "held"), [(1.0, False), (2.0, False), (3.0, True)])
def test_a_brief_wait_is_for_the_call_alone_that_was_asked_to_wait(after: float, held: bool) -> None:
    async def limited() -> None:
        gate = RateLimit(64)
        turns, _, tasks = await hold_open(gate, 1)
        turns[0].limited(after)
        assert (gate.closed > 0) is held
        for task in tasks:
            task.cancel()

    leap(limited())


@pytest.mark.parametrize(
    ("share", "seconds", "after"),
    [
        (0.02, 1.0, None), (0.08, 1.0, 1.0), (0.2, 1.0, None),
        (0.02, 5.0, 1.0), (0.08, 5.0, None), (0.2, 5.0, 1.0), (0.3, 5.0, None),
    ],
)  # fmt: skip
def test_calls_that_are_turned_away_at_random_hardly_slow_others_down(
    share: float, seconds: float, after: float | None
) -> None:
    """Of what a provider without faults would answer in five minutes, less the share that is turned away."""
    draw, answered = random.Random(1), 0

    async def call(request: Question) -> Answer | Failure:
        nonlocal answered
        if draw.random() < share:
            await asyncio.sleep(0.02)
            return replace(LIMITED, after=after)
        await asyncio.sleep(seconds * draw.uniform(0.5, 1.5))
        answered += 1
        return ANSWER

    leap(called(Provider(64, call=call), 300))
    assert answered / 300 >= 0.85 * (1 - share) * 64 / seconds


def test_a_limit_is_told_from_refusals_at_random() -> None:
    """With both, few calls are turned away: to go on as if all refusals were random would let nine of ten be."""
    draw, limit = random.Random(1), Limiting(rate=10, burst=10, seconds=1.0, after=None)

    async def call(request: Question) -> Answer | Failure:
        return LIMITED if draw.random() < 0.05 else await limit(request)

    leap(called(Provider(64, call=call), 900))
    assert limit.answered / 900 / limit.most >= 0.85
    assert limit.refused / limit.answered <= 0.3


# ---- attempts and patience -------------------------------------------------------------------------------------


Script = Callable[[int], Answer | Failure]


def ask(
    script: Script, *, attempts: int = 4, patience: float | None = None
) -> tuple[Answer | Failure, list[Attempt], float]:
    """What one call comes to, its attempts and how long it took."""
    heard: list[Attempt] = []

    async def call(request: Question) -> Answer | Failure:
        await asyncio.sleep(0)
        return script(len(heard) + 1)

    async def once() -> tuple[Answer | Failure, float]:
        provider = Provider(attempts=attempts, call=call, most_wait=patience)
        result = await provider.ask(ASKED, heard=lambda _, attempt: heard.append(attempt))
        return result, now()

    result, seconds = leap(once())
    return result, heard, seconds


@pytest.mark.parametrize("attempts", [1, 2, 4, 9])
def test_a_call_that_keeps_failing_has_as_many_attempts_as_it_was_given(attempts: int) -> None:
    result, heard, seconds = ask(lambda number: BROKEN, attempts=attempts)
    assert result == BROKEN
    assert [a.number for a in heard] == list(range(1, attempts + 1))
    delays = [min(FIRST_DELAY * 2**n, 60.0) for n in range(attempts - 1)]
    assert [a.delay for a in heard] == [*delays, None]
    assert seconds == pytest.approx(sum(delays))


def test_what_no_repetition_helps_is_not_repeated() -> None:
    result, heard, _ = ask(lambda number: Failure("context", "too long", again=False))
    assert (result, [a.delay for a in heard]) == (Failure("context", "too long", again=False), [None])


def test_limits_and_failures_are_counted_apart() -> None:
    script = [LIMITED, BROKEN, LIMITED, BROKEN, LIMITED, BROKEN, ANSWER]
    result, heard, _ = ask(lambda number: script[number - 1])
    assert result is ANSWER
    assert [a.delay for a in heard] == [1.0, 1.0, 2.0, 2.0, 4.0, 4.0, None]


def test_patience_with_a_limit_ends() -> None:
    result, heard, seconds = ask(lambda number: replace(LIMITED, after=50.0), patience=PATIENCE)
    assert result == replace(LIMITED, after=50.0)
    assert (heard[-1].delay, seconds <= PATIENCE, seconds > PATIENCE - 60) == (None, True, True)


def test_a_provider_that_asks_for_more_than_patience_is_left_alone_until_then() -> None:
    asked: list[float] = []

    async def call(request: Question) -> Answer | Failure:
        asked.append(now())
        return replace(LIMITED, after=3600.0) if len(asked) == 1 else ANSWER

    async def three() -> list[Answer | Failure]:
        provider = Provider(call=call, most_wait=PATIENCE)
        found = [await provider.ask(ASKED), await provider.ask(ASKED)]
        await asyncio.sleep(3600 - PATIENCE)
        return [*found, await provider.ask(ASKED)]

    first, second, third = leap(three())
    assert isinstance(first, Failure)
    assert isinstance(second, Failure)
    assert (second.kind, "another 3600 s" in second.reason) == ("rate_limit", True)
    assert isinstance(third, Answer)
    assert asked == pytest.approx([0.0, 3600.0])


def test_models_and_addresses_have_a_gate_each() -> None:
    provider = Provider()
    other = replace(ASKED, endpoint=replace(ASKED.endpoint, api_base="http://elsewhere"))
    third = replace(ASKED, endpoint=replace(ASKED.endpoint, model="openai/another"))
    assert len({id(provider._gate(request)) for request in (ASKED, other, third, ASKED)}) == 3


def test_an_exception_gives_the_room_back() -> None:
    async def call(request: Question) -> Answer | Failure:
        raise ValueError

    async def broken() -> None:
        provider = Provider(call=call)
        with pytest.raises(ValueError):  # noqa: PT011 - it has no words
            await provider.ask(ASKED)
        assert (provider.under_way, provider._gate(ASKED).under_way) == (0, 0)

    leap(broken())


def test_a_clock_that_leaps_knows_when_nothing_would_happen() -> None:
    async def forever() -> None:
        await asyncio.Event().wait()

    with pytest.raises(StuckError):
        leap(forever())
