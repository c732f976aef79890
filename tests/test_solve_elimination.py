"""Elimination finds what enumeration finds and what the integer program finds, or says that a task is too large."""

import math
import random
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_solve_collab import RECORDED, compiled
from test_solve_laws import Everything, chosen, goals_of, integer_program, random_games, tickets
from test_solve_specs import scenario, specs
from test_solve_terms import tasks
from test_solve_vectors import VECTORS as TICKETS
from test_solve_vectors import game

from colosseum.language.files import shipped
from colosseum.model.check import check
from colosseum.model.scenario import Coalition, EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import Arithmetic, Compare, Conditional, Constant, Decision, PayoffOf, Select, Total
from colosseum.model.values import Value
from colosseum.solve.backend import Engine, Query
from colosseum.solve.backends.elimination import Elimination
from colosseum.solve.goal import WELFARE, Goal, coalition_goal, mixed, payoff_of
from colosseum.solve.scoring import goal_value
from colosseum.solve.solver import LITTLE, Solver


def eliminating(task: Task) -> Solver:
    """Elimination alone."""
    return Solver(task, only="elimination")


def agrees(elimination: Solver, everything: Everything, goal: Goal, fixed: Mapping[str, Value]) -> None:
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


def all_goals(
    data: st.DataObject, task: Task, coalitions: list[Coalition], *, only: Engine = "elimination", most: int = 1_000
) -> None:
    """F_n, every r_i, F_c and F_λ in any order, some variables fixed, as far as an engine takes the numbers."""
    everything, solver = Everything.of(task), Solver(task, only=only)
    for goal in data.draw(st.permutations(goals_of(task, coalitions)))[:most]:
        if "whole numbers" in solver.maximise(goal).reason:
            continue
        held = data.draw(st.lists(st.sampled_from(task.variables), max_size=2, unique=True))
        agrees(solver, everything, goal, {v.name: data.draw(st.sampled_from(v.domain)) for v in held})


@random_games(20)
@given(st.data())
def test_random_tasks(data: st.DataObject) -> None:
    all_goals(data, *data.draw(tasks()))


@random_games(12)
@given(st.data())
def test_random_specs(data: st.DataObject) -> None:
    found = scenario(data.draw(specs()))
    all_goals(data, found.task, list(found.coalitions))


# ---- with the integer program ----------------------------------------------------------------------------------------


def both_ways(task: Task, goals: list[Goal], fixed: Mapping[str, Value]) -> None:
    """Elimination and the integer program agree on both ends, and on the first optimum."""
    solver, elimination = integer_program(task), eliminating(task)
    for goal in goals:
        for one, other in ((elimination.maximise, solver.maximise), (elimination.minimise, solver.minimise)):
            found, expected = one(goal, fixed=fixed, canonical=True), other(goal, fixed=fixed, canonical=True)
            assert (found.status, "highs") == (expected.status, expected.by)
            assert found.value == pytest.approx(expected.value, rel=1e-9, abs=1e-9)
            if expected.canonical and found.canonical:
                assert found.assignment == expected.assignment


LARGE = ("hospital", "hospital_published", "peer_review")
"""Specs in which too many decisions hang together."""
AGAIN = ("jira_pairs", "jira_studies")
"""Specs with the game of `jira`, and other experiments."""


@pytest.mark.parametrize("name", sorted(p.stem for p in shipped("specs").glob("*.colo") if p.stem not in LARGE + AGAIN))
def test_the_specs_that_ship(name: str) -> None:
    found, diagnostics = check(shipped("specs") / f"{name}.colo", seed=3)
    assert found is not None, diagnostics
    scenario = found.expansion.scenario
    goals = [WELFARE, payoff_of(scenario.task.agents[-1])]
    goals += [coalition_goal(c) for c in scenario.coalitions if c.members]
    both_ways(scenario.task, goals, {})
    first = scenario.task.variables[0]
    both_ways(scenario.task, goals[:2], {first.name: first.domain[-1]})


@pytest.mark.parametrize("name", LARGE)
def test_what_is_too_large_is_said_to_be(name: str) -> None:
    found, diagnostics = check(shipped("specs") / f"{name}.colo", seed=1)
    assert found is not None, diagnostics
    elimination = Elimination(found.expansion.scenario.task)
    assert elimination.plan(Query(WELFARE)) is None
    answer = eliminating(elimination.task).maximise(WELFARE, canonical=True)
    assert (answer.status, answer.value, answer.assignment) == ("limit", None, None)


def test_a_share_among_many_is_too_large() -> None:
    """Fifteen engineers share each penalty; what is left of it where all but one have decided is not."""
    found, diagnostics = check(shipped("specs") / "jira.colo", seed=1, params={"engineers": 15, "tickets": 20})
    assert found is not None, diagnostics
    task = found.expansion.scenario.task
    assert Elimination(task).plan(Query(payoff_of(task.agents[0]))) is None
    fixed = {v.name: v.domain[0] for v in task.variables[1:]}
    both_ways(task, [payoff_of(task.agents[0]), payoff_of(task.agents[1])], fixed)


def test_what_is_left_of_a_large_task_may_be_small() -> None:
    """Two decisions are open of the 26 that are counted, nobody else is treated or gets anything."""
    found, diagnostics = check(shipped("specs") / "hospital.colo", seed=1)
    assert found is not None, diagnostics
    task = found.expansion.scenario.task
    one, two, *others = task.variables
    fixed = {v.name: None if None in v.domain else v.domain[0] for v in others}
    joint = len(one.domain) * len(two.domain)
    plan = Elimination(task).plan(Query(WELFARE, fixed))
    assert plan is not None
    assert joint + len(two.domain) < plan.cost < LITTLE
    both_ways(task, [WELFARE, payoff_of(one.owner)], fixed)


def tree(size: int, *, seed: int, worths: tuple[float, ...]) -> Task:
    """Neighbours are paid for what they choose together; a third of the pairs may not choose the same."""
    chance = random.Random(seed)
    names, domain = [f"v{i}" for i in range(size)], ("a", "b", "c", "d")
    payoffs, rules = [], []
    for child in range(1, size):
        pair = (names[chance.randrange(child)], names[child])
        table = tuple((key, Constant(chance.choice(worths))) for key in product(domain, repeat=2))
        term = Select("match", tuple(map(Decision, pair)), table)
        payoffs.append(Payoff(f"match{child}", "match", "reward", term, EqualSplit(pair)))
        if chance.random() < 1 / 3:
            apart = Compare("!=", *map(Decision, pair))
            rules.append(Requirement(f"apart{child}", "apart", apart, None, None))
    return Task(tuple(names), tuple(Variable(n, n, domain) for n in names), tuple(payoffs), tuple(rules))


@pytest.mark.parametrize("worths", [(0.0, 1.0), (0.25, 1.5, 3.125, -2.0, 0.1, 7.7)], ids=["ties", "few ties"])
@pytest.mark.parametrize("seed", range(2))
def test_trees(seed: int, worths: tuple[float, ...]) -> None:
    task = tree(24, seed=seed, worths=worths)
    goals = [WELFARE, payoff_of("v0"), mixed({WELFARE: 0.5, payoff_of("v3"): 2.0})]
    both_ways(task, goals, {})
    both_ways(task, goals, {"v5": "c", "v0": "a"})


@pytest.mark.parametrize("path", [*TICKETS, *RECORDED], ids=lambda p: p.stem)
def test_optima_computed_elsewhere(path: Path) -> None:
    """Games whose optimum was found by enumeration, by others."""
    if path in TICKETS:
        record, scenario, instance = game(path)
    else:
        _, record, scenario, instance = compiled(path)
    found = eliminating(scenario.task).maximise(WELFARE, canonical=True)
    assert found.value == pytest.approx(record["optimum"], rel=1e-9, abs=1e-9)
    assert found.assignment == instance.optimum.assignment


# ---- one task, many questions ----------------------------------------------------------------------------------------


def test_another_mixture_needs_no_other_tables() -> None:
    """Equal questions have equal answers, whatever was asked before; a new weight makes nothing new."""
    task = tree(12, seed=9, worths=(0.0, 1.0, 2.5))
    asked = Elimination(task)
    assert asked.plan(Query(WELFARE)) is not None
    assert not any(factor.known for made in asked.factors.made.values() for factor in made)
    asked.solve(Query(mixed({WELFARE: 1.0, payoff_of("v1"): 3.0})), until=math.inf)
    tables = [table for made in asked.factors.made.values() for f in made for table in f.known.values()]
    plans = asked.planned.cache_info().misses
    for weight in (0.25, 0.5, 4.0):
        query = Query(mixed({WELFARE: 1.0, payoff_of("v1"): weight}))
        found, alone = asked.solve(query, until=math.inf), Elimination(task).solve(query, until=math.inf)
        assert (found.value, found.assignment) == (alone.value, alone.assignment)
    again = [table for made in asked.factors.made.values() for f in made for table in f.known.values()]
    assert asked.planned.cache_info().misses == plans
    assert all(one is other for one, other in zip(tables, again, strict=True))


def test_payoffs_count_however_they_are_named() -> None:
    """As a payoff, in an objective, and in the sum of all."""
    ann, total = PayoffOf("ann"), PayoffOf(None)
    gap = Arithmetic("-", Arithmetic("*", Constant(2), ann), PayoffOf("bob"))
    goals = [
        Goal(total=0.5, payoffs=(("ann", 1.0), ("ann", 2.0)), terms=((gap, 1.5), (total, -2.0), (gap, 0.25))),
        Goal(terms=((Total((gap, total, Constant(7))), 1.0),)),
        Goal(terms=((Conditional(Compare(">=", ann, Constant(3)), gap, total), 1.0),)),
    ]
    everything = Everything.of(tickets())
    elimination = eliminating(tickets())
    for goal in goals:
        for fixed in ({}, {"bob": "small"}):
            agrees(elimination, everything, goal, fixed)


def test_a_value_outside_the_domain_is_infeasible() -> None:
    found = eliminating(tickets()).maximise(WELFARE, fixed={"ann": "huge"})
    assert (found.status, found.value, found.assignment) == ("infeasible", None, None)


def test_all_decided_is_a_score() -> None:
    fixed = {"ann": "small", "bob": "small"}
    elimination = eliminating(tickets())
    assert elimination.maximise(WELFARE, fixed=fixed, canonical=True).value == 2.0
    assert elimination.minimise(payoff_of("ann"), fixed=fixed).value == 1.0
    assert elimination.maximise(Goal()).assignment == {"ann": "big", "bob": "big"}


def test_components_do_not_mind_each_other() -> None:
    """Two hundred decisions of four values, each with a payoff of its own."""
    names = [f"v{i}" for i in range(200)]
    payoffs = [
        Payoff(n, "own", "reward", Conditional(chosen(n, "c"), Constant(i), Constant(0)), EqualSplit((n,)))
        for i, n in enumerate(names)
    ]
    task = Task(tuple(names), tuple(Variable(n, n, tuple("abcd")) for n in names), tuple(payoffs), ())
    elimination = Elimination(task)
    plan = elimination.plan(Query(WELFARE))
    assert plan is not None
    assert plan.cost == 800 + 800
    found = eliminating(task).maximise(WELFARE, canonical=True)
    assert found.value == 19_900
    assert found.assignment == {n: "c" if i else "a" for i, n in enumerate(names)}
