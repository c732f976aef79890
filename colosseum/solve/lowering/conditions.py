"""Conditions: comparisons, membership and their combinations as 0/1 forms.

Arithmetic and look-ups with none give none, comparisons swallow it, and a sum with a none in it is a Fault: it counts
as defined here, since no assignment at which it arises is worth anything. A term that takes names or sets has a form
for each: `kind[pick[a]]` is as many forms as there are kinds.
"""

from collections.abc import Iterable, Mapping

from colosseum.model import terms
from colosseum.model.terms import Constant, Decision, Term
from colosseum.model.values import Elements, Fault, Value, is_number
from colosseum.solve.arrays import Floats, as_number
from colosseum.solve.lowering.program import Affine, Column, Program, total
from colosseum.solve.lowering.rules import ROUNDING, Lowering, Options, Tie


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
    """A column that is 1 where all the 0/1 parts are, made once."""
    if any(p.fixed and p.constant == 0 for p in parts):
        return Affine(0.0)
    parts = [p for p in parts if not p.fixed]
    if len(parts) <= 1:
        return parts[0] if parts else Affine(1.0)
    known = frozenset([p.key for p in parts])
    if len(known) == 1:
        return parts[0]
    if known not in lowering.conjunctions:
        column = Affine(0.0, {lowering.program.column("all", integral=True): 1.0})
        for part in parts:
            lowering.program.row(column.minus(part), high=0.0)
        lowering.program.row(column.minus(total(parts)), low=1.0 - len(parts))
        lowering.conjunctions[known] = column
    return lowering.conjunctions[known]


def compared(term: terms.Compare, lowering: Lowering) -> Affine | None:
    """A comparison of numbers over larger scopes, reified."""
    if lowering.small(term, lowering.limits.small):
        return None
    if not (numeric(term.left, lowering) and numeric(term.right, lowering)):
        return None
    left, right = defined(term.left, lowering), defined(term.right, lowering)
    known = lowering.condition(_all([left, right]))
    holds = Affine(0.0)
    if not known.fixed or known.constant:
        gap = lowering.number(term.left).minus(lowering.number(term.right))
        orders = ("<=", ">=") if term.operator in ("==", "!=") else (term.operator,)
        holds = conjunction([*(ordered(o, gap, term, lowering) for o in orders), known], lowering)
    if term.operator not in ("==", "!="):
        return holds
    if ALWAYS not in (left, right):  # two nones are equal
        holds += lowering.condition(terms.Every((terms.Inverse(left), terms.Inverse(right))))
    return holds if term.operator == "==" else Affine(1.0).minus(holds)


def ordered(operator: str, gap: Affine, term: terms.Compare, lowering: Lowering) -> Affine:
    """A 0/1 form for `left < right` and its like, where the gap is left − right and neither side is none.

    Sums of fractions leave it open at ties, up to rounding.
    """
    program = lowering.program
    signed = gap if operator in ("<", "<=") else gap.scaled(-1.0)
    counted = program.grained(signed)
    body = signed if counted is None else counted + Affine(1.0 if operator in ("<", ">") else 0.0)
    low, high = program.bounds(body)
    step, room = (0.0, ROUNDING * max(1.0, -low, high)) if counted is None else (1.0, 0.0)
    if high <= -room:
        return Affine(1.0)
    if low > room:
        return Affine(0.0)
    low, high = min(low, 0.0), max(high, 0.0)
    number = program.column("at most", integer=True)
    column = Affine(0.0, {number: 1.0})
    program.row(body + column.scaled(high), high=high + room)
    program.row(body + column.scaled(step - low), low=step - room)
    if counted is None:
        every = [v.name for v in program.task.variables]
        scope = every if lowering.names_payoffs(term) else [name for name in every if name in term.scope]
        lowering.ties.append(Tie(number, terms.Compare(operator, term.left, term.right), tuple(scope)))
    return column


# ---- where a term is a number and not none ---------------------------------------------------------------------------


ALWAYS = Constant(True)
NEVER = Constant(False)


def defined(term: Term, lowering: Lowering) -> Term:
    """A condition that holds exactly where the term is not none; ALWAYS where it cannot be."""
    match term:
        case Constant(value=value):
            return NEVER if value is None else ALWAYS
        case Decision(variable=name):
            optional = None in lowering.program.task.variable[name].domain
            return terms.Compare("!=", term, Constant(None)) if optional else ALWAYS
        case terms.Arithmetic() | terms.Absolute() | terms.Extremum(aggregate=False):
            return _all([defined(part, lowering) for part in term.below])
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return _all([_where(c, defined(a, lowering)), _where(terms.Inverse(c), defined(b, lowering))])
        case terms.Select(keys=keys, entries=entries):
            found = [defined(k, lowering) for k in keys]
            for values, entry in entries:
                if (known := defined(entry, lowering)) != ALWAYS:
                    equal = [terms.Compare("==", k, Constant(v)) for k, v in zip(keys, values, strict=True)]
                    found.append(_where(terms.Every(tuple(equal)), known))
            return _all(found)
        case _:
            return ALWAYS


def _where(condition: Term, holds: Term) -> Term:
    """`condition` implies `holds`."""
    return ALWAYS if holds == ALWAYS else terms.Some((terms.Inverse(condition), holds))


def _all(parts: list[Term]) -> Term:
    distinct = tuple(p for p in dict.fromkeys(parts) if p != ALWAYS)
    return NEVER if NEVER in distinct else terms.Every(distinct) if distinct else ALWAYS


def numeric(term: Term, lowering: Lowering) -> bool:
    """Whether a term is a number wherever it is not none."""
    match term:
        case Constant(value=value):
            return value is None or is_number(value)
        case Decision(variable=name):
            return all(d is None or is_number(d) for d in lowering.program.task.variable[name].domain)
        case terms.Arithmetic(left=a, right=b) | terms.Conditional(then=a, otherwise=b):
            return numeric(a, lowering) and numeric(b, lowering)
        case terms.Select(entries=entries):
            return all(numeric(entry, lowering) for _, entry in entries)
        case terms.Compare() | terms.Member() | terms.Every() | terms.Some() | terms.Inverse():
            return False
        case _:
            return True


# ---- the values that a term may take ---------------------------------------------------------------------------------


MOST_OPTIONS = 600
"""Values that a term may take."""
VALUE = Column("value", 0.0, 1.0, integer=True, integral=True)
"""[term = k], whatever the term and the value."""


def alike(term: terms.Compare, lowering: Lowering) -> Affine | None:
    """`==` and `!=` of decisions, or of names or sets that decisions look up: both take one value that they share."""
    sides = term.left, term.right
    if term.operator not in ("==", "!="):
        return None
    if not (isinstance(term.left, Decision) and isinstance(term.right, Decision)) and (
        lowering.small(term, lowering.limits.small) or all(numeric(side, lowering) for side in sides)
    ):
        return None
    left, right = options(term.left, lowering), options(term.right, lowering)
    if left is None or right is None:
        return None
    agree = total([conjunction([form, right[value]], lowering) for value, form in left.items() if value in right])
    return agree if term.operator == "==" else Affine(1.0).minus(agree)


def within(term: terms.Member, lowering: Lowering) -> Affine | None:
    """`x in S` where decisions choose either: for each set, the values in it."""
    if lowering.small(term, lowering.limits.small):
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
        case terms.Select() if (chosen := looked_up(term, lowering)) is not None:
            missing = Affine(1.0).minus(total([form for form, _ in chosen]))
            return _of_branches([*chosen, (missing, Constant(None))], lowering)
        case _:
            return None


def looked_up(term: terms.Select, lowering: Lowering) -> list[tuple[Affine, Term]] | None:
    """The entries of a table, each with a form that is 1 where its key is looked up; None where keys have no such."""
    found = [options(key, lowering) or by_value(key, lowering) for key in term.keys]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    return [
        (conjunction([each[part] for each, part in zip(known, key, strict=True)], lowering), entry)
        for key, entry in term.entries
        if None not in key and all(part in each for each, part in zip(known, key, strict=True))
    ]


def numbered(values: Options) -> Affine:
    """The number that a term takes of these."""
    return total([taken.scaled(as_number(k)) for k, taken in values.items()])


def by_value(term: Term, lowering: Lowering) -> Options | None:
    """[term = k] for every whole number k in reach, so that any function g of the term is Σ_k g(k) · [term = k].

    The relaxation of that is the tightest that knows the term alone. Where the term is none, it is any of them; None
    where it is not whole or reaches too far.
    """
    if not numeric(term, lowering):
        return None
    program, form = lowering.program, lowering.number(term)
    low, high = program.bounds(form)
    if not program.whole(form) or high - low >= MOST_OPTIONS:
        return None
    if term not in lowering.values:
        group = program.many(VALUE, round(high - low) + 1)
        found: Options = {round(low) + k: Affine(0.0, {column: 1.0}) for k, column in enumerate(group)}
        program.row(total(found.values()), low=1.0, high=1.0)
        program.row(numbered(found).minus(form), low=0.0, high=0.0)
        program.set_apart(group, one=True)
        lowering.values[term] = found
    return lowering.values[term]


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


# ---- comparisons of sums of fractions --------------------------------------------------------------------------------


def settle(ties: list[Tie], program: Program, point: Floats, x: Mapping[str, Value]) -> bool:
    """Rows that say how the ties of an assignment stand where its columns say otherwise; whether there were any.

    `x` is the assignment, extended by the payoffs where comparisons name them.
    """
    wrong = [tie for tie in ties if _differs(tie, point, x)]
    for tie in wrong:
        here = total(program.indicator(name, x[name]) for name in tie.scope).minus(Affine(float(len(tie.scope))))
        column = Affine(0.0, {tie.column: 1.0})
        if tie.comparison.evaluate(x):
            program.row(column.minus(here), low=1.0)
        else:
            program.row(column + here, high=0.0)
    return bool(wrong)


def _differs(tie: Tie, point: Floats, x: Mapping[str, Value]) -> bool:
    """Whether a column says other than its comparison, where both sides are numbers."""
    try:
        if None in (tie.comparison.left.evaluate(x), tie.comparison.right.evaluate(x)):
            return False
        return (point[tie.column] > 0.5) is not tie.comparison.evaluate(x)
    except Fault:  # a guard elsewhere keeps it from counting here
        return False
