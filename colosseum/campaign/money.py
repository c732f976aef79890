"""Prices of calls, and budgets as typed. In: an answer with its tokens, and a price; out: the answer with its cost, and
US dollars in words.

A price is the user's own (`--price`), else that of litellm's list. What a provider states itself counts before a list.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from colosseum.diagnostics import counted, stop
from colosseum.model.experiment import Design
from colosseum.players.models.call import call, is_local, library
from colosseum.players.models.failure import Failure
from colosseum.players.models.reply import Answer
from colosseum.players.models.request import MILLION, Endpoint, LongPrice, Price, Question
from colosseum.players.own_source import is_own

REASONING = "output_cost_per_reasoning_token"
LONG = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")


async def call_priced(request: Question) -> Answer | Failure:
    """One call of a model, with what it cost; of a failure, with what came all the same."""
    model = request.endpoint.model
    match await call(request, priced=known_price(model) is not None and REASONING not in entry(model)):
        case Answer() as answer:
            return charged(answer, request.endpoint)
        case Failure(came=Answer() as came) as failure:
            return replace(failure, came=charged(came, request.endpoint))
        case failure:
            return failure


def charged(answer: Answer, endpoint: Endpoint) -> Answer:
    """The answer with its cost: at the price given, else as the provider states it, as litellm does, or as listed."""
    own, stated = endpoint.price, answer.tokens.cost
    cost = _at(own, answer) if own else stated or answer.cost or _at(known_price(endpoint.model), answer)
    return answer if own is None and cost is None else answer.at(cost)


def cost_of(answer: Answer, price: Price | None) -> float | None:
    """What an answer cost: its own figure, else at a price; None where nobody knows."""
    return _at(price, answer) if answer.usage.cost is None else answer.usage.cost


def _at(price: Price | None, answer: Answer) -> float | None:
    """The cost at a price; None without one, and where the provider did not count the tokens."""
    taken, cached = answer.usage, answer.tokens
    if price is None or taken.prompt_tokens is None or taken.completion_tokens is None:
        return None
    return price.cost(taken.prompt_tokens, taken.completion_tokens, read=cached.read, stored=cached.stored)


def entry(model: str) -> Mapping[str, Any]:
    """What litellm's list says of a model, by whichever protocol it is asked; nothing where it is not on it."""
    listed = {} if is_own(model) else library().model_cost  # a player of one's own needs no litellm
    return listed.get(model) or listed.get(model.partition("/")[2].removeprefix("responses/")) or {}


@lru_cache(maxsize=256)
def known_price(model: str, tier: str = "") -> Price | None:
    """What litellm's price list says, of a tier of service too; None for a model that is not on it with both prices.

    The list has 0 for want of a price, too, so that is not believed of a model that somebody else serves.
    """
    found = entry(model)
    names = [f"{way}_cost_per_token" for way in ("input", "output")]
    prompt, completion = (found.get(f"{name}_{tier}", found.get(name)) for name in names)
    if prompt is None or completion is None or not (is_local(model) or (prompt and completion)):
        return None
    cached = (found.get(f"cache_{way}_input_token_cost") for way in ("read", "creation"))
    read, stored = (None if each is None else each * MILLION for each in cached)
    dearest = max(completion, found.get(REASONING) or 0.0)  # what is reserved has to do for thoughts, too
    return Price(prompt * MILLION, dearest * MILLION, _long(found), read, stored)


def prices_of(models: Mapping[str, Endpoint]) -> dict[str, Price]:
    """What is known: prices as given, else as listed."""
    found = {m: each.price or (None if each.own is not None else known_price(m, each.tier))
             for m, each in models.items()}  # fmt: skip
    return {model: price for model, price in found.items() if price is not None}


def _long(found: Mapping[str, Any]) -> LongPrice | None:
    """What long prompts cost, where that is more."""
    limits = sorted(int(match[1]) for name in found if (match := LONG.fullmatch(name)))
    if not limits:
        return None
    prompt, completion = (found.get(f"{way}_cost_per_token_above_{limits[0]}k_tokens") for way in ("input", "output"))
    return LongPrice(limits[0] * 1000, prompt * MILLION, completion * MILLION) if prompt and completion else None


@dataclass(frozen=True)
class Budget:
    """Options of money as they were typed, in US dollars."""

    campaign: float | None = None
    run: float | None = None
    none: bool = False
    """`--no-budget`: nothing is counted on."""

    def __post_init__(self) -> None:
        """Raises ColosseumError where amounts are none, or contradict each other."""
        if self.none and (self.campaign is not None or self.run is not None):
            raise stop("C122", "`--no-budget` and a budget contradict each other")
        for name, value in (("--budget", self.campaign), ("--run-budget", self.run)):
            if value is not None and not 0 < value < math.inf:
                raise stop("C122", f"`{name}` is an amount of more than 0, not `{value:g}`")


def campaign_budget(budget: Budget, design: Design) -> float | None:
    """What all runs may cost together: as typed, else as the experiment says."""
    if budget.none or budget.campaign is not None:
        return budget.campaign
    return next((cell.conditions.settings.budget for cell in design.cells), None)


def dollars(amount: float) -> str:
    """An amount of US dollars; small ones with more digits, so that nothing that costs reads as 0."""
    if amount >= 1 or amount == 0:
        return f"${amount:,.2f}"
    return f"${amount:.4f}" if amount >= 0.001 else f"${amount:.{1 - math.floor(math.log10(amount))}f}"


def money(spent: float, limit: float | None, unpriced: int, *, unknown: bool = False) -> str:
    """What was spent; where no price, or a cost, is known that is said, and is never 0."""
    parts = [dollars(spent)] if spent or not (unpriced or unknown) else []
    if unpriced:
        parts.append(f"{counted(unpriced, 'answer')} of unknown cost")
    elif unknown:
        parts.append("unknown price")
    return " + ".join(parts) + (f" of {dollars(limit)}" if limit is not None else "")
