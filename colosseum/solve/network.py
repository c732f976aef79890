"""A query as a cost function network. In: a task and a query; out: tables of a few variables.

Terms over the same variables that count alike in every goal share a factor: another mixture of F_n, r_i and objectives
is the same factors with other weights. Toulbar2 takes small tables, elimination tables of any size.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from math import inf, prod
from typing import NamedTuple, TypeAlias

import numpy as np

from colosseum.model.scenario import EqualSplit, Payoff, Task
from colosseum.model.terms import Term
from colosseum.model.values import Value
from colosseum.solve.arrays import Floats, ValueTable, value_table, worth, worths
from colosseum.solve.backend import Query
from colosseum.solve.lowering.conditions import conjuncts
from colosseum.solve.lowering.numbers import Parts, summands
from colosseum.solve.lowering.rules import credited_part, written_out

MOST_ENTRIES = 1 << 12  # joint values of one table, …
MOST_IN_ALL = 1 << 21  # … and of all
MOST_SIZED = 1_000  # answers to whether tables are small that are kept
MOST_KNOWN = 8  # queries whose tables a factor keeps: many goals are asked for with the same variables fixed
OPEN = object()  # in place of the value of a variable that is not fixed

Scope = tuple[str, ...]


class Credited(NamedTuple):
    """What payoffs are worth that are credited to these agents, or what one of these gets of them."""

    agents: tuple[str, ...]
    equal: bool
    """Whether each gets the same; else decisions say who gets anything."""
    agent: str | None = None
    """The one agent; None for what payoffs are worth."""


Kind: TypeAlias = Credited | Term
"""What a factor counts for, or the objective that it is a part of; its weight in a goal depends on nothing else."""


@dataclass(eq=False)
class Factor:
    """The sum of some terms, or a condition that must hold: −∞ where it does not."""

    scope: tuple[str, ...]
    """In declared order; variables that can take one value only are not in it."""
    hard: bool
    parts: Parts = field(default_factory=list)
    known: dict[tuple[Value | object, ...], Floats] = field(default_factory=dict)
    """Its values by what its variables are fixed at: the last few, and of large ones those with nothing fixed."""

    def table(self, factors: "Factors", fixed: Mapping[str, Value]) -> Floats:
        """Its values at all joint values of its variables that are not fixed, an axis for each."""
        at = tuple([fixed.get(name, OPEN) for name in self.scope])
        if (found := self.known.get(at)) is None:
            found = self._evaluated(factors, fixed)
            if found.size <= MOST_ENTRIES or fixed.keys().isdisjoint(self.scope):
                if len(self.known) >= MOST_KNOWN:
                    self.known.pop(next(iter(self.known)))
                self.known[at] = found
        return found

    def _evaluated(self, factors: "Factors", fixed: Mapping[str, Value]) -> Floats:
        variable, mentioned = factors.task.variable, frozenset[str]().union(*(term.scope for _, term in self.parts))
        given = {name: fixed.get(name, variable[name].domain[0]) for name in mentioned}
        moving = [variable[name] for name in self.scope if name not in fixed]
        found: Floats = np.zeros([len(v.domain) for v in moving])
        for factor, term in self.parts:
            over = [v for v in moving if v.name in term.scope]
            if not over:
                values = np.array(worth(term, given))
            elif len(over) == len(term.scope) or (known := factors.table_of(term)) is None:
                values = worths(term, over, given=given)
            else:
                values = known.spread(known.at(given, names := [v.name for v in over]), names)
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
        self.tables: dict[int, tuple[Term, ValueTable | None]] = {}
        """By the identity of a term, which is kept, so that no other gets it."""
        self.sized: dict[tuple[frozenset[Kind], frozenset[str]], bool] = {}
        """Whether all tables are small, by what is counted and what is fixed."""
        self.weighed: tuple[Query | None, dict[Kind, float]] = None, {}  # of the query that was asked of last

    def table_of(self, term: Term) -> ValueTable | None:
        """The table of a term of the task."""
        if id(term) not in self.tables:
            names = sorted(term.scope, key=self.task.position.__getitem__)
            self.tables[id(term)] = term, value_table(term, tuple(self.task.variable[name] for name in names))
        return self.tables[id(term)][1]

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
            parts = self._shared(kind) if isinstance(kind, Credited) else summands(written_out(kind, self.task))
            self.made[kind] = self._factors(parts)
        return self.made[kind]

    def weights(self, query: Query) -> dict[Kind, float]:
        """What a query counts, and how much of it."""
        if self.weighed[0] is query:
            return self.weighed[1]
        total, payoffs, found = query.goal.total, dict[str, float](), dict[Kind, float]()
        for agent, weight in query.goal.payoffs:
            payoffs[agent] = payoffs.get(agent, 0.0) + weight
        for term, weight in query.goal.terms:
            found[term] = found.get(term, 0.0) + weight
        for whole in self.payoffs:
            each = [payoffs.get(agent, 0.0) for agent in whole.agents]
            base = sum(each) / len(each) if whole.equal else min(each)  # whoever gets it, it counts that much
            found[whole] = total + base
            if not whole.equal:
                found |= {whole._replace(agent=a): weight - base for a, weight in zip(whole.agents, each, strict=True)}
        self.weighed = query, {kind: weight for kind, weight in found.items() if weight}
        return self.weighed[1]

    def small(self, query: Query) -> bool:
        """Whether a query is nothing but small tables; payoffs are not looked at where a rule is none."""
        asked = frozenset(self.weights(query)), frozenset(query.fixed)
        if asked not in self.sized:
            self.sized = self.sized if len(self.sized) < MOST_SIZED else {}
            self.sized[asked] = outline(self, *asked, most=MOST_ENTRIES, in_all=MOST_IN_ALL) is not None
        return self.sized[asked]

    def _shared(self, kind: Credited) -> Iterator[tuple[float, Term]]:
        for payoff in self.payoffs[kind._replace(agent=None)]:
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


# ---- networks --------------------------------------------------------------------------------------------------------


@dataclass
class WeightedNetwork:
    """`constant + Σ tables`; −∞ in a table where a hard rule is broken."""

    sizes: dict[str, int]
    """Of the domains of variables that are open, in declared order."""
    constant: float = 0.0
    tables: dict[Scope, Floats] = field(default_factory=dict)  # one axis a variable

    def add(self, scope: Scope, table: Floats) -> None:
        """Add a table."""
        if not scope:
            self.constant += float(table)
        else:
            self.tables[scope] = self.tables[scope] + table if scope in self.tables else table

    def components(self) -> list["WeightedNetwork"]:
        """Parts that share no variable, in the order of their first variables; constants are left out."""
        home = {name: [name] for name in self.sizes}
        for first, name in ((scope[0], name) for scope in self.tables for name in scope[1:]):
            if home[name] is not home[first]:
                home[first] += home[name]
                home |= dict.fromkeys(home[name], home[first])
        found: dict[str, WeightedNetwork] = {}
        for name, size in self.sizes.items():
            found.setdefault(home[name][0], WeightedNetwork({})).sizes[name] = size
        for scope, table in self.tables.items():
            found[home[scope[0]][0]].tables[scope] = table
        return list(found.values())


def outline(
    factors: Factors, kinds: Iterable[Kind], fixed: Collection[str], *, most: int, in_all: int
) -> dict[Scope, list[Factor]] | None:
    """Factors by the variables of their tables; None where a table has over `most` values, or all over `in_all`."""
    found: dict[Scope, list[Factor]] = {}
    asked = (factor for kind in kinds for factor in factors.of(kind))
    for factor in chain(factors.hard, asked):  # rules first: they are mostly what is too large
        scope = tuple(name for name in factor.scope if name not in fixed)
        found.setdefault(scope, []).append(factor)
        size = prod(factors.choices[name] for name in scope)
        in_all -= size
        if size > most or in_all < 0:
            return None
    return found


def network(factors: Factors, query: Query) -> WeightedNetwork:
    """The network of a query, its fixed variables gone."""
    made = WeightedNetwork({name: size for name, size in factors.choices.items() if name not in query.fixed})
    weighted = [(factor, weight) for kind, weight in factors.weights(query).items() for factor in factors.of(kind)]
    for factor, weight in (*weighted, *((factor, 1.0) for factor in factors.hard)):
        table = factor.table(factors, query.fixed)
        scope = tuple([n for n in factor.scope if n in made.sizes]) if query.fixed else factor.scope
        made.add(scope, table if weight == 1.0 else weight * table)
    for name, step in query.ranks.items():
        if name in made.sizes:
            made.add((name,), -step * np.arange(made.sizes[name], dtype=np.float64))
    return made


def assigned(task: Task, query: Query, places: Mapping[str, int]) -> dict[str, Value]:
    """The assignment at places of values in their domains; the first value where it does not matter."""
    given = query.fixed
    return {v.name: given[v.name] if v.name in given else v.domain[places.get(v.name, 0)] for v in task.variables}
