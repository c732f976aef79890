"""Every engine finds what enumeration finds; a process that hangs or dies costs an answer, and nothing else."""

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from threading import Timer

import pytest
from bench.cases import case
from hypothesis import given
from hypothesis import strategies as st
from test_solve_elimination import all_goals
from test_solve_laws import chosen, random_games, tickets
from test_solve_terms import tasks

from colosseum.model.scenario import EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import Arithmetic, Compare, Conditional, Constant, Extremum, Total
from colosseum.solve.backend import Engine, Query, worth
from colosseum.solve.backends import BACKENDS, installed_engines
from colosseum.solve.backends.engine_process import PROCESSES
from colosseum.solve.goal import WELFARE
from colosseum.solve.solver import Solver


def test_all_engines_are_tried_here() -> None:
    assert installed_engines() == list(BACKENDS) == ["highs", "elimination", "toulbar2", "cp-sat", "pulp"]


# ---- the same optima -------------------------------------------------------------------------------------------------


@random_games(15)
@given(st.data())
def test_random_tasks_by_toulbar2(data: st.DataObject) -> None:
    all_goals(data, *data.draw(tasks()), only="toulbar2")


@pytest.mark.parametrize("engine", ["cp-sat", "pulp"])
@random_games(8)
@given(data=st.data())
def test_random_tasks_by_others(engine: Engine, data: st.DataObject) -> None:
    all_goals(data, *data.draw(tasks()), only=engine, most=2)


@pytest.mark.parametrize("engine", ["toulbar2", "cp-sat", "pulp"])
def test_the_first_of_very_many_optima(engine: Engine) -> None:
    """Nobody is paid for anything but the last decision, and all but one must not go in together."""
    agents = tuple(f"a{i}" for i in range(6))
    paid = Payoff("p", "p", "reward", Conditional(chosen("a5", "up"), Constant(1), Constant(0)), EqualSplit(("a5",)))
    ins = Total(tuple(Conditional(chosen(a, "in"), Constant(1), Constant(0)) for a in agents))
    rule = Requirement("few", "few", Compare("<=", ins, Constant(2)), None, None)
    task = Task(agents, tuple(Variable(a, a, ("in", "out", "up", "down")) for a in agents), (paid,), (rule,))
    found = Solver(task, only=engine).maximise(WELFARE, canonical=True)
    assert (found.value, found.canonical) == (1.0, True)
    assert list((found.assignment or {}).values()) == ["in", "in", "out", "out", "out", "up"]


@pytest.mark.parametrize("engine", ["highs", "elimination", "toulbar2", "cp-sat"])
def test_ranks_cost(engine: Engine) -> None:
    """What the walk to the first optimum asks of an engine."""
    task = case("pairs", 4, 3, 100).task
    ranks = {v.name: 0.75 * number for number, v in enumerate(task.variables[:3])}
    query = Query(WELFARE, {task.variables[3].name: task.variables[3].domain[2]}, ranks=ranks)
    found = BACKENDS[engine](task).solve(query, until=time.monotonic() + 30.0)
    every = (dict(zip(task.variable, x, strict=True)) for x in product(*(v.domain for v in task.variables)))
    worths = [worth(task, query, x) for x in every if query.fixed.items() <= x.items()]
    assert (found.status, found.value) == ("optimal", pytest.approx(max(w for w in worths if w is not None)))


# ---- sums over many decisions ----------------------------------------------------------------------------------------


def overfull(*, price: float) -> Task:
    """Everybody likes to be in; each of them past two costs, or pays, something for all."""
    agents = tuple(f"a{i:02}" for i in range(20))
    count = Total(tuple(Conditional(chosen(a, "in"), Constant(1), Constant(0)) for a in agents))
    over = Extremum("max", (Constant(0), Arithmetic("-", count, Constant(2))), (Constant(True),) * 2, aggregate=False)
    likes = [Conditional(chosen(a, "in"), Constant(n), Constant(0)) for n, a in enumerate(agents)]
    payoffs = [Payoff(a, "likes", "reward", term, EqualSplit((a,))) for a, term in zip(agents, likes, strict=True)]
    penalty = Payoff("over", "over", "penalty", Arithmetic("*", Constant(price), over), EqualSplit(agents))
    return Task(agents, tuple(Variable(a, a, ("in", "out")) for a in agents), (*payoffs, penalty), ())


@pytest.mark.parametrize("price", [-12.5, 3.0])
def test_what_exceeds_counts_by_the_unit(price: float) -> None:
    """Penalties and rewards by the unit over twenty decisions, at both ends: k are in, the last or first."""
    task = overfull(price=price)
    paid = [price * max(0, k - 2) for k in range(21)]
    most = max(sum(range(20 - k, 20)) + paid[k] for k in range(21))
    least = min(sum(range(k)) + paid[k] for k in range(21))
    for engine in ("highs", "cp-sat", "pulp"):
        solver = Solver(task, only=engine)
        best, worst = solver.maximise(WELFARE), solver.minimise(WELFARE)
        assert (best.status, worst.status) == ("optimal", "optimal")
        assert (best.value, worst.value) == (pytest.approx(most), pytest.approx(least))


def test_what_an_engine_cannot_take_is_refused() -> None:
    task = overfull(price=-1.0)
    found = Solver(task, only="toulbar2").maximise(WELFARE)
    assert (found.status, found.value) == ("limit", None)
    assert found.reason == "toulbar2 takes small tables, and something here is none"
    thirds = replace(task, payoffs=tuple(replace(p, term=Arithmetic("/", p.term, Constant(3))) for p in task.payoffs))
    assert Solver(thirds, only="cp-sat").maximise(WELFARE).value == Solver(thirds).maximise(WELFARE).value
    likes = Total(tuple(Arithmetic("/", p.term, Constant(3)) for p in task.payoffs[:20]))
    rule = Requirement("enough", "enough", Compare("<=", likes, Constant(10)), None, None)
    found = Solver(replace(task, requirements=(rule,)), only="cp-sat").maximise(WELFARE)
    assert (found.status, found.reason) == ("limit", "cp-sat takes whole numbers, and something here is none")


# ---- processes -------------------------------------------------------------------------------------------------------


@pytest.fixture
def toulbar2() -> Iterator[int]:
    """The process, running."""
    assert Solver(tickets(), only="toulbar2").maximise(WELFARE).status == "optimal"
    running = PROCESSES["toulbar2"].running
    assert running is not None
    return running.pid


def test_a_process_that_was_killed_is_started_again(toulbar2: int) -> None:
    os.kill(toulbar2, signal.SIGKILL)
    found = Solver(tickets(), only="toulbar2").maximise(WELFARE)
    assert (found.status, found.value) == ("optimal", 8)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_process_that_dies_or_hangs_at_work_costs_an_answer(toulbar2: int, number: signal.Signals) -> None:
    task = case("pairs", 18, 8, 100).task
    timer = Timer(0.5, os.kill, (toulbar2, number))
    timer.start()
    found = Solver(task, only="toulbar2", time_limit=1.0).maximise(WELFARE)
    timer.join()
    assert found.status == "limit"
    assert Solver(tickets(), only="toulbar2").maximise(WELFARE).value == 8


@pytest.mark.parametrize(("engine", "nodes"), [("toulbar2", 18), ("cp-sat", 11)])
def test_out_of_time_there_is_an_assignment_and_a_bound(engine: Engine, nodes: int) -> None:
    """On a busy machine a first assignment takes longer; a proof takes minutes on any."""
    task = case("pairs", nodes, 8, 100).task
    searches = (Solver(task, only=engine, time_limit=limit).maximise(WELFARE) for limit in (3.0, 10.0, 30.0))
    found = next(found for found in searches if found.value is not None)
    assert found.status == "limit"
    assert found.value is not None
    assert found.bound is not None
    assert found.value < found.bound


def test_the_portfolio_needs_no_toulbar2(monkeypatch: pytest.MonkeyPatch) -> None:
    task = case("pairs", 9, 4, 100).task
    best = Solver(task).maximise(WELFARE, canonical=True)
    monkeypatch.setattr(PROCESSES["toulbar2"], "library", "no_such_library")
    monkeypatch.setattr("colosseum.solve.solver.LITTLE", 0)
    other = Solver(task).maximise(WELFARE, canonical=True)
    assert "toulbar2" not in installed_engines()
    assert (other.value, other.assignment) == (pytest.approx(best.value), best.assignment)


def test_all_engines_have_one_first_optimum() -> None:
    """Whichever proves it."""
    task = case("meetings", 4, 3).task
    first = Solver(task).maximise(WELFARE, canonical=True)
    for engine in installed_engines():
        found = Solver(task, only=engine).maximise(WELFARE, canonical=True)
        assert (found.value, found.assignment, found.canonical) == (first.value, first.assignment, True), engine
