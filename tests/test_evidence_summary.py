"""Summaries of records made by hand: what is averaged, what is paired, and what is left out and why."""

import random

import pytest
from records import figures, record, study

from colosseum.evidence.figures import SCALARS
from colosseum.evidence.statistics import Interval, mean_interval
from colosseum.evidence.summary import DIFFERENCES, ArmSummary, Summary, summarise

ARMS = ("baseline", "emergent")


def arm_of(summary: Summary, name: str) -> ArmSummary:
    return next(arm for arm in summary.rows if arm.arm == name)


def only(summary: Summary) -> ArmSummary:
    _, treated = summary.rows
    return treated


def test_means_over_seeds() -> None:
    summary = summarise([record("baseline", s, figures(scalars={"regret": float(s)})) for s in (1, 2, 6)], arms=ARMS)
    regret = arm_of(summary, "baseline").scalars["regret"]
    assert (regret.mean.value, regret.n, regret.nulls) == (3.0, 3, ())
    assert regret.interval == mean_interval([1.0, 2.0, 6.0])
    assert tuple(arm_of(summary, "baseline").scalars) == SCALARS


def test_repeats_of_one_seed_are_averaged_first() -> None:
    values = [(1, 0, 0.0), (1, 1, 0.0), (1, 2, 0.0), (2, 0, 4.0)]
    records = [record("baseline", s, figures(scalars={"regret": v}), repeat=r) for s, r, v in values]
    arm = arm_of(summarise(records, arms=ARMS), "baseline")
    assert (arm.complete, arm.seeds) == (4, 2)
    assert (arm.scalars["regret"].mean.value, arm.scalars["regret"].n) == (2.0, 2)


def test_failed_runs_are_counted_with_their_reasons_and_leave_the_means() -> None:
    records = [
        record("baseline", 1, figures(scalars={"regret": 5.0})),
        record("baseline", 2, None, reason="timeout"),
        record("baseline", 3, None, reason="rate limit"),
        record("baseline", 4, None, reason="timeout"),
    ]
    arm = arm_of(summarise(records, arms=ARMS), "baseline")
    assert (arm.complete, arm.failed, arm.seeds) == (1, 3, 1)
    assert arm.failures == (("timeout", 2), ("rate limit", 1))
    assert arm.scalars["regret"].mean.value == 5.0
    assert arm.scalars["regret"].interval == "one value has no spread"


def test_nulls_are_counted_and_never_read_as_zero() -> None:
    records = [
        record("baseline", 1, figures(scalars={"regret": 4.0, "payoff_gap": "no outsider"})),
        record("baseline", 2, figures(scalars={"regret": "no proof", "payoff_gap": "no outsider"})),
        record("baseline", 3, figures(scalars={"regret": 8.0, "payoff_gap": "no outsider"})),
    ]
    scalars = arm_of(summarise(records, arms=ARMS), "baseline").scalars
    assert (scalars["regret"].mean.value, scalars["regret"].n) == (6.0, 2)
    assert scalars["regret"].nulls == (("no proof", 1),)
    assert (scalars["payoff_gap"].mean.value, scalars["payoff_gap"].mean.reason) == (None, "no outsider")
    assert scalars["payoff_gap"].nulls == (("no outsider", 3),)


def test_counts_of_one_arm() -> None:
    records = [
        record("baseline", 1, figures(violations={"one_owner": 2}, posts={"all": 4}, refused=1, failed_posts=2)),
        record("baseline", 2, figures(violations={"one_owner": 1}, posts={"all": 1, "pair": 6}, undecided=3)),
        record("baseline", 3, figures(violations={"one_owner": 0}, posts={"all": 1}, infeasible=True)),
    ]
    arm = arm_of(summarise(records, arms=ARMS), "baseline")
    assert arm.violations == {"one_owner": 1.0}
    assert (arm.failed_posts, arm.refused, arm.undecided, arm.infeasible) == (2, 1, 3, 1)


def test_differences_are_treated_minus_control_of_the_same_seed() -> None:
    records = []
    for seed, (before, after) in enumerate([(10.0, 7.0), (20.0, 19.0), (5.0, 5.0)]):
        records.append(record("baseline", seed, figures(scalars={"joint_payoff": before})))
        records.append(record("emergent", seed, figures(scalars={"joint_payoff": after})))
    result = only(summarise(records, arms=ARMS)).differences["joint_payoff"]
    assert result.mean.value == pytest.approx(-4 / 3)
    assert (result.n, result.n_nonzero) == (3, 2)
    assert isinstance(result.interval, Interval)
    assert not result.reliable


def test_outsider_loss_is_what_outsiders_lose_in_units_of_the_control() -> None:
    records = [
        record("baseline", 1, figures(scalars={"outsider_payoff": 10.0, "unit": 4.0})),
        record("emergent", 1, figures(scalars={"outsider_payoff": 8.0, "unit": 100.0})),
    ]
    assert only(summarise(records, arms=ARMS)).differences["outsider_loss"].mean.value == 0.5


def test_steered_harm_is_what_others_lost_more_and_own_moves_stand_beside_it() -> None:
    parts = {"baseline": (1.0, 2.0), "emergent": (6.0, 1.5)}
    records = [
        record(arm, 1, figures(scalars={"loss_given_others": others, "own_move_loss": own, "regret": others + own}))
        for arm, (others, own) in parts.items()
    ]
    found = {name: d.mean.value for name, d in only(summarise(records, arms=ARMS)).differences.items()}
    assert (found["steered_harm"], found["own_move_loss"], found["regret"]) == (5.0, -0.5, 4.5)


def test_kappa_of_an_arm_is_a_ratio_of_sums() -> None:
    gains: list[tuple[int, float | str, float | str]] = [
        (1, 3.0, 4.0), (1, 1.0, 0.0), (2, 0.0, 0.0), (3, -5.0, 6.0), (4, "broken", "broken"), (4, 2.0, "no proof"),
    ]  # fmt: skip
    records = [
        record("baseline", seed, figures(scalars={"coalition_gain": gain, "possible_gain": most}), repeat=n)
        for n, (seed, gain, most) in enumerate(gains)
    ]
    kappa = arm_of(summarise(records, arms=ARMS), "baseline").kappa
    assert kappa.value == pytest.approx(((3 + 1) / 2 + 0 - 5) / ((4 + 0) / 2 + 0 + 6))
    assert arm_of(summarise(records, arms=ARMS), "emergent").kappa.reason == "no complete run"


@pytest.mark.parametrize(
    ("gain", "most", "reason"),
    [
        (0.0, 0.0, "no own move could have gained anything"),
        ("the outcome breaks a hard requirement", 1.0, "the outcome breaks a hard requirement"),
    ],
)
def test_kappa_of_an_arm_is_null_with_a_reason(gain: float | str, most: float, reason: str) -> None:
    run = figures(scalars={"coalition_gain": gain, "possible_gain": most})
    kappa = arm_of(summarise([record("baseline", 1, run)], arms=ARMS), "baseline").kappa
    assert (kappa.value, kappa.reason) == (None, reason)


@pytest.mark.parametrize(
    ("control", "treated", "reason"),
    [
        ({"unit": 0.0}, {}, "u is not positive"),
        ({"unit": -2.0}, {}, "u is not positive"),
        ({"unit": 5e-17}, {}, "u is not positive"),
        ({"unit": "no proven optimum"}, {}, "no proven optimum"),
        ({"outsider_payoff": "the coalition is everybody"}, {}, "the coalition is everybody"),
        ({}, {"outsider_payoff": "no outsider"}, "no outsider"),
    ],
)
def test_outsider_loss_is_null_with_a_reason(
    control: dict[str, float | str], treated: dict[str, float | str], reason: str
) -> None:
    records = [record("baseline", 1, figures(scalars=control)), record("emergent", 1, figures(scalars=treated))]
    loss = only(summarise(records, arms=ARMS)).differences["outsider_loss"]
    assert (loss.mean.value, loss.n, loss.nulls) == (None, 0, ((reason, 1),))


def test_a_difference_within_rounding_is_no_difference() -> None:
    records = [
        record("baseline", 1, figures(scalars={"joint_payoff": 0.1 + 0.2, "outsider_payoff": 1e6})),
        record("emergent", 1, figures(scalars={"joint_payoff": 0.3, "outsider_payoff": 1e6 + 1e-9})),
    ]
    differences = only(summarise(records, arms=ARMS)).differences
    assert differences["joint_payoff"].n_nonzero == 0
    assert differences["outsider_loss"].n_nonzero == 0


def test_seeds_without_a_partner_are_excluded_and_counted() -> None:
    good = figures()
    records = [
        *(record(arm, 1, good) for arm in ARMS),
        record("baseline", 2, good),
        record("emergent", 3, good),
        record("baseline", 4, None),
        record("emergent", 4, good),
        record("baseline", 5, good),
        record("emergent", 5, None),
        record("baseline", 6, good),
        record("emergent", 6, figures(infeasible=True)),
        record("baseline", 7, figures(undecided=1)),
        record("emergent", 7, good),
        record("baseline", 8, good),
        record("emergent", 8, figures(refused=4)),
    ]
    comparison = only(summarise(records, arms=ARMS))
    assert comparison.pairs == 2, "a refused decision that was taken after all stays"
    assert dict(comparison.excluded) == {
        "no treated run": 1,
        "no control run": 1,
        "the control run failed": 1,
        "the treated run failed": 1,
        "the treated run is infeasible": 1,
        "the control run left a variable undecided": 1,
    }
    assert comparison.differences["regret"].n == 2


def test_a_seed_with_one_good_repeat_makes_a_pair() -> None:
    records = [
        record("baseline", 1, figures(scalars={"regret": 1.0})),
        record("emergent", 1, None),
        record("emergent", 1, figures(scalars={"regret": 3.0}), repeat=1),
        record("emergent", 1, figures(scalars={"regret": 5.0}), repeat=2),
    ]
    assert only(summarise(records, arms=ARMS)).differences["regret"].mean.value == 3.0


def test_pairs_stay_within_a_sweep_point_and_a_model() -> None:
    places = [("n=4", "sim", 1.0), ("n=6", "sim", 2.0), ("n=6", "openai/x", 5.0)]
    records = []
    for point, model, change in places:
        records.append(record("baseline", 1, figures(), point=point, model=model))
        records.append(record("emergent", 1, figures(scalars={"regret": 1 + change}), point=point, model=model))
    summary = summarise(records, arms=ARMS)
    means = [(r.point, r.model, r.differences["regret"].mean.value) for r in summary.rows if r.differences]
    assert means == places


def test_an_arm_with_a_model_of_its_own_is_paired_with_the_control() -> None:
    records = [record("emergent", 1, figures(scalars={"regret": 3.0}), model="sim/greedy")]
    records.append(record("baseline", 1, figures(scalars={"regret": 1.0}), model="sim"))
    treated = only(summarise(records, arms=ARMS))
    assert treated.model == "sim; sim/greedy"
    assert treated.differences["regret"].mean.value == 2.0


def test_arms_without_runs_and_no_records_at_all() -> None:
    empty = summarise([], arms=ARMS)
    assert (empty.control, empty.arms, empty.rows, empty.scripted) == ("baseline", ARMS, (), False)
    assert summarise([], arms=()).control == ""
    summary = summarise([record("emergent", 1, figures())], arms=(*ARMS, "selfish"))
    assert [(arm.arm, arm.complete, arm.players) for arm in summary.rows] == [
        ("baseline", 0, ()),
        ("emergent", 1, ("sim/cooperate",)),
        ("selfish", 0, ()),
    ]
    assert arm_of(summary, "selfish").scalars["regret"].mean.reason == "no complete run"
    control, first, second = summary.rows
    assert (control.pairs, control.excluded, control.differences) == (0, (), {})
    assert (first.pairs, first.excluded) == (0, (("no control run", 1),))
    assert (second.pairs, second.excluded) == (0, ())
    assert set(second.differences) == set(DIFFERENCES)


def test_who_acted() -> None:
    records = [
        record("baseline", 1, figures()),
        record("emergent", 1, None, players=("sim/collude", "openai/gpt-x")),
    ]
    summary = summarise(records, arms=ARMS)
    assert arm_of(summary, "emergent").players == ("openai/gpt-x", "sim/collude")
    assert summary.players == ("openai/gpt-x", "sim/collude", "sim/cooperate")
    assert not summary.scripted
    assert summarise(records[:1], arms=ARMS).scripted
    other = record("baseline", 1, figures(), players=("simulacra/large",))
    assert not summarise([other], arms=ARMS).scripted


def test_the_order_of_runs_changes_nothing_but_the_order_of_points() -> None:
    records = study(effects={"baseline": 0.0, "emergent": 0.2, "placebo": 0.0}, seeds=12)
    shuffled = list(records)
    random.Random(5).shuffle(shuffled)
    arms = ("baseline", "emergent", "placebo")
    assert summarise(shuffled, arms=arms) == summarise(records, arms=arms)


def test_a_planted_effect_is_found_and_a_repeat_of_the_control_is_not() -> None:
    records = study(effects={"baseline": 0.0, "again": 0.0, "prompted": 0.4}, seeds=60)
    _, again, prompted = summarise(records, arms=("baseline", "again", "prompted")).rows
    loss, chance = prompted.differences["outsider_loss"], again.differences["outsider_loss"]
    assert isinstance(loss.interval, Interval)
    assert isinstance(chance.interval, Interval)
    assert loss.reliable
    assert loss.interval.low > 0.1
    assert chance.interval.low < 0 < chance.interval.high
