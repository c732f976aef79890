"""Which of many optima is told: the first where that can be known, and always one that the question alone decides."""

from functools import cache
from pathlib import Path

import pytest
from specs_made import HEAD, expanded

from colosseum.language.files import shipped
from colosseum.model.check import check
from colosseum.model.scenario import Task
from colosseum.solve.backend import Engine
from colosseum.solve.goal import WELFARE, payoff_of
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
    told_alike(("grid", 6, 5), canonical=False, only="highs")


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


@pytest.mark.parametrize("pay", [1_000, 100_000])
def test_ranks_that_outweigh_payoffs_hide_no_first(tmp_path: Path, pay: int) -> None:
    """A rank is a share of the whole value; where payoffs differ by less, values are tried one by one."""
    text = f"""
    agents a[1..8]
    set posts = p[1..5]
    table pay[agents, posts] ~ integer({pay - 10}, {pay})
    variable x[agents]: posts or none
    reward got[a in agents, p in posts] when x[a] == p: pay[a, p]
    require one[p in posts]: count(a in agents when x[a] == p) <= 1
    """
    game = expanded(tmp_path, HEAD + text).task
    highs, exact = (Solver(game, only=only).maximise(WELFARE, canonical=True) for only in ("highs", "cp-sat"))
    assert (highs.canonical, exact.canonical) == (True, True)
    assert highs.assignment == exact.assignment


def test_costs_that_an_engine_rounds_are_no_disagreement(tmp_path: Path) -> None:
    """A great penalty beside small rewards leaves few units of cost for these: the bound tells it."""
    text = """
    agents g[1..14]
    set colours = c[1..5]
    table like[agents, agents, colours] ~ uniform(0.001, 0.02)
    variable pick[agents]: colours
    reward near[(a, b) in pairs(agents)] when pick[a] != pick[b]: like[a, b, pick[a]]
    require few[(a, b) in pairs(agents)]: pick[a] == pick[b] or pick[a] != c1 or pick[b] != c2 penalty 1000000
    """
    game = expanded(tmp_path, HEAD + text).task
    found = Solver(game, only="toulbar2").maximise(WELFARE)
    assert found.value is not None
    assert found.bound is not None
    assert found.bound > found.value


def test_which_optimum_of_two_hospitals_is_the_first_is_left_open() -> None:
    """To search for each of 58 decisions would take longer than the proof; what is told is the same each time."""
    best, again = (Solver(task("hospital", 1)).maximise(WELFARE, canonical=True) for _ in range(2))
    assert (best.status, best.value, best.canonical) == ("optimal", pytest.approx(7016), False)
    assert again.assignment == best.assignment
