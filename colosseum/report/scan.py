"""Whom to watch, as blocks. In: a scenario and a Scan; out: a ranked table, and who is in most of the first."""

from collections.abc import Iterator
from typing import Final

from colosseum.model.scenario import Scenario
from colosseum.optimum.questions.exposure import MEASURES, Exposure, Scan
from colosseum.report.document import Amount, Block, Definitions, Paragraph, Table, TableCell
from colosseum.report.numbers import decimals

MOST_NAMED: Final = 8
"""Agents that are named as the most frequent ones."""
MEANINGS: Final = (
    ("worst harm", "what the team loses if they do the worst that they can"),
    ("selfish harm", "what it loses if they do what is best for themselves"),
    ("temptation", "what they gain by that"),
)


def scan_blocks(scenario: Scenario, found: Scan, *, top: int) -> Iterator[Block]:
    """The first coalitions of the ranking, then who is in most of them."""
    yield Paragraph(f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name, "title")
    yield Paragraph(_looked_at(scenario, found))
    if found.reason:
        yield Paragraph(found.reason)
        return
    ranked_by = f"ranked by {found.by.replace('_', ' ')}"
    yield scan_table(found, found.ranking[:top], ranked_by)
    if top < len(found.ranking):
        yield Paragraph(f"… and {len(found.ranking) - top:,} more (--top N shows more, --json lists all)")
    aims = [each.coalition for each in found.ranking[:top] if each.coalition.objectives]
    for coalition in aims:
        names = ", ".join(objective.name for objective in coalition.objectives)
        yield Paragraph(f"what is best for {coalition.name} is its objective ({names}), for others what they earn")
    if 2 <= top < len(found.ranking):
        often = list(found.most_often(top).items())[:MOST_NAMED]
        words = ", ".join(f"{agent} {times}" for agent, times in often)
        yield Definitions(((f"most often among these {top}", words),))


def _looked_at(scenario: Scenario, found: Scan) -> str:
    of = f"coalitions of {found.size} of {len(scenario.task.agents)} agents"
    if found.sampled:
        return f"seed {scenario.seed}, {len(found.ranking):,} {of}, drawn from {found.total:,}"
    return f"seed {scenario.seed}, all {found.total:,} {of}"


def scan_table(found: Scan, shown: tuple[Exposure, ...], ranked_by: str) -> Table:
    """A row a coalition."""
    places = {measure: decimals([each.by(measure) for each in shown], digits=3) for measure in MEASURES}
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            str(rank), ", ".join(each.coalition.members) + (f" ({each.coalition.name})" if each.coalition.name else ""),
            *(Amount(each.by(m), places[m], note=each.reasons.get(m, "")) for m in MEASURES),
        )
        for rank, each in zip(found.ranks, shown, strict=False)
    )  # fmt: skip
    title = f"What the members alone could do while everybody else decides as at the optimum, {ranked_by}"
    return Table("scan", title, ("rank", "coalition", *(name for name, _ in MEANINGS)), rows, MEANINGS)
