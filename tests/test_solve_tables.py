"""Tables that are sums of smaller ones: what decisions do not decide together takes no joint values."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from colosseum.model.scenario import EqualSplit, Payoff, Task, Variable
from colosseum.model.terms import Constant, Decision, Select
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE
from colosseum.solve.lowering.lower import lower
from colosseum.solve.lowering.rules import together
from colosseum.solve.solver import Solver

SIZES = (3, 2, 4)
PARTS = st.lists(st.integers(-8, 8), min_size=12, max_size=12)


def spread(values: list[int], axes: tuple[int, ...]) -> np.ndarray:
    """A table over all three variables that depends on some."""
    shape = [SIZES[axis] if axis in axes else 1 for axis in range(len(SIZES))]
    part = np.resize(np.array(values, dtype=float), shape)
    return np.broadcast_to(part, SIZES)


def task_of(values: np.ndarray) -> Task:
    """One payoff, looked up by every decision."""
    names = [f"v{axis}" for axis in range(values.ndim)]
    variables = tuple(Variable(n, "ann", tuple(range(size))) for n, size in zip(names, values.shape, strict=True))
    entries = tuple((key, Constant(float(values[key]))) for key in product(*map(range, values.shape)))
    term = Select("worth", tuple(Decision(n) for n in names), entries)
    return Task(("ann",), variables, (Payoff("worth", "worth", "reward", term, EqualSplit(("ann",))),), ())


@given(PARTS, PARTS, PARTS, st.sampled_from([(0, 1), (0, 2), (1, 2)]))
def test_what_is_decided_apart_is_added_up(a: list[int], b: list[int], c: list[int], pair: tuple[int, int]) -> None:
    (alone,) = {0, 1, 2}.difference(pair)
    values = spread(a, pair) + spread(b, (alone,)) / 4 + spread(c, (pair[0],)) / 10
    groups = together(values)
    assert [alone] in groups
    task = task_of(values)
    lowered = lower(task)
    lowered.form(WELFARE)
    tuples = len(lowered.program.columns) - sum(SIZES)
    assert tuples == (0 if len(groups) == 3 else SIZES[pair[0]] * SIZES[pair[1]])
    solver = Solver(task)
    for key in product(*map(range, SIZES)):
        x: dict[str, Value] = {f"v{axis}": place for axis, place in enumerate(key)}
        assert solver.maximise(WELFARE, fixed=x).value == pytest.approx(values[key], abs=1e-9)
    assert solver.maximise(WELFARE).value == Solver(task, only="elimination").maximise(WELFARE).value


def test_a_large_separable_table_takes_no_column() -> None:
    """Thirty by thirty values, far more than are written out where there is another way."""
    values = np.add.outer(np.arange(30.0) ** 2, -np.arange(30.0) / 10)
    lowered = lower(task_of(values))
    lowered.form(WELFARE)
    assert len(lowered.program.columns) == 60
    assert Solver(task_of(values)).maximise(WELFARE).value == 841.0


def test_one_entry_ties_all_together() -> None:
    values = np.add.outer(np.arange(3.0), np.arange(4.0))
    values[1, 2] += 1e-6
    assert together(values) == [[0, 1]]
    assert together(np.zeros((1, 5))) == [[0], [1]]


def test_a_great_entry_hides_no_small_ones() -> None:
    """Rounding in the entries of a thousand million is more than all that the others differ by."""
    small = np.fromfunction(lambda i, j: 0.01 * i + np.where(i == 18, 4e-6 * j, -1e-6 * j), (19, 20))
    for great in (np.full((1, 20), -1e9), -1e9 - 1e-6 * np.arange(20.0)[None, :]):
        for values in (np.vstack([small, great]), np.vstack([great, small])):
            assert together(values) == [[0, 1]]
            assert Solver(task_of(values)).maximise(WELFARE).value == pytest.approx(0.18 + 76e-6, abs=1e-12)
