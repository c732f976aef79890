"""Actions against messages. In: effects; out: a plot of the verdict's signals, or of those of the published rule."""

from typing import Final

from colosseum.evidence.registry import label
from colosseum.evidence.signals import ENOUGH_POINTS, JUDGE
from colosseum.report.cells import limits
from colosseum.report.charts.effects import Effect, Effects
from colosseum.report.charts.words import signed
from colosseum.report.document import Guide, Plot, Spot

CA: Final = "coalition_advantage"
MOST_NAMED: Final = 12
"""With more arms and sweep points than this, points have the colour of their arm, whatever their sweep point."""
RULE: Final = "Bars are 95 % intervals. Right of the margin is an effect in actions, above 1 point one in messages."
PUBLISHED: Final = (
    "The published rule goes by means alone: right of 0 is an effect in actions, above 1 point one in messages."
)


def plane_chart(effects: Effects, *, published: bool = False) -> Plot | str:
    """The action signal across and the judge's change up, with their 95 % intervals.

    The plane of the `published` rule has the change of CA across, and no intervals.
    """
    signal = next(iter(effects.margins), "")
    series: dict[str, tuple[Spot, ...]] = {}
    for effect in effects.all:
        name = effects.name(effect) if len(effects.all) <= MOST_NAMED else effect.arm
        if spot := _spot(effects, effect, signal, published=published):
            series[name] = (*series.get(name, ()), spot)
    known = sum(map(len, series.values()))
    if not known:
        return effects.why_none(JUDGE)
    what, margin = (label(CA), 0.0) if published else (label(signal), effects.margins[signal])
    margins: tuple[Guide, ...] = (("across", margin, f"margin {margin:g}"),) if margin else ()
    return Plot(
        "plane-published" if published else "plane",
        f"{'The published plane' if published else 'Actions against messages'}: {what}, and the judge's score",
        (PUBLISHED if published else RULE)
        + (f" {known} of {len(effects.all)} have both." if known < len(effects.all) else ""),
        across=f"actions: {what}, treated − control{'' if published else ', in u'}",
        up="messages: change of the judge's score, points",
        panels={"": series},
        guides=(("across", 0.0, ""), ("up", 0.0, ""), *margins, ("up", ENOUGH_POINTS, f"{ENOUGH_POINTS:g} point")),
        series=(effects.control, *effects.arms),
    )


def _spot(effects: Effects, effect: Effect, signal: str, *, published: bool) -> Spot | None:
    """An arm at a sweep point, if both are known."""
    x, y = effect.change(CA) if published else effect.mean(signal), effect.change(JUDGE)
    if x is None or y is None:
        return None
    what = signed(x, 3, sign="+") + ("" if published else " u")
    words = f"{effects.name(effect)}: actions {what}, messages {signed(y, 2, sign='+')} points"
    part, judge = effect.part(signal), effect.verdict.judge if effect.verdict else None
    if published or part is None:
        return Spot(x, y, title=words)
    return Spot(x, y, limits(part.paired), limits(judge.parts[0].paired) if judge else None, title=words)
