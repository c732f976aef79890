"""The λ that explain a move, by hand: one decision, and what its values are worth to the team and to its owner."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from colosseum.model.scenario import Coalition, EqualSplit, Objective, Payoff, Task, Variable
from colosseum.model.terms import Constant, Decision, Select, Term
from colosseum.model.values import Value
from colosseum.solve.goal import Goal
from colosseum.solve.questions.counterfactuals import NONE_EXPLAINS, OPEN, Counterfactuals, strengths
from colosseum.solve.solver import Optimum, Solver

HERE = (0.0, 0.0)
Worth = tuple[float, float]


def held(*others: Worth) -> Counterfactuals:
    """Ann could have had these instead of nothing for the team and nothing for herself."""
    values: tuple[Value, ...] = tuple(f"y{n}" for n in range(len(others) + 1))
    worth = list(zip(values, [HERE, *others], strict=True))

    def looked_up(place: int) -> Term:
        return Select("t", (Decision("x"),), tuple(((value,), Constant(both[place])) for value, both in worth))

    pay = Payoff("pay", "pay", "reward", looked_up(0), EqualSplit(("bob",)))
    task = Task(("ann", "bob"), (Variable("x", "ann", values),), (pay,), ())
    coalition = Coalition("solo", ("ann",), (Objective("own", looked_up(1)),))
    return Counterfactuals(Solver(task), coalition, {"x": "y0"})


@pytest.mark.parametrize(
    ("others", "low", "high"),
    [
        ([], 0.0, 1.0),
        ([(-1.0, -1.0)], 0.0, 1.0),
        ([(0.0, 0.0)], 0.0, 1.0),
        ([(1.0, -1.0)], 0.5, 1.0),
        ([(-1.0, 1.0)], 0.0, 0.5),
        ([(1.0, -1.0), (-1.0, 1.0)], 0.5, 0.5),
        ([(1.0, 0.0)], 1.0, 1.0),
        ([(0.0, 1.0)], 0.0, 0.0),
        ([(3.0, -1.0), (1.0, -3.0), (-1.0, 9.0)], None, None),
        ([(3.0, -2.0), (2.0, -3.0), (1.0, -9.0), (-8.0, 4.0), (-9.0, 4.5), (-1.0, 0.1)], 0.6, 2 / 3),
        ([(1.0, -1e6)], 1 / (1 + 1e6), 1.0),
        ([(1.0, -1e-6)], 1 / (1 + 1e-6), 1.0),
        ([(-1e-3, 1e3)], 0.0, 1e-3 / (1e-3 + 1e3)),
    ],
)
def test_the_ends_are_where_another_move_is_as_good(others: list[Worth], low: float | None, high: float | None) -> None:
    found = strengths(held(*others))
    if low is None:
        assert found == NONE_EXPLAINS
    else:
        assert found == pytest.approx((low, high), rel=1e-9)


@pytest.mark.parametrize("others", [[(1.0, 1.0)], [(1.0, 2.0)], [(2.0, 1.0)], [(1.0, -1.0), (-1.0, 3.0)]])
def test_a_move_that_is_worse_at_every_strength_is_explained_by_none(others: list[Worth]) -> None:
    assert strengths(held(*others)) == NONE_EXPLAINS


def test_a_long_frontier_is_cut_down_to_its_neighbours() -> None:
    """Points on a circle: at each λ another is best, and only the two next to the realised one bound its λ."""
    around = [(100 * ((1 - t * t) / (1 + t * t)), 100 * (2 * t / (1 + t * t))) for t in (n / 20 for n in range(21))]
    here = around[8]
    found = strengths(held(*((n - here[0], c - here[1]) for n, c in around if (n, c) != here)))
    (n1, c1), (n2, c2) = around[7], around[9]
    low, high = ((n - here[0]) / (n - here[0] + here[1] - c) for n, c in ((n1, c1), (n2, c2)))
    assert found == pytest.approx((low, high), rel=1e-9)


class Hurried(Solver):
    """A solver whose time is over after so many questions."""

    answered = 0
    most = 0

    def maximise(self, goal: Goal, *, fixed: Mapping[str, Value] | None = None, canonical: bool = False) -> Optimum:
        self.answered += 1
        found = super().maximise(goal, fixed=fixed, canonical=canonical)
        return found if self.answered <= self.most else replace(found, status="limit", bound=None)


@pytest.mark.parametrize("most", [0, 1, 2])
def test_without_time_no_strength_is_known(most: int) -> None:
    known = held((1.0, -1.0))
    hurried = Hurried(known.solver.task)
    hurried.most = most
    assert strengths(Counterfactuals(hurried, known.coalition, {"x": "y0"})) == OPEN
