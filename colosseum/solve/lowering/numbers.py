"""Numbers as affine forms: sums, products, cases, look-ups, extremes, functions of a count, shares of payoffs.

Whole numbers and counts may be taken apart by the values that they take, so that any function of them is linear.
"""

from typing import cast

from colosseum.model import terms
from colosseum.model.scenario import EqualSplit, Payoff, Variable
from colosseum.model.terms import NOTHING, ONE, Constant, Decision, Term
from colosseum.model.values import Value
from colosseum.solve.arrays import as_number, rewritten, worth, worths
from colosseum.solve.lowering.conditions import by_value, conjunction, values_of_one
from colosseum.solve.lowering.program import Affine, total, unit_of
from colosseum.solve.lowering.rules import Lowering

MOST_PARTS = 20_000  # parts that one term may fall into; one that falls into more is left whole
Parts = list[tuple[float, Term]]  # `Σ factor · term`


def linear(term: terms.Total | terms.Arithmetic, lowering: Lowering) -> Affine | None:
    """Sums, differences and multiples of forms, flat: what stands in sums within sums is added up once."""
    parts = addends(term)
    if len(parts) == 1 and parts[0][1] is term:
        return None
    number = lowering.program.number  # a decision that is a number counts by one column
    forms = [(isinstance(part, Decision) and number(part.variable)) or lowering.form(part) for _, part in parts]
    return total(forms, [factor for factor, _ in parts])


def addends(term: Term) -> Parts:
    """The sum that a term comes to, no part being a sum or a multiple itself."""
    found: Parts = []
    stack = [(1.0, term)]
    while stack:
        factor, inner = stack.pop()
        match inner:
            case terms.Total(parts=parts):
                stack += [(factor, part) for part in reversed(parts)]
            case terms.Arithmetic(operator="+" | "-" as operator, left=left, right=right):
                stack += [(factor if operator == "+" else -factor, right), (factor, left)]
            case terms.Arithmetic("*", Constant() as by, part) | terms.Arithmetic("*", part, Constant() as by):
                stack.append((factor * worth(by, {}), part))
            case terms.Arithmetic(operator="/", left=part, right=Constant() as by) if worth(by, {}):
                stack.append((factor / worth(by, {}), part))
            case _:
                found.append((factor, inner))
    return found


def multiplied(term: terms.Arithmetic, lowering: Lowering) -> Affine | None:
    """A product or quotient by the pieces of a side: the sum of columns of 0 and 1 that it is."""
    if term.operator == "/":
        values = by_value(term.right, lowering)
        inverse = values and total([form.scaled(1 / as_number(k)) for k, form in values.items() if k])
        return times(inverse, lowering.form(term.left), lowering) if inverse else None
    sides = (term.left, term.right) if term.operator == "*" else ()
    cut = [(pieces, other) for side, other in zip(sides, reversed(sides), strict=True)
           if (pieces := _pieces(side, lowering)) is not None]  # fmt: skip
    if not cut:
        return None
    pieces, other = min(cut, key=lambda side: len(side[0].coefficients))
    return times(pieces, lowering.form(other), lowering)


def _pieces(term: Term, lowering: Lowering) -> Affine | None:
    """A number as a sum of columns of 0 and 1; None where it is none such."""
    form, columns = lowering.form(term), lowering.program.columns
    if all(columns[c].integral and (columns[c].low, columns[c].high) == (0.0, 1.0) for c in form.coefficients):
        return form
    values = by_value(term, lowering)
    return None if values is None else total([taken.scaled(as_number(k)) for k, taken in values.items()])


def times(pieces: Affine, other: Affine, lowering: Lowering) -> Affine:
    """The product of a sum of columns of 0 and 1 with a number."""
    if lowering.program.whole(pieces) and lowering.program.bounds(pieces) == (0.0, 1.0):
        return lowering.product(pieces, other)
    parts = [lowering.product(Affine(0.0, {c: 1.0}), other).scaled(v) for c, v in pieces.coefficients.items()]
    return total([other.scaled(pieces.constant), *parts])


def case(term: terms.Conditional, lowering: Lowering) -> Affine:
    """`a if c else b if d else …`: after each condition a form says whether none has held, so one branch counts."""
    open_, branches, rest = Affine(1.0), list[Affine](), cast(Term, term)
    while isinstance(rest, terms.Conditional) and (rest is term or lowering.size(rest) > lowering.limits.small):
        missed = conjunction([open_, Affine(1.0).minus(lowering.form(rest.condition))], lowering)
        branches.append(lowering.product(open_.minus(missed), lowering.form(rest.then)))
        open_, rest = missed, rest.otherwise
    return total([*branches, lowering.product(open_, lowering.form(rest))])


def look_up(term: terms.Select, lowering: Lowering) -> Affine | None:
    """A table looked up by decisions, whose entries may depend on others: each entry where its key is chosen."""
    found = [values_of_one(k, lowering) if len(k.scope) <= 1 else by_value(k, lowering) for k in term.keys]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return None
    branches = list[Affine]()
    for key, entry in term.entries:
        if None not in key and all(part in each for each, part in zip(known, key, strict=True)):
            holds = conjunction([each[part] for each, part in zip(known, key, strict=True)], lowering)
            branches.append(lowering.product(holds, lowering.form(entry)))
    return total(branches)


def absolute(term: terms.Absolute, lowering: Lowering) -> Affine:
    """`abs(e)` = max(e, −e)."""
    body = lowering.form(term.part)
    return greatest([body, body.scaled(-1.0)], lowering)


def extremum(term: terms.Extremum, lowering: Lowering) -> Affine:
    """`max` and `min`, exact whichever way the objective pulls; an item whose condition fails counts as the worst."""
    sign = 1.0 if term.which == "max" else -1.0
    parts = [lowering.form(part).scaled(sign) for part in term.parts]
    worst = Affine(min((lowering.program.bounds(part)[0] for part in parts), default=0.0))
    items = [(lowering.form(c), part) for c, part in zip(term.conditions, parts, strict=True)]
    shown = [p if c == Affine(1.0) else worst + lowering.product(c, p.minus(worst)) for c, p in items]
    return greatest(shown or [worst], lowering).scaled(sign)


def greatest(parts: list[Affine], lowering: Lowering) -> Affine:
    """The maximum of forms: a column above all of them that touches the one a binary selects."""
    program = lowering.program
    ends = [(part, *program.bounds(part)) for part in parts]
    if (unit := unit_of(*(end for _, *each in ends for end in each))) > 1:
        return greatest([part.scaled(1 / unit) for part in parts], lowering).scaled(unit)
    floor, top = max(low for _, low, _ in ends), max(high for _, _, high in ends)
    live = {part.key: part for part, low, high in ends if high > floor or low == floor}
    known = "greatest", frozenset(live)
    if len(live) == 1:
        return next(iter(live.values()))
    if known not in lowering.made:
        whole = all(map(program.whole, live.values()))
        column = Affine(0.0, {program.column("greatest", low=floor, high=top, integral=whole): 1.0})
        selected = [Affine(0.0, {program.column("selected", integer=True): 1.0}) for _ in range(len(live) - 1)]
        for part, select in zip(live.values(), [Affine(1.0).minus(total(selected)), *selected], strict=True):
            most = max(program.bounds(other.minus(part))[1] for other in live.values())
            program.row(column.minus(part), low=0.0)
            program.row(column.minus(part) + select.scaled(most), high=most)
        lowering.made[known] = column
    return lowering.made[known]


# ---- sums over smaller scopes ----------------------------------------------------------------------------------------


def summands(term: Term) -> Parts:
    """The term as a sum over smaller scopes, as far as sums, differences, products, cases and look-ups allow."""
    return [(factor * by, part) for factor, inner in addends(term) for by, part in _apart(inner)]


def _apart(term: Term) -> Parts:
    """The same for a term that is no sum itself."""
    if len(term.scope) <= 2:
        return [] if term == NOTHING else [(1.0, term)]
    match term:
        case terms.Arithmetic(operator="*", left=left, right=right):
            ours, theirs = summands(left), summands(right)
            if len(ours) * len(theirs) <= MOST_PARTS:
                return _narrower(term, [(f * g, terms.Arithmetic("*", a, b)) for f, a in ours for g, b in theirs])
        case terms.Conditional(condition=condition, then=then, otherwise=otherwise):
            held = [(f, terms.Conditional(condition, p, NOTHING)) for f, p in summands(then)]
            missed = [(f, terms.Conditional(condition, NOTHING, p)) for f, p in summands(otherwise)]
            return _narrower(term, [*held, *missed])
        case terms.Select():
            return _narrower(term, _looked_up(term))
    return [(1.0, term)]


def _narrower(term: Term, parts: Parts) -> Parts:
    """The parts if they make something of it: each lacks a variable of the whole."""
    if len(parts) <= MOST_PARTS and all(len(part.scope) < len(term.scope) for _, part in parts):
        return parts
    return [(1.0, term)]


def _looked_up(term: terms.Select) -> Parts:
    """One look-up for the parts over each scope; where it has no entry, it adds nothing."""
    by_scope: dict[frozenset[str], dict[tuple[Value, ...], list[Term]]] = {}
    for key, entry in term.entries:
        for factor, part in summands(entry):
            same = by_scope.setdefault(part.scope, {}).setdefault(key, [])
            same.append(part if factor == 1 else terms.Arithmetic("*", Constant(factor), part))
    return [
        (1.0, terms.Select(term.table, term.keys, tuple((key, terms.Total(tuple(p))) for key, p in entries.items())))
        for entries in by_scope.values()
    ]


# ---- functions of a count --------------------------------------------------------------------------------------------


COUNT = "a count"  # the variable that stands for one while a function of it is tabulated; no text has such a name


def counted(term: Term, lowering: Lowering) -> Affine | None:
    """A function of exactly one count, unless it is of two variables and small.

    What the program holds possible besides, since it does not see which conditions exclude each other, has no value.
    """
    if len(term.scope) <= 2 and lowering.size(term) <= lowering.limits.small:
        return None
    counts: dict[terms.Total, None] = {}

    def number(part: Term) -> Term | None:
        if not isinstance(part, terms.Total) or not _counts(part):
            return None
        counts[part] = None
        return Decision(COUNT)

    by_count = rewritten(term, number)
    if len(counts) != 1:
        return None
    (count,) = counts
    conditions = {part.condition for part in count.parts if isinstance(part, terms.Conditional)}

    def any_of(part: Term) -> Term | None:
        if isinstance(part, terms.Some) and conditions == {*part.parts}:
            return terms.Compare(">", Decision(COUNT), NOTHING)
        return None

    by_count = rewritten(by_count, any_of)
    if by_count.scope != {COUNT} or (taken := by_value(count, lowering)) is None:
        return None
    values = dict(enumerate(worths(by_count, [Variable(COUNT, "", tuple(range(len(conditions) + 1)))]).tolist()))
    return total([form.scaled(values.get(int(as_number(k)), 0.0)) for k, form in taken.items()])


def _counts(term: terms.Total) -> bool:
    """Whether a sum counts how many of its conditions hold."""
    if not 1 < len(term.parts) == len(set(term.parts)):
        return False
    return all(isinstance(p, terms.Conditional) and (p.then, p.otherwise) == (ONE, NOTHING) for p in term.parts)


# ---- shares ----------------------------------------------------------------------------------------------------------


def shares(payoff: Payoff, lowering: Lowering) -> dict[str, Affine]:
    """What a payoff credits to each agent. Where k qualify, rows say that as many as that are each one of k."""
    credit = payoff.credit
    if isinstance(credit, EqualSplit):
        return dict.fromkeys(credit.agents, lowering.form(payoff.term).scaled(1.0 / len(credit.agents)))
    count = credit.count
    each = lowering.form(terms.Arithmetic("/", payoff.term, count))
    nobody = lowering.form(terms.Conditional(terms.Compare("==", count, NOTHING), payoff.term, NOTHING))
    found = dict.fromkeys(credit.otherwise, nobody.scaled(1.0 / max(1, len(credit.otherwise))))
    qualified = [lowering.form(condition) for _, condition in credit.candidates]
    for (agent, _), holds in zip(credit.candidates, qualified, strict=True):
        found[agent] = found.get(agent, Affine(0.0)) + lowering.product(holds, each)
    counts = by_value(count, lowering) or {}
    for place, (k, taken) in enumerate(counts.items()):
        group = lowering.program.groups[next(iter(taken.coefficients))]
        joint = total(Affine(0.0, {lowering.split(holds, group)[place]: 1.0}) for holds in qualified)
        lowering.program.row(joint.minus(taken.scaled(as_number(k))), low=0.0, high=0.0)
    return found
