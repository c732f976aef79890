"""Clauses in which one variable needs values of others: bound without a column, and exactly."""

from itertools import product
from pathlib import Path

import pytest
from specs_made import HEAD

from colosseum.model.check import check
from colosseum.solve.goal import WELFARE
from colosseum.solve.scoring import goal_value, hard_broken
from colosseum.solve.solver import Solver

GAME = """agents A, B, C
set hours = 0..4
table worth[agents, hours] ~ integer(-9, 9)
variable at[agents]: hours or none
reward paid[a in agents] when at[a] != none: worth[a, at[a]]
"""
RULES = [
    "require after when at[A] != none: any(a in {B, C} when at[a] + 1 <= at[A])",
    "require after: at[A] == 4 or at[A] == none or at[B] + 2 <= at[A] or at[C] > at[A]",
    "require after: at[B] == 3 or at[A] != at[B] or at[A] == at[C]",
    "require after when at[A] != none and at[B] != 2: any(a in {B, C} when at[a] == none or at[a] < at[A])",
    "require after: at[A] < at[B] or at[A] < at[C] or at[C] == 0 or at[B] == none",
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_clause_is_bound_exactly(rule: str, seed: int, tmp_path: Path) -> None:
    file = tmp_path / "text.colo"
    file.write_text(f"{HEAD}{GAME}{rule}\n", encoding="utf-8")
    found, diagnostics = check(file, seed=seed)
    assert found is not None, diagnostics
    task = found.expansion.scenario.task
    solver = Solver(task)
    assert len(solver.highs.lowered.program.columns) == sum(len(v.domain) for v in task.variables)
    names = [v.name for v in task.variables]
    every = (dict(zip(names, x, strict=True)) for x in product(*(v.domain for v in task.variables)))
    worths = [goal_value(task, WELFARE, x) for x in every if not hard_broken(task.requirements, x)]
    assert solver.maximise(WELFARE).value == max(worths)
    assert solver.minimise(WELFARE).value == min(worths)
    assert len(worths) < 6**3
