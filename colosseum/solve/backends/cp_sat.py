"""CP-SAT, for whole numbers. In: a task and a query; out: proven optima of its integer program."""

from typing import ClassVar

import numpy as np

from colosseum.model.scenario import Task
from colosseum.solve.backend import Engine, Optimum, Query
from colosseum.solve.backends.engine_process import NO_END, PROCESSES, judged, units
from colosseum.solve.lowering.conditions import FINEST
from colosseum.solve.lowering.lower import lower
from colosseum.solve.lowering.program import matrix


class CpSat:
    """The engine for one task."""

    name: ClassVar[Engine] = "cp-sat"

    def __init__(self, task: Task) -> None:
        """Lower the task to a program of its own, with no more than its queries need. Raises NotLowered."""
        self.task, self.lowered = task, lower(task)

    def solve(self, query: Query, *, until: float) -> Optimum:
        """The best assignment, where all columns and rows are whole, or of halves, quarters and so on."""
        costs, program = self.lowered.objective(query.goal, query.ranks), self.lowered.program
        made = program.fixed(matrix(program), query.fixed)
        whole = next((by for by in (1.0, 2.0**FINEST) if not (made.weights * by % 1.0).any()), None)
        if whole is None or not all(column.integral for column in program.columns):
            return Optimum("limit", by=self.name, reason="cp-sat takes whole numbers, and something here is none")
        reach = np.maximum(np.abs(made.low), np.abs(made.high))
        scale = units(float(np.abs(costs.weights) @ reach))
        prices = np.rint(-scale * costs.weights)
        error = float(np.abs(prices + scale * costs.weights) @ reach)
        columns = [each.astype(int).tolist() for each in (np.ceil(made.low), np.floor(made.high), prices)]
        rows = np.ceil(made.row_low * whole).tolist(), np.floor(made.row_high * whole).tolist(), made.starts.tolist()
        weights = made.index.tolist(), (made.weights * whole).astype(int).tolist()
        told = PROCESSES[self.name].ask(columns, rows, weights, until=until)
        if told is None or told["places"] is None:
            empty = told is not None and told["ended"]
            return Optimum("infeasible" if empty else "limit", by=self.name, reason="" if empty else NO_END)
        assignment = program.decode(np.array(told["places"], dtype=np.float64))
        least = told["cost"] if told["ended"] else told["bound"]
        thought, bound = (costs.constant - cost / scale for cost in (told["cost"], least - error))
        return judged(self.task, query, assignment, self.name, thought=thought, bound=bound)
