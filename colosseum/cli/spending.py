"""What a campaign may cost. In: options as typed, a design and models; out: limits and prices, or what is missing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from colosseum.audit.models.call import known_price
from colosseum.audit.models.reply import Price
from colosseum.audit.models.request import Endpoint
from colosseum.cli.words import stop
from colosseum.model.experiment import Design


@dataclass(frozen=True)
class Budget:
    """Options of money as they were typed, in US dollars."""

    campaign: float | None = None
    run: float | None = None
    none: bool = False
    """`--no-budget`: nothing is counted on."""


@dataclass(frozen=True)
class Limits:
    """What may be spent, and what models cost."""

    campaign: float | None
    run: float | None
    prices: Mapping[str, Price] = field(default_factory=dict)
    """By model; of all models where there is a limit."""


def budget_of(budget: Budget, design: Design, models: Mapping[str, Endpoint]) -> Limits:
    """The limits of a campaign; the command line's wins over the spec's. Raises Stop where a price is not known."""
    if budget.none and (budget.campaign is not None or budget.run is not None):
        raise stop("C122", "`--no-budget` and a budget contradict each other")
    for name, value in (("--budget", budget.campaign), ("--run-budget", budget.run)):
        if value is not None and not value > 0:
            raise stop("C122", f"`{name}` is an amount of more than 0, not `{value:g}`")
    prices = {model: endpoint.price or known_price(model) for model, endpoint in models.items()}
    unknown = [model for model, price in prices.items() if price is None]
    if unknown and not budget.none:
        help_ = "give its price for a million tokens, as in `--price 0.15,0.60`, or say `--no-budget`"
        raise stop("C125", f"the price of `{unknown[0]}` is not known, so its cost could not be told", help=help_)
    known = {model: price for model, price in prices.items() if price is not None}
    if budget.none:
        return Limits(None, None, known)
    own = next((cell.conditions.settings.budget for cell in design.cells), None)
    return Limits(budget.campaign if budget.campaign is not None else own, budget.run, known)
