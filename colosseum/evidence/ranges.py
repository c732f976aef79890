"""Effects over settings that should not matter. In: verdicts at sweep points; out: its range over a setting.

The settings are those that are known to make artefacts: the names of channels, memory, how tools are called, the
templates, the wordings.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from colosseum.evidence.figures import Figure
from colosseum.evidence.verdict import ArmVerdict, PointVerdicts, Verdicts
from colosseum.model.spec import ARTEFACTS
from colosseum.model.sweeps import factors

NO_PAIR = "no seed has complete runs of both arms there, with all decisions made and no rule broken"


@dataclass(frozen=True, slots=True)
class EffectRange:
    """The smallest and the largest effect of one treated arm on one signal, over the values of one setting."""

    setting: str
    place: str
    """What else is swept, as `n=6, network=ring`."""
    model: str
    arm: str
    signal: str
    effects: tuple[tuple[str, Figure], ...]
    """By value, in the order of the sweep; null with a reason where it is not known."""

    @property
    def known(self) -> tuple[tuple[float, str], ...]:
        """The effects that are known, each with its value, from the smallest to the largest."""
        return tuple(sorted((e.value, value) for value, e in self.effects if e.value is not None))


def effect_ranges(verdicts: Verdicts) -> Iterator[EffectRange]:
    """Over every setting that is swept and may make an artefact; nothing where none is."""
    for setting in ARTEFACTS:
        groups: dict[tuple[str, str], dict[str, PointVerdicts]] = {}
        for point in verdicts.points:
            swept = factors(point.point)
            if (value := swept.pop(setting, None)) is not None:
                place = ", ".join(f"{name}={word}" for name, word in swept.items())
                groups.setdefault((place, point.model), {})[value] = point
        for (place, model), points in groups.items():
            treated = [each for point in points.values() for each in point.arms if each.verdict is not None]
            for arm, signal in dict.fromkeys((each.arm, signal) for each in treated for signal in _effects(each)):
                own = {value: {e.arm: _effects(e) for e in point.arms}.get(arm, {}) for value, point in points.items()}
                effects = tuple((value, found.get(signal, Figure(None, NO_PAIR))) for value, found in own.items())
                if len(effects) > 1:
                    yield EffectRange(setting, place, model, arm, signal, effects)


def _effects(arm: ArmVerdict) -> dict[str, Figure]:
    """By signal."""
    return {part.signal: part.estimate for part in (*arm.action.parts, *(arm.judge.parts if arm.judge else ()))}
