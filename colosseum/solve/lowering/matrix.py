"""Programs as arrays. In: columns and rows; out: bounds and a matrix by rows, whole or one component of it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from colosseum.solve.arrays.fields import Floats, Places
from colosseum.solve.lowering.program import Program

MARGIN = 1e-6
"""By how much, relative to max(1, |sum|), a row must be off before it is believed to be against something."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """`low ≤ x ≤ high`, some of x whole, `row_low ≤ A x ≤ row_high`; an open side of a row is infinite."""

    low: Floats
    high: Floats
    whole: NDArray[np.bool_]
    starts: Places
    """Where each row of A starts in `index` and `weights`, and where the last one ends."""
    index: Places
    """The column of each coefficient, row after row."""
    weights: Floats
    row_low: Floats
    row_high: Floats

    @property
    def lengths(self) -> Places:
        """How many coefficients each row has."""
        return np.diff(self.starts)

    def components(self) -> Iterator[tuple[Places, "Matrix"]]:
        """Columns that rows tie together with what they make up, in the order of their first columns.

        Rows without columns, which hold or not whatever is decided, belong to the first.
        """
        tied = self._tied()
        if not tied.any():
            yield np.arange(len(tied)), self
            return
        home = np.zeros(len(self.row_low), dtype=np.int64)
        held = self.lengths > 0
        home[held] = tied[self.index[self.starts[:-1][held]]]
        for columns, rows in zip(_groups(tied), _groups(home, among=np.unique(tied)), strict=True):
            yield columns, self._part(columns, rows)

    def barred(self, low: Floats, high: Floats) -> Places:
        """Whole columns that no point within other bounds has at 1, since some row alone is against it."""
        weights, row = self.weights, np.repeat(np.arange(len(self.row_low)), self.lengths)
        ends = np.stack([weights * low[self.index], weights * high[self.index]])
        least, most = self._sums(row, ends.min(axis=0)), self._sums(row, ends.max(axis=0))
        more = np.where(self.whole[self.index], weights * (1.0 - low[self.index]), 0.0)
        over = (least[row] + np.maximum(more, 0.0)) > (self.row_high + _margin(least))[row]
        under = (most[row] + np.minimum(more, 0.0)) < (self.row_low - _margin(most))[row]
        against = np.zeros(len(self.low), dtype=np.bool_)
        against[self.index[over | under]] = True
        return np.flatnonzero(against)

    def _sums(self, row: Places, addends: Floats) -> Floats:
        """What the addends of each row add up to; `row` says which each belongs to."""
        return np.asarray(np.bincount(row, weights=addends, minlength=len(self.row_low)), dtype=np.float64)

    def _tied(self) -> Places:
        """For every column the first of those that rows tie it to, directly or by way of others."""
        first = np.arange(len(self.low))
        held = self.lengths > 0
        heads, lengths = self.starts[:-1][held], self.lengths[held]
        while len(heads):
            known = first[self.index]
            closer = first.copy()
            np.minimum.at(closer, self.index, np.repeat(np.minimum.reduceat(known, heads), lengths))
            closer = closer[closer]  # what ties the first of them ties this one
            if np.array_equal(closer, first):
                break
            first = closer
        return first

    def _part(self, columns: Places, rows: Places) -> "Matrix":
        """Some rows, with the columns that they tie together."""
        place = np.zeros(len(self.low), dtype=np.int64)
        place[columns] = np.arange(len(columns))
        lengths = self.lengths[rows]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        taken = np.repeat(self.starts[:-1][rows] - starts[:-1], lengths) + np.arange(starts[-1])
        return Matrix(
            self.low[columns], self.high[columns], self.whole[columns],
            starts, place[self.index[taken]], self.weights[taken], self.row_low[rows], self.row_high[rows],
        )  # fmt: skip


def matrix(program: Program) -> Matrix:
    """All columns and rows."""
    columns, rows = program.columns, program.rows
    return Matrix(
        low=np.array([column.low for column in columns]),
        high=np.array([column.high for column in columns]),
        whole=np.array([column.integer for column in columns]),
        starts=np.cumsum([0, *(len(row.coefficients) for row in rows)], dtype=np.int64),
        index=np.array([column for row in rows for column in row.coefficients], dtype=np.int64),
        weights=np.array([weight for row in rows for weight in row.coefficients.values()], dtype=np.float64),
        row_low=np.array([-np.inf if row.low is None else row.low for row in rows]),
        row_high=np.array([np.inf if row.high is None else row.high for row in rows]),
    )


def _margin(sums: Floats) -> Floats:
    """How far rows must be off to be believed."""
    return np.asarray(MARGIN * np.maximum(1.0, np.abs(sums)))


def _groups(labels: Places, among: Places | None = None) -> list[Places]:
    """The places of each label, labels and places in order; of labels that do not occur there are none."""
    order = np.argsort(labels, kind="stable")
    every = np.unique(labels) if among is None else among
    return np.split(order, np.searchsorted(labels[order], every[1:]))
