"""Max-plus elimination on arrays. In: tables over few variables and an order; out: the greatest sum, and where it is.

Bucket elimination: the tables that know a variable are added up and the variable is maximised out, which leaves a
table over its neighbours (Dechter, "Bucket elimination", Artificial Intelligence 113, 1999). The variable that goes
first has the first axis everywhere, so that tables meet without being turned and maxima run over whole rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import prod
from typing import TypeAlias

import numpy as np

from colosseum.solve.arrays.fields import Floats
from colosseum.solve.elimination.ordering import Order

WRITTEN_OUT = 1 << 15
"""Joint values up to which a sum of tables is written out before it is maximised."""

Places: TypeAlias = dict[str, int]
"""By variable: the place of its value in its domain."""


@dataclass(eq=False)
class Bucket:
    """A variable, and what is added up when it goes."""

    name: str
    rest: list[str] = field(default_factory=list)
    """The other variables that it shares a table with then, in the order in which they go."""
    tables: list[int] = field(default_factory=list)
    """Numbers of the tables that come here."""
    below: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    """Numbers of the buckets whose results come here, with the shapes in which they do."""
    shape: tuple[int, ...] = ()
    """Of the sum of all that: the domain sizes of the variable and of the rest."""


class Buckets:
    """Which tables are added where: made once for all tables over the same variables."""

    def __init__(self, scopes: Sequence[Sequence[str]], sizes: Mapping[str, int], order: Order) -> None:
        self.sizes, self.scopes = sizes, scopes
        self.turn = {name: turn for turn, name in enumerate(order.names)}
        self.buckets = [Bucket(name) for name in order.names]
        self.numbers = [number for number, scope in enumerate(scopes) if not scope]
        """Tables over no variable."""
        near: list[set[int]] = [set() for _ in order.names]
        for number, scope in enumerate(scopes):
            if scope:
                turns = sorted(self.turn[name] for name in scope)
                self.buckets[turns[0]].tables.append(number)
                near[turns[0]].update(turns[1:])
        for turn, bucket in enumerate(self.buckets):
            later = sorted(near[turn])
            bucket.rest = [order.names[t] for t in later]
            bucket.shape = self._shape(bucket, (bucket.name, *bucket.rest))
            if later:
                near[later[0]].update(later[1:])
        for turn, bucket in enumerate(self.buckets):
            if bucket.rest:
                above = self.buckets[self.turn[bucket.rest[0]]]
                above.below.append((turn, self._shape(above, bucket.rest)))

    def _shape(self, bucket: Bucket, scope: Sequence[str]) -> tuple[int, ...]:
        """A table's shape among the tables of a bucket: 1 for the variables that it lacks."""
        return tuple(self.sizes[name] if name in scope else 1 for name in (bucket.name, *bucket.rest))

    def laid(self, number: int, table: Floats) -> Floats:
        """A table, its axes in the order of its scope, as its bucket adds it up."""
        scope = self.scopes[number]
        if not scope:
            return table
        axes = sorted(range(len(scope)), key=lambda axis: self.turn[scope[axis]])
        bucket = self.buckets[self.turn[scope[axes[0]]]]
        return np.ascontiguousarray(table.transpose(axes)).reshape(self._shape(bucket, scope))

    def solve(self, tables: Sequence[Floats]) -> "Solution":
        """Eliminate every variable from tables that are laid."""
        found = Solution(self, tables, float(sum(tables[number] for number in self.numbers)))
        for turn, bucket in enumerate(self.buckets):
            whole, result = _eliminated(found.parts(turn), bucket.shape)
            found.wholes.append(whole)
            found.results.append(result)
            if not bucket.rest:
                found.value += float(result)
        return found


@dataclass(eq=False)
class Solution:
    """What elimination left of each bucket."""

    buckets: Buckets
    tables: Sequence[Floats]
    value: float
    """The greatest sum of all tables; −∞ where they cannot hold together."""
    wholes: list[Floats | None] = field(default_factory=list)
    """The sum of what went into each, where it was written out."""
    results: list[Floats] = field(default_factory=list)
    """The greatest sum over the rest of each."""

    def parts(self, turn: int) -> list[Floats]:
        """What a bucket adds up."""
        bucket = self.buckets.buckets[turn]
        inside = [self.tables[number] for number in bucket.tables]
        return inside + [self.results[below].reshape(shape) for below, shape in bucket.below]

    def first(self, *, slack: float) -> Places:
        """Where the sum is at most `slack` below the greatest: the first such place, last to go coming first.

        What one variable gives away is lost for those behind it, so that the whole stays within the slack.
        """
        places: Places = {}
        for turn in reversed(range(len(self.results))):
            bucket, whole = self.buckets.buckets[turn], self.wholes[turn]
            at: tuple[slice | int, ...] = (slice(None), *[places[name] for name in bucket.rest])
            column = reduce(np.add, [_column(part, at) for part in self.parts(turn)]) if whole is None else whole[at]
            place = int(column.argmax())
            if slack:
                below = column[place] - column
                place = int((below <= slack).argmax())
                slack -= float(below[place])
            places[bucket.name] = place
        return places


def _column(part: Floats, at: tuple[slice | int, ...]) -> Floats:
    """A table along its first axis, with the other variables at these places; it lacks those of axes of length 1."""
    column: Floats = part[tuple(place if size > 1 else 0 for place, size in zip(at, part.shape, strict=True))]
    return column


def _eliminated(parts: Sequence[Floats], shape: Sequence[int]) -> tuple[Floats | None, Floats]:
    """The sum, unless it is too large to write out, and its greatest values over the first axis."""
    if not parts:
        return np.zeros(shape), np.zeros(())
    whole: Floats
    if prod(shape) <= WRITTEN_OUT or len(parts) == 1:
        whole = reduce(np.add, parts)
        return whole, np.maximum.reduce(whole, axis=0)
    largest, *others = sorted(parts, key=lambda part: -part.size)
    found, room = np.full(shape[1:], -np.inf), np.empty(shape[1:])
    for place in range(shape[0]):
        np.add(largest[place], others[0][place], out=room)
        for other in others[1:]:
            room += other[place]
        np.maximum(found, room, out=found)
    return None, found
