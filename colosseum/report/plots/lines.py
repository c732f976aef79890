"""Effects along a number that is swept. In: effects; out: charts with one line for each arm and everything else."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from string import ascii_lowercase
from typing import Final

from colosseum.evidence.registry import label
from colosseum.report.chart import WIDEST, Axis, Drawing, Marked, beside, chart, ticks
from colosseum.report.numbers import decimals, number
from colosseum.report.plots.effects import Effect, Effects
from colosseum.report.plots.sweep import number as as_number

MOST: Final = 6
"""Lines of a chart, from which on each arm has charts of its own."""
SEVERAL: Final = "*"
"""Marks where lines meet."""
NARROWEST: Final = 76
"""Cells of a page that takes two charts side by side."""
HEIGHT: Final = 10
LEAST_SHARE: Final = 0.1
"""Of beliefs, that an axis goes up to."""


@dataclass(frozen=True)
class Measure:
    """What is drawn upwards."""

    name: str
    unit: str
    of: Callable[[Effect], float | None]
    margin: float | None = None


@dataclass(frozen=True)
class Lines:
    """The charts of some lines, and what marks them."""

    title: str
    rows: list[str]
    legend: list[tuple[str, str]]


def line_plots(effects: Effects, *, width: int, ascii_only: bool) -> Iterator[Lines]:
    """All arms in the same charts, or each in its own where the lines are many."""
    measures = list(_measures(effects))
    every = _series(effects, effects.arms)
    apart = len(every) > MOST and len(effects.arms) > 1
    for arms in ([arm] for arm in effects.arms) if apart else [effects.arms]:
        series = _series(effects, arms)
        drawn = [m for m in measures if any(m.of(e) is not None for found in series.values() for e in found)]
        if drawn:
            charts = [_panel(effects, m, list(series.values()), width, len(drawn), ascii_only) for m in drawn]
            signs = [(sign, name) for sign, name in zip(ascii_lowercase, series, strict=False) if name]
            if len(series) > 1 and any(SEVERAL in row for rows in charts for row in rows):
                signs.append((SEVERAL, "several of them"))
            title = f"Along {effects.sweep.inner}" + (f", arm {arms[0]}" if len(effects.arms) > len(arms) else "")
            yield Lines(title, list(_laid(charts, width)), signs if len(series) > 1 else [])


def _measures(effects: Effects) -> Iterator[Measure]:
    """The figures that decide, and what is believed."""
    for place, (name, margin) in enumerate(effects.margins.items()):
        yield Measure(label(name), "u", partial(_mean, place=place), margin)
    yield Measure("believed", "share of false claims", lambda effect: effect.believed.mean.value)


def _mean(effect: Effect, *, place: int) -> float | None:
    return effect.parts[place].estimate.value if effect.parts else None


def _series(effects: Effects, arms: Sequence[str]) -> dict[str, list[Effect]]:
    """Effects by what a line is called: its arm, and the factors that it does not go along."""
    found: dict[str, list[Effect]] = {}
    for effect in effects.all:
        if effect.arm in arms:
            place = effects.sweep.place(effect.factors, effects.sweep.outer)
            name = ", ".join(part for part in (effect.arm if len(arms) > 1 else "", place) if part)
            found.setdefault(name, []).append(effect)
    return found


def _panel(
    effects: Effects, measure: Measure, series: Sequence[Sequence[Effect]], width: int, panels: int, ascii_only: bool
) -> list[str]:
    """One chart, its heading on top."""
    inner = effects.sweep.inner
    curves = [_curve(found, measure, inner, sign) for found, sign in zip(series, ascii_lowercase, strict=False)]
    ups = [y for curve in curves for _, y, _ in curve]
    drawing = Drawing(
        _across(effects),
        _up(measure, ups),
        curves=curves,
        levels=(0.0, *([measure.margin] if measure.margin is not None else [])),
        several=SEVERAL,
    )
    room = (min(width, 2 * WIDEST) - 3) // 2 if panels > 1 and width >= NARROWEST else width
    return [f"{measure.name}, {measure.unit}", *chart(drawing, width=room, ascii_only=ascii_only, height=HEIGHT)]


def _curve(found: Sequence[Effect], measure: Measure, inner: str, sign: str) -> list[Marked]:
    points = [(as_number(effect.factors.get(inner, "")), measure.of(effect)) for effect in found]
    return sorted((x, y, sign) for x, y in points if x is not None and y is not None)


def _across(effects: Effects) -> Axis:
    words = {as_number(value): value for value in effects.sweep.values[effects.sweep.inner]}
    values = sorted(value for value in words if value is not None)
    ends = [values[0], values[-1], *values[1:-1]]
    return Axis(effects.sweep.inner, values[0], values[-1], tuple((value, words[value]) for value in ends))


def _up(measure: Measure, values: Sequence[float]) -> Axis:
    shown = (0.0, *values, measure.margin or LEAST_SHARE)
    low, high = min(shown), max(shown)
    places = decimals([low, high])
    margin = [(measure.margin, f"{measure.margin:g}")] if measure.margin is not None else []
    return Axis("", low, high, ticks((0.0, "0"), (high, number(high, places)), (low, number(low, places)), *margin))


def _laid(charts: Sequence[list[str]], width: int) -> Iterator[str]:
    """Two by two where the page is wide enough."""
    step = 2 if width >= NARROWEST else 1
    for start in range(0, len(charts), step):
        if start:
            yield ""
        row = charts[start : start + step]
        yield from beside(*row) if len(row) > 1 else row[0]
