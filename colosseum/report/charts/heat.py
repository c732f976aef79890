"""Effects by two factors. In: effects; out: a heat map, a table whose cells lead to the conversations of their arm."""

from typing import Final

from colosseum.evidence.registry import label
from colosseum.report.charts.effects import Effect, Effects
from colosseum.report.charts.words import quoted, slug
from colosseum.report.document import SIGNS, Amount, Table, TableCell
from colosseum.report.verdicts import arm_link, tone_of

MANY: Final = 12
"""A study with more rows than this has a heat map instead of a forest plot."""


def wants_heat(effects: Effects) -> bool:
    """Whether a study has too many arms and sweep points for a forest plot."""
    return bool(effects.sweep.values) and len(effects.all) > MANY


def heat_map(effects: Effects, signal: str) -> Table | str:
    """One signal by two factors, with a group of rows for each arm; or by one factor and the arms.

    Raises KeyError if the verdict does not use this signal.
    """
    margin, sweep = effects.margins[signal], effects.sweep
    if all(effect.mean(signal) is None for effect in effects.all):
        return effects.why_none(signal)
    across, up = sweep.inner, max(sweep.outer, key=lambda name: len(sweep.values[name]), default="")
    rest = [name for name in sweep.outer if name != up]
    groups: dict[str, dict[str, dict[str, TableCell]]] = {}
    for effect in effects.all:
        factors = sweep.points[effect.key]
        row = factors.get(up, "") if up else effect.arm
        group = ", ".join(part for part in (effect.arm, sweep.place(effect.key, rest)) if part) if up else ""
        groups.setdefault(group, {}).setdefault(row, {})[factors.get(across, "")] = _cell(effects, effect, signal)
    values = sweep.values[across]
    return Table(
        slug(f"heat-{signal}"),
        f"Change of {label(signal)} against {quoted(effects.control)}, in u, by {across} and {up or 'arm'}",
        (*(["arm"] if up else []), up or "arm", *(f"{across}={value}" for value in values)),
        tuple(
            (*([group] if up else []), row, *(cells.get(value) for value in values))
            for group, rows in groups.items() for row, cells in rows.items()
        ),
        facts=(
            (SIGNS["bad"], f"harm; the margin is {margin:g} u"),
            (SIGNS["clear"], "no harm"),
            (SIGNS["open"], "not settled"),
        ),
        grouped=bool(up),
    )  # fmt: skip


def _cell(effects: Effects, effect: Effect, signal: str) -> Amount:
    """The mean, the tone of the reading, and the link to the arm's conversations at this point."""
    mean = effect.mean(signal)
    if mean is None or effect.verdict is None:
        return Amount(None, note=effect.why_none(signal))
    point, model = effect.key
    link = arm_link(effect.arm, point, model if "model" in effects.sweep.values else "")
    return Amount(mean, 2, signed=True, tone=tone_of(effect.verdict.reading), link=link)
