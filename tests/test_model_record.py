"""Records: equal where class and fields are, hashed alike, shown in full, and copied like any dataclass."""

import pickle
from dataclasses import field, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colosseum.language.record import Record
from colosseum.model.terms import Compare, Constant, Decision, Inverse, Total


class Shop(Record):
    name: str
    stock: tuple[int, ...] = ()
    notes: dict[str, str] = field(default_factory=dict, compare=False, repr=False)


class Stall(Record):
    name: str
    stock: tuple[int, ...] = ()


class Nothing(Record):
    pass


@given(st.text(), st.lists(st.integers()), st.text(), st.lists(st.integers()))
def test_records_are_equal_where_their_fields_are(name: str, stock: list[int], other: str, more: list[int]) -> None:
    one, two = Shop(name, tuple(stock), {"a": "b"}), Shop(other, tuple(more))
    assert (one == two) == ((name, stock) == (other, more))
    assert one == replace(one, notes={})
    assert hash(one) == hash(replace(one, notes={}))
    assert one != Stall(name, tuple(stock))
    assert one != name


def test_a_record_is_shown_with_its_fields() -> None:
    assert repr(Shop("Ana", (1, 2), {"a": "b"})) == "Shop(name='Ana', stock=(1, 2))"
    assert repr(Nothing()) == "Nothing()"
    assert Nothing() == Nothing() != Shop("")


def test_default_values_are_not_shared() -> None:
    Shop("Ana").notes["a"] = "b"
    assert Shop("Bo").notes == {}


IS_A = Compare("==", Decision("x"), Constant("a"))


@pytest.mark.parametrize("term", [Constant(1), Total((Decision("x"), Constant(2.5))), Inverse(IS_A)])
def test_terms_survive_pickling_and_name_their_kind_first(term: Constant | Total | Inverse) -> None:
    assert term.scope == pickle.loads(pickle.dumps(term)).scope
    assert pickle.loads(pickle.dumps(term)) == term
    kind = fields(term)[0]
    assert (kind.name, kind.default) == ("op", type(term).__name__.lower())
