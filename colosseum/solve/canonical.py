"""The lexicographically first optimum, by declared order of variables and domains, so that reports of equal tasks are
equal. In: a query, one optimum of it and an engine's way to answer others; out: the first of all optima.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import mul

from colosseum.model.scenario import Task, Variable
from colosseum.model.values import Value
from colosseum.solve.backend import Optimum, Query, worth
from colosseum.solve.scoring import grain

EXACT, NEAR = 10.0, 200.0
"""Grains that a joint value costs more than the one before it: with engines that add up exactly, and with others."""
MOST_RANKS = 1_000
"""Joint values of variables that are told apart at once: all their ranks together must not outweigh a better payoff."""
MOST_TESTS = 200
"""Values that are tried before it is left open which optimum is the first."""


def first(
    task: Task, query: Query, found: Optimum, ask: Callable[[Query], Optimum | None], *, step: float
) -> Optimum:  # fmt: skip
    """The first of all optima; `found`, which is one, where that stays open, as where `ask` says None.

    The engine takes ranks: a few variables at a time, each joint value costs a step, in grains, more than the one
    before it. If the best point then is an optimum, none ranks before it: what another is worth less is below a step.
    Else payoffs differ by less than ranks, and each earlier value of a variable is tried.
    """
    assert found.assignment is not None
    assert found.value is not None
    best, plain, least = found.assignment, Query(query.goal, query.fixed), found.value - grain(found.value)
    tests = iter(range(MOST_TESTS))

    def optimum(again: Optimum | None) -> dict[str, Value] | None:
        """The assignment of an answer that is an optimum."""
        known = again.assignment if again and again.status == "optimal" else None
        value = None if known is None else worth(task, plain, known)
        return known if value is not None and value >= least else None

    for block in _blocks(v for v in task.variables if v.name not in query.fixed):
        late = any(v.domain.index(best[v.name]) for v in block)
        steps = accumulate((len(v.domain) for v in reversed(block)), mul, initial=step * grain(least))
        ranks = dict(zip((v.name for v in reversed(block)), steps, strict=False))
        ranked = optimum(ask(replace(plain, ranks=ranks))) if late else best
        best = ranked or best
        for variable in block:
            for value in variable.domain[: variable.domain.index(best[variable.name])] if ranked is None else ():
                again = ask(replace(plain, fixed={**plain.fixed, variable.name: value}))
                if again is None or again.status == "limit" or next(tests, None) is None:
                    return found
                if (moved := optimum(again)) is not None:
                    best = moved
                    break
            plain = replace(plain, fixed={**plain.fixed, variable.name: best[variable.name]})
    value = worth(task, query, best)
    return replace(found, assignment=best, value=value, bound=value, canonical=True)


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
