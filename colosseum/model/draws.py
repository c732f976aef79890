"""Draws keyed by identity. In: a seed, the name of the statement and its index values; out: the same value everywhere.

The key is the text of the seed, the name and the flattened index values joined by U+001F; `h` is its BLAKE2b digest
of 8 bytes, read as a big-endian integer. No running generator: adding an agent or a row changes no other draw.
"""

from collections.abc import Iterable, Sequence
from hashlib import blake2b

from colosseum.diagnostics import closest
from colosseum.model.values import Elements, Fault, Value, flatten, kind, number, text

SEPARATOR = "\x1f"
DRAWS = {
    "choice": "choice(S)", "integer": "integer(lo, hi)", "uniform": "uniform(lo, hi)", "normal": "normal(mean, sd)",
    "sample": "sample(S, k)", "shuffle": "shuffle(S)",
}  # fmt: skip
"""The draws that may stand after `~`, and how each is written."""
FORMS = f"draws: {', '.join(DRAWS.values())}"


def key(seed: int, statement: str, indices: Iterable[Value] = ()) -> str:
    """The identity of one draw."""
    return SEPARATOR.join((str(seed), statement, *map(text, flatten(indices))))


def digest(key: str) -> int:
    """`h`: 64 bits of BLAKE2b."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big")


def integer(key: str, low: Value, high: Value) -> int:
    """Uniform on low..high, both ends included: `low + ((h · n) >> 64)`."""
    a, b = _whole(low, "the low end"), _whole(high, "the high end")
    if a > b:
        raise Fault(f"`integer({a}, {b})` has no value to draw: the low end is above the high end", code="C058")
    return a + ((digest(key) * (b - a + 1)) >> 64)


def unit(key: str) -> float:
    """Uniform on [0, 1) with 53 bits."""
    return (digest(key) >> 11) * 2.0**-53


def uniform(key: str, low: Value, high: Value) -> float:
    """Uniform on [low, high)."""
    a, b = number(low, "the low end"), number(high, "the high end")
    if a > b:
        raise Fault(f"`uniform({a}, {b})`: the low end is above the high end", code="C058")
    return a + (b - a) * unit(key)


def normal(key: str, mean: Value, deviation: Value) -> float:
    """Normal by the inverse CDF at the middle of the 53-bit cell, rounded to 12 digits after the point."""
    from statistics import NormalDist

    mu, sigma = number(mean, "the mean"), number(deviation, "the standard deviation")
    if sigma < 0:
        raise Fault(f"`normal({mu}, {sigma})`: the standard deviation is negative", code="C058")
    return round(mu + sigma * NormalDist().inv_cdf(unit(key) + 2.0**-54), 12)


def choice(key: str, items: Sequence[Value]) -> Value:
    """The item with the least digest of (key, item)."""
    if not items:
        raise Fault("`choice` has nothing to choose from", code="C058")
    return shuffle(key, items)[0]


def sample(key: str, elements: Elements, size: Value) -> Elements:
    """The k items of least digest, in declared order; k is a number or a range to draw it from."""
    if isinstance(size, Elements):
        bounds = [_whole(v, "a sample size") for v in size]
        if not bounds:
            raise Fault("the range of sample sizes is empty", code="C058")
        k = integer(key + SEPARATOR + "size", min(bounds), max(bounds))
    else:
        k = _whole(size, "the sample size")
    if not 0 <= k <= len(elements):
        raise Fault(f"cannot draw {k} of {len(elements)} elements", code="C058")
    chosen = set(shuffle(key, elements)[:k])
    return Elements(tuple(item for item in elements if item in chosen))


def shuffle(key: str, items: Iterable[Value]) -> tuple[Value, ...]:
    """The items sorted by digest of (key, item)."""
    return tuple(sorted(items, key=lambda item: (digest(key + SEPARATOR + text(item)), text(item))))


def drawn(function: str, key: str, arguments: list[Value]) -> Value:
    """The value of a draw by its name. Raises Fault."""
    match function, arguments:
        case "integer" | "normal" | "uniform", [one, other]:
            return {"integer": integer, "normal": normal, "uniform": uniform}[function](key, one, other)
        case "choice", [Elements(items=items)]:
            return choice(key, items)
        case "choice", [_, _, *_]:
            return choice(key, arguments)
        case "sample", [Elements() as pool, size]:
            return sample(key, pool, size)
        case "shuffle", [Elements(items=items)]:
            return Elements(shuffle(key, items))
    if function not in DRAWS:
        raise Fault(f"`{function}` is not a draw", code="C058", help=closest(function, sorted(DRAWS)) or FORMS)
    shown = ", ".join(f"{kind(a)} (`{text(a)}`)" for a in arguments) or "nothing"
    raise Fault(f"`{function}` cannot draw from {shown}", code="C058", help=FORMS)


def _whole(value: Value, role: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise Fault(f"{role} is {kind(value)} (`{text(value)}`), not a whole number", code="C058")
    return int(value)
