"""Undefined payoffs. In: a payoff's term; out: an assignment at which it is none, so that the user can guard it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import islice, product
from math import prod
from typing import TypeAlias

from colosseum.language.record import Record
from colosseum.model import terms
from colosseum.model.environment import Meter
from colosseum.model.scenario import Task
from colosseum.model.terms import Term
from colosseum.model.values import Elements, Fault, Value, number, truth

MOST_TRIED = 20_000
"""Assignments tried for one leaf."""
MOST_NAMES = 6
"""Variables of a leaf that is tried whole."""
FEW = 16
"""Mixed assignments tried of a larger one."""
Kinds: TypeAlias = frozenset[type]
Example: TypeAlias = tuple[dict[str, Value], Fault]
NUMBERS: Kinds = frozenset((int, float))
NOTHING: Kinds = frozenset((type(None),))
NUMBERS_OR_NONE = NUMBERS | NOTHING
CONDITION: Kinds = frozenset((bool,))
SETS: Kinds = frozenset((Elements, type(None)))
FAULT: Kinds = frozenset((Fault,))


class Domains(Record):
    """The values that variables may take at some place in a term."""

    task: Task
    meter: Meter
    narrowed: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)
    """The values of those that a guard has narrowed."""

    def __getitem__(self, name: str) -> tuple[Value, ...]:
        return self.narrowed[name] if name in self.narrowed else self.task.variable[name].domain


def none_example(term: Term, domains: Domains) -> Example | None:
    """An assignment of the scope at which the term is none or cannot be computed, and why; None if none was found.

    Sums are searched part by part, so only leaves with few variables are enumerated, and only some of their
    assignments once the meter allows no more.
    """
    if isinstance(term, terms.Total) and not kinds(term, domains) <= NUMBERS:
        return next((found for part in term.parts if (found := none_example(part, domains))), None)
    return _example(term, domains, NUMBERS, _payoff)


def fault_example(condition: Term, domains: Domains) -> Example | None:
    """An assignment at which a condition is no condition or cannot be computed, and why; None if none was found."""
    return _example(condition, domains, CONDITION, lambda found: truth(found, "this condition"))


def _payoff(found: Value) -> None:
    if found is None:
        raise Fault("this payoff can be none", code="C053", help="guard it with `when … != none`")
    number(found, "this payoff")


def _example(term: Term, domains: Domains, allowed: Kinds, check: Callable[[Value], object]) -> Example | None:
    for x in () if kinds(term, domains) <= allowed else _assignments(term, domains):
        try:
            check(term.evaluate(x))
        except Fault as fault:
            return x, fault
    return None


def _assignments(term: Term, domains: Domains) -> Iterator[dict[str, Value]]:
    """Assignments of a term's scope: all of them where they are few, else some of every kind."""
    position = domains.task.position
    scope = {name: domains[name] for name in sorted(term.scope & position.keys(), key=position.__getitem__)}
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


def kinds(term: Term, domains: Domains) -> Kinds:
    """The types of the values that a term may take, with Fault among them where it may fail.

    Overflow is left out, and so is division by a constant. Comparisons swallow none; arithmetic and look-ups do not.
    """
    match term:
        case terms.Constant(value=value):
            return frozenset((type(value),))
        case terms.Decision(variable=name):
            return frozenset(map(type, domains[name]))
        case terms.PayoffOf():
            return NUMBERS
        case terms.Arithmetic(operator=operator, left=left, right=right):
            sides = kinds(left, domains) | kinds(right, domains)
            sure = sides <= NUMBERS_OR_NONE and (operator != "/" or isinstance(right, terms.Constant))
            return sides if sure else sides | FAULT
        case terms.Absolute(part=part):
            inside = kinds(part, domains)
            return inside if inside <= NUMBERS_OR_NONE else FAULT
        case terms.Total() | terms.Every() | terms.Some() | terms.Inverse():
            wanted = NUMBERS if isinstance(term, terms.Total) else CONDITION
            return wanted if _all(term.below, wanted, domains) else FAULT
        case terms.Extremum(parts=parts, conditions=conditions):
            sure = all(isinstance(c, terms.Constant) and c.value is True for c in conditions)
            return NUMBERS if sure and _all(parts, NUMBERS, domains) else FAULT
        case terms.Conditional(condition=condition, then=then, otherwise=otherwise):
            chosen = kinds(then, domains)
            if not chosen <= NUMBERS:
                chosen = kinds(then, _where(condition, then, domains))
            found = chosen | kinds(otherwise, domains)
            return found if kinds(condition, domains) <= CONDITION else found | FAULT
        case terms.Select(keys=keys, entries=entries, by_key=by_key):
            if all(isinstance(key, terms.Decision) for key in keys):
                reach = product(*(domains[key.variable] for key in keys if isinstance(key, terms.Decision)))
                if all(key in by_key for key in reach):
                    return frozenset[type]().union(*(kinds(entry, domains) for _, entry in entries))
            return FAULT
        case terms.Compare(operator=operator, left=left, right=right):
            sides = kinds(left, domains) | kinds(right, domains)
            alike = operator in ("==", "!=") and len(sides - NOTHING) <= 1 and Fault not in sides
            return CONDITION if alike or sides <= NUMBERS_OR_NONE else FAULT
        case terms.Member(item=item, elements=elements):
            sure = Fault not in kinds(item, domains) and kinds(elements, domains) <= SETS
            return CONDITION if sure else FAULT


def _all(parts: Iterable[Term], allowed: Kinds, domains: Domains) -> bool:
    for part in parts:  # noqa: SIM110 - a generator for each of a hundred thousand terms takes longer than the rest
        if not kinds(part, domains) <= allowed:
            return False
    return True


def _where(condition: Term, guarded: Term, domains: Domains) -> Domains:
    """The values that variables may take where a condition holds, as far as it tests them one by one."""
    parts = condition.parts if isinstance(condition, terms.Every) else (condition,)
    for part in parts:
        if len(part.scope) == 1 and part.scope <= guarded.scope and kinds(part, domains) <= CONDITION:
            (name,) = part.scope
            if domains.meter.affords(len(domains[name]) * part.extent[0]):
                held = tuple(v for v in domains[name] if part.evaluate({name: v}) is True)
                domains = replace(domains, narrowed={**domains.narrowed, name: held})
    return domains
