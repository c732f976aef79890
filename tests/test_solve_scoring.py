"""Scores of many assignments by what is remembered of single variables. A fault has the words of the first one."""

from dataclasses import replace
from itertools import product
from random import Random

from colosseum.model.scenario import EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import ONE, Arithmetic, Compare, Constant, Decision, Term, Total
from colosseum.model.values import Fault
from colosseum.solve.scoring import MOST, Score, score


def quotient(name: str) -> Term:
    """`1 / name`, at fault where that is 0."""
    return Arithmetic("/", Constant(1), Decision(name))


def test_the_first_fault_is_told_whenever_it_comes() -> None:
    """In declared order and in the words of the model, at the first assignment and at later ones."""
    variables = (Variable("x", "ann", (1, 0)), Variable("y", "ann", (1, 0)))
    both = Total((quotient("x"), quotient("y")))
    wish = Requirement("wish", "wish", Compare("<=", both, Constant(1)), penalty=1.0, excess=None)
    task = Task(("ann",), variables, (Payoff("sum", "sum", "reward", both, EqualSplit(("ann",))),), (wish,))

    def scored(x: int, y: int) -> "Score | str":
        try:
            return score(task, {"x": x, "y": y})
        except Fault as fault:
            return str(fault)

    first = [scored(x, y) for x, y in product((1, 0), repeat=2)]
    assert [scored(x, y) for x, y in product((1, 0), repeat=2)] == first
    assert [isinstance(each, Score) for each in first] == [True, False, False, False]
    good = first[0]
    assert isinstance(good, Score)
    assert (good.value, good.broken) == (2.0, ("wish",))
    assert first[1] == "division by zero"


def test_a_walk_is_scored_as_each_assignment_for_itself() -> None:
    """Ten times as many joint values as are remembered of several variables."""
    variables = tuple(Variable(name, "ann", tuple(range(9))) for name in "xyz")
    pair = Total((Decision("x"), Decision("y")))
    alone = EqualSplit(("ann",))
    payoffs = tuple(Payoff(str(n), "sum", "reward", term, alone) for n, term in enumerate((pair, Decision("z"), ONE)))
    least = Requirement("least", "least", Compare(">=", pair, Decision("z")), penalty=None, excess=None)
    task, random = Task(("ann",), variables, payoffs, (least,)), Random(1)
    x = {v.name: v.domain[0] for v in variables}
    for _ in range(10 * MOST):
        x |= {random.choice("xyz"): random.randrange(9)}
        assert score(task, x) == score(replace(task), x)
