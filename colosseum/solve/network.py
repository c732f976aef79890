"""A query as a cost function network. In: factors of a task, weighed; out: tables, and linear rules for engines.

This is what elimination and engines for discrete variables take: no columns of an integer program are in it. Engines
take small tables; a payoff over many variables that is no sum of such, and a rule that is no sum of whole numbers
either, do not fit them.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import prod

import numpy as np

from colosseum.model import terms
from colosseum.model.scenario import Task
from colosseum.model.terms import Term
from colosseum.model.values import Fault, Value, is_number
from colosseum.solve.arrays import Floats
from colosseum.solve.backend import Query
from colosseum.solve.factors import Factor, Factors, summands

MOST_VARIABLES = 3
"""A rule over more is linear rather than a table, where it can be."""
MOST_ENTRIES = 1 << 12
"""Joint values of one table, …"""
MOST_IN_ALL = 1 << 21
"""… and of all."""
EXCESS = "excess"
"""Begins the name of a variable that stands for `max(0, sum)`; with a number after it, it is no variable of a task."""

Scope = tuple[str, ...]


class NotANetwork(Exception):  # noqa: N818 - a finding about a task
    """A part of the task is neither a small table nor a linear rule of whole numbers."""


@dataclass(frozen=True)
class WholeSum:
    """`constant + Σ weight[v, place of v's value]` in whole numbers; a weight that is not there is 0."""

    weights: Mapping[tuple[str, int], int]
    constant: int

    @property
    def scope(self) -> Scope:
        """Its variables, in the order of their first weights."""
        return tuple(dict.fromkeys(name for name, _ in self.weights))

    def times(self, by: int, plus: int = 0) -> "WholeSum":
        """`by · sum + plus`."""
        return WholeSum({key: by * weight for key, weight in self.weights.items()}, by * self.constant + plus)

    def most(self, sign: int) -> int:
        """What `sign · sum` is at most."""
        high: dict[str, int] = {}
        for (name, _), weight in self.weights.items():
            high[name] = max(high.get(name, 0), sign * weight)
        return sign * self.constant + sum(high.values())


@dataclass
class WeightedNetwork:
    """`constant + Σ tables` under the rules; −∞ in a table where a hard rule is broken."""

    sizes: dict[str, int]
    """Of the domains of variables that are open, in declared order."""
    constant: float = 0.0
    tables: dict[Scope, Floats] = field(default_factory=dict)
    """One axis a variable."""
    rules: list[WholeSum] = field(default_factory=list)
    """Sums that must not be below 0."""

    def components(self) -> list["WeightedNetwork"]:
        """Parts that share no variable, in the order of their first variables; constants are left out."""
        scopes = [*self.tables, *(rule.scope for rule in self.rules)]
        home = {name: [name] for name in self.sizes}
        for scope in scopes:
            whole = home[scope[0]]
            for name in scope[1:]:
                if home[name] is not whole:
                    whole += home[name]
                    home |= dict.fromkeys(home[name], whole)
        found: dict[str, WeightedNetwork] = {}
        for name, size in self.sizes.items():
            found.setdefault(home[name][0], WeightedNetwork({})).sizes[name] = size
        for scope, table in self.tables.items():
            found[home[scope[0]][0]].tables[scope] = table
        for rule in self.rules:
            found[home[rule.scope[0]][0]].rules.append(rule)
        return list(found.values())


def outline(factors: Factors, query: Query, *, most: int, in_all: int) -> dict[Scope, list[Factor]] | None:
    """Factors by the variables of their tables; None where a table has more than `most` values, or all have `in_all`.

    No table is made, and no more terms are taken apart than it takes to know.
    """
    found: dict[Scope, list[Factor]] = {}
    asked = (factor for kind in factors.weights(query) for factor in factors.of(kind))
    for factor in chain(factors.hard, asked):  # rules first: they are mostly what is too large
        scope = tuple(name for name in factor.scope if name not in query.fixed)
        found.setdefault(scope, []).append(factor)
        size = prod(factors.choices[name] for name in scope)
        in_all -= size
        if size > most or in_all < 0:
            return None
    return found


def small(factors: Factors, query: Query) -> bool:
    """Whether a query is nothing but small tables."""
    return outline(factors, query, most=MOST_ENTRIES, in_all=MOST_IN_ALL) is not None


def network(factors: Factors, query: Query, *, linear: bool = True) -> WeightedNetwork:
    """The network of a query, its fixed variables gone. Raises NotANetwork.

    Where not `linear`, all is tables, of any size.
    """
    builder = _Builder(factors, query.fixed, linear)
    for kind, weight in factors.weights(query).items():
        for factor in factors.of(kind):
            builder.add(factor, weight)
    for factor in factors.hard:
        builder.add(factor, 1.0)
    for name, size in builder.made.sizes.items():
        if name in query.ranks:
            builder.tabulate((name,), -query.ranks[name] * np.arange(size, dtype=np.float64))
    return builder.made


def assigned(task: Task, query: Query, places: Mapping[str, int]) -> dict[str, Value]:
    """The assignment at places of values in their domains; the first value where it does not matter."""
    given = query.fixed
    return {v.name: given[v.name] if v.name in given else v.domain[places.get(v.name, 0)] for v in task.variables}


class _Builder:
    """A network as it grows, factor by factor."""

    def __init__(self, factors: Factors, fixed: Mapping[str, Value], linear: bool) -> None:
        self.task, self.fixed, self.linear, self.entries = factors.task, fixed, linear, 0
        self.made = WeightedNetwork({name: size for name, size in factors.choices.items() if name not in fixed})

    def add(self, factor: Factor, weight: float) -> None:
        """Add a factor in the simplest form that it has."""
        scope = tuple(name for name in factor.scope if name not in self.fixed)
        if self.linear:
            if len(scope) > MOST_VARIABLES and self._summed(factor, weight):
                return
            size = prod(self.made.sizes[name] for name in scope)
            self.entries += size
            if size > MOST_ENTRIES or self.entries > MOST_IN_ALL:
                kind = "rule" if factor.hard else "payoff"
                raise NotANetwork(f"a {kind} over {len(scope)} variables is no short sum")
        table = factor.table(self.task, self.fixed)
        self.tabulate(scope, table if weight == 1.0 else weight * table)

    def tabulate(self, scope: Scope, table: Floats) -> None:
        """Add a table."""
        if not scope:
            self.made.constant += float(table)
        else:
            self.made.tables[scope] = self.made.tables[scope] + table if scope in self.made.tables else table

    def _summed(self, factor: Factor, weight: float) -> bool:
        """Add sums of whole numbers that are compared, or whose excess over 0 counts; False where it is neither."""
        found = [(weight * by, *self._compared(term)) for by, term in factor.parts]
        if any(gap is None for _, _, gap in found):
            return False
        for price, operator, gap in found:
            match operator, gap:
                case "max", WholeSum():
                    self._exceeding(price, gap)
                case "==", WholeSum():
                    self.made.rules += [gap, gap.times(-1)]
                case _, WholeSum():
                    self.made.rules.append(gap.times(1 if ">" in operator else -1, 0 if "=" in operator else -1))
        return True

    def _compared(self, term: Term) -> tuple[str, WholeSum | None]:
        """How a sum is compared with 0, or "max" of both; None where it is no sum of whole numbers."""
        match term:
            case terms.Compare(operator="<=" | "<" | ">=" | ">" | "==" as operator, left=left, right=right):
                return operator, self._sum(terms.Arithmetic("-", left, right))
            case terms.Extremum(which="max", parts=(terms.Constant(value=0), body)):
                return "max", self._sum(body)
        return "", None

    def _sum(self, whole: Term) -> WholeSum | None:
        """A sum of whole numbers, each decided by one variable; None where it is something else, or very large."""
        weights, constant = Counter[tuple[str, int]](), 0
        for factor, term in summands(whole):
            names = [name for name in term.scope if name in self.made.sizes]
            if len(names) > 1:
                return None
            given = {name: self.fixed.get(name, self.task.variable[name].domain[0]) for name in term.scope}
            for place, value in enumerate(self.task.variable[names[0]].domain if names else (None,)):
                try:
                    number = term.evaluate({**given, **dict.fromkeys(names, value)})
                except Fault:
                    return None
                if not is_number(number) or not (factor * number).is_integer():
                    return None
                if names:
                    weights[names[0], place] += round(factor * number)
                else:
                    constant += round(factor * number)
        found = WholeSum({key: weight for key, weight in weights.items() if weight}, constant)
        return found if found.weights and found.most(1) < MOST_ENTRIES else None

    def _exceeding(self, price: float, gap: WholeSum) -> None:
        """Add `price · max(0, sum)` as a variable that counts the excess.

        What costs is no less than the sum; what pays is no more than that, but where it is 0.
        """
        name, most = f"{EXCESS} {len(self.made.sizes)}", max(0, gap.most(1))
        self.made.sizes[name] = most + 1
        self.tabulate((name,), price * np.arange(most + 1.0))
        sign = -1 if price < 0 else 1
        counted = {(name, k): -sign * k for k in range(1, most + 1)} | ({} if price < 0 else {(name, 0): gap.most(-1)})
        rule = gap.times(sign)
        self.made.rules.append(WholeSum({**rule.weights, **counted}, rule.constant))
