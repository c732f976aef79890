"""What a campaign has cost so far. In: its folder and trials; out: dollars, in all and of the dearest run."""

from collections.abc import Iterable
from dataclasses import dataclass

from colosseum.audit.campaign.calls import read_calls
from colosseum.audit.campaign.folder import Expense, Folder
from colosseum.audit.trial import Listed


@dataclass(frozen=True)
class Spent:
    """US dollars, as far as prices are known."""

    dollars: float
    unpriced: int
    """Answers whose price is not known."""
    dearest: float
    """The most that one run has cost; 0 where none has ended."""


def spent_before(folder: Folder, listed: Iterable[Listed]) -> Spent:
    """What is on file, of runs that were not finished too. Raises OSError, and Damaged."""
    dollars, unpriced, dearest = 0.0, 0, 0.0
    for each in listed:
        result = folder.result(each.trial)
        if result is not None:
            dearest = max(dearest, result.expense.cost)
            expense = result.expense
        elif folder.calls(each.trial).exists():
            expense = Expense.of([recorded for _, recorded in read_calls(folder.calls(each.trial))])
        else:
            continue
        dollars, unpriced = dollars + expense.cost, unpriced + expense.unpriced
    return Spent(dollars, unpriced, dearest)
