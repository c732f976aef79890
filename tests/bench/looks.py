"""Looks before a plan is reached. In: differences of equal arms; out: how often any look finds an effect.

Studies of 100 seeds are looked at after every tenth; one of them never before the plan. The differences are normal,
skewed as of few runs that gain, heavy-tailed, or those of two equal arms of the ticket game. Power is of an effect that
a study that never looks sees four times in five.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from colosseum.evidence.power.outlook import Wish, study_power
from colosseum.evidence.power.pool import FAIR
from colosseum.evidence.readings import Call, weigh
from colosseum.evidence.statistics import RATE, rate_of
from colosseum.evidence.verdict import decide, joint_p
from colosseum.model.check import check

from .cases import SPECS
from .lines import Mark, Measurements
from .planted import Values, share

PLAN: Final = 100
LOOKS: Final = tuple(range(10, PLAN + 1, 10))
STUDIES, QUICK_STUDIES, POOL = 4_000, 400, 200
MOST_LOST: Final = 0.05
"""Of the power at the plan."""
SLACK: Final = 0.005
"""More false effects than a test that looks once, on skewed differences."""


def looks(ledger: Measurements) -> None:
    """All pools."""
    studies = QUICK_STUDIES if ledger.quick else STUDIES
    for name, pool in _pools(ledger).items():
        ledger.note(f"looks: {name}")
        ledger.tables(_lines(name, pool, studies))


def _pools(ledger: Measurements) -> dict[str, Values]:
    """Differences with a mean of 0."""
    chance = np.random.default_rng(7)
    heavy, rare = chance.standard_t(4.86, size=5_000), chance.exponential(size=5_000) - 1
    return {
        "normal": _centred(chance.normal(size=5_000)),
        "skewed to the right": _centred(rare),
        "skewed to the left": -_centred(rare),
        "skewed to the left, 70 % zeros": np.where(chance.random(5_000) < 0.7, 0.0, -_centred(rare)),
        "kurtosis 10": _centred(heavy),
        "two equal arms of tickets": _tickets(ledger),
    }


def _centred(values: Values) -> Values:
    return values - values.mean()


def _tickets(ledger: Measurements) -> Values:
    """What outsiders lose where nobody colludes, both ways round."""
    checked, _ = check(SPECS / "jira.colo")
    assert checked is not None
    wish = Wish((FAIR,), (1.0,), (0.1,), None, POOL // (4 if ledger.quick else 1), 2, (10,), 0.1)
    _, (stand,) = study_power(checked, wish, experiment="hidden_channel")
    return np.array([value for change in stand.changes if (value := change["outsider_loss"].value) is not None])


def _lines(name: str, pool: Values, studies: int) -> Iterator[Mark]:
    chance = np.random.default_rng(11)
    effect = 2.8 * pool.std() / PLAN**0.5
    ever = once = seen = seen_once = 0
    for _ in range(studies):
        drawn = chance.choice(pool, PLAN)
        ever += any(_finds(drawn[:n], rate_of(_shares(n)), interim=n < PLAN) for n in LOOKS)
        once += _finds(drawn, RATE)
        moved = drawn + effect
        seen += _finds(moved, rate_of(_shares(PLAN)))
        seen_once += _finds(moved, RATE)
    fair = once / studies
    yield share("False effects at any of ten looks", name, ever, studies, max(RATE / 2, fair + SLACK),
                f"{fair:.4f} at one look")  # fmt: skip
    yield Mark("Power lost at the plan by ten looks", name, (seen_once - seen) / studies, most=MOST_LOST,
               note=f"{seen_once / studies:.3f} without looks")  # fmt: skip


def _shares(seeds: int) -> tuple[float, ...]:
    return tuple(n / PLAN for n in LOOKS if n <= seeds)


def _finds(differences: Values, rate: float, *, interim: bool = False) -> bool:
    weighed = (weigh("outsider_loss", differences.tolist(), margin=0.04, rate=rate, interim=interim),)
    p = joint_p(weighed).value
    return p is not None and decide(weighed, [p], rate) == Call.EFFECT
