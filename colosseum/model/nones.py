"""Undecided payoffs. In: a payoff's term; out: an assignment at which it is none, so that the user can guard it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, product
from math import prod

from colosseum.model import terms
from colosseum.model.environment import Meter
from colosseum.model.scenario import Task
from colosseum.model.terms import Term
from colosseum.model.values import Elements, Fault, Value, is_number, number, truth

MOST_TRIED = 20_000
"""Assignments tried for one leaf."""
MOST_NAMES = 6
"""Variables of a leaf that is tried whole."""
FEW = 16
"""Mixed assignments tried of a larger one."""
NUMBERS: frozenset[type] = frozenset((int, float))
NUMBERS_OR_NONE = NUMBERS | {type(None)}


@dataclass(frozen=True)
class _Domains:
    """What the variables of a task may be at some place in a term."""

    task: Task
    meter: Meter
    kept: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """The values of those that a guard has narrowed."""

    def __getitem__(self, name: str) -> tuple[Value, ...]:
        return self.kept[name] if name in self.kept else self.task.variable[name].domain

    def kinds(self, name: str) -> frozenset[type]:
        """The types of a variable's values."""
        return frozenset(map(type, self.kept[name])) if name in self.kept else self.task.variable[name].kinds

    def of(self, term: Term) -> dict[str, tuple[Value, ...]]:
        """The domains of a term's scope, in declared order."""
        position = self.task.position
        return {name: self[name] for name in sorted(term.scope & position.keys(), key=position.__getitem__)}


def none_example(term: Term, task: Task, meter: Meter) -> tuple[dict[str, Value], Fault] | None:
    """An assignment of the scope at which the term is none or cannot be computed, and why; None if none was found.

    Sums are searched part by part, so only leaves with few variables are enumerated, and only some of their
    assignments once the meter allows no more.
    """
    return _none_within(term, _Domains(task, meter))


def _none_within(term: Term, domains: _Domains) -> tuple[dict[str, Value], Fault] | None:
    if not _suspicious(term, domains):
        return None
    if isinstance(term, terms.Total):
        return next((found for part in term.parts if (found := _none_within(part, domains))), None)
    for x in _assignments(term, domains):
        try:
            result = term.evaluate(x)
            if result is None:
                return x, Fault("this payoff can be none", code="C053", help="guard it with `when … != none`")
            number(result, "this payoff")
        except Fault as fault:
            return x, fault
    return None


def fault_example(condition: Term, task: Task, meter: Meter) -> tuple[dict[str, Value], Fault] | None:
    """An assignment at which a condition is no condition or cannot be computed, and why; None if none was found."""
    declared = _Domains(task, meter)
    if not _doubtful(condition, declared):
        return None
    for x in _assignments(condition, declared):
        try:
            truth(condition.evaluate(x), "this condition")
        except Fault as fault:
            return x, fault
    return None


def _assignments(term: Term, domains: _Domains) -> Iterator[dict[str, Value]]:
    """Assignments of a term's scope: all of them where they are few, else some of every kind."""
    scope = domains.of(term)
    if len(scope) <= MOST_NAMES:
        every = min(MOST_TRIED, prod(map(len, scope.values())))
        most = every if domains.meter.affords(every * term.extent[0]) else FEW
        yield from (_Tried(zip(scope, values, strict=True)) for values in islice(product(*scope.values()), most))
        return
    for turn in range(FEW):
        yield _Tried((n, d[turn * (1 + i) % len(d)]) for i, (n, d) in enumerate(scope.items()))
    for turn in range(max(len(d) for d in scope.values())):
        yield _Tried((n, d[-1 - turn % len(d)]) for n, d in scope.items())


class _Tried(dict[str, Value]):
    """An assignment; payoffs that an objective names are 1."""

    def __missing__(self, name: str) -> Value:
        return 1.0


def _suspicious(term: Term, domains: _Domains) -> bool:
    """Whether a none or a Fault could come out; comparisons swallow none, arithmetic and look-ups do not."""

    def any_of(parts: Iterable[Term]) -> bool:
        return any(_suspicious(part, domains) for part in parts)

    match term:
        case terms.Constant(value=value):
            return not is_number(value)
        case terms.Decision(variable=name):
            return not domains.kinds(name) <= NUMBERS
        case terms.Arithmetic(operator=operator, left=a, right=b):
            return (operator == "/" and not isinstance(b, terms.Constant)) or any_of((a, b))
        case terms.Absolute(part=part):
            return _suspicious(part, domains)
        case terms.Extremum(parts=parts, conditions=conditions):
            sure = all(isinstance(c, terms.Constant) and c.value is True for c in conditions)
            return not sure or any_of(parts)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return _suspicious(b, domains) or _doubtful(c, domains) or (
                _suspicious(a, domains) and _suspicious(a, _guarded(c, a, domains))
            )  # fmt: skip
        case terms.Total(parts=parts):
            return any_of(parts)
        case terms.Select(keys=keys, entries=entries, by_key=by_key):
            known = all(isinstance(k, terms.Decision) for k in keys)
            reach = product(*(_values(k, domains) for k in keys)) if known else ()
            return not known or any(key not in by_key for key in reach) or any_of(entry for _, entry in entries)
        case terms.PayoffOf():
            return False
        case _:
            return True


def _guarded(condition: Term, guarded: Term, domains: _Domains) -> _Domains:
    """What the variables of a term may be where its condition holds, as far as that tests them one by one."""
    parts = condition.parts if isinstance(condition, terms.Every) else (condition,)
    for part in parts:
        if len(part.scope) == 1 and part.scope <= guarded.scope and not _doubtful(part, domains):
            (name,) = part.scope
            if domains.meter.affords(len(domains[name]) * part.extent[0]):
                held = tuple(v for v in domains[name] if part.evaluate({name: v}) is True)
                domains = replace(domains, kept={**domains.kept, name: held})
    return domains


def _doubtful(condition: Term, domains: _Domains) -> bool:
    """Whether a condition could fail: comparisons of numbers (or none), and of decisions of one kind, cannot."""
    match condition:
        case terms.Constant(value=value):
            return not isinstance(value, bool)
        case terms.Compare(operator=operator, left=left, right=right):
            numeric = not _faulty(left, domains) and not _faulty(right, domains)
            return not numeric and (operator not in ("==", "!=") or not _alike(left, right, domains))
        case terms.Member(item=item, elements=terms.Constant(value=Elements())):
            return not isinstance(item, terms.Decision)
        case terms.Every(parts=parts) | terms.Some(parts=parts):
            return any(_doubtful(p, domains) for p in parts)
        case terms.Inverse(part=part):
            return _doubtful(part, domains)
        case _:
            return True


def _faulty(term: Term, domains: _Domains) -> bool:
    """Whether a side of a comparison could be anything but a number or none."""

    def any_of(parts: Iterable[Term]) -> bool:
        return any(_faulty(part, domains) for part in parts)

    match term:
        case terms.Constant(value=value):
            return not (value is None or is_number(value))
        case terms.Decision(variable=name):
            return not domains.kinds(name) <= NUMBERS_OR_NONE
        case terms.Arithmetic(operator=operator, left=a, right=b):
            return (operator == "/" and not isinstance(b, terms.Constant)) or any_of((a, b))
        case terms.Absolute(part=part):
            return _faulty(part, domains)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return any_of((a, b)) or _doubtful(c, domains)
        case _:
            return _suspicious(term, domains)


def _alike(left: Term, right: Term, domains: _Domains) -> bool:
    """Whether both sides are decisions or constants of one kind, none aside."""
    kinds = {type(v) for t in (left, right) for v in _values(t, domains) if v is not None}
    return len(kinds) <= 1 and all(isinstance(t, terms.Decision | terms.Constant) for t in (left, right))


def _values(term: Term, domains: _Domains) -> tuple[Value, ...]:
    match term:
        case terms.Decision(variable=name):
            return domains[name]
        case terms.Constant(value=value):
            return (value,)
        case _:
            return ()
