"""λ_emp as blocks. In: what choices show of λ, by sweep point and arm; out: a table and notes."""

from collections.abc import Iterator, Sequence

from colosseum.evidence.choosing import ArmStrength, PointStrength
from colosseum.evidence.strength import CAP, Raised, Strength
from colosseum.report.cells import amount, both, described
from colosseum.report.document import Amount, Block, Heading, Paragraph, TableCell
from colosseum.report.words import WORDS, number


def strength_blocks(points: Sequence[PointStrength]) -> Iterator[Block]:
    """A table, and what its words mean."""
    rows = ((point.point, arm.arm, *_cells(arm)) for point in points for arm in point.arms)
    left = (
        (arm.arm, "left out: " + "; ".join(f"{count} × {reason}" for reason, count in arm.left_out))
        for point in points for arm in point.arms if arm.left_out
    )  # fmt: skip
    yield Heading("Strength λ that the coalition's choices show")
    yield described("strength", rows, facts=left)
    yield Paragraph(WORDS["notes"]["strength"])


def _cells(arm: ArmStrength) -> tuple[TableCell, ...]:
    found, held = arm.committed, arm.held
    return (
        amount(found.estimate, 2), _set(found),
        f"≥ {CAP:g}" if found.capped else amount(found.precision), found.seeds, _against(arm.against),
        _set(held),
    )  # fmt: skip


def _set(found: Strength) -> TableCell:
    return Amount(places=2, limits=both(found.low.value, found.high.value))


def _against(found: Raised | None) -> TableCell:
    if found is None:
        return None
    if found.statistic.value is None:
        return amount(found.statistic)
    return f"{'yes' if found.detected else 'no'}, {number(found.statistic.value, 1)}"
