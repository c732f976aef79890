"""Which of many optima is told: the first where that can be known, and always one that the question alone decides."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from unittest.mock import ANY

import pytest
from specs_made import HEAD, expanded

from colosseum.language.files import shipped
from colosseum.model.check import check
from colosseum.model.scenario import Task
from colosseum.model.terms import Arithmetic, Constant, Extremum, PayoffOf
from colosseum.solve.backend import Engine
from colosseum.solve.goal import WELFARE, Goal, payoff_of
from colosseum.solve.solver import Solver


@cache
def task(name: str, seed: int, sites: int | None = None) -> Task:
    found, diagnostics = check(shipped("specs") / f"{name}.colo", seed=seed, params={"sites": sites} if sites else {})
    assert found is not None, diagnostics
    return found.expansion.scenario.task


@pytest.mark.parametrize("game", [("jira", 1), ("grid", 1), ("grid", 6, 6)])
def test_what_was_asked_before_changes_no_answer(game: tuple[str, int]) -> None:
    told_alike(game, canonical=True)


def test_what_was_asked_before_changes_no_answer_that_is_not_known_to_be_first() -> None:
    """By HiGHS alone, the first of the optima of this grid would be too much work."""
    told_alike(("grid", 6, 6), canonical=False, only="highs")


def told_alike(game: tuple[str, int], *, canonical: bool, only: Engine | None = None) -> None:
    alone = Solver(task(*game), only=only).maximise(WELFARE, canonical=True)
    asked = Solver(task(*game), only=only)
    asked.minimise(WELFARE)
    asked.maximise(payoff_of(asked.task.agents[0]))
    answers = [asked.maximise(WELFARE, canonical=True) for _ in range(2 if canonical else 1)]
    assert all((a.value, a.assignment, a.canonical) == (alone.value, alone.assignment, canonical) for a in answers)


def test_many_optima_of_few_have_a_first(tmp_path: Path) -> None:
    """All but A may take what they like, as early as it is left."""
    text = """
    agents A, B, C, D[1..20]
    set things = thing[1..30]
    variable pick[agents]: things or none
    reward done[a in agents, t in things] when pick[a] == t: 2
    require owner[t in things]: count(a in agents when pick[a] == t) <= 1
    """
    best = Solver(expanded(tmp_path, HEAD + text).task).maximise(payoff_of("A"), canonical=True)
    assert (best.by, best.canonical) == ("highs", True)
    assert best.assignment is not None
    assert list(best.assignment.values()) == [f"thing{number}" for number in range(1, 24)]


def test_two_hospitals_have_a_first_optimum() -> None:
    best = Solver(task("hospital", 1)).maximise(WELFARE, canonical=True)
    assert (best.value, best.canonical) == (pytest.approx(7016), True)


def test_a_task_that_differs_in_what_single_variables_pay_shares_what_was_built() -> None:
    mine = task("jira", 1)
    dearer = Arithmetic("*", Constant(-0.5), mine.payoffs[0].term)
    other = replace(mine, payoffs=(replace(mine.payoffs[0], term=dearer), *mine.payoffs[1:]))
    solver = Solver(mine)
    alike, alone = Solver(other, like=solver), Solver(other)
    for goal in (WELFARE, *map(payoff_of, mine.agents)):
        before, found, expected = (each.maximise(goal, canonical=True) for each in (solver, alike, alone))
        assert (found.value, found.assignment, found.canonical) == (expected.value, expected.assignment, True)
        assert solver.maximise(goal, canonical=True) == replace(before, seconds=ANY)
    assert alike.lowered.program is solver.lowered.program
    assert alike.lowered.objective(WELFARE).weights.tolist() != solver.lowered.objective(WELFARE).weights.tolist()


def test_a_task_that_differs_in_more_is_lowered_by_itself() -> None:
    mine = task("jira", 1)
    last = mine.payoffs[-1]
    assert len(last.scope) > 1
    other = replace(mine, payoffs=(*mine.payoffs[:-1], replace(last, term=Arithmetic("*", Constant(0.1), last.term))))
    solver, alone = Solver(mine), Solver(other)
    solver.maximise(WELFARE)
    unlike = Solver(other, like=solver)
    found, expected = (each.maximise(WELFARE, canonical=True) for each in (unlike, alone))
    assert (found.value, found.assignment) == (expected.value, expected.assignment)
    assert unlike.lowered.program is not solver.lowered.program


def test_payoffs_that_an_objective_names_are_those_of_its_own_task() -> None:
    mine = task("jira", 1)
    one, other, *_ = mine.agents
    dearer = tuple(replace(p, term=Arithmetic("*", Constant(3.0), p.term)) for p in mine.payoffs if len(p.scope) == 1)
    theirs = replace(mine, payoffs=(*dearer, *mine.payoffs[len(dearer) :]))
    most = Extremum("max", (PayoffOf(one), PayoffOf(other)), (Constant(True),) * 2, aggregate=False)
    lead = Goal(terms=((most, 1.0),))
    solver = Solver(mine)
    alike, alone = Solver(theirs, like=solver), Solver(theirs)
    mine_best = solver.maximise(lead).value
    assert alike.maximise(lead).value == alone.maximise(lead).value != mine_best
    assert solver.maximise(lead).value == mine_best
    assert alike.lowered.program is solver.lowered.program
