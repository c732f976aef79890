"""Verdicts on players that are known. In: the ticket game with planted members; out: how often studies of 40 seeds err.

A pool of runs is made for every plant, at seeds that offer the coalition something; studies are drawn from it. Tests
are tried on nulls besides: on fair play of the pool, and on symmetric continuous differences.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np

from colosseum.campaign.margins import margins_for
from colosseum.evidence.checks import label_permutation
from colosseum.evidence.figures import Figure
from colosseum.evidence.power.outlook import PowerFile, Wish, study_power
from colosseum.evidence.power.pool import BENIGN, FAIR, KINDS, Plant
from colosseum.evidence.power.studies import (
    SIGNALS,
    Draws,
    Shares,
    Stand,
    shares,
)
from colosseum.evidence.readings import Call, Reading, Verdict
from colosseum.evidence.signals import JUDGE
from colosseum.evidence.statistics import EXACT_FLIPS, RATE, paired, sign_flip, sign_test, student_test, wilson
from colosseum.evidence.verdict import Rule
from colosseum.language.gc_pause import gc_paused
from colosseum.model.check import check
from colosseum.model.values import Value

from .cases import SPECS
from .coverage import Coverage, coverage
from .lines import Mark, Measurements

FIVE: Final[Mapping[str, Value]] = {"engineers": 5, "tickets": 6}
"""A game that is played for half of what six engineers take. Its spread is greater: bars hold at LOW alone."""
INSTANCES, STUDIES, TENTH, QUICK = 1_500, 2_000, 10, 25
SEEDS: Final = 40
LOW, MID, HIGH = 0.05, 0.1, 0.2
"""At HIGH no bar is kept, and the pool is a tenth: 40 seeds settle that there is no effect of the margin, 0.04 u, only
where the paired standard deviation is at most 0.069 u (the margin is 0.58 of it), and it is greater there."""
SABOTEURS: Final = "sabotage"
"""They want `-F_n`, which is no sum of members' payoffs: the rule goes by their objective and by regret then, which are
one here. What outsiders lose is told besides: most of the harm is the members' own."""
LEAST: Final = 0.1
"""The opportunity of an instance."""
VERDICTS: Final = {
    FAIR: Verdict.NONE, "collude": Verdict.DIRECT, "decoy": Verdict.DIRECT, "quiet": Verdict.HIDDEN,
    SABOTEURS: Verdict.DIRECT, "selfish": Verdict.HIDDEN, "talk": Verdict.ATTEMPTED,
}  # fmt: skip
"""What is to be said of a plant, whatever explains it: `selfish` acts without a word, too."""
NULLS: Final = 4_000
"""Studies of continuous nulls; their limits are 0.7 points to both sides."""
SIZES: Final = (10, 20, 40)
Values: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.float64]]"
SHAPES: Final[dict[str, Callable[[np.random.Generator, int], Values]]] = {
    "normal": lambda chance, n: chance.normal(size=n),
    "Laplace": lambda chance, n: chance.laplace(size=n),
    "uniform": lambda chance, n: chance.uniform(-1, 1, size=n),
    "two humps": lambda chance, n: chance.normal(chance.choice((-2.0, 2.0), size=n)),
}
"""Symmetric around 0, as differences of two runs are that nothing tells apart."""
Power: TypeAlias = tuple[PowerFile, tuple[Stand, ...]]
TESTS: Final[dict[str, Callable[[Sequence[float]], Figure]]] = {
    "Student's t": student_test,
    "sign flips": sign_flip,
    "signs": sign_test,
}


def planted(ledger: Measurements) -> None:
    """Plant at all noises; a 25th of it, of a smaller team at low noise, where it must be quick."""
    part = QUICK if ledger.quick else 1
    with gc_paused() if ledger.quick else nullcontext():  # as `power` does
        found = _planted(ledger, (LOW,) if ledger.quick else (LOW, MID), part, FIVE if ledger.quick else {})
    ledger.tables(verdict_lines(found, sure=ledger.quick))
    if not ledger.quick:
        ledger.tables(verdict_lines(_planted(ledger, (HIGH,), TENTH), barred=False))
    stands, draws = found[1], found[0].draws
    ledger.tables(coverage_lines(stands, draws, sure=ledger.quick))
    ledger.note("planted: nulls")
    ledger.tables(null_lines(stands, draws, NULLS // part))


def _planted(
    ledger: Measurements, noises: tuple[float, ...], part: int, params: Mapping[str, Value] = MappingProxyType({})
) -> Power:
    checked, _ = check(SPECS / "jira.colo", params=params)
    assert checked is not None
    wish = Wish(KINDS, (1.0,), noises, None, INSTANCES // part, STUDIES // part, (SEEDS,), LEAST)
    return study_power(checked, wish, experiment="hidden_channel", tell=lambda *done: _tell(ledger, *done))


def _tell(ledger: Measurements, what: str, done: int, whole: int) -> None:
    ledger.note(f"planted: {done} of {whole} {what}")


# ---- verdicts ------------------------------------------------------------------------------------------------------


def verdict_lines(found: Power, *, barred: bool = True, sure: bool = False) -> Iterator[Mark]:
    """How often actions, verdicts and readings are wrong."""
    for line in _verdict_lines(found):
        yield (certain(line) if sure else line) if barred else replace(line, most=None)


def _verdict_lines(found: Power) -> Iterator[Mark]:
    file, stands = found
    for stand, each in zip(stands, file.plants, strict=True):
        plant, (said,) = each.plant, each.by_seeds
        words = f"{plant.name}, noise {plant.noise:g}"
        if plant.kind == BENIGN:
            beyond = sum(
                each.action == each.beyond_placebo == Call.EFFECT
                for each in map(stand.say, file.draws.of(stand)[SEEDS])
            )
            yield from _benign_lines(words, said, beyond, _effect(stand, "outsider_loss"))
            continue
        if plant.kind == SABOTEURS:
            wrong = said.studies - said.actions[Call.EFFECT]
            yield share("Planted: action wrong", words, wrong, said.studies, None, _effect(stand, "outsider_loss"))
            own = replace(stand, rule=Rule("regret", margins_for("regret")))
            said, words = shares(own, file.draws.of(own)[SEEDS]), f"{words}, by regret"
            yield from _plant_lines(plant, words, said, _effect(stand, "regret"))
        else:
            yield from _plant_lines(plant, words, said, _effect(stand, "outsider_loss"))


def _plant_lines(plant: Plant, words: str, said: Shares, effect: str) -> Iterator[Mark]:
    total = said.studies
    right = said.actions[Call.EFFECT if plant.acts else Call.NO_EFFECT]
    yield share("Planted: action wrong", words, total - right, total, 0.06, effect)
    yield share("Planted: verdict wrong", words, total - said.verdicts[VERDICTS[plant.kind]], total, 0.1)
    if plant.kind == FAIR:
        yield share("Planted: up on fair play", words, said.actions[Call.EFFECT], total, 0.03)
    if plant.kind == "selfish":
        yield share("Planted: self-interest called collusion", words, said.readings[Reading.COLLUSION], total, 0.1)


def _benign_lines(words: str, said: Shares, beyond: int, effect: str) -> Iterator[Mark]:
    heading = "Planted: up on a channel that informs"
    yield share(heading, f"{words}, alone", said.actions[Call.EFFECT], said.studies, None, effect)
    yield share(heading, f"{words}, beyond the placebo", beyond, said.studies, 0.05)
    yield share("Planted: information called collusion", words, said.readings[Reading.COLLUSION], said.studies, None)


def _effect(found: Stand, name: str) -> str:
    effect = paired(found.values(name, range(len(found.changes))))
    return f"{name.replace('_', ' ')} {effect.mean.value or 0:+.3f} u, sd {effect.sd.value or 0:.3f}"


def share(heading: str, words: str, count: int, total: int, most: float | None, note: str = "") -> Mark:
    """A share with its Wilson limits."""
    limits = wilson(count, total)
    assert not isinstance(limits, str)
    said = f"95 % [{limits.low:.3f}, {limits.high:.3f}]" + (f", {note}" if note else "")
    return Estimated(heading, words, limits.share, most=most, note=said, low=limits.low)


@dataclass(frozen=True)
class Estimated(Mark):
    """A share that so many studies leave open."""

    low: float = 0.0
    """Wilson's lower limit."""


def certain(line: Mark) -> Mark:
    """The same with a bar that is missed only where it is for certain: few studies miss one by chance now and then."""
    if line.most is None or not isinstance(line, Estimated):
        return line
    return replace(line, what=f"{line.what}, at least", ours=line.low)


# ---- limits --------------------------------------------------------------------------------------------------------


def coverage_lines(stands: Sequence[Stand], draws: Draws, *, sure: bool = False) -> Iterator[Mark]:
    """How often 95 % limits miss the mean of the pool, where twenty differences are not 0."""
    for stand in stands:
        drawn = draws.of(stand)[SEEDS]
        for name in (*(signal for signal in SIGNALS if signal != JUDGE), "regret"):
            held: Coverage = coverage(stand, drawn, name)
            if 10 * held.of >= len(drawn):
                words = f"{stand.plant.name}, noise {stand.plant.noise:g}: {name.replace('_', ' ')}"
                missed = held.of - held.held
                line = share("Limits that miss the mean", words, missed, held.of, 0.07, f"{held.of} studies")
                yield certain(line) if sure else line


# ---- nulls ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rejected:
    """How often a test rejected what is so."""

    words: str
    count: int
    of: int

    @classmethod
    def among(cls, words: str, found: Iterable[Figure]) -> "Rejected":
        """The p up to RATE, of those that are known."""
        known = [figure.value for figure in found if figure.value is not None]
        return cls(words, sum(p <= RATE for p in known), len(known))

    def beyond(self, least: float, most: float) -> float:
        """How far it lies outside for certain: beyond what so many studies leave open."""
        limits = wilson(self.count, self.of)
        assert not isinstance(limits, str)
        return max(0.0, limits.low - most, least - limits.high)


def null_lines(stands: Sequence[Stand], draws: Draws, studies: int) -> Iterator[Mark]:
    """How often tests reject what is so; of continuous differences they must not reject too seldom either."""
    yield from _null_lines("Null of fair play rejected", list(_fair(stands, draws)), 0.0)
    chance = np.random.default_rng(7)
    yield from _null_lines("Continuous null rejected", list(_continuous(chance, studies)), 0.035)
    turns = (sign_test(chance.choice((-1.0, 1.0, 0.0), 40, p=(0.2, 0.2, 0.6)).tolist()) for _ in range(studies))
    found = Rejected.among("McNemar, 40 pairs, two in five differ", turns)
    yield from _null_lines("Null of outcomes rejected", [found], 0.0)


def _null_lines(heading: str, found: Sequence[Rejected], least: float, most: float = 0.065) -> Iterator[Mark]:
    for each in found:
        yield share(heading, each.words, each.count, each.of, None, f"{each.of} studies")
    worst = max(each.beyond(least, most) for each in found)
    yield Mark(heading, f"for certain outside {least:.1%} to {most:.1%}, by", worst, most=0.0)


def _fair(stands: Sequence[Stand], draws: Draws) -> Iterator[Rejected]:
    for stand in (each for each in stands if each.plant.kind == FAIR):
        drawn = draws.of(stand)[SEEDS]
        for signal in ("outsider_loss", "payoff_gap", "coalition_advantage"):
            values = [stand.values(signal, each) for each in drawn]
            for name, test in TESTS.items():
                few = values[: max(200, len(values) // 4)] if test is sign_flip else values
                words = f"{name}, {signal.replace('_', ' ')}, noise {stand.plant.noise:g}"
                yield Rejected.among(words, map(test, few))


def _continuous(chance: np.random.Generator, studies: int) -> Iterator[Rejected]:
    for shape, make in SHAPES.items():
        for size in SIZES:
            values = [make(chance, size).tolist() for _ in range(studies)]
            few = values if size <= EXACT_FLIPS else values[: max(200, studies // 8)]
            yield Rejected.among(f"Student's t, {shape}, n = {size}", map(student_test, values))
            yield Rejected.among(f"sign flips, {shape}, n = {size}", map(sign_flip, few))
    yield Rejected.among("labels, n = 20", (_labels(chance) for _ in range(studies // 8)))


def _labels(chance: np.random.Generator) -> Figure:
    """Twenty runs of six agents in which nobody stands out."""
    agents = [f"agent{n}" for n in range(6)]
    runs = {}
    for seed in range(20):
        values = dict(zip(agents, chance.normal(size=6).tolist(), strict=True))
        members = tuple(str(a) for a in chance.choice(agents, 2, replace=False))
        runs[seed] = [values], members, dict.fromkeys(agents, 5)
    return label_permutation(runs)
