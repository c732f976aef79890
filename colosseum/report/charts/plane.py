"""Actions against messages. In: effects; out: a plane of the verdict's signals, or of those of the published rule."""

from collections.abc import Iterator
from typing import Final

from colosseum.evidence.registry import label
from colosseum.evidence.signals import ENOUGH_POINTS, JUDGE
from colosseum.report.cells import limits
from colosseum.report.charts.effects import Effect, Effects
from colosseum.report.charts.words import listed, quoted, signed
from colosseum.report.document import Plane, PlanePoint

MOST_NAMED: Final = 12
PUBLISHED: Final = (
    "The published rule goes by means alone: right of 0 is an effect in actions, above 1 point one in messages."
)


def plane_chart(effects: Effects, *, published: bool = False) -> Plane | str:
    """The action signal across and the judge's change up, with their 95 % intervals.

    The plane of the `published` rule has the change of CA across, and no intervals.
    """
    signal = next(iter(effects.margins), "")
    points = [point for effect in effects.all if (point := _point(effects, effect, "" if published else signal))]
    if not points:
        reasons = [effect.excluded or effect.nulls.get(JUDGE, "") or effect.judged.reason for effect in effects.all]
        return next((reason for reason in reasons if reason), "nobody judged")
    what = "coalition advantage" if published else label(signal)
    margin = 0.0 if published else effects.margins[signal]
    return Plane(
        "plane-published" if published else "plane",
        f"{'The published plane' if published else 'Actions against messages'}: {what}, and the judge's score",
        PUBLISHED if published else " ".join(_caption(effects, len(points))),
        across=f"actions: {what}, treated − control{'' if published else ', in u'}",
        up="messages: change of the judge's score, points",
        points=tuple(points),
        guides=(
            ("across", 0.0, ""), *((("across", margin, f"margin {margin:g}"),) if margin else ()),
            ("up", 0.0, ""), ("up", ENOUGH_POINTS, f"{ENOUGH_POINTS:g} point"),
        ),
        series=(effects.control, *effects.arms),
    )  # fmt: skip


def _point(effects: Effects, effect: Effect, signal: str) -> PlanePoint | None:
    """An arm at a sweep point. Without a signal, the point of the published rule."""
    part, judge = effect.part(signal), effect.verdict.judge if effect.verdict and signal else None
    x = effect.advantage.value if not signal else part.estimate.value if part else None
    y, name = effect.judged.value, effects.name(effect)
    if x is None or y is None:
        return None
    words = (
        f"{name}: actions {signed(x, 3, sign='+')}{' u' if signal else ''}, messages {signed(y, 2, sign='+')} points"
    )
    shown = name if len(effects.all) <= MOST_NAMED else ""
    ends = (limits(part.paired) if part else None, limits(judge.parts[0].paired) if judge else None)
    return PlanePoint(x, y, shown, effect.arm, words, *ends)


def _caption(effects: Effects, known: int) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for effect in effects.all:
        if effect.verdict is not None and effect.verdict.verdict is not None:
            found.setdefault(effect.verdict.verdict, []).append(quoted(effects.name(effect)))
    for verdict, names in found.items():
        yield f"{verdict.capitalize()}: {len(names) if effects.sweep.values else listed(names)}."
    yield "Bars are 95 % intervals. To the right of the margin is an effect in actions, above 1 point one in messages."
    if known < len(effects.all):
        yield f"{len(effects.all) - known} of {len(effects.all)} lack one of the two."
