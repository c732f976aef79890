"""Assignment problems. In: a component that may be one; out: its best points, proven by shortest augmenting paths.

Where every agent takes one thing, and of some things there are so many, a point is a matching of agents and places of
things: the relaxation is whole anyhow, and what is made for matchings finds it a hundred times sooner.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from colosseum.solve.arrays import Floats, Places
from colosseum.solve.backends.highs_live import Best, Box
from colosseum.solve.lowering.program import Matrix

MOST_CELLS = 1 << 20
"""Cells of the table of agents and places."""
NOBODY = -1


@dataclass(frozen=True, eq=False)
class Matching:
    """Each of `agents` takes exactly one column; columns of one thing share its places."""

    agents: int
    agent: Places
    """Who takes a column."""
    cells: Places
    """In a table of agents by places, flat: the cells that stand for columns, place after place."""
    column: Places
    """The column that each of these cells stands for."""
    cell: NDArray[np.int64]
    """The column that any cell stands for; `NOBODY` where it stands for none."""

    def best(self, costs: Floats, box: Box) -> Best:
        """The matching that is worth most; columns with an upper bound of 0 are not taken."""
        from scipy.optimize import linear_sum_assignment

        table = np.full(self.cell.shape, math.inf)
        table.flat[self.cells] = np.where(self._free(box), -costs, math.inf)[self.column]
        try:
            _, places = linear_sum_assignment(table)
        except ValueError:  # no matching gives every agent a column
            return Best("infeasible", None, -math.inf)
        taken = self.cell[np.arange(self.agents), places]
        point = np.zeros(len(costs))
        point[taken] = 1.0
        return Best("optimal", point, float(costs[taken].sum()))

    def _free(self, box: Box) -> NDArray[np.bool_]:
        """Which columns may be taken: where an agent must take one, that alone."""
        must = np.zeros(self.agents)
        np.maximum.at(must, self.agent, box.low)
        return (box.high >= 1.0) & (box.low >= must[self.agent])


def matching(matrix: Matrix) -> Matching | None:
    """What a component is as a matching; None where it is none.

    It is one where all columns are 0 or 1, rows just count columns, one kind of rows holds every column once and asks
    for exactly one, and another holds each at most once and allows some.
    """
    columns, lengths = len(matrix.low), matrix.lengths
    exactly = (matrix.row_low == 1.0) & (matrix.row_high == 1.0)
    if exactly.all() or not (matrix.whole.all() and (matrix.low == 0.0).all() and (matrix.high == 1.0).all()):
        return None
    if (matrix.weights != 1.0).any() or (matrix.row_low[~exactly] > 0.0).any() or (matrix.row_high < 1.0).any():
        return None
    row = np.repeat(np.arange(len(lengths)), lengths)
    agent = _only(columns, matrix.index, row, exactly)
    thing = _only(columns, matrix.index, row, ~exactly)
    if agent is None or thing is None or (agent == NOBODY).any():
        return None
    agents, agent = np.unique(agent, return_inverse=True)
    return _table(len(agents), agent, thing, matrix.row_high)


def _only(columns: int, index: Places, row: Places, kind: NDArray[np.bool_]) -> Places | None:
    """The one row of a kind that holds each column, `NOBODY` where none does; None where several do."""
    held = kind[row]
    if len(np.unique(index[held])) < np.count_nonzero(held):
        return None
    found = np.full(columns, NOBODY)
    found[index[held]] = row[held]
    return found


def _table(agents: int, agent: Places, thing: Places, room: Floats) -> Matching | None:
    """The table of agents and places; columns of no thing have a place of their own.

    None where it is too large, or an agent has several columns of one thing.
    """
    own = np.flatnonzero(thing == NOBODY)
    shared = np.flatnonzero(thing != NOBODY)
    things, which = np.unique(thing[shared], return_inverse=True)
    copies = np.minimum(np.floor(room[things]), agents).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(copies)])
    width = int(first[-1]) + len(own)
    if agents * width > MOST_CELLS:
        return None
    each = copies[which]
    column = np.concatenate([np.repeat(shared, each), own])
    numbers = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    place = np.concatenate([np.repeat(first[which], each) + numbers, first[-1] + np.arange(len(own))])
    cells = agent[column] * width + place
    if len(np.unique(cells)) < len(cells):
        return None
    cell = np.full((agents, width), NOBODY)
    cell.flat[cells] = column
    return Matching(agents, agent, cells, column, cell)
