"""Operators on folded expressions. In: values and terms; out: a value where all are values, else a ground term."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from colosseum.model import terms
from colosseum.model.terms import Constant, Ground, Term
from colosseum.model.values import Fault, Number, Value, added, compare, extremum, member, truth

Folded: TypeAlias = "Value | Term"
MOST_NAMES = 10_000
"""Names whose constants are kept."""
NOTHING = Constant(0)
ONE = Constant(1)


def term(folded: Folded) -> Term:
    """A value as a constant term."""
    if isinstance(folded, Ground):
        return folded
    return named(folded) if isinstance(folded, str) else Constant(folded)


@lru_cache(maxsize=MOST_NAMES)
def named(name: str) -> Constant:
    """The constant of a name, which many terms share."""
    return Constant(name)


def link(operator: str, left: Folded, right: Folded) -> Folded:
    """One link of a comparison chain."""
    if operator == "not in":
        return inverse(link("in", left, right))
    if isinstance(left, Ground) or isinstance(right, Ground):
        sides = term(left), term(right)
        return terms.Member(*sides) if operator == "in" else terms.Compare(operator, *sides)
    return member(left, right) if operator == "in" else compare(operator, left, right)


def inverse(operand: Folded) -> Folded:
    """`not c`."""
    return terms.Inverse(operand) if isinstance(operand, Ground) else not truth(operand, "the operand of `not`")


def conjunction(parts: list[Folded]) -> Folded:
    """`and` of the parts, with the values folded in; mentions are kept."""
    return _connect(parts, neutral=True, join=terms.Every)


def disjunction(parts: list[Folded]) -> Folded:
    """`or` of the parts."""
    return _connect(parts, neutral=False, join=terms.Some)


def _connect(parts: list[Folded], *, neutral: bool, join: Callable[[tuple[Term, ...]], Term]) -> Folded:
    if len(parts) == 1 and isinstance(parts[0], Ground):
        return parts[0]
    ground = [p for p in parts if isinstance(p, Ground)]
    plain = [p for p in parts if not isinstance(p, Ground)]
    role = "a part of `and`" if neutral else "a part of `or`"
    decided = any(truth(p, role) is not neutral for p in plain)
    if not ground:
        return neutral is not decided
    if decided:
        return Constant(not neutral, tuple(sorted(terms.union(ground))))
    return ground[0] if len(ground) == 1 else join(tuple(ground))


def counted(conditions: list[Folded]) -> Folded:
    """How many of the conditions hold."""
    ground = [c for c in conditions if isinstance(c, Ground)]
    sure = len(conditions) - len(ground)
    if not ground:
        return sure
    parts = tuple([terms.Conditional(condition, ONE, NOTHING) for condition in ground])
    return terms.Total((*parts, Constant(sure)) if sure else parts)


def total(rounds: list[tuple[Folded, Folded]]) -> Folded:
    """A sum of guarded parts; its plain values are added up."""
    constant: Number = 0
    parts: list[Term] = []
    for holds, body in rounds:
        if isinstance(holds, Ground):
            parts.append(terms.Conditional(holds, term(body), NOTHING))
        elif isinstance(body, Ground):
            parts.append(body)
        else:
            constant = added((constant, terms.summand(body)))
    if not parts:
        return constant
    return terms.Total((*parts, Constant(constant)) if constant else tuple(parts))


def extreme(which: str, rounds: list[tuple[Folded, Folded]], *, aggregate: bool) -> Folded:
    """The least or greatest of guarded parts."""
    if any(isinstance(part, Ground) for pair in rounds for part in pair):
        return terms.Extremum(which, tuple(term(b) for _, b in rounds), tuple(term(c) for c, _ in rounds), aggregate)
    values = [body for _, body in rounds if not isinstance(body, Ground)]
    if aggregate and None in values:
        raise Fault(f"an item of `{which}` is none", code="C053")
    return extremum(which, values)
