"""Answers shared between arms: one for equal prompts, none between twins; who was to ask and did not hands on."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

import pytest
from conftest import MATCH, adjusted, planned
from filelock import FileLock

from colosseum.campaign.calls import Recorded, read_calls
from colosseum.campaign.folder import Folder, Result, replace_file
from colosseum.campaign.planning import Planned
from colosseum.campaign.purse import Purse
from colosseum.campaign.retry import Attempt, OnAttempt
from colosseum.campaign.runner import Coupling, Options, PaidSource, Runner, Tally
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Endpoint, Halt, Place, Question
from colosseum.run.redaction import Redaction
from colosseum.run.trial import Block, Trial

ARMS = MATCH.replace(
    "arm baseline { }  arm prompted { backroom on  pitch bent }",
    "arm baseline { }  arm again { }  arm prompted { pitch bent }  arm prompted_again { pitch bent }",
)
"""Two arms, each with a twin: A's prompts are the same in all, those of B and C differ."""
FIRST, SECOND = (Question(Endpoint("some/model"), ({"role": "user", "content": c},), (), Place("A")) for c in "12")
BROKEN = Failure("transport", "boom", again=False)


MODELLED = adjusted(model=(("agents", "some/model"),), rounds=1)


def block(seed: int = 1) -> list[Trial]:
    """The trials of one block, in the order of their arms."""
    found = planned(ARMS, seeds=(seed,), adjust=MODELLED, coupled=True)[1]
    order = ["baseline", "again", "prompted", "prompted_again"]
    return sorted(found, key=lambda trial: order.index(trial.arm))


def answer(number: int) -> Answer:
    choices = [{"message": {"content": "hm"}, "finish_reason": "stop"}]
    return Answer({"id": number, "choices": choices, "usage": {"prompt_tokens": 9, "completion_tokens": 1}}, 0.25, 0.5)


@dataclass
class Slow:
    """Answers when it is told to, in order."""

    asked: list[Question] = field(default_factory=list)
    due: "list[asyncio.Future[Answer | Failure]]" = field(default_factory=list)

    async def ask(self, request: Question, heard: OnAttempt) -> tuple[Answer | Failure, str]:
        """A result that comes later."""
        self.asked.append(request)
        self.due.append(asyncio.get_running_loop().create_future())
        return await self.due[-1], ""


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def asking(
    coupling: Coupling, slow: Slow, trials: Sequence[Trial], request: Question = FIRST
) -> "list[asyncio.Task[tuple[Answer | Failure, str]]]":
    """Every trial asks the same, the first one first."""
    asked = (coupling.ask(trial.identity, slow.ask, request, lambda *_: None) for trial in trials)
    tasks = [asyncio.ensure_future(each) for each in asked]
    await settle()
    return tasks


# ---- one request -----------------------------------------------------------------------------------------------


def test_equal_prompts_get_one_answer_that_says_where_it_was_paid_for() -> None:
    async def share() -> None:
        trials, slow = block(), Slow()
        shared = Coupling(trials)
        baseline, _, prompted, _ = trials
        tasks = await asking(shared, slow, [baseline, prompted])
        assert len(slow.asked) == 1
        slow.due[0].set_result(answer(1))
        assert [await task for task in tasks] == [(answer(1), ""), (answer(1), baseline.identity)]
        others = await asking(shared, slow, [prompted], SECOND)
        assert slow.asked == [FIRST, SECOND]
        slow.due[1].set_result(answer(2))
        assert await others[0] == (answer(2), "")
        assert [await t for t in await asking(shared, slow, [prompted, baseline], SECOND)] == [
            (answer(2), ""),
            (answer(2), prompted.identity),
        ]

    asyncio.run(share())


def test_twins_share_nothing_with_each_other() -> None:
    async def twins() -> None:
        trials, slow = block(), Slow()
        tasks = await asking(Coupling(trials), slow, trials)
        assert len(slow.asked) == 2
        for number, due in enumerate(slow.due):
            due.set_result(answer(number))
        found = [await task for task in tasks]
        baseline, again, _, _ = (trial.identity for trial in trials)
        assert found == [(answer(0), ""), (answer(1), ""), (answer(0), baseline), (answer(1), again)]

    asyncio.run(twins())


@pytest.mark.parametrize("how", ["failed", "halted", "cancelled", "broken"])
def test_who_gets_no_answer_hands_on_to_one_of_those_who_wait(how: str) -> None:
    async def hands_on() -> None:
        slow, trial = Slow(), block()[0]
        arms = [replace(trial, arm=f"arm {n}") for n in range(4)]
        shared = Coupling(())
        shared.twins = {arm.identity: 0 for arm in arms}
        tasks = await asking(shared, slow, arms)
        match how:
            case "failed":
                slow.due[0].set_result(BROKEN)
            case "halted":
                slow.due[0].set_exception(Halt("stopping"))
            case "broken":
                slow.due[0].set_exception(ZeroDivisionError())
            case _:
                tasks[0].cancel()
        await settle()
        assert tasks[0].done()
        assert len(slow.asked) == 2
        assert not any(task.done() for task in tasks[1:])
        slow.due[1].set_result(answer(1))
        first, *others = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(first, tuple) == (how == "failed")
        assert others == [(answer(1), ""), *[(answer(1), arms[1].identity)] * 2]
        assert len(slow.asked) == 2

    asyncio.run(hands_on())


def test_who_waits_and_is_cancelled_takes_nothing_with_it() -> None:
    async def waits() -> None:
        trials, slow = block(), Slow()
        baseline, _, prompted, _ = trials
        shared = Coupling(trials)
        tasks = await asking(shared, slow, [baseline, prompted, prompted])
        tasks[1].cancel()
        await settle()
        slow.due[0].set_result(answer(1))
        assert await tasks[0] == (answer(1), "")
        assert await tasks[2] == (answer(1), baseline.identity)
        assert tasks[1].cancelled()
        assert len(slow.asked) == 1

    asyncio.run(waits())


def test_what_is_on_file_is_shared_as_what_was_just_answered() -> None:
    async def resumed() -> list[tuple[Answer | Failure, str]]:
        trials, slow = block(), Slow()
        baseline, again, prompted, prompted_again = trials
        shared = Coupling(trials)
        shared.remember(prompted, [(FIRST.key, Recorded(answer(1), 1, baseline.identity))])
        shared.remember(baseline, [(FIRST.key, Recorded(answer(9), 1, ""))])
        shared.remember(prompted_again, [(FIRST.key, Recorded(answer(2), 3, ""))])
        tasks = await asking(shared, slow, [baseline, prompted, again, prompted_again])
        assert not slow.asked
        return [await task for task in tasks]

    identities = [trial.identity for trial in block()]
    assert asyncio.run(resumed()) == [
        (answer(1), ""),
        (answer(1), identities[0]),
        (answer(2), identities[3]),
        (answer(2), ""),
    ]


# ---- whole blocks ----------------------------------------------------------------------------------------------


class Talking:
    """Answers with a number of its own, so that no two answers are alike; stops for good after so many."""

    under_way, gave_up = 0, None

    def __init__(self, most: int = 10**6) -> None:
        self.keys: list[str] = []
        self.most, self.stopping = most, False

    async def ask(self, request: Question, *, heard: OnAttempt) -> Answer | Failure:
        """A word, in the order of the questions."""
        if len(self.keys) >= self.most:
            raise Halt("stopping")
        self.keys.append(request.key)
        given = answer(len(self.keys))
        await asyncio.sleep(0)
        heard(request, Attempt(1, given, None))
        return given


async def made(folder: Path, trials: Sequence[Trial], provider: Talking) -> Tally:
    """Whole blocks, run."""
    purse = Purse(None, {})
    source, heard = PaidSource(provider, purse), lambda listed, became, result: None
    if not Folder(folder).plan_path.exists():
        replace_file(Folder(folder).plan_path, b"{}")  # no campaign has runs before its plan
    runner = Runner(Folder(folder), source, purse, Options(), Redaction(), heard)
    blocks = [(Block("", seed, 1, ()), list(group)) for seed, group in groupby(trials, key=lambda trial: trial.seed)]
    by_seed = {each.seed: group for each, group in blocks}
    planned = [Planned(block, tuple(trial.listed for trial in group)) for block, group in blocks]
    return await runner.run(planned, lambda block: by_seed[block.seed])


def play(folder: Path, trials: Sequence[Trial], provider: Talking) -> Tally:
    """The same, from outside of a loop."""
    return asyncio.run(made(folder, trials, provider))


def results(folder: Path, trials: Sequence[Trial]) -> list[Result]:
    found = [Folder(folder).result(trial.identity) for trial in trials]
    return [result for result in found if result is not None]


def kept(folder: Path, trial: Trial) -> dict[str, Recorded]:
    return dict(read_calls(Folder(folder).calls(trial.identity)))


def check_shared(folder: Path, trials: Sequence[Trial], asked: int) -> None:
    """What arms have in common is one answer, marked in all but one of them; twins have nothing in common."""
    by_key: dict[tuple[int, str], list[tuple[str, Recorded]]] = {}
    twins = Coupling(trials).twins
    for trial in trials:
        for key, recorded in kept(folder, trial).items():
            by_key.setdefault((twins[trial.identity], key), []).append((trial.identity, recorded))
    assert any(len(found) == 2 for found in by_key.values())
    for found in by_key.values():
        assert len({json.dumps(recorded.answer.raw) for _, recorded in found}) == 1
        payers = [identity for identity, recorded in found if not recorded.origin]
        assert len(payers) == 1
        assert {recorded.origin for _, recorded in found} <= {"", payers[0]}
    assert asked == len(by_key)


def test_a_block_is_paid_for_once_where_its_arms_ask_the_same(tmp_path: Path) -> None:
    trials, provider = [*block(1), *block(2)], Talking()
    assert play(tmp_path, trials, provider)["complete"] == 8
    for seed in (1, 2):
        mine = [trial for trial in trials if trial.seed == seed]
        check_shared(tmp_path, mine, len(provider.keys) // 2)
    expenses = [result.expense for result in results(tmp_path, trials)]
    assert {expense.calls for expense in expenses} == {15}
    assert sum(expense.calls - expense.shared for expense in expenses) == len(provider.keys)
    assert sum(expense.cost for expense in expenses) == 0.25 * len(provider.keys)


@pytest.mark.parametrize("done", [1, 5, 13, 30])
def test_a_block_that_was_left_half_way_goes_on_with_what_it_shares(done: int, tmp_path: Path) -> None:
    trials, first, second = block(), Talking(most=done), Talking()
    assert play(tmp_path, trials, first)["halted"] > 0
    assert play(tmp_path, trials, second)["complete"] + len(results(tmp_path, trials)) >= 4
    assert len(first.keys) == done
    check_shared(tmp_path, trials, done + len(second.keys))


def test_another_process_may_have_an_arm_and_leave_it(tmp_path: Path) -> None:
    """While it has one, none of the block is begun; when it dies, all of it is made from what is on file."""
    trials, first = block(), Talking(most=7)
    play(tmp_path, trials, first)
    theirs = FileLock(Folder(tmp_path).lock(Block("", 1, 1, ())))
    begun: list[bool] = []

    class Watched(Talking):
        async def ask(self, request: Question, *, heard: OnAttempt) -> Answer | Failure:
            begun.append(theirs.is_locked)
            return await super().ask(request, heard=heard)

    second = Watched()

    async def both() -> None:
        theirs.acquire()
        asyncio.get_running_loop().call_later(0.2, theirs.release)
        await made(tmp_path, trials, second)

    asyncio.run(both())
    assert begun
    assert not any(begun)
    assert Counter(result.status for result in results(tmp_path, trials)) == {"complete": 4}
    check_shared(tmp_path, trials, len(first.keys) + len(second.keys))
