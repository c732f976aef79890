"""Terms into columns and rows. In: a program and ground terms; out: affine forms that are exact at every integer point.

Each rule is a function `(term, lowering) -> Affine | None`; the first that fits is used. A lowering never changes
credit, and a term that no rule fits is a CannotLower that names its scope and size.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

import numpy as np

from colosseum.model import terms
from colosseum.model.scenario import EqualSplit, Payoff, Task, Variable
from colosseum.model.terms import NOTHING, Conditional, Constant, Decision, Ground, PayoffOf, Term
from colosseum.model.values import Value, is_number
from colosseum.solve.arrays import as_number, rewritten, value_table, worths
from colosseum.solve.lowering.program import Affine, CannotLower, Column, Key, Program, unit_of


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
ROUNDING = 1e-9  # by how much, relative to its range, a sum of fractions may depend on the order of its parts
VALUE = Column("value", 0.0, 1.0, integer=True, integral=True)  # [term = k], whatever the term and the value
JOINT = Column("joint", 0.0, 1.0, integer=False, integral=True)  # a condition at one of these
Options: TypeAlias = dict[Value, Affine]  # a form for each value that a term may take, 1 where it does
Rule: TypeAlias = "Callable[[Any, Lowering], Affine | None]"
Rules: TypeAlias = "Mapping[type[Ground], tuple[Rule, ...]]"  # of a kind of term, besides those for all kinds


@dataclass
class Lowering:
    """The rules at work on one program."""

    program: Program
    rules: Rules
    limits: LoweringLimits = DEFAULT_LIMITS
    forms: dict[Term, Affine] = field(default_factory=dict)  # of all terms so far
    tuples: dict[tuple[str, ...], range] = field(default_factory=dict)
    """The columns of joint values, the last variable's first, by the variables that take them."""
    values: dict[Term, Options] = field(default_factory=dict)  # what whole-numbered terms may be
    made: dict[object, Affine] = field(default_factory=dict)
    """Columns for what several terms come to, by that: where all of some forms are 1, `max(0, form)`."""
    splits: dict[tuple[Key, range], range] = field(default_factory=dict)
    """`condition · column` for each column of a group, by the condition and the group."""
    ties: dict[int, terms.Compare] = field(default_factory=dict)
    """Binaries of comparisons that are left open where both sides are equal up to rounding: a point may say either
    there, so the optimum is a bound, and the solver settles the ties that mattered.
    """

    def form(self, term: Term) -> Affine:
        """The form of a number, any where the term is none, or of a condition: 1 where it holds. Raises CannotLower."""
        found = chosen(term, self) or self.forms.get(term)  # lowered sooner than looked up
        if found is None:
            fitting = (*(self.rules.get(type(term), ()) if len(term.scope) > 1 else ()), table)
            found = next((form for rule in fitting if (form := rule(term, self)) is not None), None)
            if found is None:
                raise CannotLower(f"{len(term.scope)} variables with {self.size(term):,} joint values")
            self.forms[term] = found
        return found

    def size(self, term: Term) -> int:
        """How many assignments the scope has."""
        return prod(len(self.program.task.variable[v].domain) for v in term.scope)

    def variables(self, term: Term) -> list[Variable]:
        """The variables of the scope in declared order."""
        task = self.program.task
        return [task.variable[name] for name in sorted(term.scope, key=task.position.__getitem__)]

    def product(self, condition: Affine, body: Affine) -> Affine:
        """`condition · body` exactly, for a 0/1 condition and a bounded body."""
        program = self.program
        if not condition.coefficients:
            return body.scaled(condition.constant)
        if not body.coefficients:
            return condition.scaled(body.constant)
        group = program.groups.get(next(iter(body.coefficients)), range(0))
        if program.columns[group.start] is VALUE and all(c in group for c in body.coefficients):
            joint = self.split(condition, group)
            parts = {joint[c - group.start]: v for c, v in body.coefficients.items()}
            return condition.scaled(body.constant) + Affine(0.0, parts)
        low, high = program.bounds(body)
        if (unit := unit_of(low, high)) > 1:
            return self.product(condition, body.scaled(1 / unit)).scaled(unit)
        column = program.column("product", low=min(low, 0.0), high=max(high, 0.0), integral=program.whole(body))
        form = Affine(0.0, {column: 1.0})
        program.row(form.minus(condition.scaled(high)), high=0.0)
        program.row(form.minus(condition.scaled(low)), low=0.0)
        program.row(form.minus(body).minus(condition.scaled(low)), high=-low)
        program.row(form.minus(body).minus(condition.scaled(high)), low=-high)
        return form

    def split(self, condition: Affine, group: range) -> range:
        """Columns `condition · column` for each column of a group; they sum to the condition."""
        if (condition.key, group) not in self.splits:
            made = self.program.many(JOINT, len(group))
            for joint, column in zip(made, group, strict=True):
                self.program.row(Affine(0.0, {joint: 1.0, column: -1.0}), high=0.0)
            self.program.row(Affine(0.0, dict.fromkeys(made, 1.0)).minus(condition), low=0.0, high=0.0)
            if list(condition.coefficients.values()) == [1.0] and not condition.constant:
                self.program.parents |= dict.fromkeys(made, (next(iter(condition.coefficients)), made))
            self.splits[condition.key, group] = made
        return self.splits[condition.key, group]


# ---- what payoffs credit ---------------------------------------------------------------------------------------------


def written_out(term: Term, task: Task) -> Term:
    """An objective with `payoff[a]` and `total` as sums over decisions, in the order in which a score adds them up."""
    return rewritten(term, lambda part: credited(part.agent, task) if isinstance(part, PayoffOf) else None)


def credited(agent: str | None, task: Task) -> Term:
    """`payoff[agent]`, or `total` for nobody, as a term over decisions."""
    if agent is None:
        return terms.Total(tuple(p.term for p in task.payoffs))
    return terms.Total(tuple(credited_part(p, agent, p.term) for p in task.payoffs if agent in p.credit.named))


def credited_part(payoff: Payoff, agent: str, part: Term) -> Term:
    """What a part of a payoff credits to an agent."""
    if isinstance(payoff.credit, EqualSplit):
        sharers = payoff.credit.agents
        own = part if len(sharers) == 1 else terms.Arithmetic("/", part, Constant(len(sharers)))
        return own if agent in sharers else NOTHING
    candidates, otherwise = payoff.credit.candidates, payoff.credit.otherwise
    count = payoff.credit.count
    found: Term = NOTHING
    if agent in otherwise:
        nobody = terms.Compare("==", count, NOTHING)
        found = Conditional(nobody, terms.Arithmetic("/", part, Constant(len(otherwise))), NOTHING)
    for candidate, condition in candidates:
        if candidate == agent:
            own = Conditional(condition, terms.Arithmetic("/", part, count), NOTHING)
            found = own if found == NOTHING else terms.Arithmetic("+", own, found)
    return found


# ---- small scopes ----------------------------------------------------------------------------------------------------


TUPLE = Column("tuple", 0.0, 1.0, integer=False, integral=True)  # a joint value of several variables


def small(term: Term, lowering: Lowering) -> Affine | None:
    """A term over a small scope: its polytope is tighter than rows that binaries lift."""
    pair = isinstance(term, Conditional) and len(term.scope) <= 2
    return None if pair or lowering.size(term) > lowering.limits.small else table(term, lowering)


def table(term: Term, lowering: Lowering) -> Affine | None:
    """`Σ value(x) · t_x` over the choices of one variable, or with `Σ_x∋(v=d) t_x = x[v = d]` (the local polytope).

    All terms over the same variables count in the same columns. The commonest value has no weight but is added
    throughout, as exactly one column is 1.
    """
    if len(term.scope) > 1 and lowering.size(term) > lowering.limits.table:
        return None
    variables = lowering.variables(term)
    known, scope = value_table(term, tuple(variables)), tuple(v.name for v in variables)
    values = worths(term, variables) if known is None else known.spread(known.entries, scope)
    flat = values.ravel()
    common, times = Counter(flat.tolist()).most_common(1)[0]
    if times == len(flat):
        return Affine(common)
    if 2 * times <= len(flat) or (flat % 1).any():
        common = 0.0
    if scope not in lowering.tuples:
        alone = lowering.program.choices[scope[0]] if len(scope) == 1 else None
        lowering.tuples[scope] = alone or _tuples(scope, values.shape, lowering.program)
    start, counted = lowering.tuples[scope].start, np.flatnonzero(flat - common)
    return Affine(common, dict(zip((counted + start).tolist(), (flat - common)[counted].tolist(), strict=True)))


def _tuples(scope: tuple[str, ...], shape: tuple[int, ...], program: Program) -> range:
    """A column for each joint value of some variables."""
    columns = program.group(TUPLE, prod(shape))
    numbers = np.arange(columns.start, columns.stop).reshape(shape)
    for axis, name in enumerate(scope):
        for place, choice in enumerate(program.choices[name]):
            marginal = dict.fromkeys(np.take(numbers, place, axis).ravel().tolist(), 1.0)
            program.row(Affine(0.0, {**marginal, choice: -1.0}), low=0.0, high=0.0)
    return columns


def chosen(term: Term, lowering: Lowering) -> Affine | None:
    """The commonest terms by far, `v == d` and `w if v == d else 0` for numbers; class patterns would take longer."""
    weight: Value = 1.0
    if type(term) is Conditional and type(term.then) is type(term.otherwise) is Constant:
        weight, otherwise, term = term.then.value, term.otherwise.value, term.condition
        if otherwise or not (is_number(weight) and is_number(otherwise)):
            return None
    if type(term) is not terms.Compare or term.operator != "==":
        return None
    left, right = term.left, term.right
    if type(left) is not Decision or type(right) is not Constant:
        return None
    column = lowering.program.choice.get((left.variable, type(right.value), right.value))
    return None if column is None else Affine(0.0, {column: as_number(weight)} if weight else {})
