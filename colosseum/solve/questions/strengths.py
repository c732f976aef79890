"""The λ that explain a coalition's move. In: its counterfactuals in a run; out: the interval of λ at which what it did
maximises F_λ, others held at their decisions.

`φ(λ) = max_{y_S} F_λ(y_S ⊕ x̃_{−S}) − F_λ(x̃)` is convex, piecewise linear and never below 0; the set is where it is 0. A
move y with `a = F_n(y) − F_n(x̃)` and `b = F_c(x̃) − F_c(y)` is better than x̃ where `(1 − λ)·a − λ·b > 0`, so no λ of the
set lies there. What a maximiser at an end of the interval cuts off so brings the end to where that move is as good as
x̃ (Newton's step on φ); an end at which nothing is better stays.
"""

from dataclasses import dataclass
from math import inf

from colosseum.solve.goal import bent
from colosseum.solve.questions.counterfactuals import Counterfactuals, Outcome, outcome
from colosseum.solve.rounding import ROUNDING, rounded
from colosseum.solve.solver import NOT_PROVEN, Optimum

MOST_STEPS = 200
"""Moves that may cut before the set is given up; a handful do as a rule."""
NONE_EXPLAINS = "no λ explains the move"
OPEN = f"the λ are not proven: {NOT_PROVEN}"


@dataclass(frozen=True)
class Strengths:
    """The λ in [low, high]; none, and why, where no λ is known to belong to them."""

    low: float | None
    high: float | None
    reason: str = ""


def strengths(held: Counterfactuals) -> Strengths:
    """The λ at which the coalition's realised move maximises F_λ; the run keeps the hard rules."""
    walk = _Walk(held)
    if not (walk.cut_by(held.nominal) and walk.cut_by(held.greatest)):
        return Strengths(None, None, OPEN)
    for _ in range(MOST_STEPS):
        if walk.low > walk.high + ROUNDING:
            return Strengths(None, None, NONE_EXPLAINS)
        if (end := walk.unsettled()) is None:
            return Strengths(min(walk.low, walk.high), max(walk.low, walk.high))
        found = held.solver.maximise(bent(held.coalition, strength=end), fixed=held.others)
        if not walk.cut_by(found, at=end):
            break
    return Strengths(None, None, OPEN)


class _Walk:
    """What is left of [0, 1]."""

    def __init__(self, held: Counterfactuals) -> None:
        self.held = held
        self.low, self.high = 0.0, 1.0
        self.settled = {0.0, 1.0}
        """Where nothing is better; that is known of 0 and 1 once the maximisers of F_n and F_c have left them."""

    def unsettled(self) -> float | None:
        """An end at which something may still be better; of two that are as good as one, the lower decides."""
        if self.low not in self.settled:
            return self.low
        return self.high if self.high not in self.settled and self.high > self.low + ROUNDING else None

    def cut_by(self, found: Optimum, *, at: float | None = None) -> bool:
        """Leave out the λ at which a move is better; False where it is not proven to be the best `at` its λ."""
        if found.status != "optimal" or found.assignment is None:
            return False
        here, there = self.held.here, outcome(self.held.solver, self.held.goal, found.assignment)
        self._cut(*_differences(here, there))
        if at is not None and self.low - ROUNDING <= at <= self.high + ROUNDING:
            self.settled.add(at)
        return True

    def _cut(self, more: float, less: float) -> None:
        """`more` is a, by how much the team would gain; `less` is b, by how much the coalition would lose."""
        if more + less > 0:
            self.low = max(self.low, more / (more + less))
        elif more + less < 0:
            self.high = min(self.high, more / (more + less))
        elif more > 0:
            self.low = inf


def _differences(here: Outcome, there: Outcome) -> tuple[float, float]:
    """a and b, without noise."""
    more, less = there.joint_payoff - here.joint_payoff, here.coalition_value - there.coalition_value
    return rounded(more, here.joint_payoff), rounded(less, here.coalition_value)
