"""The optimum of one goal that another goal likes best. In: a solver and two goals; out: an optimum of the first.

Only mixtures of the two goals are maximised: no rows are added, so the live solvers answer from their warm basis.
"""

import time
from collections.abc import Mapping
from dataclasses import replace

from colosseum.model.values import Value
from colosseum.solve.backend import Optimum, Status
from colosseum.solve.goal import Goal, mixed
from colosseum.solve.rounding import ROUNDING, grain
from colosseum.solve.scoring import goal_value, goal_worth, score
from colosseum.solve.solver import Solver

OPENING = 8.0
"""How much more the first goal counts to begin with, both measured by how far they may reach."""
STEEPER = 10.0
"""How much more the first goal counts than where two points are worth the same: the more, the fewer steps, and the
coarser the proof."""
MOST_STEPS = 100
"""Mixtures that are tried before the question is left open; one or two do as a rule."""


def preferred_to(
    solver: Solver, known: Optimum, first: Goal, second: Goal, *, sign: float = 1.0,
    fixed: Mapping[str, Value] | None = None,
) -> Optimum:  # fmt: skip
    """Among the maximisers of `first`, of which p is known, one at which `sign · second` is greatest; value and bound
    are of `second`. Raises what `Solver.maximise` raises.

    With f and s the two goals, let r maximise `u·f + v·s` for some u, v > 0. If f(r) = f(p), r is the answer: where
    f(y) = f(p), `u·f(y) + v·s(y) ≤ u·f(r) + v·s(r)` leaves s(y) ≤ s(r). If p is worth as much in the mixture as r, it
    maximises it too, and is the answer for the same reason. Otherwise f(r) < f(p) and s(r) > s(p), and the next mixture
    is one in which r is worth less than p: so no point comes back, and as there are finitely many, the walk ends.

    Proofs are as good as the solver's: it may miss 1e-9 of a mixture's value, where v·s is scaled so that the
    difference at hand counts 1, whatever the units of the goals.
    """
    if known.status != "optimal" or known.assignment is None:
        value = None if known.assignment is None else goal_value(solver.task, second, known.assignment)
        return replace(known, value=value, bound=None, canonical=False)
    start, most, best = time.perf_counter(), None, known.assignment
    status: Status = "limit"
    f, s = worths_of(solver, best, first, second)
    u, v = OPENING / (solver.reach(first) or 1.0), sign / (solver.reach(second) or 1.0)
    for _ in range(MOST_STEPS):
        found = solver.maximise(mixed({first: u, second: v}), fixed=fixed)
        if found.bound is not None:
            most = (found.bound - u * f) / v
        if found.status != "optimal" or found.assignment is None:
            break
        there, other = worths_of(solver, found.assignment, first, second)
        ended, more = there >= f - grain(f), sign * (other - s)
        if ended and more > 0.0:
            best, s = found.assignment, other
        if ended or more <= 0.0 or u * (there - f) + v * (other - s) <= ROUNDING:
            status, most = "optimal", s
            break
        u, v = STEEPER / (f - there), sign / more
    seconds = known.seconds + time.perf_counter() - start
    return Optimum(status, s, best, most, canonical=False, seconds=seconds)


def known_best(x: Mapping[str, Value]) -> Optimum:
    """An assignment that is known to be among the best of a goal."""
    return Optimum("optimal", None, dict(x), None, canonical=False, seconds=0.0)


def ends(solver: Solver, known: Optimum, first: Goal, second: Goal) -> tuple[Optimum, Optimum]:
    """The least and the greatest value of `second` among the maximisers of `first`, of which one is known."""
    least, greatest = (preferred_to(solver, known, first, second, sign=sign) for sign in (-1.0, 1.0))
    return least, greatest


def worths_of(solver: Solver, x: Mapping[str, Value], *goals: Goal) -> list[float]:
    """What an assignment is worth by several goals, recomputed in the model."""
    scored = score(solver.task, x)
    return [goal_worth(goal, scored, x) for goal in goals]
