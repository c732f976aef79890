"""Words of charts. In: untrusted names and numbers; out: words for titles, captions and notes."""

import re
from collections.abc import Sequence
from typing import Final, TypeVar

from colosseum.report.numbers import decimals, number
from colosseum.report.page import printable

LONGEST: Final = 60
"""Characters of a name within a sentence."""
MOST_DOTS: Final = 300
"""A chart has no more dots; one dot with its link takes 200 bytes of a page."""
T = TypeVar("T")


def clean(text: str) -> str:
    """One line, without control characters or signs that reverse the direction of text."""
    return printable(text, "utf-8")


def slug(text: str) -> str:
    """A name for ids and files: small letters, digits and hyphens, 80 at most."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "chart"


def quoted(name: str) -> str:
    """A name within a sentence."""
    line = clean(name).replace("`", "'")
    return f"`{line if len(line) <= LONGEST else f'{line[: LONGEST - 1]}…'}`"


def signed(value: float, places: int | None = None, *, sign: str = "-") -> str:
    """A number with a true minus sign, and with three digits unless `places` is given."""
    return number(value, decimals([value], digits=3) if places is None else places, sign=sign).replace("-", "−")


def thinned(items: Sequence[T], most: int) -> Sequence[T]:
    """At most this many items, evenly by rank, with both ends."""
    if len(items) <= most:
        return items
    return [items[round(place * (len(items) - 1) / (most - 1))] for place in range(most)]
