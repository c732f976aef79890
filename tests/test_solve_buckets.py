"""Elimination of tables against going through all their joint values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colosseum.solve.arrays import Floats
from colosseum.solve.backends.elimination import (
    Scope,
    Solution,
    best_order,
    eliminate,
    ordered,
)

VALUES = (0.0, 0.0, 1.0, 1.0, 0.5, 2.5, -3.0, 0.1, 0.25, 0.75, -1.0, -np.inf)


@dataclass(frozen=True)
class ScopedTables:
    """Tables over some variables, each with its scope in declared order."""

    sizes: dict[str, int]
    tables: tuple[tuple[Scope, Floats], ...]

    def sums(self) -> Floats:
        """The sum at all joint values."""
        whole = np.zeros(tuple(self.sizes.values()))
        for scope, values in self.tables:
            whole = whole + values.reshape([n if name in scope else 1 for name, n in self.sizes.items()])
        return whole

    def solve(self, order: Sequence[str]) -> Solution:
        """By elimination in some order."""
        found = ordered([scope for scope, _ in self.tables], self.sizes, order)
        assert found is not None
        return eliminate(self.tables, found)


@st.composite
def some_tables(draw: st.DrawFn) -> ScopedTables:
    sizes = {f"v{i}": draw(st.integers(2, 4)) for i in range(draw(st.integers(1, 6)))}
    made: list[tuple[Scope, Floats]] = []
    for _ in range(draw(st.integers(0, 6))):
        inside = draw(st.sets(st.sampled_from(list(sizes)), max_size=3))
        scope = tuple(name for name in sizes if name in inside)
        shape = [sizes[name] for name in scope]
        count = int(np.prod(shape))
        values = draw(st.lists(st.sampled_from(VALUES), min_size=count, max_size=count))
        made.append((scope, np.array(values).reshape(shape)))
    return ScopedTables(sizes, tuple(made))


def at(places: dict[str, int], tables: ScopedTables) -> tuple[int, ...]:
    return tuple(places.get(name, 0) for name in tables.sizes)


@settings(max_examples=25)
@given(st.data())
def test_every_order_finds_the_greatest_sum(data: st.DataObject) -> None:
    tables = data.draw(some_tables())
    whole = tables.sums()
    solved = tables.solve(data.draw(st.permutations(list(tables.sizes))))
    assert solved.value == pytest.approx(whole.max())
    if np.isneginf(whole.max()):
        return
    assert whole[at(solved.first(slack=0.0), tables)] == pytest.approx(whole.max())


@settings(max_examples=25)
@given(st.data())
def test_the_first_place_within_a_slack(data: st.DataObject) -> None:
    tables = data.draw(some_tables())
    whole = tables.sums()
    if np.isneginf(whole.max()):
        return
    slack = data.draw(st.sampled_from((1e-9, 0.35, 1.0, 4.0)))
    expected = next(place for place in np.ndindex(whole.shape) if whole.max() - whole[place] <= slack + 1e-12)
    solved = tables.solve(list(tables.sizes)[::-1])
    assert at(solved.first(slack=slack + 1e-12), tables) == expected


@pytest.mark.parametrize(("slack", "place"), [(0.0, (1, 1, 1)), (0.5, (1, 0, 1)), (1.0, (0, 1, 1)), (1.5, (0, 0, 1))])
def test_what_is_given_away_is_given_once(slack: float, place: tuple[int, ...]) -> None:
    made = (((name,), np.array([0.0, more])) for name, more in (("a", 1.0), ("b", 0.5), ("c", 2.0)))
    tables = ScopedTables({"a": 2, "b": 2, "c": 2}, tuple(made))
    solved = tables.solve("cba")
    assert at(solved.first(slack=slack), tables) == place


def test_large_sums() -> None:
    """A ring of eight, two of whose tables are over seven: sums of 65 536 joint values."""
    rng = np.random.default_rng(8)
    names = [f"v{i}" for i in range(8)]
    scopes = [tuple(names[:7]), tuple(names[1:]), *pairwise(names)]
    made = [(scope, rng.choice((0.0, 0.5, -1.0, 2.25, -np.inf), size=(4,) * len(scope))) for scope in scopes]
    tables = ScopedTables(dict.fromkeys(names, 4), tuple(made))
    whole = tables.sums()
    for order in (names, names[::-1], names[4:] + names[:4]):
        solved = tables.solve(order)
        assert solved.value == whole.max()
        assert whole[at(solved.first(slack=0.0), tables)] == whole.max()


# ---- orders ----------------------------------------------------------------------------------------------------------


def lattice(side: int, values: int) -> tuple[list[tuple[str, str]], dict[str, int]]:
    names = {(i, j): f"v{i}{j}" for i, j in product(range(side), repeat=2)}
    scopes = [
        (name, names[i + a, j + b])
        for (i, j), name in names.items()
        for a, b in ((1, 0), (0, 1))
        if (i + a, j + b) in names
    ]
    return scopes, dict.fromkeys(names.values(), values)


def estimate(scopes: Sequence[Sequence[str]], sizes: Mapping[str, int]) -> int | None:
    """What the best order costs."""
    order = best_order(scopes, sizes)
    return None if order is None else order.cost


def test_a_tree_costs_what_its_edges_do() -> None:
    sizes = {f"v{i}": 3 for i in range(100)}
    scopes = [(f"v{(i - 1) // 2}", f"v{i}") for i in range(1, 100)]
    assert estimate(scopes, sizes) == 99 * 9 + 3


def test_a_grid_needs_no_more_than_its_width() -> None:
    """Eight rows of eight: no order does with tables over fewer than nine, and one with nine is found."""
    for values in (3, 5):
        scopes, sizes = lattice(8, values)
        order = best_order(scopes, sizes, most=values**9)
        assert order is not None
        assert sorted(order.turn) == sorted(sizes)
        assert order == ordered(scopes, sizes, list(order.turn))
        assert best_order(scopes, sizes, most=values**9 - 1) is None


def test_the_cost_of_an_order_is_that_of_its_tables() -> None:
    scopes, sizes = [("a", "b"), ("b", "c"), ("c", "d")], {"a": 2, "b": 3, "c": 5, "d": 7}
    for names, cost in (("abcd", 6 + 15 + 35 + 7), ("bacd", 30 + 10 + 35 + 7)):
        order = ordered(scopes, sizes, names)
        assert order is not None
        assert ("".join(order.turn), order.cost) == (names, cost)
    assert ordered(scopes, sizes, "bacd", most=29) is None
    assert estimate(scopes, sizes) == 35 + 15 + 6 + 2


def test_what_hangs_together_too_much_is_too_large() -> None:
    sizes = {f"v{i}": 4 for i in range(20)}
    assert estimate([tuple(sizes)], sizes) is None
    assert estimate([(a, b) for a in sizes for b in sizes if a < b], sizes) is None
    assert estimate([(f"v{i}",) for i in range(20)], sizes) == 80
