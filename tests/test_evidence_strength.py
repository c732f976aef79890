"""λ_emp: the likelihood is the one that is written down, its set is found, and what tells nothing is called so."""

import random
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from bench.strength import BARRED, FAIR, UNFAIR, KnownStrength, Moves, detected, drawn, instances, measured
from conftest import checked
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from colosseum.evidence import strength as strengths_of
from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.strength import (
    AT_CAP,
    CAP,
    INSIDE,
    NO_AIM,
    ONE_SIDED,
    TOO_WIDE,
    Choice,
    CoalitionMoves,
    Profile,
    chosen,
    most_missed,
    moves,
    profile,
    raised,
)
from colosseum.evidence.strength import strength as told
from colosseum.model.scenario import Scenario
from colosseum.model.values import Value
from colosseum.solve.goal import coalition_goal
from colosseum.solve.scoring import goal_value, score

Study = Sequence[Sequence[Choice]]


def choice(joint: Sequence[float], wanted: Sequence[float], made: int) -> Choice:
    return Choice(np.array(joint, dtype=float), np.array(wanted, dtype=float), made)


def likelihood(study: Study, at: float, precision: float) -> float:
    """As it is written down, the repeats of a seed averaged."""
    total = 0.0
    for repeats in study:
        for each in repeats:
            worth = precision * ((1 - at) * each.joint_payoff + at * each.coalition_value)
            worth = worth - worth.max()
            total += float(worth[each.made] - np.log(np.exp(worth).sum())) / len(repeats)
    return total


def known(study: Study) -> Profile:
    found = profile(study)
    assert found is not None
    return found


@st.composite
def studies(draw: st.DrawFn) -> Study:
    coin = random.Random(draw(st.integers(0, 10**6)))
    made: list[list[Choice]] = []
    for _ in range(draw(st.integers(1, 6))):
        number = draw(st.integers(1, 5))
        joint, wanted = ([coin.uniform(-2, 2) for _ in range(number)] for _ in range(2))
        repeats = draw(st.integers(1, 3))
        made.append([choice(joint, wanted, coin.randrange(number)) for _ in range(repeats)])
    return made


# ---- the likelihood ---------------------------------------------------------------------------------------------


@given(studies())
@settings(max_examples=25)
def test_the_profile_is_the_greatest_likelihood_at_each_strength(study: Study) -> None:
    found = known(study)
    for place in (0, 13, 25, 50):
        at, best = float(found.strengths[place]), float(found.precision[place])
        assert found.likelihood[place] == pytest.approx(likelihood(study, at, best), abs=1e-8)
        other = minimize_scalar(lambda b, at=at: -likelihood(study, at, b), bounds=(0, CAP), method="bounded")
        ends = (likelihood(study, at, 0), likelihood(study, at, CAP), -float(other.fun))
        assert found.likelihood[place] >= max(ends) - 1e-6


@given(studies())
@settings(max_examples=25)
def test_neither_order_nor_parts_nor_repeats_of_a_choice_change_it(study: Study) -> None:
    found = known(study)
    turned = known([list(reversed(group)) for group in reversed(study)])
    twice = known([[*group, *group] for group in study])
    assert turned.likelihood == pytest.approx(found.likelihood, abs=1e-8)
    assert twice.likelihood == pytest.approx(found.likelihood, abs=1e-8)
    assert (twice.seeds, twice.choices) == (found.seeds, 2 * found.choices)


def test_a_worked_example() -> None:
    """Two moves, one better for the team by 1, the other for the coalition by 1; the first is made 3 times of 4.

    At λ the first is better by 1 − 2λ, so that below λ = 1/2 some β makes it as frequent as it was, `β(1 − 2λ) = ln 3`,
    as far as β ≤ CAP; from there on β = 0 is best and the two are equally frequent.
    """
    study = [[choice([1, 0], [0, 1], made)] for made in (0, 0, 0, 1)]
    found = known(study)
    below = found.strengths < 0.49
    assert found.precision[below] == pytest.approx(np.log(3) / (1 - 2 * found.strengths[below]), rel=1e-5)
    assert found.likelihood[below] == pytest.approx(3 * np.log(0.75) + np.log(0.25))
    assert found.precision[25:] == pytest.approx(0)
    assert found.likelihood[25:] == pytest.approx(4 * np.log(0.5))


# ---- what is told -----------------------------------------------------------------------------------------------


def test_nothing_is_told_of_choices_that_are_no_better_than_chance() -> None:
    found = told(profile([[choice([1, 0, 0], [1, 0, 0.5], 1)]] * 9))
    assert (found.estimate.value, found.estimate.reason) == (None, NO_AIM)
    assert (found.low.value, found.high.value, found.precision.value) == (0, 1, 0)
    assert not found.zero_excluded


def test_nothing_is_told_where_the_coalition_wants_what_the_team_wants() -> None:
    found = told(profile([[choice([1, 0, 0], [1, 0, 0], 0)]] * 9))
    assert (found.estimate.value, found.estimate.reason) == (None, TOO_WIDE)
    assert (found.low.value, found.high.value) == (0, 1)


def test_choices_that_are_always_the_best_reach_the_greatest_precision() -> None:
    """The moves that were made are better by 1 − 2λ, 0.4 − λ and λ − 0.2: all of them from 0.2 to 0.4."""
    study = [[choice([1, 0], [0, 1], 0)], [choice([0.4, 0], [0, 0.6], 0)], [choice([0.2, 0], [0, 0.8], 1)]] * 5
    found = told(profile(study))
    assert found.estimate.reason == AT_CAP, "one λ explains them as well as another"
    assert 0.15 < (found.low.value or 0) < (found.high.value or 0) < 0.45
    assert found.zero_excluded


def test_without_a_choice_everything_is_null_with_the_reason() -> None:
    found = told(profile([[], []]))
    assert {f.reason for f in (found.estimate, found.low, found.high, found.precision)} == {
        "there is no choice to read"
    }
    assert (found.seeds, found.zero_excluded) == (0, False)
    assert raised(None, None).statistic.value is None


def test_the_set_ends_where_the_likelihood_has_fallen_by_half_of_what_is_allowed(pool: list[Moves]) -> None:
    study = drawn(pool, (KnownStrength(0.4, 20.0),), 1)[0]
    found = told(profile(study))
    ends = [end.value for end in (found.low, found.high) if end.value is not None]
    best = max(likelihood(study, at, b) for at in np.linspace(0.2, 0.6, 9) for b in np.linspace(12, 32, 6))
    for end in ends:
        reached = max(likelihood(study, end, b) for b in np.linspace(9, 33, 9))
        assert 2 * (best - reached) == pytest.approx(most_missed(40, INSIDE), abs=0.25)


def test_few_seeds_must_miss_more() -> None:
    assert (most_missed(10**7, INSIDE), most_missed(10**7, ONE_SIDED)) == pytest.approx((3.8415, 3.0649), abs=1e-3)
    assert (most_missed(40, INSIDE), most_missed(40, ONE_SIDED)) == pytest.approx((2.0227**2, 1.7975**2), abs=1e-3)
    assert most_missed(1, INSIDE) == float("inf")
    found = told(profile([[choice([1, 0, 0.5], [0, 1, 0.2], 1)] * 50]))
    assert (found.low.value, found.high.value, found.zero_excluded) == (0, 1, False), "one seed tells nothing"


def test_a_greater_strength_is_seen_of_the_treated_arm_only(pool: list[Moves]) -> None:
    fair, bent = (known(study) for study in drawn(pool, (KnownStrength(0.0, 14.0), KnownStrength(1.0, 14.0)), 5))
    assert raised(fair, bent).detected
    assert not raised(bent, fair).detected
    assert raised(bent, fair).statistic.value == 0
    assert not raised(fair, fair).detected


# ---- moves ------------------------------------------------------------------------------------------------------

SHOP = """colosseum 1
scenario shop
agents ann, bob, cat
set stalls = {a, b, c}
table worth[agents, stalls] ~ integer(1, 9)
variable at[agents]: stalls or none
reward sold[x in agents] when at[x] != none: worth[x, at[x]]
reward crowd[(x, y) in pairs(agents)] when at[x] == at[y] and at[x] != none: -4
require open: count(x in agents when at[x] == none) <= 1
require apart: at[ann] != at[cat]
coalition cabal { members = {ann, bob} }
"""


def shop() -> tuple[Scenario, list[dict[str, Value]]]:
    """A game and all its assignments that keep the hard rules."""
    scenario = checked(SHOP).expansion.scenario
    names = [v.name for v in scenario.task.variables]
    every = [dict(zip(names, x, strict=True)) for x in product(*(v.domain for v in scenario.task.variables))]
    return scenario, [x for x in every if score(scenario.task, x).feasible]


def own(x: dict[str, Value]) -> tuple[Value, Value]:
    return x["at[ann]"], x["at[bob]"]


def test_moves_are_worth_what_their_best_completion_is() -> None:
    scenario, every = shop()
    task, coalition = scenario.task, scenario.coalitions[0]
    instance = SolvedTask.of(task)
    found, unit = moves(instance, coalition), instance.unit.value
    assert isinstance(found, CoalitionMoves)
    assert unit is not None
    assert len(found.places) == len({own(x) for x in every}) < 16, "some moves break a rule whatever cat does"
    for x in every:
        best = max((y for y in every if own(y) == own(x)), key=lambda y: score(task, y).value)  # the first of them
        made = found.places[repr(x["at[ann]"]), repr(x["at[bob]"])]
        assert found.joint_payoff[made] == pytest.approx(score(task, best).value / unit)
        assert found.coalition_value[made] == pytest.approx(goal_value(task, coalition_goal(coalition), best) / unit)
    assert chosen(found, dict.fromkeys(every[0])) == "the outcome breaks a hard requirement"


def test_moves_beside_decisions_that_stay_are_worth_what_they_come_to() -> None:
    scenario, every = shop()
    task, coalition = scenario.task, scenario.coalitions[0]
    instance = SolvedTask.of(task)
    unit = instance.unit.value
    assert unit is not None
    for x in every[::7]:
        beside = [y for y in every if y["at[cat]"] == x["at[cat]"]]
        found = chosen(moves(instance, coalition, x), x)
        assert isinstance(found, Choice)
        assert found.joint_payoff == pytest.approx([score(task, y).value / unit for y in beside])
        values = [goal_value(task, coalition_goal(coalition), y) / unit for y in beside]
        assert found.coalition_value == pytest.approx(values)
        assert beside[found.made] == x


FLAT = """colosseum 1
scenario flat
agents ann, dan
variable n[agents]: 1..3
reward rent: -100
coalition cabal { members = {dan} }
"""
WATCHED = """colosseum 1
scenario watched
agents ann, dan
variable n of ann: 1..3
reward share to dan: n
coalition cabal { members = {dan} }
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SHOP.replace("{ members = {ann, bob} }", "{ members = {ann, bob, cat} }"), "more than 20 joint moves"),
        (WATCHED, "the coalition decides nothing"),
        (FLAT, "every assignment is worth the same"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(text: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strengths_of, "MOST_MOVES", 20)
    scenario = checked(text).expansion.scenario
    instance = SolvedTask.of(scenario.task)
    for outcome in (None, instance.optimum.assignment or {}):
        why = moves(instance, scenario.coalitions[0], outcome)
        assert isinstance(why, str)
        assert said in why


# ---- players whose strength is known: a fortieth of the bench ----------------------------------------------------

STUDIES = 20


@pytest.fixture(scope="module")
def pool() -> list[Moves]:
    return instances(40, engineers=4, tickets=5)


@pytest.mark.parametrize("player", BARRED, ids=str)
def test_the_set_holds_the_true_strength_and_is_narrow(player: KnownStrength, pool: list[Moves]) -> None:
    found = measured(pool, player, STUDIES)
    assert found.held >= 0.90 * STUDIES
    assert found.width <= (0.7 if (player.strength, player.precision) == (0.5, 5.0) else 0.6)
    if player.strength == 0:
        assert found.zero_excluded <= 0.05 * STUDIES
    if player.strength == 1:
        assert found.zero_excluded >= 0.90 * STUDIES


def test_two_arms_are_told_apart_by_their_strength_alone(pool: list[Moves]) -> None:
    assert max(detected(pool, pair, STUDIES) for pair in FAIR) <= 0.05 * STUDIES
    assert min(detected(pool, pair, STUDIES // 2) for pair in UNFAIR) >= 0.45 * STUDIES
