"""The lexicographically first optimum, by declared order of variables and domains, so that reports of equal tasks are
equal. In: a query, one optimum of it and an engine's way to answer others; out: the first of all optima.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, takewhile
from operator import mul
from typing import TypeAlias

from colosseum.model.scenario import Task, Variable
from colosseum.solve.backend import Found, Query, rank, worth
from colosseum.solve.rounding import grain

MARGIN = 1e-7
"""By how much a relaxed figure, relative to max(1, |value|), must clear a value to be believed."""
MOST_RANKS = 1_000
"""Joint values of variables that are told apart at once: all their ranks together must not outweigh a better payoff."""
MOST_TESTS = 200
"""Ranges of values that are tried before it is left open which optimum is the first."""

Ask: TypeAlias = Callable[[Query], Found | None]
"""The answer to a query; None where it is left open."""


def first(task: Task, query: Query, found: Found, ask: Ask, *, ranks: bool) -> Found:
    """The first of all optima; `found`, which is one, where that stays open.

    A few variables at a time, if the engine takes ranks, each joint value costs a step more than the one before it. Let
    p be the best point then, an optimum, and y any other: what y is worth less is no more than rounding, and below a
    step. So p does not rank behind y. Where the best point is no optimum, earlier values are tried one by one.
    """
    walk = _Walk(task, query, found, ask)
    for block in _blocks([v for v in task.variables if v.name not in query.fixed], MOST_RANKS if ranks else 1):
        moved = any(walk.place(variable) for variable in block)
        if moved and not (ranks and walk.at_once(block)) and not all(map(walk.one_by_one, block)):
            return found
        walk.hold(block)
    return replace(found, assignment=walk.best, value=worth(task, query, walk.best), first=True)


class _Walk:
    """From one optimum to the first: after each variable, `best` is the first as far as the walk has come."""

    def __init__(self, task: Task, query: Query, found: Found, ask: Ask) -> None:
        assert found.assignment is not None
        assert found.value is not None
        self.task, self.best, self.ask = task, found.assignment, ask
        self.query = Query(query.goal, query.sign, query.fixed)
        self.margin, self.least = MARGIN * max(1.0, abs(found.value)), found.value - grain(found.value)
        self.tests = 0

    def place(self, variable: Variable) -> int:
        """Where its value stands in its domain."""
        return variable.domain.index(self.best[variable.name])

    def hold(self, block: Sequence[Variable]) -> None:
        """Pass these variables."""
        self.query = replace(self.query, fixed={**self.query.fixed, **{v.name: self.best[v.name] for v in block}})

    def at_once(self, block: Sequence[Variable]) -> bool:
        """Change `best` so that it is the first as far as these variables go; whether that could be."""
        ranks, step = dict[str, float](), 2.0 * self.margin
        for variable in reversed(block):
            ranks[variable.name] = step
            step *= len(variable.domain)
        return self._moved(replace(self.query, ranks=ranks)) is True

    def one_by_one(self, variable: Variable) -> bool:
        """The same for the next variable, by trying all its earlier values."""
        known = self._earliest(variable, range(self.place(variable)))
        self.hold([variable])
        return known

    def _earliest(self, variable: Variable, places: range) -> bool:
        """Change `best` so that the variable's value stands at the first of these places that an optimum has.

        All places are tried at once, and in halves where that leaves it open. False where it stays open.
        """
        while places:
            self.tests += 1
            among = {variable.name: places}
            moved = self._moved(replace(self.query, among=among, least=self.least - self.margin))
            if moved:
                places = range(places.start, self.place(variable))
            elif moved is not None:
                break
            elif (half := len(places) // 2) == 0 or self.tests > MOST_TESTS:
                return False
            else:
                first, second = places[:half], places[half:]
                return self._earliest(variable, first) and (
                    self.place(variable) in first or self._earliest(variable, second)
                )
        return True

    def _moved(self, query: Query) -> bool | None:
        """Whether the answer to a query is an optimum, which is `best` then; None where it is left open."""
        found = self.ask(query)
        if found is not None and (x := found.assignment) is not None:
            value = worth(self.task, self.query, x) if found.value is None else found.value + rank(self.task, query, x)
            if value is not None and value >= self.least:
                self.best = x
                return True
        return None if found is None or found.status == "limit" else False


def _blocks(variables: Sequence[Variable], most: int) -> Iterator[Sequence[Variable]]:
    """The variables in order, as many together as have so many joint values, and one at least."""
    while variables:
        joint = accumulate((len(v.domain) for v in variables), mul)
        count = max(1, sum(1 for _ in takewhile(lambda ranks: ranks <= most, joint)))
        yield variables[:count]
        variables = variables[count:]
