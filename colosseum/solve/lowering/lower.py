"""A task as an integer program. In: a task; out: a Program with its hard requirements, and objectives on request."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from colosseum.model import terms
from colosseum.model.gc_pause import gc_paused
from colosseum.model.scenario import Task
from colosseum.model.terms import Ground, Term
from colosseum.solve.goal import Goal
from colosseum.solve.lowering import conditions, numbers, tables
from colosseum.solve.lowering.binding import bind
from colosseum.solve.lowering.program import Affine, CannotLower, Program, total
from colosseum.solve.lowering.rules import DEFAULT_LIMITS, Limits, Lowering, Rule, Rules, referred
from colosseum.solve.lowering.tables import chosen, unary

ANY: tuple[Rule, ...] = (tables.constant, unary)
"""For terms of all kinds."""
OF_NUMBERS: tuple[Rule, ...] = (*ANY, numbers.counted)
NUMBER_RULES: Rules = {
    terms.Total: (*ANY, numbers.linear),
    terms.Arithmetic: (*OF_NUMBERS, numbers.linear, numbers.multiplied, tables.table),
    terms.Conditional: (*OF_NUMBERS, tables.small, numbers.case),
    terms.Select: (*OF_NUMBERS, numbers.look_up, tables.table),
    terms.Absolute: (*OF_NUMBERS, tables.small, numbers.absolute),
    terms.Extremum: (*OF_NUMBERS, tables.small, numbers.extremum),
    terms.PayoffOf: (numbers.payoff,),
    Ground: (*OF_NUMBERS, tables.table),
}
CONDITION_RULES: Rules = {
    terms.Inverse: (*ANY, conditions.inverse),
    terms.Every: (*ANY, conditions.every),
    terms.Some: (*ANY, conditions.some),
    terms.Compare: (*ANY, conditions.alike, conditions.compared, tables.table),
    terms.Member: (*ANY, conditions.within, tables.table),
    Ground: (*ANY, tables.table),
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

    program: Program
    lowering: Lowering
    parts: dict[str | Term | None, Costs] = field(default_factory=dict)
    """What goals are mixed of, once lowered: F_n under None, a payoff under its agent, a term under itself."""

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
                self.parts[part] = self._seen(part, self._made(part))
        return self.parts[part]

    def _made(self, part: str | Term | None) -> Costs:
        form = self._total() if part is None else self._agent(part) if isinstance(part, str) else self._term(part)
        weights = np.zeros(len(self.program.columns))
        weights[list(form.coefficients)] = list(form.coefficients.values())
        return Costs(form.constant, weights, *self.program.bounds(form))

    def _seen(self, part: str | Term | None, costs: Costs) -> Costs:
        """The costs of a part, unless they are too small to tell from rounding."""
        reach = max(-costs.low, costs.high)
        if 0.0 < reach < NEAREST:
            name = f"payoff[{part}]" if isinstance(part, str) else "an objective" if part else "the sum of payoffs"
            what = f"it reaches {reach:.2g} at most, and differences of 1e-9 count as rounding"
            raise NotLowered(name, what, help=OTHER_UNITS)
        return costs

    def _total(self) -> Affine:
        known = self.lowering.payoffs
        if None not in known:
            forms = []
            for payoff in self.program.task.payoffs:
                with _named(payoff.name):
                    forms.append(self.lowering.number(payoff.term))
            known[None] = total(forms)
        return known[None]

    def _agent(self, agent: str) -> Affine:
        known = self.lowering.payoffs
        if agent not in known:
            with _named(f"payoff[{agent}]"):
                known[agent] = numbers.agent_payoff(agent, self.lowering)
        return known[agent]

    def _term(self, term: Term) -> Affine:
        for agent in referred(term):
            _ = self._total() if agent is None else self._agent(agent)
        self.lowering.of_objective = True
        try:
            with _named("a coalition's objective"):
                return self.lowering.number(term)
        finally:
            self.lowering.of_objective = False


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Says which part of the task cannot be lowered."""
    try:
        yield
    except CannotLower as fault:
        raise NotLowered(name, fault.what) from None


@gc_paused()
def lower(task: Task, *, limits: Limits = DEFAULT_LIMITS) -> Lowered:
    """The program of a task, with its hard requirements as rows. Raises NotLowered."""
    with _named("the variables"):
        program = Program(task)
    lowering = Lowering(program, NUMBER_RULES, CONDITION_RULES, chosen, limits)
    for requirement in task.hard:
        with _named(requirement.name):
            bind(requirement.condition, lowering)
    return Lowered(program, lowering)
