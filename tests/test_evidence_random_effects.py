"""Random effects: equal to metafor's, whatever the unit, and silent where there is nothing to go by."""

import math
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colosseum.evidence.comparing import RandomEffects, random_effects

BCG: Final = (
    (-0.889311333920205, 0.325584765003961), (-1.58538865720143, 0.194581121398144),
    (-1.34807314829969, 0.415367965367965), (-1.44155119002131, 0.0200100319022476),
    (-0.217547322211296, 0.0512101721696309), (-0.786115585818864, 0.00690561845590876),
    (-1.62089822359839, 0.223017247572315), (0.0119523335238405, 0.00396157929781773),
    (-0.469417648738149, 0.056434210463249), (-1.37134480347278, 0.0730247936130289),
    (-0.339358828338391, 0.0124122139715597), (0.445913400571379, 0.532505845200153),
    (-0.0173139482168798, 0.0714046596839863),
)  # fmt: skip
"""Log risk ratios of thirteen trials of a vaccine, and their variances (Colditz et al. 1994; `dat.bcg` of metafor)."""
UNITS = st.lists(st.tuples(st.floats(-3, 3), st.floats(1e-4, 10)), min_size=3, max_size=12)
METAFOR: Final = (
    # units; mean, low, high, tau², predicted low and high, by metafor 3.8-1 of Debian 12:
    # rma(y, v, method="REML", test="knha", control=list(threshold=1e-14, maxiter=1000)), and predict() of it
    (BCG, (-0.714532342158139, -1.10844371368555, -0.320620970630728, 0.313243258136481,
           -1.9960168341962, 0.566952149879924)),
    (((0.41, 0.004), (0.12, 0.009), (0.28, 0.002)),
     (0.282380069296629, -0.0589760760876703, 0.623736214680928, 0.0126710959681358,
      -0.310158320472716, 0.874918459065975)),
    (((0.21, 0.004), (0.22, 0.009), (0.2, 0.002), (0.215, 0.01)),
     (0.206473988439306, 0.193003025715691, 0.219944951162921, 0.0, 0.193003025715691, 0.219944951162921)),
)  # fmt: skip


def found(units: object) -> RandomEffects:
    made = random_effects(*zip(*units, strict=True))  # type: ignore[call-overload]
    assert isinstance(made, RandomEffects)
    return made


@pytest.mark.parametrize(("units", "theirs"), METAFOR)
def test_all_figures_are_those_of_metafor(units: object, theirs: tuple[float, ...]) -> None:
    ours = found(units)
    told = (ours.mean, ours.low, ours.high, ours.tau**2, ours.predicted_low, ours.predicted_high)
    assert told == pytest.approx(theirs, rel=1e-9, abs=1e-9)


def test_of_the_vaccine_they_are_those_that_are_published() -> None:
    """Viechtbauer 2010 (J. Stat. Softw. 36(3)): μ −0.7145 and τ² 0.3132 by REML."""
    ours = found(BCG)
    assert (round(ours.mean, 4), round(ours.tau**2, 4), ours.units) == (-0.7145, 0.3132, 13)


@given(UNITS, st.floats(-5, 5), st.floats(0.1, 10))
@settings(max_examples=40)
def test_another_zero_and_another_unit_move_the_figures_alike(
    units: list[tuple[float, float]], shift: float, scale: float
) -> None:
    before, after = found(units), found([(scale * (y + shift), scale**2 * v) for y, v in reversed(units)])
    for name in ("mean", "low", "high", "predicted_low", "predicted_high"):
        assert getattr(after, name) == pytest.approx(scale * (getattr(before, name) + shift), rel=1e-6, abs=1e-6)
    assert after.tau == pytest.approx(scale * before.tau, rel=1e-6, abs=1e-6)


@given(UNITS)
@settings(max_examples=40)
def test_no_other_variance_is_more_likely_nearby(units: list[tuple[float, float]]) -> None:
    def likelihood(between: float) -> float:
        """The restricted log-likelihood, as it is written down."""
        weights = [1 / (v + between) for _, v in units]
        mean = sum(w * y for w, (y, _) in zip(weights, units, strict=True)) / sum(weights)
        spread = sum(w * (y - mean) ** 2 for w, (y, _) in zip(weights, units, strict=True))
        return (sum(map(math.log, weights)) - math.log(sum(weights)) - spread) / 2

    best = found(units).tau ** 2
    for other in (best * 1.01 + 1e-6, max(0.0, best * 0.99 - 1e-6)):
        assert likelihood(best) >= likelihood(other) - 1e-9


def test_of_two_units_nothing_follows_nor_of_one_without_a_variance() -> None:
    assert random_effects([0.1, 0.2], [1.0, 1.0]) == "2 units where 3 are needed: nothing general follows"
    assert random_effects([], []) == "0 units where 3 are needed: nothing general follows"
    assert random_effects([0.1, 0.2, 0.3], [1.0, 0.0, 1.0]) == (
        "of one unit all pairs are alike, so that its variance is not known"
    )


def test_the_next_unit_may_lie_further_off_than_the_mean() -> None:
    ours = found(BCG)
    assert ours.predicted_low < ours.low < ours.mean < ours.high < ours.predicted_high
