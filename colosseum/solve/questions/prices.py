"""Penalties that are too low. In: a task and its optimum; out: each soft requirement that the optimum breaks.

The penalty at which breaking it stops paying is found exactly, by re-solving: with W the joint payoff without the
statement's penalties, B ≥ 0 what they cost at their present prices, and H the best W that breaks nothing of it, no
assignment gains by breaking once prices are multiplied by the greatest (W(x) − H) / B(x) over all x with B(x) > 0.
That fraction is found by Dinkelbach's method: solve at a guess, and take the answer's own fraction as the next one.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from colosseum.model.scenario import Payoff, Task
from colosseum.model.terms import Arithmetic, Constant
from colosseum.model.values import Value, number
from colosseum.solve.goal import WELFARE
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.solver import Solver

MOST_GUESSES = 30
"""Dinkelbach's method needs a handful."""
SMALLEST_GAIN = 1e-9
"""Relative to the value that keeps the rule: a smaller gain is rounding."""
TOO_LONG = "it takes too long to prove"
SECONDS = 30.0
"""For all prices; those that take longer are not told."""


@dataclass(frozen=True)
class Temptation:
    """A soft requirement that the optimum breaks."""

    statement: str
    instances: tuple[str, ...]
    """Those that are broken."""
    price: float | None
    """The penalty that they have; None when instances differ."""
    factor: float | None
    """By how much penalties must grow until breaking it never pays; None when nothing satisfies it, or unproven."""
    reason: str = ""
    """Why there is no factor."""

    @property
    def enough(self) -> float | None:
        """The penalty above which breaking it never pays."""
        return None if self.price is None or self.factor is None else self.price * self.factor


def temptations(task: Task, optimum: Mapping[str, Value]) -> tuple[Temptation, ...]:
    """Every soft requirement that an optimal assignment breaks, in declared order."""
    until = time.monotonic() + SECONDS
    broken = dict.fromkeys(r.statement for r in task.requirements if not (r.hard or r.condition.evaluate(optimum)))
    return tuple(_temptation(statement, task, optimum, until) for statement in broken)


def _temptation(statement: str, task: Task, x: Mapping[str, Value], until: float) -> Temptation:
    own = [r for r in task.requirements if r.statement == statement]
    instances = tuple(r.name for r in own if not r.condition.evaluate(x))
    prices = {r.penalty for r in own}
    price = prices.pop() if len(prices) == 1 else None
    try:
        found = _factor(statement, task, x, until) if any(r.penalty for r in own) else "it costs nothing now"
    except NotLowered as fault:
        found = str(fault)
    return Temptation(statement, instances, price, *((None, found) if isinstance(found, str) else (found, "")))


def _factor(statement: str, task: Task, x: Mapping[str, Value], until: float) -> float | str:
    """The least factor on the statement's penalties at which no assignment gains by breaking it; a str is why none."""
    keeping = Solver(_kept(statement, task), until=until).maximise(WELFARE)
    if keeping.proven is None:
        return "nothing satisfies all of it" if keeping.status == "infeasible" else TOO_LONG
    factor, best, kept = 1.0, dict(x), keeping.proven
    for _ in range(MOST_GUESSES):
        worth, cost = _split(statement, task, best)
        if cost <= 0 or worth - factor * cost <= kept + SMALLEST_GAIN * max(1.0, abs(kept)):
            return factor
        factor = (worth - kept) / cost
        found = Solver(_priced(statement, task, factor), until=until).maximise(WELFARE)
        if found.status != "optimal" or found.assignment is None:
            return TOO_LONG
        best = found.assignment
    return TOO_LONG


def _split(statement: str, task: Task, x: Mapping[str, Value]) -> tuple[float, float]:
    """The joint payoff without the statement's penalties, and what these cost at their present prices."""
    paid = [(_penalty_of(p, statement), number(p.term.evaluate(x), "a payoff")) for p in task.payoffs]
    return sum(value for own, value in paid if not own), -sum(value for own, value in paid if own)


def _kept(statement: str, task: Task) -> Task:
    """The task in which the statement is hard."""
    requirements = tuple(
        replace(r, penalty=None, excess=None) if r.statement == statement else r for r in task.requirements
    )
    payoffs = tuple(p for p in task.payoffs if not _penalty_of(p, statement))
    return replace(task, requirements=requirements, payoffs=payoffs)


def _priced(statement: str, task: Task, factor: float) -> Task:
    """The task with the statement's penalties multiplied."""
    payoffs = (
        replace(p, term=Arithmetic("*", Constant(factor), p.term)) if _penalty_of(p, statement) else p
        for p in task.payoffs
    )
    return replace(task, payoffs=tuple(payoffs))


def _penalty_of(payoff: Payoff, statement: str) -> bool:
    return payoff.kind == "penalty" and payoff.statement == statement
