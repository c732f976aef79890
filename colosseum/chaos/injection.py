"""Faults and how they are drawn. In: shares by kind, a seed, requests; out: for each a fault, or none."""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from colosseum.chaos.odd_answers import ARGUMENTS, SHAPES
from colosseum.diagnostics import closest, stop

TRANSPORT: Final = (
    "refused", "cut", "truncated", "server-error", "rate-limit", "retry-after", "slow", "stalled", "redirect",
)  # fmt: skip
GROUPS: Final = {"transport": TRANSPORT, "shapes": tuple(SHAPES)}
"""Names for several kinds, each of which gets the share that is given."""
KINDS: Final = (*TRANSPORT, *SHAPES, ARGUMENTS)
PACING: Final = "pacing"  # its value is a rate: so many requests in a second, evenly; more of them get 429
USUAL_SHARE: Final = 0.01
IN_A_ROW: Final = 3
"""Faults of one request, one after the other; then it passes, so that a client that tries four times succeeds."""


@dataclass(frozen=True)
class Injection:
    """What one request gets."""

    digest: str
    """Of the request."""
    time: int
    """From 1: how often the same request came by now."""
    kind: str | None
    """None: the answer of the endpoint."""
    details: random.Random
    """For what a kind leaves open, such as the status."""


@dataclass
class Faults:
    """Draws by request and how often it came, so that the order in which requests come does not matter."""

    shares: dict[str, float]
    """Of all requests, by kind; together at most 1."""
    seed: int
    pacing: float | None = None
    """Requests that are let through in a second."""
    came: Counter[str] = field(default_factory=Counter)
    """How often each digest came."""
    in_a_row: Counter[str] = field(default_factory=Counter)

    def draw(self, digest: str) -> Injection:
        """The fault of the next request with this digest."""
        self.came[digest] = time = self.came[digest] + 1
        draw = random.Random(f"{self.seed} {digest} {time}")
        rest = max(0.0, 1 - sum(self.shares.values()))
        (kind,) = draw.choices((*self.shares, None), (*self.shares.values(), rest))
        kind = None if self.in_a_row[digest] == IN_A_ROW else kind
        self.in_a_row[digest] = 0 if kind is None else self.in_a_row[digest] + 1
        return Injection(digest, time, kind, draw)


def read_faults(written: str | None, seed: int) -> Faults:
    """Reads `KIND[=SHARE],…`, where a later part wins; None is every kind in GROUPS. Raises ColosseumError."""
    shares: dict[str, float] = {}
    pacing = None
    for part in (written or ",".join(GROUPS)).split(","):
        kind, _, value = (piece.strip() for piece in part.partition("="))
        if kind == PACING:
            pacing = _number(part, value, 0.001, 10_000)
            continue
        if kind not in GROUPS and kind not in KINDS:
            known = (*GROUPS, *KINDS, PACING)
            raise stop("C122", f"there is no fault `{kind}`", help=closest(kind, known) or f"kinds: {', '.join(known)}")
        share = _number(part, value, 0, 1) if value else USUAL_SHARE
        shares |= dict.fromkeys(GROUPS.get(kind, (kind,)), share)
    if (total := sum(shares.values())) > 1 + 1e-9:
        raise stop("C122", f"the shares of `--faults` add up to {total:g}", help="together they are at most 1")
    return Faults(shares, seed, pacing)


def _number(part: str, value: str, least: float, most: float) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not least <= number <= most:
        example = f"{PACING}=5" if most > 1 else "cut=0.05"
        raise stop("C122", f"`--faults {part}` needs a number from {least} to {most:,}", help=f"as in `{example}`")
    return number
