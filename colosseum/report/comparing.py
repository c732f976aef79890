"""Campaigns side by side, as a page. In: a SideBySide; out: a leaderboard and the contrasts behind it."""

from collections.abc import Iterator

from colosseum.campaign.margins import ENOUGH_ALIKE
from colosseum.evidence.comparing import SideBySide
from colosseum.report.cells import amount, change, described
from colosseum.report.document import Block, Paragraph


def comparison_blocks(found: SideBySide) -> Iterator[Block]:
    """What members cost the others in each campaign, and which campaigns can be told apart."""
    scenarios = tuple(dict.fromkeys(each.scenario for each in found.arms))
    rows = [
        (", ".join(filter(None, (each.folder.name, each.model, each.arm, each.point))),
         *(change(each.effect) if each.scenario == s else None for s in scenarios), each.reading or "")
        for each in found.arms
    ]
    if rows:
        yield described("compare", rows, scenarios)
    for folder in found.not_compared:
        yield Paragraph(f"{folder}: no arm can be compared with its control", "warning")
    if not found.contrasts:
        yield Paragraph("No arm stands in two campaigns at one sweep point, so none is ranked above another.")
        return
    contrasts = (
        (f"{each.first.arm}: {each.first.folder.name} − {each.second.folder.name}", change(each.difference),
         each.difference.n, amount(each.adjusted_p, 3),
         "distinguishable" if each.distinguishable else "not distinguishable" if each.difference.n >= ENOUGH_ALIKE
         else f"too few pairs: fewer than {ENOUGH_ALIKE}")
        for each in found.contrasts
    )  # fmt: skip
    yield described("contrasts", contrasts)
