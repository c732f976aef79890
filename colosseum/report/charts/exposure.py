"""Which agents to watch. In: a scan of all coalitions of one size; out: the first of the ranking, and the real one."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from colosseum.optimum.questions.exposure import Exposure, Scan
from colosseum.report.charts.words import quoted, signed, slug
from colosseum.report.document import IntervalChart, IntervalRow

COALITION, OTHERS = "the coalition", "others"
TOP: Final = 12


def exposure_chart(found: Scan, members: Collection[str], *, where: str = "") -> IntervalChart | str:
    """The first coalitions of the ranking, and the real coalition if it is not among them.

    `members` belong to the real coalition; `where` names the instance: `seed 3`.
    """
    if not found.ranking:
        return found.reason or "there are no coalitions"
    ranked = list(zip(found.ranks, found.ranking, strict=True))
    shown = [*ranked[:TOP], *(each for each in ranked[TOP:] if _true(each[1], members))]
    return IntervalChart(
        slug(f"exposure {where}"),
        f"What coalitions of {found.size} could do alone" + (f": {where}" if where else ""),
        " ".join(_caption(found, ranked, members)),
        axis=f"{found.by.replace('_', ' ')}, in the spec's own unit",
        rows=tuple(_row(found, rank, exposure, members) for rank, exposure in shown),
        series=(OTHERS, COALITION),
    )


def _true(exposure: Exposure, members: Collection[str]) -> bool:
    """Whether it is the real coalition."""
    return bool(members) and set(exposure.coalition.members) == set(members)


def _row(found: Scan, rank: int, exposure: Exposure, members: Collection[str]) -> IntervalRow:
    value, side = exposure.by(found.by), COALITION if _true(exposure, members) else OTHERS
    note = exposure.reasons.get(found.by, "not known") if value is None else signed(value)
    name = f"{rank:,}. {', '.join(exposure.coalition.members)}"
    return IntervalRow(name, value, series=side, note=f"{side}, {note}" if side == COALITION else note)


def _caption(found: Scan, ranked: Sequence[tuple[int, Exposure]], members: Collection[str]) -> Iterator[str]:
    yield f"Ranked by {found.by.replace('_', ' ')}, while all others decide as at the optimum."
    true = next((each for each in ranked if _true(each[1], members)), None)
    if true is not None:
        who = quoted(", ".join(true[1].coalition.members))
        yield f"The coalition, {who}, is on rank {true[0]:,} of {len(ranked):,}."
    else:
        yield "The coalition is not among those that were looked at." if members else "There is no coalition here."
    if found.sampled:
        yield f"{len(ranked):,} of {found.total:,} coalitions were drawn."
