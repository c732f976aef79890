"""Tables that decisions look up are worth what stands in them, whatever else does."""

from itertools import product

import numpy as np
import pytest

from colosseum.model.scenario import EqualSplit, Payoff, Task, Variable
from colosseum.model.terms import Constant, Decision, Select
from colosseum.solve.goal import WELFARE
from colosseum.solve.solver import Solver


def task_of(values: np.ndarray) -> Task:
    """One payoff, looked up by every decision."""
    names = [f"v{axis}" for axis in range(values.ndim)]
    variables = tuple(Variable(n, "ann", tuple(range(size))) for n, size in zip(names, values.shape, strict=True))
    entries = tuple((key, Constant(float(values[key]))) for key in product(*map(range, values.shape)))
    term = Select("worth", tuple(Decision(n) for n in names), entries)
    return Task(("ann",), variables, (Payoff("worth", "worth", "reward", term, EqualSplit(("ann",))),), ())


def test_a_great_entry_hides_no_small_ones() -> None:
    """Rounding in the entries of a thousand million is more than all that the others differ by."""
    small = np.fromfunction(lambda i, j: 0.01 * i + np.where(i == 18, 4e-6 * j, -1e-6 * j), (19, 20))
    for great in (np.full((1, 20), -1e9), -1e9 - 1e-6 * np.arange(20.0)[None, :]):
        for values in (np.vstack([small, great]), np.vstack([great, small])):
            best = Solver(task_of(values), only="highs").maximise(WELFARE)
            assert best.value == pytest.approx(0.18 + 76e-6, abs=1e-12)
