"""Elimination finds what enumeration finds and what the integer program finds, or says that a task is too large."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_optimum_laws import Everything, goals_of, random_games
from test_optimum_specs import scenario, specs
from test_optimum_terms import tasks

from colosseum.model.scenario import Coalition, Task
from colosseum.model.values import Value
from colosseum.optimum.elimination import Elimination
from colosseum.optimum.goal import Goal
from colosseum.optimum.scoring import goal_value


def agrees(elimination: Elimination, everything: Everything, goal: Goal, fixed: Mapping[str, Value]) -> None:
    """Both ends of a goal are the enumerated ones, attained, and the first of their kind where that is asked for."""
    for sign, query in ((1.0, elimination.maximise), (-1.0, elimination.minimise)):
        expected = everything.best(goal, sign, fixed)
        found = query(goal, fixed=fixed, canonical=True)
        if expected is None:
            assert (found.status, found.value, found.assignment) == ("infeasible", None, None)
            continue
        value, first = expected
        assert (found.status, found.canonical) == ("optimal", True)
        assert found.value == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert found.assignment == first
        plain = query(goal, fixed=fixed)
        assert plain.assignment is not None
        assert plain.value == goal_value(everything.task, goal, plain.assignment)
        assert plain.value == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert all(plain.assignment[name] == held for name, held in fixed.items())


def all_goals(data: st.DataObject, task: Task, coalitions: list[Coalition]) -> None:
    """F_n, every r_i, F_c and F_λ in any order, some variables fixed."""
    everything, elimination = Everything.of(task), Elimination(task)
    for goal in data.draw(st.permutations(goals_of(task, coalitions))):
        held = data.draw(st.lists(st.sampled_from(task.variables), max_size=2, unique=True))
        agrees(elimination, everything, goal, {v.name: data.draw(st.sampled_from(v.domain)) for v in held})


@random_games(150)
@given(st.data())
def test_random_tasks(data: st.DataObject) -> None:
    all_goals(data, *data.draw(tasks()))


@random_games(60)
@given(st.data())
def test_random_specs(data: st.DataObject) -> None:
    found = scenario(data.draw(specs()))
    all_goals(data, found.task, list(found.coalitions))
