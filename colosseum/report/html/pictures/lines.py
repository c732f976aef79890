"""Effects along a number that is swept. In: effects; out: a picture with a line for each arm, and intervals."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from colosseum.evidence.registry import label
from colosseum.evidence.statistics import Interval
from colosseum.report.html.pictures.labels import legend
from colosseum.report.html.pictures.panel import LEFT, RIGHT, Frame, Series, Spot, panel, room_for
from colosseum.report.html.pictures.picture import Picture, Table, draw
from colosseum.report.html.pictures.scale import scale
from colosseum.report.html.pictures.shapes import Shape, Sign, signs
from colosseum.report.html.pictures.words import listed, name_at, quoted, signed
from colosseum.report.numbers import decimals
from colosseum.report.plots.effects import Effect, Effects, limits
from colosseum.report.plots.sweep import number

BELIEVED: Final = "believed"
"""The measure that is no signal: the share of false claims that outsiders believe."""
MOST_TOGETHER: Final = 6
"""Lines of a panel, from which on each arm has a panel of its own."""
MOST_LINES: Final = 10
"""Of a panel."""
MOST_PANELS: Final = 6
TOP, HIGH, STEP = 28.0, 240.0, 320.0

Panels: TypeAlias = Mapping[str, Series]
"""By their headings."""


def lines_picture(effects: Effects, measure: str) -> Picture | str:
    """Lines of one of the figures that decide, in u, or of BELIEVED; a str is why there is none.

    Many lines have a panel for each arm. Raises KeyError where there is no such measure.
    """
    margin = None if measure == BELIEVED else effects.margins[measure]
    if not effects.sweep.numeric:
        return "no number is swept"
    every = _panels(effects, measure)
    known = {heading: _known(series) for heading, series in every.items()}
    shown = {heading: dict(list(series.items())[:MOST_LINES]) for heading, series in known.items() if series}
    shown = dict(list(shown.items())[:MOST_PANELS])
    if not shown:
        return _why(effects, measure)
    name = "Share of false claims that outsiders believe" if margin is None else f"Change of {label(measure)}"
    shapes, height = _shapes(effects, shown, measure, margin)
    lines = sum(map(len, known.values()))
    return draw(
        f"lines-{measure}", f"{name} along {effects.sweep.inner}", _caption(effects, shown, lines, margin),
        height=height, shapes=shapes, table=_table(effects, every),
    )  # fmt: skip


def _known(series: Series) -> Series:
    return {name: spots for name, spots in series.items() if any(spot.mean is not None for spot in spots)}


def _why(effects: Effects, measure: str) -> str:
    found = [
        effect.believed.mean.reason if measure == BELIEVED else effect.nulls.get(measure, "") or effect.excluded
        for effect in effects.all
    ]
    return next((reason for reason in found if reason), "no seed makes a pair")


def _panels(effects: Effects, measure: str) -> Panels:
    """All lines in one, or those of each arm in one of their own."""
    found: dict[tuple[str, str], list[Spot]] = {}
    for effect in effects.all:
        x = number(effect.factors.get(effects.sweep.inner, ""))
        if x is not None:
            place = effects.sweep.place(effect.factors, effects.sweep.outer)
            found.setdefault((effect.arm, place), []).append(_spot(effect, measure, x))
    apart = len(found) > MOST_TOGETHER and len(effects.arms) > 1 and bool(effects.sweep.outer)
    panels: dict[str, dict[str, list[Spot]]] = {}
    for (arm, place), spots in found.items():
        name = place if apart else ", ".join(part for part in (arm, place) if part)
        panels.setdefault(arm if apart else "", {})[name] = sorted(spots, key=lambda spot: spot.x)
    return panels


def _spot(effect: Effect, measure: str, x: float) -> Spot:
    if measure == BELIEVED:
        found = effect.believed.interval
        ends = (found.low, found.high) if isinstance(found, Interval) else None
        return Spot(x, effect, effect.believed.mean.value, ends)
    part = next((part for part in effect.parts if part.signal == measure), None)
    return Spot(x, effect, part.estimate.value if part else None, limits(part) if part else None)


def _shapes(effects: Effects, panels: Panels, measure: str, margin: float | None) -> tuple[list[Shape], float]:
    names = list(dict.fromkeys(name for series in panels.values() for name in series))
    spots = [spot for series in panels.values() for found in series.values() for spot in found]
    room = room_for(names)
    right = RIGHT - room - (12 if room else 4)
    unit = "share of false claims" if margin is None else f"{label(measure)}, treated − control, in u"
    across = scale([spot.x for spot in spots], LEFT + 12, right - 12)
    frame = Frame(effects.sweep.inner, unit, margin, _looks(effects, panels, names), across, right, room)
    ends = [end for spot in spots for end in spot.interval or ()]
    means = [spot.mean for spot in spots if spot.mean is not None]
    shapes: list[Shape] = []
    y = 0.0
    for heading, series in panels.items():
        if heading:
            shapes.append(name_at(4, y + 16, heading, RIGHT, role="strong"))
            y += 24
        up = scale(means, y + TOP + HIGH, y + TOP, within=(0.0, *ends, *(() if margin is None else (margin,))))
        shapes += panel(series, frame, up)
        y += STEP
    if room:
        return shapes, y - 10
    marks, high = legend([(frame.looks[name], name) for name in names], y)
    return [*shapes, *marks], y + 4 + high


def _looks(effects: Effects, panels: Panels, names: Sequence[str]) -> dict[str, Sign]:
    """By arm where each has one line, else by line."""
    first = next(iter(panels.values()))
    arms = {name: spots[0].effect.arm for name, spots in first.items()}
    if len(panels) == 1 and len(set(arms.values())) == len(arms):
        look = signs((effects.control, *effects.arms), effects.control)
        return {name: look[arm] for name, arm in arms.items()}
    return signs(names, "")


def _caption(effects: Effects, panels: Panels, lines: int, margin: float | None) -> str:
    words, lost = [], []
    for heading, series in panels.items():
        for name, spots in series.items():
            whole = ", ".join(part for part in (heading, name) if part)
            known = [(spot.x, spot.mean) for spot in spots if spot.mean is not None]
            (first, begin), (last, end) = known[0], known[-1]
            places = max(3, decimals([begin, end]))
            sign = "-" if margin is None else "+"
            ends = f"{signed(begin, places, sign=sign)} at {first:g}, {signed(end, places, sign=sign)} at {last:g}"
            words.append(f"{quoted(whole)} {ends}")
            lost += [quoted(whole)] if len(known) < len(spots) else []
    parts = [f"Along {quoted(effects.sweep.inner)}: {'; '.join(words[:4])}{' …' if len(words) > 4 else '.'}"]
    parts.append("Bars are 95 % intervals; lines are set apart a little, so that these can be seen.")
    if margin is not None:
        parts.append(f"Dots: the margin, {margin:g} u.")
    if lines > len(words):
        parts.append(f"{len(words)} of {lines} lines are drawn; the table has all.")
    if lost:
        parts.append(f"With gaps, where a figure is not known: {listed(lost)}.")
    return " ".join(parts)


def _table(effects: Effects, panels: Panels) -> Table:
    rows = []
    for spots in (spots for series in panels.values() for spots in series.values()):
        for spot in spots:
            low, high = spot.interval or (None, None)
            place = effects.sweep.place(spot.effect.factors, effects.sweep.outer)
            rows.append((place, spot.effect.arm, spot.x, spot.mean, low, high))
    return Table(("point", "arm", effects.sweep.inner, "mean", "low", "high"), tuple(rows))
