"""Ground terms as functions. In: a term; out: what it evaluates to, sooner where many assignments are asked about.

What one variable decides is worked out once for each of its values and then looked up: a count over everybody reads
one entry for each. Where it fails it is a Fault, in whatever words; `Term.evaluate` has the right ones.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import TypeAlias

from colosseum.model.terms import (
    Arithmetic,
    Assignment,
    Compare,
    Constant,
    Decision,
    Every,
    Inverse,
    Some,
    Term,
    Total,
    summand,
)
from colosseum.model.values import Number, Value, added, arithmetic, compare, truth

Rule: TypeAlias = Callable[[Assignment], Value]
MOST_KNOWN = 1_000
"""Values of which a term remembers what comes of them."""


def prepared(term: Term) -> Rule:
    """The term as a function of complete assignments. Raises Fault where the term does."""
    if isinstance(term, Constant | Decision):
        return term.evaluate
    if len(term.scope) == 1:
        return _remembering(term, itemgetter(*term.scope))
    match term:
        case Total(parts=parts):
            return _total(parts)
        case Compare(operator=operator, left=left, right=right):
            one, other = prepared(left), prepared(right)
            return lambda x: compare(operator, one(x), other(x))
        case Arithmetic(operator=operator, left=left, right=right):
            one, other = prepared(left), prepared(right)
            return lambda x: arithmetic(operator, one(x), other(x))
        case Every(parts=parts):
            rules = [prepared(part) for part in parts]
            return lambda x: all(truth(rule(x), "a part of `and`") for rule in rules)
        case Some(parts=parts):
            rules = [prepared(part) for part in parts]
            return lambda x: any(truth(rule(x), "a part of `or`") for rule in rules)
        case Inverse(part=part):
            holds = prepared(part)
            return lambda x: not truth(holds(x), "the operand of `not`")
        case _:
            inner = _core(term)
            return term.evaluate if inner is term else _remembering(term, prepared(inner))


def _core(term: Term) -> Term:
    """What alone a term is computed from: of `max(0, count(…) - 1)` the count."""
    parts = [part for part in term.below if part.scope]
    return _core(parts[0]) if len(parts) == 1 else term


def _remembering(term: Term, inner: Rule) -> Rule:
    """A term that is a function of one value."""
    known: dict[tuple[Value, type], Value] = {}

    def rule(x: Assignment) -> Value:
        value = inner(x)
        key = (value, type(value))
        if key in known:
            return known[key]
        found = term.evaluate(x)
        if len(known) < MOST_KNOWN:
            known[key] = found
        return found

    return rule


def _total(parts: tuple[Term, ...]) -> Rule:
    """A sum, in the order of its parts."""
    if all(len(part.scope) == 1 for part in parts):
        return _total_of_ones(parts)
    rules = [prepared(part) for part in parts]
    return lambda x: added([summand(rule(x)) for rule in rules])


def _total_of_ones(parts: tuple[Term, ...]) -> Rule:
    """A sum of terms that one variable decides each."""
    entries: list[tuple[str, dict[Value, Number], Term]] = [(next(iter(p.scope)), {}, p) for p in parts]

    def rule(x: Assignment) -> Value:
        numbers = []
        for name, known, part in entries:
            value = x[name]
            if value not in known:
                known[value] = summand(part.evaluate(x))
            numbers.append(known[value])
        return added(numbers)

    return rule
