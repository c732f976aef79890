"""Seeds needed: intervals and effects of known sizes, what two equal arms say, and what they cannot say."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from records import figures, record
from scipy.stats import t, ttest_1samp

from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.spread import NO_REPLICA, change_by_chance, noise_of, unit_changes
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
    runs = [*control, *twin]
    assert change_by_chance(runs, ("base", "again"), signal, {"again": "treated"}) is None, "it says so itself"
    found = change_by_chance(runs, ("base", "again"), signal, {})
    return None if found is None else found.sd


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
    assert change_by_chance(runs, ("base", "again"), "payoff_gap", {}) is None


def test_what_chance_does_is_that_of_one_model() -> None:
    """Runs of another model are no repeats of a seed, which would be averaged."""

    def of(model: str, sign: int) -> list[RunRecord]:
        made = {arm: [figures(scalars={"unit": SHARE, "outsider_payoff": 10.0 + sign * change * (arm == "again")})
                      for change in CHANGES] for arm in ("base", "again")}  # fmt: skip
        return [record(arm, seed, each, model=model) for arm in made for seed, each in enumerate(made[arm])]

    both = change_by_chance([*of("a", 1), *of("b", -1)], ("base", "again"), "outsider_loss", {})
    assert both is not None
    assert both.sd == plan(CHANGES)


# ---- the noise of real runs ----------------------------------------------------------------------------------------


def runs(models: int, seeds: int, replicas: int, spread: tuple[float, float, float], effect: float) -> list[RunRecord]:
    """Of two arms; the spreads are of a model's mean change, of a seed's change, and of single runs, in u."""
    chance, found = np.random.default_rng(7), list[RunRecord]()
    of_model, of_seed = chance.normal(effect, spread[0], models), chance.normal(0.0, spread[1], (models, seeds))
    for model, seed, repeat, arm in product(range(models), range(seeds), range(replicas), ("base", "treated")):
        lost = of_model[model] + of_seed[model, seed] if arm == "treated" else 0.0
        made = figures(scalars={"unit": SHARE, "outsider_payoff": SHARE * (5.0 - lost + chance.normal(0, spread[2]))})
        found.append(record(arm, seed, made, repeat=repeat, model=f"m{model}"))
    return found


def test_noise_is_told_apart_by_where_it_comes_from() -> None:
    told = runs(30, 60, 3, (0.3, 0.1, 0.2), 0.5)
    found = noise_of(told, ("base", "treated"), {}, signal="outsider_loss", wanted=0.04, planned=40)
    assert (found.runs, found.models) == (10_800, 30)
    parts = found.between_replicas, found.between_seeds, found.between_models
    assert [math.sqrt(each.value or 0.0) for each in parts] == pytest.approx([0.2, 0.1, 0.3], rel=0.2)
    for replicas, design in found.designs.items():
        sd = math.sqrt(0.1**2 + 2 * 0.2**2 / replicas)
        assert design.sd.value == pytest.approx(sd, rel=0.05)
        assert design.seeds.value == pytest.approx(seeds_to_see(sd, 0.04), rel=0.1)
        assert design.smallest.value == pytest.approx(smallest_effect(design.sd.value or 0.0, 40))
    seeds = [each.seeds.value or 0.0 for each in found.designs.values()]
    assert seeds == sorted(seeds, reverse=True), "more replicas never need more seeds"


def test_without_replicas_their_noise_is_not_known_and_one_run_a_cell_goes_by_what_was_seen() -> None:
    told = runs(1, 30, 1, (0.0, 0.1, 0.2), 0.0)
    found = noise_of(told, ("base", "treated"), {}, signal="outsider_loss", wanted=0.04, planned=20)
    assert found.between_replicas.reason == found.between_seeds.reason == NO_REPLICA
    assert found.between_models.reason == "there is one model"
    assert found.designs[1].sd.value == pytest.approx(0.3, rel=0.3)
    assert found.designs[2].seeds.reason == NO_REPLICA


def test_noise_is_of_treated_arms_in_shares_of_the_control_and_between_models_of_one_sweep_point() -> None:
    """An arm like the control would make it less; and one model at two points is one model still."""
    told = runs(1, 30, 1, (0.0, 0.1, 0.2), 0.5)
    found = noise_of(told, ("base", "treated"), {}, signal="outsider_loss", wanted=0.04, planned=20)
    again = [replace(r, arm="twin") for r in told if r.arm == "base"]
    other_unit = [r if r.arm == "base" or r.figures is None else replace(r, figures=replace(
        r.figures, scalars={**r.figures.scalars, "unit": Figure(7 * SHARE)})) for r in told]  # fmt: skip
    for records, arms, purposes in (
        ([*told, *again], ("base", "treated", "twin"), {"twin": "placebo", "treated": "treated"}),
        (other_unit, ("base", "treated"), {}),
    ):
        same = noise_of(records, arms, purposes, signal="outsider_loss", wanted=0.04, planned=20)
        assert (same.designs[1], same.between_models) == (found.designs[1], found.between_models)
    both = [*told, *(replace(r, point="n=2") for r in told)]
    swept = noise_of(both, ("base", "treated"), {}, signal="outsider_loss", wanted=0.04, planned=20)
    assert swept.between_models.reason == "there is one model"


def test_runs_that_cannot_be_compared_leave_the_noise() -> None:
    good = runs(2, 6, 2, (0.1, 0.1, 0.1), 0.0)
    bad = [record("base", 1, figures(scalars={"outsider_payoff": 900.0}, infeasible=True), model="m0", repeat=9),
           record("base", 1, None, model="m0", repeat=8)]  # fmt: skip
    both = (noise_of(each, ("base", "treated"), {}, signal="outsider_loss", wanted=0.04, planned=9)
            for each in (good, [*good, *bad]))  # fmt: skip
    first, second = both
    assert first == second


def test_a_change_has_models_or_seeds_as_its_units() -> None:
    """Models lose 1 and 3 u, and seeds 0 and 2 u more: means of models are 2 and 4, of seeds 2 and 4, too."""
    found = [record(arm, seed, figures(scalars={"unit": 1.0, "coalition_advantage": worth * (arm == "treated")}),
                    repeat=repeat, model=f"m{model}")
             for model, seed, repeat in product((1, 3), (0, 2), range(2)) for worth in (model + seed,)
             for arm in ("base", "treated")]  # fmt: skip
    both = unit_changes(found, ("base", "treated"))
    assert [(each.against, each.arm, each.units) for each in both] == [("base", "treated", "models"),
                                                                       ("base", "treated", "seeds")]  # fmt: skip
    student = ttest_1samp([2.0, 4.0], 0).pvalue
    for each in both:
        assert (each.change.mean.value, each.change.n) == (3.0, 2)
        assert each.adjusted_p.value == pytest.approx(student)  # equal p stay what they are
    alone = unit_changes(found[:1], ("base", "treated"))
    assert [each.change.mean.reason for each in alone] == ["no pair has a value"] * 2
