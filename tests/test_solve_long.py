"""Long texts: sums, clauses and chains of cases are lowered flat, however they are written."""

from itertools import product
from pathlib import Path

import pytest
from specs_made import HEAD

from colosseum.model.check import check
from colosseum.model.scenario import Task
from colosseum.solve.goal import WELFARE
from colosseum.solve.lowering.lower import Lowered, lower
from colosseum.solve.lowering.numbers import summands
from colosseum.solve.scoring import goal_value
from colosseum.solve.solver import Solver

TICKETS = """agents engineer[1..8]
set tasks = ticket[1..8]
table worth[agents, tasks] ~ uniform(1, 9)
variable pick[agents]: tasks or none
reward done[a in agents, t in tasks] when pick[a] == t: worth[a, t]
"""
DIALS = "agents A, B, C, D, E\nvariable at[agents]: 0..4\nreward cheap[a in agents]: -at[a] / 4\n"
WORD = "ABCDE"
MOST_TUPLES = 256
"""Columns of the last cases, which are few enough for a table."""
DEEPEST = 100
NESTED = ("max({below}, at[{who}])", "{below} - (at[{who}] - 2)", "{below} if at[{who}] == 3 else {depth}",
          "{depth} if at[{who}] == 3 else {below}", "min({below}, 3 * at[{who}])")  # fmt: skip


def task_of(text: str, folder: Path) -> Task:
    file = folder / "text.colo"
    file.write_text(f"{HEAD}{text}\n", encoding="utf-8")
    found, diagnostics = check(file, seed=1)
    assert found is not None, diagnostics
    return found.expansion.scenario.task


def lowered(task: Task) -> Lowered:
    made = lower(task)
    made.objective(WELFARE)
    return made


def choices(task: Task) -> int:
    return sum(len(v.domain) for v in task.variables)


def best(task: Task) -> float:
    """The greatest value, by going through every assignment."""
    every = product(*(v.domain for v in task.variables))
    names = [v.name for v in task.variables]
    return max(goal_value(task, WELFARE, dict(zip(names, x, strict=True))) for x in every)


def test_a_sum_of_counts_needs_no_columns(tmp_path: Path) -> None:
    counts = [f"{k} * count(a in agents when pick[a] == ticket{k})" for k in range(1, 9)]
    task = task_of(f"{TICKETS}reward many to engineer1: {' + '.join(counts)} - 3\n", tmp_path)
    assert len(lowered(task).program.columns) == choices(task)
    idle = {v.name: None for v in task.variables}
    gains = [max(goal_value(task, WELFARE, {**idle, v.name: d}) + 3 for d in v.domain) for v in task.variables]
    assert Solver(task).maximise(WELFARE).value == pytest.approx(sum(gains) - 3)


@pytest.mark.parametrize(("word", "value"), [("and", 6.5), ("or", 9)])
def test_a_long_clause_is_one_column(word: str, value: float, tmp_path: Path) -> None:
    clause = f" {word} ".join(f"at[{who}] {order}" for order in ("!= 1", "<= 3", "> 1") for who in WORD)
    task = task_of(f"{DIALS}reward held to A when {clause}: 9\n", tmp_path)
    assert len(lowered(task).program.columns) == choices(task) + 1
    assert Solver(task).maximise(WELFARE).value == value == best(task)


def test_a_long_chain_of_cases_is_lowered_exactly(tmp_path: Path) -> None:
    cases = "".join(f"{k % 7} if at[{WORD[k % 5]}] == {k * k % 5} else " for k in range(40))
    task = task_of(f"{DIALS}reward chain to A: {cases}at[A] + at[E]\n", tmp_path)
    program = lowered(task).program
    assert len(program.columns) <= choices(task) + 40 + MOST_TUPLES
    assert Solver(task).maximise(WELFARE).value == pytest.approx(best(task))


@pytest.mark.parametrize("form", NESTED)
def test_deep_terms_are_lowered(form: str, tmp_path: Path) -> None:
    tables = [form.format(below=f"t{k - 1}", who=WORD[k % 5], depth=k) for k in range(1, DEEPEST + 1)]
    lines = "\n".join(f"table t{k} = {table}" for k, table in enumerate(tables, start=1))
    task = task_of(f"{DIALS}table t0 = at[A] + at[B]\n{lines}\nreward deep to A: t{DEEPEST}\n", tmp_path)
    assert lowered(task).program.columns
    assert all(summands(p.term) for p in task.payoffs)
