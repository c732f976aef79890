"""Undecided payoffs. In: a payoff's term; out: an assignment at which it is none, so that the user can guard it."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product

from colosseum.model import terms
from colosseum.model.scenario import Variable
from colosseum.model.terms import Term
from colosseum.model.values import Elements, Fault, Value, is_number, number, truth

MOST_TRIED = 20_000
"""Assignments tried for one leaf."""
MOST_NAMES = 6
"""Variables of a leaf that is tried whole."""
FEW = 16
"""Mixed assignments tried of a larger one."""


def none_example(term: Term, variables: Mapping[str, Variable]) -> tuple[dict[str, Value], Fault] | None:
    """An assignment of the scope at which the term is none or cannot be computed, and why; None if none was found.

    Sums are searched part by part, so only leaves with few variables are enumerated.
    """
    if not _suspicious(term, variables):
        return None
    if isinstance(term, terms.Total):
        return next((found for part in term.parts if (found := none_example(part, variables))), None)
    for x in _assignments(term, variables):
        try:
            result = term.evaluate(x)
            if result is None:
                return x, Fault("this payoff is none", code="C053", help="guard it with `when … != none`")
            number(result, "this payoff")
        except Fault as fault:
            return x, fault
    return None


def fault_example(condition: Term, variables: Mapping[str, Variable]) -> tuple[dict[str, Value], Fault] | None:
    """An assignment at which a condition is no condition or cannot be computed, and why; None if none was found."""
    if not _doubtful(condition, variables):
        return None
    for x in _assignments(condition, variables):
        try:
            truth(condition.evaluate(x), "this condition")
        except Fault as fault:
            return x, fault
    return None


def _assignments(term: Term, variables: Mapping[str, Variable]) -> Iterator[dict[str, Value]]:
    """Assignments of a term's scope: all of them where they are few, else some of every kind."""
    names = [n for n in variables if n in term.scope] if len(term.scope) < len(variables) else list(variables)
    domains = [variables[n].domain for n in names]
    if len(names) <= MOST_NAMES:
        yield from (_Tried(zip(names, values, strict=True)) for values in islice(product(*domains), MOST_TRIED))
        return
    for turn in range(FEW):
        yield _Tried((n, d[turn * (1 + i) % len(d)]) for i, (n, d) in enumerate(zip(names, domains, strict=True)))
    for turn in range(max(len(d) for d in domains)):
        yield _Tried((n, d[-1 - turn % len(d)]) for n, d in zip(names, domains, strict=True))


class _Tried(dict[str, Value]):
    """An assignment; payoffs that an objective names are 1."""

    def __missing__(self, name: str) -> Value:
        return 1.0


def _suspicious(term: Term, variables: Mapping[str, Variable]) -> bool:
    """Whether a none or a Fault could come out; comparisons swallow none, arithmetic and look-ups do not."""

    def any_of(parts: Iterable[Term]) -> bool:
        return any(_suspicious(part, variables) for part in parts)

    match term:
        case terms.Constant(value=value):
            return not is_number(value)
        case terms.Decision(variable=name):
            return not all(is_number(v) for v in variables[name].domain)
        case terms.Arithmetic(operator=operator, left=a, right=b):
            return (operator == "/" and not isinstance(b, terms.Constant)) or any_of((a, b))
        case terms.Absolute(part=part):
            return _suspicious(part, variables)
        case terms.Extremum(parts=parts, conditions=conditions):
            sure = all(isinstance(c, terms.Constant) and c.value is True for c in conditions)
            return not sure or any_of(parts)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return any_of((a, b)) or _doubtful(c, variables)
        case terms.Total(parts=parts):
            return any_of(parts)
        case terms.Select(keys=keys, entries=entries, by_key=by_key):
            known = all(isinstance(k, terms.Decision) for k in keys)
            reach = product(*(_values(k, variables) for k in keys)) if known else ()
            return not known or any(key not in by_key for key in reach) or any_of(entry for _, entry in entries)
        case terms.PayoffOf():
            return False
        case _:
            return True


def _doubtful(condition: Term, variables: Mapping[str, Variable]) -> bool:
    """Whether a condition could fail: comparisons of numbers (or none), and of decisions of one kind, cannot."""
    match condition:
        case terms.Constant(value=value):
            return not isinstance(value, bool)
        case terms.Compare(operator=operator, left=left, right=right):
            numeric = not _faulty(left, variables) and not _faulty(right, variables)
            return not numeric and (operator not in ("==", "!=") or not _alike(left, right, variables))
        case terms.Member(item=item, elements=terms.Constant(value=Elements())):
            return not isinstance(item, terms.Decision)
        case terms.Every(parts=parts) | terms.Some(parts=parts):
            return any(_doubtful(p, variables) for p in parts)
        case terms.Inverse(part=part):
            return _doubtful(part, variables)
        case _:
            return True


def _faulty(term: Term, variables: Mapping[str, Variable]) -> bool:
    """Whether a side of a comparison could be anything but a number or none."""

    def any_of(parts: Iterable[Term]) -> bool:
        return any(_faulty(part, variables) for part in parts)

    match term:
        case terms.Constant(value=value):
            return not (value is None or is_number(value))
        case terms.Decision(variable=name):
            return not all(v is None or is_number(v) for v in variables[name].domain)
        case terms.Arithmetic(operator=operator, left=a, right=b):
            return (operator == "/" and not isinstance(b, terms.Constant)) or any_of((a, b))
        case terms.Absolute(part=part):
            return _faulty(part, variables)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return any_of((a, b)) or _doubtful(c, variables)
        case _:
            return _suspicious(term, variables)


def _alike(left: Term, right: Term, variables: Mapping[str, Variable]) -> bool:
    """Whether both sides are decisions or constants of one kind, none aside."""
    kinds = {type(v) for t in (left, right) for v in _values(t, variables) if v is not None}
    return len(kinds) <= 1 and all(isinstance(t, terms.Decision | terms.Constant) for t in (left, right))


def _values(term: Term, variables: Mapping[str, Variable]) -> tuple[Value, ...]:
    match term:
        case terms.Decision(variable=name):
            return variables[name].domain
        case terms.Constant(value=value):
            return (value,)
        case _:
            return ()
