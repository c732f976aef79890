"""How far runs can be trusted, and what they took. In: runs as they were played, one by one; out: counts, by arm."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, field

from colosseum.campaign.folder import Expense
from colosseum.campaign.money import money
from colosseum.diagnostics import counted
from colosseum.evidence.reading import Played
from colosseum.evidence.summary import Summary
from colosseum.report.conversation import FINISHES
from colosseum.report.document import Block, Definitions, Table, TableCell


def faults(runs: Iterable[Played]) -> Counter[tuple[str, str]]:
    """Calls that did nothing and answers that broke off, by what they are and arm."""
    found: Counter[tuple[str, str]] = Counter()
    for played in runs:
        for event in played.events:
            if event["event"] == "mistake":
                found[f"invalid call: {event['kind']}".replace("_", " "), played.listed.arm] += 1
            elif event["event"] == "reply" and event["finish"] in FINISHES:
                found[FINISHES[event["finish"]], played.listed.arm] += 1
    return found


@dataclass
class Health:
    """What is counted over all runs."""

    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    spent: Expense = field(default_factory=lambda: Expense.of([]))

    def add(self, faults: Iterable[tuple[str, str, int]], spent: Expense) -> None:
        """Of a case."""
        for fault, arm, number in faults:
            self.faults[fault, arm] += number
        self.spent = Expense(*(a + b for a, b in zip(astuple(self.spent), astuple(spent), strict=True)))

    def blocks(self, summary: Summary) -> Iterator[Block]:
        """Faults by arm, then calls, tokens and cost."""
        if faults := sorted({fault for fault, _ in self.faults}):
            rows: tuple[tuple[TableCell, ...], ...] = tuple(
                (fault, *(self.faults[fault, arm] for arm in summary.arms)) for fault in faults
            )
            yield Table("faults", "Invalid calls and broken answers, total over runs", ("", *summary.arms), rows)
        spent = self.spent
        if not spent.calls:
            return
        shared = f", {spent.shared:,} of them shared with another run" if spent.shared else ""
        again = f", {counted(spent.retries, 'attempt')} more" if spent.retries else ""
        unknown = f"; {counted(spent.uncounted, 'answer')} not counted" if spent.uncounted else ""
        tokens = f"{spent.prompt_tokens:,} read, {spent.completion_tokens:,} written{unknown}"
        cost = money(spent.cost, None, spent.unpriced, unknown=spent.unpriced > 0)
        yield Definitions((("calls", f"{spent.calls:,}{shared}{again}"), ("tokens", tokens), ("cost", cost)))
