"""Numeric terms: sums, products, cases, look-ups and extremes as affine forms."""

from colosseum.model import terms
from colosseum.model.terms import Constant, Decision, Term
from colosseum.model.values import Value
from colosseum.solve.arrays.worths import worth
from colosseum.solve.lowering.defined import numeric
from colosseum.solve.lowering.products import by_value
from colosseum.solve.lowering.program import Affine, total
from colosseum.solve.lowering.rules import Lowering
from colosseum.solve.lowering.tables import separable, table


def linear(term: Term, lowering: Lowering) -> Affine | None:
    """Sums, differences and multiples of forms."""
    match term:
        case terms.Total(parts=parts):
            return total([lowering.number(part) for part in parts])
        case terms.Arithmetic(operator="+", left=left, right=right):
            return lowering.number(left) + lowering.number(right)
        case terms.Arithmetic(operator="-", left=left, right=right):
            return lowering.number(left).minus(lowering.number(right))
        case terms.Arithmetic(operator="*", left=Constant() as left, right=right):
            return lowering.number(right).scaled(worth(left, {}))
        case terms.Arithmetic(operator="*", left=left, right=Constant() as right):
            return lowering.number(left).scaled(worth(right, {}))
        case terms.Arithmetic(operator="/", left=left, right=Constant() as right) if worth(right, {}):
            return lowering.number(left).scaled(1.0 / worth(right, {}))
        case _:
            return None


def payoff(term: Term, lowering: Lowering) -> Affine | None:
    """`payoff[a]` and `total` inside an objective."""
    return lowering.payoffs.get(term.agent) if isinstance(term, terms.PayoffOf) else None


def case(term: Term, lowering: Lowering) -> Affine | None:
    """`a if c else b` = b + c · (a − b)."""
    if not isinstance(term, terms.Conditional):
        return None
    otherwise = lowering.number(term.otherwise)
    difference = lowering.number(term.then).minus(otherwise)
    return otherwise + lowering.product(lowering.condition(term.condition), difference, "case")


def look_up(term: Term, lowering: Lowering) -> Affine | None:
    """A table looked up by decisions, whose entries may depend on others: each entry where its key is chosen."""
    if not isinstance(term, terms.Select):
        return None
    counted = by_whole_key(term, lowering)
    if counted is not None:
        return counted
    return total([
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


def small_look_up(term: Term, lowering: Lowering) -> Affine | None:
    """A look-up by several decisions over a small scope, or one that is a sum of such."""
    if not isinstance(term, terms.Select):
        return None
    return table(term, lowering) if lowering.size(term.scope) <= lowering.limits.look_up else separable(term, lowering)


def absolute(term: Term, lowering: Lowering) -> Affine | None:
    """`abs(e)` = max(e, −e)."""
    if not isinstance(term, terms.Absolute):
        return None
    body = lowering.number(term.part)
    return greatest([body, body.scaled(-1.0)], lowering)


def extremum(term: Term, lowering: Lowering) -> Affine | None:
    """`max` and `min`, exact whichever way the objective pulls; an item whose condition fails counts as the worst."""
    if not isinstance(term, terms.Extremum):
        return None
    guarded = not all(isinstance(c, Constant) and c.value is True for c in term.conditions)
    if guarded and lowering.size(term.scope) <= lowering.limits.look_up and not lowering.names_payoffs(term):
        return table(term, lowering)
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
