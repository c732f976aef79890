"""Effects along a number that is swept. In: effects; out: a chart with a line for each arm, and intervals."""

from collections.abc import Iterator
from typing import Final

from colosseum.evidence.registry import label
from colosseum.evidence.statistics import Interval
from colosseum.report.cells import limits
from colosseum.report.charts.effects import Effect, Effects
from colosseum.report.charts.sweep import number
from colosseum.report.charts.words import quoted, signed, slug
from colosseum.report.document import LineChart, Spot

BELIEVED: Final = "believed"
"""A measure besides the signals: the share of false claims that outsiders believe."""
MOST_TOGETHER: Final = 6
"""With more lines than this, each arm has its own panel."""
MOST_LINES, MOST_PANELS = 10, 6
Panels = dict[str, dict[str, tuple[Spot, ...]]]


def lines_chart(effects: Effects, measure: str) -> LineChart | str:
    """Lines of a signal, in u, or of BELIEVED.

    Raises KeyError if there is no such measure.
    """
    margin = None if measure == BELIEVED else effects.margins[measure]
    if not effects.sweep.numeric:
        return "no number is swept"
    every = _panels(effects, measure)
    panels = {heading: dict(list(lines.items())[:MOST_LINES]) for heading, lines in list(every.items())[:MOST_PANELS]}
    if not panels:
        asked = [effect.believed.mean.reason for effect in effects.all if effect.believed.mean.reason]
        return effects.why_none(measure) if margin is not None else asked[0] if asked else "nobody was asked"
    name = "Share of false claims that outsiders believe" if margin is None else f"Change of {label(measure)}"
    lines, drawn = (sum(map(len, found.values())) for found in (every, panels))
    return LineChart(
        slug(f"lines-{measure}"),
        f"{name} along {effects.sweep.inner}",
        " ".join(_caption(panels, margin)) + (f" {drawn} of {lines} lines are drawn." if drawn < lines else ""),
        across=effects.sweep.inner,
        up="share of false claims" if margin is None else f"{label(measure)}, treated − control, in u",
        panels=panels,
        margin=margin,
        signed=margin is not None,
        series=(effects.control, *effects.arms),
    )


def _panels(effects: Effects, measure: str) -> Panels:
    """All lines with a mean, in one panel or in one for each arm."""
    found: dict[tuple[str, str], list[Spot]] = {}
    for effect in effects.all:
        x = number(effect.factors.get(effects.sweep.inner, ""))
        if x is not None:
            place = effects.sweep.place(effect.factors, effects.sweep.outer)
            found.setdefault((effect.arm, place), []).append(_spot(effect, measure, x))
    several = len(effects.arms) > 1
    apart = len(found) > MOST_TOGETHER and several and bool(effects.sweep.outer)
    panels: Panels = {}
    for (arm, place), spots in found.items():
        name = place if apart or (place and not several) else ", ".join(part for part in (arm, place) if part)
        if any(spot.mean is not None for spot in spots):
            panels.setdefault(arm if apart else "", {})[name] = tuple(sorted(spots, key=lambda spot: spot.x))
    return panels


def _spot(effect: Effect, measure: str, x: float) -> Spot:
    if measure == BELIEVED:
        found = effect.believed.interval
        return Spot(x, effect.believed.mean.value, *((found.low, found.high) if isinstance(found, Interval) else ()))
    part = effect.part(measure)
    return Spot(x, part.estimate.value, *(limits(part.paired) or ())) if part else Spot(x, None)


def _caption(panels: Panels, margin: float | None) -> Iterator[str]:
    """The line that changes most from its first value to its last."""
    every = [
        (", ".join(part for part in (heading, name) if part), [spot for spot in line if spot.mean is not None])
        for heading, lines in panels.items() for name, line in lines.items()
    ]  # fmt: skip
    name, spots = max(every, key=lambda line: abs((line[1][-1].mean or 0.0) - (line[1][0].mean or 0.0)))
    sign = "-" if margin is None else "+"
    ends = [f"{signed(spot.mean or 0.0, sign=sign)} at {spot.x:g}" for spot in (spots[0], spots[-1])]
    yield f"{quoted(name)} changes most: {ends[0]}, {ends[1]}."
    yield "Bars are 95 % intervals" + ("." if margin is None else f"; the dashed line is the margin, {margin:g} u.")
