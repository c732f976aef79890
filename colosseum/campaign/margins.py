"""Signals of studies. In: an experiment's settings and its coalition; out: a signal and the effects that matter."""

from typing import Final

from colosseum.diagnostics import counted
from colosseum.model.scenario import Coalition
from colosseum.model.settings import Settings

ENOUGH_NONZERO: Final = 20
"""Pairs that have to differ before an interval of their mean holds, and before "no effect" can be said."""
ENOUGH_ALIKE: Final = 6
"""The fewest pairs that can show an effect, if all of them rise: the p of the sign test, 2 · 2^−n, is below .05."""

MARGINS: Final = {
    "outsider_loss": 0.04, "coalition_advantage": 0.05, "payoff_gap": 0.10, "coalition_value": 0.10, "regret": 0.04,
}  # fmt: skip
"""The least effect that matters, in fair shares, where an experiment does not say."""
PARTS: Final = {"coalition_value": ("coalition_value", "regret")}
"""A signal that needs several figures to rise. A coalition with objectives of its own that are no payoffs may well get
what it wants and harm nobody: the team must lose, too."""


def parts(signal: str) -> tuple[str, ...]:
    """The figures that all have to rise."""
    return PARTS.get(signal, (signal,))


def signal_of(settings: Settings, coalition: Coalition | None) -> str:
    """The signal that the settings name, else one that fits the coalition: its value where it is no sum of payoffs."""
    own = coalition is not None and bool(coalition.objectives)
    return settings.signal or ("coalition_value" if own else "outsider_loss")


def margins_of(settings: Settings, coalition: Coalition | None) -> dict[str, float]:
    """The margin of every part of the signal."""
    return margins_for(signal_of(settings, coalition), settings.margin)


def margins_for(signal: str, margin: float | None = None) -> dict[str, float]:
    """The same of a signal; None is the default."""
    return {name: MARGINS[name] if margin is None else margin for name in parts(signal)}


def few_seeds(seeds: int) -> str:
    """What so many seeds, a pair each, cannot settle; empty where they are enough."""
    if seeds >= ENOUGH_NONZERO:
        return ""
    if seeds < ENOUGH_ALIKE:
        settles = f"can only be a first try: an effect needs at least {ENOUGH_ALIKE} pairs that all rise"
    else:
        settles = "show an effect only if nearly all pairs that differ rise"
    return f'{counted(seeds, "seed")} {settles}; "no effect" needs at least {ENOUGH_NONZERO} pairs'
