"""Conditions under partial assignments: what bounds say is what enumerating all completions says."""

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_solve_laws import random_games
from test_solve_terms import ALWAYS, Builder, agents_of, variables_of

from colosseum.model import terms
from colosseum.model.scenario import Requirement, Task, Variable
from colosseum.model.terms import Constant, Decision, Term
from colosseum.model.values import Fault, Value
from colosseum.solve.partial import ANYTHING, NumberRange, possible, reach_of, shortfall


def completions(task: Task, decided: dict[str, Value]) -> Iterator[dict[str, Value]]:
    free = [v for v in task.variables if v.name not in decided]
    for values in product(*(v.domain for v in free)):
        yield {**decided, **{v.name: value for v, value in zip(free, values, strict=True)}}


@st.composite
def questions(draw: st.DrawFn) -> tuple[Task, Builder, dict[str, Value], dict[str, Value]]:
    """A task, some decisions, and one completion of them."""
    agents = agents_of(draw)
    variables = variables_of(draw, agents)
    witness = {v.name: draw(st.sampled_from(v.domain)) for v in variables}
    decided = {n: witness[n] for n in draw(st.lists(st.sampled_from(sorted(witness)), unique=True))}
    return Task(agents, variables, (), ()), Builder(draw, variables), decided, witness


def values_of(term: Term, task: Task, decided: dict[str, Value]) -> list[Value]:
    """What the term is at every completion; examples at which it cannot be computed are not used."""
    try:
        return [term.evaluate(x) for x in completions(task, decided)]
    except Fault:
        assume(False)
        raise


@random_games(100)
@given(questions(), st.integers(1, 3))
def test_a_condition_is_possible_where_a_completion_satisfies_it(
    question: tuple[Task, Builder, dict[str, Value], dict[str, Value]], depth: int
) -> None:
    task, build, decided, witness = question
    condition = build.condition(depth)
    assert possible(condition, decided, task, witness=witness) == (True in values_of(condition, task, decided))


@random_games(100)
@given(questions(), st.integers(1, 3))
def test_the_reach_of_a_term_contains_all_that_it_can_be(
    question: tuple[Task, Builder, dict[str, Value], dict[str, Value]], depth: int
) -> None:
    task, build, decided, _ = question
    term = build.number(depth)
    found = values_of(term, task, decided)
    match reach_of(term, decided, task):
        case NumberRange(low=low, high=high) as reach:
            assert reach == ANYTHING or all(isinstance(v, int | float) and low <= v <= high for v in found)
        case reach:
            assert set(found) <= reach


@random_games(80)
@given(questions())
def test_a_shortfall_is_the_least_excess(question: tuple[Task, Builder, dict[str, Value], dict[str, Value]]) -> None:
    task, build, decided, witness = question
    left, right = build.surely(2), build.surely(0)
    over = terms.Arithmetic("-", left, right)
    excess = terms.Extremum("max", (Constant(0), over), (ALWAYS, ALWAYS), aggregate=False)
    condition = terms.Compare("<=", left, right)
    least = min(float(v) for v in values_of(excess, task, decided) if isinstance(v, int | float))
    by_unit = Requirement("rule", "rule", condition, 1.0, excess)
    assert shortfall(by_unit, decided, task, witness=witness) == pytest.approx(least, abs=1e-12)
    by_break = Requirement("rule", "rule", condition, 1.0, None)
    broken = True not in values_of(condition, task, decided)
    assert shortfall(by_break, decided, task, witness=witness) == float(broken)


def test_counts_of_many_are_settled_by_their_bounds() -> None:
    """Twenty voters, so a million completions: nobody enumerates them."""
    names = [f"vote{i}" for i in range(20)]
    task = Task(("ann",), tuple(Variable(n, "ann", ("yes", "no")) for n in names), (), ())
    ayes = terms.Total(tuple(
        terms.Conditional(terms.Compare("==", Decision(n), Constant("yes")), Constant(1), Constant(0)) for n in names
    ))  # fmt: skip
    everybody_no: dict[str, Value] = dict.fromkeys(names, "no")
    for against in range(21):
        decided: dict[str, Value] = dict.fromkeys(names[:against], "no")
        majority = terms.Compare(">=", ayes, Constant(11))
        assert possible(majority, decided, task, witness=everybody_no) == (20 - against >= 11)
        missed = terms.Extremum(
            "max", (Constant(0), terms.Arithmetic("-", Constant(11), ayes)), (ALWAYS, ALWAYS), False
        )
        rule = Requirement("quorum", "quorum", majority, 1.0, missed)
        assert shortfall(rule, decided, task, witness=everybody_no) == max(0, 11 - (20 - against))


def test_a_look_up_by_what_may_be_none_may_be_none() -> None:
    task = Task(("ann",), (Variable("pick", "ann", ("p", None)), Variable("other", "ann", ("p",))), (), ())
    found = terms.Select("worth", (Decision("pick"),), ((("p",), Constant(3)),))
    nothing = terms.Compare("==", found, Constant(None))
    assert possible(nothing, {}, task, witness={"pick": "p", "other": "p"})
    assert not possible(nothing, {"pick": "p"}, task, witness={"pick": "p", "other": "p"})
