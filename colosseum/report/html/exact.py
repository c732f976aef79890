"""Whole numbers for browsers. In: plain data; out: the same, with numbers that a browser would round as texts."""

from typing import Any, Final

SAFE: Final = 2**53 - 1
"""Up to here every whole number is one of a browser's."""


def exact(data: Any) -> Any:
    """The data with whole numbers beyond SAFE as their digits."""
    if isinstance(data, dict):
        return {name: exact(value) for name, value in data.items()}
    if isinstance(data, list | tuple):
        return [exact(value) for value in data]
    return str(data) if isinstance(data, int) and abs(data) > SAFE else data
