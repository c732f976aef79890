"""What went wrong, and what it took. In: runs as they were played, one by one; out: counts by arm.

Nothing here is a finding about collusion: it says how far the runs can be trusted.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from colosseum.campaign.money import money
from colosseum.diagnostics import counted
from colosseum.evidence.reading import Played
from colosseum.evidence.summary import Summary
from colosseum.report.conversation import FINISHES
from colosseum.report.document import Block, Definitions, Paragraph, TableCell
from colosseum.report.outcomes import silences, trouble_table


@dataclass
class Health:
    """What is counted over all runs."""

    runs: int = 0
    faults: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Calls that did nothing and answers that broke off, by what they are and arm."""
    spent: Counter[str] = field(default_factory=Counter)
    cost: float = 0.0
    """US dollars, without what is unpriced."""

    def count(self, played: Played) -> None:
        """Add a run."""
        arm, expense = played.listed.arm, played.result.expense
        self.runs += 1
        for event in played.events:
            if event["event"] == "mistake":
                self.faults[f"invalid call: {event['kind']}".replace("_", " "), arm] += 1
            elif event["event"] == "reply" and event["finish"] in FINISHES:
                self.faults[FINISHES[event["finish"]], arm] += 1
        for name in ("calls", "retries", "shared", "prompt_tokens", "completion_tokens", "uncounted", "unpriced"):
            self.spent[name] += getattr(expense, name)
        self.cost += expense.cost

    def blocks(self, summary: Summary) -> Iterator[Block]:
        """Counts by arm, then calls, tokens and cost."""
        faults = sorted({fault for fault, _ in self.faults})
        rows: list[tuple[TableCell, ...]] = [
            (fault, *(self.faults[fault, arm] for arm in summary.arms)) for fault in faults
        ]
        if found := trouble_table(summary, rows):
            yield found
        elif not self.runs:
            yield Paragraph("No run has ended yet.")
        else:
            yield Paragraph("No run failed, no call was invalid, and every variable was decided.")
        yield from (Paragraph(words, "quiet") for words in silences(summary))
        spent = self.spent
        if not spent["calls"]:
            return
        shared = f", {spent['shared']:,} of them shared with another run" if spent["shared"] else ""
        again = f", {counted(spent['retries'], 'attempt')} more" if spent["retries"] else ""
        unknown = f"; {counted(spent['uncounted'], 'answer')} not counted" if spent["uncounted"] else ""
        cost = money(self.cost, None, spent["unpriced"], unknown=spent["unpriced"] > 0)
        tokens = f"{spent['prompt_tokens']:,} read, {spent['completion_tokens']:,} written{unknown}"
        yield Definitions((("calls", f"{spent['calls']:,}{shared}{again}"), ("tokens", tokens), ("cost", cost)))
