"""Properties computed on first read. In: a method of a frozen object; out: a property that keeps its result."""

from collections.abc import Callable
from typing import Generic, TypeVar

S = TypeVar("S")
T = TypeVar("T")


class lazy_property(Generic[S, T]):  # noqa: N801 - used as `property` is
    """`functools.cached_property` for objects that are made by the hundred thousand.

    It takes no lock, which that does before Python 3.12, and asks for no `__dict__`, so objects stay half as large.
    """

    def __init__(self, compute: Callable[[S], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type[object], name: str) -> None:
        self._name = name

    def __get__(self, of: S, owner: type[object]) -> T:
        if of is None:  # asked of the class
            return self  # type: ignore[return-value]
        found = self._compute(of)
        object.__setattr__(of, self._name, found)
        return found
