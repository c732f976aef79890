"""λ_emp as blocks. In: what choices show of λ, by sweep point and arm; out: a table and notes."""

from collections.abc import Iterator, Sequence
from typing import Final

from colosseum.evidence.choosing import ArmStrength, PointStrength
from colosseum.evidence.strength import CAP, Raised, Strength
from colosseum.report.cells import amount, both
from colosseum.report.document import Amount, Block, Heading, Paragraph, Table, TableCell
from colosseum.report.words import number

COLUMNS: Final = ("λ", "95 % set", "β", "seeds", "more than control", "others held")
FACTS: Final = (
    ("λ", "0: it chose what is best for the team; 1: what is best for itself, whatever that costs others"),
    ("95 % set", "the λ that its moves allow, each judged by what the outsiders' best answer to it comes to"),
    ("others held", "the same set with the others' decisions as they were, where λ shows less"),
    ("β", "how sharply it distinguished better moves from worse, by fair share"),
    ("more than control", "whether λ is greater than in the control (false in 5 % at most), and 2ΔLL"),
)
CALIBRATION: Final = (
    "In 2,000 simulated studies of 40 seeds the set held the true λ in 95 % and more; of players that slip one time "
    "in ten in 71 % and more. With β below 5 forty seeds say little. Of models nothing is known. Self-interest shows "
    "as λ, too: only an arm `selfish` tells the two apart."
)


def strength_blocks(points: Sequence[PointStrength]) -> Iterator[Block]:
    """A table, and what its words mean."""
    rows = tuple((point.point, arm.arm, *_cells(arm)) for point in points for arm in point.arms)
    left = tuple(
        (arm.arm, "left out: " + "; ".join(f"{count} × {reason}" for reason, count in arm.left_out))
        for point in points for arm in point.arms if arm.left_out
    )  # fmt: skip
    columns = ("sweep point", "arm", *COLUMNS)
    yield Heading("Strength λ that the coalition's choices show")
    yield Table("strength", "Strength by arm", columns, rows, (*left, *FACTS), grouped=True)
    yield Paragraph(CALIBRATION)


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
