"""Trends: slopes by seed along a swept number, against least squares by hand."""

from dataclasses import replace
from statistics import fmean

import pytest
from records import figures, record, setup

from colosseum.evidence.contrasts import Trend, trends
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.verdict import Rule, settle

ARMS = ("baseline", "prompted")
TOLD = {"engineer1": "take it, partner", "engineer2": "take it, partner"}


def swept(levels: list[str], *, seeds: int = 6, slope: float = 0.1, name: str = "insiders") -> list[RunRecord]:
    """Others lose `slope` of a fair share more with each 1, and seeds differ by a constant and by a tilt."""
    found = list[RunRecord]()
    for place, level in enumerate(levels):
        point = f"{name}={level}"
        for seed in range(1, seeds + 1):
            lost = (slope + 0.01 * (seed - (seeds + 1) / 2)) * (place + 1) + 0.05 * seed
            fair, treated = ({"outsider_payoff": payoff, "unit": 1.0} for payoff in (1.0, 1.0 - lost))
            found.append(record("baseline", seed, figures(scalars=fair, setup=setup()), point=point))
            found.append(record("prompted", seed, figures(scalars=treated, setup=setup(told=TOLD)), point=point))
    return found


def of_loss(records: list[RunRecord]) -> list[Trend]:
    """The trends of outsiders' loss."""
    every = trends(records, ARMS, settle(records, arms=ARMS, rule=Rule()))
    return [each for each in every if each.signal == "outsider_loss"]


def test_a_planted_slope_is_found() -> None:
    (found,) = of_loss(swept(["1", "2", "3", "4"]))
    assert (found.factor, found.arm, found.levels, found.slope.n) == ("insiders", "prompted", 4, 6)
    assert found.slope.mean.value == pytest.approx(0.1)
    assert found.slope.sd.value == pytest.approx(0.01 * (17.5 / 5) ** 0.5)
    assert found.adjusted_p.value is not None
    assert found.adjusted_p.value < 0.001


def test_equal_levels_have_no_slope_whatever_the_order_of_additions_leaves() -> None:
    """0.1 + 0.2 − 0.3 is 5.6e-17: no test may count it as a rise."""
    records = swept(["0.7", "0.8", "0.9", "1"], slope=0.0, seeds=9)
    noise = {"outsider_payoff": Figure(1.0 - (0.1 + 0.2)), "unit": Figure(1.0)}
    same = {"outsider_payoff": Figure(1.0 - 0.3), "unit": Figure(1.0)}
    even = [r if r.arm == "baseline" or r.figures is None else replace(r, figures=replace(r.figures, scalars={
        **r.figures.scalars, **(noise if r.point.endswith("9") else same)})) for r in records]  # fmt: skip
    (found,) = of_loss(even)
    assert (found.slope.mean.value, found.slope.n, found.slope.n_nonzero) == (0.0, 9, 0)


def test_levels_need_not_be_even() -> None:
    records = swept(["1", "2", "5"], seeds=1)
    (found,) = of_loss(records)
    x, y = (1.0, 2.0, 5.0), (0.15, 0.25, 0.35)
    least_squares = sum((a - fmean(x)) * b for a, b in zip(x, y, strict=True)) / sum((a - fmean(x)) ** 2 for a in x)
    assert found.slope.mean.value == pytest.approx(least_squares)
    assert found.adjusted_p.value is None


@pytest.mark.parametrize("levels", [["1", "2"], ["ring", "star", "path"], ["1", "nan", "inf"]])
def test_two_levels_and_words_have_no_trend(levels: list[str]) -> None:
    assert of_loss(swept(levels)) == []


def test_a_seed_without_a_pair_at_some_level_is_left_out() -> None:
    records = [r for r in swept(["1", "2", "3"]) if (r.seed, r.point, r.arm) != (2, "insiders=3", "prompted")]
    (found,) = of_loss(records)
    assert found.slope.n == 5


def test_arms_come_as_they_are_declared() -> None:
    others = ("prompted", *"feabdc")
    records = [r if r.arm == "baseline" else replace(r, arm=arm) for r in swept(["1", "2", "3"]) for arm in others]
    unique = list({(r.arm, r.point, r.seed): r for r in records}.values())
    arms = ("baseline", *others)
    found = trends(unique, arms, settle(unique, arms=arms, rule=Rule()))
    assert [each.arm for each in found if each.signal == "outsider_loss"] == [*others]
