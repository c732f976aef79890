"""Conditions: comparisons and their combinations as 0/1 forms, and the values that a term may take.

A sum with a none in it is a Fault; it counts as defined here, as no assignment at which it arises is worth anything.
"""

from collections.abc import Mapping
from itertools import compress

from colosseum.model import terms
from colosseum.model.terms import Constant, Term
from colosseum.model.values import Fault, Value, is_number
from colosseum.solve.arrays import Floats, worths
from colosseum.solve.lowering.program import LARGEST, Affine, CannotLower, total
from colosseum.solve.lowering.rules import ROUNDING, VALUE, Lowering, Options

NONE = Constant(None)
FINEST = 10  # numbers that are multiples of 2^-FINEST are told apart exactly


def inverse(term: terms.Inverse, lowering: Lowering) -> Affine:
    """`not c` = 1 − c."""
    return Affine(1.0).minus(lowering.form(term.part))


def every(term: terms.Every, lowering: Lowering) -> Affine:
    """`and`: below each part, and 1 when all are."""
    return conjunction([lowering.form(p) for p in joined(term)], lowering)


def some(term: terms.Some, lowering: Lowering) -> Affine:
    """`or` = not all not."""
    parts = [Affine(1.0).minus(lowering.form(p)) for p in joined(term)]
    return Affine(1.0).minus(conjunction(parts, lowering))


def joined(term: terms.Every | terms.Some) -> tuple[Term, ...]:
    """The parts of an `and` or `or`, each once, those of the same within it included; one of one variable is whole."""
    found: dict[Term, None] = {}
    stack: list[Term] = [*reversed(term.parts)]
    while stack:
        part = stack.pop()
        if isinstance(part, terms.Every | terms.Some) and type(part) is type(term) and len(part.scope) > 1:
            stack += reversed(part.parts)
        else:
            found[part] = None
    return tuple(found)


def conjuncts(condition: Term) -> list[Term]:
    """Conditions that all hold exactly where this one does."""
    match condition:
        case terms.Every(parts=parts):
            return [found for part in parts for found in conjuncts(part)]
        case terms.Inverse(part=terms.Some(parts=parts)):
            return [found for part in parts for found in conjuncts(terms.Inverse(part))]
        case _:
            return [condition]


def conjunction(parts: list[Affine], lowering: Lowering) -> Affine:
    """A column that is 1 where all the 0/1 parts are, made once."""
    if any(p.constant == 0 and not p.coefficients for p in parts):
        return Affine(0.0)
    moving = {p.key: p for p in parts if p.coefficients}
    known = "all", frozenset(moving)
    if len(moving) <= 1:
        return next(iter(moving.values()), Affine(1.0))
    if known not in lowering.made:
        column = Affine(0.0, {lowering.program.column("all"): 1.0})
        for part in moving.values():
            lowering.program.row(column.minus(part), high=0.0)
        lowering.program.row(column.minus(total(moving.values())), low=1.0 - len(moving))
        lowering.made[known] = column
    return lowering.made[known]


# ---- comparisons -----------------------------------------------------------------------------------------------------


def paired(term: terms.Compare | terms.Member, lowering: Lowering) -> Affine | None:
    """A condition of two variables: the values of one by which values of the other fit them, whatever it compares."""
    if len(term.scope) > 2:
        return None
    one, other = lowering.variables(term)
    fitting: dict[tuple[bool, ...], list[Affine]] = {}
    for value, row in zip(one.domain, (worths(term, [one, other]) != 0).tolist(), strict=True):
        fitting.setdefault(tuple(row), []).append(lowering.program.indicator(one.name, value))
    choices = [lowering.program.indicator(other.name, value) for value in other.domain]
    fit = {row: Affine(1.0) if all(row) else total(compress(choices, row)) for row in fitting}
    return total(conjunction([total(mine), fit[row]], lowering) for row, mine in fitting.items())


def compared(term: terms.Compare, lowering: Lowering, *, bound: bool = False) -> Affine | None:
    """A comparison of numbers, reified; one that is bound must hold, which rows say as far as they can."""
    sides = [present(side, lowering) if numeric(side, lowering) else None for side in (term.left, term.right)]
    if None in sides:
        return None
    left, right = ([lowering.form(condition) for condition in side or ()] for side in sides)
    gap = lowering.form(term.left).minus(lowering.form(term.right))
    orders = ("<=", ">=") if term.operator in ("==", "!=") else (term.operator,)
    if bound and term.operator != "!=" and not (term.operator == "==" and left and right):
        for body, room in (at_most(order, gap, lowering) for order in orders):
            if lowering.program.bounds(body)[1] > 0:
                lowering.program.row(body, high=room)  # what rounding lets through, the solver's check closes
        return conjunction([*left, *right], lowering)
    holds = conjunction([*left, *right, *(ordered(o, gap, term, lowering) for o in orders)], lowering)
    if term.operator not in ("==", "!="):
        return holds
    if left and right:  # two nones are equal
        holds += conjunction([Affine(1.0).minus(conjunction(side, lowering)) for side in (left, right)], lowering)
    return holds if term.operator == "==" else Affine(1.0).minus(holds)


def ordered(operator: str, gap: Affine, term: terms.Compare, lowering: Lowering) -> Affine:
    """A 0/1 form for `left < right` and its like, where the gap is left − right and neither side is none.

    Sums of fractions leave it open at ties, up to rounding.
    """
    program, (body, room) = lowering.program, at_most(operator, gap, lowering)
    low, high = program.bounds(body)
    if high <= -room:
        return Affine(1.0)
    if low > room:
        return Affine(0.0)
    low, high, step = min(low, 0.0), max(high, 0.0), 0.0 if room else 1.0
    if not room and max(-low, high) > LARGEST:
        raise CannotLower(f"its sides may lie {max(-low, high):.2g} apart, and the solver sees 1 in {LARGEST:g}")
    number = program.column("at most", integer=True)
    column = Affine(0.0, {number: 1.0})
    program.row(body + column.scaled(high), high=high + room)
    program.row(body + column.scaled(step - low), low=step - room)
    if room:
        lowering.ties[number] = terms.Compare(operator, term.left, term.right)
    return column


def at_most(operator: str, gap: Affine, lowering: Lowering) -> tuple[Affine, float]:
    """What is at most 0 exactly where `left < right` or its like holds, and the room that rounding needs.

    Whole numbers, halves and their like need none: their sums are exact.
    """
    body = gap if operator in ("<", "<=") else gap.scaled(-1.0)
    if counted := next(filter(lowering.program.whole, (body.scaled(2.0**k) for k in range(FINEST + 1))), None):
        return counted + Affine(1.0 if operator in ("<", ">") else 0.0), 0.0
    low, high = lowering.program.bounds(body)
    return body, ROUNDING * max(1.0, -low, high)


def present(term: Term, lowering: Lowering) -> list[Term] | None:
    """Conditions that all hold exactly where the term is not none; None where a case or a look-up decides that."""
    if len(term.scope) <= 1:
        return [terms.Compare("!=", term, NONE)] if None in values_of_one(term, lowering) else []
    match term:
        case terms.Arithmetic() | terms.Absolute() | terms.Extremum(aggregate=False):
            found = [present(part, lowering) for part in term.below]
            return None if None in found else [condition for each in found for condition in each or ()]
        case terms.Conditional() | terms.Select():
            return [] if all(present(part, lowering) == [] for part in term.below) else None
        case _:
            return []


def numeric(term: Term, lowering: Lowering) -> bool:
    """Whether a term is a number wherever it is not none."""
    if len(term.scope) <= 1:
        return all(value is None or is_number(value) for value in values_of_one(term, lowering))
    match term:
        case terms.Arithmetic(left=a, right=b) | terms.Conditional(then=a, otherwise=b):
            return numeric(a, lowering) and numeric(b, lowering)
        case terms.Select(entries=entries):
            return all(numeric(entry, lowering) for _, entry in entries)
        case _:
            return isinstance(term, terms.Total | terms.Absolute | terms.Extremum)


# ---- comparisons of sums of fractions --------------------------------------------------------------------------------


def settle(lowering: Lowering, point: Floats, x: Mapping[str, Value]) -> bool:
    """Rows that say how the ties of an assignment stand where its columns say otherwise; whether there were any."""
    program, wrong = lowering.program, False
    for number, comparison in lowering.ties.items():
        try:
            if None in (comparison.left.evaluate(x), comparison.right.evaluate(x)):
                continue
            holds = comparison.evaluate(x)
        except Fault:  # a guard elsewhere keeps it from counting here
            continue
        if (point[number] > 0.5) is not holds:
            wrong, column = True, Affine(0.0, {number: 1.0})
            scope = sorted(comparison.scope)
            here = total(program.indicator(name, x[name]) for name in scope).minus(Affine(float(len(scope))))
            if holds:
                program.row(column.minus(here), low=1.0)
            else:
                program.row(column + here, high=0.0)
    return wrong


# ---- the values that a term may take ---------------------------------------------------------------------------------


MOST_OPTIONS = 600  # values that a term may take


def values_of_one(term: Term, lowering: Lowering) -> Options:
    """The values of a term that one variable decides, or none; what cannot be computed is none of them."""
    program, found = lowering.program, dict[Value, list[Affine]]()
    points = [({v.name: d}, program.indicator(v.name, d)) for v in lowering.variables(term) for d in v.domain]
    for x, form in points or [({}, Affine(1.0))]:
        try:
            found.setdefault(term.evaluate(x), []).append(form)
        except Fault:  # a guard elsewhere keeps it from counting
            continue
    return {value: total(forms) for value, forms in found.items()}


def by_value(term: Term, lowering: Lowering) -> Options | None:
    """[term = k] for every whole number k in reach, so that any function g of the term is Σ_k g(k) · [term = k].

    Where the term is none, it is any of them; None where it is not whole or reaches too far.
    """
    if not numeric(term, lowering):
        return None
    if term not in lowering.values:
        program, form = lowering.program, lowering.form(term)
        low, high = program.bounds(form)
        if not program.whole(form) or high - low >= MOST_OPTIONS:
            return None
        group = program.group(VALUE, round(high - low) + 1)
        program.row(Affine(0.0, dict.fromkeys(group, 1.0)), low=1.0, high=1.0)
        taken = {column: float(round(low) + k) for k, column in enumerate(group)}
        program.row(Affine(0.0, {c: k for c, k in taken.items() if k}).minus(form), low=0.0, high=0.0)
        lowering.values[term] = {k: Affine(0.0, {column: 1.0}) for column, k in taken.items()}
    return lowering.values[term]
