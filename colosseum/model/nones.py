"""Undecided payoffs. In: a payoff's term; out: an assignment at which it is none, so that the user can guard it."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, product
from math import prod
from typing import TypeAlias

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
NOTHING: frozenset[type] = frozenset((type(None),))
NUMBERS_OR_NONE = NUMBERS | NOTHING


@dataclass(frozen=True)
class Domains:
    """What the variables of a task may be at some place in a term."""

    task: Task
    meter: Meter
    kept: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """The values of those that a guard has narrowed."""
    sound: "dict[Doubt, dict[int, Term]]" = field(default_factory=lambda: defaultdict(dict))
    """Terms of which a doubt was settled for good, by the doubt and their identity: many stand in several places."""

    def __getitem__(self, name: str) -> tuple[Value, ...]:
        return self.kept[name] if name in self.kept else self.task.variable[name].domain

    def raises(self, doubt: "Doubt", term: Term) -> bool:
        """Whether there is this doubt about a term; once settled where nothing is narrowed, it is not raised again."""
        sound, identity = self.sound[doubt], id(term)
        if identity in sound:
            return False
        raised = doubt(term, self)
        if not raised and not self.kept:
            sound[identity] = term
        return raised

    def kinds(self, name: str) -> frozenset[type]:
        """The types of a variable's values."""
        return frozenset(map(type, self.kept[name])) if name in self.kept else self.task.variable[name].kinds

    def of(self, term: Term) -> dict[str, tuple[Value, ...]]:
        """The domains of a term's scope, in declared order."""
        position = self.task.position
        return {name: self[name] for name in sorted(term.scope & position.keys(), key=position.__getitem__)}


Doubt: TypeAlias = Callable[[Term, Domains], bool]


def none_example(term: Term, domains: Domains) -> tuple[dict[str, Value], Fault] | None:
    """An assignment of the scope at which the term is none or cannot be computed, and why; None if none was found.

    Sums are searched part by part, so only leaves with few variables are enumerated, and only some of their
    assignments once the meter allows no more.
    """
    if not _suspicious(term, domains):
        return None
    if isinstance(term, terms.Total):
        return next((found for part in term.parts if (found := none_example(part, domains))), None)
    for x in _assignments(term, domains):
        try:
            result = term.evaluate(x)
            if result is None:
                return x, Fault("this payoff can be none", code="C053", help="guard it with `when … != none`")
            number(result, "this payoff")
        except Fault as fault:
            return x, fault
    return None


def fault_example(condition: Term, domains: Domains) -> tuple[dict[str, Value], Fault] | None:
    """An assignment at which a condition is no condition or cannot be computed, and why; None if none was found."""
    if not _doubtful(condition, domains):
        return None
    for x in _assignments(condition, domains):
        try:
            truth(condition.evaluate(x), "this condition")
        except Fault as fault:
            return x, fault
    return None


def _assignments(term: Term, domains: Domains) -> Iterator[dict[str, Value]]:
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


def _suspicious(term: Term, domains: Domains) -> bool:
    """Whether a none or a Fault could come out; comparisons swallow none, arithmetic and look-ups do not."""
    match term:
        case terms.Constant(value=value):
            return not is_number(value)
        case terms.Conditional(condition=c, then=terms.Constant(value=a), otherwise=terms.Constant(value=b)) if (
            is_number(a) and is_number(b)
        ):
            return _doubtful(c, domains)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return _suspicious(b, domains) or _doubtful(c, domains) or (
                _suspicious(a, domains) and _suspicious(a, _guarded(c, a, domains))
            )  # fmt: skip
        case terms.Decision(variable=name):
            return not domains.kinds(name) <= NUMBERS
        case terms.Total(parts=parts):
            return domains.raises(_any_suspicious, term)
        case terms.Arithmetic(operator=operator, left=a, right=b):
            return (operator == "/" and not isinstance(b, terms.Constant)) or _any(_suspicious, (a, b), domains)
        case terms.Absolute(part=part):
            return _suspicious(part, domains)
        case terms.Extremum(parts=parts, conditions=conditions):
            sure = all(isinstance(c, terms.Constant) and c.value is True for c in conditions)
            return not sure or _any(_suspicious, parts, domains)
        case terms.Select(keys=keys, entries=entries, by_key=by_key):
            known = all(isinstance(k, terms.Decision) for k in keys)
            reach = product(*(_values(k, domains) for k in keys)) if known else ()
            return not known or any(k not in by_key for k in reach) or any(_suspicious(e, domains) for _, e in entries)
        case terms.PayoffOf():
            return False
        case _:
            return True


def _any_suspicious(total: Term, domains: Domains) -> bool:
    """Whether a none or a Fault could come out of a part of a sum."""
    return _any(_suspicious, total.below, domains)


def _any(doubt: Doubt, parts: Iterable[Term], domains: Domains) -> bool:
    """Whether there is a doubt about one of the parts."""
    for part in parts:  # noqa: SIM110 - a generator for each of a hundred thousand terms takes longer than the doubts
        if doubt(part, domains):
            return True
    return False


def _guarded(condition: Term, guarded: Term, domains: Domains) -> Domains:
    """What the variables of a term may be where its condition holds, as far as that tests them one by one."""
    parts = condition.parts if isinstance(condition, terms.Every) else (condition,)
    for part in parts:
        if len(part.scope) == 1 and part.scope <= guarded.scope and not _doubtful(part, domains):
            (name,) = part.scope
            if domains.meter.affords(len(domains[name]) * part.extent[0]):
                held = tuple(v for v in domains[name] if part.evaluate({name: v}) is True)
                domains = replace(domains, kept={**domains.kept, name: held})
    return domains


def _doubtful(condition: Term, domains: Domains) -> bool:
    """Whether a condition could fail: comparisons of numbers (or none), and of decisions of one kind, cannot."""
    return domains.raises(_may_fail, condition)


def _may_fail(condition: Term, domains: Domains) -> bool:
    match condition:
        case terms.Compare(operator=operator, left=left, right=right):
            if operator in ("==", "!=") and _alike(left, right, domains):
                return False
            return _faulty(left, domains) or _faulty(right, domains)
        case terms.Constant(value=value):
            return not isinstance(value, bool)
        case terms.Member(item=item, elements=terms.Constant(value=Elements())):
            return not isinstance(item, terms.Decision)
        case terms.Every(parts=parts) | terms.Some(parts=parts):
            return _any(_doubtful, parts, domains)
        case terms.Inverse(part=part):
            return _doubtful(part, domains)
        case _:
            return True


def _faulty(term: Term, domains: Domains) -> bool:
    """Whether a side of a comparison could be anything but a number or none."""
    match term:
        case terms.Constant(value=value):
            return not (value is None or is_number(value))
        case terms.Decision(variable=name):
            return not domains.kinds(name) <= NUMBERS_OR_NONE
        case terms.Arithmetic(operator=operator, left=a, right=b):
            return (operator == "/" and not isinstance(b, terms.Constant)) or _any(_faulty, (a, b), domains)
        case terms.Absolute(part=part):
            return _faulty(part, domains)
        case terms.Conditional(condition=c, then=a, otherwise=b):
            return _faulty(a, domains) or _faulty(b, domains) or _doubtful(c, domains)
        case _:
            return _suspicious(term, domains)


def _alike(left: Term, right: Term, domains: Domains) -> bool:
    """Whether both sides are decisions or constants of one kind, none aside."""
    these, those = _kinds(left, domains), _kinds(right, domains)
    return these is not None and those is not None and len(NOTHING.union(these, those)) <= 2


def _kinds(term: Term, domains: Domains) -> "frozenset[type] | tuple[type] | None":
    """The types of the values of a decision or a constant."""
    match term:
        case terms.Decision():
            return domains.kinds(term.variable)
        case terms.Constant():
            return (type(term.value),)
        case _:
            return None


def _values(term: Term, domains: Domains) -> tuple[Value, ...]:
    match term:
        case terms.Decision(variable=name):
            return domains[name]
        case terms.Constant(value=value):
            return (value,)
        case _:
            return ()
