"""Numeric terms as affine forms: sums, products, cases, look-ups, extremes, functions of a count, shares of payoffs.

A side of a product that counts in columns of 0 and 1 is taken apart: `a · b` is Σ weight · (column · b) over them.
Other whole numbers, divisors and counts are taken apart by the values they may take.
"""

from typing import cast

from colosseum.model import terms
from colosseum.model.scenario import EqualSplit, Payoff, QualifiedSplit, Variable
from colosseum.model.terms import Constant, Decision, Term
from colosseum.solve.arrays import as_number, rewritten, worth, worths
from colosseum.solve.lowering.conditions import by_value, conjunction, looked_up, numbered
from colosseum.solve.lowering.program import Affine, total
from colosseum.solve.lowering.rules import NOTHING, ONE, Lowering, credited_part, referred, table


def linear(term: terms.Total | terms.Arithmetic, lowering: Lowering) -> Affine | None:
    """Sums, differences and multiples of forms, flat: what stands in sums within sums is added up once."""
    parts = addends(term)
    if len(parts) == 1 and parts[0][1] is term:
        return None
    return total([_addend(part, lowering).scaled(factor) for factor, part in parts])


def _addend(part: Term, lowering: Lowering) -> Affine:
    """A part of a sum; a decision that is a number counts by one column."""
    number = lowering.program.number(part.variable) if isinstance(part, Decision) else None
    return lowering.number(part) if number is None else number


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
    """`a if c else b if d else …`: after each condition a form says whether none has held, so one branch counts."""
    open_, branches, rest = Affine(1.0), list[Affine](), cast(Term, term)
    while isinstance(rest, terms.Conditional) and (rest is term or not lowering.small(rest, lowering.limits.small)):
        missed = conjunction([open_, Affine(1.0).minus(lowering.condition(rest.condition))], lowering)
        branches.append(lowering.product(open_.minus(missed), lowering.number(rest.then), "case"))
        open_, rest = missed, rest.otherwise
    return total([*branches, lowering.product(open_, lowering.number(rest), "case")])


def look_up(term: terms.Select, lowering: Lowering) -> Affine | None:
    """A table looked up by decisions, whose entries may depend on others: each entry where its key is chosen.

    Over a small scope, or as a sum of such, it is written out.
    """
    found = table(term, lowering, most=lowering.limits.small)
    if found is not None:
        return found
    entries = looked_up(term, lowering)
    if entries is None:
        return None
    return total([lowering.product(holds, lowering.number(entry), "entry") for holds, entry in entries])


def absolute(term: terms.Absolute, lowering: Lowering) -> Affine:
    """`abs(e)` = max(e, −e)."""
    body = lowering.number(term.part)
    return greatest([body, body.scaled(-1.0)], lowering)


def extremum(term: terms.Extremum, lowering: Lowering) -> Affine:
    """`max` and `min`, exact whichever way the objective pulls; an item whose condition fails counts as the worst."""
    sign = 1.0 if term.which == "max" else -1.0
    parts = [lowering.number(part).scaled(sign) for part in term.parts]
    if not parts:
        return Affine(0.0)
    worst, always = Affine(min(lowering.program.bounds(part)[0] for part in parts)), Affine(1.0)
    items = [(lowering.condition(c), part) for c, part in zip(term.conditions, parts, strict=True)]
    shown = [p if c == always else worst + lowering.product(c, p.minus(worst), "guarded item") for c, p in items]
    return greatest(shown, lowering).scaled(sign)


def greatest(parts: list[Affine], lowering: Lowering) -> Affine:
    """The maximum of forms: a column above all of them that touches the one a binary selects."""
    program = lowering.program
    ends = [(part, *program.bounds(part)) for part in parts]
    floor, top = max(low for _, low, _ in ends), max(high for _, _, high in ends)
    live = [(part, low) for part, low, high in ends if high > floor or low == floor]
    if len(live) == 1:
        return live[0][0]
    if len(live) == 2:
        (first, _), (second, _) = live
        return second + excess(first.minus(second), lowering)
    whole = all(program.whole(part) for part, _ in live)
    column = Affine(0.0, {program.column("greatest", low=floor, high=top, integral=whole): 1.0})
    selected = [Affine(0.0, {program.column("selected", integer=True): 1.0}) for _ in live]
    program.row(total(selected), low=1.0, high=1.0)
    for (part, low), select in zip(live, selected, strict=True):
        program.row(column.minus(part), low=0.0)
        program.row(column.minus(part) + select.scaled(top - low), high=top - low)
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


def multiplied(term: terms.Arithmetic, lowering: Lowering) -> Affine | None:
    """A product or quotient, unless it is better written out: by a side of 0 and 1, else by the pieces of one side."""
    if term.operator == "*":
        left, right = lowering.number(term.left), lowering.number(term.right)
        for a, b in ((left, right), (right, left)):
            if lowering.program.whole(a) and lowering.program.bounds(a) == (0.0, 1.0):
                return lowering.product(a, b, "product")
    if term.operator == "&" or lowering.small(term, lowering.limits.small):
        return None
    if term.operator == "*":
        return _product(term.left, term.right, lowering)
    if not isinstance(term.left, Constant):
        return lowering.number(terms.Arithmetic("*", term.left, terms.Arithmetic("/", Constant(1), term.right)))
    values, paid = by_value(term.right, lowering), worth(term.left, {})
    if values is None:
        return None
    return total([taken.scaled(paid / as_number(k)) for k, taken in values.items() if k])


def _product(left: Term, right: Term, lowering: Lowering) -> Affine | None:
    """The product of two numbers by the pieces of the one that has fewer; None where neither comes in pieces."""
    sides = [(pieces, lowering.number(other)) for side, other in ((left, right), (right, left))
             if (pieces := _pieces(side, lowering)) is not None]  # fmt: skip
    if not sides:
        return None
    pieces, other = min(sides, key=lambda side: len(side[0].coefficients))
    parts = [other.scaled(pieces.constant)]
    groups = {c: lowering.program.groups.get(c) for c in pieces.coefficients}
    for group in dict.fromkeys(group.columns if group and group.one else (c,) for c, group in groups.items()):
        made = _by_choice(group, other, lowering)
        parts += [form.scaled(pieces.coefficients[c]) for c, form in made.items() if c in pieces.coefficients]
    return total(parts)


def _pieces(term: Term, lowering: Lowering) -> Affine | None:
    """A number as a sum of columns of 0 and 1; None where it is none such."""
    form, columns = lowering.number(term), lowering.program.columns
    if all(columns[c].integral and (columns[c].low, columns[c].high) == (0.0, 1.0) for c in form.coefficients):
        return form
    values = by_value(term, lowering)
    return None if values is None else numbered(values)


def _by_choice(group: tuple[int, ...], other: Affine, lowering: Lowering) -> dict[int, Affine]:
    """`column · other` for each of some columns: where exactly one of them is 1, these sum to `other`."""
    if len(group) == 1 or other.fixed:
        return {c: lowering.product(Affine(0.0, {c: 1.0}), other, "product") for c in group}
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
    return made


# ---- functions of a count --------------------------------------------------------------------------------------------


COUNT = "a count"
"""The variable that stands for a count while a function of it is tabulated; no variable of a text is named so."""


def counted(term: Term, lowering: Lowering) -> Affine | None:
    """The rule: a function of exactly one count, other than the count itself, over more than two variables."""
    found = counts_below(term, lowering) if len(term.scope) > 2 else ()
    if len(found) != 1:
        return None
    values = function_of_count(term, found[0])
    counts = None if values is None else by_value(found[0], lowering)
    if values is None or counts is None:
        return None
    return total([taken.scaled(values.get(int(as_number(k)), 0.0)) for k, taken in counts.items()])


def counts_below(term: Term, lowering: Lowering) -> tuple[terms.Total, ...]:
    """The counts in a term, no more than two of them; each term is gone through once, wherever it is met again."""
    known = lowering.counts_known.get(id(term))
    if known is None:
        found = [term] if isinstance(term, terms.Total) and _counts(term) else []
        for part in () if found else term.below:
            found += [each for each in counts_below(part, lowering) if each not in found]
            if len(found) > 1:
                break
        known = lowering.counts_known[id(term)] = term, tuple(found[:2])
    return known[1]


def _counts(term: terms.Total) -> bool:
    """Whether a sum counts how many of its conditions hold."""
    if not 1 < len(term.parts) == len(set(term.parts)):
        return False
    return all(isinstance(p, terms.Conditional) and (p.then, p.otherwise) == (ONE, NOTHING) for p in term.parts)


def function_of_count(term: Term, count: terms.Total) -> dict[int, float] | None:
    """g(0) … g(m) when the term reads decisions only through the number of conditions that hold, else None.

    What the program holds possible besides, since it does not see which conditions exclude each other, has no value.
    """
    if not term.scope <= count.scope or referred(term):
        return None
    same = frozenset(count.parts)

    def counts(inner: Term) -> Term | None:
        found = isinstance(inner, terms.Total) and len(inner.parts) == len(same) == len(same.intersection(inner.parts))
        return Decision(COUNT) if found else None

    by_count = rewritten(term, counts)
    if not by_count.scope <= {COUNT}:
        return None
    values = worths(by_count, [Variable(COUNT, "", tuple(range(len(count.parts) + 1)))])
    return dict(enumerate(values.tolist()))


# ---- shares that decisions choose ------------------------------------------------------------------------------------


def share(payoff: Payoff, agent: str | None, lowering: Lowering) -> Affine:
    """What one payoff credits to an agent; None stands for all together."""
    if agent is None:
        return lowering.number(payoff.term)
    if isinstance(payoff.credit, EqualSplit):
        return lowering.number(payoff.term).scaled(1.0 / len(payoff.credit.agents))
    if id(payoff) not in lowering.shares:
        lowering.shares[id(payoff)] = _shares(payoff.term, payoff.credit, lowering)
    shares = lowering.shares[id(payoff)]
    if shares is not None:
        return shares.get(agent, Affine(0.0))
    term = credited_part(payoff, agent, payoff.term)
    return table(term, lowering) or lowering.number(term)


def _shares(term: Term, split: QualifiedSplit, lowering: Lowering) -> dict[str, Affine] | None:
    """The shares of all agents; None where they are better written out.

    With z_k = [n = k], w_ik = [i qualifies and n = k] has Σ_k w_ik = [i qualifies], Σ_i w_ik = k · z_k and w_ik ≤ z_k.
    Agent i gets Σ_k g(k) / k · w_ik of a payoff g of the count, and Σ_k w_ik · g / k, a product each, of any other.
    """
    if lowering.size(term.scope.union(*(c.scope for _, c in split.candidates))) <= lowering.limits.small:
        return None
    program, conditions = lowering.program, [c for _, c in split.candidates]
    count = terms.Total(tuple(terms.Conditional(c, ONE, NOTHING) for c in conditions))
    values = function_of_count(term, count) if _counts(count) else None
    counts = by_value(count, lowering)
    if counts is None:
        return None
    shares: dict[str, list[Affine]] = {a: [] for a in (*dict(split.candidates), *split.otherwise)}
    qualified: list[list[Affine]] = [[] for _ in conditions]
    for k, taken in counts.items():
        worth = lowering.number(term) if values is None else Affine(values.get(int(as_number(k)), 0.0))
        if not k:
            for agent in split.otherwise:
                part = worth.scaled(1.0 / len(split.otherwise))
                shares[agent].append(lowering.product(taken, part, "share"))
            continue
        joint = [Affine(0.0, {program.column("counted", integral=True): 1.0}) for _ in conditions]
        program.row(total(joint).minus(taken.scaled(as_number(k))), low=0.0, high=0.0)
        for (agent, _), holds, forms in zip(split.candidates, joint, qualified, strict=True):
            program.row(holds.minus(taken), high=0.0)
            forms.append(holds)
            shares[agent].append(lowering.product(holds, worth.scaled(1.0 / as_number(k)), "share"))
    for condition, forms in zip(conditions, qualified, strict=True):
        program.row(total(forms).minus(lowering.condition(condition)), low=0.0, high=0.0)
    return {agent: total(forms) for agent, forms in shares.items()}
