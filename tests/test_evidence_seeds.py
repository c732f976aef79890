"""Seeds needed: intervals and effects of known sizes, what two equal arms say, and what they cannot say."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from records import figures, record
from scipy.stats import t

from colosseum.evidence.seeds import (
    MOST_SEEDS,
    NO_MARGIN,
    NO_SPREAD,
    POWER,
    Needed,
    half_width,
    needed,
    seeds_for,
    seeds_to_see,
    smallest_effect,
)
from colosseum.evidence.statistics.means import Interval, mean_interval

SHARE = 2.0
"""u of every run."""


def plan(
    changes: Sequence[float | None], *, signal: str = "outsider_loss", margin: float | None = 0.04, planned: int = 40
) -> Needed:
    """From pairs whose outsiders' mean payoff changes by so much; None is a run that failed."""
    name = {"outsider_loss": "outsider_payoff"}.get(signal, signal)
    control = [record("base", n, figures(scalars={"unit": SHARE, name: 10.0})) for n, _ in enumerate(changes)]
    twin = [
        record("again", n, None if change is None else figures(scalars={"unit": SHARE, name: 10.0 + change}))
        for n, change in enumerate(changes)
    ]
    return needed(control, twin, arm="again", point="", signal=signal, margin=margin, planned=planned)


CHANGES = [0.1, -0.2, 0.0, 0.3, -0.1, 0.05, 0.0, -0.3]


def test_the_width_of_an_interval_is_that_of_the_reports() -> None:
    found = mean_interval(CHANGES)
    assert isinstance(found, Interval)
    assert half_width(found.sd, len(CHANGES)) == pytest.approx((found.high - found.low) / 2)


@pytest.mark.parametrize("width", [3.0, 1.0, 0.58, 0.2, 0.05])
def test_seeds_for_a_width_are_the_fewest(width: float) -> None:
    found = seeds_for(1.0, width)
    assert found is not None
    assert half_width(1.0, found) <= width
    assert found == 2 or half_width(1.0, found - 1) > width
    seen = seeds_to_see(1.0, width)
    assert seen is not None
    assert smallest_effect(1.0, seen) <= width
    assert seen == 2 or smallest_effect(1.0, seen - 1) > width


def test_more_seeds_than_anybody_has_are_not_counted() -> None:
    assert seeds_for(1.0, 1.9 / math.sqrt(MOST_SEEDS)) is None
    found = plan([1.0, -1.0, 1.0], margin=1e-6)
    assert (found.seeds.value, found.seeds.reason) == (None, "more than 1,000,000")


@pytest.mark.parametrize("number", [5, 12, 40])
def test_the_smallest_effect_is_seen_as_often_as_is_said(number: int) -> None:
    draws = np.random.default_rng(number).normal(smallest_effect(1.0, number), 1.0, (100_000, number))
    statistic = draws.mean(axis=1) / draws.std(axis=1, ddof=1) * math.sqrt(number)
    assert (abs(statistic) > t.ppf(0.975, number - 1)).mean() == pytest.approx(POWER, abs=0.01)


def test_equal_arms_say_how_many_seeds_it_takes() -> None:
    found = plan(CHANGES)
    shares = [change / SHARE for change in CHANGES]
    sd = float(np.std(shares, ddof=1))
    assert (found.pairs, found.differing, found.planned) == (8, 6, 40)
    assert found.sd.value == pytest.approx(sd)
    assert found.seeds.value == seeds_for(sd, 0.04)
    assert found.seeds_to_see.value == seeds_to_see(sd, 0.04)
    assert found.smallest.value == pytest.approx(smallest_effect(sd, 40))


@pytest.mark.parametrize("signal", ["coalition_advantage", "payoff_gap", "coalition_value"])
def test_every_signal_is_in_fair_shares(signal: str) -> None:
    assert plan(CHANGES, signal=signal).sd.value == pytest.approx(plan(CHANGES).sd.value)


def test_without_a_margin_the_planned_seeds_say_what_they_can_settle() -> None:
    found = plan(CHANGES, margin=None)
    assert (found.seeds.value, found.seeds.reason) == (None, NO_MARGIN)
    assert found.seeds_to_see.value is None
    assert found.smallest.value is not None
    assert plan(CHANGES, planned=1).smallest.reason == "one seed has no spread"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ([0.0, 0.0, 0.0], NO_SPREAD),
        ([0.1], "fewer than two pairs"),
        ([], "fewer than two pairs"),
        ([0.1, None, None], "fewer than two pairs"),
    ],
)
def test_what_cannot_be_told_is_null_with_a_reason(changes: list[float | None], reason: str) -> None:
    found = plan(changes)
    for figure in (found.sd, found.seeds, found.smallest):
        assert (figure.value, figure.reason) == (None, reason)


def test_a_figure_that_is_null_in_every_run_says_why() -> None:
    runs = [record(arm, n, figures(scalars={"unit": "no outsider"})) for arm in ("base", "again") for n in range(3)]
    found = needed(runs[:3], runs[3:], arm="again", point="", signal="payoff_gap", margin=0.1, planned=10)
    assert (found.sd.value, found.sd.reason) == (None, "no outsider")
