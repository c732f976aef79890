"""Where a solver alone is wrong: random games at which branch and bound once called a worse point optimal."""

from pathlib import Path

import numpy as np
from test_optimum_laws import STRUCTURAL, tickets

from colosseum.model.check import check
from colosseum.optimum.arrays.fields import Floats
from colosseum.optimum.goal import WELFARE, payoff_of
from colosseum.optimum.lowering.matrix import matrix
from colosseum.optimum.searching.branching import branch
from colosseum.optimum.searching.component import Component
from colosseum.optimum.searching.live import Answer, Box, Live
from colosseum.optimum.solve import Solver

WITHOUT_PRESOLVE = """colosseum 1
scenario game "A random game"
agents ann, bob
set items = {p, q, r}
set slots = 0..1
set counts = 0..3
set busy = {ann}
table worth[items] = {p: 0, q: 0, r: 0.5}
table cost[agents, items] ~ integer(0, 9)
table bonus[k in counts] = k * (5 - 2 * k)
table match[items, items]
     | p    q   r
  p  | 1    0   2
  q  | 0.25 3  -1
  r  | 0    0   1
table load[i in items] = count(a in agents when pick[a] == i)
variable pick[agents]: items
variable slot[busy]: slots or none
variable buddy of ann: {ann, bob} or none

reward pay0: 0 if any(a in agents when pick[a] == q) and not all(a in busy when slot[a] >= 1) else -1
require rule0: 0 <= load[q] <= 1
require rule1 when pick[bob] != q and buddy == ann: pick[ann] in {p, r} or pick[bob] == none
require wish0 to each(a in agents when pick[a] == p) when pick[ann] == p:
  all(i in items when load[i] <= 1 or i == p) penalty 2.5
require wish1 to each(a in agents when pick[a] == p) when pick[bob] != q and buddy == ann:
  sum(slot[a] for a in busy when slot[a] != none) > 1 penalty 2.5
require unit0 to buddy: sum(slot[a] for a in busy when slot[a] != none) <= 1 penalty 2 per unit
require unit1 when pick[bob] != q and buddy == ann: load[p] <= 1 penalty 2 per unit
coalition cabal { members = {bob} }
"""
"""HiGHS 1.13 to 1.15 without presolve, at a tolerance of 1e-9, found -2.75 the least of `payoff[bob]`."""


def test_no_search_is_believed_alone(tmp_path: Path) -> None:
    file = tmp_path / "game.colo"
    file.write_text(WITHOUT_PRESOLVE, encoding="utf-8")
    found, diagnostics = check(file)
    assert found is not None, diagnostics
    solver = Solver(found.expansion.scenario.task, limits=STRUCTURAL)
    assert solver.minimise(payoff_of("bob")).value == -3


class Hurried(Component):
    """A component whose search with presolve never comes to an end."""

    def timed(
        self, solver: Live, costs: Floats, box: Box, *, known: Floats | None = None, share: float = 1.0
    ) -> Answer:
        answer = super().timed(solver, costs, box, known=known, share=share)
        return Answer("limit", None, answer.bound + 3) if solver is self.presolved else answer


def test_one_search_is_no_proof() -> None:
    """What it found is told as found, with the bound that is known."""
    lowered = Solver(tickets()).lowered
    costs, whole = lowered.objective(WELFARE).weights, matrix(lowered.program)
    hurried = Hurried(np.arange(len(whole.low)), whole, time_limit=10)
    alone = branch(hurried, costs, hurried.box)
    assert alone.point is not None
    best = costs @ alone.point
    assert (alone.status, alone.bound) == ("limit", best + 3)
    assert branch(hurried, costs, hurried.box, most=best + 2).bound == best + 2
    assert branch(hurried, costs, hurried.box, most=best).status == "optimal"
