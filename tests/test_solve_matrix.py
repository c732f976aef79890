"""Programs as arrays: PuLP and HiGHS are told the same."""

from dataclasses import replace
from math import inf
from pathlib import Path

import highspy
import numpy as np
import pulp
import pytest

from colosseum.model.check import check
from colosseum.solve.backend import Query
from colosseum.solve.backends.highs import Highs
from colosseum.solve.backends.pulp import formulate, write_lp
from colosseum.solve.goal import WELFARE, payoff_of
from colosseum.solve.lowering.lower import lower
from colosseum.solve.lowering.program import Matrix, matrix
from colosseum.solve.solver import Solver

SPECS = Path(__file__).parent.parent / "specs"


def dense(part: Matrix, columns: list[int]) -> list[tuple[float, float, tuple[tuple[int, float], ...]]]:
    """Rows in words of the whole program's columns."""
    found = []
    for row in range(len(part.row_low)):
        held = range(int(part.starts[row]), int(part.starts[row + 1]))
        items = tuple(sorted((columns[part.index[k]], float(part.weights[k])) for k in held))
        found.append((float(part.row_low[row]), float(part.row_high[row]), items))
    return found


@pytest.mark.parametrize("name", ["jira", "grid", "assistant", "bidding"])
def test_pulp_and_highs_are_told_the_same(name: str) -> None:
    found, _ = check(SPECS / f"{name}.colo")
    assert found is not None
    lowered = lower(found.expansion.scenario.task)
    form = lowered.form(WELFARE)
    (problem, _), whole = formulate(lowered.program, form), matrix(lowered.program)
    columns = [variable for variable in problem.variables() if variable.name != "constant"]
    place = {variable.name: number for number, variable in enumerate(columns)}
    assert len(place) == len(whole.low)
    for number, variable in enumerate(columns):
        assert (variable.lowBound, variable.upBound) == (whole.low[number], whole.high[number])
        assert (variable.cat == pulp.LpInteger) == whole.whole[number]
    told = [
        (constraint.sense, -constraint.constant, tuple(sorted((place[v.name], w) for v, w in constraint.items())))
        for constraint in problem.constraints()
    ]
    expected = []
    for low, high, items in dense(whole, list(range(len(whole.low)))):
        if low == high:
            expected.append((pulp.LpConstraintEQ, low, items))
            continue
        expected += [(pulp.LpConstraintGE, low, items)] if np.isfinite(low) else []
        expected += [(pulp.LpConstraintLE, high, items)] if np.isfinite(high) else []
    assert told == expected
    costs = {v.name: w for v, w in problem.objective.items()}
    assert costs.pop("constant", 0.0) == form.constant
    assert {place[name]: w for name, w in costs.items() if w} == form.coefficients


def test_a_program_that_is_written_is_worth_what_the_task_is(tmp_path: Path) -> None:
    """Constants included: LP files have a place for columns only."""
    found, _ = check(SPECS / "classroom.colo")
    assert found is not None
    solver = Solver(found.expansion.scenario.task)
    form = solver.highs.lowered.form(WELFARE)
    assert form.constant
    write_lp(solver.highs.lowered.program, form, tmp_path / "model.lp")
    other = highspy.Highs()
    other.setOptionValue("output_flag", False)
    other.readModel(str(tmp_path / "model.lp"))
    other.run()
    assert other.getObjectiveValue() == pytest.approx(solver.maximise(WELFARE).value)


def test_a_new_solver_knows_the_hard_rules_alone() -> None:
    """It lowers them no second time, and what either adds for its objectives is not the other's."""
    found, _ = check(SPECS / "hospital.colo")
    assert found is not None
    solver = Solver(task := found.expansion.scenario.task)
    bare = lower(task).program
    solver.highs.lowered.objective(payoff_of(task.agents[0]))
    grown = len(solver.highs.lowered.program.columns), len(solver.highs.lowered.program.rows)
    assert grown > (len(bare.columns), len(bare.rows))
    new = solver.anew(task)
    assert (new.highs.lowered.program.columns, new.highs.lowered.program.rows) == (bare.columns, bare.rows)
    assert new.highs.base is solver.highs.base
    new.highs.lowered.objective(WELFARE)
    assert (len(solver.highs.lowered.program.columns), len(solver.highs.lowered.program.rows)) == grown
    assert new.highs.lowered.form(WELFARE) == lower(task).form(WELFARE)
    assert solver.anew(replace(task, requirements=())).highs.base is None


def test_what_a_base_has_lowered_is_lowered_no_second_time() -> None:
    """Under payoffs of its own a task is worth the same, whichever of them the base knows."""
    found, _ = check(SPECS / "jira.colo")
    assert found is not None
    task = found.expansion.scenario.task
    rules = tuple(p for p in task.payoffs if p.statement == "one_owner")
    base = Highs(replace(task, payoffs=rules))
    alone, shared = Highs(task), Highs(task, base=base)
    known = shared.lowered.lowering.forms
    assert all(base.lowered.lowering.forms[p.term] is known[p.term] for p in rules)
    one, other = (engine.solve(Query(WELFARE), until=inf) for engine in (alone, shared))
    assert (one.status, one.value) == (other.status, other.value)
    assert len(alone.lowered.program.columns) == len(shared.lowered.program.columns)
