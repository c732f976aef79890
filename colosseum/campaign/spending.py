"""The cost of a campaign so far. In: its folder and trials; out: US dollars, as far as prices are known.

What an answer cost stands in the result of its run, or among its calls. Where its tokens were not counted, and a price
is known now, it is taken for the most that it may have cost.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from colosseum.campaign.calls import Recorded, read_paid
from colosseum.campaign.folder import Folder
from colosseum.campaign.purse import BYTES
from colosseum.players.models.request import Price
from colosseum.players.scripted.players import SCRIPTED
from colosseum.run.trial import Listed


@dataclass
class Spent:
    """US dollars, as far as prices are known."""

    runs: dict[str, float] = field(default_factory=dict)
    """By trial; those without a call are absent."""
    teams: dict[str, float] = field(default_factory=dict)
    """The most that a complete run has cost, by its models."""
    unpriced: int = 0
    """Answers whose price is not known."""
    bounded: int = 0
    """Answers that are taken for the most that they may have cost."""
    judges: float = 0.0
    """What their answers cost."""

    @property
    def dollars(self) -> float:
        """In all."""
        return sum(self.runs.values()) + self.judges

    @property
    def dearest(self) -> float:
        """The most that one run has cost; 0 where none is complete."""
        return max(self.teams.values(), default=0.0)


def spent_before(folder: Folder, listed: Iterable[Listed], prices: Mapping[str, Price] | None = None) -> Spent:
    """What is on file, of runs that were not finished too. Raises OSError, and Damaged."""
    found = Spent()
    for each in listed:
        if folder.judging(each.trial).exists():
            cost, unpriced, bounded = _cost((c for _, c in read_paid(folder.judging(each.trial))), prices or {})
            found.judges, found.unpriced = found.judges + cost, found.unpriced + unpriced
            found.bounded += bounded
        result, path = folder.result(each.trial), folder.calls(each.trial)
        if result is not None and not result.expense.unpriced:
            cost = result.expense.cost
        elif path.exists():
            cost, unpriced, bounded = _cost((recorded for _, recorded in read_paid(path)), prices or {})
            found.unpriced, found.bounded = found.unpriced + unpriced, found.bounded + bounded
        elif result is not None:
            cost = result.expense.cost
            found.unpriced += result.expense.unpriced
        else:
            continue
        found.runs[each.trial] = cost
        if result is not None and result.status == "complete":
            team = ", ".join(sorted({name for name in each.players.values() if name not in SCRIPTED}))
            found.teams[team] = max(found.teams.get(team, 0.0), cost)
    found.teams.pop("", None)
    return found


def _cost(calls: Iterable[Recorded], prices: Mapping[str, Price]) -> tuple[float, int, int]:
    """What answers cost that were paid for in this run; how many have no known price, and how many no known tokens."""
    dollars, unpriced, bounded = 0.0, 0, 0
    for recorded in calls:
        if recorded.origin:
            continue
        taken, price = recorded.answer.usage, prices.get(recorded.model)
        if taken.cost is not None:
            dollars += taken.cost
        elif price is None:
            unpriced += 1
        elif taken.prompt_tokens is not None and taken.completion_tokens is not None:
            dollars += price.cost(taken.prompt_tokens, taken.completion_tokens)
        else:
            dollars, bounded = dollars + price.cost(recorded.prompt_bytes / BYTES, recorded.max_tokens), bounded + 1
    return dollars, unpriced, bounded
