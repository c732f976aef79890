"""A task as factors. In: a task; out: tables over few variables, of which a goal is a weighted sum, hard rules −∞.

Terms over the same variables that count alike in every goal share a factor, so that another mixture of F_n, r_i and
objectives is the same factors with other weights. A table is made when it is first asked for. `sum(…)` over many
decisions is a small table for each of them and not one large table over all; where a part of a sum is none or cannot
be computed, the whole has no value, and what its parts count for there is of no account.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, prod
from typing import TypeAlias

import numpy as np

from colosseum.model import terms
from colosseum.model.scenario import EqualSplit, Payoff, Task
from colosseum.model.terms import NOTHING, Constant, Term
from colosseum.model.values import Value
from colosseum.solve.arrays import Floats, worths
from colosseum.solve.backend import Query
from colosseum.solve.lowering.numbers import addends
from colosseum.solve.lowering.rules import credited_part, written_out

MOST_PARTS = 20_000
"""Parts that one term may fall into; one that falls into more is left whole."""

Parts = list[tuple[float, Term]]
"""`Σ factor · term`."""


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


def conjuncts(condition: Term) -> list[Term]:
    """Conditions that all hold exactly where this one does."""
    match condition:
        case terms.Every(parts=parts):
            return [found for part in parts for found in conjuncts(part)]
        case terms.Inverse(part=terms.Some(parts=parts)):
            return [found for part in parts for found in conjuncts(terms.Inverse(part))]
        case _:
            return [condition]


# ---- factors of a task -----------------------------------------------------------------------------------------------

MOST_REMEMBERED = 1 << 14
"""Joint values of a factor that are all evaluated where some of its variables are fixed, as others may be next."""


@dataclass(frozen=True)
class Credited:
    """What payoffs are worth that are credited to these agents, or what one of these gets of them."""

    agents: tuple[str, ...]
    equal: bool
    """Whether each gets the same; else decisions say who gets anything."""
    agent: str | None = None
    """The one agent; None for what payoffs are worth."""


@dataclass(frozen=True)
class Aim:
    """What an objective of its own counts, payoffs written out."""

    number: int
    parts: tuple[tuple[float, Term], ...] = field(compare=False)


Kind: TypeAlias = Credited | Aim
"""What a factor counts for; its weight in a goal depends on nothing else."""


@dataclass(eq=False)
class Factor:
    """The sum of some terms, or a condition that must hold: −∞ where it does not."""

    scope: tuple[str, ...]
    """In declared order; variables that can take one value only are not in it."""
    hard: bool
    parts: Parts = field(default_factory=list)
    whole: Floats | None = None
    """Its values at all joint values, once they were asked for."""

    def table(self, task: Task, fixed: Mapping[str, Value]) -> Floats:
        """Its values at all joint values of its variables that are not fixed, an axis for each."""
        held = [name for name in self.scope if name in fixed]
        if held and prod(len(task.variable[name].domain) for name in self.scope) > MOST_REMEMBERED:
            return self._evaluated(task, fixed)
        if self.whole is None:
            self.whole = self._evaluated(task, {})
        if not held:
            return self.whole
        places = (task.variable[n].domain.index(fixed[n]) if n in fixed else slice(None) for n in self.scope)
        return self.whole[tuple(places)]

    def _evaluated(self, task: Task, fixed: Mapping[str, Value]) -> Floats:
        mentioned = frozenset[str]().union(*(term.scope for _, term in self.parts))
        given = {name: fixed.get(name, task.variable[name].domain[0]) for name in mentioned}
        moving = [task.variable[name] for name in self.scope if name not in fixed]
        found: Floats = np.zeros([len(v.domain) for v in moving])
        for factor, term in self.parts:
            values = worths(term, [v for v in moving if v.name in term.scope], given=given)
            values = values.reshape([len(v.domain) if v.name in term.scope else 1 for v in moving])
            found = found + (np.where(values == 0, -inf, 0.0) if self.hard else values * factor)
        return found


class Factors:
    """The factors of a task, and the weights that goals give them."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.choices = {v.name: len(v.domain) for v in task.variables if len(v.domain) > 1}
        """The sizes of domains, of variables that have a choice."""
        self.made: dict[Kind, list[Factor]] = {}
        self.aims: dict[Term, Aim] = {}
        """By objective."""
        self.last: tuple[Query, dict[Kind, float]] | None = None
        """The query that was asked last, and its weights."""

    @cached_property
    def payoffs(self) -> dict[Credited, list[Payoff]]:
        """Payoffs by whom they may be credited to."""
        found: dict[Credited, list[Payoff]] = {}
        for payoff in self.task.payoffs:
            equal = isinstance(payoff.credit, EqualSplit)
            agents = tuple(dict.fromkeys(payoff.credit.named))
            found.setdefault(Credited(agents, equal), []).append(payoff)
        return found

    @cached_property
    def hard(self) -> list[Factor]:
        """What must hold."""
        parts = [part for rule in self.task.hard for part in conjuncts(rule.condition)]
        return self._factors(((1.0, part) for part in parts), hard=True)

    def of(self, kind: Kind) -> list[Factor]:
        """The factors that count for one thing."""
        if kind not in self.made:
            self.made[kind] = self._factors(kind.parts if isinstance(kind, Aim) else self._shared(kind))
        return self.made[kind]

    def weights(self, query: Query) -> dict[Kind, float]:
        """What a query counts, and how much of it."""
        if self.last is None or self.last[0] is not query:
            self.last = query, self._weights(query)
        return self.last[1]

    def _weights(self, query: Query) -> dict[Kind, float]:
        total, payoffs, found = query.goal.total, dict[str, float](), dict[Kind, float]()
        for agent, weight in query.goal.payoffs:
            payoffs[agent] = payoffs.get(agent, 0.0) + weight
        for term, weight in query.goal.terms:
            if term not in self.aims:
                self.aims[term] = Aim(len(self.aims), tuple(summands(written_out(term, self.task))))
            found[self.aims[term]] = found.get(self.aims[term], 0.0) + weight
        for whole in self.payoffs:
            each = [payoffs.get(agent, 0.0) for agent in whole.agents]
            base = sum(each) / len(each) if whole.equal else min(each)  # whoever gets it, it counts that much
            found[whole] = total + base
            if not whole.equal:
                found |= {replace(whole, agent=a): weight - base for a, weight in zip(whole.agents, each, strict=True)}
        return {kind: weight for kind, weight in found.items() if weight}

    def _shared(self, kind: Credited) -> Iterator[tuple[float, Term]]:
        for payoff in self.payoffs[replace(kind, agent=None)]:
            for factor, part in summands(payoff.term):
                yield factor, part if kind.agent is None else credited_part(payoff, kind.agent, part)

    def _factors(self, parts: Iterable[tuple[float, Term]], *, hard: bool = False) -> list[Factor]:
        """One factor for each scope."""
        found: dict[tuple[str, ...], Factor] = {}
        position = self.task.position
        for factor, term in parts:
            scope = tuple(sorted((n for n in term.scope if n in self.choices), key=position.__getitem__))
            found.setdefault(scope, Factor(scope, hard)).parts.append((factor, term))
        return list(found.values())
