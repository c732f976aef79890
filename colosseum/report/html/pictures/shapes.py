"""What pictures are made of. In: places in a view box; out: shapes, which the template turns into markup."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias
from urllib.parse import quote

FORMS: Final = ("circle", "square", "triangle", "diamond", "wedge", "cross")
"""Of marks, so that arms differ without colour."""
HUES: Final = 6
"""Colours of arms; `series-0` is the control's grey."""


@dataclass(frozen=True)
class Text:
    """Words on one line."""

    kind: ClassVar = "text"
    x: float
    y: float
    """Of the base line."""
    words: str
    role: str = ""
    """Classes of the style sheet."""
    anchor: str = "start"
    whole: str = ""
    """What was shortened."""


@dataclass(frozen=True)
class Rule:
    """A straight line."""

    kind: ClassVar = "rule"
    x1: float
    y1: float
    x2: float
    y2: float
    role: str = ""
    title: str = ""


@dataclass(frozen=True)
class Path:
    """A line through places, or an area between them."""

    kind: ClassVar = "path"
    places: Sequence[tuple[float, float]]
    role: str = ""
    closed: bool = False
    title: str = ""
    hatch: str = ""
    """What it is hatched with: `members`, `outsiders`; else its role says the fill."""


@dataclass(frozen=True)
class Lines:
    """Several straight lines that are one thing."""

    kind: ClassVar = "lines"
    pairs: Sequence[tuple[tuple[float, float], tuple[float, float]]]
    role: str = ""
    title: str = ""


@dataclass(frozen=True)
class Mark:
    """A sign at a place, which may lead somewhere."""

    kind: ClassVar = "mark"
    x: float
    y: float
    form: str
    """One of FORMS."""
    role: str = ""
    size: float = 3.5
    """Half its width."""
    title: str = ""
    trial: str = ""
    """The run that it leads to."""

    @property
    def href(self) -> str:
        """The place on the page."""
        return f"#run={quote(self.trial, safe='', errors='replace')}" if self.trial else ""

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Of all forms but the circle; those of a cross are ends of its two strokes."""
        s, t = self.size, self.size * 1.25
        found: tuple[tuple[float, float], ...]
        match self.form:
            case "square":
                found = ((-s, -s), (s, -s), (s, s), (-s, s))
            case "triangle":
                found = ((0, -t), (t, s), (-t, s))
            case "diamond":
                found = ((0, -t), (t, 0), (0, t), (-t, 0))
            case "wedge":
                found = ((0, t), (t, -s), (-t, -s))
            case _:
                found = ((-s, -s), (s, s), (s, -s), (-s, s))
        return tuple((self.x + dx, self.y + dy) for dx, dy in found)


Shape: TypeAlias = Text | Rule | Lines | Path | Mark


@dataclass(frozen=True)
class Sign:
    """How an arm is told from others: by colour and by form."""

    role: str
    form: str


def signs(arms: Sequence[str], control: str) -> dict[str, Sign]:
    """By arm: the control grey and round; colours come round after six, forms do not at the same time."""
    found = {control: Sign("series-0", "circle")} if control in arms else {}
    forms = FORMS[1:]
    for place, arm in enumerate(arm for arm in arms if arm != control):
        turn = place // HUES
        found[arm] = Sign(f"series-{place % HUES + 1}", forms[(place + turn) % len(forms)])
    return found
