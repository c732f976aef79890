"""Pure Nash equilibria of the one-shot game. In: a task; out: the payoffs at each profile that no agent would leave.

Moves are joint moves over an agent's variables; a profile that breaks a hard requirement is none, and nobody moves to
one. All profiles are gone through at once, by arrays with an axis a variable.
"""

from functools import reduce
from math import prod

import numpy as np

from colosseum.model.scenario import Task
from colosseum.model.terms import Term
from colosseum.solve.arrays import Floats, worths
from colosseum.solve.lowering.rules import credited
from colosseum.solve.scoring import ROUNDING

MOST = 1_000_000  # profiles that are gone through


def equilibria(task: Task, most: int = MOST) -> Floats | str:
    """A row an equilibrium, a column an agent, in declared order; a str is why none is known."""
    moving = [v for v in task.variables if len(v.domain) > 1]
    shape, single = [len(v.domain) for v in moving], {v.name: v.domain[0] for v in task.variables}
    if prod(shape) > most:
        return f"the one-shot game has {prod(shape):,} profiles, at most {most:,} are gone through"

    def spread(term: Term) -> Floats:
        """A term at all profiles; axes of variables that it does not read have length 1."""
        own = [v for v in moving if v.name in term.scope]
        return worths(term, own, given=single).reshape([len(v.domain) if v in own else 1 for v in moving])

    nothing = np.zeros(shape)
    payoff = {agent: sum(map(spread, credited(agent, task).below), nothing) for agent in task.agents}
    rules = (spread(rule.condition) > 0 for rule in task.requirements if rule.hard)
    kept = reduce(np.logical_and, rules, np.ones(shape, dtype=np.bool_))
    stable = kept.copy()
    for agent, worth in payoff.items():
        axes = tuple(place for place, v in enumerate(moving) if v.owner == agent)
        best = np.where(kept, worth, -np.inf).max(axis=axes, keepdims=True)
        stable &= worth >= best - ROUNDING * np.maximum(1.0, np.abs(best))
    found: Floats = np.stack([worth[stable] for worth in payoff.values()], axis=1)
    return found if len(found) else "the one-shot game has no pure equilibrium"
