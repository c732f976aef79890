"""Words in pictures. In: untrusted names, numbers; out: what fits, the whole of what was cut, and numbers as read."""

from collections.abc import Sequence
from typing import Final
from unicodedata import east_asian_width

from colosseum.report.html.pictures.picture import clean
from colosseum.report.html.pictures.shapes import Text
from colosseum.report.numbers import number

NARROW: Final = 0.36
WIDE: Final = 0.92
CAPITAL: Final = 0.7
LETTER: Final = 0.62
"""Of the size of type, how wide signs are: in a wide face, so that what fits in it fits in others."""
BOLD: Final = 1.12
SIZE: Final = 13.0
"""Of type, where no class of the style sheet says another."""
SMALL: Final = ("soft", "halo")
"""Classes whose type is smaller anyway."""
LONGEST: Final = 400.0
"""Pixels of a name within a sentence."""
MOST_NAMED: Final = 4


def width_of(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """About how wide a text is."""
    return sum(map(_share, text)) * size * (BOLD if bold else 1.0)


def _share(sign: str) -> float:
    if east_asian_width(sign) in "WF":
        return 1.0
    if sign in "iljftr.,:;'|![]() `":
        return NARROW
    return WIDE if sign in "mwMW@%…" else CAPITAL if sign.isupper() else LETTER


def shorten(text: str, room: float, size: float = SIZE, *, bold: bool = False) -> str:
    """What fits, with an ellipsis where something had to go."""
    text = clean(text)
    if width_of(text, size, bold=bold) <= room:
        return text
    kept, wide = "", width_of("…", size, bold=bold)
    for sign in text:
        wide += width_of(sign, size, bold=bold)
        if wide > room:
            break
        kept += sign
    return f"{kept.rstrip()}…"


def name_at(
    x: float, y: float, name: str, room: float, *, role: str = "", anchor: str = "start", size: float = 13
) -> Text:
    """A name that may be long; the whole of a shortened one is its title."""
    short, whole = shorten(name, room, size, bold="strong" in role), clean(name)
    classes = role if size >= SIZE or role in SMALL else f"{role} small".strip()
    return Text(x, y, short, classes, anchor, "" if short == whole else whole)


def signed(value: float, places: int, *, sign: str = "-") -> str:
    """A number as it is read: with a true minus."""
    return number(value, places, sign=sign).replace("-", "−")


def quoted(name: str) -> str:
    """A name within a sentence."""
    return f"`{shorten(name, LONGEST)}`"


def listed(words: Sequence[str]) -> str:
    """A few with commas; of more it says how many."""
    shown = list(words[:MOST_NAMED])
    more = len(words) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
