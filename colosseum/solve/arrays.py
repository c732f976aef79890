"""A term at all joint values of its scope at once. In: a ground term and variables; out: an array, an axis a variable.

Numbers and conditions are computed by numpy, with NaN for none. What has names or sets in it, passes 2^52, or cannot be
computed where no guard skips it is evaluated value by value: every element is exact, to the last bit.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import product
from math import prod
from operator import is_
from types import MappingProxyType, NoneType
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from colosseum.model import terms
from colosseum.model.scenario import Variable
from colosseum.model.terms import Assignment, Ground, Term
from colosseum.model.values import Fault, Value

Floats: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = npt.NDArray[np.bool_]
Array: TypeAlias = npt.NDArray[Any]
"""Floats, NaN for none and FAULT among them, or conditions; axes of length 1 are of variables that do not matter."""

FARTHEST_WHOLE: Final = 2.0**52  # whole numbers up to here are added and multiplied exactly in floating point
FEW: Final = 500
"""Joint values times parts of a term that are evaluated one by one in less time than arrays take to set up."""
FAULT: Final = math.inf
"""Stands for what cannot be computed, such as a share of nobody; only a case that takes another branch may read it."""
MOST_ENTRIES: Final = 1 << 11  # of the table of a term that is kept, …
MOST_TABLES: Final = 1 << 12  # … and how many of them are
_OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip


class Irregular(Exception):  # noqa: N818 - a finding about the values, not a failure
    """Numpy would not give these values exactly: the term is evaluated value by value instead."""


def worths(term: Term, variables: Sequence[Variable], *, given: Assignment = MappingProxyType({})) -> Floats:
    """`worth(term, x)` for all joint values x of some variables, an axis each; the rest of its scope is given."""
    places, fewer = represented(term, variables)
    few = term.extent[0] <= FEW // prod(len(v.domain) for v in fewer)
    return (one_by_one if few else at_once)(term, fewer, given)[np.ix_(*places)]


def represented(term: Term, variables: Sequence[Variable]) -> tuple[list[list[int]], list[Variable]]:
    """For each variable, the number of each value's class, whose values a term treats alike, and one value of each."""
    places, fewer = list[list[int]](), list[Variable]()
    for v in variables:
        known, found = term.distinguished.get(v.name, frozenset()), dict[object, tuple[int, Value]]()
        classes = [value if known is None or value in known else type(value) for value in v.domain]
        places.append([found.setdefault(of, (len(found), d))[0] for of, d in zip(classes, v.domain, strict=True)])
        fewer.append(Variable(v.name, v.owner, tuple(value for _, value in found.values())))
    return places, fewer


def at_once(term: Term, variables: Sequence[Variable], given: Assignment) -> Floats:
    """The same, by arrays as far as they are exact."""
    try:
        return Evaluation(variables, given).values(term)
    except Irregular:
        return one_by_one(term, variables, given)


def one_by_one(term: Term, variables: Sequence[Variable], given: Assignment) -> Floats:
    """The same, each value evaluated for itself."""
    names, x, found = [v.name for v in variables], {**given}, list[float]()
    for values in product(*(v.domain for v in variables)):
        x.update(zip(names, values, strict=True))
        found.append(worth(term, x))
    return np.array(found).reshape([len(v.domain) for v in variables])


def worth(term: Term, assignment: Assignment) -> float:
    """A term's value as a number: a condition is 1 or 0; none, and what cannot be computed, are 0.

    A guard elsewhere keeps these from counting; where there is none, evaluating the optimum raises the Fault.
    """
    try:
        return as_number(term.evaluate(assignment))
    except Fault:
        return 0.0


def as_number(value: Value) -> float:
    """A number as it is, a condition as 1 or 0, and 0 for everything else."""
    return float(value) if isinstance(value, int | float) else 0.0


# ---- terms that are asked for again and again ------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ValueTable:
    """A term at all joint values of its scope: an axis a variable, an entry for values that it cannot tell apart."""

    places: Mapping[str, Mapping[Value, int]]
    """By variable, where each of its values stands on the axis."""
    entries: Floats

    def at(self, given: Assignment, open_: Collection[str]) -> Floats:
        """Its entries where its variables are given, but for those that are open, which have an axis each."""
        places = self.places.items()
        return self.entries[tuple([slice(None) if name in open_ else place[given[name]] for name, place in places])]

    def spread(self, entries: Floats, names: Sequence[str]) -> Floats:
        """The same with a place for each value of these variables, whose axes are left."""
        for axis, name in enumerate(names):
            entries = entries.take([*self.places[name].values()], axis)
        return entries


@lru_cache(MOST_TABLES)
def value_table(term: Term, variables: tuple[Variable, ...]) -> ValueTable | None:
    """The table of a term over its scope; None where that is large, or would take long to make.

    Tasks of other seeds have many terms in common.
    """
    places, fewer = represented(term, variables)
    entries = prod(len(v.domain) for v in fewer)
    if entries > MOST_ENTRIES:
        return None
    try:
        found = one_by_one(term, fewer, {}) if term.extent[0] * entries <= FEW else Evaluation(fewer, {}).values(term)
    except Irregular:
        return None
    named = {v.name: dict(zip(v.domain, each, strict=True)) for v, each in zip(variables, places, strict=True)}
    return ValueTable(named, found)


class Evaluation:
    """Arrays of terms over some variables; a part that is shared is evaluated once."""

    def __init__(self, variables: Sequence[Variable], given: Assignment) -> None:
        self.shape = [len(v.domain) for v in variables]
        self.domains = {v.name: v.domain for v in variables if len(v.domain) > 1}
        self.single = {**given, **{v.name: v.domain[0] for v in variables if len(v.domain) == 1}}
        """The values of variables that can take one only, or are given: they have no axis."""
        self.known: dict[int, Array] = {}
        """By the identity of a term, which lives as long as the one that was asked for."""

    def values(self, term: Term) -> Floats:
        """What a term is worth, an axis for each variable. Raises Irregular where arrays are not exact."""
        with np.errstate(all="ignore"):
            found = self.array(term)
        numbers, moving = np.where(np.isfinite(found), found, 0.0), [len(domain) for domain in self.domains.values()]
        return np.broadcast_to(numbers, moving).reshape(self.shape)

    def array(self, term: Term) -> Array:
        """The values of a term of numbers or conditions. Raises Irregular for all else."""
        if id(term) not in self.known:
            self.known[id(term)] = self._made(term)
        return self.known[id(term)]

    def _made(self, term: Term) -> Array:
        names = frozenset[str]() if isinstance(term, terms.Constant) else term.scope.intersection(self.domains)
        few = not names or term.extent[0] <= FEW // prod(len(self.domains[name]) for name in names)
        if not few and not isinstance(term, terms.Select | terms.Member):
            with suppress(Irregular):
                return computed(term, [self.array(part) for part in term.below])
        moving = [name for name in self.domains if name in names]
        values, x = list[Value](), dict(self.single)
        for each in product(*(self.domains[name] for name in moving)):
            x.update(zip(moving, each, strict=True))
            try:
                values.append(term.evaluate(x))
            except Fault:
                values.append(FAULT)
        kinds = set(map(type, values))
        if kinds != {bool} and not kinds <= {int, float, NoneType}:
            raise Irregular
        found = np.array(values, dtype=np.bool_ if kinds == {bool} else np.float64)  # none becomes NaN
        exact(found[found != FAULT])
        return found.reshape([len(d) if name in names else 1 for name, d in self.domains.items()])


def computed(term: Term, parts: Sequence[Array]) -> Array:
    """The values of a term, from those of its parts. Raises Irregular."""
    numbers, conditions = ({part.dtype for part in parts} == {np.dtype(kind)} for kind in (np.float64, np.bool_))
    if not isinstance(term, terms.Conditional) and any(np.isinf(part).any() for part in parts):
        raise Irregular
    match term:
        case terms.Conditional() if parts[0].dtype == np.bool_ and parts[1].dtype == parts[2].dtype:
            return np.where(*parts)
        case terms.Every() | terms.Some() if conditions:
            return reduce(np.logical_and if isinstance(term, terms.Every) else np.logical_or, parts)
        case terms.Inverse() if conditions:
            return ~parts[0]
        case terms.Compare(operator="==" | "!=" as operator) if numbers:
            same: Mask = (parts[0] == parts[1]) | (np.isnan(parts[0]) & np.isnan(parts[1]))
            return same if operator == "==" else ~same
        case terms.Arithmetic(operator="/") if numbers:
            faults = (parts[1] == 0) & ~np.isnan(parts[0])
            return np.where(faults, FAULT, exact(np.where(faults, 0.0, parts[0] / parts[1])))
        case terms.Compare(operator=operator) | terms.Arithmetic(operator="+" | "-" | "*" as operator) if numbers:
            return exact(_OPERATIONS[operator](*parts))
        case terms.Total() if numbers and not any(np.isnan(part).any() for part in parts):
            return reduce(lambda left, right: exact(left + right), parts)  # from the left, as the model adds
        case terms.Absolute() if numbers:
            return np.abs(parts[0])
        case terms.Extremum():
            return _extremum(term, parts[: len(term.parts)], parts[len(term.parts) :])
    raise Irregular


def _extremum(term: terms.Extremum, parts: Sequence[Array], holding: Sequence[Array]) -> Floats:
    """The least or greatest of the numbers that take part. Raises Irregular where there is none."""
    best, worst = (np.minimum, FARTHEST_WHOLE) if term.which == "min" else (np.maximum, -FARTHEST_WHOLE)
    regular = all(part.dtype == np.float64 for part in parts) and all(held.dtype == np.bool_ for held in holding)
    if regular and reduce(np.logical_or, holding).all():
        found: Floats = reduce(best, [np.where(*each, worst) for each in zip(holding, parts, strict=True)])
        if not (term.aggregate and np.isnan(found).any()):
            return found
    raise Irregular


def exact(values: Array) -> Array:
    """The values. Raises Irregular where a number is farther from 0 than whole numbers are exact."""
    if not np.fmax.reduce(np.abs(values), axis=None, initial=0.0) <= FARTHEST_WHOLE:
        raise Irregular
    return values


def rewritten(term: Term, swap: Callable[[Term], Term | None]) -> Term:
    """The term with what `swap` gives in place of each part for which it gives anything; the rest is kept."""
    return cast(Term, _rewritten(term, swap))


def _rewritten(part: object, swap: Callable[[Term], Term | None]) -> object:
    if isinstance(part, tuple):
        parts = tuple([_rewritten(each, swap) for each in part])
        return part if all(map(is_, parts, part)) else parts
    if not isinstance(part, Ground):
        return part
    found = swap(cast(Term, part))
    if found is not None or not part.below:
        return part if found is None else found
    was = [getattr(part, name) for name in cast(Any, part).__match_args__]
    now = [_rewritten(each, swap) for each in was]
    return part if all(map(is_, now, was)) else type(part)(*now)
