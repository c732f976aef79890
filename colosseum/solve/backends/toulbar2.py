"""Toulbar2, for tables. In: a task and a query; out: proven optima of its cost function network."""

from math import inf, isfinite
from typing import ClassVar

import numpy as np

from colosseum.model.scenario import Task
from colosseum.solve.backend import Engine, Optimum, Query
from colosseum.solve.backends.engine_process import NO_END, PROCESSES, judged, units
from colosseum.solve.network import Factors, WeightedNetwork, assigned, network


class Toulbar2:
    """The engine for one task."""

    name: ClassVar[Engine] = "toulbar2"

    def __init__(self, task: Task, factors: Factors | None = None) -> None:
        self.task, self.factors = task, factors or Factors(task)

    def solve(self, query: Query, *, until: float) -> Optimum:
        """The best assignment of a query that is nothing but small tables, component by component."""
        if not self.factors.small(query):
            return Optimum("limit", by=self.name, reason="toulbar2 takes small tables, and something here is none")
        made = network(self.factors, query)
        places, bound, thought = dict[str, int](), made.constant, made.constant
        for part in made.components() if isfinite(bound) else ():
            most, value, best = _proved(part, until)
            if best is None and most > -inf:
                return Optimum("limit", by=self.name, reason=NO_END)
            places, bound, thought = places | (best or {}), bound + most, thought + value
        if not isfinite(bound):
            return Optimum("infeasible", by=self.name)
        assignment = assigned(self.task, query, places)
        return judged(self.task, query, assignment, self.name, thought=thought, bound=bound)


def _proved(made: WeightedNetwork, until: float) -> tuple[float, float, dict[str, int] | None]:
    """A component's bound (−∞ where its rules cannot hold together), what its best places are worth, and these."""
    most = {scope: float(table.max()) for scope, table in made.tables.items()}
    if -inf in most.values():
        return -inf, 0.0, None
    reach = sum(most[scope] - float(table[np.isfinite(table)].min()) for scope, table in made.tables.items())
    scale = units(reach)
    costs = {scope: (most[scope] - table) * scale for scope, table in made.tables.items()}
    finite = (table[np.isfinite(table)] for table in costs.values())
    error = sum(float(np.abs(table - np.rint(table)).max()) for table in finite)
    number = {name: place for place, name in enumerate(made.sizes)}
    tables = [([number[name] for name in scope], np.rint(table).ravel().tolist()) for scope, table in costs.items()]
    told = PROCESSES["toulbar2"].ask([*made.sizes.values()], tables, until=until)
    if told is None or told["places"] is None:
        return (-inf if told is not None and told["ended"] else inf), 0.0, None
    least = told["cost"] if told["ended"] else told["bound"]
    whole = sum(most.values())
    places = dict(zip(made.sizes, told["places"], strict=True))
    return whole - (least - error) / scale, whole - told["cost"] / scale, places
