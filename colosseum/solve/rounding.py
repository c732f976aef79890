"""Tolerances for rounding. In: values of one size; out: how far they may lie apart and still be called equal."""

ROUNDING = 1e-9
"""Differences within this, relative to max(1, |value|), are rounding and count as 0."""


def grain(*values: float) -> float:
    """How far values of the size of the greatest of these may lie apart and still be called equal."""
    return ROUNDING * max((1.0, *map(abs, values)))


def rounded(difference: float, reference: float) -> float:
    """A difference without what rounding leaves of values like the reference: a best response has regret 0."""
    return 0.0 if abs(difference) <= grain(reference) else difference
