"""Comparisons of sums of fractions. In: a comparison whose sides count in no common grain; out: a binary, and a Tie.

Rows are closed: at a tie, up to rounding, a point may say that the comparison holds or that it does not. Which of the
two it is in the model depends on how floating-point numbers are added up. So the program leaves ties open, which makes
its optimum a bound, and the solver settles those that mattered, one assignment at a time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from colosseum.model import terms
from colosseum.model.values import Fault, Value
from colosseum.solve.lowering.program import Affine, Program, total

if TYPE_CHECKING:
    from colosseum.solve.lowering.rules import Lowering

ROUNDING = 1e-9
"""By how much, relative to its range, a sum of fractions may depend on the order in which it is added up."""


@dataclass(frozen=True)
class Tie:
    """A binary that stands for a comparison everywhere but at ties."""

    column: int
    comparison: terms.Compare
    scope: tuple[str, ...]
    """The variables that decide it."""


def open_at_ties(comparison: terms.Compare, gap: Affine, lowering: "Lowering", *, scope: tuple[str, ...]) -> Affine:
    """A 0/1 form that is 1 where the gap is below 0, 0 where it is above, and either at a tie."""
    program = lowering.program
    low, high = program.bounds(gap)
    room = ROUNDING * max(1.0, -low, high)
    if high < -room:
        return Affine(1.0)
    if low > room:
        return Affine(0.0)
    number = program.column("below", integer=True)
    column = Affine(0.0, {number: 1.0})
    program.row(gap + column.scaled(max(high, 0.0)), high=max(high, 0.0) + room)
    program.row(gap.minus(column.scaled(min(low, 0.0))), low=-room)
    lowering.ties.append(Tie(number, comparison, scope))
    return column


def settle(ties: list[Tie], program: Program, point: "NDArray[np.float64]", x: Mapping[str, Value]) -> bool:
    """Rows that say how the ties of an assignment stand where its columns say otherwise; whether there were any.

    `x` is the assignment, extended by the payoffs where comparisons name them.
    """
    wrong = [tie for tie in ties if _differs(tie, point, x)]
    for tie in wrong:
        here = total(program.indicator(name, x[name]) for name in tie.scope).minus(Affine(float(len(tie.scope))))
        column = Affine(0.0, {tie.column: 1.0})
        if tie.comparison.evaluate(x):
            program.row(column.minus(here), low=1.0)
        else:
            program.row(column + here, high=0.0)
    return bool(wrong)


def _differs(tie: Tie, point: "NDArray[np.float64]", x: Mapping[str, Value]) -> bool:
    """Whether a column says other than its comparison, where both sides are numbers."""
    try:
        if None in (tie.comparison.left.evaluate(x), tie.comparison.right.evaluate(x)):
            return False
        return (point[tie.column] > 0.5) is not tie.comparison.evaluate(x)
    except Fault:  # a guard elsewhere keeps it from counting here
        return False
