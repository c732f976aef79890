"""A task as factors. In: a task; out: tables over few variables, of which a goal is a weighted sum, hard rules −∞.

Terms over the same variables that count alike in every goal share a factor, so that another mixture of F_n, r_i and
objectives is the same factors with other weights. A table is made when it is first asked for. `sum(…)` over many
decisions is a small table for each of them and not one large table over all; where a part of a sum is none or cannot
be computed, the whole has no value, and what its parts count for there is of no account.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, prod
from typing import TypeAlias

import numpy as np

from colosseum.model import terms
from colosseum.model.scenario import EqualSplit, Payoff, Task, Variable
from colosseum.model.terms import NOTHING, Constant, PayoffOf, Term
from colosseum.model.values import Value
from colosseum.solve.arrays import Floats, worths
from colosseum.solve.goal import Goal
from colosseum.solve.ledger import credit_scope
from colosseum.solve.lowering.numbers import addends
from colosseum.solve.lowering.rules import credited_part, written_out
from colosseum.solve.scoring import may_credit

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


def scaled(parts: Parts, by: float) -> Parts:
    """The parts times a number."""
    return [(factor * by, part) for factor, part in parts]


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


# ---- factors of a task -----------------------------------------------------------------------------------------------

MOST_TABLE = 1 << 22
"""Joint values that a factor's own table may have."""
MOST_REMEMBERED = 1 << 14
"""Joint values of a factor that are all evaluated where some of its variables are fixed, as others may be next."""


@dataclass(frozen=True)
class Whole:
    """What payoffs are worth that are credited to these agents: in equal parts, or to those who qualify."""

    agents: tuple[str, ...]
    equal: bool


@dataclass(frozen=True)
class CreditShare:
    """What one agent gets of payoffs that decisions share among these."""

    agent: str
    agents: tuple[str, ...]


@dataclass(frozen=True)
class Aim:
    """What an objective of its own counts, besides payoffs as they are."""

    number: int
    parts: tuple[tuple[float, Term], ...] = field(compare=False)


Kind: TypeAlias = Whole | CreditShare | Aim
"""What a factor counts for; its weight in a goal depends on nothing else."""


@dataclass(eq=False)
class Factor:
    """The sum of some terms, or a condition that must hold: −∞ where it does not."""

    scope: tuple[str, ...]
    """In declared order; variables that can take one value only are not in it."""
    hard: bool
    parts: Parts = field(default_factory=list)

    def table(self, variables: Sequence[Variable]) -> Floats:
        """Its values at all joint values of its variables; those that have no choice here have no axis."""
        moving = [v for v in variables if len(v.domain) > 1]
        given = {v.name: v.domain[0] for v in variables if len(v.domain) == 1}
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
        self.aims: dict[Term, tuple[Aim, dict[str | None, float]]] = {}
        """By objective: its own part, and how often it counts whose payoff."""
        self.tables: dict[Factor, Floats] = {}

    @cached_property
    def payoffs(self) -> dict[Whole, list[Payoff]]:
        """Payoffs by whom they may be credited to, those over many variables first."""
        found: dict[Whole, list[Payoff]] = {}
        for payoff in sorted(self.task.payoffs, key=lambda p: -len(p.term.scope)):
            split = payoff.credit
            if isinstance(split, EqualSplit):
                whole = Whole(split.agents, equal=True)
            else:
                whole = Whole(tuple(a for a in self.task.agents if may_credit(split, a)), equal=False)
            found.setdefault(whole, []).append(payoff)
        return found

    @cached_property
    def hard(self) -> list[Factor]:
        """What must hold."""
        parts = [part for rule in self.task.hard for part in conjuncts(rule.condition)]
        return self._factors(((1.0, part) for part in parts), hard=True)

    def of(self, kind: Kind) -> list[Factor]:
        """The factors that count for one thing."""
        if kind not in self.made:
            self.made[kind] = self._factors(self._parts(kind))
        return self.made[kind]

    def beyond(self, kind: Kind, held: frozenset[str], *, most: int) -> bool:
        """Whether a table of a kind has more values than that, as far as it shows without taking terms apart."""
        if not isinstance(kind, CreditShare) or kind in self.made:
            return False
        together = (credit_scope(p.credit) for p in self.payoffs[Whole(kind.agents, equal=False)] if p.term != NOTHING)
        return any(self.size((name for name in scope if name not in held), most=most) > most for scope in together)

    def size(self, scope: Iterable[str], *, most: int) -> int:
        """The joint values of some variables, counted until they are more than that."""
        found = 1
        for name in scope:
            found *= self.choices.get(name, 1)
            if found > most:
                break
        return found

    def weights(self, goal: Goal) -> dict[Kind, float]:
        """What a goal counts, and how much of it."""
        total, payoffs, found = goal.total, dict[str, float](), dict[Kind, float]()
        for agent, weight in goal.payoffs:
            payoffs[agent] = payoffs.get(agent, 0.0) + weight
        for term, weight in goal.terms:
            aim, counts = self._aim(term)
            found[aim] = found.get(aim, 0.0) + weight
            for who, times in counts.items():
                if who is None:
                    total += weight * times
                else:
                    payoffs[who] = payoffs.get(who, 0.0) + weight * times
        for whole in self.payoffs:
            each = [payoffs.get(agent, 0.0) for agent in whole.agents]
            if whole.equal:
                found[whole] = total + sum(each) / len(each)
            elif len(set(each)) == 1:  # whoever gets it, it counts the same
                found[whole] = total + each[0]
            else:
                found[whole] = total
                found |= {CreditShare(a, whole.agents): w for a, w in zip(whole.agents, each, strict=True)}
        return {kind: weight for kind, weight in found.items() if weight}

    def work(self, factor: Factor, open_: Iterable[str]) -> int:
        """How many nodes of terms a factor's table evaluates, if it went through all joint values; some are open."""
        whole, cells = prod(self.choices[name] for name in factor.scope), prod(self.choices[name] for name in open_)
        return (whole if whole <= MOST_REMEMBERED else cells) * sum(term.extent[0] for _, term in factor.parts)

    def table(self, factor: Factor, fixed: Mapping[str, Value]) -> Floats:
        """The values of a factor with some variables fixed, of a small factor out of a table of all its values."""
        variables = [self.task.variable[name] for name in self._mentioned(factor)]
        held = [name for name in factor.scope if name in fixed]
        if held and factor not in self.tables and prod(self.choices[name] for name in factor.scope) > MOST_REMEMBERED:
            return factor.table([narrowed(v, fixed) for v in variables])
        if factor not in self.tables:
            self.tables[factor] = factor.table(variables)
        if not held:
            return self.tables[factor]
        domain = {name: self.task.variable[name].domain for name in held}
        places = [domain[name].index(fixed[name]) if name in domain else slice(None) for name in factor.scope]
        return self.tables[factor][tuple(places)]

    def _mentioned(self, factor: Factor) -> list[str]:
        found = frozenset[str]().union(*(part.scope for _, part in factor.parts))
        return sorted(found, key=self.task.position.__getitem__)

    def _parts(self, kind: Kind) -> Parts:
        match kind:
            case Whole():
                return [part for payoff in self.payoffs[kind] for part in summands(payoff.term)]
            case CreditShare(agent=agent, agents=agents):
                return [
                    (factor, credited_part(payoff, agent, part))
                    for payoff in self.payoffs[Whole(agents, equal=False)]
                    for factor, part in summands(payoff.term)
                ]
            case Aim(parts=parts):
                return list(parts)

    def _aim(self, term: Term) -> tuple[Aim, dict[str | None, float]]:
        """Payoffs that an objective counts as they are, and the rest of it, where others are written out."""
        if term not in self.aims:
            counts, rest = dict[str | None, float](), Parts()
            for factor, part in summands(term):
                if isinstance(part, PayoffOf):
                    counts[part.agent] = counts.get(part.agent, 0.0) + factor
                else:
                    rest += scaled(summands(written_out(part, self.task)), factor)
            self.aims[term] = Aim(len(self.aims), tuple(rest)), counts
        return self.aims[term]

    def _factors(self, parts: Iterable[tuple[float, Term]], *, hard: bool = False) -> list[Factor]:
        """One factor for each scope."""
        found: dict[tuple[str, ...], Factor] = {}
        position = self.task.position
        for factor, term in parts:
            scope = tuple(sorted((n for n in term.scope if n in self.choices), key=position.__getitem__))
            if scope not in found:
                found[scope] = Factor(scope, hard)
            found[scope].parts.append((factor, term))
        return list(found.values())


def narrowed(variable: Variable, fixed: Mapping[str, Value]) -> Variable:
    """The variable with its fixed value alone, if it has one."""
    return Variable(variable.name, variable.owner, (fixed[variable.name],)) if variable.name in fixed else variable
