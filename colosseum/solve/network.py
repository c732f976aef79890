"""A goal as a cost function network. In: factors of a task and a query; out: small tables and linear rules.

This is what engines for discrete variables take: no columns of an integer program are in it. A payoff over many
variables that is no sum of tables over few, and a rule that is no sum of whole numbers either, do not fit.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from math import inf, prod

import numpy as np

from colosseum.model import terms
from colosseum.model.terms import Term
from colosseum.model.values import Fault, Value
from colosseum.solve.arrays import Floats
from colosseum.solve.backend import Query
from colosseum.solve.factors import Factor, Factors, Parts, scaled, summands

MOST_VARIABLES = 3
"""A rule over more is linear rather than a table, where it can be."""
MOST_ENTRIES = 1 << 12
"""Joint values of one table, …"""
MOST_IN_ALL = 1 << 21
"""… and of all."""
EXCESS = "excess"
"""Begins the name of a variable that stands for `max(0, sum)`; with a number after it, it is no variable of a task."""

Scope = tuple[str, ...]
Weights = dict[tuple[str, int], int]
"""Whole numbers by variable and place of a value in its domain; 0 elsewhere."""


class NotANetwork(Exception):  # noqa: N818 - a finding about a task
    """A part of the task is neither a small table nor a linear rule of whole numbers."""


@dataclass(frozen=True)
class LinearRule:
    """`Σ weight[v, place of v's value] ≥ low`."""

    weights: Weights
    low: int

    @property
    def scope(self) -> Scope:
        """Its variables, in the order of their first weights."""
        return tuple(dict.fromkeys(name for name, _ in self.weights))


@dataclass
class WeightedNetwork:
    """`constant + Σ tables` under the rules; −∞ in a table where a hard rule is broken."""

    sizes: dict[str, int]
    """Of the domains of variables that are open, in declared order."""
    constant: float = 0.0
    tables: dict[Scope, Floats] = field(default_factory=dict)
    """One axis a variable."""
    rules: list[LinearRule] = field(default_factory=list)

    def components(self) -> list["WeightedNetwork"]:
        """Parts that share no variable, in the order of their first variables; constants are left out."""
        home = {name: name for name in self.sizes}

        def root(name: str) -> str:
            while home[name] != name:
                home[name] = name = home[home[name]]
            return name

        scopes = [*self.tables, *(rule.scope for rule in self.rules)]
        for scope in scopes:
            for other in scope[1:]:
                home[root(other)] = root(scope[0])
        found: dict[str, WeightedNetwork] = {}
        for name, size in self.sizes.items():
            found.setdefault(root(name), WeightedNetwork({})).sizes[name] = size
        for scope, table in self.tables.items():
            found[root(scope[0])].tables[scope] = table
        for rule in self.rules:
            found[root(rule.scope[0])].rules.append(rule)
        return list(found.values())


def table_values(factors: Factors, query: Query) -> int | None:
    """How many values the tables of a query have; None where some part of it is no small table."""
    entries = 0
    asked = (f for kind in factors.weights(query.goal) for f in factors.of(kind))
    for factor in chain(factors.hard, asked):  # rules first: they are mostly what is too large
        size = prod(factors.choices[name] for name in factor.scope if name not in query.fixed)
        entries += size
        if size > MOST_ENTRIES or entries > MOST_IN_ALL:
            return None
    return entries


def network(factors: Factors, query: Query) -> WeightedNetwork:
    """The network of a query, its fixed variables gone. Raises NotANetwork."""
    builder = _Builder(factors, query.fixed)
    for kind, weight in factors.weights(query.goal).items():
        for factor in factors.of(kind):
            builder.add(factor, query.sign * weight)
    for factor in factors.hard:
        builder.add(factor, 1.0)
    return builder.made


class _Builder:
    """A network as it grows, factor by factor."""

    def __init__(self, factors: Factors, fixed: Mapping[str, Value]) -> None:
        self.factors, self.fixed, self.entries = factors, fixed, 0
        self.made = WeightedNetwork({name: size for name, size in factors.choices.items() if name not in fixed})

    def add(self, factor: Factor, weight: float) -> None:
        """Add a factor in the simplest form that it has."""
        scope = tuple(name for name in factor.scope if name not in self.fixed)
        if len(scope) > MOST_VARIABLES and (self._ruled(factor) if factor.hard else self._exceeded(factor, weight)):
            return
        size = prod(self.made.sizes[name] for name in scope)
        self.entries += size
        if size > MOST_ENTRIES or self.entries > MOST_IN_ALL:
            raise NotANetwork(f"a {'rule' if factor.hard else 'payoff'} over {len(scope)} variables is no short sum")
        table = weight * self.factors.table(factor, self.fixed)
        if scope:
            self._tabulate(scope, table)
        else:
            self.made.constant += float(table)

    def _tabulate(self, scope: Scope, table: Floats) -> None:
        known = self.made.tables.get(scope)
        self.made.tables[scope] = table if known is None else known + table

    def _ruled(self, factor: Factor) -> bool:
        """Add a hard condition as rules, if it compares sums of whole numbers."""
        rules: list[LinearRule] = []
        for _, condition in factor.parts:
            match condition:
                case terms.Compare(operator="<=" | "<" | ">=" | ">" | "==" as operator, left=left, right=right):
                    gap = self._sum([*summands(left), *scaled(summands(right), -1.0)])
                    if gap is None:
                        return False
                    sides = ((1, gap), (-1, gap)) if operator == "==" else ((1 if ">" in operator else -1, gap),)
                    strict = int(operator in ("<", ">"))
                    rules += [LinearRule(scaled_by(w, sign), strict - sign * constant) for sign, (w, constant) in sides]
                case _:
                    return False
        for rule in rules:
            self._rule(rule)
        return True

    def _rule(self, rule: LinearRule) -> None:
        if rule.weights:
            self.made.rules.append(rule)
        elif rule.low > 0:
            self.made.constant = -inf

    def _exceeded(self, factor: Factor, weight: float) -> bool:
        """Add `price · max(0, sum)` as a variable that counts the excess: what costs is no less than the sum, …"""
        found: list[tuple[float, Weights, int]] = []
        for part, term in factor.parts:
            match term:
                case terms.Extremum(which="max", parts=(terms.Constant(value=0), body)):
                    gap = self._sum(summands(body))
                    if gap is None:
                        return False
                    found.append((weight * part, *gap))
                case _:
                    return False
        for price, weights, constant in found:
            self._excess(price, weights, constant)
        return True

    def _excess(self, price: float, weights: Weights, constant: int) -> None:
        """… and what pays is no more than that, but where it is 0."""
        low, high = dict[str, int](), dict[str, int]()
        for (name, _), number in weights.items():
            low[name], high[name] = min(low.get(name, 0), number), max(high.get(name, 0), number)
        least, most = constant + sum(low.values()), constant + sum(high.values())
        if most <= 0 or not weights:
            self.made.constant += price * max(0, most)
            return
        name = f"{EXCESS} {len(self.made.sizes)}"
        self.made.sizes[name] = most + 1
        self._tabulate((name,), price * np.arange(most + 1.0))
        counted = {(name, k): k for k in range(1, most + 1)}
        if price < 0:
            self._rule(LinearRule({**scaled_by(weights, -1), **counted}, constant))
        else:
            self._rule(LinearRule({**weights, **scaled_by(counted, -1), (name, 0): max(0, -least)}, -constant))

    def _sum(self, parts: Parts) -> tuple[Weights, int] | None:
        """A sum of whole numbers, each decided by one variable, and its constant; None where it is something else."""
        found: Weights = {}
        constant, task = 0, self.factors.task
        for factor, term in parts:
            names = [name for name in term.scope if name in self.factors.choices and name not in self.fixed]
            if len(names) > 1:
                return None
            given = {name: self.fixed.get(name, task.variable[name].domain[0]) for name in term.scope}
            for place, value in enumerate(task.variable[names[0]].domain if names else (None,)):
                number = _number(term, {**given, names[0]: value} if names else given)
                if number is None or not (factor * number).is_integer():
                    return None
                if not names:
                    constant += round(factor * number)
                elif number:
                    found[names[0], place] = found.get((names[0], place), 0) + round(factor * number)
        return found, constant


def scaled_by(weights: Weights, by: int) -> Weights:
    """The weights times a number."""
    return {key: by * weight for key, weight in weights.items()}


def _number(term: Term, given: Mapping[str, Value]) -> float | None:
    """A term's value; None where it is no number."""
    try:
        value = term.evaluate(given)
    except Fault:
        return None
    return None if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
