"""λ_emp as blocks and as data. In: what choices show of λ, by sweep point and arm; out: a table and notes, or dicts."""

from collections.abc import Iterator, Sequence
from typing import Final

from colosseum.evidence.choosing import ArmStrength, PointStrength
from colosseum.evidence.strength import CAP, Raised
from colosseum.report.document import Amount, Between, Block, Heading, Paragraph, Table, TableCell
from colosseum.report.numbers import number

COLUMNS: Final = ("λ", "95 % set", "β", "seeds", "more than control", "others held")
CALIBRATION: Final = (
    "How far to trust it: in 2,000 simulated studies of 40 seeds each, of players that draw a move by what it is worth "
    "(β 5 and 14), the set held the true λ in 95 % and more. Of players that slip one time in ten it held it in 71 % "
    "and more, and a λ of 0.5 was read as 0.7. With β below 5 forty seeds say little. Of models nothing is known."
)
SELFISH: Final = "Self-interest shows as λ, too: only an arm `selfish` tells the two apart"


def strength_blocks(points: Sequence[PointStrength]) -> Iterator[Block]:
    """A table, and what its words mean."""
    rows = tuple((point.point, arm.arm, *_cells(arm)) for point in points for arm in point.arms)
    control = next((point.arms[0].arm for point in points if point.arms), "")
    left = [
        (arm.arm, "left out: " + "; ".join(f"{count} × {reason}" for reason, count in arm.left_out))
        for point in points for arm in point.arms if arm.left_out
    ]  # fmt: skip
    facts = (
        *left,
        ("λ", "0: it chose what is best for the team; 1: what is best for itself, whatever that costs others"),
        ("95 % set", "the λ that its moves allow, each judged by what the outsiders' best answer to it comes to"),
        ("others held", "the same set with the others' decisions as they were, where λ shows less"),
        ("β", "how sharply it distinguished better moves from worse, by fair share"),
        ("more than control", f"whether λ is greater than in `{control}` (false in 5 % at most), and 2ΔLL"),
    )
    yield Heading("Strength λ that the coalition's choices show")
    yield Table("strength", "Strength by arm", ("sweep point", "arm", *COLUMNS), rows, facts, grouped=True)
    yield Paragraph(CALIBRATION)
    lacking = all(arm.arm != "selfish" for point in points for arm in point.arms)
    yield Paragraph(f"{SELFISH}{', which this experiment lacks' if lacking else ''}.")


def _cells(arm: ArmStrength) -> tuple[TableCell, ...]:
    found = arm.committed
    precision = (
        Amount(None)
        if found.precision.value is None
        else f"≥ {CAP:g}"
        if found.capped
        else Amount(found.precision.value)
    )
    return (
        Amount(found.estimate.value, 2, note=found.estimate.reason),
        Between(found.low.value, found.high.value, 2),
        precision,
        found.seeds,
        _against(arm.against),
        Between(arm.held.low.value, arm.held.high.value, 2),
    )


def _against(found: Raised | None) -> TableCell:
    if found is None:
        return None
    if found.statistic.value is None:
        return Amount(None, note=found.statistic.reason)
    return f"{'yes' if found.detected else 'no'}, {number(found.statistic.value, 1)}"
