"""Hard requirements as rows. In: a condition that must hold; out: rows that cut off exactly what breaks it.

`x ≥ y + 2 or x ≥ z + 5 or x == none` says which values of y or z a value of x needs. All values of x that need no more
than a set stand in its row together, `Σ x_d ≤ Σ y_e + Σ z_e`: the relaxation then sees what a precedence really asks.
"""

from functools import reduce
from typing import TypeAlias

import numpy as np

from colosseum.model import terms
from colosseum.model.scenario import Variable
from colosseum.model.terms import Constant, Term
from colosseum.solve.arrays import worth, worths
from colosseum.solve.lowering.conditions import ALWAYS, both_defined, defined, joined, numeric
from colosseum.solve.lowering.program import Affine, total
from colosseum.solve.lowering.rules import ROUNDING, Lowering
from colosseum.solve.lowering.tables import scope_variables


def bind(condition: Term, lowering: Lowering) -> None:
    """Add rows that admit exactly the assignments at which the condition holds. Raises CannotLower."""
    program = lowering.program
    match condition:
        case Constant(value=value):
            if value is not True:
                program.row(Affine(0.0), low=1.0)
        case terms.Every(parts=parts):
            for part in parts:
                bind(part, lowering)
        case _ if len(condition.scope) <= 2 and not large(condition, lowering):
            _conflicts(condition, lowering)
        case terms.Compare() if _comparison(condition, lowering, relief=Affine(0.0)):
            pass
        case terms.Some():
            parts = joined(condition)
            if not supported(parts, lowering):
                _clause(parts, lowering)
        case _:
            program.row(lowering.condition(condition), low=1.0)


def large(condition: Term, lowering: Lowering) -> bool:
    """Whether a condition has too many joint values to be bound value by value."""
    return bool(condition.scope) and lowering.size(condition.scope) > lowering.limits.conflict


def _conflicts(condition: Term, lowering: Lowering) -> None:
    """Values of one or two variables that exclude each other: a row for each set of values that others exclude.

    All values that exclude at least the set stand in its row together, as a variable takes one value only; so the
    relaxation sees `not both` as one row, and `a ≤ b` as the rows `[a > t] + [b ≤ t] ≤ 1`.
    """
    variables, program = scope_variables(condition.scope, lowering), lowering.program
    if not variables:
        bind(Constant(bool(worth(condition, {}))), lowering)
        return
    first, rest = variables[0], variables[1:]
    holds = worths(condition, variables).reshape(len(first.domain), -1)
    excluded = [frozenset(np.flatnonzero(row == 0).tolist()) for row in holds]
    choices = program.choices[first.name]
    for places in dict.fromkeys(filter(None, excluded)):
        chosen = dict.fromkeys((c for c, out in zip(choices, excluded, strict=True) if out >= places), 1.0)
        if not rest:
            program.row(Affine(0.0, chosen), high=0.0)
        else:
            others = dict.fromkeys((program.choices[rest[0].name][place] for place in places), 1.0)
            program.row(Affine(0.0, {**chosen, **others}), high=1.0)


def _comparison(condition: terms.Compare, lowering: Lowering, *, relief: Affine) -> bool:
    """One linear row, lifted where `relief` ≥ 1; whether it could be written so."""
    if condition.operator == "!=" or not (numeric(condition.left, lowering) and numeric(condition.right, lowering)):
        return False
    program = lowering.program
    sides = defined(condition.left, lowering), defined(condition.right, lowering)
    if condition.operator == "==" and ALWAYS not in sides:
        return False  # two nones are equal
    gap = lowering.number(condition.left).minus(lowering.number(condition.right))
    gap, exact = program.grained(gap) or gap, program.grained(gap) is not None
    if condition.operator in ("<", ">") and not exact:
        return False
    strict = 1.0 if condition.operator in ("<", ">") else 0.0
    signs = {"<": (1.0,), "<=": (1.0,), ">": (-1.0,), ">=": (-1.0,), "==": (1.0, -1.0)}[condition.operator]
    for sign in signs:
        _at_most(gap.scaled(sign) + Affine(strict), relief, lowering, exact=exact)
    known = both_defined(condition, lowering)
    if known != ALWAYS:
        program.row(lowering.condition(known) + relief, low=1.0)
    return True


def _at_most(body: Affine, relief: Affine, lowering: Lowering, *, exact: bool) -> None:
    """`body ≤ 0` unless relieved; sums of fractions get room for rounding, which the solver's check closes."""
    low, high = lowering.program.bounds(body)
    if high > 0:
        room = 0.0 if exact else ROUNDING * max(1.0, -low, high)
        lowering.program.row(body.minus(relief.scaled(high)), high=room)


def _clause(parts: tuple[Term, ...], lowering: Lowering) -> None:
    """At least one part holds; a single large comparison among them becomes a row that the others lift."""
    lifted = [p for p in parts if isinstance(p, terms.Compare) and large(p, lowering)]
    if len(lifted) == 1:
        relief = total([lowering.condition(p) for p in parts if p is not lifted[0]])
        if _comparison(lifted[0], lowering, relief=relief):
            return
    lowering.program.row(total([lowering.condition(p) for p in parts]), low=1.0)


# ---- values that need others -----------------------------------------------------------------------------------------


Support: TypeAlias = frozenset[int]
"""Choice columns of other variables of which one must be 1."""


def supported(parts: tuple[Term, ...], lowering: Lowering) -> bool:
    """Bind a clause so; False where its parts do not meet in one variable, or where they are too large."""
    pivot = _pivot(parts, lowering)
    if pivot is None or any(lowering.size(part.scope) > lowering.limits.conflict for part in parts):
        return False
    needed = _needs(pivot, parts, lowering)
    program = lowering.program
    for support in dict.fromkeys(s for s in needed if s is not None):
        choices = zip(program.choices[pivot.name], needed, strict=True)
        chosen = Affine(0.0, {c: 1.0 for c, s in choices if s is not None and s <= support})
        program.row(chosen.minus(Affine(0.0, dict.fromkeys(sorted(support), 1.0))), high=0.0)
    return True


def _pivot(parts: tuple[Term, ...], lowering: Lowering) -> Variable | None:
    """The variable that every part about two variables reads."""
    pairs = [part.scope for part in parts if len(part.scope) == 2]
    if not pairs or any(len(part.scope) > 2 for part in parts):
        return None
    shared = reduce(frozenset.intersection, pairs)
    return next(iter(scope_variables(shared, lowering)), None) if shared else None


def _needs(pivot: Variable, parts: tuple[Term, ...], lowering: Lowering) -> list[Support | None]:
    """What each value of the pivot needs; None where it needs nothing."""
    needed: list[set[int] | None] = [set() for _ in pivot.domain]
    for part in parts:
        others = [v for v in scope_variables(part.scope, lowering) if v.name != pivot.name]
        choices = np.array(lowering.program.choices[others[0].name]) if others else np.array([], dtype=np.int64)
        holds = worths(part, [pivot, *others]).reshape(len(pivot.domain), -1) != 0
        for place, row in enumerate(holds):
            if row.all():
                needed[place] = None
            elif (so_far := needed[place]) is not None and others:
                so_far.update(choices[row].tolist())
    return [None if columns is None else frozenset(columns) for columns in needed]
