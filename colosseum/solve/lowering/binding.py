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
from colosseum.solve.arrays import worths
from colosseum.solve.lowering.conditions import ALWAYS, defined, joined, numeric
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
        case _ if supported(_parts(condition), lowering):
            pass
        case terms.Compare() if _comparison(condition, lowering, relief=Affine(0.0)):
            pass
        case terms.Some():
            _clause(joined(condition), lowering)
        case _:
            program.row(lowering.condition(condition), low=1.0)


def _parts(condition: Term) -> tuple[Term, ...]:
    """The parts of an `or` about more than two variables."""
    return joined(condition) if isinstance(condition, terms.Some) and len(condition.scope) > 2 else (condition,)


def large(condition: Term, lowering: Lowering) -> bool:
    """Whether a condition has too many joint values to be bound value by value."""
    return bool(condition.scope) and lowering.size(condition.scope) > lowering.limits.conflict


def _comparison(condition: terms.Compare, lowering: Lowering, *, relief: Affine) -> bool:
    """One linear row, lifted where `relief` ≥ 1; whether it could be written so."""
    if condition.operator == "!=" or not (numeric(condition.left, lowering) and numeric(condition.right, lowering)):
        return False
    program = lowering.program
    known = [side for each in (condition.left, condition.right) if (side := defined(each, lowering)) != ALWAYS]
    if condition.operator == "==" and len(known) == 2:
        return False  # two nones are equal
    gap = lowering.number(condition.left).minus(lowering.number(condition.right))
    gap, exact = program.grained(gap) or gap, program.grained(gap) is not None
    if condition.operator in ("<", ">") and not exact:
        return False
    strict = 1.0 if condition.operator in ("<", ">") else 0.0
    signs = {"<": (1.0,), "<=": (1.0,), ">": (-1.0,), ">=": (-1.0,), "==": (1.0, -1.0)}[condition.operator]
    for sign in signs:
        _at_most(gap.scaled(sign) + Affine(strict), relief, lowering, exact=exact)
    for side in known:
        program.row(lowering.condition(side) + relief, low=1.0)
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
    """Bind a clause so; False where its parts do not meet in one variable, or where they are too large.

    All values that need no more than a set stand in its row together, as a variable takes one value only; so the
    relaxation sees `not both` as one row, and `a ≤ b` as the rows `[a > t] + [b ≤ t] ≤ 1`.
    """
    program, pivot = lowering.program, _pivot(parts, lowering)
    if pivot is None or any(lowering.size(part.scope) > lowering.limits.conflict for part in parts):
        return False
    needed = _needs(pivot, parts, lowering)
    for support in dict.fromkeys(s for s in needed if s is not None):
        choices = zip(program.choices[pivot.name], needed, strict=True)
        chosen = Affine(0.0, {c: 1.0 for c, s in choices if s is not None and s <= support})
        program.row(chosen.minus(_any_of(support, lowering)), high=0.0)
    return True


def _any_of(support: Support, lowering: Lowering) -> Affine:
    """How many of these choices are made, by those that are not where they are fewer."""
    program, forms = lowering.program, list[Affine]()
    for name in dict.fromkeys(program.family[c] for c in sorted(support)):
        inside = [c for c in program.choices[name] if c in support]
        outside = [c for c in program.choices[name] if c not in support]
        fewer = Affine(0.0, dict.fromkeys(inside, 1.0))
        forms.append(fewer if len(inside) <= len(outside) else Affine(1.0, dict.fromkeys(outside, -1.0)))
    return total(forms)


def _pivot(parts: tuple[Term, ...], lowering: Lowering) -> Variable | None:
    """The variable that every part about two variables reads."""
    pairs = [part.scope for part in parts if len(part.scope) == 2] or [part.scope for part in parts[:1]]
    if (len(parts) > 1 and len(pairs[0]) < 2) or any(len(part.scope) > 2 for part in parts):
        return None
    shared = reduce(frozenset.intersection, pairs)
    return next(iter(scope_variables(shared, lowering)), None)


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
