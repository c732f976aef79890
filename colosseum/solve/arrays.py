"""A term at all joint values of its scope at once. In: a ground term and variables; out: an array, an axis a variable.

An array of numbers has floats, NaN for none, which arithmetic hands on and orders are false with, as the model says.
An array of conditions has those, and any other Python's own objects, FAULT among them. Numbers and conditions are
computed by numpy; for all else the term itself is evaluated, once for every combination of the distinct values of its
parts. So every element is what evaluating the term there gives, to the last bit. Whole numbers past 2^52, which floats
may not tell apart, are not held: Irregular.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import product
from math import prod
from types import MappingProxyType, NoneType
from typing import Any, Final, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from colosseum.model import terms
from colosseum.model.scenario import Variable
from colosseum.model.terms import Assignment, Constant, Decision, Ground, Term
from colosseum.model.values import Fault, Value

Floats: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = npt.NDArray[np.bool_]
Array: TypeAlias = npt.NDArray[Any]
"""Floats, conditions or objects; axes of length 1 are of variables that do not matter."""

FARTHEST_WHOLE: Final = 2.0**52
"""Whole numbers up to here are added and multiplied exactly in floating point."""
FEW: Final = 500
"""Joint values times parts of a term that are evaluated one by one in less time than arrays take to set up."""
FAULT: Final = cast(Value, Fault("no value"))
"""Stands in arrays for what cannot be computed, until it is known whether somebody asks for it."""
_OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip


class Irregular(Exception):  # noqa: N818 - a finding about the values, not a failure
    """These values have no exact array: the term is evaluated one by one instead."""


def worths(term: Term, variables: Sequence[Variable], *, given: Assignment = MappingProxyType({})) -> Floats:
    """`worth(term, x)` for all joint values x of the variables, in their order, the rest of its scope being given.

    Its shape is the sizes of their domains.
    """
    if isinstance(term, terms.Select) and (listed := _listed(term, variables)) is not None:
        return listed
    if term.extent[0] <= FEW // prod(len(v.domain) for v in variables):
        return one_by_one(term, variables, given)
    try:
        return at_once(term, variables, given)
    except Irregular:
        return one_by_one(term, variables, given)


def _listed(term: terms.Select, variables: Sequence[Variable]) -> Floats | None:
    """The entries of a table of constants that is looked up by these variables, each once; None of anything else."""
    names = [key.variable for key in term.keys if isinstance(key, Decision)]
    if len(names) < len(term.keys) or sorted(names) != sorted(v.name for v in variables):
        return None
    entries = {key: as_number(entry.value) for key, entry in term.entries if isinstance(entry, Constant)}
    if len(entries) < len(term.entries):
        return None
    domains = [next(v.domain for v in variables if v.name == name) for name in names]
    found = np.array([0.0 if None in key else entries.get(key, 0.0) for key in product(*domains)])
    return found.reshape([len(d) for d in domains]).transpose([names.index(v.name) for v in variables])


def at_once(term: Term, variables: Sequence[Variable], given: Assignment) -> Floats:
    """The same, by arrays throughout. Raises Irregular where they would not be exact."""
    moving = [v for v in variables if len(v.domain) > 1]
    known = {**given, **{v.name: v.domain[0] for v in variables if len(v.domain) == 1}}
    with np.errstate(over="ignore", invalid="ignore"):
        found = Evaluation(moving, known).array(term)
    if found.dtype == object:
        found = np.array([as_number(value) for value in found.flat]).reshape(found.shape)
    numbers = np.where(np.isnan(found := found.astype(np.float64, copy=False)), 0.0, found)
    return np.broadcast_to(numbers, [len(v.domain) for v in moving]).reshape([len(v.domain) for v in variables])


def one_by_one(term: Term, variables: Sequence[Variable], given: Assignment) -> Floats:
    """The same, each value evaluated for itself."""
    names = [v.name for v in variables]
    every = product(*(v.domain for v in variables))
    found = [worth(term, {**given, **dict(zip(names, x, strict=True))}) for x in every]
    return np.array(found).reshape([len(v.domain) for v in variables])


def worth(term: Term, assignment: Assignment) -> float:
    """A term's value as a number (a condition counts 1 or 0).

    None, and what cannot be computed, count 0: a guard elsewhere in the payoff keeps such assignments from counting,
    and where there is none the final evaluation of the optimum raises the Fault.
    """
    try:
        return as_number(term.evaluate(assignment))
    except Fault:
        return 0.0


def as_number(value: Value) -> float:
    """A number as it is, a condition as 1 or 0, and 0 for everything else."""
    return float(value) if isinstance(value, int | float) else 0.0


class Evaluation:
    """Arrays of terms over some variables; a part that is shared is evaluated once."""

    def __init__(self, variables: Sequence[Variable], single: Assignment) -> None:
        self.domains = {v.name: v.domain for v in variables}
        self.nowhere = (1,) * len(variables)
        """The shape of what no variable changes."""
        self.single = single
        """The values of variables that can take one only, or are given: they have no axis."""
        self.known: dict[int, Array] = {}
        """By the identity of a term, which lives as long as the one that was asked for."""

    def array(self, term: Term) -> Array:
        """The values of a term."""
        found = self.known.get(id(term))
        if found is None:
            found = self._by_numpy(term)
            found = self.known[id(term)] = self._by_evaluation(term) if found is None else found
        return found

    def _by_numpy(self, term: Term) -> Array | None:
        """The values of a term of numbers and conditions; None for all else."""
        match term:
            case Constant(value=value):
                return narrowed([value], self.nowhere)
            case Decision(variable=name):
                domain = self.domains.get(name) or (self.single[name],)
                return narrowed(domain, [len(domain) if each == name else 1 for each in self.domains])
            case terms.Conditional(condition=condition, then=then, otherwise=otherwise):
                holds = self.array(condition)
                return either(holds, self.array(then), self.array(otherwise)) if holds.dtype == bool else None
            case terms.Extremum():
                return self._extremum(term)
            case terms.Compare(operator="==" | "!=", left=Decision(variable=name), right=Constant(value=value)) if (
                name not in self.domains and type(self.single[name]) in (type(value), NoneType)
            ):  # as most parts of a count are, where one agent moves alone
                return np.full(self.nowhere, term.evaluate(self.single))
            case terms.PayoffOf():
                raise KeyError("total" if term.agent is None else f"payoff[{term.agent}]")
            case terms.Member() | terms.Select():
                return None
        parts = [self.array(part) for part in term.below]
        match term:
            case terms.Every() | terms.Some() if all(part.dtype == bool for part in parts):
                joined, start = (np.logical_and, True) if isinstance(term, terms.Every) else (np.logical_or, False)
                return reduce(joined, parts, np.full(self.nowhere, start))
            case terms.Inverse() if parts[0].dtype == bool:
                return ~parts[0]
        return numeric(term, parts, self.nowhere) if all(part.dtype == np.float64 for part in parts) else None

    def _extremum(self, term: terms.Extremum) -> Array | None:
        """The least or greatest of numbers, where everywhere one takes part."""
        holding = [self.array(condition) for condition in term.conditions]
        nobody = np.zeros(self.nowhere, dtype=np.bool_)
        if not all(h.dtype == bool for h in holding) or not reduce(np.logical_or, holding, nobody).all():
            return None
        best, worst = (np.minimum, FARTHEST_WHOLE) if term.which == "min" else (np.maximum, -FARTHEST_WHOLE)
        least = np.full(self.nowhere, worst)
        parts = [either(h, self.array(part), least) for h, part in zip(holding, term.parts, strict=True)]
        if not all(part.dtype == np.float64 for part in parts):
            return None
        found = reduce(best, parts)
        return None if term.aggregate and np.isnan(found).any() else found

    def _by_evaluation(self, term: Term) -> Array:
        """The values of any term, which is evaluated for every combination of its parts' distinct values."""
        parts = {id(part): part for part in term.below if not isinstance(part, Constant)}
        slots = {number: Decision(str(place)) for place, number in enumerate(parts)}
        shell = rewritten(term, lambda part: slots.get(id(part)))
        arrays = [self.array(part) for part in parts.values()]
        names = [slot.variable for slot in slots.values()]

        def value(*values: Value) -> Value:
            try:
                return shell.evaluate(Known(zip(names, values, strict=True)))
            except Fault:
                return FAULT

        return combined(value, arrays) if arrays else narrowed([value()], self.nowhere)


class Known(dict[str, Value]):
    """What the parts of a term are; a FAULT is raised when it is read."""

    def __getitem__(self, name: str) -> Value:
        if (value := super().__getitem__(name)) is FAULT:
            raise cast(Fault, FAULT)
        return value


def rewritten(term: Term, swap: Callable[[Term], Term | None]) -> Term:
    """The term with what `swap` gives in place of each part for which it gives anything; the rest is kept."""

    def made(part: object) -> object:
        if isinstance(part, tuple):
            parts = tuple([made(each) for each in part])
            return part if all(a is b for a, b in zip(parts, part, strict=True)) else parts
        if not isinstance(part, Ground):
            return part
        found = swap(cast(Term, part))
        if found is not None or not part.below:
            return part if found is None else found
        was = [getattr(part, name) for name in cast(Any, part).__match_args__]
        now = [made(each) for each in was]
        return part if all(a is b for a, b in zip(now, was, strict=True)) else type(part)(*now)

    return cast(Term, made(term))


# ---- arrays ----------------------------------------------------------------------------------------------------------


def numeric(term: Term, parts: Sequence[Floats], nowhere: tuple[int, ...]) -> Array | None:
    """Sums, differences and their like of numbers; None where one cannot be computed everywhere."""
    match term:
        case terms.Arithmetic(operator=operator) if operator in _OPERATIONS:
            left, right = parts
            if operator == "/" and not right.all():
                return None
            return within_reach(_OPERATIONS[operator](left, right))
        case terms.Compare(operator="==" | "!=" as operator):
            left, right = parts
            same: Mask = (left == right) | (np.isnan(left) & np.isnan(right))
            return same if operator == "==" else ~same
        case terms.Compare(operator=operator):
            return _OPERATIONS[operator](*parts)
        case terms.Total():
            if any(np.isnan(part).any() for part in parts):
                return None
            if sum(farthest(part) for part in parts) > FARTHEST_WHOLE:
                raise Irregular
            return reduce(np.add, parts, np.zeros(nowhere))  # from the left, as the model adds
        case terms.Absolute():
            return np.abs(parts[0])
        case _:
            return None


def narrowed(values: Sequence[Value], shape: Sequence[int]) -> Array:
    """The array of these values, of the narrowest kind."""
    kinds = set(map(type, values))
    if kinds <= {int, float, NoneType}:
        return within_reach(np.array(values, dtype=np.float64).reshape(shape))  # none becomes NaN
    if kinds == {bool}:
        return np.array(values, dtype=np.bool_).reshape(shape)
    return np.fromiter(values, dtype=object, count=len(values)).reshape(shape)


def within_reach(values: Floats) -> Floats:
    """The numbers. Raises Irregular where one is farther from 0 than whole numbers are exact, or infinite."""
    if not farthest(values) <= FARTHEST_WHOLE:
        raise Irregular
    return values


def farthest(values: Floats) -> float:
    """How far from 0 a number lies at most."""
    most, least = np.fmax.reduce(values, axis=None, initial=0.0), np.fmin.reduce(values, axis=None, initial=0.0)
    return max(float(most), -float(least))


def either(holds: Mask, then: Array, otherwise: Array) -> Array:
    """One array where a condition holds, the other where it does not."""
    if then.dtype == otherwise.dtype != object:
        return np.where(holds, then, otherwise)
    found = np.where(holds, objects(then), objects(otherwise))
    return narrowed(found.ravel().tolist(), found.shape)


def objects(array: Array) -> Array:
    """The same values as objects, none as it is in the model."""
    found = array.astype(object)
    if array.dtype == np.float64:
        found[np.isnan(array)] = None
    return found


def combined(value: Callable[..., Value], arrays: Sequence[Array]) -> Array:
    """A function at every joint element of some arrays, computed once for each combination of distinct elements."""
    shape = np.broadcast_shapes(*(array.shape for array in arrays))
    listed = [distinct(array) for array in arrays]
    if prod(len(values) for values, _ in listed) > prod(shape):
        every = [np.broadcast_to(objects(array), shape).ravel().tolist() for array in arrays]
        return narrowed([value(*each) for each in zip(*every, strict=True)], shape)
    place = np.zeros((), dtype=np.intp)
    for values, codes in listed:
        place = place * len(values) + codes
    return np.asarray(narrowed([value(*each) for each in product(*(values for values, _ in listed))], (-1,))[place])


def distinct(array: Array) -> tuple[list[Value], Places]:
    """The distinct elements of an array, and which of them stands where; True is not 1."""
    if array.dtype != object:
        values, codes = np.unique(array, return_inverse=True)
        return objects(values).tolist(), codes.reshape(array.shape)
    place: dict[tuple[type, Value], int] = {}
    found = [place.setdefault((type(value), value), len(place)) for value in array.ravel().tolist()]
    return [value for _, value in place], np.array(found, dtype=np.intp).reshape(array.shape)
