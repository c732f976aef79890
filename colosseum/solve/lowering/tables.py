"""Small scopes. In: a term over few variables; out: coefficients of choice columns, or of columns for their tuples."""

from collections.abc import Callable
from itertools import combinations
from math import prod
from operator import ge, gt, le, lt
from typing import Any, TypeAlias

import numpy as np

from colosseum.model import terms
from colosseum.model.scenario import Variable
from colosseum.model.terms import Conditional, Constant, Decision, Term
from colosseum.model.values import Value, is_number
from colosseum.solve.arrays import Floats, worth, worths
from colosseum.solve.lowering.program import Affine, Column, total
from colosseum.solve.lowering.rules import Lowering

TUPLE = Column("tuple", 0.0, 1.0, integer=False, integral=True)
"""A joint value of several variables, whichever they are."""
SEPARABLE = 1e-12
"""Mixed differences within this count as none: a thousandth of what counts as rounding anywhere."""


def constant(term: Term, lowering: Lowering) -> Affine | None:
    """A term that mentions no variable, or whose mentions are idle."""
    if isinstance(term, Constant) or (not term.scope and not lowering.names_payoffs(term)):
        return Affine(worth(term, {}))
    return None


def small(term: Term, lowering: Lowering) -> Affine | None:
    """A case, an extreme or a distance over a small scope: its polytope is tighter than rows that binaries lift."""
    pair = isinstance(term, Conditional) and len(term.scope) <= 2
    return None if pair or not lowering.small(term, lowering.limits.small) else table(term, lowering)


def table(term: Term, lowering: Lowering) -> Affine | None:
    """A term over few variables: one column a tuple, with marginal rows (the local polytope)."""
    if not lowering.small(term, lowering.limits.table):
        return None
    variables = scope_variables(term.scope, lowering)
    return polytope(variables, worths(term, variables), lowering)


def separable(term: Term, lowering: Lowering) -> Affine | None:
    """A term over many joint values that is a sum of terms over few."""
    if not lowering.small(term, lowering.limits.table):
        return None
    variables = scope_variables(term.scope, lowering)
    values = worths(term, variables)
    if any(prod(values.shape[axis] for axis in axes) > lowering.limits.small for axes in together(values)):
        return None
    return polytope(variables, values, lowering)


def polytope(variables: list[Variable], values: Floats, lowering: Lowering) -> Affine:
    """`Σ value(x) · t_x` with `Σ_x∋(v=d) t_x = x[v = d]`; the choice columns being binary makes every t_x so.

    What some variables decide whatever the others do is added to the rest: a separable table needs no tuples.
    """
    groups = together(values)
    if len(groups) == 1:
        return _joint(variables, values, lowering)
    first = float(values.flat[0])
    alone = [(axes, _along(values, axes).reshape([values.shape[axis] for axis in axes])) for axes in groups]
    forms = [_joint([variables[axis] for axis in axes], part - first, lowering) for axes, part in alone]
    return total([Affine(first), *forms])


def together(values: Floats) -> list[list[int]]:
    """The axes of a table by what it is a sum of: what it gains along one depends on the others of its group only.

    The sum of the groups' tables is the table, to a thousandth of what counts as rounding; else it is one group.
    """
    home = list(range(values.ndim))
    for one, other in combinations(range(values.ndim), 2):
        if home[one] != home[other] and _tied(values, one, other):
            home = [home[one] if place == home[other] else place for place in home]
    groups = [[axis for axis in range(values.ndim) if home[axis] == place] for place in dict.fromkeys(home)]
    first = float(values.flat[0])
    added_up = first + sum(_along(values, axes) - first for axes in groups)
    exact = (np.abs(added_up - values) <= SEPARABLE * np.maximum(1.0, np.abs(values))).all()
    return groups if exact else [list(range(values.ndim))]


def _along(values: Floats, axes: list[int]) -> Floats:
    """A table where all other variables have their first values; those keep an axis of one."""
    return values[tuple(slice(None) if axis in axes else slice(1) for axis in range(values.ndim))]


def _tied(values: Floats, one: int, other: int) -> bool:
    """Whether what a table gains along one axis depends on the other."""
    return bool((np.abs(np.diff(np.diff(values, axis=one), axis=other)) > SEPARABLE).any())


def _joint(variables: list[Variable], values: Floats, lowering: Lowering) -> Affine:
    flat = values.ravel()
    if flat.min() == flat.max():
        return Affine(float(flat[0]))
    if len(variables) == 1:
        return lowering.program.unary(variables[0].name, flat.tolist())
    columns, counted = _tuples(variables, lowering), np.flatnonzero(flat)
    return Affine(0.0, dict(zip((counted + columns.start).tolist(), flat[counted].tolist(), strict=True)))


def _tuples(variables: list[Variable], lowering: Lowering) -> range:
    """A column for each joint value of some variables, made once: all terms over them count in the same columns."""
    scope = tuple(v.name for v in variables)
    if scope not in lowering.tuples:
        program, shape = lowering.program, [len(v.domain) for v in variables]
        columns = program.many(TUPLE, prod(shape))
        program.set_apart(columns)
        numbers = np.arange(columns.start, columns.stop).reshape(shape)
        for axis, variable in enumerate(variables):
            for place, choice in enumerate(program.choices[variable.name]):
                marginal = dict.fromkeys(np.take(numbers, place, axis).ravel().tolist(), 1.0)
                program.row(Affine(0.0, {**marginal, choice: -1.0}), low=0.0, high=0.0)
        lowering.tuples[scope] = columns
    return lowering.tuples[scope]


def scope_variables(scope: frozenset[str], lowering: Lowering) -> list[Variable]:
    """The variables of a scope in declared order."""
    task = lowering.program.task
    return [task.variable[name] for name in sorted(scope, key=task.position.__getitem__)]


# ---- one variable ----------------------------------------------------------------------------------------------------


Order: TypeAlias = Callable[[Any, Any], bool]
ORDERS: dict[str, Order] = {"<": lt, "<=": le, ">": gt, ">=": ge}
MIRRORED: dict[str, Order] = {"<": gt, "<=": ge, ">": lt, ">=": le}
"""The same where the sides have changed places."""


def chosen(term: Term, lowering: Lowering) -> Affine | None:
    """The commonest terms by far, `v == d`, `v < 3` and `w if v == d else 0` for numbers, without any evaluation."""
    match term:
        case terms.Compare(operator="==", left=Decision(variable=name), right=Constant(value=value)):
            weight = 1.0
        case terms.Compare(operator=operator, left=Decision(variable=name), right=Constant(value=value)):
            return _ordered(name, ORDERS.get(operator), value, lowering)
        case terms.Compare(operator=operator, left=Constant(value=value), right=Decision(variable=name)):
            return _ordered(name, MIRRORED.get(operator), value, lowering)
        case terms.Conditional(
            condition=terms.Compare(operator="==", left=Decision(variable=name), right=Constant(value=value)),
            then=Constant(value=int() | float() as paid),
            otherwise=Constant(value=0 | 0.0),
        ):
            weight = float(paid)
        case _:
            return None
    program = lowering.program
    place = program.places[name].get(value)
    if place is None or type(value) not in program.task.variable[name].kinds:
        return None
    return Affine(0.0, {program.choices[name][place]: weight} if weight else {})


def _ordered(name: str, holds: Order | None, value: Value, lowering: Lowering) -> Affine | None:
    """`v < 3` and its like; none is in no order, and neither is anything else that is no number."""
    if holds is None or not is_number(value):
        return None
    domain, choices = lowering.program.task.variable[name].domain, lowering.program.choices[name]
    return Affine(0.0, {c: 1.0 for c, d in zip(choices, domain, strict=True) if is_number(d) and holds(d, value)})


def unary(term: Term, lowering: Lowering) -> Affine | None:
    """The rule: a term over one variable becomes coefficients of its choice columns."""
    if len(term.scope) != 1 or lowering.names_payoffs(term):
        return None
    match term:
        case terms.Every(parts=parts):
            return _shared([lowering.condition(part) for part in parts])
        case Conditional(condition=c, then=Constant(value=1), otherwise=Constant(value=0)):
            return lowering.condition(c)
    (name,) = term.scope
    return lowering.program.unary(name, worths(term, [lowering.program.task.variable[name]]).tolist())


def _shared(conditions: list[Affine]) -> Affine:
    """Where all conditions on one variable hold: the choice columns that they share."""
    if any(c.fixed and not c.constant for c in conditions):
        return Affine(0.0)
    moving = [c.coefficients for c in conditions if not c.fixed]
    return Affine(0.0, dict.fromkeys(sorted(set(moving[0]).intersection(*moving)), 1.0)) if moving else Affine(1.0)
