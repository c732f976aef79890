"""Deeds against words. In: effects; out: a picture of ΔCA against what the judge's score rose by, with the regions."""

from collections.abc import Iterator, Sequence
from math import hypot
from typing import Final, TypeAlias

from colosseum.evidence.signals import ENOUGH_POINTS, JUDGE
from colosseum.report.html.pictures.labels import LONGEST, Box, around, beside, legend
from colosseum.report.html.pictures.picture import Picture, Table, draw
from colosseum.report.html.pictures.scale import Scale, bottom_axis, left_axis, scale
from colosseum.report.html.pictures.shapes import Mark, Path, Rule, Shape, Text, signs
from colosseum.report.html.pictures.words import listed, quoted, shorten, signed
from colosseum.report.numbers import decimals
from colosseum.report.plots.effects import Effect, Effects

MOST_NAMED: Final = 10
"""Marks that are named where they are; the farthest from no effect first."""
MOST_MARKS: Final = 400
LEFT, RIGHT, TOP, BOTTOM = 44.0, 470.0, 28.0, 320.0
ROOM: Final = 0.3
"""Of the farthest, that either side of 0 has at least."""

FREE: Final = 0.5
"""Points, above and below all marks, for the regions' names."""
Seen: TypeAlias = tuple[float, float, Effect]
"""Where an arm lies at a point."""


def plane_picture(effects: Effects) -> Picture | str:
    """Every arm at every point that has both figures; a str is why there is none."""
    known = [
        (effect.advantage.value, effect.judged.value, effect)
        for effect in effects.all
        if effect.advantage.value is not None and effect.judged.value is not None
    ]
    if not known:
        return _why(effects)
    across, up = _scales(known)
    known.sort(key=lambda seen: -hypot(across(seen[0]) - across(0), up(seen[1]) - up(0)))
    names = _names(known[:MOST_MARKS], across, up, effects)
    shapes = [*_frame(across, up), *_marks(known[:MOST_MARKS], across, up, effects), *names]
    height = BOTTOM + 44
    if len(names) < len(known):
        look = signs((effects.control, *effects.arms), effects.control)
        marks, high = legend([(look[arm], arm) for arm in effects.arms], height)
        shapes, height = [*shapes, *marks], height + high + 4
    title = "Deeds against words: what CA rose by, and the judge's score"
    return draw("plane", title, _caption(known, effects), height=height, shapes=shapes, table=_table(effects))


def _why(effects: Effects) -> str:
    reasons = [
        effect.excluded or effect.nulls.get(JUDGE, "") or effect.judged.reason or effect.advantage.reason
        for effect in effects.all
        if effect.judged.value is None or effect.advantage.value is None
    ]
    return next((reason for reason in reasons if reason), "no arm can be compared with the control")


def _scales(known: Sequence[Seen]) -> tuple[Scale, Scale]:
    most = max(abs(x) for x, _, _ in known) or 1.0
    across = scale([x for x, _, _ in known], LEFT, RIGHT, within=(-ROOM * most, ROOM * most))
    rises = [y for _, y, _ in known]
    free = (min(0.0, *rises) - FREE, max(2 * ENOUGH_POINTS, *rises) + FREE)
    up = scale(rises, BOTTOM, TOP, within=free)
    return across, up


def _frame(across: Scale, up: Scale) -> Iterator[Shape]:
    """The regions of the published rule, by means alone."""
    zero, enough = across(0), up(ENOUGH_POINTS)
    yield Path(((zero, TOP), (RIGHT, TOP), (RIGHT, BOTTOM), (zero, BOTTOM)), "tint", closed=True)
    yield from bottom_axis(across, TOP, BOTTOM, "ΔCA: coalition advantage, treated − control", sign="+")
    yield from left_axis(up, LEFT, RIGHT, "Δ judge's score, points", sign="+")
    yield Rule(zero, TOP, zero, BOTTOM, "zero")
    yield Rule(LEFT, enough, RIGHT, enough, "zero", f"{ENOUGH_POINTS:g} point")
    if ENOUGH_POINTS not in up.ticks():
        yield Text(LEFT - 6, enough + 4, f"+{ENOUGH_POINTS:g}", "soft", "end")
    for x, anchor, words in ((LEFT + 4, "start", ("attempted", "none")), (RIGHT - 4, "end", ("direct", "hidden"))):
        yield Text(x, TOP + 14, words[0], "strong", anchor)
        yield Text(x, BOTTOM - 6, words[1], "strong", anchor)


CORNERS: Final = (
    Box(LEFT, TOP, LEFT + 72, TOP + 18), Box(RIGHT - 50, TOP, RIGHT, TOP + 18),
    Box(LEFT, BOTTOM - 20, LEFT + 44, BOTTOM), Box(RIGHT - 54, BOTTOM - 20, RIGHT, BOTTOM),
)  # fmt: skip
"""What the regions' names take up."""


def _marks(known: Sequence[Seen], across: Scale, up: Scale, effects: Effects) -> Iterator[Shape]:
    look = signs((effects.control, *effects.arms), effects.control)
    places = [(across(x), up(y)) for x, y, _ in known]
    for (x, y), (more, rose, effect) in zip(places, known, strict=True):
        where = f"{_name(effect, effects)}: ΔCA {signed(more, decimals([more]), sign='+')}"
        sign = look[effect.arm]
        yield Mark(x, y, sign.form, f"dot {sign.role}", 5, f"{where}, judge {signed(rose, 2, sign='+')}")


def _names(known: Sequence[Seen], across: Scale, up: Scale, effects: Effects) -> list[Shape]:
    """Beside marks, the farthest from no effect first, as far as they fit whole."""
    places = [(across(x), up(y)) for x, y, _ in known]
    fitting = [
        (place, name)
        for place, (_, _, effect) in zip(places, known, strict=True)
        if shorten(name := _name(effect, effects), LONGEST, 12) == name
    ][:MOST_NAMED]
    taken = [*CORNERS, *(around(x, y, 5) for x, y in places)]
    within = Box(LEFT, TOP, RIGHT, BOTTOM)
    found = beside([place for place, _ in fitting], [name for _, name in fitting], within=within, taken=taken, role="")
    return [text for text in found if text]


def _name(effect: Effect, effects: Effects) -> str:
    place = effects.sweep.place(effect.factors) if effects.sweep.values else ""
    return ", ".join(part for part in (effect.arm, place) if part)


def _caption(known: Sequence[Seen], effects: Effects) -> str:
    found: dict[str, list[str]] = {}
    for more, rose, effect in known:
        found.setdefault(_region(more, rose), []).append(quoted(_name(effect, effects)))
    words = [f"{listed(names)}: {region}" for region, names in found.items()]
    lost = len(effects.all) - len(known)
    parts = [f"By means alone, {'; '.join(words)}."]
    parts.append("Regions are those of the published rule; verdicts have intervals.")
    parts += [f"{lost} without both figures: {_why(effects)}."] if lost else []
    if len(known) > MOST_MARKS:
        parts.append(f"The {MOST_MARKS} farthest from no effect of {len(known):,} are drawn.")
    return " ".join(parts)


def _region(more: float, rose: float) -> str:
    if rose >= ENOUGH_POINTS:
        return "direct" if more > 0 else "attempted"
    return "hidden" if more > 0 else "none"


def _table(effects: Effects) -> Table:
    columns = ("point", "arm", "change of CA", "change of judge's score", "region", "reason")
    rows = []
    for effect in effects.all:
        place = effects.sweep.place(effect.factors) if effects.sweep.values else ""
        more, rose = effect.advantage.value, effect.judged.value
        region = None if more is None or rose is None else _region(more, rose)
        rows.append((place, effect.arm, more, rose, region, effect.advantage.reason or effect.judged.reason))
    return Table(columns, tuple(rows))
