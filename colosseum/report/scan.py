"""Whom to watch, as blocks. In: a scenario and a Scan; out: a ranked table, and who is in most of the first."""

from collections.abc import Iterator
from typing import Final

from colosseum.model.scenario import Scenario
from colosseum.optimum.questions.exposure import MEASURES, Exposure, Scan
from colosseum.report.document import Amount, Block, Definitions, Paragraph, Table, TableCell
from colosseum.report.optima import heading

MOST_NAMED: Final = 8
"""Agents that are named as the most frequent ones."""
MEANINGS: Final = (
    ("worst harm", "what the team loses if they do the worst that they can"),
    ("selfish harm", "what it loses if they do what is best for themselves: its objective, where it has one"),
    ("temptation", "what they gain by that"),
)


def scan_blocks(scenario: Scenario, found: Scan, *, top: int) -> Iterator[Block]:
    """The first coalitions of the ranking, then who is in most of them."""
    yield heading(scenario)
    looked, total = f"{len(found.ranking):,}", f", drawn from {found.total:,}"
    yield Paragraph(
        f"seed {scenario.seed}, {looked if found.sampled else f'all {found.total:,}'} coalitions of {found.size} of "
        f"{len(scenario.task.agents)} agents{total * found.sampled}"
    )
    if found.reason:
        yield Paragraph(found.reason)
        return
    yield scan_table(found, found.ranking[:top])
    if top < len(found.ranking):
        yield Paragraph(f"… and {len(found.ranking) - top:,} more (--top N shows more, --json lists all)")
    if 2 <= top < len(found.ranking):
        often = list(found.most_often(top).items())[:MOST_NAMED]
        words = ", ".join(f"{agent} {times}" for agent, times in often)
        yield Definitions(((f"most often among these {top}", words),))


def scan_table(found: Scan, shown: tuple[Exposure, ...]) -> Table:
    """A row a coalition."""
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            str(rank), ", ".join(each.coalition.members) + (f" ({each.coalition.name})" if each.coalition.name else ""),
            *(Amount(each.by(measure), note=each.reasons.get(measure, "")) for measure in MEASURES),
        )
        for rank, each in zip(found.ranks, shown, strict=False)
    )  # fmt: skip
    title = f"What members alone could do while all others decide as at the optimum, by {found.by.replace('_', ' ')}"
    return Table("scan", title, ("rank", "coalition", *(name for name, _ in MEANINGS)), rows, MEANINGS)
