"""A program as arrays. In: the integer program of a task; out: bounds, rows and costs as HiGHS takes them directly."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from colosseum.model.values import Value
from colosseum.optimum.lowering.program import Program

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Arrays:
    """`low ≤ x ≤ high`, some of x whole, `row_low ≤ A x ≤ row_high`; A by rows."""

    low: Numbers
    high: Numbers
    whole: NDArray[np.bool_]
    starts: NDArray[np.int32]
    index: NDArray[np.int32]
    weights: Numbers
    row_low: Numbers
    row_high: Numbers


def arrays(program: Program) -> Arrays:
    """All columns and rows."""
    columns, rows = program.columns, program.rows
    return Arrays(
        low=np.array([c.low for c in columns]),
        high=np.array([c.high for c in columns]),
        whole=np.array([c.integer for c in columns]),
        starts=np.cumsum([0, *(len(r.coefficients) for r in rows)], dtype=np.int32),
        index=np.array([c for r in rows for c in r.coefficients], dtype=np.int32),
        weights=np.array([w for r in rows for w in r.coefficients.values()], dtype=np.float64),
        row_low=np.array([-np.inf if r.low is None else r.low for r in rows]),
        row_high=np.array([np.inf if r.high is None else r.high for r in rows]),
    )


def held(program: Program, fixed: Mapping[str, Value]) -> dict[int, float]:
    """The values of choice columns that fix these variables."""
    return {
        column: float(value == fixed[name])
        for name in fixed
        for value, column in zip(program.task.variable[name].domain, program.choices[name], strict=True)
    }
