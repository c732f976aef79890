"""What paired differences of one signal say: up, not up or inconclusive, and how many seeds more would settle it."""

import random
from collections.abc import Sequence

import pytest

from colosseum.evidence.readings import Call, call, more_seeds, reason, weigh
from colosseum.evidence.statistics import sign_flip, sign_test
from colosseum.evidence.verdict import joint_p


def normal(number: int, mean: float, sd: float, seed: int = 1) -> list[float]:
    """Numbers of exactly this mean and spread."""
    chance = random.Random(seed)
    raw = [chance.gauss(0, 1) for _ in range(number)]
    middle = sum(raw) / number
    spread = (sum((v - middle) ** 2 for v in raw) / (number - 1)) ** 0.5
    return [mean + sd * (v - middle) / spread for v in raw]


def said(differences: Sequence[float], *, margin: float = 0.04, threshold: float = 0.0) -> Call:
    weighed = weigh("outsider_loss", differences, margin=margin, threshold=threshold)
    return call(weighed, adjusted=weighed.p.value)


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        (normal(40, 0.10, 0.10), "effect"),
        (normal(40, 0.03, 0.02), "effect"),
        (normal(40, 0.00, 0.10), "no effect"),
        (normal(40, 0.03, 0.20), "not settled"),
        (normal(40, -0.30, 0.20), "no effect"),
        (normal(10, 0.50, 0.10), "effect"),
        (normal(5, 0.50, 0.10), "not settled"),
        ([0.0] * 40, "no effect"),
        ([0.0] * 20, "no effect"),
        ([0.0] * 19, "not settled"),
        ([], "not settled"),
        ([0.05] * 3 + [0.0] * 37, "no effect"),
        ([0.50] * 3 + [0.0] * 37, "not settled"),
        ([0.50] * 6 + [0.0] * 34, "effect"),
        ([0.50] * 5 + [0.0] * 35, "not settled"),
        ([-0.20] * 40, "no effect"),
        ([-0.01] * 15 + [9.0] + [0.0] * 24, "not settled"),
        ([0.05] * 15 + [0.0] * 25, "effect"),
        ([0.05] * 15 + [-0.70] + [0.0] * 24, "not settled"),
        ([0.20] * 40, "effect"),
    ],
)
def test_what_differences_settle(differences: list[float], expected: Call) -> None:
    assert said(differences) == expected


def test_up_is_not_said_of_a_finding_that_many_tests_make_likely() -> None:
    weighed = weigh("outsider_loss", normal(40, 0.04, 0.10), margin=0.04)
    assert weighed.p.value is not None
    assert weighed.p.value < 0.05
    assert call(weighed, adjusted=weighed.p.value) == "effect"
    assert call(weighed, adjusted=0.051) == "not settled"
    assert call(weighed, adjusted=None) == "not settled"


def test_of_few_that_differ_both_their_number_and_their_sizes_have_to_show_a_rise() -> None:
    rises = [0.05, 0.06, 0.04, 0.05, 0.07, 0.05, 0.06, 0.05, 0.04, 0.06, 0.05]
    for differences, by_number, by_size in (
        ([*rises, -0.5], 2 * 13 / 2**12, sign_flip([*rises, -0.5]).value),
        ([0.3, 0.31, -0.01, -0.02], 1.0, 2 * 2 / 2**4),
    ):
        assert sign_test(differences).value == pytest.approx(by_number)
        assert weigh("regret", differences, margin=0.1).p.value == pytest.approx(max(by_number, by_size or 0))
    assert (sign_flip([*rises, -0.5]).value or 0) > 0.5


def test_a_judge_has_to_find_a_whole_point_more() -> None:
    assert said(normal(40, 1.5, 1.0), margin=1, threshold=1) == "effect"
    assert said(normal(40, 1.1, 1.0), margin=1, threshold=1) == "not settled"
    assert said(normal(40, 0.5, 1.0), margin=1, threshold=1) == "no effect"
    assert said([0.0] * 39 + [3.0], margin=1, threshold=1) == "no effect"
    assert said([4.0] * 40, margin=1, threshold=1) == "effect"


def test_why_nothing_is_said() -> None:
    few = weigh("regret", [0.1, 0.2], margin=0.1)
    for rate, least in ((0.05, 6), (0.01, 8)):
        assert reason(few, rate=rate).startswith(f"for an effect nearly all pairs have to rise, and at least {least} ")
    assert reason(weigh("regret", [0.1, 0.2] + [0.0] * 30, margin=0.1)) == "too few pairs differ for an interval"
    assert reason(weigh("regret", [], margin=0.1)) == "no pair has a value"
    assert reason(weigh("regret", normal(40, 0, 9), margin=0.1)) == "no effect and one of the margin's size both fit"


def test_so_many_seeds_more_settle_it_in_four_of_five_studies() -> None:
    weighed = weigh("outsider_loss", normal(40, 0.02, 0.12), margin=0.04)
    more = more_seeds(weighed).value
    assert more is not None
    chance = random.Random(8)
    settled = sum(said([chance.gauss(0.02, 0.12) for _ in range(40 + int(more))]) != "not settled" for _ in range(300))
    assert 0.75 < settled / 300 <= 1


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([], "no pair has a value"),
        ([0.1], "fewer than two pairs"),
    ],
)
def test_seeds_that_would_settle_it_are_not_guessed(differences: list[float], expected: str) -> None:
    assert more_seeds(weigh("outsider_loss", differences, margin=0.04)).reason == expected


@pytest.mark.parametrize("differences", [[0.0] * 19 + [0.3], normal(5, 0.3, 0.05), [0.0] * 40 + normal(19, 0, 0.05)])
def test_where_fewer_than_twenty_pairs_differ_nobody_tells_how_many_more_it_takes(differences: list[float]) -> None:
    found = weigh("outsider_loss", differences, margin=0.01)
    number = sum(d != 0 for d in differences)
    assert found.few
    assert more_seeds(found).reason == f"{number} of {len(differences)} pairs differ in outsider loss: too few to tell"
    assert not weigh("outsider_loss", normal(20, 0.3, 0.05), margin=0.04).few


def test_seeds_in_which_nothing_differs_settle_it_once_there_are_twenty() -> None:
    for margin, threshold in ((0.04, 0.0), (1.0, 1.0)):
        found = weigh("outsider_loss", [0.0] * 3, margin=margin, threshold=threshold)
        assert more_seeds(found).value == 17
        assert said([0.0] * 20, margin=margin, threshold=threshold) == "no effect"
        assert said([0.0] * 19, margin=margin, threshold=threshold) == "not settled"


def test_equal_rises_are_settled_once_exact_tests_can_see_them() -> None:
    assert more_seeds(weigh("judge_score", [4.0] * 3, margin=1, threshold=1)).value == 3
    assert said([4.0] * 6, margin=1, threshold=1) == "effect"
    assert said([4.0] * 5, margin=1, threshold=1) == "not settled"


def test_other_tests_that_are_counted_make_a_rise_take_more_seeds() -> None:
    """Three equal rises among four tests: six seeds make a p of .031, which is .0625 with one finding beside it."""
    rises = weigh("judge_score", [4.0] * 3, margin=1, threshold=1)
    assert [more_seeds(rises, share=share).value for share in (1.0, 0.5, 0.25)] == [3, 4, 5]
    wide = weigh("outsider_loss", normal(30, 0.1, 0.4), margin=0.04)
    alone, among = (more_seeds(wide, share=share).value for share in (1.0, 0.25))
    assert alone is not None
    assert among is not None
    assert alone < among


def test_few_pairs_that_differ_need_no_twenty_to_show_that_the_margin_is_not_reached() -> None:
    """One pair in ten differs by little; to wait for twenty of them would take 200 seeds."""
    chance = random.Random(5)
    studies = [[0.05 if chance.random() < 0.1 else 0.0 for _ in range(20)] for _ in range(300)]
    assert sum(said(study) == "no effect" for study in studies) / 300 > 0.75


@pytest.mark.parametrize("number", [10, 25])
def test_fair_play_is_called_up_in_less_than_one_of_twenty_studies(number: int) -> None:
    chance = random.Random(number)
    studies = [[chance.gauss(0, 0.05) for _ in range(number)] for _ in range(800)]
    assert sum(said(study) == "effect" for study in studies) / 800 <= 0.04


def test_all_parts_of_a_signal_have_to_rise() -> None:
    up, flat, down = (weigh("regret", normal(30, mean, 0.1), margin=0.04) for mean in (0.2, 0.001, -0.2))
    assert joint_p([up]) == up.p
    assert joint_p([up, flat]) == flat.p
    assert joint_p([up, down]).value == joint_p([down]).value == 1.0
    assert joint_p([up, weigh("regret", [], margin=0.04)]).reason == "no pair has a value"
    assert joint_p([]).reason == "no judge"
