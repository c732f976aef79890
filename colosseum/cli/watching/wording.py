"""Words for one who watches. In: counts, amounts and what agents and providers wrote; out: short, harmless lines."""

import math
from collections.abc import Iterable, Mapping
from unicodedata import category

LONGEST = 400
"""Characters of anybody's words that are shown at most."""


def one_line(words: str) -> str:
    """Words as one line in which every character can be seen: nothing of it can move a cursor or hide a word."""
    line = " ".join(words[: 4 * LONGEST].split())
    if not (line.isascii() and line.isprintable()):
        line = " ".join("".join(letter for letter in line if not _hidden(letter)).split())
    return line[:LONGEST].rstrip()


def _hidden(letter: str) -> bool:
    """Control and format characters, halves of characters, and those that only alter how the one before looks."""
    return category(letter)[0] == "C" or "\ufe00" <= letter <= "\ufe0f"


def dollars(amount: float) -> str:
    """An amount of US dollars; small ones with more digits, so that nothing that costs reads as 0."""
    if amount >= 1 or amount == 0:
        return f"${amount:,.2f}"
    return f"${amount:.4f}" if amount >= 0.001 else f"${amount:.{1 - math.floor(math.log10(amount))}f}"


def money(spent: float, limit: float | None, unpriced: int, *, unknown: bool) -> str:
    """What was spent; what has no known price is said to have none, and is never 0."""
    parts = [dollars(spent)] if spent or not (unpriced or unknown) else []
    if unpriced:
        parts.append(f"{unpriced} answer{'s' if unpriced > 1 else ''} of unknown price")
    elif unknown:
        parts.append("unknown price")
    return " + ".join(parts) + (f" of {dollars(limit)}" if limit is not None else "")


def kinds(counts: Mapping[str, int]) -> str:
    """`timeout 3, context 1`, the most frequent first."""
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{one_line(kind)} {number}" for kind, number in ordered)


def rate(number: float | None, what: str) -> str:
    """`31 runs/min`; empty where it is not known."""
    return "" if number is None else f"{number:.0f} {what}/min" if number >= 10 else f"{number:.1f} {what}/min"


def span(seconds: float) -> str:
    """A length of time in its largest unit or two."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def listed(parts: Iterable[str]) -> list[str]:
    """Those that say something."""
    return [part for part in parts if part]
