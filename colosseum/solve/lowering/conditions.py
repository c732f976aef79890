"""Conditions: comparisons, membership and their combinations as 0/1 forms.

Arithmetic and look-ups with none give none, comparisons swallow it, and a sum with a none in it is a Fault: it counts
as defined here, since no assignment at which it arises is worth anything. A term that takes names or sets has a form
for each: `kind[pick[a]]` is as many forms as there are kinds.
"""

from collections.abc import Iterable

from colosseum.model import terms
from colosseum.model.terms import Constant, Decision, Term
from colosseum.model.values import Elements, Fault, Value
from colosseum.solve.lowering.program import Affine, total
from colosseum.solve.lowering.rules import Lowering, open_at_ties


def inverse(term: terms.Inverse, lowering: Lowering) -> Affine:
    """`not c` = 1 − c."""
    return Affine(1.0).minus(lowering.condition(term.part))


def every(term: terms.Every, lowering: Lowering) -> Affine:
    """`and`: below each part, and 1 when all are."""
    return conjunction([lowering.condition(p) for p in joined(term)], lowering)


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


def some(term: terms.Some, lowering: Lowering) -> Affine:
    """`or` = not all not."""
    parts = [Affine(1.0).minus(lowering.condition(p)) for p in joined(term)]
    return Affine(1.0).minus(conjunction(parts, lowering))


def conjunction(parts: list[Affine], lowering: Lowering) -> Affine:
    """A column that is 1 where all the 0/1 parts are."""
    if any(p.fixed and p.constant == 0 for p in parts):
        return Affine(0.0)
    moving = [p for p in parts if not p.fixed]
    if len(moving) <= 1:
        return moving[0] if moving else Affine(1.0)
    column = Affine(0.0, {lowering.program.column("all", integral=True): 1.0})
    for part in moving:
        lowering.program.row(column.minus(part), high=0.0)
    lowering.program.row(column.minus(total(moving)), low=1.0 - len(moving))
    return column


def compared(term: terms.Compare, lowering: Lowering) -> Affine | None:
    """A comparison of numbers over larger scopes, reified."""
    if lowering.small(term, lowering.limits.comparison):
        return None
    if not (numeric(term.left, lowering) and numeric(term.right, lowering)):
        return None
    if NEVER in (defined(term.left, lowering), defined(term.right, lowering)):
        return with_none(term, lowering)
    gap = lowering.number(term.left).minus(lowering.number(term.right))
    match term.operator:
        case "==":
            return equality(gap, term, lowering)
        case "!=":
            return Affine(1.0).minus(equality(gap, term, lowering))
        case _:
            known = lowering.condition(both_defined(term, lowering))
            return conjunction([ordered(term.operator, gap, term, lowering), known], lowering)


def with_none(term: terms.Compare, lowering: Lowering) -> Affine:
    """A comparison with none itself: only equality can hold, where the other side is none as well."""
    if term.operator not in ("==", "!="):
        return Affine(0.0)
    either = lowering.condition(terms.Some((defined(term.left, lowering), defined(term.right, lowering))))
    return either if term.operator == "!=" else Affine(1.0).minus(either)


def equality(gap: Affine, term: terms.Compare, lowering: Lowering) -> Affine:
    """Both sides numbers with the same value, or both none."""
    known = lowering.condition(both_defined(term, lowering))
    same_number = conjunction([*(ordered(o, gap, term, lowering) for o in ("<=", ">=")), known], lowering)
    left, right = defined(term.left, lowering), defined(term.right, lowering)
    if left == ALWAYS or right == ALWAYS:
        return same_number
    neither = lowering.condition(terms.Every((terms.Inverse(left), terms.Inverse(right))))
    return same_number + neither


def ordered(operator: str, gap: Affine, term: terms.Compare, lowering: Lowering) -> Affine:
    """A 0/1 form for `left < right` and its like, where the gap is left − right and neither side is none."""
    signed = gap if operator in ("<", "<=") else gap.scaled(-1.0)
    counted = lowering.program.grained(signed)
    if counted is not None:
        return below(counted + Affine(1.0 if operator in ("<", ">") else 0.0), lowering)
    comparison = terms.Compare(operator, term.left, term.right)
    every = [v.name for v in lowering.program.task.variables]
    scope = every if lowering.names_payoffs(term) else [name for name in every if name in term.scope]
    return open_at_ties(comparison, signed, lowering, scope=tuple(scope))


def below(gap: Affine, lowering: Lowering) -> Affine:
    """A 0/1 form that is 1 exactly where the whole-valued gap is ≤ 0."""
    low, high = lowering.program.bounds(gap)
    if high <= 0:
        return Affine(1.0)
    if low > 0:
        return Affine(0.0)
    column = Affine(0.0, {lowering.program.column("at most", integer=True): 1.0})
    lowering.program.row(gap + column.scaled(high), high=high)
    lowering.program.row(gap + column.scaled(1.0 - low), low=1.0)
    return column


# ---- where a term is a number and not none ---------------------------------------------------------------------------


ALWAYS = Constant(True)
NEVER = Constant(False)


def both_defined(term: terms.Compare, lowering: Lowering) -> Term:
    """Where neither side of a comparison is none."""
    return _all([defined(term.left, lowering), defined(term.right, lowering)])


def defined(term: Term, lowering: Lowering) -> Term:
    """A condition that holds exactly where the term is not none; ALWAYS where it cannot be."""
    match term:
        case Constant(value=value):
            return NEVER if value is None else ALWAYS
        case Decision(variable=name):
            optional = None in lowering.program.task.variable[name].domain
            return terms.Compare("!=", term, Constant(None)) if optional else ALWAYS
        case terms.Arithmetic(left=a, right=b):
            return _all([defined(a, lowering), defined(b, lowering)])
        case terms.Absolute(part=part):
            return defined(part, lowering)
        case terms.Extremum(parts=parts, aggregate=False):
            return _all([defined(p, lowering) for p in parts])
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return _all([_where(c, defined(a, lowering)), _where(_not(c), defined(b, lowering))])
        case terms.Select(keys=keys, entries=entries):
            known = [defined(k, lowering) for k in keys]
            return _all([*known, *(_where(_chosen(keys, key), defined(e, lowering)) for key, e in entries)])
        case _:
            return ALWAYS


def _chosen(keys: tuple[Term, ...], values: tuple[Value, ...]) -> Term:
    return terms.Every(tuple(terms.Compare("==", k, Constant(v)) for k, v in zip(keys, values, strict=True)))


def _where(condition: Term, holds: Term) -> Term:
    """`condition` implies `holds`."""
    return ALWAYS if holds == ALWAYS else _not(condition) if holds == NEVER else terms.Some((_not(condition), holds))


def _not(condition: Term) -> Term:
    return terms.Inverse(condition)


def _all(parts: list[Term]) -> Term:
    distinct = tuple(p for p in dict.fromkeys(parts) if p != ALWAYS)
    return ALWAYS if not distinct else distinct[0] if len(distinct) == 1 else terms.Every(distinct)


def numeric(term: Term, lowering: Lowering) -> bool:
    """Whether a term is a number wherever it is not none."""

    def number(value: Value) -> bool:
        return value is None or (isinstance(value, int | float) and not isinstance(value, bool))

    match term:
        case Constant(value=value):
            return number(value)
        case Decision(variable=name):
            return all(number(d) for d in lowering.program.task.variable[name].domain)
        case terms.Arithmetic(left=a, right=b):
            return numeric(a, lowering) and numeric(b, lowering)
        case terms.Select(entries=entries):
            return all(numeric(entry, lowering) for _, entry in entries)
        case terms.Conditional(then=a, otherwise=b):
            return numeric(a, lowering) and numeric(b, lowering)
        case terms.Compare() | terms.Member() | terms.Every() | terms.Some() | terms.Inverse():
            return False
        case _:
            return True


# ---- names and sets --------------------------------------------------------------------------------------------------


MOST_OPTIONS = 600
"""Values that a term may take."""
Options = dict[Value, Affine]


def alike(term: terms.Compare, lowering: Lowering) -> Affine | None:
    """`==` and `!=` of decisions, or of names or sets that decisions look up: both take one value that they share."""
    sides = term.left, term.right
    if term.operator not in ("==", "!="):
        return None
    if not (isinstance(term.left, Decision) and isinstance(term.right, Decision)) and (
        lowering.small(term, lowering.limits.comparison) or all(numeric(side, lowering) for side in sides)
    ):
        return None
    left, right = options(term.left, lowering), options(term.right, lowering)
    if left is None or right is None:
        return None
    agree = total([conjunction([form, right[value]], lowering) for value, form in left.items() if value in right])
    return agree if term.operator == "==" else Affine(1.0).minus(agree)


def within(term: terms.Member, lowering: Lowering) -> Affine | None:
    """`x in S` where decisions choose either: for each set, the values in it."""
    if lowering.small(term, lowering.limits.comparison):
        return None
    items, sets = options(term.item, lowering), options(term.elements, lowering)
    if items is None or sets is None:
        return None
    return total([
        conjunction([form, total([items[v] for v in items if v is not None and v in elements])], lowering)
        for elements, form in sets.items() if isinstance(elements, Elements)
    ])  # fmt: skip


def options(term: Term, lowering: Lowering) -> Options | None:
    """A form for each value that a term may take, 1 where it does; None for terms that are not of this kind."""
    match term:
        case Constant(value=value):
            return {value: Affine(1.0)}
        case _ if len(term.scope) == 1 and not lowering.names_payoffs(term):
            return _of_one(term, lowering)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            holds = lowering.condition(c)
            return _of_branches([(holds, a), (Affine(1.0).minus(holds), b)], lowering)
        case terms.Select(keys=keys, entries=entries):
            found = [options(key, lowering) for key in keys]
            known = [f for f in found if f is not None]
            if len(known) < len(keys) or len(entries) > MOST_OPTIONS:
                return None
            chosen = [
                (conjunction([o[part] for o, part in zip(known, key, strict=True)], lowering), entry)
                for key, entry in entries if all(part in o for o, part in zip(known, key, strict=True))
            ]  # fmt: skip
            missing = Affine(1.0).minus(total([form for form, _ in chosen]))
            return _of_branches([*chosen, (missing, Constant(None))], lowering)
        case _:
            return None


def _of_one(term: Term, lowering: Lowering) -> Options:
    """The values of a term that one variable decides; what cannot be computed is none of them."""
    (name,) = term.scope
    found: dict[Value, list[Affine]] = {}
    for d in lowering.program.task.variable[name].domain:
        try:
            value = d if isinstance(term, Decision) else term.evaluate({name: d})
        except Fault:  # a guard elsewhere keeps it from counting
            continue
        found.setdefault(value, []).append(lowering.program.indicator(name, d))
    return {value: total(forms) for value, forms in found.items()}


def _of_branches(branches: Iterable[tuple[Affine, Term]], lowering: Lowering) -> Options | None:
    """The values of whichever branch holds."""
    found: dict[Value, list[Affine]] = {}
    for holds, term in branches:
        inner = options(term, lowering)
        if inner is None or len(found) > MOST_OPTIONS:
            return None
        for value, form in inner.items():
            found.setdefault(value, []).append(conjunction([holds, form], lowering))
    return {value: total(forms) for value, forms in found.items()}
