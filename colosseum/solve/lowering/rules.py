"""Terms into columns and rows. In: a program and ground terms; out: affine forms that are exact at every integer point.

Each rule is a function `(term, lowering) -> Affine | None`; the first that fits is used. A lowering never changes
credit, and a term that no rule fits is a CannotLower that names its scope and size.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import inf, prod
from typing import Any, TypeAlias

import numpy as np

from colosseum.model import terms
from colosseum.model.scenario import EqualSplit, Payoff, Variable
from colosseum.model.terms import Conditional, Constant, Decision, Ground, PayoffOf, Term
from colosseum.model.values import Value
from colosseum.solve.arrays import Floats, worth, worths
from colosseum.solve.lowering.program import Affine, CannotLower, Column, Key, Program, total


@dataclass(frozen=True)
class LoweringLimits:
    """Up to how many joint values a scope is written out, where there is another way."""

    table: int = 20_000
    """A term that no other rule fits; past it the term cannot be lowered."""
    small: int = 400
    """A case, look-up, comparison, product or share: its polytope is tighter than a column for each value."""
    conflict: int = 4_000
    """A requirement of one or two variables: a row for each value that excludes others."""


DEFAULT_LIMITS = LoweringLimits()
NOTHING = Constant(0)
ONE = Constant(1)

ROUNDING = 1e-9
"""By how much, relative to its range, a sum of fractions may depend on the order in which it is added up."""
MOST_HELD = 3_000_000
"""Coefficients that all forms of one program may have; each takes a hundred bytes."""
Options: TypeAlias = dict[Value, Affine]
"""A form for each value that a term may take, 1 where it does."""
Rule: TypeAlias = "Callable[[Any, Lowering], Affine | None]"
Rules: TypeAlias = "Mapping[type[Ground], tuple[Rule, ...]]"
"""Those that a kind of term may be lowered by, besides those for all kinds."""


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
    limits: LoweringLimits = DEFAULT_LIMITS
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

    def names_payoffs(self, term: Term) -> bool:
        """Whether a term reads decisions through `payoff[a]` or `total` too, which its scope does not tell."""
        return self.of_objective and bool(referred(term))

    def _first(self, term: Term, rules: Rules, known: dict[Term, Affine]) -> Affine:
        found = chosen(term, self) or known.get(term)  # lowered sooner than looked up
        if found is None:
            fitting = (constant, unary, *rules.get(type(term), ()), table)
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


def credited_part(payoff: Payoff, agent: str, part: Term) -> Term:
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


# ---- small scopes ----------------------------------------------------------------------------------------------------


TUPLE = Column("tuple", 0.0, 1.0, integer=False, integral=True)
"""A joint value of several variables, whichever they are."""
SEPARABLE = 1e-12
"""Mixed differences within this count as none: a thousandth of what counts as rounding anywhere."""


def constant(term: Term, lowering: Lowering) -> Affine | None:
    """A term that mentions no variable, or whose mentions are idle."""
    if isinstance(term, Constant) or (not term.scope and not lowering.names_payoffs(term)):
        return Affine(worth(term, {}))
    return None


def small(term: Term, lowering: Lowering) -> Affine | None:
    """A case, an extreme or a distance over a small scope: its polytope is tighter than rows that binaries lift."""
    pair = isinstance(term, Conditional) and len(term.scope) <= 2
    return None if pair or not lowering.small(term, lowering.limits.small) else table(term, lowering)


def table(term: Term, lowering: Lowering, most: float = inf) -> Affine | None:
    """A term over few variables: one column a tuple, with marginal rows (the local polytope).

    None where one of the terms of which it is a sum has more than `most` joint values.
    """
    if not lowering.small(term, lowering.limits.table):
        return None
    variables = scope_variables(term.scope, lowering)
    values = worths(term, variables)
    groups = together(values)
    if any(prod(values.shape[axis] for axis in axes) > most for axes in groups):
        return None
    return polytope(variables, values, groups, lowering)


def polytope(variables: list[Variable], values: Floats, groups: list[list[int]], lowering: Lowering) -> Affine:
    """`Σ value(x) · t_x` with `Σ_x∋(v=d) t_x = x[v = d]`; the choice columns being binary makes every t_x so.

    What some variables decide whatever the others do is added to the rest: a separable table needs no tuples.
    """
    if len(groups) == 1:
        return _joint(variables, values, lowering)
    first = float(values.flat[0])
    alone = [(axes, _along(values, axes).reshape([values.shape[axis] for axis in axes])) for axes in groups]
    forms = [_joint([variables[axis] for axis in axes], part - first, lowering) for axes, part in alone]
    return total([Affine(first), *forms])


def together(values: Floats) -> list[list[int]]:
    """The axes of a table by what it is a sum of: what it gains along one depends on the others of its group only.

    The sum of the groups' tables is the table, to a thousandth of what counts as rounding; else it is one group.
    """
    home = list(range(values.ndim))
    for one, other in combinations(range(values.ndim), 2):
        if home[one] != home[other] and _tied(values, one, other):
            home = [home[one] if place == home[other] else place for place in home]
    groups = [[axis for axis in range(values.ndim) if home[axis] == place] for place in dict.fromkeys(home)]
    first = float(values.flat[0])
    added_up = first + sum(_along(values, axes) - first for axes in groups)
    exact = (np.abs(added_up - values) <= SEPARABLE * np.maximum(1.0, np.abs(values))).all()
    return groups if exact else [list(range(values.ndim))]


def _along(values: Floats, axes: list[int]) -> Floats:
    """A table where all other variables have their first values; those keep an axis of one."""
    return values[tuple(slice(None) if axis in axes else slice(1) for axis in range(values.ndim))]


def _tied(values: Floats, one: int, other: int) -> bool:
    """Whether what a table gains along one axis depends on the other."""
    return bool((np.abs(np.diff(np.diff(values, axis=one), axis=other)) > SEPARABLE).any())


def _joint(variables: list[Variable], values: Floats, lowering: Lowering) -> Affine:
    flat = values.ravel()
    if flat.min() == flat.max():
        return Affine(float(flat[0]))
    if len(variables) == 1:
        return lowering.program.unary(variables[0].name, flat.tolist())
    columns, counted = _tuples(variables, lowering), np.flatnonzero(flat)
    return Affine(0.0, dict(zip((counted + columns.start).tolist(), flat[counted].tolist(), strict=True)))


def _tuples(variables: list[Variable], lowering: Lowering) -> range:
    """A column for each joint value of some variables, made once: all terms over them count in the same columns."""
    scope = tuple(v.name for v in variables)
    if scope not in lowering.tuples:
        program, shape = lowering.program, [len(v.domain) for v in variables]
        columns = program.many(TUPLE, prod(shape))
        program.set_apart(columns)
        numbers = np.arange(columns.start, columns.stop).reshape(shape)
        for axis, variable in enumerate(variables):
            for place, choice in enumerate(program.choices[variable.name]):
                marginal = dict.fromkeys(np.take(numbers, place, axis).ravel().tolist(), 1.0)
                program.row(Affine(0.0, {**marginal, choice: -1.0}), low=0.0, high=0.0)
        lowering.tuples[scope] = columns
    return lowering.tuples[scope]


def scope_variables(scope: frozenset[str], lowering: Lowering) -> list[Variable]:
    """The variables of a scope in declared order."""
    task = lowering.program.task
    return [task.variable[name] for name in sorted(scope, key=task.position.__getitem__)]


# ---- one variable ----------------------------------------------------------------------------------------------------


def chosen(term: Term, lowering: Lowering) -> Affine | None:
    """The commonest terms by far, `v == d` and `w if v == d else 0` for numbers, without any evaluation."""
    match term:
        case terms.Compare(operator="==", left=Decision(variable=name), right=Constant(value=value)):
            weight = 1.0
        case terms.Conditional(
            condition=terms.Compare(operator="==", left=Decision(variable=name), right=Constant(value=value)),
            then=Constant(value=int() | float() as paid),
            otherwise=Constant(value=0 | 0.0),
        ):
            weight = float(paid)
        case _:
            return None
    program = lowering.program
    place = program.places[name].get(value)
    if place is None or type(value) not in program.task.variable[name].kinds:
        return None
    return Affine(0.0, {program.choices[name][place]: weight} if weight else {})


def unary(term: Term, lowering: Lowering) -> Affine | None:
    """The rule: a term over one variable becomes coefficients of its choice columns."""
    if len(term.scope) != 1 or lowering.names_payoffs(term):
        return None
    match term:
        case Conditional(condition=c, then=Constant(value=1), otherwise=Constant(value=0)):
            return lowering.condition(c)
    (name,) = term.scope
    values = [worth(term, {name: d}) for d in lowering.program.task.variable[name].domain]
    return lowering.program.unary(name, values)
