"""Sums taken apart come to the same, wherever the whole has a value."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_solve_laws import chosen, tickets
from test_solve_terms import TermDrawer, tasks, variables_of

from colosseum.model import terms
from colosseum.model.scenario import Task, Variable
from colosseum.model.terms import Constant, Decision, PayoffOf, Term
from colosseum.model.values import Fault, Value
from colosseum.solve.arrays import worth
from colosseum.solve.lowering.conditions import conjuncts
from colosseum.solve.lowering.numbers import summands
from colosseum.solve.lowering.rules import written_out
from colosseum.solve.scoring import score, with_payoffs

COUNT = terms.Total(tuple(terms.Conditional(chosen(n, "p"), Constant(1), Constant(0)) for n in "abcd"))


def scopes(term: Term) -> list[str]:
    """The variables of each part, all of which come to the whole everywhere."""
    parts = summands(term)
    for x in assignments(tuple(Variable(name, "", ("p", "q", None)) for name in "abcde")):
        assert sum(factor * worth(part, x) for factor, part in parts) == worth(term, x)
    return sorted("".join(sorted(part.scope)) for _, part in parts)


def test_what_is_taken_apart() -> None:
    """A count is one part for each that may count, in products, cases and look-ups as well."""
    each = ["a", "b", "c", "d"]
    assert scopes(COUNT) == each
    assert scopes(terms.Arithmetic("-", Constant(1), terms.Arithmetic("*", COUNT, Constant(3)))) == ["", *each]
    assert scopes(terms.Arithmetic("/", COUNT, Constant(4))) == each
    assert set(scopes(terms.Arithmetic("*", COUNT, COUNT))) == {"a", "b", "c", "d", "ab", "ac", "ad", "bc", "bd", "cd"}
    case = terms.Conditional(chosen("e", "p"), COUNT, Constant(2))
    assert scopes(case) == ["ae", "be", "ce", "de", "e"]
    assert scopes(terms.Conditional(chosen("e", "p"), Constant(2), COUNT)) == ["ae", "be", "ce", "de", "e"]
    others = terms.Total(tuple(terms.Conditional(chosen(n, "q"), Constant(3), Constant(0)) for n in "ab"))
    load = terms.Select("load", (Decision("e"),), ((("p",), COUNT), (("q",), terms.Arithmetic("-", COUNT, others))))
    assert scopes(load) == ["ae", "be", "ce", "de"]
    pair = terms.Select("pair", (Decision("e"), Decision("a")), ((("p", "q"), COUNT), (("q", "p"), others)))
    assert scopes(pair) == ["abe", "ace", "ade", "ae"]
    most = terms.Extremum("max", (Constant(0), COUNT), (Constant(True),) * 2, aggregate=False)
    assert scopes(most) == ["abcd"]


def test_what_must_hold_is_taken_apart() -> None:
    a, b, c = (chosen(n, "p") for n in "abc")
    assert conjuncts(terms.Every((a, terms.Every((b, c))))) == [a, b, c]
    assert conjuncts(terms.Inverse(terms.Some((a, b)))) == [terms.Inverse(a), terms.Inverse(b)]
    assert conjuncts(terms.Some((a, b))) == [terms.Some((a, b))]


@settings(max_examples=50)
@given(st.data())
def test_random_terms(data: st.DataObject) -> None:
    variables = data.draw(st.composite(variables_of)("ab"))
    build = TermDrawer(data.draw, variables)
    depth = data.draw(st.integers(1, 4))
    number, condition = data.draw(st.sampled_from((build.number, build.surely)))(depth), build.condition(depth)
    parts, musts = summands(number), conjuncts(condition)
    assert all(part.scope <= number.scope for _, part in parts)
    for x in assignments(variables):
        assert all(worth(must, x) for must in musts) == bool(worth(condition, x))
        try:
            value = number.evaluate(x)
        except Fault:
            continue
        if isinstance(value, int | float):
            assert sum(factor * worth(part, x) for factor, part in parts) == pytest.approx(value, rel=1e-9, abs=1e-9)


@settings(max_examples=25)
@given(tasks())
def test_payoffs_written_out_are_the_scores(made: tuple[Task, list[object]]) -> None:
    """To the last bit: comparisons of payoffs hang on it."""
    task, _ = made
    terms_of = {agent: written_out(PayoffOf(agent), task) for agent in (None, *task.agents)}
    wish = terms.Extremum("min", tuple(map(PayoffOf, terms_of)), (Constant(True),) * len(terms_of), aggregate=False)
    written = written_out(wish, task)
    for x in assignments(task.variables):
        known = with_payoffs(score(task, x), x)
        assert {agent: term.evaluate(x) for agent, term in terms_of.items()} == {
            agent: known["total" if agent is None else f"payoff[{agent}]"] for agent in terms_of
        }
        assert written.evaluate(x) == wish.evaluate(known)


def test_terms_without_payoffs_stay_as_they_are() -> None:
    assert written_out(COUNT, tickets()) == COUNT
    (payoff, *_) = tickets().payoffs
    assert written_out(payoff.term, tickets()) == payoff.term


def assignments(variables: tuple[Variable, ...]) -> list[dict[str, Value]]:
    names = [v.name for v in variables]
    return [dict(zip(names, x, strict=True)) for x in product(*(v.domain for v in variables))]
