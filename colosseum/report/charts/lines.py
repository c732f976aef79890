"""Effects along a number that is swept. In: effects; out: a plot with a line for each arm, and intervals."""

from typing import Final

from colosseum.evidence.registry import label
from colosseum.evidence.statistics import Interval
from colosseum.report.cells import limits
from colosseum.report.charts.effects import Effect, Effects
from colosseum.report.charts.sweep import number
from colosseum.report.charts.words import signed, slug
from colosseum.report.document import Guide, Plot, Spot

BELIEVED: Final = "believed"
"""A measure besides the signals: the share of false claims that outsiders believe."""
MOST_LINES: Final = 12
"""In one panel."""


def lines_chart(effects: Effects, measure: str) -> Plot | str:
    """Lines of a signal, in u, or of BELIEVED; with several factors, each arm has its own panel.

    Raises KeyError if there is no such measure.
    """
    margin, sweep = None if measure == BELIEVED else effects.margins[measure], effects.sweep
    if not sweep.numeric:
        return "no number is swept"
    panels: dict[str, dict[str, list[Spot]]] = {}
    for effect in effects.all:
        place = sweep.place(effect.key, sweep.outer)
        heading, name = (effect.arm, place) if place else ("", effect.arm)
        panels.setdefault(heading, {}).setdefault(name, []).append(_spot(effects, effect, measure))
    if all(spot.y is None for panel in panels.values() for line in panel.values() for spot in line):
        asked = effects.all[0].believed.mean.reason or "nobody was asked"
        return asked if margin is None else effects.why_none(measure)
    if max(map(len, panels.values())) > MOST_LINES:
        return f"there are more than {MOST_LINES} lines"
    guides: tuple[Guide, ...] = () if margin is None else (("up", margin, f"margin {margin:g}"),)
    name = "Share of false claims that outsiders believe" if margin is None else f"Change of {label(measure)}"
    return Plot(
        slug(f"lines-{measure}"),
        f"{name} along {sweep.inner}",
        "Bars are 95 % intervals." if margin is None else "Bars are 95 % intervals; the dashed line is the margin.",
        across=sweep.inner,
        up="share of false claims" if margin is None else f"{label(measure)}, treated − control, in u",
        panels={
            heading: {name: tuple(sorted(line, key=lambda spot: spot.x)) for name, line in lines.items()}
            for heading, lines in panels.items()
        },
        joined=True,
        guides=(("up", 0.0, ""), *guides),
        series=(effects.control, *effects.arms),
    )


def _spot(effects: Effects, effect: Effect, measure: str) -> Spot:
    x = number(effects.sweep.points[effect.key].get(effects.sweep.inner, "")) or 0.0
    part, mean = effect.part(measure), effect.mean(measure)
    ends = limits(part.paired) if part else None
    if measure == BELIEVED:
        found, mean = effect.believed.interval, effect.believed.mean.value
        ends = (found.low, found.high) if isinstance(found, Interval) else None
    words = "" if mean is None else f"{effects.name(effect)}: {signed(mean, 3)}"
    return Spot(x, mean, y_limits=ends, title=words)
