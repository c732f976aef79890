"""Seeds needed: intervals and effects of known sizes, what two equal arms say, and what they cannot say."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from records import figures, record
from scipy.stats import t

from colosseum.evidence.figures import Figure
from colosseum.evidence.spread import sd_by_chance
from colosseum.evidence.statistics import MOST_SEEDS, POWER, needed_seeds, seeds_to_see, smallest_effect

SHARE = 2.0
"""u of every run."""


def plan(changes: Sequence[float | None], *, signal: str = "outsider_loss") -> Figure | None:
    """From pairs whose outsiders' mean payoff changes by so much; None is a run that failed."""
    name = {"outsider_loss": "outsider_payoff"}.get(signal, signal)
    control = [record("base", n, figures(scalars={"unit": SHARE, name: 10.0})) for n, _ in enumerate(changes)]
    twin = [
        record("again", n, None if change is None else figures(scalars={"unit": SHARE, name: 10.0 + change}))
        for n, change in enumerate(changes)
    ]
    return sd_by_chance([*control, *twin], ("base", "again"), signal)


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


@pytest.mark.parametrize("signal", ["outsider_loss", "coalition_advantage", "payoff_gap", "coalition_value"])
def test_equal_arms_say_how_far_chance_goes_in_fair_shares(signal: str) -> None:
    found = plan(CHANGES, signal=signal)
    assert found is not None
    assert found.value == pytest.approx(float(np.std([change / SHARE for change in CHANGES], ddof=1)))


@pytest.mark.parametrize("changes", [[0.0, 0.0, 0.0], [0.1], [0.1, None, None]])
def test_equal_arms_without_a_spread_say_nothing(changes: list[float | None]) -> None:
    assert plan(changes) is None
    runs = [record(arm, n, figures(scalars={"unit": "no outsider"})) for arm in ("base", "again") for n in range(3)]
    assert sd_by_chance(runs, ("base", "again"), "payoff_gap") is None
