"""Means, intervals and exact tests against worked examples, scipy and the laws they must keep."""

import math
import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from colosseum.evidence.statistics import Interval, Paired, mean_interval, paired, sign_flip, sign_test

NUMBERS = st.floats(-1e6, 1e6).map(lambda v: round(v, 3))
SAMPLES = st.lists(NUMBERS, max_size=30)
SLEEP = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
"""Hours of sleep gained under drug 1 (Student 1908)."""
DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Crossed minus self-fertilised maize in eighths of an inch; Fisher (1935, section 21) counts 1 726 of 32 768 splits
at least as far out on both sides."""


def test_student_interval_of_the_sleep_data() -> None:
    interval = mean_interval(SLEEP)
    assert isinstance(interval, Interval)
    assert interval.mean == pytest.approx(0.75)
    assert interval.sd == pytest.approx(1.78901, abs=1e-5)
    assert (interval.low, interval.high) == pytest.approx((-0.52978, 2.02978), abs=1e-5)
    assert (interval.n, interval.level) == (10, 0.95)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "there is no value"),
        ([3.0], "one value has no spread"),
        ([2.5] * 40, "all values are equal"),
        ([0.1 + 0.2, 0.3], "all values are equal"),
    ],
)
def test_no_interval_without_spread(values: list[float], reason: str) -> None:
    assert mean_interval(values) == reason


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_a_bug(bad: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_interval([1.0, bad])


@given(st.lists(NUMBERS, min_size=2, max_size=30), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_interval_agrees_with_scipy_and_contains_the_mean(values: list[float], level: float) -> None:
    interval = mean_interval(values, level=level)
    if isinstance(interval, str):
        assert min(values) == max(values)
        return
    assert interval.low <= interval.mean <= interval.high
    expected = stats.ttest_1samp(values, 0).confidence_interval(level)
    scale = max(map(abs, values))
    assert interval.low == pytest.approx(expected.low, abs=1e-9 * scale)
    assert interval.high == pytest.approx(expected.high, abs=1e-9 * scale)


@given(st.lists(NUMBERS, min_size=2, max_size=30))
def test_a_higher_level_is_never_narrower(values: list[float]) -> None:
    low, high = mean_interval(values, level=0.9), mean_interval(values, level=0.99)
    if isinstance(low, Interval) and isinstance(high, Interval):
        assert high.low <= low.low <= low.high <= high.high


@given(SAMPLES, st.randoms(use_true_random=False))
def test_order_changes_no_digit(values: list[float], chance: random.Random) -> None:
    shuffled = list(values)
    chance.shuffle(shuffled)
    assert paired(shuffled) == paired(values)
    assert sign_flip(shuffled) == sign_flip(values)


@given(SAMPLES)
def test_negated_differences_mirror_everything(values: list[float]) -> None:
    there, back = paired(values), paired([-v for v in values])
    assert _mirrored(back) == _flat(there)
    assert sign_flip([-v for v in values]) == sign_flip(values)


def _flat(p: Paired) -> tuple[object, ...]:
    limits = (p.interval.low, p.interval.high) if isinstance(p.interval, Interval) else p.interval
    return p.mean.value, limits, p.sd, p.n, p.n_nonzero, p.reliable, p.sign_test


def _mirrored(p: Paired) -> tuple[object, ...]:
    limits = (-p.interval.high, -p.interval.low) if isinstance(p.interval, Interval) else p.interval
    mean = None if p.mean.value is None else -p.mean.value
    return mean, limits, p.sd, p.n, p.n_nonzero, p.reliable, p.sign_test


@pytest.mark.parametrize(("nonzero", "reliable"), [(19, False), (20, True)])
def test_an_interval_is_reliable_from_twenty_nonzero_differences(nonzero: int, reliable: bool) -> None:
    result = paired([1.0 + i for i in range(nonzero)] + [0.0] * 30)
    assert (result.n, result.n_nonzero, result.reliable) == (nonzero + 30, nonzero, reliable)
    assert isinstance(result.interval, Interval)


def test_paired_says_why_a_figure_is_missing() -> None:
    nothing, one, same = paired([]), paired([2.0]), paired([0.0] * 5)
    assert (nothing.mean.value, nothing.mean.reason) == (None, "no pair has a value")
    assert nothing.sd.reason == one.sd.reason == "fewer than two pairs"
    assert (one.mean.value, one.interval) == (2.0, "one value has no spread")
    assert (same.mean.value, same.sd.value, same.interval) == (0.0, 0.0, "all values are equal")
    assert (nothing.sign_test.reason, same.sign_test.reason) == ("no pair has a value", "no pair differs")


def test_sign_test_by_hand() -> None:
    assert sign_test([1, 2, 3, 4, 5, 6, 7, 8, 9, -1, 0, 0]).value == pytest.approx(2 * 11 / 1024)
    assert sign_test([1, -1]).value == 1.0
    assert sign_test([5]).value == 1.0


@given(st.integers(0, 40), st.integers(0, 40))
def test_sign_test_is_the_doubled_binomial_tail(rises: int, falls: int) -> None:
    p = sign_test([1.0] * rises + [-2.0] * falls).value
    n = rises + falls
    if n == 0:
        assert p is None
        return
    tail = sum(math.comb(n, k) for k in range(min(rises, falls) + 1)) / 2**n
    assert p == pytest.approx(min(1.0, 2 * tail))


def test_sign_flip_of_darwins_maize() -> None:
    assert sign_flip([float(d) for d in DARWIN]).value == 1726 / 32768


@given(st.lists(NUMBERS, min_size=1, max_size=9))
def test_sign_flip_counts_every_assignment_of_signs(values: list[float]) -> None:
    p = sign_flip(values).value
    if not any(values):
        assert p is None
        return
    reach = abs(math.fsum(values)) - 1e-9
    sums = [
        abs(math.fsum(s * v for s, v in zip(signs, values, strict=True)))
        for signs in product((-1, 1), repeat=len(values))
    ]
    assert p == sum(total >= reach for total in sums) / len(sums)


@pytest.mark.parametrize("unit", [5e-324, 1e-310, 1e-20, 1e20, 1.7e308])
@pytest.mark.parametrize("copies", [1, 5])
def test_sign_flip_knows_no_unit(unit: float, copies: int) -> None:
    """Also where a sum of the differences is more than any number."""
    values = [1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0] * copies
    assert sign_flip([unit * value for value in values]) == sign_flip(values)


@given(st.lists(NUMBERS, max_size=24))
def test_sign_flip_is_a_probability_above_zero(values: list[float]) -> None:
    p = sign_flip(values).value
    assert p is None or 0 < p <= 1


def test_sampled_flips_agree_with_the_normal_limit_and_repeat() -> None:
    chance = random.Random(3)
    values = [chance.gauss(0.25, 1) for _ in range(60)]
    p = sign_flip(values).value
    z = abs(math.fsum(values)) / math.sqrt(math.fsum(v * v for v in values))
    assert p == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.01)
    assert sign_flip(values).value == p
    assert sign_flip([5.0] * 60).value == 1 / 100_001
