"""The lexicographically first optimum, by declared order of variables and domains, so that reports of equal tasks are
equal. In: a query, one optimum of it and an engine's way to answer others; out: the first of all optima.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from colosseum.model.scenario import Task, Variable
from colosseum.solve.backend import Optimum, Query, worth
from colosseum.solve.scoring import grain

EXACT, NEAR = 10.0, 200.0
"""Grains that a joint value costs more than the one before it: with engines that add up exactly, and with others."""
MOST_RANKS = 1_000
"""Joint values of variables that are told apart at once: all their ranks together must not outweigh a better payoff."""


def first(
    task: Task, query: Query, found: Optimum, ask: Callable[[Query], Optimum | None], *, step: float
) -> Optimum:  # fmt: skip
    """The first of all optima; `found`, which is one, where that stays open, as where `ask` says None.

    The engine takes ranks: a few variables at a time, each joint value costs a step, in grains, more than the one
    before it. Let p be the best point then, an optimum, and y any other: what y is worth less is no more than
    rounding, and below a step. So p does not rank behind y.
    """
    assert found.assignment is not None
    assert found.value is not None
    best, plain, least = found.assignment, Query(query.goal, query.fixed), found.value - grain(found.value)
    for block in _blocks(v for v in task.variables if v.name not in query.fixed):
        if any(v.domain.index(best[v.name]) for v in block):
            again = ask(replace(plain, ranks=_ranks(block, step * grain(least))))
            if again is None or again.status != "optimal" or again.assignment is None:
                return found
            if (value := worth(task, plain, again.assignment)) is None or value < least:
                return found
            best = again.assignment
        plain = replace(plain, fixed={**plain.fixed, **{v.name: best[v.name] for v in block}})
    value = worth(task, query, best)
    return replace(found, assignment=best, value=value, bound=value, canonical=True)


def _ranks(block: Sequence[Variable], step: float) -> dict[str, float]:
    """What each step along the domain of a variable costs, the last variable's the least."""
    ranks = dict[str, float]()
    for variable in reversed(block):
        ranks[variable.name] = step
        step *= len(variable.domain)
    return ranks


def _blocks(variables: Iterable[Variable]) -> Iterator[Sequence[Variable]]:
    """The variables in order, as many together as have MOST_RANKS joint values, and one at least."""
    block, joint = list[Variable](), 1
    for variable in variables:
        joint *= len(variable.domain)
        if block and joint > MOST_RANKS:
            yield block
            block, joint = [], len(variable.domain)
        block.append(variable)
    yield block
