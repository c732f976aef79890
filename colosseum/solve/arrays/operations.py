"""The model's operators on fields. In: fields; out: the field of results, each what colosseum/model/values.py says.

Numbers and conditions are worked on whole; anything else is done once for every pair of distinct values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite

import numpy as np

from colosseum.model.values import Value, arithmetic, compare, member
from colosseum.solve.arrays.fields import (
    LARGEST_WHOLE,
    Conditions,
    Field,
    Floats,
    Irregular,
    Mask,
    Numbers,
    Places,
    as_codes,
    as_numbers,
    chosen,
    either,
    outside,
    pairwise,
    some,
    within,
)

_OPERATIONS: dict[str, Callable[[Floats, Floats], Floats]] = {"+": np.add, "-": np.subtract, "*": np.multiply}
_ORDERS: dict[str, Callable[[Floats, Floats], Mask]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def calculated(operator: str, left: Field, right: Field) -> Field:
    """`+ - * / &`."""
    if not (isinstance(left, Numbers) and isinstance(right, Numbers)) or operator == "&":
        return pairwise(partial(arithmetic, operator), left, right)
    none, fault = either(left.none, right.none), either(left.fault, right.fault)
    if operator == "/":
        zero = right.values == 0
        quotient = left.values / np.where(zero, 1.0, right.values)
        return finite(Numbers(quotient, none, either(fault, some(outside(zero, none))), whole=False, reach=np.inf))
    values = _OPERATIONS[operator](left.values, right.values)
    reach = left.reach * right.reach if operator == "*" else left.reach + right.reach
    whole = left.whole and right.whole
    if whole and reach > LARGEST_WHOLE:
        reach = farthest(values, either(none, fault))
        if not reach <= LARGEST_WHOLE:
            raise Irregular
    return finite(Numbers(values, none, fault, whole, reach))


def added(parts: Sequence[Field], nowhere: tuple[int, ...]) -> Field:
    """The sum, from the left, beginning with the whole number 0; a part that is no number is a fault."""
    values: Floats = np.zeros(nowhere)
    fault: Mask | None = None
    whole, reach = True, 0.0
    for part in parts:
        numbers, other = as_numbers(part)
        values = values + numbers.values
        fault = either(fault, numbers.fault, numbers.none, other)
        whole, reach = whole and numbers.whole, reach + numbers.reach
        if whole and reach > LARGEST_WHOLE:
            raise Irregular
    return finite(Numbers(values, None, fault, whole, reach))


def finite(numbers: Numbers) -> Numbers:
    """The numbers, a fault where one is not finite."""
    if isfinite(numbers.reach):
        return numbers
    endless = ~np.isfinite(numbers.values)
    values = np.where(endless, 0.0, numbers.values)
    fault = either(numbers.fault, some(outside(endless, numbers.none)))
    return replace(numbers, values=values, fault=fault, reach=farthest(values, None))


def farthest(values: Floats, nothing: Mask | None) -> float:
    """How far from 0 a number lies, where there is one."""
    return float(np.abs(values if nothing is None else np.where(nothing, 0.0, values)).max(initial=0.0))


def absolute(field: Field) -> Numbers:
    """`abs`."""
    numbers, other = as_numbers(field)
    return replace(numbers, values=np.abs(numbers.values), fault=either(numbers.fault, other))


def extremum(
    items: Sequence[tuple[Conditions, Field]], nowhere: tuple[int, ...], *, least: bool, aggregate: bool
) -> Numbers:
    """The least or greatest of the items whose condition holds."""
    end, extreme = (np.inf, np.minimum) if least else (-np.inf, np.maximum)
    values: Floats = np.full(nowhere, end)
    anybody: Mask = np.zeros(nowhere, dtype=np.bool_)
    none, fault, others = None, None, None
    reach, whole = 0.0, False
    for which, item in items:
        holds = None if which.holds.all() else which.holds
        numbers, other = as_numbers(item)
        fault = either(fault, which.fault, within(numbers.fault, holds))
        none, others = either(none, within(numbers.none, holds)), either(others, within(other, holds))
        values = extreme(values, numbers.values if holds is None else np.where(holds, numbers.values, end))
        anybody = anybody | which.holds
        reach, whole = max(reach, numbers.reach), whole or numbers.whole
    if aggregate:
        fault, none = either(fault, none), None
    fault = either(fault, some(~anybody), None if others is None else outside(others, none))
    return Numbers(values, none, fault, whole, reach)


def conditional(which: Conditions, then: Field, otherwise: Field) -> Field:
    """One branch or the other."""
    if not (isinstance(then, Numbers) and isinstance(otherwise, Numbers)):
        return chosen([(which.holds, then), (~which.holds, otherwise)], fault=which.fault, none=None)
    values, none, fault = np.where(which.holds, then.values, otherwise.values), None, which.fault
    if not (then.fault is None and otherwise.fault is None):
        fault = either(fault, within(then.fault, which.holds), within(otherwise.fault, ~which.holds))
    if not (then.none is None and otherwise.none is None):
        none = either(within(then.none, which.holds), within(otherwise.none, ~which.holds))
    return Numbers(values, none, fault, then.whole or otherwise.whole, max(then.reach, otherwise.reach))


def compared(operator: str, left: Field, right: Field) -> Field:
    """`== != < <= > >=`."""
    if isinstance(left, Numbers) and isinstance(right, Numbers):
        return _compared_numbers(operator, left, right)
    if isinstance(left, Conditions) and isinstance(right, Conditions) and operator in ("==", "!="):
        same = left.holds == right.holds
        return Conditions(same if operator == "==" else ~same, either(left.fault, right.fault))
    return pairwise(partial(compare, operator), left, right)


def _compared_numbers(operator: str, left: Numbers, right: Numbers) -> Conditions:
    none, fault = either(left.none, right.none), either(left.fault, right.fault)
    if operator not in ("==", "!="):
        return Conditions(outside(_ORDERS[operator](left.values, right.values), none), fault)
    same = outside(left.values == right.values, none)
    if left.none is not None and right.none is not None:
        same = same | (left.none & right.none)
    return Conditions(same if operator == "==" else ~same, fault)


def contained(item: Field, elements: Field) -> Field:
    """`item in elements`."""
    return pairwise(member, item, elements)


def junction(parts: Sequence[Conditions], nowhere: tuple[int, ...], *, every: bool) -> Conditions:
    """`and` goes on while parts hold, `or` while they do not; what stands behind the last is not looked at."""
    on: Mask = np.ones(nowhere, dtype=np.bool_)
    fault: Mask | None = None
    for part in parts:
        fault = either(fault, within(part.fault, on))
        on = outside(on & (part.holds if every else ~part.holds), part.fault)
    return Conditions(on if every else ~on, fault)


@dataclass(frozen=True)
class Index:
    """A key term's values among those of the index that it looks up."""

    places: Places
    """Where each stands among them; their number stands for "nowhere"."""
    none: Mask | None
    fault: Mask | None
    place: dict[Value, int]
    """Of each distinct value of the index."""

    @classmethod
    def of(cls, field: Field, values: Sequence[Value]) -> "Index":
        """Values that Python calls equal are one, as they are in the model's tables."""
        place = {value: number for number, value in enumerate(dict.fromkeys(values))}
        codes = as_codes(field)
        nowhere = len(place)
        listed = np.array([nowhere if v is None else place.get(v, nowhere) for v in codes.palette], dtype=np.intp)
        none = np.array([v is None for v in codes.palette])
        return cls(listed[codes.codes], some(none[codes.codes]), codes.fault, place)
