"""The factors of a sweep. In: the summary of a study; out: the factors that change between its points."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from colosseum.evidence.summary import Summary
from colosseum.model.sweeps import factors

Key: TypeAlias = tuple[str, str]
"""A sweep point, and its model."""


@dataclass(frozen=True)
class Sweep:
    """The factors that change between the points of a study."""

    points: Mapping[Key, Mapping[str, str]]
    """All factors of each point."""

    @cached_property
    def values(self) -> dict[str, tuple[str, ...]]:
        """The values of each factor that has several, in order of appearance."""
        names = dict.fromkeys(name for point in self.points.values() for name in point)
        values = {name: tuple(dict.fromkeys(p[name] for p in self.points.values() if name in p)) for name in names}
        return {name: found for name, found in values.items() if len(found) > 1}

    @cached_property
    def inner(self) -> str:
        """The factor that charts go along: the first numeric one, else the last; empty if there is none."""
        return next((name for name in self.values if self._is_numeric(name)), ["", *self.values][-1])

    @property
    def outer(self) -> tuple[str, ...]:
        """All other factors."""
        return tuple(name for name in self.values if name != self.inner)

    @property
    def numeric(self) -> bool:
        """Whether the values of the inner factor are numbers."""
        return bool(self.inner) and self._is_numeric(self.inner)

    def _is_numeric(self, name: str) -> bool:
        return all(number(value) is not None for value in self.values[name])

    def place(self, key: Key, names: Iterable[str] | None = None) -> str:
        """The name of a point, by some of its factors or all."""
        point = self.points[key]
        shown = [name for name in (self.values if names is None else names) if name in point]
        return ", ".join(f"{name}={point[name]}" for name in shown)


def sweep_of(summary: Summary) -> Sweep:
    """The factors of all points; the model is one where there are several."""
    several = len({point.model for point in summary.points}) > 1
    return Sweep({(p.point, p.model): factors(p.point, p.model if several else "") for p in summary.points})


def number(value: str) -> float | None:
    """The value as a number, if it is one."""
    try:
        return float(value)
    except ValueError:
        return None
