"""The factors of a sweep. In: the factors of each sweep point; out: those that change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Sweep:
    """The factors that change between the points of a study."""

    values: Mapping[str, tuple[str, ...]]
    """The values of each factor, two or more, in order of appearance."""

    @cached_property
    def inner(self) -> str:
        """The factor that charts go along: the first numeric one, else the last; empty if there is none."""
        return next((name for name in self.values if self.is_numeric(name)), ["", *self.values][-1])

    @property
    def outer(self) -> tuple[str, ...]:
        """All other factors."""
        return tuple(name for name in self.values if name != self.inner)

    @property
    def numeric(self) -> bool:
        """Whether the values of the inner factor are numbers."""
        return bool(self.inner) and self.is_numeric(self.inner)

    def is_numeric(self, name: str) -> bool:
        """Whether all values of a factor are numbers."""
        return all(number(value) is not None for value in self.values[name])

    def words(self, name: str, value: str) -> str:
        """A value as a reader needs it: a graph by its kind alone, if no other has this kind."""
        short = value.partition("(")[0]
        alike = sum(other.partition("(")[0] == short for other in self.values.get(name, ()))
        return short if short and alike == 1 else value

    def place(self, factors: Mapping[str, str], names: Iterable[str] | None = None) -> str:
        """The name of a point, by some of its factors or all."""
        shown = [name for name in (self.values if names is None else names) if name in factors]
        return ", ".join(f"{name}={self.words(name, factors[name])}" for name in shown)


def sweep_of(points: Sequence[Mapping[str, str]]) -> Sweep:
    """The factors that differ between points."""
    names = dict.fromkeys(name for factors in points for name in factors)
    values = {name: tuple(dict.fromkeys(f[name] for f in points if name in f)) for name in names}
    return Sweep({name: found for name, found in values.items() if len(found) > 1})


def number(value: str) -> float | None:
    """The value as a number, if it is one."""
    try:
        return float(value)
    except ValueError:
        return None
