"""A task as an integer program. In: a task; out: a Program with its hard requirements, and objectives on request.

A requirement becomes rows that cut off exactly what breaks it. `x ≥ y + 2 or x ≥ z + 5 or x == none` says which values
of y or z a value of x needs: all that need no more than a set stand in its row, `Σ x_d ≤ Σ y_e + Σ z_e`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from colosseum.model import terms
from colosseum.model.scenario import Payoff, Task, Variable
from colosseum.model.terms import Ground, Term
from colosseum.solve.arrays import Floats, worths
from colosseum.solve.goal import Goal
from colosseum.solve.lowering import conditions, numbers, rules
from colosseum.solve.lowering.conditions import conjuncts, joined
from colosseum.solve.lowering.program import Affine, CannotLower, Program, total
from colosseum.solve.lowering.rules import DEFAULT_LIMITS, Lowering, LoweringLimits, Rules, written_out

RULES: Rules = {
    terms.Total: (numbers.linear,),
    terms.Arithmetic: (numbers.linear, numbers.counted, rules.small, numbers.multiplied),
    terms.Conditional: (numbers.counted, rules.small, numbers.case),
    terms.Select: (numbers.counted, rules.small, numbers.look_up),
    terms.Absolute: (numbers.counted, rules.small, numbers.absolute),
    terms.Extremum: (numbers.counted, rules.small, numbers.extremum),
    terms.Inverse: (conditions.inverse,),
    terms.Every: (conditions.every,),
    terms.Some: (conditions.some,),
    terms.Compare: (rules.small, conditions.paired, conditions.compared),
    terms.Member: (rules.small, conditions.paired),
}

FARTHEST = 1e15  # how far a goal may reach; beyond it sums of floating-point numbers lose whole units
NEAREST = 1e-6  # how far a payoff must reach, unless it is always 0: solvers take differences up to 1e-9 for rounding
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
    weights: Floats
    """One a column of the program; columns that were added later have none."""
    low: float
    high: float
    """It is nowhere less than one, nor greater than the other."""


@dataclass
class Lowered:
    """A program and the objectives lowered onto it so far."""

    task: Task
    program: Program
    lowering: Lowering
    parts: dict[str | Term | None, Costs] = field(default_factory=dict)
    """What goals are mixed of, once lowered: F_n under None, a payoff under its agent, a term under itself."""
    shares: dict[str, dict[str, Affine]] = field(default_factory=dict)
    """What each agent gets of a payoff, by the payoff's name."""

    def under(self, task: Task) -> "Lowered":
        """A copy that grows by itself, under the payoffs of a task with the same hard requirements."""
        program, lowering = copy(self.program), copy(self.lowering)
        for part in map(vars, (program, lowering)):
            part |= {name: copy(held) for name, held in part.items() if isinstance(held, list | dict | set)}
        program.task, lowering.program = task, program
        return Lowered(task, program, lowering)

    def objective(self, goal: Goal, ranks: Mapping[str, float] = MappingProxyType({})) -> Costs:
        """The costs of a goal, less what each step along the domains of some variables costs; it may add columns the
        first time. Raises NotLowered.
        """
        mixture: list[tuple[str | Term | None, float]] = [(None, goal.total)] if goal.total else []
        weighted = [(self._costs(part), weight) for part, weight in (*mixture, *goal.payoffs, *goal.terms)]
        ends = [sorted((weight * part.low, weight * part.high)) for part, weight in weighted]
        low, high = sum(least for least, _ in ends), sum(most for _, most in ends)
        if max(-low, high) > FARTHEST:
            what = f"it may reach {max(-low, high):.2g}, and sums are exact up to {FARTHEST:g}"
            raise NotLowered("the sum of payoffs", what, help=OTHER_UNITS)
        weights = np.zeros(len(self.program.columns))
        for part, weight in weighted:
            weights[: len(part.weights)] += weight * part.weights
        for name, step in ranks.items():
            choice = self.program.choices[name]
            weights[choice.start : choice.stop] -= step * np.arange(len(choice))
        return Costs(sum(weight * part.constant for part, weight in weighted), weights, low, high)

    def form(self, goal: Goal) -> Affine:
        """The same as a sparse form."""
        costs = self.objective(goal)
        return Affine(costs.constant, {int(c): float(costs.weights[c]) for c in np.flatnonzero(costs.weights)})

    def _costs(self, part: str | Term | None) -> Costs:
        """The costs of a part. Raises NotLowered, also where they are too small to tell from rounding."""
        if part not in self.parts:
            name = f"payoff[{part}]" if isinstance(part, str) else "an objective" if part else "the sum of payoffs"
            with _named(name):
                form = self._form(part)
            weights = np.zeros(len(self.program.columns))
            weights[list(form.coefficients)] = list(form.coefficients.values())
            low, high = self.program.bounds(form)
            if 0.0 < max(-low, high) < NEAREST:
                what = f"it reaches {max(-low, high):.2g} at most, and differences of 1e-9 count as rounding"
                raise NotLowered(name, what, help=OTHER_UNITS)
            self.parts[part] = Costs(form.constant, weights, low, high)
        return self.parts[part]

    def _form(self, part: str | Term | None) -> Affine:
        """The form of a part. Raises CannotLower, and NotLowered with the name of the payoff that cannot be."""
        if isinstance(part, Ground):
            return self.lowering.form(written_out(part, self.task))
        if isinstance(part, str):
            return total([self._shares(payoff)[part] for payoff in self.task.payoffs if part in payoff.credit.named])
        return total(self.payoffs())

    def payoffs(self) -> list[Affine]:
        """What each payoff is worth. Raises NotLowered."""
        found = list[Affine]()
        for payoff in self.task.payoffs:
            try:
                found.append(self.lowering.form(payoff.term))
            except CannotLower as fault:
                raise NotLowered(payoff.name, str(fault)) from None
        return found

    def _shares(self, payoff: Payoff) -> dict[str, Affine]:
        if payoff.name not in self.shares:
            self.shares[payoff.name] = numbers.shares(payoff, self.lowering)
        return self.shares[payoff.name]


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Says which part of the task cannot be lowered."""
    try:
        yield
    except CannotLower as fault:
        raise NotLowered(name, str(fault)) from None


def lower(task: Task, *, limits: LoweringLimits = DEFAULT_LIMITS) -> Lowered:
    """The program of a task, with its hard requirements as rows. Raises NotLowered."""
    with _named("the variables"):
        program = Program(task)
    lowering = Lowering(program, RULES, limits)
    for requirement in task.hard:
        with _named(requirement.name):
            for part in conjuncts(requirement.condition):
                bind(part, lowering)
    return Lowered(task, program, lowering)


# ---- hard requirements as rows ---------------------------------------------------------------------------------------


def bind(condition: Term, lowering: Lowering) -> None:
    """Add rows that admit exactly the assignments at which the condition holds. Raises CannotLower."""
    parts = joined(condition) if isinstance(condition, terms.Some) else (condition,)
    if supported(parts, lowering):
        return
    compared = conditions.compared(condition, lowering, bound=True) if isinstance(condition, terms.Compare) else None
    holds = total([lowering.form(part) for part in parts]) if compared is None else compared
    if holds != Affine(1.0):
        lowering.program.row(holds, low=1.0)


# ---- values that need others -----------------------------------------------------------------------------------------


def supported(parts: tuple[Term, ...], lowering: Lowering) -> bool:
    """Bind an `or`; False where its parts do not meet in one variable, or where they are too large.

    The relaxation sees `a ≤ b` as the rows `[a > t] ≤ [b > t]`.
    """
    program, task = lowering.program, lowering.program.task
    if any(len(part.scope) > 2 or lowering.size(part) > lowering.limits.conflict for part in parts):
        return False
    pairs = [part.scope for part in parts if len(part.scope) == 2 or len(parts) == 1]
    shared = frozenset.intersection(*pairs) if pairs else frozenset()
    if not shared:
        return False
    pivot = task.variable[min(shared, key=task.position.__getitem__)]
    needed = dict(zip(program.choices[pivot.name], _needs(pivot, parts, lowering), strict=True))
    for support in dict.fromkeys(s for s in needed.values() if s is not None):
        chosen = dict.fromkeys([c for c, s in needed.items() if s is not None and s <= support], 1.0)
        program.row(Affine(0.0, {**chosen, **dict.fromkeys(sorted(support), -1.0)}), high=0.0)
    return True


def _needs(pivot: Variable, parts: tuple[Term, ...], lowering: Lowering) -> list[frozenset[int] | None]:
    """Choices of other variables of which each value of the pivot needs one; None where it needs nothing."""
    needed: list[frozenset[int] | None] = [frozenset()] * len(pivot.domain)
    for part in parts:
        others = [v for v in lowering.variables(part) if v.name != pivot.name]
        choices = [c for other in others for c in lowering.program.choices[other.name]]
        holds = worths(part, [pivot, *others]).reshape(len(pivot.domain), -1) != 0
        for place, row in enumerate(holds.tolist()):
            known = needed[place]
            fitting = () if all(row) or not others else [c for c, held in zip(choices, row, strict=True) if held]
            needed[place] = None if all(row) or known is None else known.union(fitting)
    return needed
