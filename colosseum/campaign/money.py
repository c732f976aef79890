"""Budgets as typed, and in words. In: options, a design and models; out: a Purse, and what became of it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from colosseum.campaign.prices import prices_of
from colosseum.campaign.purse import Purse
from colosseum.diagnostics import counted, stop
from colosseum.model.experiment import Design
from colosseum.players.models.request import Endpoint


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


def campaign_budget(budget: Budget, design: Design) -> float | None:
    """What all runs may cost together: as typed, else as the experiment says."""
    if budget.none or budget.campaign is not None:
        return budget.campaign
    return next((cell.conditions.settings.budget for cell in design.cells), None)


def spent_words(purse: Purse) -> str:
    """What was spent on a campaign so far; empty where no model was asked."""
    if not (purse.spent or purse.calls or purse.uncounted or purse.unanswered):
        return ""
    if purse.spent or not purse.uncounted:
        words = money(purse.spent, purse.limit, purse.uncounted, unknown=False) + " spent"
        if purse.limit is not None and purse.spent > purse.limit:
            words += f": ${purse.spent - purse.limit:.4f} more than the budget, because a call cost more than expected"
    else:
        words = f"spent: {counted(purse.uncounted, 'answer')} of unknown price"
    if purse.bounded:
        words += f"; {counted(purse.bounded, 'answer')} without a count of tokens taken at the most it may have cost"
    if purse.unanswered:
        words += f"; {counted(purse.unanswered, 'call')} got no answer, and may still be charged"
    return words


def left_words(purse: Purse) -> str:
    """Why runs were left, and what to do."""
    if not purse.reached:
        return "because each had reached its budget: the same command with a larger `--run-budget` goes on"
    why = "what is left of the budget is less than a block of runs will probably cost"
    if purse.refused is not None and purse.limit is not None:
        left = dollars(max(0.0, purse.limit - purse.spent))
        why = f"of the budget {left} is left, and a call may cost up to {dollars(purse.refused)}"
    return f"since {why}: the same command with a larger `--budget` goes on"


def dollars(amount: float) -> str:
    """An amount of US dollars; small ones with more digits, so that nothing that costs reads as 0."""
    if amount >= 1 or amount == 0:
        return f"${amount:,.2f}"
    return f"${amount:.4f}" if amount >= 0.001 else f"${amount:.{1 - math.floor(math.log10(amount))}f}"


def money(spent: float, limit: float | None, unpriced: int, *, unknown: bool) -> str:
    """What was spent; what has no known price is said to have none, and is never 0."""
    parts = [dollars(spent)] if spent or not (unpriced or unknown) else []
    if unpriced:
        parts.append(f"{unpriced} answer{'s' if unpriced > 1 else ''} of unknown price")
    elif unknown:
        parts.append("unknown price")
    return " + ".join(parts) + (f" of {dollars(limit)}" if limit is not None else "")
