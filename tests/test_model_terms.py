"""Terms as functions: what a compiled term gives is what a walk through the term gives, values and faults alike."""

import pickle
from collections.abc import Callable
from functools import partial, reduce

from hypothesis import given, settings
from hypothesis import strategies as st

from colosseum.model import terms, values
from colosseum.model.term_code import LARGEST
from colosseum.model.terms import Assignment, Constant, Decision, Term
from colosseum.model.values import Elements, Fault, Value

VARIABLES = ("n", "m", "who", "maybe")
VALUES = st.sampled_from([0, 1, 2, -3, 0.5, None, True, False, "A", "B", Elements(("A", "B")), Elements((1,))])


def walked(term: Term, x: Assignment) -> Value:
    """The meaning of a term, by calls for each part."""
    match term:
        case terms.Constant(value=value):
            return value
        case terms.Decision(variable=name):
            return x[name]
        case terms.PayoffOf(agent=agent):
            return x[f"payoff[{agent}]" if agent else "total"]
        case terms.Arithmetic(operator=operator, left=left, right=right):
            return values.arithmetic(operator, walked(left, x), walked(right, x))
        case terms.Compare(operator=operator, left=left, right=right):
            return values.compare(operator, walked(left, x), walked(right, x))
        case terms.Total(parts=parts):
            return values.summed([walked(part, x) for part in parts])
        case terms.Absolute(part=part):
            return values.absolute(walked(part, x))
        case terms.Extremum(which=which, parts=parts, conditions=conditions, aggregate=aggregate):
            pairs = zip(parts, conditions, strict=True)
            found = [walked(part, x) for part, holds in pairs if values.truth(walked(holds, x), "`when`")]
            return values.extremum(which, found, aggregate=aggregate)
        case terms.Conditional(condition=condition, then=then, otherwise=otherwise):
            return walked(then if values.truth(walked(condition, x), "the condition") else otherwise, x)
        case terms.Member(item=item, elements=elements):
            return values.member(walked(item, x), walked(elements, x))
        case terms.Every(parts=parts):
            return all(values.truth(walked(part, x), "a part of `and`") for part in parts)
        case terms.Some(parts=parts):
            return any(values.truth(walked(part, x), "a part of `or`") for part in parts)
        case terms.Inverse(part=part):
            return not values.truth(walked(part, x), "the operand of `not`")
        case terms.Select(table=table, keys=keys, entries=entries):
            key = tuple(walked(each, x) for each in keys)
            if None in key:
                return None
            for at, entry in entries:
                if at == key:
                    return walked(entry, x)
            raise Fault(f"`{values.instance_name(table, key)}` does not exist", code="C052")


def around(part: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    """Terms of all kinds made of others, lists of parts short and long."""
    parts = st.one_of(st.lists(part, min_size=1, max_size=4), st.lists(part, min_size=30, max_size=50)).map(tuple)
    entries = st.dictionaries(st.tuples(VALUES.filter(lambda v: v is not None)), part, max_size=3)
    sides = st.tuples(part, part)
    condition = st.one_of(st.just(terms.SURE), part)
    held = parts.flatmap(lambda made: st.tuples(st.just(made), st.tuples(*(condition,) * len(made))))
    return st.one_of(
        st.builds(lambda o, s: terms.Arithmetic(o, *s), st.sampled_from("+-*/&"), sides),
        st.builds(lambda o, s: terms.Compare(o, *s), st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), sides),
        st.builds(terms.Total, parts), st.builds(terms.Every, parts), st.builds(terms.Some, parts),
        st.builds(terms.Absolute, part), st.builds(terms.Inverse, part), st.builds(terms.Member, part, part),
        st.builds(terms.Conditional, part, part, part),
        st.builds(lambda which, h, a: terms.Extremum(which, h[0], h[1], a),
                  st.sampled_from(["min", "max"]), held, st.booleans()),
        st.builds(lambda k, e: terms.Select("t", (k,), tuple(e.items())), part, entries),
    )  # fmt: skip


LEAVES = st.one_of(
    st.builds(Constant, VALUES), st.builds(Decision, st.sampled_from(VARIABLES)), st.sampled_from([terms.PayoffOf("A")])
)
TERMS = st.recursive(LEAVES, around, max_leaves=25)


def outcome(evaluate: Callable[[Assignment], Value], x: Assignment) -> object:
    try:
        found = evaluate(x)
    except Fault as fault:
        return fault.message, fault.code, fault.help
    return type(found), found


@settings(max_examples=250)
@given(TERMS, st.lists(st.fixed_dictionaries(dict.fromkeys(VARIABLES, VALUES)), min_size=1, max_size=4))
def test_a_compiled_term_means_what_a_walk_through_it_means(term: Term, assignments: list[dict[str, Value]]) -> None:
    for assignment in assignments:
        x = {**assignment, "payoff[A]": 1.5}
        assert outcome(term.evaluate, x) == outcome(partial(walked, term), x)


def test_terms_that_are_deep_or_long_are_put_together_from_several_functions() -> None:
    start: Term = Constant(0)
    deep = reduce(lambda term, n: terms.Arithmetic("+", term, Decision(f"v{n}")), range(120), start)
    long = terms.Total(tuple(Decision(f"v{n}") for n in range(5 * LARGEST)))
    x = {f"v{n}": n for n in range(5 * LARGEST)}
    assert deep.evaluate(x) == sum(range(120))
    assert long.evaluate(x) == sum(range(5 * LARGEST))
    again = pickle.loads(pickle.dumps(deep))
    assert again == deep
    assert again.evaluate(x) == sum(range(120))


def test_names_in_a_spec_are_no_code() -> None:
    name = "__import__('os')"
    assert Decision(name).evaluate({name: 3}) == 3
    assert terms.Compare("==", Decision(name), Constant("x); y = (1")).evaluate({name: "x); y = (1"}) is True
