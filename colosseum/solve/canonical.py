"""The lexicographically first optimum, by declared order of variables and domains, so that reports of equal tasks are
equal. In: a query, one optimum of it and an engine's way to answer others; out: the first of all optima.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, takewhile
from operator import mul
from typing import TypeAlias

from colosseum.model.scenario import Task, Variable
from colosseum.solve.backend import Optimum, Query, worth
from colosseum.solve.scoring import grain

EXACT, NEAR = 10.0, 200.0
"""Grains that a joint value costs more than the one before it: with engines that add up exactly, and with others."""
MOST_RANKS = 1_000
"""Joint values of variables that are told apart at once: all their ranks together must not outweigh a better payoff."""
MOST_TESTS = 200
"""Ranges of values that are tried before it is left open which optimum is the first."""

Ask: TypeAlias = Callable[[Query], Optimum | None]
"""The answer to a query; None where it is left open."""


def first(task: Task, query: Query, found: Optimum, ask: Ask, *, step: float) -> Optimum:
    """The first of all optima; `found`, which is one, where that stays open.

    With a step, in grains, the engine takes ranks: a few variables at a time, each joint value costs a step more than
    the one before it. Let p be the best point then, an optimum, and y any other: what y is worth less is no more than
    rounding, and below a step. So p does not rank behind y. Without, each variable's earlier values are tried.
    """
    walk = _Walk(task, query, found, ask)
    for block in _blocks([v for v in task.variables if v.name not in query.fixed], MOST_RANKS if step else 1):
        earlier = any(map(walk.place, block))
        if earlier and not (walk.ranked(block, step) if step else walk.tried(block[0])):
            return found
        walk.hold(block)
    value = worth(task, query, walk.best)
    return replace(found, assignment=walk.best, value=value, bound=value, canonical=True)


class _Walk:
    """From one optimum to the first: after each variable, `best` is the first as far as the walk has come."""

    def __init__(self, task: Task, query: Query, found: Optimum, ask: Ask) -> None:
        assert found.assignment is not None
        assert found.value is not None
        self.task, self.best, self.ask = task, found.assignment, ask
        self.query, self.least, self.tests = Query(query.goal, query.fixed), found.value - grain(found.value), 0

    def place(self, variable: Variable) -> int:
        """Where its value stands in its domain."""
        return variable.domain.index(self.best[variable.name])

    def hold(self, block: Sequence[Variable]) -> None:
        """Pass these variables."""
        self.query = replace(self.query, fixed={**self.query.fixed, **{v.name: self.best[v.name] for v in block}})

    def ranked(self, block: Sequence[Variable], step: float) -> bool:
        """Change `best` so that it is the first as far as these variables go; whether that could be."""
        ranks, step = dict[str, float](), step * grain(self.least)
        for variable in reversed(block):
            ranks[variable.name] = step
            step *= len(variable.domain)
        return self._moved(replace(self.query, ranks=ranks)) is True

    def tried(self, variable: Variable) -> bool:
        """The same for one variable: all its earlier values at once, and in halves where that leaves it open."""
        todo = [range(self.place(variable))]
        while todo:
            self.tests += 1
            if not (places := todo.pop()):
                continue
            moved = self._moved(replace(self.query, among={variable.name: places}, least=self.least))
            half = len(places) // 2
            if moved:
                todo = [range(places.start, self.place(variable))]
            elif moved is None and (half == 0 or self.tests > MOST_TESTS):
                return False
            elif moved is None:
                todo += [places[half:], places[:half]]
        return True

    def _moved(self, query: Query) -> bool | None:
        """Whether the answer to a query is an optimum, which is `best` then; None where it is left open."""
        found = self.ask(query)
        if found is not None and found.assignment is not None:
            value = worth(self.task, self.query, found.assignment) if query.ranks else found.value
            if value is not None and value >= self.least:
                self.best = found.assignment
                return True
        return None if found is None or found.status == "limit" else False


def _blocks(variables: Sequence[Variable], most: int) -> Iterator[Sequence[Variable]]:
    """The variables in order, as many together as have so many joint values, and one at least."""
    while variables:
        joint = accumulate((len(v.domain) for v in variables), mul)
        count = max(1, sum(1 for _ in takewhile(lambda ranks: ranks <= most, joint)))
        yield variables[:count]
        variables = variables[count:]
