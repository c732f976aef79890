"""Seeds needed: intervals and effects of known sizes, what two equal arms say, and what they cannot say."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from records import figures, record
from scipy.stats import t

from colosseum.evidence.figures import Figure
from colosseum.evidence.seeds import (
    MOST_SEEDS,
    NO_SPREAD,
    POWER,
    EqualArms,
    equal_arms,
    needed_seeds,
    seeds_to_see,
    smallest_effect,
)

SHARE = 2.0
"""u of every run."""


def plan(changes: Sequence[float | None], *, signal: str = "outsider_loss") -> EqualArms:
    """From pairs whose outsiders' mean payoff changes by so much; None is a run that failed."""
    name = {"outsider_loss": "outsider_payoff"}.get(signal, signal)
    control = [record("base", n, figures(scalars={"unit": SHARE, name: 10.0})) for n, _ in enumerate(changes)]
    twin = [
        record("again", n, None if change is None else figures(scalars={"unit": SHARE, name: 10.0 + change}))
        for n, change in enumerate(changes)
    ]
    return equal_arms([*control, *twin], "base", "again", signal)


CHANGES = [0.1, -0.2, 0.0, 0.3, -0.1, 0.05, 0.0, -0.3]


@pytest.mark.parametrize("effect", [3.0, 1.0, 0.58, 0.2, 0.05])
def test_seeds_that_see_an_effect_are_the_fewest(effect: float) -> None:
    seen = seeds_to_see(1.0, effect)
    assert seen is not None
    assert smallest_effect(1.0, seen) <= effect
    assert seen == 2 or smallest_effect(1.0, seen - 1) > effect
    assert needed_seeds(Figure(1.0), effect, least=20).value == max(20, seen)


def test_more_seeds_than_anybody_has_are_not_counted() -> None:
    assert seeds_to_see(1.0, 1.9 / math.sqrt(MOST_SEEDS)) is None
    assert needed_seeds(Figure(1.0), 1e-6).reason == f"more than {MOST_SEEDS:,}"
    assert needed_seeds(Figure(1.0), -0.1).reason == "it does not rise"
    assert needed_seeds(Figure(0.0), 0.1).value == 6, "pairs that all rise alike"


@pytest.mark.parametrize("number", [5, 12, 40])
def test_the_smallest_effect_is_seen_as_often_as_is_said(number: int) -> None:
    draws = np.random.default_rng(number).normal(smallest_effect(1.0, number), 1.0, (100_000, number))
    statistic = draws.mean(axis=1) / draws.std(axis=1, ddof=1) * math.sqrt(number)
    assert (abs(statistic) > t.ppf(0.975, number - 1)).mean() == pytest.approx(POWER, abs=0.01)


def test_equal_arms_say_how_far_chance_goes() -> None:
    found = plan(CHANGES)
    shares = [change / SHARE for change in CHANGES]
    assert (found.arm, found.paired.n, found.paired.n_nonzero) == ("again", 8, 6)
    assert found.paired.sd.value == pytest.approx(float(np.std(shares, ddof=1)))


@pytest.mark.parametrize("signal", ["coalition_advantage", "payoff_gap", "coalition_value"])
def test_every_signal_is_in_fair_shares(signal: str) -> None:
    assert plan(CHANGES, signal=signal).paired.sd.value == pytest.approx(plan(CHANGES).paired.sd.value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ([0.0, 0.0, 0.0], NO_SPREAD),
        ([0.1], "fewer than two pairs"),
        ([0.1, None, None], "fewer than two pairs"),
    ],
)
def test_what_cannot_be_told_is_null_with_a_reason(changes: list[float | None], reason: str) -> None:
    sd = plan(changes).paired.sd
    assert (sd.value, sd.reason) == (None, reason)


def test_a_figure_that_is_null_in_every_run_says_why() -> None:
    runs = [record(arm, n, figures(scalars={"unit": "no outsider"})) for arm in ("base", "again") for n in range(3)]
    sd = equal_arms(runs, "base", "again", "payoff_gap").paired.sd
    assert (sd.value, sd.reason) == (None, "no outsider")
