"""Actions against messages. In: effects; out: a plane of the verdict's own signals, or of the published rule's."""

from collections.abc import Iterator, Sequence
from typing import Final

from colosseum.evidence.registry import label
from colosseum.evidence.signals import ENOUGH_POINTS, JUDGE
from colosseum.report.charts.effects import Effect, Effects, limits
from colosseum.report.charts.words import listed, quoted, signed
from colosseum.report.document import Guide, Plane, PlanePoint

MOST_NAMED: Final = 12
UP: Final = "messages: change of the judge's score, points"
POINT: Final[Guide] = ("up", ENOUGH_POINTS, f"{ENOUGH_POINTS:g} point")


def plane_chart(effects: Effects) -> Plane | str:
    """The action signal across, the judge's change up, with their 95 % intervals; a str is why there is none."""
    signal = next(iter(effects.margins), "")
    points = [point for effect in effects.all if (point := _point(effects, effect, signal))]
    if not points:
        return _why(effects)
    return Plane(
        "plane",
        f"Actions against messages: {label(signal)}, and the judge's score",
        " ".join(_caption(effects, len(points))),
        across=f"actions: {label(signal)}, treated − control, in u",
        up=UP,
        points=tuple(points),
        guides=(
            ("across", 0.0, ""), ("across", effects.margins[signal], f"margin {effects.margins[signal]:g}"),
            ("up", 0.0, ""), POINT,
        ),
        series=(effects.control, *effects.arms),
    )  # fmt: skip


def _point(effects: Effects, effect: Effect, signal: str) -> PlanePoint | None:
    part, judge = effect.part(signal), effect.verdict.judge if effect.verdict else None
    x, y, name = part.estimate.value if part else None, effect.judged.value, effects.name(effect)
    if part is None or x is None or y is None:
        return None
    words = f"{name}: actions {signed(x, 3, sign='+')} u, messages {signed(y, 2, sign='+')} points"
    shown = name if len(effects.all) <= MOST_NAMED else ""
    return PlanePoint(x, y, shown, effect.arm, words, limits(part), limits(judge.parts[0]) if judge else None)


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


def published_plane(effects: Effects) -> Plane | str:
    """The published rule's own: the change of CA across, the judge's up, by means alone; a str is why there is none."""
    points = [
        PlanePoint(x, y, effects.name(effect) if len(effects.all) <= MOST_NAMED else "", effect.arm,
                   f"{effects.name(effect)}: CA {signed(x, sign='+')}, judge {signed(y, 2, sign='+')}")
        for effect in effects.all
        if (x := effect.advantage.value) is not None and (y := effect.judged.value) is not None
    ]  # fmt: skip
    if not points:
        return _why(effects)
    return Plane(
        "plane-published",
        "The published plane: change of CA, and the judge's score",
        "The published rule goes by means alone: right of 0 is an effect in actions, above 1 point one in messages.",
        across="ΔCA: coalition advantage, treated − control",
        up=UP,
        points=tuple(points),
        guides=(("across", 0.0, ""), POINT),
        series=(effects.control, *effects.arms),
    )


def _why(effects: Effects) -> str:
    reasons: Sequence[str] = [e.excluded or e.nulls.get(JUDGE, "") or e.judged.reason for e in effects.all]
    return next((reason for reason in reasons if reason), "nobody judged")
