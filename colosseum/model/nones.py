"""Undecided payoffs. In: a payoff's term; out: an assignment at which it is none, so that the user can guard it."""

from collections.abc import Iterator, Mapping
from itertools import islice, product

from colosseum.model import terms
from colosseum.model.scenario import Variable
from colosseum.model.terms import Term
from colosseum.model.values import Fault, Value

MOST_TRIED = 20_000
"""Assignments tried for one leaf."""


def none_example(term: Term, variables: Mapping[str, Variable]) -> tuple[dict[str, Value], Fault] | None:
    """An assignment of the scope at which the term is none or cannot be computed, and why; None if none was found.

    Sums are searched part by part, so only leaves with few variables are enumerated.
    """
    if not _suspicious(term, variables):
        return None
    if isinstance(term, terms.Total):
        return next((found for part in term.parts if (found := none_example(part, variables))), None)
    names = sorted(term.scope, key=list(variables).index) if len(term.scope) <= 6 else []
    for x in islice(_assignments(names, variables), MOST_TRIED):
        try:
            if term.evaluate(x) is None:
                return x, Fault("this payoff is none", code="C053", help="guard it with `when … != none`")
        except Fault as fault:
            return x, fault
    return None


def _assignments(names: list[str], variables: Mapping[str, Variable]) -> Iterator[dict[str, Value]]:
    for values in product(*(variables[n].domain for n in names)) if names else ():
        yield dict(zip(names, values, strict=True))


def _suspicious(term: Term, variables: Mapping[str, Variable]) -> bool:
    """Whether a none or a Fault could come out; comparisons swallow none, arithmetic and look-ups do not."""
    match term:
        case terms.Constant(value=value):
            return value is None
        case terms.Decision(variable=name):
            return not all(isinstance(v, int | float) for v in variables[name].domain)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return any(_suspicious(t, variables) for t in (a, b)) or _doubtful(c, variables)
        case terms.Total(parts=parts):
            return any(_suspicious(t, variables) for t in parts)
        case terms.PayoffOf():
            return False
        case _:
            return True


def _doubtful(condition: Term, variables: Mapping[str, Variable]) -> bool:
    """Whether a condition could fail: everything but (in)equality of decisions and constants is looked at closely."""
    match condition:
        case terms.Compare(operator="==" | "!=", left=left, right=right):
            kinds = {type(v) for t in (left, right) for v in _values(t, variables) if v is not None}
            return len(kinds) > 1 or not all(isinstance(t, terms.Decision | terms.Constant) for t in (left, right))
        case terms.Every(parts=parts) | terms.Some(parts=parts):
            return any(_doubtful(p, variables) for p in parts)
        case terms.Inverse(part=part):
            return _doubtful(part, variables)
        case _:
            return True


def _values(term: Term, variables: Mapping[str, Variable]) -> tuple[Value, ...]:
    match term:
        case terms.Decision(variable=name):
            return variables[name].domain
        case terms.Constant(value=value):
            return (value,)
        case _:
            return ()
