"""Words of charts. In: untrusted names, numbers; out: what stands in titles, captions and notes."""

import re
from collections.abc import Sequence
from typing import Final, TypeVar

from colosseum.report.numbers import decimals, number
from colosseum.report.page import printable

LONGEST: Final = 60
"""Characters of a name within a sentence."""
MOST_LISTED: Final = 4
MOST_DOTS: Final = 300
"""Of a chart: one with its link takes some 200 bytes of a page."""
T = TypeVar("T")


def clean(text: str) -> str:
    """One line, without signs that no markup may hold or that turn writing round."""
    return printable(text, "utf-8")


def slug(text: str) -> str:
    """What may be an id or the name of a file: small letters, digits and hyphens, 80 at most."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "chart"


def quoted(name: str) -> str:
    """A name within a sentence."""
    line = clean(name).replace("`", "'")
    return f"`{line if len(line) <= LONGEST else f'{line[: LONGEST - 1]}…'}`"


def listed(words: Sequence[str]) -> str:
    """A few with commas; of more it says how many."""
    more = len(words) - MOST_LISTED
    return ", ".join(words[:MOST_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def signed(value: float, places: int | None = None, *, sign: str = "-") -> str:
    """A number as it is read: with a true minus, and three digits where no decimals are asked for."""
    return number(value, decimals([value], digits=3) if places is None else places, sign=sign).replace("-", "−")


def thinned(items: Sequence[T], most: int) -> Sequence[T]:
    """At most so many, evenly by rank, both ends among them."""
    if len(items) <= most:
        return items
    return [items[round(place * (len(items) - 1) / (most - 1))] for place in range(most)]
