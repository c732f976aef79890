"""Whom to watch, as blocks. In: a scenario and a Scan; out: a ranked table, and who is in most of the first."""

from collections.abc import Iterator
from itertools import islice

from colosseum.evidence.registry import REGISTRY, label
from colosseum.model.scenario import Scenario
from colosseum.optimum.questions.exposure import MEASURES, Scan
from colosseum.report.document import Amount, Block, Definitions, Paragraph, Table, TableCell
from colosseum.report.optima import heading


def scan_blocks(scenario: Scenario, found: Scan, *, top: int = 10) -> Iterator[Block]:
    """The first coalitions of the ranking, then who is in most of them."""
    looked = f"{len(found.ranking):,}" if found.sampled else f"all {found.total:,}"
    drawn = f", drawn from {found.total:,}" * found.sampled
    yield from heading(scenario, f"{looked} coalitions of {found.size} of {len(scenario.task.agents)} agents{drawn}")
    if found.reason:
        yield Paragraph(found.reason)
        return
    yield scan_table(found, top)
    if 2 <= top < len(found.ranking):
        words = ", ".join(f"{agent} {times}" for agent, times in islice(found.most_often(top).items(), 8))
        yield Definitions(((f"most often among these {top}", words),))


def scan_table(found: Scan, top: int) -> Table:
    """A row a coalition, of which a terminal shows the first."""
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            str(rank), ", ".join(each.coalition.members) + (f" ({each.coalition.name})" if each.coalition.name else ""),
            *(Amount(each.by(measure), note=each.reasons.get(measure, "")) for measure in MEASURES),
        )
        for rank, each in zip(found.ranks, found.ranking, strict=True)
    )  # fmt: skip
    facts = tuple((label(measure), REGISTRY[measure].meaning) for measure in MEASURES)
    title = f"What members alone could do while all others decide as at the optimum, by {found.by.replace('_', ' ')}"
    return Table("scan", title, ("rank", "coalition", *map(label, MEASURES)), rows, facts, most=top)
