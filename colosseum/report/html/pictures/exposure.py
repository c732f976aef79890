"""Whom to watch. In: a scan of all coalitions of a size; out: a picture of the first, and of the one that there is."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from colosseum.optimum.questions.exposure import MEASURES, Exposure, Measure, Scan
from colosseum.report.html.pictures.picture import WIDTH, Picture, Table, draw
from colosseum.report.html.pictures.scale import Scale, scale, tick_words
from colosseum.report.html.pictures.shapes import Mark, Rule, Shape, Text
from colosseum.report.html.pictures.words import name_at, quoted, shorten, signed, width_of
from colosseum.report.numbers import decimals

TITLES: Final[dict[Measure, str]] = {
    "worst_harm": "worst harm", "selfish_harm": "selfish harm", "temptation": "temptation",
}  # fmt: skip
FORMS: Final[dict[Measure, str]] = {"worst_harm": "square", "selfish_harm": "circle", "temptation": "triangle"}
ROW, TOP, LEFT, GAP = 24.0, 44.0, 44.0, 14.0
MOST_NAME: Final = 164.0
"""Pixels of a coalition's name."""
NAMED: Final = 60.0
"""Of the word above them."""


@dataclass(frozen=True)
class _Row:
    """A coalition and its place."""

    rank: int
    exposure: Exposure
    true: bool
    """Whether it is the coalition that there is."""


def exposure_picture(found: Scan, members: Collection[str], *, top: int = 12, where: str = "") -> Picture | str:
    """The first coalitions of a ranking, then the one that there is if it is none of them; a str is why there is none.

    `members` are those of the coalition, none where there is none; `where` names the instance: `seed 3`.
    """
    if not found.ranking:
        return found.reason or "there are no coalitions"
    rows = [
        _Row(rank, exposure, bool(members) and set(exposure.coalition.members) == set(members))
        for rank, exposure in zip(found.ranks, found.ranking, strict=True)
    ]
    shown = rows[:top]
    shown += [row for row in rows[top:] if row.true]
    title = f"What coalitions of {found.size} could do alone" + (f": {shorten(where, 300)}" if where else "")
    return draw(
        f"exposure-{where}" if where else "exposure", title, _caption(found, rows, members),
        height=TOP + ROW * len(shown) + (ROW / 2 if len(shown) > top else 0) + 26,
        shapes=list(_shapes(shown, top)), table=_table(rows),
    )  # fmt: skip


def _shapes(rows: Sequence[_Row], top: int) -> Iterator[Shape]:
    names = min(MOST_NAME, max(NAMED, *(width_of(_name(row), bold=row.true) for row in rows)))
    wide = (WIDTH - LEFT - names - 3 * GAP) / 3
    bottom = TOP + ROW * len(rows) + (ROW / 2 if len(rows) > top else 0)
    scales: dict[Measure, Scale] = {}
    for place, measure in enumerate(MEASURES):
        start = LEFT + names + GAP + place * (wide + GAP)
        values = [value for row in rows if (value := row.exposure.by(measure)) is not None]
        yield Text(start, 14, TITLES[measure], "small")
        if values:
            scales[measure] = scale(values, start, start + wide - 6, within=(0.0,))
            yield from _axis(scales[measure], bottom)
        else:
            yield Text(start, TOP - 10, "not known", "soft")
    yield Text(LEFT - 8, 14, "rank", "soft", "end")
    yield Text(LEFT, 14, "members", "soft")
    for place, row in enumerate(rows):
        y = TOP + ROW * place + ROW / 2 + (ROW / 2 if place >= top else 0)
        yield from _row(row, scales, y, names)
    if len(rows) > top:
        yield Text(LEFT - 14, TOP + ROW * top + 9, "⋮", "soft")


def _axis(across: Scale, bottom: float) -> Iterator[Shape]:
    ticks = across.ticks(2)
    for tick, word in zip(ticks, tick_words(ticks), strict=True):
        yield Rule(across(tick), TOP - 4, across(tick), bottom, "zero" if not tick else "grid")
        yield Text(across(tick), TOP - 10, word, "soft", "middle")


def _row(row: _Row, scales: dict[Measure, Scale], y: float, room: float) -> Iterator[Shape]:
    exposure = row.exposure
    coalition = exposure.coalition
    if row.true:
        yield Mark(7, y, "diamond", "member", 4, "the coalition")
    yield Text(LEFT - 8, y + 4, f"{row.rank:,}", "strong" if row.true else "soft", "end")
    yield name_at(LEFT, y + 4, _name(row), room + 1, role="strong" if row.true else "")
    for measure, across in scales.items():
        value = exposure.by(measure)
        if value is None:
            yield Text(across(0.0) + 4, y + 4, "–", "soft", whole=exposure.reasons.get(measure, ""))
            continue
        title = f"{', '.join(coalition.members)}: {TITLES[measure]} {signed(value, decimals([value], digits=3))}"
        yield Rule(across(0.0), y, across(value), y, "up" if row.true else "stem", title)
        yield Mark(across(value), y, FORMS[measure], "up" if row.true else "", 4, title)


def _name(row: _Row) -> str:
    return ", ".join(row.exposure.coalition.members)


def _caption(found: Scan, rows: Sequence[_Row], members: Collection[str]) -> str:
    by = TITLES[found.by]
    parts = [f"Ranked by {by}, all others deciding as at the optimum."]
    true = next((row for row in rows if row.true), None)
    if true is not None:
        parts.append(f"The coalition, {quoted(', '.join(true.exposure.coalition.members))}, is on rank "
                     f"{true.rank:,} of {len(rows):,}.")  # fmt: skip
    elif members:
        parts.append("The coalition is not among those that were looked at.")
    else:
        parts.append("There is no coalition here.")
    if found.sampled:
        parts.append(f"{len(rows):,} of {found.total:,} coalitions were drawn.")
    reasons = dict.fromkeys(reason for row in rows for reason in row.exposure.reasons.values())
    parts += [f"A dash: {shorten(reason, 2000)}." for reason in list(reasons)[:2]]
    return " ".join(parts)


def _table(rows: Sequence[_Row]) -> Table:
    columns = ("rank", "coalition", "members", *(TITLES[measure] for measure in MEASURES), "is the coalition")
    return Table(
        columns,
        tuple(
            (row.rank, row.exposure.coalition.name, ", ".join(row.exposure.coalition.members),
             *(row.exposure.by(measure) for measure in MEASURES), "yes" if row.true else "no")
            for row in rows
        ),
    )  # fmt: skip
