"""What went wrong, and what it took. In: runs as they were played, one by one; out: counts by arm.

Nothing here is a finding about collusion: it says how far the runs can be trusted.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from colosseum.diagnostics import counted
from colosseum.evidence.reading import Played
from colosseum.evidence.summary import Summary
from colosseum.report.document import Block, Definitions, Paragraph, TableCell
from colosseum.report.outcomes import silences, trouble_table

ENDS: Final = {
    "length": "answers cut off at the limit of tokens",
    "refusal": "answers that refuse",
    "empty": "empty answers",
}
"""Ends of an answer that a reader has to know of."""


@dataclass
class Health:
    """What is counted over all runs; by arm where it is of one."""

    runs: Counter[str] = field(default_factory=Counter)
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By kind of failure and arm."""
    mistakes: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Calls that did nothing, by kind and arm."""
    ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Answers that broke off, by how and arm."""
    spent: Counter[str] = field(default_factory=Counter)
    cost: float = 0.0
    """US dollars, without what is unpriced."""

    def count(self, played: Played) -> None:
        """Add a run."""
        arm, result = played.listed.arm, played.result
        self.runs[arm] += 1
        if result.reason is not None:
            self.failures[result.reason.kind.replace("_", " "), arm] += 1
        for event in played.events:
            if event["event"] == "mistake":
                self.mistakes[str(event["kind"]).replace("_", " "), arm] += 1
            elif event["event"] == "reply" and event["finish"] in ENDS:
                self.ends[ENDS[event["finish"]], arm] += 1
        expense = result.expense
        for name in ("calls", "retries", "shared", "prompt_tokens", "completion_tokens", "uncounted", "unpriced"):
            self.spent[name] += getattr(expense, name)
        self.cost += expense.cost

    def blocks(self, summary: Summary) -> Iterator[Block]:
        """Counts by arm, then calls, tokens and cost."""
        rows = [*_rows("failed", self.failures, summary.arms), *_rows("", self.ends, summary.arms),
                *_rows("invalid call", self.mistakes, summary.arms)]  # fmt: skip
        if found := trouble_table(summary, rows):
            yield found
        elif not self.runs:
            yield Paragraph("No run has ended yet.")
        else:
            yield Paragraph("No run failed, no call was invalid, and every variable was decided.")
        yield from (Paragraph(words, "quiet") for words in silences(summary))
        yield Definitions(tuple(self.bill()))

    def bill(self) -> Iterator[tuple[str, str]]:
        """Calls, tokens and cost."""
        if not self.spent["calls"]:
            if self.runs:
                yield "calls", "no model was asked"
            return
        retried = f", {counted(self.spent['retries'], 'attempt')} more" if self.spent["retries"] else ""
        shared = f", {self.spent['shared']:,} of them shared with another run" if self.spent["shared"] else ""
        yield "calls", f"{self.spent['calls']:,}{shared}{retried}"
        unknown = f"; of {self.spent['uncounted']:,} answers nobody counted them" if self.spent["uncounted"] else ""
        tokens = f"{self.spent['prompt_tokens']:,} read, {self.spent['completion_tokens']:,} written"
        yield "tokens", tokens + unknown
        unpriced = f"the price of {counted(self.spent['unpriced'], 'answer')} is not known"
        cost = f"{self.cost:,.2f} US dollars" if self.cost or not self.spent["unpriced"] else "not known"
        yield "cost", cost + (f"; {unpriced}" if self.spent["unpriced"] else "")


def _rows(kind: str, counts: Mapping[tuple[str, str], int], arms: Sequence[str]) -> list[tuple[TableCell, ...]]:
    words = dict.fromkeys(word for word, _ in counts)
    return [(f"{kind}: {word}" if kind else word, *(counts.get((word, arm), 0) for arm in arms)) for word in words]
