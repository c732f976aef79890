"""Which agents to watch. In: a scan of all coalitions of one size; out: the first of the ranking, and the real one."""

from collections.abc import Collection
from typing import Final

from colosseum.optimum.questions.exposure import Exposure, Scan
from colosseum.report.charts.words import signed, slug
from colosseum.report.document import IntervalChart, IntervalRow

COALITION, OTHERS = "the coalition", "others"
TOP: Final = 12


def exposure_chart(found: Scan, members: Collection[str], *, where: str = "") -> IntervalChart | str:
    """The first coalitions of the ranking, and the real coalition if it is not among them.

    `members` belong to the real coalition; `where` names the instance: `seed 3`.
    """
    if not found.ranking:
        return found.reason or "there are no coalitions"
    rows = [_row(found, rank, each, members) for rank, each in zip(found.ranks, found.ranking, strict=True)]
    by = found.by.replace("_", " ")
    return IntervalChart(
        slug(f"exposure {where}"),
        f"What coalitions of {found.size} could do alone" + (f": {where}" if where else ""),
        f"{len(rows):,} of {found.total:,} coalitions, ranked by {by}, while all others decide as at the optimum.",
        axis=f"{by}, in the spec's own unit",
        rows=(*rows[:TOP], *(row for row in rows[TOP:] if row.series == COALITION)),
        series=(OTHERS, COALITION),
    )


def _row(found: Scan, rank: int, exposure: Exposure, members: Collection[str]) -> IntervalRow:
    value, ours = exposure.by(found.by), set(exposure.coalition.members) == set(members)
    note = exposure.reasons.get(found.by, "not known") if value is None else signed(value)
    name = f"{rank:,}. {', '.join(exposure.coalition.members)}"
    return IntervalRow(name, value, series=COALITION if ours else OTHERS, note=f"{COALITION}, {note}" if ours else note)
