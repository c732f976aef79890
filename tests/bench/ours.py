"""The project's own figures. In: a solver and a question; out: its optimum, and the seconds that it took by part."""

from dataclasses import dataclass

from colosseum.solve.solver import Optimum, Solver

from .cases import Question
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


def ask(solver: Solver, question: Question) -> Asked:
    """The optimum of one question."""
    before, began = _solving(solver), clock()
    optimum = solver.maximise(question.goal, fixed=question.fixed)
    whole = clock() - began
    solving = whole if optimum.by == "elimination" else min(whole, _solving(solver) - before)
    return Asked(optimum, whole, solving)


def _solving(solver: Solver) -> float:
    return sum(component.seconds for component in solver.highs.components)
