"""A task as an integer program. In: a task; out: a Program with its hard requirements, and objectives on request.

A requirement becomes rows that cut off exactly what breaks it. `x ≥ y + 2 or x ≥ z + 5 or x == none` says which values
of y or z a value of x needs. All values of x that need no more than a set stand in its row together,
`Σ x_d ≤ Σ y_e + Σ z_e`: the relaxation then sees what a precedence really asks.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.language.gc_pause import gc_paused
from colosseum.model import terms
from colosseum.model.scenario import Payoff, Task, Variable
from colosseum.model.terms import Constant, Ground, Term
from colosseum.solve.arrays import worths
from colosseum.solve.goal import Goal
from colosseum.solve.lowering import conditions, numbers, rules
from colosseum.solve.lowering.conditions import ALWAYS, defined, joined, numeric
from colosseum.solve.lowering.program import Affine, CannotLower, Program, total
from colosseum.solve.lowering.rules import (
    DEFAULT_LIMITS,
    ROUNDING,
    Lowering,
    LoweringLimits,
    Rules,
    Tie,
    referred,
    scope_variables,
)

NUMBER_RULES: Rules = {
    terms.Total: (numbers.linear,),
    terms.Arithmetic: (numbers.linear, numbers.counted, numbers.multiplied),
    terms.Conditional: (numbers.counted, rules.small, numbers.case),
    terms.Select: (numbers.counted, numbers.look_up),
    terms.Absolute: (numbers.counted, rules.small, numbers.absolute),
    terms.Extremum: (numbers.counted, rules.small, numbers.extremum),
    terms.PayoffOf: (numbers.payoff,),
}
CONDITION_RULES: Rules = {
    terms.Inverse: (conditions.inverse,),
    terms.Every: (conditions.every,),
    terms.Some: (conditions.some,),
    terms.Compare: (conditions.alike, conditions.compared),
    terms.Member: (conditions.within,),
}

FARTHEST = 1e15
"""How far a goal may reach; beyond it sums of floating-point numbers lose whole units."""
NEAREST = 1e-6
"""How far a payoff must reach, unless it is always 0: solvers take differences up to 1e-9 for rounding."""


SIMPLER = "write it with sums, counts, `min`, `max`, or over fewer variables"
OTHER_UNITS = "choose other units: multiply or divide all payoffs by the same number"


class NotLowered(Exception):  # noqa: N818 - a finding about the task, not a failure
    """A part of the task does not fit an integer program; says which and how large it is."""

    def __init__(self, name: str, what: str, *, help: str = SIMPLER) -> None:  # noqa: A002 - as of a diagnostic
        super().__init__(f"`{name}` cannot be optimised exactly: {what}")
        self.name, self.help = name, help


@dataclass(frozen=True, eq=False)
class Costs:
    """A linear objective: `constant + Σ weight · column`."""

    constant: float
    weights: "NDArray[np.float64]"
    """One a column of the program; columns that were added later have none."""
    low: float
    """It is nowhere less than this, …"""
    high: float
    """… nor greater than this."""


def _mixture(goal: Goal) -> Iterator[tuple[str | Term | None, float]]:
    """What a goal is mixed of."""
    if goal.total:
        yield None, goal.total
    yield from goal.payoffs
    yield from goal.terms


@dataclass
class Lowered:
    """A program and the objectives lowered onto it so far."""

    task: Task
    program: Program
    lowering: Lowering
    parts: dict[str | Term | None, Costs] = field(default_factory=dict)
    """What goals are mixed of, once lowered: F_n under None, a payoff under its agent, a term under itself."""
    named_ties: list[Tie] = field(default_factory=list)

    def objective(self, goal: Goal) -> Costs:
        """The costs of a goal; it may add columns the first time. Raises NotLowered."""
        weighted = [(self._part(part), weight) for part, weight in _mixture(goal)]
        ends = [sorted((weight * part.low, weight * part.high)) for part, weight in weighted]
        low, high = sum(least for least, _ in ends), sum(most for _, most in ends)
        reach = max(-low, high)
        if reach > FARTHEST:
            what = f"it may reach {reach:.2g}, and sums are exact up to {FARTHEST:g}"
            raise NotLowered("the sum of payoffs", what, help=OTHER_UNITS)
        weights = np.zeros(len(self.program.columns))
        for part, weight in weighted:
            weights[: len(part.weights)] += weight * part.weights
        return Costs(sum(weight * part.constant for part, weight in weighted), weights, low, high)

    def form(self, goal: Goal) -> Affine:
        """The same as a sparse form."""
        costs = self.objective(goal)
        return Affine(costs.constant, {int(c): float(costs.weights[c]) for c in np.flatnonzero(costs.weights)})

    def _part(self, part: str | Term | None) -> Costs:
        if part not in self.parts:
            with gc_paused():
                self.parts[part] = self._costs(part)
        return self.parts[part]

    def _costs(self, part: str | Term | None) -> Costs:
        """The costs of a part. Raises NotLowered, also where they are too small to tell from rounding."""
        form, name = self._form(part), f"payoff[{part}]" if isinstance(part, str) else "the sum of payoffs"
        weights = np.zeros(len(self.program.columns))
        weights[list(form.coefficients)] = list(form.coefficients.values())
        self.program.price(weights)
        low, high = self.program.bounds(form)
        if 0.0 < max(-low, high) < NEAREST:
            what = f"it reaches {max(-low, high):.2g} at most, and differences of 1e-9 count as rounding"
            raise NotLowered("an objective" if isinstance(part, Ground) else name, what, help=OTHER_UNITS)
        return Costs(form.constant, weights, low, high)

    def _form(self, part: str | Term | None) -> Affine:
        if isinstance(part, Ground):
            return self._objective(part)
        known = self.lowering.payoffs
        if part not in known:
            forms = list[Affine]()
            for payoff in self.task.payoffs if part is None else self.credited.get(part, ()):
                with _named(payoff.name if part is None else f"payoff[{part}]"):
                    forms.append(numbers.share(payoff, part, self.lowering))
            known[part] = total(forms)
        return known[part]

    @cached_property
    def credited(self) -> dict[str, list[Payoff]]:
        """What may be credited to each agent."""
        found: dict[str, list[Payoff]] = {}
        for payoff in self.task.payoffs:
            for agent in dict.fromkeys(payoff.credit.named):
                found.setdefault(agent, []).append(payoff)
        return found

    def _objective(self, term: Term) -> Affine:
        lowering, named = self.lowering, referred(term)
        for agent in named:
            self._form(agent)
        if named:  # what payoffs come to is this task's alone
            numbers, conditions, values = lowering.numbers.copy(), lowering.conditions.copy(), lowering.values.copy()
            lowering = replace(lowering, numbers=numbers, conditions=conditions, values=values, ties=self.named_ties)
            lowering.of_objective = True
        with _named("a coalition's objective"):
            return lowering.number(term)


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Says which part of the task cannot be lowered."""
    try:
        yield
    except CannotLower as fault:
        raise NotLowered(name, str(fault)) from None


@gc_paused()
def lower(task: Task, *, limits: LoweringLimits = DEFAULT_LIMITS) -> Lowered:
    """The program of a task, with its hard requirements as rows. Raises NotLowered."""
    with _named("the variables"):
        program = Program(task)
    lowering = Lowering(program, NUMBER_RULES, CONDITION_RULES, limits)
    for requirement in task.hard:
        with _named(requirement.name):
            bind(requirement.condition, lowering)
    return Lowered(task, program, lowering)


# ---- hard requirements as rows ---------------------------------------------------------------------------------------


def bind(condition: Term, lowering: Lowering) -> None:
    """Add rows that admit exactly the assignments at which the condition holds. Raises CannotLower."""
    program = lowering.program
    match condition:
        case Constant(value=value):
            if value is not True:
                program.row(Affine(0.0), low=1.0)
        case terms.Every(parts=parts):
            for part in parts:
                bind(part, lowering)
        case _ if supported(_parts(condition), lowering):
            pass
        case terms.Compare() if _comparison(condition, lowering):
            pass
        case terms.Some():
            program.row(total([lowering.condition(part) for part in joined(condition)]), low=1.0)
        case _:
            program.row(lowering.condition(condition), low=1.0)


def _parts(condition: Term) -> tuple[Term, ...]:
    """The parts of an `or` about more than two variables."""
    return joined(condition) if isinstance(condition, terms.Some) and len(condition.scope) > 2 else (condition,)


def _comparison(condition: terms.Compare, lowering: Lowering) -> bool:
    """One linear row; whether it could be written so."""
    if condition.operator == "!=" or not (numeric(condition.left, lowering) and numeric(condition.right, lowering)):
        return False
    program = lowering.program
    known = [side for each in (condition.left, condition.right) if (side := defined(each, lowering)) != ALWAYS]
    if condition.operator == "==" and len(known) == 2:
        return False  # two nones are equal
    gap = lowering.number(condition.left).minus(lowering.number(condition.right))
    gap, exact = program.grained(gap) or gap, program.grained(gap) is not None
    if condition.operator in ("<", ">") and not exact:
        return False
    strict = 1.0 if condition.operator in ("<", ">") else 0.0
    signs = {"<": (1.0,), "<=": (1.0,), ">": (-1.0,), ">=": (-1.0,), "==": (1.0, -1.0)}[condition.operator]
    for sign in signs:
        body = gap.scaled(sign) + Affine(strict)
        low, high = program.bounds(body)
        if high > 0:  # sums of fractions get room for rounding, which the solver's check closes
            program.row(body, high=0.0 if exact else ROUNDING * max(1.0, -low, high))
    for side in known:
        program.row(lowering.condition(side), low=1.0)
    return True


# ---- values that need others -----------------------------------------------------------------------------------------


Support: TypeAlias = frozenset[int]
"""Choice columns of other variables of which one must be 1."""


def supported(parts: tuple[Term, ...], lowering: Lowering) -> bool:
    """Bind a clause so; False where its parts do not meet in one variable, or where they are too large.

    All values that need no more than a set stand in its row together, as a variable takes one value only; so the
    relaxation sees `not both` as one row, and `a ≤ b` as the rows `[a > t] + [b ≤ t] ≤ 1`.
    """
    program, pivot = lowering.program, _pivot(parts, lowering)
    if pivot is None or any(lowering.size(part.scope) > lowering.limits.conflict for part in parts):
        return False
    needed = _needs(pivot, parts, lowering)
    for support in dict.fromkeys(s for s in needed if s is not None):
        choices = zip(program.choices[pivot.name], needed, strict=True)
        chosen = Affine(0.0, {c: 1.0 for c, s in choices if s is not None and s <= support})
        program.row(chosen.minus(_any_of(support, lowering)), high=0.0)
    return True


def _any_of(support: Support, lowering: Lowering) -> Affine:
    """How many of these choices are made, by those that are not where they are fewer."""
    program = lowering.program
    names = dict.fromkeys(program.family[c] for c in sorted(support))
    return total(program.unary(name, [float(c in support) for c in program.choices[name]]) for name in names)


def _pivot(parts: tuple[Term, ...], lowering: Lowering) -> Variable | None:
    """The variable that every part about two variables reads."""
    pairs = [part.scope for part in parts if len(part.scope) == 2] or [part.scope for part in parts[:1]]
    if (len(parts) > 1 and len(pairs[0]) < 2) or any(len(part.scope) > 2 for part in parts):
        return None
    shared = reduce(frozenset.intersection, pairs)
    return next(iter(scope_variables(shared, lowering)), None)


def _needs(pivot: Variable, parts: tuple[Term, ...], lowering: Lowering) -> list[Support | None]:
    """What each value of the pivot needs; None where it needs nothing."""
    needed: list[set[int] | None] = [set() for _ in pivot.domain]
    for part in parts:
        others = [v for v in scope_variables(part.scope, lowering) if v.name != pivot.name]
        choices = np.array(lowering.program.choices[others[0].name]) if others else np.array([], dtype=np.int64)
        holds = worths(part, [pivot, *others]).reshape(len(pivot.domain), -1) != 0
        for place, row in enumerate(holds):
            if row.all():
                needed[place] = None
            elif (so_far := needed[place]) is not None and others:
                so_far.update(choices[row].tolist())
    return [None if columns is None else frozenset(columns) for columns in needed]
