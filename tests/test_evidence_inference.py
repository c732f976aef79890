"""Bootstrap limits, many tests, shares and labels against scipy, worked examples and calibration."""

import math
import random
from collections.abc import Mapping
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from colosseum.evidence.checks import Labelled, label_permutation
from colosseum.evidence.statistics import (
    Share,
    bca_interval,
    benjamini_hochberg,
    correlation,
    effect_size,
    sign_test,
    student_test,
    wilson,
)

SLEEP = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
"""Hours of sleep gained under drug 1 (Student 1908)."""
PS = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def skewed(number: int, seed: int) -> list[float]:
    return [float(v) for v in np.random.default_rng(seed).exponential(1.0, number)]


# ---- means ---------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(-100, 100).map(lambda v: round(v, 2)), min_size=2, max_size=30), st.floats(-5, 5))
def test_student_test_agrees_with_scipy(values: list[float], against: float) -> None:
    found = student_test(values, against=against)
    if max(values) == min(values):
        assert (found.value, found.reason) == (None, "all values are equal")
        return
    assert found.value == pytest.approx(stats.ttest_1samp(values, against).pvalue, rel=1e-9, abs=1e-9)


def test_effect_size_of_the_sleep_data() -> None:
    assert effect_size(SLEEP).value == pytest.approx(0.75 / float(np.std(SLEEP, ddof=1)), abs=1e-12)
    assert effect_size([1.0]).reason == "one value has no spread"


@given(st.lists(st.sampled_from([0.0, 0.0, 1.5, -0.25, 3.0]) | st.floats(-9, 9), min_size=20, max_size=40))
@settings(max_examples=20)
def test_bca_limits_are_those_of_scipy_to_the_last_digit(values: list[float]) -> None:
    found = bca_interval(values)
    if isinstance(found, str):
        return
    theirs = stats.bootstrap((sorted(values),), np.mean, method="BCa", batch=500, rng=0).confidence_interval
    assert (found.low, found.high) == (theirs.low, theirs.high)


def test_bca_limits_do_not_depend_on_the_order_and_need_twenty_values_with_spread() -> None:
    values = skewed(25, 4)
    assert bca_interval(values[::-1]) == bca_interval(values)
    assert bca_interval(values[:19]) == "fewer than 20 values"
    assert bca_interval([2.0] * 30) == "all values are equal"


# ---- many tests ----------------------------------------------------------------------------------------------------


@given(PS)
def test_adjusted_p_agrees_with_scipy(ps: list[float]) -> None:
    assert benjamini_hochberg(ps) == pytest.approx(list(stats.false_discovery_control(ps)), rel=1e-9, abs=1e-9)


def test_the_worked_example_of_benjamini_and_hochberg() -> None:
    """Fifteen tests of a trial of rt-PA (1995, section 4): the four smallest are findings at 0.05."""
    ps = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
          0.7590, 1.0]  # fmt: skip
    adjusted = benjamini_hochberg(ps)
    assert sum(p <= 0.05 for p in adjusted) == 4
    assert adjusted[3] == pytest.approx(0.0095 * 15 / 4)


def test_a_study_of_fair_play_finds_something_in_one_of_twenty_with_adjusted_p() -> None:
    draws = np.random.default_rng(11).normal(0, 1, (1_000, 38, 12))
    statistic = draws.mean(axis=2) / draws.std(axis=2, ddof=1) * math.sqrt(12)
    ps = 2 * stats.t.sf(abs(statistic), 11)
    adjusted = np.array([min(benjamini_hochberg([float(p) for p in study])) for study in ps])
    assert (ps.min(axis=1) <= 0.05).mean() > 0.8
    assert 0.03 <= (adjusted <= 0.05).mean() <= 0.07


# ---- shares --------------------------------------------------------------------------------------------------------


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.9, 0.95]))
def test_limits_of_shares_agree_with_scipy(case: tuple[int, int], level: float) -> None:
    count, total = case
    share = wilson(count, total, level=level)
    assert isinstance(share, Share)
    theirs = stats.binomtest(count, total).proportion_ci(level, method="wilson")
    assert (share.low, share.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9, abs=1e-9)


def test_shares_of_nothing() -> None:
    assert wilson(0, 0) == "there is no case"


def test_mcnemar_by_hand() -> None:
    """Ten pairs against two: 2 · P(at most 2 of 12 heads) = 2 · 79 / 4096."""
    turns = [1.0] * 10 + [-1.0] * 2
    assert sign_test([*turns, 0.0]).value == pytest.approx(158 / 4096, abs=1e-12)
    assert sign_test([-turn for turn in turns]) == sign_test(turns)
    assert sign_test([0.0]).reason == "no pair differs"


# ---- labels --------------------------------------------------------------------------------------------------------

AGENTS = ("a", "b", "c", "d", "e")


def run(values: list[float | None], members: tuple[str, ...], kinds: dict[str, int] | None = None) -> Labelled:
    known = {agent: value for agent, value in zip(AGENTS, values, strict=False) if value is not None}
    return [known], members, kinds or {}


def brute(runs: list[Labelled]) -> float:
    """The share of all combinations of coalitions whose summed gaps are at least the true one."""

    def gap(worth: Mapping[str, float], members: tuple[str, ...]) -> float:
        inside, outside = ([v for a, v in worth.items() if (a in members) is side] for side in (True, False))
        return sum(inside) / len(inside) - sum(outside) / len(outside)

    true = sum(gap(worth, members) for [worth], members, _ in runs)
    every = [[gap(worth, m) for m in combinations(worth, len(members))] for [worth], members, _ in runs]
    sums = [sum(choice) for choice in product(*every)]
    return sum(total >= true - 1e-9 for total in sums) / len(sums)


def test_coalitions_are_counted_as_often_as_they_are_likely() -> None:
    runs = [run([5.0, 4.0, 1.0, 2.0, 0.0], ("a", "b")), run([1.0, 3.0, 2.0, 7.0, 4.0], ("d", "c"))]
    found = label_permutation({1: runs[0], 2: runs[1]})
    assert found.value == pytest.approx(brute(runs), abs=0.02)
    assert label_permutation({1: runs[0]}).value == pytest.approx(1 / 10, abs=0.015)


def test_repeats_of_one_seed_are_averaged() -> None:
    [one], [other] = (run([first, 0.0, 1.0, 2.0, 3.0], ("a",))[0] for first in (9.0, -9.0))
    middle = run([0.0, 0.0, 1.0, 2.0, 3.0], ("a",))
    assert label_permutation({1: ([one, other], ("a",), {})}) == label_permutation({1: middle})


def test_agents_of_different_kinds_do_not_change_places() -> None:
    hub = {"a": 4, "b": 1, "c": 1, "d": 1, "e": 1}
    assert label_permutation({1: run([9.0, 1.0, 1.0, 1.0, 1.0], ("a",), hub)}).reason == (
        "no other coalition was as likely"
    )
    assert label_permutation({1: run([9.0, 5.0, 1.0, 2.0, 3.0], ("b",), hub)}).value == pytest.approx(1 / 4, abs=0.02)


def test_agents_without_a_value_are_left_out() -> None:
    assert label_permutation({1: run([None, 1.0, 2.0, 3.0, 4.0], ("a",))}).reason == (
        "no run has a figure for its coalition"
    )
    assert label_permutation({1: run([None, 1.0, 2.0, 3.0, 9.0], ("e",))}).value == pytest.approx(1 / 4, abs=0.02)


def test_many_seeds_are_drawn_and_repeat() -> None:
    runs = {n: run([9.0, 1.0, 2.0, 3.0, 4.0], ("a", "b")) for n in range(20)}
    found = label_permutation(runs)
    assert found == label_permutation(runs)
    assert found.value is not None
    assert 1 / 10_001 <= found.value < 0.5


def test_coalitions_drawn_at_random_are_found_in_one_of_twenty_studies() -> None:
    chance = random.Random(5)
    rejected = 0
    for _ in range(400):
        runs = {}
        for number in range(3):
            worth = [chance.gauss(0, 1) + place for place in range(5)]
            runs[number] = run(list(worth), tuple(chance.sample(AGENTS, 2)))
        p = label_permutation(runs).value
        assert p is not None
        rejected += p <= 0.05
    assert 0.025 <= rejected / 400 <= 0.08


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=5, max_size=60))
def test_correlations_are_those_of_scipy(pairs: list[tuple[float, float]]) -> None:
    found = correlation(pairs)
    if isinstance(found, str):
        return
    theirs = stats.pearsonr(*np.array(pairs).T)
    limits = theirs.confidence_interval()
    assert (found.r, found.low, found.high) == pytest.approx((theirs.statistic, limits.low, limits.high), abs=1e-9)


def test_correlations_that_mean_nothing_say_why() -> None:
    assert correlation([(1.0, 2.0)] * 3) == "fewer than four pairs"
    assert correlation([(1.0, 2.0)] * 9) == "all values are equal"
    assert correlation([(float(n), 2.0 * n) for n in range(9)]) == "all pairs lie on one line"
