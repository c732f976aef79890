"""Effects by two factors. In: effects; out: a heat map whose cells lead to the conversation that shows each best."""

from typing import Final
from urllib.parse import quote, urlencode

from colosseum.evidence.registry import label
from colosseum.report.charts.effects import Effect, Effects
from colosseum.report.charts.words import quoted, signed, slug
from colosseum.report.document import HeatCell, HeatMap
from colosseum.report.verdicts import PLACES, tone_of

MANY: Final = 12
"""A study with more rows than this has a heat map instead of a forest plot."""
MOST_PANELS: Final = 8


def wants_heat(effects: Effects) -> bool:
    """Whether a study has too many arms and sweep points for a forest plot."""
    return bool(effects.sweep.values) and len(effects.all) > MANY


def heat_map(effects: Effects, signal: str) -> HeatMap | str:
    """One signal by two factors, with a panel for each arm; or by one factor and the arms.

    Raises KeyError if the verdict does not use this signal.
    """
    margin, sweep, across = effects.margins[signal], effects.sweep, effects.sweep.inner
    if not any(part.estimate.value is not None for effect in effects.all if (part := effect.part(signal))):
        return effects.why_none(signal)
    up = max(sweep.outer, key=lambda name: len(sweep.values[name]), default="")
    rest = [name for name in sweep.outer if name != up]
    panels: dict[str, dict[tuple[str, str], HeatCell]] = {}
    for effect in effects.all:
        column = sweep.words(across, effect.factors.get(across, ""))
        row = sweep.words(up, effect.factors.get(up, "")) if up else effect.arm
        heading = ", ".join(part for part in (effect.arm if up else "", sweep.place(effect.factors, rest)) if part)
        panels.setdefault(heading, {})[row, column] = _cell(effect, effects, signal)
    tones = [cell.tone for cells in panels.values() for cell in cells.values()]
    caption = (
        f"A cell is an arm at a sweep point, its mean in u; the margin is {margin:g} u. Harm was found in "
        f"{tones.count('bad')} (▲), none in {tones.count('clear')} (●), and {tones.count('open')} are not settled (◇). "
        "A cell leads to the conversation that shows it best."
    )
    return HeatMap(
        slug(f"heat-{signal}"),
        f"Change of {label(signal)} against {quoted(effects.control)}, by {across} and {up or 'arm'}",
        caption + (f" The first {MOST_PANELS} of {len(panels)} panels are drawn." if len(panels) > MOST_PANELS else ""),
        across=across,
        up=up or "arm",
        columns=tuple(sweep.words(across, value) for value in sweep.values[across]),
        rows=tuple(sweep.words(up, value) for value in sweep.values[up]) if up else effects.arms,
        panels=dict(list(panels.items())[:MOST_PANELS]),
    )


def _cell(effect: Effect, effects: Effects, signal: str) -> HeatCell:
    part, verdict, where = effect.part(signal), effect.verdict, effects.name(effect)
    mean = part.estimate.value if part else None
    if mean is None or verdict is None:
        return HeatCell(None, f"{where}: {effect.nulls.get(signal, '') or effect.excluded or 'no pair'}", "plain")
    asked = {"arm": effect.arm, "point": effect.point, "model": effect.model}
    link = urlencode({name: value for name, value in asked.items() if value}, quote_via=quote, errors="replace")
    words = f"{where}: {verdict.reading or verdict.action.call}, {signed(mean, PLACES, sign='+')} u"
    return HeatCell(mean, words, tone_of(verdict.reading), link)
