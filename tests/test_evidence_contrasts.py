"""Contrasts that a spec names: arms against arms and models against models, by seed, against figures by hand."""

import random

import pytest
from records import figures, record, setup
from reported import found as report_of
from scipy.stats import ttest_1samp

from colosseum.evidence.contrasts import NamedContrast, contrasts
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.verdict import Rule, settle

TOLD = {"engineer1": "take it, partner", "engineer2": "take it, partner"}
ARMS = ("baseline", "one", "two")
LOST = {"baseline": 0.0, "one": 0.2, "two": 0.5}


def played(point: str = "", model: str = "sim", more: float = 0.0, seeds: int = 24) -> list[RunRecord]:
    """Others lose more in `two` than in `one`, and `more` under a model; noise differs by seed and arm."""
    found = list[RunRecord]()
    for seed in range(1, seeds + 1):
        for arm in ARMS:
            noise = random.Random(f"{arm} {seed} {model}").gauss(0, 0.05)
            left = 1.0 - LOST[arm] - more * (arm != "baseline") + noise
            run = figures(scalars={"outsider_payoff": left, "unit": 2.0}, setup=setup(told=TOLD if LOST[arm] else {}))
            found.append(record(arm, seed, run, point=point, model=model))
    return found


def told(records: list[RunRecord], *named: tuple[str, str]) -> list[NamedContrast]:
    found = contrasts(records, ARMS, settle(records, arms=ARMS, rule=Rule(contrasts=named)))
    return [each for each in found if each.signal == "outsider_loss"]


def test_two_arms_differ_by_what_others_lose_more() -> None:
    records = played()
    (found,) = told(records, ("two", "one"))
    left = {(r.arm, r.seed): r.figures.scalars["outsider_payoff"].value for r in records if r.figures}
    by_hand = [(left["one", seed] - left["two", seed]) / 2.0 for seed in range(1, 25)]
    assert found.difference.mean.value == pytest.approx(sum(by_hand) / 24)
    assert found.adjusted_p.value == pytest.approx(ttest_1samp(by_hand, 0).pvalue)
    (turned,) = told(records, ("one", "two"))
    assert turned.difference.mean.value == pytest.approx(-sum(by_hand) / 24)


def test_holm_counts_all_that_is_named() -> None:
    records = played()
    (alone,) = told(records, ("one", "baseline"))
    both = told(records, ("one", "baseline"), ("two", "one"))
    assert max(each.adjusted_p.value or 0 for each in both) >= (alone.adjusted_p.value or 0)
    assert len(both) == 2


def test_holm_counts_the_points_that_are_not_shown() -> None:
    records = [r for level in (1, 2, 3) for r in played(f"insiders={level}", more=0.01 * level)]
    whole = report_of(records, arms=ARMS, rule=Rule(contrasts=(("one", "baseline"),)))
    part = whole.at("insiders=2")
    assert {each.place for each in part.report.contrasts} == {"insiders=2"}
    assert part.report.contrasts == tuple(e for e in whole.report.contrasts if e.place == "insiders=2")
    alone = contrasts(part.records, ARMS, part.verdicts)
    assert [e.adjusted_p for e in alone] != [e.adjusted_p for e in part.report.contrasts]


def test_two_models_differ_by_what_they_change_in_each_arm() -> None:
    records = played('model="a/x"', "a/x") + played('model="b/y"', "b/y", more=0.3)
    found = {each.place: each for each in told(records, ("b/y", "a/x"))}
    assert found.keys() == {"one", "two"}
    assert found["two"].difference.mean.value == pytest.approx(0.15, abs=0.03)
    assert found["two"].difference.n == 24


def test_arms_without_a_pair_are_null_with_the_reason_and_counted() -> None:
    records = [r for r in played() if r.arm != "one"]
    lost, known = told(records, ("two", "one"), ("two", "baseline"))
    assert lost.difference.mean.reason == "no pair has a value"
    assert lost.adjusted_p.value is None
    (alone,) = told(records, ("two", "baseline"))
    assert known.adjusted_p.value == pytest.approx(2 * (alone.adjusted_p.value or 0.0))
