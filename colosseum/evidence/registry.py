"""The registry of figures. In: figures.toml; out: an entry for every figure, by its name.

A new figure touches the file of its formula and figures.toml.
"""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

_FILE: Final[dict[str, Any]] = tomllib.loads((files(__package__) / "figures.toml").read_text(encoding="utf-8"))
NOTATION: Final[str] = _FILE["notation"]
"""The signs in formulas."""
UNITS: Final[dict[str, str]] = _FILE["units"]
"""Units in words."""
OF: Final[dict[str, str]] = _FILE["of"]
"""What has one value of the figures of a section."""


@dataclass(frozen=True, slots=True)
class FigureEntry:
    """What is known of a figure before any value of it."""

    name: str
    section: str
    label: str
    """Short, for columns."""
    meaning: str
    """One clause in plain words."""
    formula: str
    unit: str
    """One of UNITS."""
    source: str
    """A section of the paper (arXiv 2602.15198), or ours."""
    direction: str = "higher is neither better nor worse"
    """For whom a higher value is better or worse."""

    @property
    def heading(self) -> str:
        """The label, with its unit where that is not the spec's own."""
        return f"{self.label}, {self.unit}" if self.unit in ("u", "points") else self.label

    @property
    def axis(self) -> str:
        """The label and the unit in words."""
        return ", ".join(part for part in (self.label, UNITS[self.unit]) if part)


REGISTRY: Final = {name: FigureEntry(name, part, **each) for part in OF for name, each in _FILE[part].items()}
"""By name, in the order of reports."""


def names(*sections: str) -> tuple[str, ...]:
    """The figures of some sections."""
    return tuple(entry.name for entry in REGISTRY.values() if entry.section in sections)


def looked_up(words: str) -> FigureEntry | None:
    """The figure of this name or label, however it is spelled."""
    plain = words.strip().casefold().replace("-", "_").replace(" ", "_")
    spelled = {entry.label.casefold().replace("-", "_").replace(" ", "_"): entry for entry in REGISTRY.values()}
    return REGISTRY.get(plain) or spelled.get(plain)


def label(name: str) -> str:
    """What a figure is called in a column."""
    return REGISTRY[name].label
