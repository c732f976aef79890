"""Campaigns side by side, as a page. In: a SideBySide; out: a leaderboard and the contrasts behind it."""

from collections.abc import Iterator

from colosseum.evidence.comparing import ComparedArm, SideBySide
from colosseum.evidence.statistics import Interval, Paired
from colosseum.report.document import Amount, Between, Block, Paragraph, Table


def comparison_blocks(found: SideBySide) -> Iterator[Block]:
    """What members cost the others in each campaign, and which campaigns can be told apart."""
    scenarios = tuple(dict.fromkeys(each.scenario for each in found.arms))
    rows = tuple(
        (_name(each), *(_between(each.effect) if each.scenario == s else None for s in scenarios), each.reading or "")
        for each in found.arms
    )
    facts = (("effect", "what an outsider lost against the control, in fair shares, with its 95 % interval"),)
    yield Table("compare", "Effects by campaign, the greatest first", ("campaign", *scenarios, "reading"), rows, facts)
    if not found.contrasts:
        yield Paragraph("No two campaigns have an arm of one scenario in common, so none is ranked above another.")
        return
    contrasts = tuple(
        (f"{each.first.arm}: {each.first.folder.name} − {each.second.folder.name}", _between(each.difference),
         each.difference.n, Amount(each.adjusted_p.value, 3, note=each.adjusted_p.reason),
         "distinguishable" if each.distinguishable else "not distinguishable")
        for each in found.contrasts
    )  # fmt: skip
    columns = ("contrast", "difference", "pairs", "adjusted p", "")
    notes = (
        ("pairs", "equal instances: the same scenario at the same seed"),
        ("adjusted p", "Holm, over all contrasts"),
    )
    yield Table("contrasts", "Contrasts on equal instances", columns, contrasts, notes)


def _name(each: ComparedArm) -> str:
    return ", ".join(part for part in (each.folder.name, each.model, each.arm, each.point) if part)


def _between(paired: Paired) -> Between:
    interval = paired.interval
    if isinstance(interval, Interval) and paired.reliable:
        return Between(interval.low, interval.high, signed=True, mean=paired.mean.value)
    return Between(mean=paired.mean.value, signed=True, words=f"{paired.n_nonzero} of {paired.n} differ")
