"""Numeric terms: sums, products, cases, look-ups and extremes as affine forms.

A side of a product that counts in columns of 0 and 1 is taken apart: `a · b` is Σ weight · (column · b) over them.
Whole numbers of a wider range are taken apart by their binary digits, divisors by the values they may take.
"""

from colosseum.model import terms
from colosseum.model.terms import Constant, Decision, Term
from colosseum.model.values import Value
from colosseum.solve.arrays import worth
from colosseum.solve.lowering.conditions import conjunction, numeric
from colosseum.solve.lowering.program import Affine, total
from colosseum.solve.lowering.rules import Lowering
from colosseum.solve.lowering.tables import separable, table


def linear(term: terms.Total | terms.Arithmetic, lowering: Lowering) -> Affine | None:
    """Sums, differences and multiples of forms, flat: what stands in sums within sums is added up once."""
    parts = addends(term)
    if len(parts) == 1 and parts[0][1] is term:
        return None
    return total([lowering.number(part).scaled(factor) for factor, part in parts])


def addends(term: Term) -> list[tuple[float, Term]]:
    """`Σ factor · part` that a term comes to, no part being a sum or a multiple itself."""
    found: list[tuple[float, Term]] = []
    stack = [(1.0, term)]
    while stack:
        factor, inner = stack.pop()
        match inner:
            case terms.Total(parts=parts):
                stack += [(factor, part) for part in reversed(parts)]
            case terms.Arithmetic(operator="+" | "-" as operator, left=left, right=right):
                stack += [(factor if operator == "+" else -factor, right), (factor, left)]
            case terms.Arithmetic(operator="*", left=Constant() as by, right=part):
                stack.append((factor * worth(by, {}), part))
            case terms.Arithmetic(operator="*", left=part, right=Constant() as by):
                stack.append((factor * worth(by, {}), part))
            case terms.Arithmetic(operator="/", left=part, right=Constant() as by) if worth(by, {}):
                stack.append((factor / worth(by, {}), part))
            case _:
                found.append((factor, inner))
    return found


def payoff(term: terms.PayoffOf, lowering: Lowering) -> Affine | None:
    """`payoff[a]` and `total` inside an objective."""
    return lowering.payoffs.get(term.agent)


def case(term: terms.Conditional, lowering: Lowering) -> Affine:
    """`a if c else b` = b + c · (a − b)."""
    if isinstance(term.otherwise, terms.Conditional) and lowering.size(term.otherwise.scope) > lowering.limits.look_up:
        return cases(term, lowering)
    otherwise = lowering.number(term.otherwise)
    difference = lowering.number(term.then).minus(otherwise)
    return otherwise + lowering.product(lowering.condition(term.condition), difference, "case")


def cases(term: Term, lowering: Lowering) -> Affine:
    """`a if c else b if d else …`: a column says after each condition whether none has held, so one branch counts."""
    open_, branches = Affine(1.0), list[Affine]()
    while isinstance(term, terms.Conditional):
        missed = conjunction([open_, Affine(1.0).minus(lowering.condition(term.condition))], lowering)
        branches.append(lowering.product(open_.minus(missed), lowering.number(term.then), "case"))
        open_, term = missed, term.otherwise
    return total([*branches, lowering.product(open_, lowering.number(term), "case")])


def look_up(term: terms.Select, lowering: Lowering) -> Affine:
    """A table looked up by decisions, whose entries may depend on others: each entry where its key is chosen.

    Over a small scope, or as a sum of such, it is written out.
    """
    written = table if lowering.small(term, lowering.limits.look_up) else separable
    found = written(term, lowering)
    if found is None:
        found = by_whole_key(term, lowering)
    return found if found is not None else total([
        lowering.product(chosen(term, key, lowering), lowering.number(entry), "entry") for key, entry in term.entries
    ])  # fmt: skip


def by_whole_key(term: terms.Select, lowering: Lowering) -> Affine | None:
    """A table looked up by a whole number that several decisions make up."""
    if len(term.keys) != 1 or isinstance(term.keys[0], Decision) or not numeric(term.keys[0], lowering):
        return None
    values = by_value(term.keys[0], lowering)
    if values is None:
        return None
    entries = {key: entry for (key,), entry in term.entries}
    return total([
        lowering.product(taken, lowering.number(entries[k]), "entry") for k, taken in values if k in entries
    ])  # fmt: skip


def chosen(term: terms.Select, key: tuple[Value, ...], lowering: Lowering) -> Affine:
    """1 where the keys of a look-up take these values."""
    parts = [terms.Compare("==", wanted, Constant(part)) for wanted, part in zip(term.keys, key, strict=True)]
    return lowering.condition(terms.Every(tuple(parts)))


def absolute(term: terms.Absolute, lowering: Lowering) -> Affine:
    """`abs(e)` = max(e, −e)."""
    body = lowering.number(term.part)
    return greatest([body, body.scaled(-1.0)], lowering)


def extremum(term: terms.Extremum, lowering: Lowering) -> Affine:
    """`max` and `min`, exact whichever way the objective pulls; an item whose condition fails counts as the worst."""
    guarded = not all(isinstance(c, Constant) and c.value is True for c in term.conditions)
    sign = 1.0 if term.which == "max" else -1.0
    parts = [lowering.number(part).scaled(sign) for part in term.parts]
    if guarded and parts:
        worst = Affine(min(lowering.program.bounds(part)[0] for part in parts))
        holding = [lowering.condition(c) for c in term.conditions]
        parts = [
            worst + lowering.product(holds, part.minus(worst), "guarded item")
            for holds, part in zip(holding, parts, strict=True)
        ]
    return greatest(parts, lowering).scaled(sign) if parts else Affine(0.0)


def greatest(parts: list[Affine], lowering: Lowering) -> Affine:
    """The maximum of forms: a column above all of them that touches the one a binary selects."""
    program = lowering.program
    ends = [program.bounds(part) for part in parts]
    floor = max(low for low, _ in ends)
    live = [(part, low) for part, (low, high) in zip(parts, ends, strict=True) if high > floor or low == floor]
    distinct = [part for part, _ in live]
    match distinct:
        case [only]:
            return only
        case [first, second]:
            return second + excess(first.minus(second), lowering)
    top = max(program.bounds(part)[1] for part in distinct)
    whole = all(program.whole(part) for part in distinct)
    column = Affine(0.0, {program.column("greatest", low=floor, high=top, integral=whole): 1.0})
    selected = [Affine(0.0, {program.column("selected", integer=True): 1.0}) for _ in distinct]
    program.row(total(selected), low=1.0, high=1.0)
    for (part, low), select in zip(live, selected, strict=True):
        program.row(column.minus(part), low=0.0)
        slack = top - low
        program.row(column.minus(part) + select.scaled(slack), high=slack)
    return column


def excess(body: Affine, lowering: Lowering) -> Affine:
    """`max(0, body)`; what is short is counted by the same columns as what is over, so that one knows of the other."""
    program = lowering.program
    low, high = program.bounds(body)
    if high <= 0 or low >= 0:
        return Affine(0.0) if high <= 0 else body
    opposite = body.scaled(-1.0)
    if opposite.key in lowering.excesses:
        return body + lowering.excesses[opposite.key]
    if body.key not in lowering.excesses:
        over = Affine(0.0, {program.column("excess", high=high, integral=program.whole(body)): 1.0})
        positive = Affine(0.0, {program.column("is over", integer=True): 1.0})
        program.row(over.minus(body), low=0.0)
        program.row(over.minus(positive.scaled(high)), high=0.0)
        program.row(over.minus(body).minus(positive.scaled(low)), high=-low)
        lowering.excesses[body.key] = over
    return lowering.excesses[body.key]


# ---- products and quotients ------------------------------------------------------------------------------------------


MOST_PIECES = 600
"""Columns that a side may be taken apart into."""
MOST_VALUES = 400
"""Values that a divisor or the key of a look-up may take."""


def multiplied(term: terms.Arithmetic, lowering: Lowering) -> Affine | None:
    """A product or quotient, unless it is better written out: by a side of 0 and 1, else by the pieces of one side."""
    if term.operator == "*":
        left, right = lowering.number(term.left), lowering.number(term.right)
        for a, b in ((left, right), (right, left)):
            if lowering.program.whole(a) and lowering.program.bounds(a) == (0.0, 1.0):
                return lowering.product(a, b, "product")
    if term.operator == "&" or lowering.small(term, lowering.limits.product):
        return None
    if term.operator == "/":
        return _quotient(term, lowering)
    found = _product(lowering.number(term.left), lowering.number(term.right), lowering)
    if found is not None:
        return found
    spread = _spread(term.left, term.right) or _spread(term.right, term.left)
    return None if spread is None else lowering.number(spread)


def by_value(term: Term, lowering: Lowering) -> list[tuple[int, Affine]] | None:
    """`(k, [term = k])` for every whole number k in reach; None where the term is not whole or reaches too far."""
    form = lowering.number(term)
    low, high = lowering.program.bounds(form)
    if not lowering.program.whole(form) or high - low >= MOST_VALUES:
        return None
    if term not in lowering.values:
        program = lowering.program
        found = [(k, Affine(0.0, {program.column("value", integer=True): 1.0}))
                 for k in range(round(low), round(high) + 1)]  # fmt: skip
        program.row(total(taken for _, taken in found), low=1.0, high=1.0)
        program.row(total(taken.scaled(float(k)) for k, taken in found).minus(form), low=0.0, high=0.0)
        lowering.values[term] = found
        group = tuple(c for _, taken in found for c in taken.coefficients)
        program.set_apart(group)
        lowering.exclusive |= dict.fromkeys(group, group)
    return lowering.values[term]


def _quotient(term: terms.Arithmetic, lowering: Lowering) -> Affine | None:
    """By every value of the divisor; where that is 0 the model raises a Fault, so any value will do."""
    if not isinstance(term.left, Constant):
        reciprocal = terms.Arithmetic("/", Constant(1), term.right)
        return lowering.number(terms.Arithmetic("*", term.left, reciprocal))
    values = by_value(term.right, lowering)
    if values is None:
        return None
    return total(taken.scaled(worth(term.left, {}) / k) for k, taken in values if k)


def _spread(inner: Term, factor: Term) -> Term | None:
    """The product moved into the branches of a term, where it has any."""

    def times(part: Term) -> Term:
        return terms.Arithmetic("*", part, factor)

    match inner:
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return terms.Conditional(c, times(a), times(b))
        case terms.Select(table=table, keys=keys, entries=entries):
            return terms.Select(table, keys, tuple((key, times(entry)) for key, entry in entries))
        case terms.Total(parts=parts):
            return terms.Total(tuple(map(times, parts)))
        case terms.Arithmetic(operator="+" | "-" as operator, left=a, right=b):
            return terms.Arithmetic(operator, times(a), times(b))
        case _:
            return None


def _product(left: Affine, right: Affine, lowering: Lowering) -> Affine | None:
    """The product of two forms by the pieces of the one that has fewer; None where neither comes in pieces."""
    sides = [(pieces, other) for side, other in ((left, right), (right, left))
             if (pieces := _pieces(side, lowering)) is not None]  # fmt: skip
    if not sides:
        return None
    pieces, other = min(sides, key=lambda side: len(side[0].coefficients))
    if len(pieces.coefficients) > MOST_PIECES:
        return None
    parts = [other.scaled(pieces.constant)]
    groups = {c: group for c in pieces.coefficients if (group := _exclusive(c, lowering))}
    for group in dict.fromkeys(groups.values()):
        parts += _by_choice(group, pieces, other, lowering)
    for column, weight in pieces.coefficients.items():
        if column not in groups:
            parts.append(lowering.product(Affine(0.0, {column: 1.0}), other, "product").scaled(weight))
    return total(parts)


def _exclusive(column: int, lowering: Lowering) -> tuple[int, ...]:
    """The columns of which exactly one is 1, this one among them."""
    family = lowering.program.family.get(column)
    return lowering.exclusive.get(column, ()) if family is None else tuple(lowering.program.choices[family])


def _by_choice(group: tuple[int, ...], pieces: Affine, other: Affine, lowering: Lowering) -> list[Affine]:
    """`Σ_c weight_c · p_c`, `p_c = column_c · other`: exactly one of the columns is 1, so the p_c sum to `other`."""
    program = lowering.program
    low, high = program.bounds(other)
    made: dict[int, Affine] = {}
    for choice in group:
        column = program.column("product", low=min(low, 0.0), high=max(high, 0.0), integral=program.whole(other))
        made[choice] = Affine(0.0, {column: 1.0})
        program.row(made[choice].minus(Affine(0.0, {choice: high})), high=0.0)
        program.row(made[choice].minus(Affine(0.0, {choice: low})), low=0.0)
    program.set_apart(c for form in made.values() for c in form.coefficients)
    program.row(total(made.values()).minus(other), low=0.0, high=0.0)
    return [form.scaled(pieces.coefficients[c]) for c, form in made.items() if c in pieces.coefficients]


def _pieces(form: Affine, lowering: Lowering) -> Affine | None:
    """The same number in columns of 0 and 1, as few as there are; None where some column is not whole."""
    program = lowering.program
    if any(not program.columns[c].integral for c in form.coefficients):
        return None
    parts = [Affine(form.constant)]
    for column, weight in form.coefficients.items():
        held = program.columns[column]
        single = (held.low, held.high) == (0.0, 1.0)
        parts.append((Affine(0.0, {column: 1.0}) if single else _digits(column, lowering)).scaled(weight))
    return total(parts)


def _digits(column: int, lowering: Lowering) -> Affine:
    """A whole column in binary digits, made once."""
    if column not in lowering.digits:
        program, held = lowering.program, lowering.program.columns[column]
        width = int(held.high - held.low)
        bits = [Affine(0.0, {program.column("digit", integer=True): float(2**k)}) for k in range(width.bit_length())]
        form = Affine(held.low) + total(bits)
        program.row(form.minus(Affine(0.0, {column: 1.0})), low=0.0, high=0.0)
        lowering.digits[column] = form
    return lowering.digits[column]
