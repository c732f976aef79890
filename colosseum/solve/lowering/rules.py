"""Terms into columns and rows. In: a program and ground terms; out: affine forms that are exact at every integer point.

Each rule is a function `(term, lowering) -> Affine | None`; the first that fits is used. A lowering never changes
credit, and a term that no rule fits is a CannotLower that names its scope and size.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.model import terms
from colosseum.model.scenario import Payoff
from colosseum.model.terms import Ground, PayoffOf, Term
from colosseum.model.values import Fault, Value
from colosseum.solve.lowering.program import Affine, CannotLower, Key, Program, total


@dataclass(frozen=True)
class Limits:
    """Up to how many joint values a scope is written out, where there is another way."""

    table: int = 20_000
    """A term that no other rule fits; past it the term cannot be lowered."""
    small: int = 400
    """A case, look-up, comparison, product or share: its polytope is tighter than a column for each value."""
    conflict: int = 4_000
    """A requirement of one or two variables: a row for each value that excludes others."""


DEFAULT_LIMITS = Limits()

ROUNDING = 1e-9
"""By how much, relative to its range, a sum of fractions may depend on the order in which it is added up."""
MOST_HELD = 3_000_000
"""Coefficients that all forms of one program may have; each takes a hundred bytes."""
Options: TypeAlias = dict[Value, Affine]
"""A form for each value that a term may take, 1 where it does."""
Rule: TypeAlias = "Callable[[Any, Lowering], Affine | None]"
Rules: TypeAlias = "Mapping[type[Ground], tuple[Rule, ...]]"
"""Those that a kind of term may be lowered by; under Ground those of all other kinds."""


@dataclass(frozen=True)
class Tie:
    """A binary that stands for a comparison everywhere but at ties: where both sides are equal up to rounding.

    Rows are closed, so there a point may say either. Which of the two it is in the model depends on the order in which
    floating-point numbers are added up; so the optimum is a bound, and the solver settles the ties that mattered.
    """

    column: int
    comparison: terms.Compare
    scope: tuple[str, ...]
    """The variables that decide it."""


@dataclass
class Lowering:
    """The rules at work on one program."""

    program: Program
    number_rules: Rules
    condition_rules: Rules
    plain_rule: Rule
    """For terms that are lowered sooner than looked up."""
    limits: Limits = DEFAULT_LIMITS
    numbers: dict[Term, Affine] = field(default_factory=dict)
    conditions: dict[Term, Affine] = field(default_factory=dict)
    payoffs: dict[str | None, Affine] = field(default_factory=dict)
    """`payoff[a]` and, under None, `total`, once lowered."""
    counts_known: dict[int, tuple[Term, tuple[terms.Total, ...]]] = field(default_factory=dict)
    """The counts in a term, two at most, by its identity; the term itself is kept, as identities are used again."""
    tuples: dict[tuple[str, ...], range] = field(default_factory=dict)
    """The columns of joint values, the last variable's first, by the variables that take them."""
    values: dict[Term, Options] = field(default_factory=dict)
    """What whole-numbered terms may be."""
    exclusive: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Columns of which exactly one is 1, by each of them; those of a variable are known to the program."""
    conjunctions: dict[frozenset[Key], Affine] = field(default_factory=dict)
    """Where all of some forms are 1, by the forms."""
    ties: list[Tie] = field(default_factory=list)
    """Comparisons that are left open where both sides are equal up to rounding."""
    excesses: dict[Key, Affine] = field(default_factory=dict)
    """`max(0, form)`, by the form."""
    held: int = 0
    """Coefficients of all forms that are kept."""
    of_objective: bool = False
    """Whether the terms at hand are a coalition's, which alone may name payoffs."""
    shares: dict[int, dict[str, Affine] | None] = field(default_factory=dict)
    """What each agent gets of a payoff that is split, by the payoff's identity; None where it is written out."""

    def number(self, term: Term) -> Affine:
        """The affine form of a numeric term; where the term is none, the form may take any value."""
        return self._first(term, self.number_rules, self.numbers)

    def condition(self, term: Term) -> Affine:
        """An affine form that is 1 where the condition holds and 0 where it does not."""
        return self._first(term, self.condition_rules, self.conditions)

    @cached_property
    def credited(self) -> dict[str, list[Payoff]]:
        """What may be credited to each agent."""
        found: dict[str, list[Payoff]] = {}
        for payoff in self.program.task.payoffs:
            for agent in dict.fromkeys(payoff.credit.named):
                found.setdefault(agent, []).append(payoff)
        return found

    def names_payoffs(self, term: Term) -> bool:
        """Whether a term reads decisions through `payoff[a]` or `total` too, which its scope does not tell."""
        return self.of_objective and bool(referred(term))

    def _first(self, term: Term, rules: Rules, known: dict[Term, Affine]) -> Affine:
        plain = self.plain_rule(term, self)
        if plain is not None:
            return plain
        found = known.get(term)
        if found is None:
            fitting = rules.get(type(term), rules[Ground])
            found = next((form for rule in fitting if (form := rule(term, self)) is not None), None)
            if found is None:
                raise CannotLower(f"{len(term.scope)} variables with {self.size(term.scope):,} joint values")
            self.held += len(found.coefficients)
            if self.held > MOST_HELD:
                raise CannotLower(f"the terms have more than {MOST_HELD:,} coefficients with it")
            known[term] = found
        return found

    def size(self, scope: frozenset[str]) -> int:
        """How many assignments the scope has."""
        return prod(len(self.program.task.variable[v].domain) for v in scope)

    def small(self, term: Term, most: int) -> bool:
        """Whether a term may be written out value by value, as its scope has that many assignments at most."""
        return self.size(term.scope) <= most and not self.names_payoffs(term)

    def product(self, condition: Affine, body: Affine, name: str) -> Affine:
        """`condition · body` exactly, for a 0/1 condition and a bounded body."""
        program = self.program
        if condition.fixed:
            return body.scaled(condition.constant)
        if body.fixed:
            return condition.scaled(body.constant)
        low, high = program.bounds(body)
        column = program.column(name, low=min(low, 0.0), high=max(high, 0.0), integral=program.whole(body))
        form = Affine(0.0, {column: 1.0})
        program.row(form.minus(condition.scaled(high)), high=0.0)
        program.row(form.minus(condition.scaled(low)), low=0.0)
        program.row(form.minus(body).minus(condition.scaled(low)), high=-low)
        program.row(form.minus(body).minus(condition.scaled(high)), low=-high)
        return form


def referred(term: Term) -> frozenset[str | None]:
    """The agents whose payoff an objective names; None stands for `total`."""
    found: set[str | None] = set()
    stack = [term]
    while stack:
        current = stack.pop()
        if isinstance(current, PayoffOf):
            found.add(current.agent)
        stack += current.below
    return frozenset(found)


# ---- comparisons of sums of fractions --------------------------------------------------------------------------------


def settle(ties: list[Tie], program: Program, point: "NDArray[np.float64]", x: Mapping[str, Value]) -> bool:
    """Rows that say how the ties of an assignment stand where its columns say otherwise; whether there were any.

    `x` is the assignment, extended by the payoffs where comparisons name them.
    """
    wrong = [tie for tie in ties if _differs(tie, point, x)]
    for tie in wrong:
        here = total(program.indicator(name, x[name]) for name in tie.scope).minus(Affine(float(len(tie.scope))))
        column = Affine(0.0, {tie.column: 1.0})
        if tie.comparison.evaluate(x):
            program.row(column.minus(here), low=1.0)
        else:
            program.row(column + here, high=0.0)
    return bool(wrong)


def _differs(tie: Tie, point: "NDArray[np.float64]", x: Mapping[str, Value]) -> bool:
    """Whether a column says other than its comparison, where both sides are numbers."""
    try:
        if None in (tie.comparison.left.evaluate(x), tie.comparison.right.evaluate(x)):
            return False
        return (point[tie.column] > 0.5) is not tie.comparison.evaluate(x)
    except Fault:  # a guard elsewhere keeps it from counting here
        return False
