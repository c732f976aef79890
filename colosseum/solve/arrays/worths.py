"""A term at all joint values of its scope at once. In: a ground term and variables; out: an array, an axis a variable.

Every element is what evaluating the term there gives, to the last bit: arrays only spare the work of saying it again.
Terms whose values no array holds exactly, such as whole numbers past 2^52, are evaluated one by one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import isfinite, prod
from types import MappingProxyType

import numpy as np

from colosseum.model import terms
from colosseum.model.scenario import Variable
from colosseum.model.terms import Assignment, Term
from colosseum.model.values import Fault, Value, arithmetic, compare, member
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
    as_conditions,
    as_numbers,
    chosen,
    coded,
    either,
    outside,
    pairwise,
    some,
    within,
)
from colosseum.solve.prepared import Rule

FEW = 500
"""Joint values times parts of a term that are evaluated one by one in less time than arrays take to set up."""
MOST_KEYS = 10_000_000
"""Joint keys that a look-up may have between its indices."""
_OPERATIONS: dict[str, Callable[[Floats, Floats], Floats]] = {"+": np.add, "-": np.subtract, "*": np.multiply}
_ORDERS: dict[str, Callable[[Floats, Floats], Mask]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def worths(
    term: Term, variables: Sequence[Variable], *, given: Assignment = MappingProxyType({}), rule: Rule | None = None
) -> Floats:
    """`worth(term, x)` for all joint values x of the variables, in their order, the rest of its scope being given.

    Its shape is the sizes of their domains. A rule that is the term, and remembers, spares work.
    """
    if isinstance(term, terms.Select) and (listed := _listed(term, variables)) is not None:
        return listed
    if term.extent[0] <= FEW // prod(len(v.domain) for v in variables):
        return one_by_one(term, variables, given, rule)
    try:
        return at_once(term, variables, given)
    except Irregular:
        return one_by_one(term, variables, given, rule)


def _listed(term: terms.Select, variables: Sequence[Variable]) -> Floats | None:
    """The entries of a table of constants that is looked up by these variables, each once; None of anything else."""
    names = [key.variable for key in term.keys if isinstance(key, terms.Decision)]
    if len(names) < len(term.keys) or sorted(names) != sorted(v.name for v in variables):
        return None
    if not all(isinstance(entry, terms.Constant) for entry in term.by_key.values()):
        return None
    domain = {v.name: v.domain for v in variables}
    entries = {key: worth(entry, {}) for key, entry in term.by_key.items() if None not in key}
    found = np.array([entries.get(key, 0.0) for key in product(*(domain[name] for name in names))])
    by_key = found.reshape([len(domain[name]) for name in names])
    return np.transpose(by_key, [names.index(v.name) for v in variables])


def at_once(term: Term, variables: Sequence[Variable], given: Assignment) -> Floats:
    """The same, by arrays throughout. Raises Irregular where they would not be exact."""
    moving = [v for v in variables if len(v.domain) > 1]
    known = {**given, **{v.name: v.domain[0] for v in variables if len(v.domain) == 1}}
    with np.errstate(over="ignore", invalid="ignore"):
        found = counted(Evaluation(moving, known).field(term))
    return np.broadcast_to(found, [len(v.domain) for v in moving]).reshape([len(v.domain) for v in variables])


def one_by_one(term: Term, variables: Sequence[Variable], given: Assignment, rule: Rule | None = None) -> Floats:
    """The same, each value evaluated for itself."""
    names = [v.name for v in variables]
    every = product(*(v.domain for v in variables))
    found = [worth(term, {**given, **dict(zip(names, x, strict=True))}, rule) for x in every]
    return np.array(found).reshape([len(v.domain) for v in variables])


def worth(term: Term, assignment: Assignment, rule: Rule | None = None) -> float:
    """A term's value as a number (a condition counts 1 or 0).

    None, and what cannot be computed, count 0: a guard elsewhere in the payoff keeps such assignments from counting,
    and where there is none the final evaluation of the optimum raises the Fault.
    """
    try:
        value = (rule or term.evaluate)(assignment)
    except Fault:
        return 0.0
    return float(value) if isinstance(value, int | float) else 0.0


def counted(field: Field) -> Floats:
    """Numbers, conditions as 1 or 0, and 0 for everything else."""
    if isinstance(field, Conditions):
        return outside(field.holds, field.fault).astype(np.float64)
    if isinstance(field, Numbers):
        nothing = either(field.fault, field.none)
        return field.values if nothing is None else np.where(nothing, 0.0, field.values)
    table = np.array([float(v) if isinstance(v, int | float) else 0.0 for v in field.palette])
    return table[field.codes] if field.fault is None else np.where(field.fault, 0.0, table[field.codes])


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


class Evaluation:
    """Fields of terms over some variables; a part that is shared is evaluated once."""

    def __init__(self, variables: Sequence[Variable], single: Assignment) -> None:
        self.variables = variables
        self.axis = {v.name: place for place, v in enumerate(variables)}
        self.nowhere = (1,) * len(variables)
        """The shape of what no variable changes."""
        self.single = single
        """The values of variables that can take one only, or are given: they have no axis."""
        self.known: dict[int, Field] = {}
        """By the identity of a term, which lives as long as the one that was asked for."""

    def field(self, term: Term) -> Field:
        """The values of a term."""
        found = self.known.get(id(term))
        if found is None:
            found = self.known[id(term)] = self._made(term)
        return found

    def conditions(self, term: Term) -> Conditions:
        """The values of a condition; a fault where it is none."""
        return as_conditions(self.field(term))

    def _made(self, term: Term) -> Field:
        match term:
            case terms.Constant(value=value):
                return self._constant(value)
            case terms.Decision(variable=name):
                return self._decision(name)
            case terms.Arithmetic(operator=operator, left=left, right=right):
                return calculated(operator, self.field(left), self.field(right))
            case terms.Total(parts=parts):
                return added([self.field(p) for p in parts], self.nowhere)
            case terms.Extremum(which=which, parts=parts, conditions=conditions, aggregate=aggregate):
                items = [(self.conditions(c), self.field(p)) for c, p in zip(conditions, parts, strict=True)]
                return extremum(items, self.nowhere, least=which == "min", aggregate=aggregate)
            case terms.Absolute(part=part):
                return absolute(self.field(part))
            case terms.Conditional(condition=condition, then=then, otherwise=otherwise):
                return conditional(self.conditions(condition), self.field(then), self.field(otherwise))
            case terms.Select():
                return self._select(term)
            case terms.Compare(operator=operator, left=left, right=right):
                return compared(operator, self.field(left), self.field(right))
            case terms.Member(item=item, elements=elements):
                return pairwise(member, self.field(item), self.field(elements))
            case terms.Every(parts=parts) | terms.Some(parts=parts):
                joined = [self.conditions(p) for p in parts]
                return junction(joined, self.nowhere, every=isinstance(term, terms.Every))
            case terms.Inverse(part=part):
                inner = self.conditions(part)
                return Conditions(~inner.holds, inner.fault)
            case terms.PayoffOf():
                raise KeyError("total" if term.agent is None else f"payoff[{term.agent}]")

    def _constant(self, value: Value) -> Field:
        return coded(np.zeros(self.nowhere, dtype=np.intp), (value,), None)

    def _decision(self, name: str) -> Field:
        if name not in self.axis:
            return self._constant(self.single[name])
        axis = self.axis[name]
        domain = self.variables[axis].domain
        shape = [*self.nowhere[:axis], len(domain), *self.nowhere[axis + 1 :]]
        return coded(np.arange(len(domain), dtype=np.intp).reshape(shape), domain, None)

    def _select(self, term: terms.Select) -> Field:
        """The entry by joint key: the place of each key term's value among the values of its index is looked up."""
        keys, entries = list(term.by_key), list(term.by_key.values())
        indices = [Index.of(self.field(key), [k[i] for k in keys]) for i, key in enumerate(term.keys)]
        fault, none = either(*(i.fault for i in indices)), either(*(i.none for i in indices))
        sizes = [len(i.place) + 1 for i in indices]
        if prod(sizes) > MOST_KEYS:
            raise Irregular
        entry_at = np.full(sizes, len(keys), dtype=np.intp)
        for number, key in enumerate(keys):
            entry_at[tuple(i.place[value] for i, value in zip(indices, key, strict=True))] = number
        which = entry_at[tuple(i.places for i in indices)]
        fault = either(fault, some(outside(which == len(keys), none)))
        if all(isinstance(e, terms.Constant) for e in entries):
            values: list[Value] = [e.value for e in entries if isinstance(e, terms.Constant)]
            if none is not None:
                which = np.where(none, len(keys), which)
            return coded(which, [*values, None] if which.max() == len(keys) else values, fault)
        return chosen(self._cases(which, entries), fault=fault, none=none)

    def _cases(self, which: Places, entries: list[Term]) -> list[tuple[Mask, Field]]:
        """Where each of the distinct entries is looked up; those that never are, are not evaluated."""
        places: dict[int, list[int]] = {}
        for place in np.flatnonzero(np.bincount(which.ravel())).tolist():
            if place < len(entries):
                places.setdefault(id(entries[place]), []).append(place)
        return [(np.isin(which, same), self.field(entries[same[0]])) for same in places.values()]


# ---- the model's operators: what each gives is what colosseum/model/values.py says -----------------------------------


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
    if not (isinstance(left, Numbers) and isinstance(right, Numbers)):
        return pairwise(partial(compare, operator), left, right)
    none, fault = either(left.none, right.none), either(left.fault, right.fault)
    if operator not in ("==", "!="):
        return Conditions(outside(_ORDERS[operator](left.values, right.values), none), fault)
    same = outside(left.values == right.values, none)
    if left.none is not None and right.none is not None:
        same = same | (left.none & right.none)
    return Conditions(same if operator == "==" else ~same, fault)


def junction(parts: Sequence[Conditions], nowhere: tuple[int, ...], *, every: bool) -> Conditions:
    """`and` goes on while parts hold, `or` while they do not; what stands behind the last is not looked at."""
    on: Mask = np.ones(nowhere, dtype=np.bool_)
    fault: Mask | None = None
    for part in parts:
        fault = either(fault, within(part.fault, on))
        on = outside(on & (part.holds if every else ~part.holds), part.fault)
    return Conditions(on if every else ~on, fault)
