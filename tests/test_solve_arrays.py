"""A term's values at once are its values one by one, for terms of every kind and for terms that make no sense."""

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_solve_terms import TermDrawer, tasks, variables_of

from colosseum.language.files import shipped
from colosseum.model import terms
from colosseum.model.check import check
from colosseum.model.scenario import QualifiedSplit, Task, Variable
from colosseum.model.terms import Constant, Decision, Term
from colosseum.model.values import Elements, Value
from colosseum.solve.arrays import at_once, one_by_one, worths

VALUES: tuple[Value, ...] = (
    None, None, True, False, 0, 1, 2, -3, 7, 0.0, 0.5, 1.0, -1.25, 1 / 3, 0.1, 1e300, -1e300, 2**51, 2**60 + 1, 5e-324,
    "p", "q", ("p", 1), ("q", 1), ("p", "q", 2), Elements(()), Elements((1, 2)), Elements((2, 0.5)),
    Elements(("p", "q")), Elements((("p", 1),)), Elements((True, "q")),
)  # fmt: skip
"""Of every kind, with those that are hard on floating point."""
FEW_KINDS: tuple[Value, ...] = (None, 0, 1, 2, -3, 2.5, 0.1, True, Elements((1, 2)), Elements((None, 0, 2.5)))
LEAVES = st.builds(Constant, st.sampled_from((None, 0, 1, 2.5)))
NUMERIC = ((0, 1, 2), (None, 1, 2.5), (0, None), (0.1, -3, None, 2))
DOMAINS = (
    (0, 1, 2),
    (None, 1, 2.5),
    ("p", "q"),
    ("p", None),
    (True, False),
    (3,),
    (1, "p", None),
    (-2, 0.1, 2**53 + 1),
)


def agree(term: Term, variables: Sequence[Variable]) -> None:
    """Every element is the value there, up to the sign of 0."""
    expected = one_by_one(term, variables, {})
    found = worths(term, variables)
    assert (found.dtype, found.shape) == (np.float64, tuple(len(v.domain) for v in variables))
    assert np.array_equal(found, expected)
    assert np.array_equal(at_once(term, variables, {}), expected)


def witnesses(term: Term) -> tuple[Term, ...]:
    """Terms that tell none, a fault and anything else apart, and values of several kinds."""
    keys = (0, 1.0, "p", True, ("p", 1), Elements((1, 2)), 2.5)
    return (
        term,
        terms.Conditional(terms.Compare("==", term, Constant(None)), Constant(7), Constant(5)),
        terms.Select("t", (term,), tuple(((key,), Constant(number)) for number, key in enumerate(keys, start=1))),
        terms.Conditional(terms.Member(term, Constant(Elements(keys))), Constant(3), Constant(4)),
    )


@st.composite
def wild(draw: st.DrawFn, names: Sequence[str], depth: int, values: Sequence[Value] = VALUES) -> Term:
    """A term of any form over any values, whether or not it makes sense."""
    inner = wild(names, depth - 1, values)
    leaf = st.one_of(st.builds(Constant, st.sampled_from(values)), st.builds(Decision, st.sampled_from(names)))
    if depth == 0:
        return draw(leaf)
    several = st.lists(inner, max_size=3).map(tuple)
    form = draw(st.integers(0, 11))
    match form:
        case 0 | 1:
            return draw(st.builds(terms.Arithmetic, st.sampled_from("+-*/&"), inner, inner))
        case 2:
            return terms.Total(draw(several))
        case 3:
            parts = draw(several)
            conditions = tuple(draw(st.just(Constant(True)) | held(names) | inner) for _ in parts)
            return terms.Extremum(draw(st.sampled_from(("min", "max"))), parts, conditions, draw(st.booleans()))
        case 4:
            return terms.Absolute(draw(inner))
        case 5 | 6:
            return draw(st.builds(terms.Conditional, held(names) | inner, inner, inner))
        case 7:
            return draw(looked_up(inner, values))
        case 8:
            return draw(st.builds(terms.Compare, st.sampled_from(("==", "!=", "<", "<=", ">", ">=")), inner, inner))
        case 9:
            return draw(st.builds(terms.Member, inner, inner))
        case 10:
            return draw(st.sampled_from((terms.Every, terms.Some)))(draw(several))
        case _:
            return terms.Inverse(draw(inner))


def held(names: Sequence[str]) -> st.SearchStrategy[Term]:
    """A condition that is no fault where the variable is none or a number."""
    return st.builds(terms.Compare, st.sampled_from(("==", "!=")), st.builds(Decision, st.sampled_from(names)), LEAVES)


@st.composite
def looked_up(draw: st.DrawFn, inner: st.SearchStrategy[Term], values: Sequence[Value]) -> Term:
    """A look-up by one or two keys, some of whose entries are missing."""
    keys = tuple(draw(st.lists(inner, min_size=1, max_size=2)))
    known = [draw(st.lists(st.sampled_from(values), min_size=1, max_size=4)) for _ in keys]
    entry = inner if draw(st.booleans()) else st.builds(Constant, st.sampled_from(values))
    entries = [(key, draw(entry)) for key in product(*known) if draw(st.integers(0, 6))]
    return terms.Select("t", keys, tuple(entries))


@settings(max_examples=25)
@given(st.data())
def test_wild_terms(data: st.DataObject) -> None:
    """Of all kinds at once; or numbers and none, of which more make sense."""
    values, pool = data.draw(st.sampled_from(((VALUES, DOMAINS), (FEW_KINDS, NUMERIC), (FEW_KINDS, NUMERIC))))
    domains = data.draw(st.lists(st.sampled_from(pool), min_size=1, max_size=4))
    variables = [Variable(f"v{i}", "a", domain) for i, domain in enumerate(domains)]
    term = data.draw(wild([v.name for v in variables], data.draw(st.integers(1, 4)), values))
    for each in witnesses(term):
        agree(each, variables)


@settings(max_examples=25)
@given(st.data())
def test_terms_that_make_sense(data: st.DataObject) -> None:
    variables = data.draw(st.composite(variables_of)("ab"))
    build = TermDrawer(data.draw, variables)
    depth = data.draw(st.integers(1, 4))
    agree(data.draw(st.sampled_from((build.number, build.condition)))(depth), variables)


@settings(max_examples=25)
@given(tasks())
def test_all_terms_of_a_task(made: tuple[Task, object]) -> None:
    task, _ = made
    agree_everywhere(task, most=10_000)


@pytest.mark.parametrize("name", sorted(p.stem for p in shipped("specs").glob("*.colo")))
def test_terms_of_the_specs_that_ship(name: str) -> None:
    found, diagnostics = check(shipped("specs") / f"{name}.colo", seed=2)
    assert found is not None, diagnostics
    agree_everywhere(found.expansion.scenario.task, most=300)


def agree_everywhere(task: Task, *, most: int) -> None:
    """Payoffs, who shares them, and requirements, as far as they have at most so many joint values."""
    found = [p.term for p in task.payoffs] + [r.condition for r in task.requirements]
    found += [c for p in task.payoffs if isinstance(p.credit, QualifiedSplit) for _, c in p.credit.candidates]
    for term in dict.fromkeys(found):
        variables = [v for v in task.variables if v.name in term.scope]
        if prod(len(v.domain) for v in variables) <= most:
            agree(term, variables)


def test_a_sum_is_added_from_the_left() -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1."""
    tenths = tuple(Variable(f"v{i}", "a", (0.1, 0.2, 0.3, 1e15, -1e15)) for i in range(4))
    parts = tuple(Decision(v.name) for v in tenths)
    agree(terms.Total(parts), tenths)
    agree(terms.Total((Constant(3), *reversed(parts), Constant(1))), tenths)


def test_whole_numbers_stay_whole() -> None:
    """2^53 + 1 has no floating-point number: 1 is left when 2^53 goes."""
    pair = (Variable("x", "a", (1, 2, 3, 4, 5, 6)), Variable("y", "a", (2**53, 1, 0, 2, 3)))
    total = terms.Total((Decision("x"), Decision("y"), Constant(-(2**53))))
    assert worths(total, pair)[0, 0] == 1.0
    agree(total, pair)
    near = tuple(map(Constant, (2**52, 1, -(2**52), -(2**52))))
    halves = Variable("half", "a", (2**52, 0, 1, 2, 3, 4))
    agree(terms.Total((Decision("half"), *near)), (halves,))
    square = terms.Arithmetic("*", Decision("x"), Decision("x"))
    for _ in range(5):
        square = terms.Arithmetic("*", square, square)
    agree(terms.Arithmetic("-", square, Constant(1)), pair)


@pytest.mark.parametrize("aggregate", [False, True])
@pytest.mark.parametrize("which", ["min", "max"])
def test_the_least_of_those_that_take_part(which: str, aggregate: bool) -> None:
    """None is skipped where it does not take part, and goes before a name where it does."""
    open_, always = Variable("v", "a", (None, 1, 5)), Constant(True)
    part, there = Decision("v"), terms.Compare("!=", Decision("v"), Constant(None))
    expected = {"min": [3, 1, 3], "max": [3, 3, 5]}[which]
    skipped = terms.Extremum(which, (part, Constant(3)), (there, always), aggregate)
    assert worths(skipped, [open_]).tolist() == expected
    named = terms.Extremum(which, (part, Constant("p")), (always, always), aggregate)
    for each in (skipped, named):
        for term in witnesses(each):
            agree(term, [open_])
    assert worths(witnesses(named)[1], [open_]).tolist() == [0 if aggregate else 7, 0, 0]


def test_more_variables_than_arrays_have_axes() -> None:
    """A sum over many decisions of which few have a choice."""
    variables = [Variable(f"v{i}", "a", (1, 2) if i % 20 == 0 else (3,)) for i in range(60)]
    agree(terms.Total(tuple(Decision(v.name) for v in variables)), variables)


def test_what_is_given_has_no_axis() -> None:
    """A sum over a hundred decisions of which two are open."""
    one, two = Variable("v7", "a", tuple(range(30))), Variable("v42", "a", (0.5, 1, None))
    total = terms.Total(tuple(Decision(f"v{i}") for i in range(100)))
    given = {f"v{i}": i for i in range(100)}
    found = worths(total, (one, two), given=given)
    assert found[3].tolist() == [4950 - 7 - 42 + 3.5, 4950 - 7 - 42 + 4, 0]
    assert np.array_equal(found, one_by_one(total, (one, two), given))


def test_the_order_of_axes_is_the_caller_s() -> None:
    x, y = Variable("x", "a", (0, 1, 2)), Variable("y", "a", tuple(range(200)))
    gap = terms.Arithmetic("-", Decision("x"), Decision("y"))
    assert (worths(gap, (x, y)) == worths(gap, (y, x)).T).all()
    assert worths(Constant(2.5), (x, y)).tolist() == [[2.5] * 200] * 3


def test_none_looks_nothing_up() -> None:
    """Not the entry of 0 either, which is at fault here."""
    variables = [Variable("v", "a", (None, 1))]
    entries = (((0,), terms.Total((Constant(None),))), ((1,), terms.Total((Constant(4),))))
    for each in witnesses(terms.Select("t", (Decision("v"),), entries)):
        agree(each, variables)


def test_tables_of_constants_are_read_off() -> None:
    """In the order of the variables, whatever the order of the keys; none, gaps and what is no number count 0."""
    variables = [Variable("v0", "a", (None, 1, "p")), Variable("v1", "a", (0.5, 2))]
    values: tuple[Value, ...] = (3, 0.1, True, "p", None, -4)
    keys = [(d, c) for c in (None, 1, "p") for d in (0.5, 2)]
    entries = tuple((key, Constant(value)) for key, value in zip(keys, values, strict=True))
    look_up = (Decision("v1"), Decision("v0"))
    whole = worths(terms.Select("t", look_up, entries), variables)
    assert whole.tolist() == [[0.0, 0.0], [1.0, 0.0], [0.0, -4.0]]
    for number in range(len(entries)):
        term = terms.Select("t", look_up, (*entries[:number], *entries[number + 1 :]))
        assert np.array_equal(worths(term, variables), one_by_one(term, variables, {}))


def test_what_a_constant_mentions_gives_it_no_axis() -> None:
    """As in `size(path) - 0 * x`, over so many joint values that they are not gone through one by one."""
    x, y = (Variable(name, "", tuple(range(40))) for name in "xy")
    idle = terms.Arithmetic("+", Constant(3, ("x", "y")), terms.Arithmetic("*", Decision("x"), Decision("y")))
    assert worths(idle, [x, y])[5, 6] == 33
