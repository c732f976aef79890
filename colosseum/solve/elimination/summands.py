"""Sums and conjunctions taken apart. In: a term; out: terms over fewer variables that come to the same together.

`sum(…)` over many decisions is a small table for each of them and not one large table over all. Where a part of a sum
is none or cannot be computed, the whole has no value; what its parts count for there is of no account.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import cast

from colosseum.model import terms
from colosseum.model.scenario import EqualSplit, Payoff, Task
from colosseum.model.terms import Constant, Ground, PayoffOf, Term
from colosseum.model.values import Value, is_number
from colosseum.solve.scoring import may_credit

MOST_PARTS = 20_000
"""Parts that one term may fall into; one that falls into more is left whole."""
NOTHING = Constant(0)
ONE = Constant(1)

Parts = list[tuple[float, Term]]
"""`Σ factor · term`."""


def summands(term: Term) -> Parts:
    """The term as a sum over smaller scopes, as far as sums, differences, products, cases and look-ups allow."""
    match term:
        case terms.Total(parts=parts):
            return [found for part in parts for found in summands(part)]
        case terms.Arithmetic(operator="+", left=left, right=right):
            return [*summands(left), *summands(right)]
        case terms.Arithmetic(operator="-", left=left, right=right):
            return [*summands(left), *scaled(summands(right), -1.0)]
        case terms.Arithmetic(operator="*", left=left, right=right):
            return _product(term, left, right)
        case terms.Arithmetic(operator="/", left=left, right=Constant(value=value)) if by := _number(value):
            return [(factor / by, part) for factor, part in summands(left)]
        case terms.Conditional(condition=condition, then=then, otherwise=otherwise) if len(term.scope) > 2:
            held = [(f, terms.Conditional(condition, p, NOTHING)) for f, p in summands(then)]
            missed = [(f, terms.Conditional(condition, NOTHING, p)) for f, p in summands(otherwise)]
            return _narrower(term, [*held, *missed])
        case terms.Select() if len(term.scope) > 2:
            return _narrower(term, _looked_up(term))
        case _:
            return [] if term == NOTHING else [(1.0, term)]


def scaled(parts: Parts, by: float) -> Parts:
    """The parts times a number."""
    return [(factor * by, part) for factor, part in parts]


def _number(value: Value) -> float | None:
    return float(value) if isinstance(value, int | float) and is_number(value) else None


def _narrower(term: Term, parts: Parts) -> Parts:
    """The parts if they make something of it: each lacks a variable of the whole."""
    if len(parts) <= MOST_PARTS and all(len(part.scope) < len(term.scope) for _, part in parts):
        return parts
    return [(1.0, term)]


def _product(term: Term, left: Term, right: Term) -> Parts:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Constant) and (by := _number(one.value)) is not None:
            return scaled(summands(other), by)
    if len(term.scope) <= 2:
        return [(1.0, term)]
    ours, theirs = summands(left), summands(right)
    if len(ours) * len(theirs) > MOST_PARTS:
        return [(1.0, term)]
    return _narrower(term, [(f * g, terms.Arithmetic("*", a, b)) for f, a in ours for g, b in theirs])


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


def conjuncts(condition: Term) -> list[Term]:
    """Conditions that all hold exactly where this one does."""
    match condition:
        case terms.Every(parts=parts):
            return [found for part in parts for found in conjuncts(part)]
        case terms.Inverse(part=terms.Inverse(part=part)):
            return conjuncts(part)
        case terms.Inverse(part=terms.Some(parts=parts)):
            return [found for part in parts for found in conjuncts(terms.Inverse(part))]
        case terms.Some(parts=parts):
            for place, part in enumerate(parts):
                if len(inner := conjuncts(part)) > 1:
                    return [terms.Some((*parts[:place], each, *parts[place + 1 :])) for each in inner]
            return [condition]
        case _:
            return [condition]


# ---- what payoffs credit ---------------------------------------------------------------------------------------------


def share(payoff: Payoff, agent: str, part: Term) -> Term:
    """What a part of a payoff credits to an agent."""
    if isinstance(payoff.credit, EqualSplit):
        sharers = payoff.credit.agents
        return terms.Arithmetic("/", part, Constant(len(sharers))) if agent in sharers else NOTHING
    candidates, otherwise = payoff.credit.candidates, payoff.credit.otherwise
    count = terms.Total(tuple(terms.Conditional(c, ONE, NOTHING) for _, c in candidates))
    found: Term = NOTHING
    if agent in otherwise:
        nobody = terms.Inverse(terms.Some(tuple(c for _, c in candidates)))
        found = terms.Conditional(nobody, terms.Arithmetic("/", part, Constant(len(otherwise))), NOTHING)
    for candidate, condition in candidates:
        if candidate == agent:
            found = terms.Conditional(condition, terms.Arithmetic("/", part, count), found)
    return found


def credited(task: Task, agent: str | None) -> Term:
    """`payoff[agent]`, or `total` for nobody, as a term over decisions: the same sum in the same order as a score's."""
    if agent is None:
        return terms.Total(tuple(p.term for p in task.payoffs))
    return terms.Total(tuple(share(p, agent, p.term) for p in task.payoffs if may_credit(p.credit, agent)))


def told(term: Term, payoffs: Mapping[str | None, Term]) -> Term:
    """The term with payoffs written out."""
    return cast(Term, _told(term, payoffs))


def _told(part: object, payoffs: Mapping[str | None, Term]) -> object:
    if isinstance(part, PayoffOf):
        return payoffs[part.agent]
    if isinstance(part, tuple):
        made = tuple(_told(each, payoffs) for each in part)
        return part if all(a is b for a, b in zip(made, part, strict=True)) else made
    if not isinstance(part, Ground):
        return part
    inside = {f.name: getattr(part, f.name) for f in fields(cast(Term, part)) if f.init}
    return type(part)(**{name: _told(value, payoffs) for name, value in inside.items()})
