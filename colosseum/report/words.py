"""Numbers, reasons and names as words. In: values, counts, untrusted names; out: short strings."""

import math
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from colosseum.diagnostics.harmless import clean
from colosseum.evidence.figures import Counts

WORDS: Final[dict[str, dict[str, str]]] = tomllib.loads((Path(__file__).parent / "words.toml").read_text("utf-8"))
"""Sentences of words.toml, by section and name."""
MEANINGS: Final = WORDS["meanings"] | WORDS["terms"]
MOST_REASONS: Final = 5
LONGEST_REASON: Final = 160
LONGEST: Final = 60  # characters of a name within a sentence or a chart


def decimals(values: Iterable[float | None], *, digits: int = 2) -> int:
    """Decimals that show `digits` digits of the largest value; at least two below 10, one below 10 000."""
    largest = max((abs(v) for v in values if v is not None), default=0.0)
    if largest < 1e-12:
        return 2
    least = 2 if largest < 10 else 1 if largest < 10_000 else 0
    return max(least, min(12, digits - 1 - math.floor(math.log10(largest))))


def number(value: float, places: int, *, sign: str = "-") -> str:
    """A number with so many decimals; one that rounds to 0 has no minus, a huge one three digits."""
    if abs(value) >= 1e9:
        return f"{value:{sign}.3g}"
    return f"{round(value, places) + 0.0:{sign},.{places}f}"


def probability(p: float) -> str:
    """A p value to three decimals."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def reasons(counts: Counts, *, numbered: bool = False) -> str:
    """Reasons with their counts, the most frequent first; a sole reason without, unless `numbered`."""
    shown = [
        (reason if len(reason) <= LONGEST_REASON else f"{reason[: LONGEST_REASON - 1]}…")
        + (f" ({count})" if numbered or len(counts) > 1 else "")
        for reason, count in counts[:MOST_REASONS]
    ]
    rest = len(counts) - len(shown)
    return ", ".join(shown) + (f", and {rest} more reasons" if rest else "")


def significant(value: float) -> str:
    """A number with six digits, or with all of a large one's whole part and two more."""
    whole = len(str(int(abs(value)))) if abs(value) < 1e12 else 0
    return f"{value:,.{max(6, whole + 2)}g}"


def no_pair(excluded: Counts) -> str:
    """That there is nothing to compare, and why."""
    return "no seed makes a pair of runs" + (f": {reasons(excluded, numbered=True)}" if excluded else "")


def span(seconds: float) -> str:
    """A length of time in its largest unit or two."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"


def slug(text: str) -> str:
    """A name for ids and files: small letters, digits and hyphens, 80 at most."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:80] or "chart"


def shortened(name: str) -> str:
    """A name of LONGEST characters at most."""
    line = clean(name)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def signed(value: float, places: int | None = None, *, sign: str = "-") -> str:
    """A number with a true minus sign, and with three digits unless `places` is given."""
    return number(value, decimals([value], digits=3) if places is None else places, sign=sign).replace("-", "−")
