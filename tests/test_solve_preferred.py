"""Among the optima of one goal, the best for another: against enumeration, whatever the goals' scales."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_solve_laws import Everything, random_games, tickets, tolerance
from test_solve_terms import tasks

from colosseum.model.scenario import EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import Compare, Conditional, Constant, Decision
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, Goal, bent, coalition_goal, mixed, payoff_of
from colosseum.solve.lowering.lower import NotLowered
from colosseum.solve.questions.frontier import preferred_to
from colosseum.solve.scoring import goal_value
from colosseum.solve.solver import Optimum, Solver


def preferred(solver: Solver, first: Goal, second: Goal, *, fixed: Mapping[str, Value] | None = None) -> Optimum:
    """The optimum of the first goal that the second likes best."""
    return preferred_to(solver, solver.maximise(first, fixed=fixed), first, second, fixed=fixed)


def negated(goal: Goal) -> Goal:
    """The goal whose maximisers are the minimisers of this one."""
    return mixed({goal: -1.0})


def expected(everything: Everything, first: Goal, second: Goal, fixed: dict[str, Value]) -> float | None:
    """The greatest value of the second goal among the maximisers of the first."""
    values = [
        (goal_value(everything.task, first, x), goal_value(everything.task, second, x))
        for x in everything.feasible
        if all(x[name] == value for name, value in fixed.items())
    ]
    if not values:
        return None
    best = max(f for f, _ in values)
    return max(s for f, s in values if best - f <= tolerance(best))


def agrees(solver: Solver, everything: Everything, first: Goal, second: Goal, fixed: dict[str, Value]) -> None:
    wanted = expected(everything, first, second, fixed)
    found = preferred(solver, first, second, fixed=fixed)
    if wanted is None:
        assert (found.status, found.value, found.assignment, found.bound) == ("infeasible", None, None, None)
        return
    assert found.assignment is not None
    assert (found.status, found.bound) == ("optimal", found.value)
    assert found.value == pytest.approx(wanted, rel=1e-7, abs=1e-7)
    assert found.value == goal_value(everything.task, second, found.assignment)
    best = everything.best(first, 1.0, fixed)
    assert best is not None
    assert goal_value(everything.task, first, found.assignment) == pytest.approx(best[0], rel=1e-9, abs=1e-9)
    assert all(found.assignment[name] == value for name, value in fixed.items())


@random_games(12)
@given(st.data())
def test_it_is_what_enumeration_finds(data: st.DataObject) -> None:
    task, coalitions = data.draw(tasks())
    everything, solver = Everything.of(task), Solver(task)
    coalition = data.draw(st.sampled_from(coalitions))
    bent_goals = [bent(coalition, strength=strength) for strength in (0.3, 0.5)]
    goals = [WELFARE, payoff_of(task.agents[0]), coalition_goal(coalition), *bent_goals]
    for _ in range(4):
        first, second = data.draw(st.sampled_from(goals)), data.draw(st.sampled_from(goals))
        scale, other = (data.draw(st.sampled_from((-1e4, -1.0, -1e-4, 1e-4, 1.0, 1e4))) for _ in range(2))
        held = data.draw(st.lists(st.sampled_from(task.variables), max_size=2, unique=True))
        fixed = {v.name: data.draw(st.sampled_from(v.domain)) for v in held}
        try:
            agrees(solver, everything, mixed({first: scale}), mixed({second: other}), fixed)
        except NotLowered:
            assert first.terms or second.terms, "only an objective that names payoffs may be beyond a program here"


def prices(worth: dict[Value, tuple[float, float]]) -> Task:
    """One decision that pays ann and bob these amounts."""
    pays = [
        Payoff(f"pay[{agent}, {d}]", "pay", "reward",
               Conditional(Compare("==", Decision("x"), Constant(d)), Constant(both[i]), Constant(0)),
               EqualSplit((agent,)))
        for d, both in worth.items() for i, agent in enumerate(("ann", "bob"))
    ]  # fmt: skip
    return Task(("ann", "bob"), (Variable("x", "ann", tuple(worth)),), tuple(pays), ())


def test_a_long_frontier_is_walked_to_its_end() -> None:
    """Points on a parabola, where each step shows one more; the end is doubled, with two choices for bob."""
    worth: dict[Value, tuple[float, float]] = {f"p{i}": (1000.0 - i * i, 50.0 * i) for i in range(30)}
    worth |= {"worse": (1000.0, -3.0), "better": (1000.0, 2.0)}
    solver = Solver(prices(worth))
    found = preferred(solver, payoff_of("ann"), payoff_of("bob"))
    assert (found.status, found.value, found.assignment) == ("optimal", 2.0, {"x": "better"})
    assert preferred(solver, payoff_of("ann"), negated(payoff_of("bob"))).assignment == {"x": "worse"}


@pytest.mark.parametrize(("large", "small"), list(product((1e6, 1.0, 1e-3), repeat=2)))
def test_goals_of_very_different_scales(large: float, small: float) -> None:
    worth: dict[Value, tuple[float, float]] = {
        "second": (9.9 * large, 100 * small), "worse": (10 * large, 1 * small), "best": (10 * large, 2 * small),
        "last": (0.0, 1000 * small),
    }  # fmt: skip
    found = preferred(Solver(prices(worth)), payoff_of("ann"), payoff_of("bob"))
    assert (found.status, found.assignment) == ("optimal", {"x": "best"})


def test_of_equals_that_do_not_matter_to_the_first_the_second_decides() -> None:
    solver = Solver(tickets())
    for agent in ("ann", "bob"):
        found = preferred(solver, WELFARE, payoff_of(agent))
        assert (found.value, found.assignment is not None and found.assignment[agent]) == (5.0, "big")
        assert preferred(solver, WELFARE, negated(payoff_of(agent))).value == -3.0
    assert preferred(solver, Goal(), WELFARE).value == 8.0, "nothing to choose by: all assignments are optima"
    assert preferred(solver, WELFARE, Goal()).value == 0.0


class Hurried(Solver):
    """A solver whose time is over after so many questions."""

    answered = 0
    most = 0

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        self.answered += 1
        found = super().maximise(goal, fixed=fixed, canonical=canonical)
        return found if self.answered <= self.most else replace(found, status="limit")


@pytest.mark.parametrize("most", [0, 1])
def test_without_time_nothing_is_proven(most: int) -> None:
    hurried = Hurried(tickets())
    hurried.most = most
    found = preferred(hurried, WELFARE, payoff_of("ann"))
    assert found.status == "limit"
    assert found.assignment is not None
    assert (found.value, found.bound) == (None, None)


def test_where_nothing_is_feasible_there_is_no_optimum() -> None:
    never = Requirement("never", "never", Compare("==", Decision("ann"), Constant("huge")), None, None)
    task = Task(tickets().agents, tickets().variables, tickets().payoffs, (never,))
    found = preferred(Solver(task), WELFARE, payoff_of("ann"))
    assert (found.status, found.value, found.assignment, found.bound) == ("infeasible", None, None, None)
