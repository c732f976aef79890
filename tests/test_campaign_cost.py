"""Money: no campaign costs more than its budget, whatever providers count, and what was paid for counts for good."""

import asyncio
import json
import pickle
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from audited import body as body_of
from chat_mind import key_of, late, plays
from chat_server import Answer, Body, ChatServer, calls, cuts_midway, fails, refuses, says
from conftest import KEY, adjusted, planned, results, run
from test_cli_commands import Done, colosseum
from warm_process import Command

from colosseum.campaign.calls import RunCalls, read_calls, read_lines
from colosseum.campaign.estimate import default_habits
from colosseum.campaign.folder import Folder
from colosseum.campaign.ledger import Ledger
from colosseum.campaign.model_options import Asking
from colosseum.campaign.money import call_priced, known_price, prices_of
from colosseum.campaign.purse import BYTES, Account, Purse, left_words, spent_words
from colosseum.campaign.retry import Attempt, OnAttempt
from colosseum.campaign.runner import PaidSource
from colosseum.model.settings import Settings
from colosseum.players.models import reply
from colosseum.players.models.failure import Failure
from colosseum.players.models.request import Endpoint, Halt, LongPrice, Place, Price, Question
from colosseum.players.models.shapes import tokens
from colosseum.players.models.wire import Exchange
from colosseum.run.redaction import Redaction

SPEC = """colosseum 1
scenario match
agents A, B, C
set moves = {left, right}
variable move[agents]: moves
reward agree[(a, b) in pairs(agents)]: 1 if move[a] == move[b] else 0 undisclosed
coalition cabal { members = {C} }
network complete
table game[agents] ~ integer(1, 1000000)
prompt number for agents "This is game {{ game[me] }}."
prompt pitch for cabal { fair: ""  bent: "Differ." }
experiment e { rounds 1  order declared  arm baseline { }  arm prompted { pitch bent } }
"""
CALLS = 6
"""Of one run: a turn of planning and one of execution for each agent."""
PRICE = Price(1000.0, 1000.0)
MAX_TOKENS = 20

pytestmark = pytest.mark.usefixtures("key")


def counting(tokens: Callable[[Body], tuple[int, int] | None]) -> Callable[[Body], Answer]:
    """Sensible moves, whose tokens are counted in this way, or not at all."""

    def script(body: Body) -> Answer:
        answer = plays(body)
        assert isinstance(answer.body, dict)
        found = tokens(body)
        usage = {} if found is None else {"usage": {"prompt_tokens": found[0], "completion_tokens": found[1]}}
        return replace(answer, body={**{k: v for k, v in answer.body.items() if k != "usage"}, **usage})

    return script


def flat(body: Body) -> tuple[int, int]:
    return 100, 10


def uneven(body: Body) -> tuple[int, int]:
    """From 20 to 520 tokens, as it falls."""
    return 10 + int(key_of(body)[:6], 16) % 500, 10


def most(body: Body) -> tuple[int, int]:
    """As many as can be expected beforehand."""
    return len(json.dumps([body["messages"], body["tools"]], ensure_ascii=False).encode()) // 2, MAX_TOKENS


def uncounted(body: Body) -> None:
    return None


@dataclass
class Study:
    """A campaign in a folder of its own."""

    folder: Path
    server: ChatServer
    text: str = SPEC

    def audit(self, *more: object, seeds: str = "1..8") -> Done:
        spec = self.folder / "spec.colo"
        spec.write_text(self.text)
        return colosseum(
            "audit", spec, "--model", "openai/test", "--api-base", self.server.url, "--max-tokens", MAX_TOKENS,
            "--price", f"{PRICE.prompt},{PRICE.completion}", "--seeds", seeds, "--out", self.runs.path, *more,
            OPENAI_API_KEY=KEY,
        )  # fmt: skip

    @property
    def runs(self) -> Folder:
        return Folder(self.folder / "out")

    @property
    def asked(self) -> int:
        """Calls that the server heard, but for those that ask whether a model can play."""
        return sum(not any(t["function"]["name"] == "ready" for t in r.body["tools"]) for r in self.server.requests)

    @property
    def lines(self) -> list[dict[str, Any]]:
        paths = sorted((self.runs.path / "runs").glob("*.calls.jsonl"))
        return [dict(line) for path in paths for line in read_lines(path) if line["kind"] == "ok"]

    @property
    def preflights(self) -> list[dict[str, Any]]:
        return [dict(line) for path in self.runs.asked() for line in read_lines(path)]

    @property
    def charged(self) -> float:
        """What the provider will ask for, in US dollars, as it counted."""
        paid = [body_of(line)["usage"] for line in self.lines]
        return sum(PRICE.cost(tokens["prompt_tokens"], tokens["completion_tokens"]) for tokens in paid)

    @property
    def complete(self) -> Counter[int]:
        """Complete runs by seed."""
        found = ((listed.seed, result) for listed, result in results(self.runs))
        return Counter(seed for seed, result in found if result is not None and result.status == "complete")


class Rising:
    """Cheap for the first block, and then five times as dear."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, body: Body) -> tuple[int, int]:
        self.asked += 1
        return (50 if self.asked <= 2 * CALLS + 1 else 250), 10


# ---- the budget of a campaign -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "budget", "pairs", "broken"),
    [(flat, 8.0, 4, 0), (uneven, 12.0, 3, 0), (most, 100.0, 6, 0), (Rising(), 20.0, 4, 2)],
)
def test_a_budget_is_kept_to_and_leaves_whole_pairs(
    tokens: Callable[[Body], tuple[int, int]], budget: float, pairs: int, broken: int, tmp_path: Path
) -> None:
    with ChatServer(counting(tokens)) as server:
        study = Study(tmp_path, server)
        done = study.audit("--budget", budget)
        assert done.returncode == 4, done.stderr
        assert study.charged <= budget
        runs = list(study.complete.values())
        assert runs.count(2) >= pairs
        assert runs.count(1) <= broken
        assert f"of ${budget:.2f} spent" in done.stderr
        assert "the same command with a larger `--budget` goes on" in done.stderr
        assert study.audit("--budget", budget).returncode == 4
        assert study.charged <= budget  # what was spent before counts
        assert study.audit("--budget", 100 * budget).returncode == 0
        assert study.complete == dict.fromkeys(range(1, 9), 2)
        assert study.asked == len(study.lines) == 16 * CALLS  # nothing was paid for twice


def test_failed_runs_keep_their_results_where_no_money_is_left_to_try_again(tmp_path: Path) -> None:
    def breaks(body: Body) -> Answer:
        return fails(400, "no") if "Differ." in str(body["messages"]) else counting(flat)(body)

    with ChatServer(breaks) as server:
        study = Study(tmp_path, server)
        assert study.audit("--no-budget", seeds="1..2").returncode == 3
        before = results(study.runs)
        done = study.audit("--budget", 1, "--retry-failed", seeds="1..2")
        assert (done.returncode, results(study.runs)) == (4, before)
    assert {result.status for _, result in before if result} == {"complete", "failed"}
    words = " ".join(done.stderr.split())
    assert "more than the budget, spent before this command" in words
    assert "2 runs left, since nothing is left of the budget: the same command with a larger `--budget`" in words


def test_a_budget_that_suffices_is_not_felt(tmp_path: Path) -> None:
    with ChatServer(counting(flat)) as server:
        done = Study(tmp_path, server).audit("--budget", 16 * CALLS * 0.11 + 5)
    assert done.returncode == 0, done.stderr
    assert "$10.67 of $15.56 spent" in done.stderr  # with the call that asked whether the model can play


def tokens_of_four_bytes(body: Body) -> tuple[int, int]:
    """As in English."""
    return len(json.dumps([body["messages"], body["tools"]], ensure_ascii=False).encode()) // 4, 10


def test_a_budget_below_one_block_is_refused_before_the_first_call(tmp_path: Path) -> None:
    with ChatServer(counting(tokens_of_four_bytes)) as server:
        study = Study(tmp_path, server)
        for budget in (0.01, 3.0):
            done = study.audit("--budget", budget)
            assert (done.returncode, len(server.requests), study.runs.path.exists()) == (2, 0, False)
        words = r"the budget, \$3.00, is less than one block of runs costs: \$(\d\.\d\d) where each turn takes one"
        found = re.search(words, done.stderr)
        assert found is not None, done.stderr
        assert study.audit("--no-budget", seeds="1").returncode == 0
        assert study.charged / 4 <= float(found[1]) <= study.charged
        done = study.audit("--budget", 0.01, seeds="1..2")  # of what is begun nothing is lost
        assert done.returncode == 4


def test_answers_that_nobody_counted_are_taken_at_their_most_and_count_for_good(tmp_path: Path) -> None:
    budget = 40.0
    with ChatServer(counting(uncounted)) as server:
        study = Study(tmp_path, server)
        done = study.audit("--budget", budget)
        assert done.returncode == 4
        every = study.lines + study.preflights
        taken = [PRICE.cost(line["prompt_bytes"] / BYTES, line["max_tokens"]) for line in every]
        assert 0 < sum(taken) <= budget
        assert f"{len(taken)} answers of unknown cost, counted at the most possible" in done.stderr
        assert all(line["cost"] is None for line in study.lines)
        made, asked = study.asked, len(study.preflights)
        again = study.audit("--budget", budget)
        assert (again.returncode, study.asked) == (4, made)
        more = [PRICE.cost(line["prompt_bytes"] / BYTES, line["max_tokens"]) for line in study.preflights[asked:]]
        assert f"${sum(taken) + sum(more):.2f} of $40.00 spent" in again.stderr
        free = study.audit("--no-budget")
        assert free.returncode == 0
        number = 16 * CALLS + len(study.preflights)
        assert f"{number} answers of unknown cost, counted at the most possible" in free.stderr


def test_a_model_that_costs_nothing_is_not_held_up_by_a_budget(tmp_path: Path) -> None:
    spec = SPEC.replace("rounds 1", "rounds 0")
    _, todo, _ = planned(spec, seeds=range(1, 9), adjust=MODELLED)

    class Free:
        under_way, stopping, gave_up, most = 0, False, None, 0

        async def ask(self, request: Question, *, heard: OnAttempt) -> reply.Answer | Failure:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            for _ in range(20):
                await asyncio.sleep(0)
            self.under_way -= 1
            usage = {"prompt_tokens": 10, "completion_tokens": 5}
            message = {"content": "I will not.", "provider_specific_fields": {"refusal": "no"}}
            answer = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
            return reply.Answer(answer, 0.0, 0.1)

    provider = Free()
    tally = run(tmp_path, todo, provider=provider, limit=1.0)
    assert tally["complete"] == len(todo) == 16
    assert provider.most > 8


@pytest.mark.parametrize(("budget", "side_by_side"), [(1000.0, 16), (30.0, 1)])
def test_blocks_wait_for_the_first_one_only_where_money_may_run_short(
    budget: float, side_by_side: int, tmp_path: Path
) -> None:
    _, todo, _ = planned(SPEC, seeds=range(1, 9), adjust=MODELLED)

    class Dear:
        """Its first answer comes once nobody else asks."""

        under_way, stopping, gave_up, most, answered = 0, False, None, 0, 0

        async def ask(self, request: Question, *, heard: OnAttempt) -> reply.Answer | Failure:
            self.under_way += 1
            if not self.answered:
                seen = 0
                while seen != self.under_way:
                    seen = self.under_way
                    await asyncio.sleep(0.2)
                self.most = max(self.most, self.under_way)
            self.under_way -= 1
            self.answered += 1
            message = {"content": None, "tool_calls": [{"function": {"name": "done", "arguments": "{}"}}]}
            usage = {"prompt_tokens": 10, "completion_tokens": 5}
            return reply.Answer({"choices": [{"message": message}], "usage": usage}, 0.1, 0.2)

    provider = Dear()
    run(tmp_path, todo, provider=provider, limit=budget, prices={"some/model": PRICE})
    assert provider.most == side_by_side


MODELLED = adjusted(model=(("agents", "some/model"),))


def test_asking_whether_a_model_can_play_is_paid_for(tmp_path: Path) -> None:
    with ChatServer(counting(flat)) as server:
        study = Study(tmp_path, server)
        done = study.audit("--no-budget", seeds="1")
        assert len(server.requests) == study.asked + 1
        assert f"${len(server.requests) * 0.11:.2f} spent" in done.stderr
        done = study.audit("--budget", 20, seeds="1..2")
        assert len(server.requests) == study.asked + 2
        assert f"${len(server.requests) * 0.11:.2f} of $20.00 spent" in done.stderr
        assert colosseum("log", "verify", study.runs.path).returncode == 0
        done = study.audit("--budget", 0.01, "--fresh", seeds="1")
        assert (done.returncode, study.runs.asked()) == (2, [])


def test_a_model_that_answers_and_cannot_play_is_paid_for(tmp_path: Path) -> None:
    mute = counting(flat)

    def script(body: Body) -> Answer:
        answer = mute(body)
        said = {"choices": [{"message": {"role": "assistant", "content": "ready"}, "finish_reason": "stop"}]}
        return replace(answer, body={**answer.body, **said}) if isinstance(answer.body, dict) else answer

    with ChatServer(script) as server:
        study = Study(tmp_path, server)
        done = study.audit("--no-budget")
    assert (done.returncode, "no run was started; asking cost $0.1100" in done.stderr) == (2, True)
    with ChatServer(mute) as server:
        done = replace(study, server=server).audit("--no-budget", seeds="1")
    assert f"${(2 * CALLS + 2) * 0.11:.2f} spent" in done.stderr


def test_a_run_whose_answers_are_on_file_needs_no_money(tmp_path: Path) -> None:
    with ChatServer(counting(flat)) as server:
        study = Study(tmp_path, server)
        assert study.audit("--no-budget", seeds="1").returncode == 0
        for listed in study.runs.plan().trials:
            study.runs.result_path(listed.trial).unlink()
        done = study.audit("--budget", 0.01, seeds="1")
        assert (done.returncode, study.asked) == (4, 2 * CALLS), done.stderr
        done = study.audit("--budget", study.charged + 0.12, seeds="1")
        assert (done.returncode, study.asked) == (0, 2 * CALLS), done.stderr


# ---- the budget of a run ----------------------------------------------------------------------------------------


def test_a_run_ends_at_its_own_budget_and_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    with ChatServer(counting(most)) as server:
        study = Study(tmp_path, server)
        done = study.audit("--run-budget", 3, seeds="1..2")
        assert done.returncode == 4
        assert "4 runs left, because a call may cost more than each has left" in done.stderr
        spent = [Purse(None, {}).recall(study.runs, [each]).spent for each in study.runs.plan().trials]
        assert len(spent) == 4
        assert all(0 < dollars <= 3 for dollars in spent)
        made = study.asked
        assert (study.audit("--run-budget", 3, seeds="1..2").returncode, study.asked) == (4, made)
        assert study.audit("--run-budget", 30, seeds="1..2").returncode == 0
        assert study.asked == 4 * CALLS


# ---- where budgets come from ------------------------------------------------------------------------------------


def test_the_experiments_budget_holds_unless_another_is_given(tmp_path: Path) -> None:
    own = SPEC.replace("experiment e {", "experiment e { budget $4")
    with ChatServer(counting(flat)) as server:
        study = Study(tmp_path, server, own)
        done = study.audit()
        assert done.returncode == 4
        assert "of $4.00 spent" in done.stderr
        assert study.charged <= 4
        done = study.audit("--budget", 6, seeds="1..4")
        assert "of $6.00 spent" in done.stderr
        assert study.charged <= 6
        assert study.audit("--no-budget").returncode == 0
    assert study.charged > 6


def test_what_other_seeds_and_arms_cost_counts_and_a_shard_has_its_part(tmp_path: Path) -> None:
    with ChatServer(counting(flat)) as server:
        study = Study(tmp_path, server)
        assert study.audit("--no-budget", seeds="1..4").returncode == 0
        spent = study.charged
        done = study.audit("--budget", spent + 0.5, seeds="5..8")
        assert (done.returncode, study.charged) == (4, spent)
        done = study.audit("--budget", 20, "--shard", "2/4", seeds="9..16")
        assert done.returncode == 0
        assert f"${(2 * 2 * CALLS + 1) * 0.11:.2f} of $5.00 spent" in done.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--budget", "0"), "`--budget` is an amount of more than 0"),
        (("--budget", "-1"), "`--budget` is an amount of more than 0"),
        (("--budget", "nan"), "`--budget` is an amount of more than 0"),
        (("--budget", "inf"), "`--budget` is an amount of more than 0"),
        (("--run-budget", "0"), "`--run-budget` is an amount of more than 0"),
        (("--no-budget", "--budget", "1"), "contradict each other"),
        (("--price", "1"), "`--price` is two amounts"),
        (("--price", "-1,2"), "`--price` is two amounts"),
        (("--price", "nan,2"), "`--price` is two amounts"),
    ],
)
def test_amounts_that_are_none_are_told(options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    with ChatServer([calls(("ready", {}))]) as server:
        study = Study(tmp_path, server)
        done = study.audit(*options)
        assert (done.returncode, len(server.requests)) == (2, 0)
    assert words in done.stderr


# ---- prices -----------------------------------------------------------------------------------------------------


def test_a_price_of_0_is_believed_of_a_machine_of_ones_own_alone() -> None:
    assert known_price("openai/gpt-4o-mini") == Price(0.15, 0.6, read=0.075)
    assert known_price("ollama/llama3.1") == Price(0, 0)
    for model in ("openai/ours", "codestral/codestral-latest", "azure/model-router"):
        assert known_price(model) is None


def test_a_price_is_the_same_by_whichever_protocol_a_model_is_asked() -> None:
    assert known_price("openai/responses/gpt-5-mini") == known_price("openai/gpt-5-mini")
    assert known_price("openai/responses/gpt-5-mini") is not None
    habits = [default_habits(Endpoint(model)) for model in ("openai/responses/gpt-5-mini", "openai/gpt-5-mini")]
    assert habits[0] == habits[1]


def test_a_long_prompt_has_a_price_of_its_own() -> None:
    price = known_price("gemini/gemini-2.5-pro")
    assert price is not None
    assert price.long is not None
    assert price.cost(price.long.above, 0) < price.cost(price.long.above + 1, 0) / 1.5
    assert Price(1, 2, LongPrice(100, 2, 3)).cost(200, 10) == pytest.approx(430e-6)


def test_nothing_is_asked_of_a_model_without_a_price(tmp_path: Path) -> None:
    spec = tmp_path / "spec.colo"
    spec.write_text(SPEC)
    with ChatServer([calls(("ready", {}))]) as server:
        for option in ((), ("--budget", 5)):
            done = colosseum(
                "audit", spec, "--model", "openai/ours", "--api-base", server.url, *option, OPENAI_API_KEY=KEY
            )
            assert (done.returncode, len(server.requests)) == (2, 0)
            assert "error[C125]: the price of `openai/ours` is not known" in done.stderr


# ---- the purse --------------------------------------------------------------------------------------------------


def request(model: str = "m", *, words: str = "", max_tokens: int = 10) -> Question:
    return Question(Endpoint(model, max_tokens=max_tokens), [{"role": "user", "content": words}], (), Place())


def test_the_most_that_a_call_may_cost_counts_bytes_and_learns() -> None:
    purse = Purse(None, {"m": Price(1e6, 1e6)})
    short, long = request(), request(words="語" * 100)
    assert purse.most(long) - purse.most(short) == pytest.approx(300 / BYTES)
    assert purse.most(request(max_tokens=11)) - purse.most(short) == pytest.approx(1)
    asyncio.run(pay(purse, short, {"prompt_tokens": 10 * short.size, "completion_tokens": 1}))
    assert purse.most(short) == pytest.approx(10 * short.size + 10)


async def pay(purse: Purse, asked: Question, usage: dict[str, int], account: Account | None = None) -> None:
    answer = reply.Answer({"choices": [], "usage": usage}, 0.25, 0.1)
    async with purse.paying(asked, account or Account()) as paid:
        paid(answer)


def test_fractions_that_do_not_add_up_stop_nobody() -> None:
    """0.1 + 0.2 − 0.1 − 0.2 is more than 0: what is set aside for no call is exactly 0."""
    purse = Purse(1.0, {"m": Price(1e6, 1e6), "n": Price(1e6, 1e6)})
    sizes = iter([0.1, 0.2, 0.3, 0.7])

    class Sized(Purse):
        def most(self, request: Question) -> float:
            return next(sizes)

    purse = Sized(1.0, {})

    async def work() -> None:
        async with purse.paying(request(), Account()), purse.paying(request(), Account()):
            pass
        assert purse.aside == 0
        purse.spent = 0.3
        async with purse.paying(request(), Account()):
            pass
        await pay(purse, request(), {"prompt_tokens": 1, "completion_tokens": 1})

    asyncio.run(asyncio.wait_for(work(), 5))


def test_later_blocks_wait_for_what_earlier_ones_will_probably_need() -> None:
    purse = Purse(10.0, {"m": Price(0, 1e5)}, dearest={"team": 6.0})
    early, late = Account("team", 0), Account("team", 1)
    order: list[str] = []

    async def call(account: Account, name: str) -> None:
        async with purse.paying(request(max_tokens=20), account):
            order.append(name)

    async def work() -> None:
        with purse.open(late):
            with purse.open(early):
                waiting = asyncio.create_task(call(late, "late"))
                for _ in range(5):
                    await asyncio.sleep(0)
                assert order == ["late"]  # 10 is enough for the 6 of the earlier run, 2 to spare, and 2 for this call
                await waiting
                purse.spent = 1.0
                waiting = asyncio.create_task(call(late, "late"))
                for _ in range(5):
                    await asyncio.sleep(0)
                await call(early, "early")
                assert order == ["late", "early"]
            await waiting
            assert order == ["late", "early", "late"]

    asyncio.run(asyncio.wait_for(work(), 5))


def test_a_block_of_unknown_cost_waits_for_a_call_that_shows_what_one_may_cost() -> None:
    purse, first, second = Purse(10.0, {}), Account("team", 1, None, 3), Account("team", 2, None, 3)

    async def work() -> bool:
        with purse.open(first):
            waiting = asyncio.create_task(purse.admits([second], lambda: False))
            for _ in range(5):
                await asyncio.sleep(0)
            assert not waiting.done()
            purse.largest = 1.0
            purse.changed.set()
            return await waiting

    assert asyncio.run(asyncio.wait_for(work(), 5))
    paid = Account("team", spent=1.0, aside=2.0)
    assert Purse(10.0, {}, dearest={"team": 6.0}).owed(paid) == 3.0, "what is set aside for a run is not owed besides"


def test_calls_side_by_side_are_never_set_aside_more_than_there_is() -> None:
    purse = Purse(10.0, {"m": Price(0, 1e5)})
    seen: list[float] = []

    async def call() -> str:
        try:
            async with purse.paying(request(max_tokens=20), Account()) as paid:
                seen.append(purse.spent + purse.aside)
                await asyncio.sleep(0)
                usage = {"prompt_tokens": 1, "completion_tokens": 20}
                paid(reply.Answer({"choices": [], "usage": usage}, 2.0, 0.1))
        except Halt:
            return "halted"
        return "answered"

    async def work() -> list[str]:
        return await asyncio.gather(*(call() for _ in range(30)))

    became = Counter(asyncio.run(asyncio.wait_for(work(), 5)))
    assert became == {"answered": 5, "halted": 25}
    assert max(seen) <= 10
    assert (purse.spent, purse.aside, purse.reached, purse.refused) == (10.0, 0.0, True, 2.0)


def test_a_purse_that_is_handed_on_hears_what_was_paid_since(tmp_path: Path) -> None:
    purse, other = (Purse(10.0, {}, 1.0, ledger=Ledger(tmp_path / "spent.log", name)) for name in ("one", "two"))
    handed = pickle.dumps(purse.shared())
    other.tell(2.0)
    for later in (purse, pickle.loads(handed), pickle.loads(handed).shared()):
        later.listen()
        assert later.spent == 3.0


def test_processes_tell_each_other_what_they_pay(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "spent.log"
    one, two = Ledger(path, "one"), Ledger(path, "two")
    assert one.heard() == two.heard() == 0
    one.tell(0.25)
    two.tell(1e-05)
    one.tell(0.5)
    assert (one.heard(), two.heard(), two.heard()) == (1e-05, 0.75, 0)
    late = Ledger(path, "three")
    with path.open("ab") as file:
        file.write(b"nonsense\n\xff 1\none nan\none -3\none inf\none 0.1")
    assert late.heard() == 0  # none of them is of ours; the last line has no end yet
    with path.open("ab") as file:
        file.write(b"5\n")
    assert late.heard() == 0.15


def test_a_purse_counts_what_others_pay(tmp_path: Path) -> None:
    purse = Purse(10.0, {"m": Price(0, 1e5)}, ledger=Ledger(tmp_path / "spent.log", "one"))
    other = Ledger(tmp_path / "spent.log", "two")
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    asyncio.run(pay(purse, request(max_tokens=20), usage))
    assert other.heard() == purse.spent == 0.25
    other.tell(8.0)
    with pytest.raises(Halt):
        asyncio.run(pay(purse, request(max_tokens=20), usage))
    assert purse.spent == 8.25


def test_what_processes_that_live_have_set_aside_is_known_to_who_begins_later(tmp_path: Path) -> None:
    path = tmp_path / "spent.log"
    one, two = Ledger(path, "one"), Ledger(path, "two")
    one.tell(0.0, 9.5)
    with path.open("ab") as file:
        file.write(b"dead 1.0 7.5\n/../.. 0 8\na\x00b 0 8\n" + b"x" * 300 + b" 0 8\ntorn 3")
    two.tell(0.25, 0.5)
    late = Ledger(path, "three")
    assert (late.heard(), sum(late.others.values())) == (0, 10.0)
    assert (one.heard(), sum(one.others.values())) == (4.25, 0.5)
    one.tell(0.125, 0.0)
    assert (late.heard(), sum(late.others.values())) == (0.125, 0.5)
    del two
    assert (late.heard(), sum(late.others.values())) == (0, 0)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["spent.log", "spent.log.one.lock"]


def test_a_call_waits_for_what_another_process_has_set_aside(tmp_path: Path) -> None:
    purse = Purse(10.0, {"m": Price(0, 1e5)}, ledger=Ledger(tmp_path / "spent.log", "one"))
    other = Ledger(tmp_path / "spent.log", "two")
    usage = {"prompt_tokens": 1, "completion_tokens": 1}

    async def waits() -> bool:
        paying = asyncio.create_task(pay(purse, request(max_tokens=20), usage))
        done, _ = await asyncio.wait({paying}, timeout=0.3)
        other.tell(1.0, 0.0)
        await paying
        return not done

    other.tell(0.0, 9.5)
    assert asyncio.run(waits())
    assert (purse.spent, purse.aside) == (1.25, 0)
    assert (other.heard(), sum(other.others.values())) == (0.25, 0)


@pytest.mark.parametrize("tokens", [flat, most])
def test_two_processes_keep_to_one_budget(tokens: Callable[[Body], tuple[int, int]], tmp_path: Path) -> None:
    with ChatServer(late(counting(tokens), 0.3)) as server:
        study = Study(tmp_path, server)
        (tmp_path / "spec.colo").write_text(SPEC)
        words = (
            "audit", tmp_path / "spec.colo", "--model", "openai/test", "--api-base", server.url, "--max-tokens",
            MAX_TOKENS, "--price", "1000,1000", "--seeds", "1..12", "--out", study.runs.path, "--budget", 8,
        )  # fmt: skip
        both = [Command(*words) for _ in range(2)]
        for process in both:
            _, words = process.communicate()
            assert process.returncode == 4, words
    assert 4 < study.charged <= 8
    assert study.asked == len(study.lines)


@pytest.mark.parametrize(
    ("came", "number"),
    [(None, 2), (Exchange(200, "application/json", '{"choices": []}'), 4), (Exchange(503, "", ""), 2)],
)
def test_calls_that_may_have_been_charged_are_told(came: Exchange | None, number: int, tmp_path: Path) -> None:
    """Those that timed out, and those whose answer says neither what was meant nor how many tokens it took."""

    class Slow:
        under_way, stopping, gave_up = 0, False, None

        async def ask(self, request: Question, *, heard: OnAttempt) -> reply.Answer | Failure:
            failure = Failure("timeout", "too late", again=True)
            odd = Failure("transport", "no answer", again=True, came=came and reply.Answer.of(came, None, 0.1))
            for number, each in enumerate((failure, failure, odd, odd), start=1):
                heard(request, Attempt(number, each, 1.0 if number < 4 else None))
            return odd

    purse = Purse(10.0, {"m": PRICE}, spent=0.5)
    calls_ = RunCalls(tmp_path / "x.calls.jsonl", partial(PaidSource(Slow(), purse).ask, Account()), Redaction())
    assert isinstance(asyncio.run(calls_.ask(request())), Failure)
    words = f"$0.5000 of $10.00 spent; {number} calls got no answer, and may still be charged"
    assert spent_words(purse) == words
    assert (purse.spent, purse.aside) == (0.5, 0)


def test_answers_that_did_not_arrive_are_told_of_in_every_later_bill(tmp_path: Path) -> None:
    """The provider made them, and may charge them; the connection broke under them."""
    cut = set[str]()

    def script(body: Body) -> Answer:
        first = not cut and "ready" not in str(body["tools"])
        cut.add(key_of(body)) if first else None
        return cuts_midway(counting(flat)(body)) if first else counting(flat)(body)

    with ChatServer(script) as server:
        study = Study(tmp_path, server)
        for _ in range(2):
            done = study.audit("--arm", "baseline", seeds="1")
            assert "; 1 call got no answer, and may still be charged" in done.stderr
    assert study.asked == CALLS + 1
    assert colosseum("log", "verify", study.runs.path).returncode == 0


def test_a_refusal_is_not_asked_for_again_when_a_run_goes_on(tmp_path: Path) -> None:
    """Or it may be answered this time, and all that was paid for after it follows on another turn."""
    seen = list[str]()

    def script(body: Body) -> Answer:
        key = key_of(body)
        seen.append(key) if "ready" not in str(body["tools"]) else None
        return refuses() if seen and key == seen[0] and seen.count(key) == 1 else counting(flat)(body)

    with ChatServer(script) as server:
        study = Study(tmp_path, server)
        first = study.audit("--arm", "baseline", "--run-budget", 0.5, seeds="1")
        assert (first.returncode, len(seen) < CALLS) == (4, True), first.stderr
        assert study.audit("--arm", "baseline", seeds="1").returncode == 0
    assert Counter(seen).most_common(1)[0][1] == 1
    assert len(seen) == CALLS


def test_an_answer_on_file_that_is_not_used_again_stays_in_the_bill(tmp_path: Path) -> None:
    """What a killed process, or a damaged line, left of a run, whose answers are others this time."""
    with ChatServer(counting(uneven)) as server:
        study = Study(tmp_path, server)
        study.audit("--arm", "baseline", seeds="1")
        (path,) = (study.runs.path / "runs").glob("*.calls.jsonl")
        path.write_bytes(path.read_bytes().partition(b"\n")[2])
        path.with_name(path.name.replace(".calls.jsonl", ".json")).unlink()
    with ChatServer(lambda body: counting(uneven)({**body, "model": "other"})) as server:
        study.server = server
        study.audit("--arm", "baseline", seeds="1")
    (result,) = [result for _, result in results(study.runs) if result]
    assert result.expense.cost == pytest.approx(study.charged)
    assert result.expense.calls > CALLS
    assert colosseum("log", "verify", study.runs.path).returncode == 0


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        ({"cost": 0.25}, 0.25),
        ({"cost": 0}, None),
        ({"cost": {"total_cost": 0.5, "request_cost": 0.1}}, 0.5),
        ({"cost": 0.25, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.5}}, 0.75),
        ({"cost": 0.25, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.25}}, 0.25),
        ({"cost": True}, None),
    ],
)
def test_what_a_provider_states_is_all_that_is_charged(usage: Body, cost: float | None) -> None:
    assert tokens({"usage": {"prompt_tokens": 1, "completion_tokens": 1, **usage}}).cost == cost


@pytest.mark.parametrize("tier", ["priority", "default"])
def test_a_tier_of_service_has_prices_of_its_own(tier: str) -> None:
    def script(body: Body) -> Answer:
        answer, usage = says("hi"), {"prompt_tokens": 10_000, "completion_tokens": 1_000, "total_tokens": 11_000}
        assert isinstance(answer.body, dict)
        return replace(answer, body={**answer.body, "usage": usage, "service_tier": tier})

    with ChatServer(script) as server:
        endpoint = Endpoint("openai/gpt-4.1", extra_body={"service_tier": tier}, api_base=server.url)
        asked = replace(request(), endpoint=endpoint)
        answer = asyncio.run(call_priced(asked))
    assert isinstance(answer, reply.Answer)
    known, usual = known_price("openai/gpt-4.1", tier), known_price("openai/gpt-4.1")
    assert known is not None
    assert usual is not None
    assert answer.usage.cost == pytest.approx(known.cost(10_000, 1_000))
    assert (known.prompt > usual.prompt) is (tier == "priority")
    assert prices_of({"openai/gpt-4.1": endpoint}) == {"openai/gpt-4.1": known}


def test_what_is_reserved_does_for_thoughts_that_cost_more() -> None:
    price = known_price("dashscope/qwen-plus-2025-04-28")
    assert price is not None
    assert price.completion == 4.0, "of a token of reasoning; another one costs 1.2"


def test_a_price_that_is_given_for_claude_counts_what_is_written_to_its_cache() -> None:
    asking = Asking((), price={"": Price(4.0, 20.0)})
    assert asking.endpoint("anthropic/claude-new", Settings()).price == Price(4.0, 20.0, stored=5.0)
    assert asking.endpoint("openai/gpt-new", Settings()).price == Price(4.0, 20.0)


def test_a_purse_says_why_runs_were_left() -> None:
    assert "`--run-budget`" in left_words(Purse(1.0, {}))
    assert "less than a block of runs" in left_words(Purse(1.0, {}, reached=True))
    assert "a call may cost up to $0.0030" in left_words(Purse(1.0, {}, spent=0.999, reached=True, refused=0.003))
    assert spent_words(Purse(1.0, {})) == ""
    assert "$1.20 of $1.00 spent: $0.2000 more than the budget" in spent_words(Purse(1.0, {}, spent=1.2))


# ---- what is on file --------------------------------------------------------------------------------------------


def test_what_is_on_file_tells_what_was_asked(tmp_path: Path) -> None:
    with ChatServer(counting(flat)) as server:
        study = Study(tmp_path, server)
        study.audit(seeds="1")
    path = next((study.runs.path / "runs").glob("*.calls.jsonl"))
    for (_, recorded), line in zip(read_calls(path), read_lines(path), strict=True):
        assert (recorded.model, recorded.max_tokens) == ("openai/test", MAX_TOKENS)
        assert recorded.prompt_bytes == line["prompt_bytes"] > 500
        assert line["cost"] == pytest.approx(0.11)


def test_a_price_that_is_learned_later_is_put_on_what_was_counted(tmp_path: Path) -> None:
    with ChatServer(counting(flat)) as server:
        study = Study(tmp_path, server)
        spec = tmp_path / "spec.colo"
        spec.write_text(SPEC)
        done = colosseum(
            "audit", spec, "--model", "openai/test", "--api-base", server.url, "--max-tokens", MAX_TOKENS,
            "--seeds", "1..2", "--out", study.runs.path, "--no-budget", OPENAI_API_KEY=KEY,
        )  # fmt: skip
        assert done.returncode == 0
        assert f"{4 * CALLS + 1} answers of unknown cost" in done.stderr
        trials = study.runs.plan().trials
        before = Purse(None, {}).recall(study.runs, trials)
        assert (before.spent, before.unpriced) == (0, 4 * CALLS)
        later = Purse(None, {"openai/test": PRICE}).recall(study.runs, trials)
        assert (later.spent, later.unpriced) == (pytest.approx(4 * CALLS * 0.11), 0)
        done = study.audit("--budget", 1, seeds="3..4")
        assert (done.returncode, study.asked) == (4, 4 * CALLS)
