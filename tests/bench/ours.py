"""The project's own figures. In: a solver and a question; out: its optimum, and the seconds that it took by part."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec

from colosseum.solve.backends.highs_live import Best, Live
from colosseum.solve.solver import Optimum, Solver

from .cases import HeldGoal
from .rivals import clock


@dataclass(frozen=True)
class Asked:
    """One answer of a live solver."""

    optimum: Optimum
    whole: float
    """Seconds of the query."""
    solving: float
    """Of these, in solvers: costs and bounds in, points out. The rest is decoding, recomputing and proving. Elimination
    decodes as it goes, so that all of its time is in here."""


def ask(solver: Solver, question: HeldGoal) -> Asked:
    """The optimum of one question."""
    before, began = _SolverTime.seconds, clock()
    optimum = solver.maximise(question.goal, fixed=question.fixed)
    whole = clock() - began
    solving = whole if optimum.by == "elimination" else _SolverTime.seconds - before
    return Asked(optimum, whole, solving)


Parameters = ParamSpec("Parameters")


class _SolverTime:
    """The seconds that live solvers have taken in this process."""

    seconds = 0.0

    @classmethod
    def on(cls, method: Callable[Parameters, Best]) -> Callable[Parameters, Best]:
        """The method, with its seconds counted."""

        def timed(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Best:
            began = clock()
            found = method(*args, **kwargs)
            cls.seconds += clock() - began
            return found

        return timed


Live.ask = _SolverTime.on(Live.ask)  # type: ignore[method-assign]
