"""The lexicographically first optimum, by declared order of variables and domains, so that reports of equal tasks are
equal. In: a query, one optimum of it and an engine's way to answer others; out: the first of all optima.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from math import prod
from operator import mul
from typing import TypeAlias

from colosseum.model.scenario import Task, Variable
from colosseum.solve.backend import Optimum, Query, rank, worth
from colosseum.solve.scoring import grain

STEP = 10.0  # grains that a joint value costs more than the one before it; an answer is proven to one
MOST_RANKS = 1_000  # joint values of variables that are told apart at once
MOST_TESTS = 50  # values that are tried before it is left open which optimum is the first
Ask: TypeAlias = Callable[[Query], Optimum | None]


def first(task: Task, query: Query, found: Optimum, ask: Ask, *, reach: float = 1.0) -> Optimum:
    """The first of all optima; `found`, which is one, where that stays open, as where `ask` says None.

    The engine takes ranks: a few variables at a time, each joint value costs a step more than the one before it, as an
    answer may be off by a grain for each unit of a column's `reach`. If the best point then is an optimum, none ranks
    before it. Else fewer variables are ranked, and of a single one earlier values are tried. What points are worth is
    taken as told; the last is checked.
    """
    walk = _Walk(task, query, found, ask, STEP * reach)
    passed = walk.over([v for v in task.variables if v.name not in query.fixed])
    value = worth(task, query, walk.best) if passed else None
    if value is None or value < walk.least:
        return found
    return replace(found, assignment=walk.best, value=value, bound=value, canonical=True)


class _Walk:
    """From one optimum to the first: `best` is the first as far as the walk has come."""

    def __init__(self, task: Task, query: Query, found: Optimum, ask: Ask, step: float) -> None:
        assert found.assignment is not None
        assert found.value is not None
        self.task, self.ask, self.best, self.tests, self.step = task, ask, found.assignment, MOST_TESTS, step
        self.query, self.least = Query(query.goal, query.fixed), found.value - grain(found.value)

    def over(self, variables: Sequence[Variable]) -> bool:
        """Pass some variables, in halves where they are too many; whether that could be."""
        if any(v.domain.index(self.best[v.name]) for v in variables) and not (ranked := self._ranked(variables)):
            if half := len(variables) // 2:
                return self.over(variables[:half]) and self.over(variables[half:])
            if ranked is None or not self._tried(variables[0]):
                return False
        self.query = replace(self.query, fixed={**self.query.fixed, **{v.name: self.best[v.name] for v in variables}})
        return True

    def _ranked(self, variables: Sequence[Variable]) -> bool | None:
        """Whether the best point under ranks is an optimum; None where it is left open."""
        sizes = [len(v.domain) for v in reversed(variables)]
        steps = accumulate(sizes, mul, initial=self.step * grain(self.least))
        ranks = dict(zip((v.name for v in reversed(variables)), steps, strict=False))
        few = len(sizes) == 1 or prod(sizes) <= MOST_RANKS
        return self._moved(replace(self.query, ranks=ranks)) if few else False

    def _tried(self, variable: Variable) -> bool:
        """Whether an earlier value of a variable is found, or none is as good."""
        for value in variable.domain[: variable.domain.index(self.best[variable.name])]:
            self.tests -= 1
            moved = self._moved(replace(self.query, fixed={**self.query.fixed, variable.name: value}))
            if moved or moved is None or not self.tests:
                return bool(moved)
        return True

    def _moved(self, query: Query) -> bool | None:
        """Whether the answer to a query is an optimum, which is `best` then; None where it is left open."""
        again = self.ask(query)
        if again is None or again.status == "limit":
            return None
        x, value = again.assignment, again.value
        if x is None or value is None or value + rank(self.task, query, x) < self.least:
            return False
        self.best = x
        return True
