"""Scores of many assignments by what is remembered of single variables. A fault has the words of the first one."""

from itertools import product

from colosseum.model.scenario import EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import Arithmetic, Compare, Constant, Decision, Term, Total
from colosseum.model.values import Fault
from colosseum.solve.scoring import Score, score


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
