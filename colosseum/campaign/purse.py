"""The budget of a campaign. In: prices and costs of calls, on file too; out: permission to call, or a stop before money
runs out.

Every call sets aside the most that it may cost before it begins, so that calls under way never exceed the budget
together. Where money runs short, what runs of earlier blocks will probably still need is not for those of later ones.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from colosseum.campaign.calls import read_paid
from colosseum.campaign.folder import Folder
from colosseum.campaign.ledger import Ledger
from colosseum.campaign.money import Budget, campaign_budget, cost_of, dollars, money, prices_of
from colosseum.diagnostics import counted, stop
from colosseum.model.experiment import Design
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import Endpoint, Halt, Price, Question
from colosseum.players.scripted.players import SCRIPTED
from colosseum.run.trial import Listed

LOOKING = 0.1  # seconds between two looks at what other processes have set aside, about
BYTES = 2.0
"""Of a prompt's JSON for one token, at least; a model that turns out to count more tokens is taken at its word."""


@dataclass
class Account:
    """What one run costs, in US dollars."""

    team: str = ""
    """Its models: runs of one team cost about the same."""
    rank: int = 0
    """The place of its block among those begun: money is kept for runs of earlier ones."""
    limit: float | None = None
    """What it may cost in all."""
    calls: int = 0
    """How many it may need."""
    spent: float = 0.0
    """What it cost so far, in earlier calls of the program too."""
    aside: float = 0.0
    """For its calls under way."""


@dataclass
class Purse:
    """US dollars of one campaign: what is allowed, set aside, spent, and probably owed."""

    limit: float | None
    """Of all runs."""
    prices: Mapping[str, Price]
    """By model; with a limit there is one for every model."""
    spent: float = 0.0
    unpriced: int = 0
    """Answers of unknown cost, as their model has no price; with a limit there is none."""
    bounded: int = 0
    """Answers of unknown cost, as nobody counted their tokens: they are taken for the most that they may have cost."""
    unanswered: int = 0
    """Attempts that timed out, or brought what is no answer: what was charged for them, if anything, is not counted."""
    aside: float = 0.0
    """For calls under way."""
    under_way: int = 0
    """Calls that money is set aside for."""
    calls: int = 0
    reached: bool = False
    """Whether something was left for want of money."""
    refused: float | None = None
    """The most that the first call that was refused might have cost."""
    dearest: dict[str, float] = field(default_factory=dict)
    """The most that a run has cost, by team."""
    largest: float = 0.0
    """The most that was set aside for a call: the last one of a run begins only where as much is left."""
    accounts: list[Account] = field(default_factory=list)
    """Of runs that go on."""
    densest: dict[str, float] = field(default_factory=dict)
    """Tokens for a byte of prompt, by model, where answers showed more than was expected."""
    acts: dict[str, float] = field(default_factory=dict)
    """The most that an act of a user's own agent has cost, by agent: nobody knows it before its first."""
    ledger: Ledger | None = None
    """Where processes with the same budget tell each other what they pay."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def owed(self, account: Account, *, at_most: bool = False) -> float:
        """What a run will probably cost besides.

        Where no run of its team is complete that is not known: at most it needs all the calls that it may, each as dear
        as the dearest so far. Prompts still grow, but few turns need all their steps.
        """
        whole = self.dearest.get(account.team, account.calls * self.largest if at_most else 0.0)
        return max(0.0, whole - account.spent - account.aside)

    async def admits(self, todo: Sequence[Account], stopped: Callable[[], bool]) -> bool:
        """Whether a block may begin: where money is limited, as much must be left as its runs will probably cost.

        Blocks are begun whole, so that what is compared is there in all arms. What runs of a team cost is shown by the
        first of them: until one is complete, others begin only where there is enough for all that they may need.
        """
        while todo and self.limit is not None and not (self.reached or stopped()):
            known = all(account.team in self.dearest for account in todo)
            if (known or not self.accounts) and self._enough(todo, at_most=False):
                return True
            if self.largest > 0 and self._enough(todo, at_most=True):
                return True
            if self.accounts or self.others:
                await self.change()
            else:
                self.reached = True
        return not stopped() and not (todo and self.limit is not None)

    def _enough(self, todo: Sequence[Account], *, at_most: bool) -> bool:
        """Whether runs that go on will leave enough for others that did not begin yet."""
        self.listen()
        kept = sum(self.owed(each, at_most=at_most) for each in (*self.accounts, *todo)) + self.largest
        return self.limit is None or kept <= self.limit - self.spent - self.aside - self.others

    @property
    def others(self) -> float:
        """What other processes with the same budget have set aside."""
        return sum(self.ledger.others.values()) if self.ledger is not None else 0.0

    async def change(self) -> None:
        """Wait until something was paid, or a run ended; what other processes have set aside is looked at again."""
        self.changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOKING * random.uniform(0.5, 1.5) if self.others else None):
                await self.changed.wait()

    def most(self, request: Question) -> float:
        """The most that a call may cost; 0 where no price is known, and no limit can be; of own agents the dearest."""
        price = self.prices.get(request.endpoint.model)
        if price is None:
            return self.acts.get(request.endpoint.model, 0.0)
        tokens = request.size * max(1 / BYTES, self.densest.get(request.endpoint.model, 0.0))
        return price.most(tokens, request.endpoint.most_tokens)

    def learn(self, account: Account) -> None:
        """A run is complete, so this is what one of its team costs; scripted players are none."""
        if account.team:
            self.dearest[account.team] = max(self.dearest.get(account.team, 0.0), account.spent)

    def charge(self, model: str, answer: Answer, most: float) -> float:
        """What an answer is charged: its own figure, else by its tokens, else the most that it may have cost."""
        price = self.prices.get(model)
        cost = cost_of(answer, price)
        self.unpriced += cost is None and price is None
        self.bounded += cost is None and price is not None
        return most if cost is None else cost

    def recall(self, folder: Folder, listed: Iterable[Listed], others: Iterable[Path] = ()) -> "Purse":
        """Count what is on file, of runs that were not finished too, of judges, and in other files: this purse again.

        It stands in the result of a run, or among its calls; scripted players cost nothing. Raises OSError, Damaged.
        """
        self.spent += sum(map(self.on_file, others))
        for each in listed:
            self.spent += self.on_file(folder.judging(each.trial))
            team = ", ".join(sorted({name for name in each.players.values() if name not in SCRIPTED}))
            if not team:
                continue
            result, path = folder.result(each.trial), folder.calls(each.trial)
            if result is None or (result.expense.unpriced and path.exists()):
                cost = self.on_file(path)
            else:
                cost, self.unpriced = result.expense.cost, self.unpriced + result.expense.unpriced
            if result is not None and result.status == "complete":
                self.learn(Account(team, spent=cost))
            self.spent += cost
        return self

    def on_file(self, path: Path) -> float:
        """What the answers in a file of calls cost; 0 where there is no file."""
        cost = 0.0
        for _, call in read_paid(path):
            if call.lost and call.answer.usage.prompt_tokens is None:
                self.unanswered += 1
                continue
            price = self.prices.get(call.model)
            most = 0.0 if price is None else price.most(call.prompt_bytes / BYTES, call.max_tokens)
            cost += self.charge(call.model, call.answer, most)
        return cost

    def shared(self) -> "Purse":
        """The same for another process, which hears what all have paid since then."""
        ledger = None if self.ledger is None else Ledger(self.ledger.path, read=self.ledger.read)
        return Purse(self.limit, self.prices, self.spent, dearest=dict(self.dearest), ledger=ledger)

    def add(self, other: "Purse") -> None:
        """Count what became of the calls of another process; it has told the ledger what it paid."""
        self.calls, self.unpriced = self.calls + other.calls, self.unpriced + other.unpriced
        self.bounded, self.unanswered = self.bounded + other.bounded, self.unanswered + other.unanswered
        self.reached, self.refused = self.reached or other.reached, self.refused or other.refused

    @contextmanager
    def open(self, account: Account) -> Iterator[None]:
        """Within the block a run goes on."""
        if account.team:
            self.accounts.append(account)
        try:
            yield
        finally:
            self.accounts = [other for other in self.accounts if other is not account]
            self.changed.set()

    @asynccontextmanager
    async def paying(self, request: Question, account: Account) -> AsyncIterator[Callable[[Answer], None]]:
        """Within the block one call is under way, and an answer is paid for. Raises Halt where money is too short."""
        most = self.most(request)
        if most > self.largest:
            self.largest = most
            self.changed.set()
        while not self._taken(most, account):
            if not self._may_fit(most, account):
                self._refuse(most, account)
            await self.change()
        paid: list[float] = []
        try:
            yield lambda answer: paid.append(self._pay(answer, request, account, most))
        finally:
            self._give_back(most, account)
            self.changed.set()
            self.tell(sum(paid))

    def _pay(self, answer: Answer, request: Question, account: Account, most: float) -> float:
        """What an answer costs, paid; `most` where nobody counted its tokens."""
        taken, model = answer.usage, request.endpoint.model
        if taken.prompt_tokens is not None and taken.completion_tokens is not None:
            self.densest[model] = max(self.densest.get(model, 0.0), taken.prompt_tokens / request.size)
        cost = self.charge(model, answer, most)
        if request.by is not None:
            self.acts[model] = max(self.acts.get(model, 0.0), cost)
        self.calls, self.spent, account.spent = self.calls + 1, self.spent + cost, account.spent + cost
        return cost

    def tell(self, cost: float = 0.0) -> None:
        """Tell processes with the same budget what was paid, and what is set aside. Raises OSError."""
        if self.ledger is not None:
            self.ledger.tell(cost, self.aside)

    def _taken(self, most: float, account: Account) -> bool:
        """Set the most that a call may cost aside, where it is there.

        Other processes are told before we look again: of two that take the same money neither overlooks the other.
        """
        if not self._fits(most, account):
            return False
        self.aside, self.under_way, account.aside = self.aside + most, self.under_way + 1, account.aside + most
        self.tell()
        self.listen()
        if self.limit is None or not self.others or self.spent + self.aside + self.others <= self.limit:
            return True
        self._give_back(most, account)
        self.tell()
        return False

    def _give_back(self, most: float, account: Account) -> None:
        self.under_way -= 1
        self.aside = self.aside - most if self.under_way else 0.0  # sums of fractions leave a rest
        account.aside -= most

    def listen(self) -> None:
        """Count what other processes have paid. Raises OSError."""
        if self.ledger is not None:
            self.spent += self.ledger.heard()

    def _fits(self, most: float, account: Account) -> bool:
        """Whether a call may begin now."""
        self.listen()
        if account.limit is not None and account.spent + account.aside + most > account.limit:
            return False
        return self.limit is None or self.spent + self.aside + self.others + self._kept(account) + most <= self.limit

    def _may_fit(self, most: float, account: Account) -> bool:
        """Whether it may begin once calls under way, or runs of earlier blocks, have cost less than they might."""
        if account.limit is not None and account.spent + most > account.limit:
            return False
        if self.limit is not None and self.spent + most > self.limit:
            return False
        return self.under_way > 0 or self._kept(account) > 0 or self.others > 0

    def _kept(self, account: Account) -> float:
        """What is kept for runs of earlier blocks."""
        earlier = [self.owed(other) for other in self.accounts if other.rank < account.rank]
        return sum(earlier) + self.largest if earlier else 0.0

    def check(self, account: Account) -> None:
        """Before a call that cost something is repeated: raises Halt where what is set aside for it is gone."""
        if not self._fits(0.0, account):
            self._refuse(account.aside, account)

    def _refuse(self, most: float, account: Account) -> None:
        if account.limit is not None and account.spent + most > account.limit:
            raise Halt("the run's budget is reached")
        self.reached, self.refused = True, most if self.refused is None else self.refused
        raise Halt("the budget is reached")


def budget_of(budget: Budget, design: Design, models: Mapping[str, Endpoint], *, shards: int = 1) -> Purse:
    """The budget of one shard of a campaign, with nothing spent. Raises ColosseumError where a price is not known.

    The command line's budget wins over the spec's; every shard has an equal part of it.
    """
    prices = prices_of(models)
    unknown = [model for model, each in models.items() if model not in prices and each.own is None]
    nameless = next((model for model in unknown if "/" not in model), None)
    if nameless is not None:
        words = f"no provider is known for `{nameless}`: write provider/model, as in openai/gpt-4o-mini"
        raise stop("C124", words, help="nothing was asked, and nothing was spent")
    if unknown and not budget.none:
        help_ = "give its price for a million tokens, as in `--price 0.15,0.60`, or say `--no-budget`"
        raise stop("C125", f"the price of `{unknown[0]}` is not known, so its cost could not be told", help=help_)
    whole = campaign_budget(budget, design)
    return Purse(None if whole is None else whole / shards, prices)


def spent_words(purse: Purse) -> str:
    """What was spent on a campaign so far; empty where no model was asked."""
    if not (purse.spent or purse.calls or purse.unpriced or purse.unanswered):
        return ""
    if purse.spent or not purse.unpriced:
        words = f"{money(purse.spent, purse.limit, purse.unpriced)} spent"
        if purse.limit is not None and purse.spent > purse.limit:
            why = "because a call cost more than expected" if purse.calls else "spent before this command"
            words += f": ${purse.spent - purse.limit:.4f} more than the budget, {why}"
    else:
        words = f"spent: {money(0.0, None, purse.unpriced)}"
    if purse.bounded:
        words += f"; {counted(purse.bounded, 'answer')} of unknown cost, counted at the most possible"
    if purse.unanswered:
        words += f"; {counted(purse.unanswered, 'call')} got no answer, and may still be charged"
    return words


def left_words(purse: Purse) -> str:
    """Why runs were left, and what to do."""
    if not purse.reached:
        return "because a call may cost more than each has left: the same command with a larger `--run-budget` goes on"
    why = "what is left of the budget is less than a block of runs will probably cost"
    if purse.limit is not None and purse.spent >= purse.limit:
        why = "nothing is left of the budget"
    elif purse.refused is not None and purse.limit is not None:
        left = dollars(max(0.0, purse.limit - purse.spent))
        why = f"of the budget {left} is left, and a call may cost up to {dollars(purse.refused)}"
    return f"since {why}: the same command with a larger `--budget` goes on"
