"""A value for every joint value of some variables. In: codes into lists of values; out: arrays of one kind each.

All arrays of one evaluation have the same axes, one a variable, of length 1 where the variable does not matter. What
cannot be computed somewhere is a fault there; faults stay where they are until somebody asks for numbers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from colosseum.model.values import Fault, Value, is_number

Floats: TypeAlias = npt.NDArray[np.float64]
Places: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = npt.NDArray[np.bool_]
LARGEST_WHOLE = 2.0**52
"""Whole numbers up to here are added and multiplied exactly in floating point."""
MOST_PAIRS = 200_000
"""Pairs of distinct values that an operation may go through one by one."""


class Irregular(Exception):  # noqa: N818 - a finding about the values, not a failure
    """These values have no exact array: they are computed one by one instead."""


@dataclass(frozen=True)
class Numbers:
    """Numbers, none and faults."""

    values: Floats
    """Anything where there is none or a fault."""
    none: Mask | None
    """Where there is none, as far as there is no fault; None for nowhere."""
    fault: Mask | None
    whole: bool
    """Whether some may be whole numbers to Python, which it keeps exact whatever their size."""
    reach: float
    """No value is farther from 0."""


@dataclass(frozen=True)
class Conditions:
    """Conditions and faults."""

    holds: Mask
    fault: Mask | None


@dataclass(frozen=True)
class Codes:
    """Values of any kind: places in a palette, and faults."""

    codes: Places
    palette: tuple[Value, ...]
    """Distinct values; none is one of them."""
    fault: Mask | None


Field: TypeAlias = Numbers | Conditions | Codes


# ---- masks -----------------------------------------------------------------------------------------------------------


def either(*masks: Mask | None) -> Mask | None:
    """Where any of them holds."""
    found = [m for m in masks if m is not None]
    if not found:
        return None
    result = found[0]
    for mask in found[1:]:
        result = result | mask
    return result


def within(mask: Mask | None, where: Mask | None) -> Mask | None:
    """A mask where another holds; None is nowhere for the first and everywhere for the second."""
    return mask if mask is None or where is None else mask & where


def outside(mask: Mask, where: Mask | None) -> Mask:
    """A mask where another does not hold."""
    return mask if where is None else mask & ~where


def some(mask: Mask) -> Mask | None:
    """The mask, or None where it holds nowhere."""
    return mask if mask.any() else None


# ---- from values -----------------------------------------------------------------------------------------------------


def coded(codes: Places, values: Sequence[Value], fault: Mask | None) -> Field:
    """The field that has `values[code]` everywhere, of the narrowest kind."""
    if all(v is None or is_number(v) for v in values):
        return _numbers(codes, values, fault)
    if all(isinstance(v, bool) for v in values):
        return Conditions(np.array(values, dtype=np.bool_)[codes], fault)
    return Codes(codes, tuple(values), fault)


def _numbers(codes: Places, values: Sequence[Value], fault: Mask | None) -> Numbers:
    numbers = [v for v in values if isinstance(v, int | float)]
    whole = any(isinstance(v, int) for v in numbers)
    reach = float(max(map(abs, numbers), default=0.0))
    if whole and reach > LARGEST_WHOLE:
        raise Irregular
    table = np.array([float(v) if isinstance(v, int | float) else 0.0 for v in values])
    none = np.array([v is None for v in values])[codes] if len(numbers) < len(values) else None
    return Numbers(table[codes], none, fault, whole, reach)


def as_codes(field: Field) -> Codes:
    """The same values as places in a palette."""
    match field:
        case Codes():
            return field
        case Conditions(holds=holds, fault=fault):
            return Codes(holds.astype(np.intp), (False, True), fault)
        case Numbers(values=values, none=none, fault=fault):
            palette, codes = np.unique(values, return_inverse=True)
            listed: tuple[Value, ...] = tuple(palette.tolist())
            places = codes.reshape(values.shape)
            if none is None:
                return Codes(places, listed, fault)
            return Codes(np.where(none, len(listed), places), (*listed, None), fault)


def as_numbers(field: Field) -> tuple[Numbers, Mask | None]:
    """The numbers of a field, and where it is neither a number nor none."""
    match field:
        case Numbers():
            return field, None
        case Conditions(holds=holds, fault=fault):
            return Numbers(np.zeros((1,) * holds.ndim), None, fault, whole=False, reach=0.0), np.ones_like(holds)
        case Codes(codes=codes, palette=palette, fault=fault):
            numbers = _numbers(codes, [v if is_number(v) else None for v in palette], fault)
            missing = np.array([v is None for v in palette])[codes]
            other = np.array([not (v is None or is_number(v)) for v in palette])[codes]
            return Numbers(numbers.values, some(missing), fault, numbers.whole, numbers.reach), some(other)


def as_conditions(field: Field) -> Conditions:
    """The conditions of a field; anything else is a fault."""
    match field:
        case Conditions():
            return field
        case Numbers(values=values):
            return Conditions(np.zeros_like(values, dtype=np.bool_), np.ones_like(values, dtype=np.bool_))
        case Codes(codes=codes, palette=palette, fault=fault):
            holds = np.array([v is True for v in palette])[codes]
            other = np.array([not isinstance(v, bool) for v in palette])[codes]
            return Conditions(holds, either(fault, some(other)))


# ---- by cases --------------------------------------------------------------------------------------------------------


def chosen(cases: Sequence[tuple[Mask, Field]], *, fault: Mask | None, none: Mask | None) -> Field:
    """The field of the case that holds, of which there is one at most; where none does, it is `none` or a `fault`.

    It is a fault there whatever holds.
    """
    fault = either(fault, *(within(field.fault, mask) for mask, field in cases))
    numbers = [(mask, field) for mask, field in cases if isinstance(field, Numbers)]
    if cases and len(numbers) == len(cases):
        return _chosen_numbers(numbers, fault, none)
    palette = Palette()
    codes: Places = np.full((), palette.place(None) if none is not None else 0, dtype=np.intp)
    for mask, field in cases:
        inner = as_codes(field)
        places = np.array([palette.place(v) for v in inner.palette], dtype=np.intp)
        codes = np.where(mask, places[inner.codes], codes)
    return coded(codes, palette.values, fault)


def _chosen_numbers(cases: Sequence[tuple[Mask, Numbers]], fault: Mask | None, none: Mask | None) -> Numbers:
    values: Floats = np.zeros(())
    for mask, field in cases:
        values = np.where(mask, field.values, values)
        none = either(none, within(field.none, mask))
    return Numbers(values, none, fault, any(f.whole for _, f in cases), max(f.reach for _, f in cases))


class Palette:
    """Distinct values in the order of their first use. Values that Python calls equal differ if their types do."""

    def __init__(self) -> None:
        self.places: dict[tuple[type, Value], int] = {}

    def place(self, value: Value) -> int:
        """The place of a value, which is added if it is new."""
        return self.places.setdefault((type(value), value), len(self.places))

    @property
    def values(self) -> list[Value]:
        """All of them; none where there are none, so that what is a fault everywhere has something to stand for."""
        return [value for _, value in self.places] or [None]


# ---- value by value --------------------------------------------------------------------------------------------------


def pairwise(operation: Callable[[Value, Value], Value], left: Field, right: Field) -> Field:
    """An operation of the model, done once for every pair of distinct values."""
    a, b = as_codes(left), as_codes(right)
    if len(a.palette) * len(b.palette) > MOST_PAIRS:
        raise Irregular
    table, faulty, values = _table(((x, y) for x in a.palette for y in b.palette), operation)
    shape = (len(a.palette), len(b.palette))
    fault = either(a.fault, b.fault)
    if any(faulty):
        fault = either(fault, np.array(faulty).reshape(shape)[a.codes, b.codes])
    return coded(np.array(table, dtype=np.intp).reshape(shape)[a.codes, b.codes], values, fault)


def _table(
    pairs: Iterable[tuple[Value, Value]], operation: Callable[[Value, Value], Value]
) -> tuple[list[int], list[bool], list[Value]]:
    """For each pair the place of the result, and whether it is a fault; and the distinct results."""
    palette, table, faulty = Palette(), list[int](), list[bool]()
    for pair in pairs:
        try:
            table.append(palette.place(operation(*pair)))
            faulty.append(False)
        except Fault:
            table.append(0)
            faulty.append(True)
    return table, faulty, palette.values
