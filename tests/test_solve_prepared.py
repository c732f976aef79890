"""Terms read through what is remembered: the same values, in the same order, and the same words where they fail."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from test_solve_terms import Builder, agents_of, variables_of

from colosseum.model.scenario import EqualSplit, Payoff, Requirement, Task, Variable
from colosseum.model.terms import Arithmetic, Assignment, Compare, Constant, Decision, Term, Total
from colosseum.model.values import Fault, Value
from colosseum.solve.prepared import Rule, prepared
from colosseum.solve.scoring import Score, score


def outcome(rule: Rule, x: Assignment) -> "Value | type[Fault]":
    """What comes of an assignment."""
    try:
        return rule(x)
    except Fault:
        return Fault


@given(st.data())
def test_a_prepared_term_is_the_term(data: st.DataObject) -> None:
    agents = agents_of(data.draw)
    variables = variables_of(data.draw, agents)
    build = Builder(data.draw, variables)
    term = build.pick(
        lambda: build.number(3), lambda: build.condition(3), lambda: build.total(2), lambda: build.every(2)
    )
    rule = prepared(term)
    every = [
        dict(zip((v.name for v in variables), joint, strict=True)) for joint in product(*(v.domain for v in variables))
    ]
    for x in (*every, *every):
        found, expected = outcome(rule, x), outcome(term.evaluate, x)
        assert (type(found), found) == (type(expected), expected)


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
