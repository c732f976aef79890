"""Deeds against words. In: effects; out: ΔCA against what the judge's score rose by, with the verdicts' regions.

The regions are those of the published rule, which goes by means alone; arms that lie at one place share a mark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Final

from colosseum.evidence.signals import ENOUGH_POINTS
from colosseum.report.canvas import Canvas
from colosseum.report.chart import Axis, Drawing, canvas_width, chart, ticks
from colosseum.report.numbers import decimals, number
from colosseum.report.plots.effects import Effect, Effects

SIGNS: Final = "123456789"
"""Marks the places that are farthest from no effect at all."""
BEYOND: Final = "o"
"""Marks the others."""
CORNERS: Final = ("attempted", "direct", "none", "hidden")
HEIGHT: Final = 9
MOST_LISTED: Final = 12
"""Arms and points that a mark lists; of more it says how many."""
LEAST_SHARE: Final = 0.3
"""Of the axis, for either side of 0."""


Seen = tuple[float, float, Effect]
"""Where an arm lies at a point."""


@dataclass(frozen=True)
class Plane:
    """The chart, and who is at which mark."""

    rows: list[str]
    legend: list[tuple[str, str]]


def plane(effects: Effects, *, width: int, ascii_only: bool) -> Plane | None:
    """Every arm at every point that has both figures; None where there is none."""
    known = [
        (effect.advantage.value, effect.judged.value, effect)
        for effect in effects.all
        if effect.advantage.value is not None and effect.judged.value is not None
    ]
    if not known:
        return None
    across = _axis("coalition advantage (CA), treated − control", [x for x, _, _ in known], 0.0)
    up = _up([y for _, y, _ in known])
    groups = _groups(known, across, up, Canvas(canvas_width(up, width), HEIGHT))
    named, rest = groups[: len(SIGNS)], groups[len(SIGNS) :]
    signs = [*SIGNS[: len(named)], *(BEYOND for _ in rest)]
    marked = [(group[0][0], group[0][1], sign) for sign, group in zip(signs, groups, strict=True)]
    drawing = Drawing(across, up, alone=marked, uprights=(0.0,), levels=(ENOUGH_POINTS,), corners=CORNERS)
    legend = [
        (sign, _words(effects, [effect for _, _, effect in group])) for sign, group in zip(SIGNS, named, strict=False)
    ]
    legend += [(BEYOND, f"{sum(map(len, rest))} others, with less of both")] if rest else []
    return Plane(chart(drawing, width=width, ascii_only=ascii_only, height=HEIGHT), legend)


def _groups(known: Sequence[Seen], across: Axis, up: Axis, canvas: Canvas) -> list[list[Seen]]:
    """Those at one place together, the farthest from no effect first."""
    found: dict[tuple[int, int], list[Seen]] = {}
    for x, y, effect in known:
        found.setdefault(canvas.cell((across.share(x), up.share(y))), []).append((x, y, effect))

    def distance(group: list[Seen]) -> float:
        x, y, _ = group[0]
        return hypot(across.share(x) - across.share(0.0), up.share(y) - up.share(0.0))

    return sorted(found.values(), key=distance, reverse=True)


def _axis(name: str, values: Sequence[float], middle: float) -> Axis:
    """With room on both sides of the middle."""
    most = max((abs(value - middle) for value in values), default=0.0) or 1.0
    low, high = (pick(*values, middle + way * LEAST_SHARE * most) for pick, way in ((min, -1), (max, 1)))
    places = decimals([low, high])
    return Axis(name, low, high, ticks((0.0, "0"), *((end, number(end, places, sign="+")) for end in (high, low))))


def _up(values: Sequence[float]) -> Axis:
    low, high = min(0.0, *values), max(2 * ENOUGH_POINTS, *values)
    ends = ((high, number(high, 1, sign="+")), (0.0, "0"), (low, number(low, 1, sign="+")))
    return Axis("judge", low, high, ticks((ENOUGH_POINTS, f"+{ENOUGH_POINTS:g}"), *ends))


def _words(effects: Effects, found: Sequence[Effect]) -> str:
    """Who is there, by arm."""
    if len(found) > MOST_LISTED:
        return f"{len(found)} arms and points"
    return "; ".join(
        _places(arm, [effect.factors for effect in found if effect.arm == arm], effects)
        for arm in dict.fromkeys(effect.arm for effect in found)
    )


def _places(arm: str, places: Sequence[Mapping[str, str]], effects: Effects) -> str:
    """An arm with its points: the values of the inner factor, by the others."""
    sweep = effects.sweep
    if not sweep.values or len(places) == len(effects.places):
        return f"{arm} everywhere" if sweep.values else arm
    found: dict[str, list[str]] = {}
    for factors in places:
        inner = sweep.words(sweep.inner, factors.get(sweep.inner, ""))
        found.setdefault(sweep.place(factors, sweep.outer), []).append(inner)
    words = [", ".join(part for part in (outer, f"{sweep.inner}={'/'.join(v)}") if part) for outer, v in found.items()]
    return f"{arm} at {' and '.join(words)}"
