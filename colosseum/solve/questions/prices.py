"""Penalties that are too low. In: a task and its optimum; out: each soft requirement that the optimum breaks.

The penalty at which breaking it stops paying is found exactly, by re-solving: with W the joint payoff without the
statement's penalties, B ≥ 0 what they cost at their present prices, and H the best W that breaks nothing of it, no
assignment gains by breaking once prices are multiplied by the greatest (W(x) − H) / B(x) over all x with B(x) > 0.
That fraction is found by Dinkelbach's method: solve at a guess, and take the answer's own fraction as the next one.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from colosseum.model import terms
from colosseum.model.scenario import Payoff, Task
from colosseum.model.terms import Constant
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.solver import Optimum, Solver

MOST_GUESSES = 30
"""Dinkelbach's method needs a handful."""
SMALLEST_GAIN = 1e-9
"""Relative to the value that keeps the rule: a smaller gain is rounding."""
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
    return tuple(_temptation(statement, task, optimum, until) for statement in _broken(task, optimum))


def _broken(task: Task, x: Mapping[str, Value]) -> Iterator[str]:
    found = (r.statement for r in task.requirements if not r.hard and not r.condition.evaluate(x))
    return iter(dict.fromkeys(found))


def _temptation(statement: str, task: Task, x: Mapping[str, Value], until: float) -> Temptation:
    own = [r for r in task.requirements if r.statement == statement]
    instances = tuple(r.name for r in own if not r.condition.evaluate(x))
    prices = {r.penalty for r in own}
    price = prices.pop() if len(prices) == 1 else None
    if not any(r.penalty for r in own):
        return Temptation(statement, instances, price, None, "it costs nothing now")
    try:
        kept = Solver(_kept(statement, task), until=until).maximise(WELFARE)
        if kept.status == "infeasible":
            return Temptation(statement, instances, price, None, "nothing satisfies all of it")
        factor = None if kept.proven is None else _factor(statement, task, x, kept.proven, until)
    except NotLowered as fault:
        return Temptation(statement, instances, price, None, str(fault))
    return Temptation(statement, instances, price, factor, "" if factor is not None else "it takes too long to prove")


def _factor(statement: str, task: Task, x: Mapping[str, Value], kept: float, until: float) -> float | None:
    """The least factor on the statement's penalties at which no assignment gains by breaking it; None unproven."""
    factor, best = 1.0, dict(x)
    for _ in range(MOST_GUESSES):
        worth, cost = _split(statement, task, best)
        if cost <= 0 or worth - factor * cost <= kept + SMALLEST_GAIN * max(1.0, abs(kept)):
            return factor
        factor = (worth - kept) / cost
        found: Optimum = Solver(_priced(statement, task, factor), until=until).maximise(WELFARE)
        if found.status != "optimal" or found.assignment is None:
            return None
        best = found.assignment
    return None


def _split(statement: str, task: Task, x: Mapping[str, Value]) -> tuple[float, float]:
    """The joint payoff without the statement's penalties, and what these cost at their present prices."""
    worth = cost = 0.0
    for payoff in task.payoffs:
        value = payoff.term.evaluate(x)
        assert isinstance(value, int | float)
        if _penalty_of(payoff, statement):
            cost -= value
        else:
            worth += value
    return worth, cost


def _kept(statement: str, task: Task) -> Task:
    """The task in which the statement is hard."""
    requirements = tuple(
        replace(r, penalty=None, excess=None) if r.statement == statement else r for r in task.requirements
    )
    payoffs = tuple(p for p in task.payoffs if not _penalty_of(p, statement))
    return replace(task, requirements=requirements, payoffs=payoffs)


def _priced(statement: str, task: Task, factor: float) -> Task:
    """The task with the statement's penalties multiplied."""
    return replace(
        task,
        payoffs=tuple(
            replace(p, term=terms.Arithmetic("*", Constant(factor), p.term)) if _penalty_of(p, statement) else p
            for p in task.payoffs
        ),
    )


def _penalty_of(payoff: Payoff, statement: str) -> bool:
    return payoff.kind == "penalty" and payoff.statement == statement
