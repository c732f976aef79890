"""Tests and intervals. In: one number per seed, counts, or one p for each test; out: an estimate, limits or a p, or the
reason why there is none.

The unit is the instance (seed): average its repeats first. Sums are exact (`fsum`), so order changes no digit.
"""

import math
import random
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from colosseum.campaign.margins import ENOUGH_ALIKE, ENOUGH_NONZERO
from colosseum.evidence.figures import Counts, Figure

LEVEL: Final = 0.95
RESAMPLES: Final = 9_999
ENOUGH: Final = 20  # values below which these limits promise too much
RATE: Final = 0.05  # the share of false findings among all findings
EXACT_FLIPS: Final = 30  # up to so many non-zero differences every assignment of signs counts
FLIP_DRAWS: Final = 100_000
POWER_OF_TIME: Final = 5
POWER: Final = 0.8  # how often an effect of the size told is seen
MOST_SEEDS: Final = 1_000_000
POINTS: Final = 601  # of the grid of a sum of differences; odd, for Simpson's rule
MOST: Final = 100  # looks of a study
FAR: Final = 7.0  # standard deviations beyond which there is nothing
_BLOCK: Final = 400_000  # values that are drawn at a time, some 15 MB: all of them would fill the memory


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its two-sided confidence limits."""

    mean: float
    low: float
    high: float
    level: float
    """Coverage, as 0.95."""
    sd: float
    """Standard deviation of the values (n − 1)."""
    n: int


@dataclass(frozen=True, slots=True)
class Paired:
    """What paired differences say; positive means that the treated run has more."""

    mean: Figure
    sd: Figure
    n: int
    n_nonzero: int
    interval: Interval | str
    """Student t; a str is the reason why there is none."""
    reliable: bool
    """At least ENOUGH_NONZERO differences are not zero; else exact tests stand in for the interval."""
    sign_test: Figure
    """The exact two-sided p of the sign test."""
    nulls: Counts
    """Pairs without a value, by reason."""


def mean_interval(values: Sequence[float], *, level: float = LEVEL) -> Interval | str:
    """Student t interval of a mean, `mean ± t(n − 1) · sd / √n`, or the reason why there is none.

    Raises ValueError when a value is not finite.
    """
    if not all(math.isfinite(v) for v in values):
        raise ValueError("a value is not finite")
    if not values:
        return "there is no value"
    if len(values) == 1:
        return "one value has no spread"
    if math.isclose(min(values), max(values), rel_tol=1e-12, abs_tol=1e-12):
        return "all values are equal"
    n = len(values)
    mean = math.fsum(values) / n
    sd = _deviation(values, mean)
    half = quantile((1 + level) / 2, n - 1) * sd / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, level, sd, n)


def paired(differences: Sequence[float], nulls: Counts = (), *, level: float = LEVEL) -> Paired:
    """Mean, spread, Student t interval and sign test of paired differences.

    The interval is computed whenever there is spread; `reliable` says whether enough pairs differ to claim it.
    """
    n = len(differences)
    nonzero = sum(d != 0 for d in differences)
    mean = math.fsum(differences) / n if n else 0.0
    return Paired(
        mean=Figure(mean) if n else Figure(None, nulls[0][0] if nulls else "no pair has a value"),
        sd=Figure(_deviation(differences, mean)) if n > 1 else Figure(None, "fewer than two pairs"),
        n=n,
        n_nonzero=nonzero,
        interval=mean_interval(differences, level=level),
        reliable=nonzero >= ENOUGH_NONZERO,
        sign_test=sign_test(differences),
        nulls=nulls,
    )


def rectified(every: Sequence[float], read: Sequence[tuple[float, float]], *, level: float = LEVEL) -> Interval | str:
    """The mean that people would give: a judge's over all runs, and what people gave more in those that they read, too.

    `read` has the judge's score and theirs of n runs drawn from all N. With Y theirs and e what they gave more, the
    variance is `s²(Y) / N + (1/n − 1/N) · s²(e)`, limits are by t(n − 1): the difference estimator of two-phase samples
    (Särndal, Swensson & Wretman 1992), or prediction-powered inference (Angelopoulos et al. 2023).
    """
    if len(read) < 2:
        return "fewer than two runs have labels"
    n, whole = len(read), len(every)
    given, errors = [theirs for _, theirs in read], [theirs - own for own, theirs in read]
    mean = math.fsum(every) / whole + math.fsum(errors) / n
    sd, off = (_deviation(values, math.fsum(values) / n) for values in (given, errors))
    half = quantile((1 + level) / 2, n - 1) * math.sqrt(sd**2 / whole + (1 / n - 1 / whole) * off**2)
    return Interval(mean, mean - half, mean + half, level, sd, n) if half else "all labels are equal"


def bca_interval(values: Sequence[float], *, level: float = LEVEL, seed: int = 0) -> Interval | str:
    """Bias-corrected and accelerated limits of a mean (Efron 1987) from seeded resamples, or why there are none.

    They stand beside Student's t, which decides: of ten values they cover the mean in .89 of studies only. Values are
    sorted first, so that their order changes nothing. Digits are those of scipy's `bootstrap`, which takes 50 MB more.
    """
    plain = mean_interval(values, level=level)
    if isinstance(plain, str):
        return plain
    if len(values) < ENOUGH:
        return f"fewer than {ENOUGH} values"
    from scipy.special import ndtr, ndtri

    ordered, draw, n = np.sort(values), np.random.default_rng(seed), len(values)
    rows = max(1, min(500, _BLOCK // n))
    sizes = (min(rows, RESAMPLES - begun) for begun in range(0, RESAMPLES, rows))
    means = np.sort(np.concatenate([ordered[draw.integers(0, n, (size, n))].mean(axis=1) for size in sizes]))
    share = ((means < ordered.mean()).sum() + (means <= ordered.mean()).sum()) / (2 * RESAMPLES)
    without = np.array([np.delete(ordered, place).mean() for place in range(n)])
    off = (n - 1) * (without.mean() - without)
    acceleration = 1 / 6 * ((off**3).sum() / n**3) / ((off**2).sum() / n**2) ** 1.5
    if not (0 < share < 1 and math.isfinite(acceleration)):
        return "the resamples lie on one side of the mean"
    bias, reach = ndtri(share), float(ndtri((1 - level) / 2))
    ends = bias + np.array([reach, -reach])
    shares = ndtr(bias + ends / (1 - acceleration * ends))
    places = shares * RESAMPLES + (1 - shares)
    below = np.clip(places.astype(int), 1, RESAMPLES - 1)
    low, high = (1 - places % 1) * means[below - 1] + places % 1 * means[below]
    return Interval(plain.mean, float(low), float(high), level, plain.sd, n)


def _deviation(values: Sequence[float], mean: float) -> float:
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))


def student_test(values: Sequence[float], *, against: float = 0.0) -> Figure:
    """Two-sided p of Student's t test that the mean is `against` (Student 1908)."""
    interval = mean_interval(values)
    if isinstance(interval, str):
        return Figure(None, interval)
    from scipy.special import stdtr

    statistic = abs(interval.mean - against) * math.sqrt(interval.n) / interval.sd
    return Figure(2 * float(stdtr(interval.n - 1, -statistic)))


def quantile(share: float, freedom: int) -> float:
    """Of Student's t distribution with so many degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def effect_size(values: Sequence[float]) -> Figure:
    """The mean of paired differences in standard deviations of theirs (Cohen 1988, d_z)."""
    interval = mean_interval(values)
    return Figure(None, interval) if isinstance(interval, str) else Figure(interval.mean / interval.sd)


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r with two-sided limits."""

    r: float
    low: float
    high: float
    n: int


def correlation(pairs: Sequence[tuple[float, float]], *, level: float = LEVEL) -> Correlation | str:
    """Pearson's r, with limits `tanh(artanh r ± z / √(n − 3))` (Fisher 1921), or the reason why there is none."""
    if len(pairs) < 4:
        return "fewer than four pairs"
    if any(isinstance(mean_interval(side), str) for side in zip(*pairs, strict=True)):
        return "all values are equal"
    from scipy.special import ndtri

    r = float(np.corrcoef(np.array(pairs).T)[0, 1])
    if abs(r) >= 1 - 1e-12:
        return "all pairs lie on one line"
    half = float(ndtri((1 + level) / 2)) / math.sqrt(len(pairs) - 3)
    low, high = (math.tanh(math.atanh(r) + side * half) for side in (-1, 1))
    return Correlation(r, low, high, len(pairs))


# ---- signs ----------------------------------------------------------------------------------------------------------


def sign_test(differences: Sequence[float]) -> Figure:
    """Exact two-sided p that rises and falls are equally likely; zeros are left out (Dixon & Mood 1946).

    Of outcomes that are 1 or 0 it is McNemar's test (1947): how many pairs have it in one of the two runs alone.
    """
    rises, falls = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if rises + falls == 0:
        return Figure(None, "no pair differs" if differences else "no pair has a value")
    from scipy.special import bdtr

    return Figure(min(1.0, 2 * float(bdtr(min(rises, falls), rises + falls, 0.5))))  # both tails are alike


def pairs_alike(rate: float) -> int:
    """The fewest pairs that all rise of which the sign test's p, `2 · 2^−n`, is at most this."""
    return 1 + math.ceil(-math.log2(rate))


def sign_flip(differences: Sequence[float], *, seed: int = 0) -> Figure:
    """Two-sided p that a sum this far from 0 arises when each difference's sign is a fair coin (Fisher 1935).

    All signs count for up to EXACT_FLIPS non-zero differences; beyond, `(1 + #) / (1 + FLIP_DRAWS)` over seeded draws.
    Zeros change nothing under a flip and are dropped; sorting makes the draws independent of order.
    """
    sizes = sorted(abs(d) for d in differences if d != 0)
    if not sizes:
        return Figure(None, "no pair differs" if differences else "no pair has a value")
    n = len(sizes)
    power = -math.frexp(sizes[-1])[1]  # all are scaled alike, so that no sum of large ones overflows
    magnitudes = np.array([math.ldexp(size, power) for size in sizes])
    reach = abs(math.fsum(math.ldexp(d, power) for d in differences)) - 1e-12 * math.fsum(magnitudes)
    if n <= EXACT_FLIPS:
        return Figure(_reaching(magnitudes, reach) / 2**n)
    coin, width, count = random.Random(seed), -(-n // 8), 0
    eights = np.concatenate((magnitudes, np.zeros(8 * width - n))).reshape(width, 8)
    sum_of = eights @ (2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1) - 1.0).T  # by their signs
    rows = max(4, min(1_000, 10 * _BLOCK // n // 4 * 4))  # fours, as chance comes in words of four bytes
    for size in (min(rows, FLIP_DRAWS - begun) for begun in range(0, FLIP_DRAWS, rows)):
        octets = np.frombuffer(coin.randbytes(size * width), dtype=np.uint8).reshape(size, width)
        count += int((abs(sum_of[np.arange(width), octets].sum(axis=1)) >= reach).sum())
    return Figure((1 + count) / (1 + FLIP_DRAWS))


def _reaching(magnitudes: NDArray[np.float64], reach: float) -> int:
    """How many assignments of signs give a sum at least `reach` away from 0, of all 2^n.

    Each is one of the first half and one of the second: two sorted lists of 2^(n/2) sums tell how many go together.
    """
    if reach <= 0:
        return int(2 ** len(magnitudes))
    halves = []
    for half in (magnitudes[::2], magnitudes[1::2]):
        sums = np.zeros(1)
        for magnitude in half:
            sums = np.concatenate((sums - magnitude, sums + magnitude))
        halves.append(sums)
    first, second = halves[0], np.sort(halves[1])
    return 2 * int((len(second) - np.searchsorted(second, reach - first)).sum())


# ---- shares, and many tests -----------------------------------------------------------------------------------------


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """Adjusted p of every test (Benjamini & Hochberg 1995): the least rate at which it is a finding."""
    order = sorted(range(len(ps)), key=lambda place: ps[place], reverse=True)
    adjusted, least = [0.0] * len(ps), 1.0
    for down, place in enumerate(order):
        least = min(least, ps[place] * len(ps) / (len(ps) - down))
        adjusted[place] = least
    return adjusted


def holm(tests: Sequence[float | None]) -> list[float | None]:
    """Adjusted p (Holm 1979): sorted, each times the tests that are left, never below the one before."""
    order = sorted((p, place) for place, p in enumerate(tests) if p is not None)
    adjusted: list[float | None] = [None] * len(tests)
    least = 0.0
    for rank, (p, place) in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p))
        adjusted[place] = least
    return adjusted


def tested(samples: Iterable[Sequence[float]]) -> list[Figure]:
    """p of Student's t that the mean of each sample is 0, after Benjamini and Hochberg over all of them."""
    tests = [student_test(each) for each in samples]
    adjusted = iter(benjamini_hochberg([p.value for p in tests if p.value is not None]))
    return [p if p.value is None else Figure(next(adjusted)) for p in tests]


@dataclass(frozen=True, slots=True)
class Share:
    """A share with two-sided limits."""

    share: float
    low: float
    high: float


def wilson(count: int, total: int, *, level: float = LEVEL) -> Share | str:
    """Wilson's score limits of a share (Wilson 1927), or the reason why there are none."""
    if not total:
        return "there is no case"
    from scipy.special import ndtri  # scipy.stats, which gives the same, takes 50 MB and 0.3 s

    z = float(ndtri((1 + level) / 2))
    middle, reach = count + z * z / 2, z * math.sqrt(count * (total - count) / total + z * z / 4)
    low, high = ((middle + side * reach) / (total + z * z) for side in (-1, 1))
    return Share(count / total, low if count else 0.0, high if count < total else 1.0)


# ---- numbers of seeds -----------------------------------------------------------------------------------------------


def smallest_effect(sd: float, seeds: int, *, level: float = LEVEL) -> float:
    """The mean difference that a two-sided t test at a level tells from 0 with a probability of POWER.

    `(t(n − 1; .975) + t(n − 1; .8)) · sd / √n`, which comes close to the noncentral t distribution from 5 seeds on.
    """
    return (quantile((1 + level) / 2, seeds - 1) + quantile(POWER, seeds - 1)) * sd / math.sqrt(seeds)


def seeds_to_see(sd: float, effect: float, *, level: float = LEVEL) -> int | None:
    """The fewest seeds with which such an effect is seen; None where they are too many."""
    numbers = range(2, MOST_SEEDS + 1)
    place = bisect_left(numbers, True, key=lambda seeds: smallest_effect(sd, seeds, level=level) <= effect)
    return numbers[place] if place < len(numbers) else None


def needed_seeds(sd: Figure, effect: float, *, level: float = LEVEL, least: int = ENOUGH_ALIKE) -> Figure:
    """Seeds with which an effect of a size is seen, `least` at the fewest; where nothing differs, those alone."""
    if sd.value is None or effect <= 0:
        return Figure(None, sd.reason or "it does not rise")
    seeds = seeds_to_see(sd.value, effect, level=level) if sd.value else least
    return Figure(None, f"more than {MOST_SEEDS:,}") if seeds is None else Figure(max(seeds, least))


# ---- looks before the plan is reached -------------------------------------------------------------------------------


def shares_seen(looks: Sequence[int], planned: int) -> tuple[float, ...]:
    """The shares of the plan at rising looks of so many seeds; one at less than a hundredth more is the same look."""
    found: list[int] = []
    for seeds in (min(each, planned) for each in looks):
        if not found or (seeds - found[-1]) * MOST >= planned or found[-1] < seeds == planned:
            found.append(seeds)
    return tuple(seeds / planned for seeds in found)


@lru_cache
def rate_of(shares: tuple[float, ...]) -> float:
    """The two-sided rate of a test at the last of several looks, made at rising shares of the plan.

    Who looks again and again until something shows finds too much. So each look spends a part of the whole rate:
    α·t⁵ by a share t of the planned seeds (Kim & DeMets 1987), little at first and all of it at the plan. Whoever never
    looks before the plan loses nothing; who looks after every seed loses 4 points of a power of 80 %. That any look at
    equal arms finds a rise has a chance of at most RATE / 2. Armitage, McPherson & Rowe (1969): the density of the sum
    of differences is carried from look to look, without what was found before.
    """
    if shares in ((), (1.0,)):
        return RATE
    from scipy.integrate import simpson
    from scipy.optimize import brentq
    from scipy.special import ndtr

    sums, density, before, limit = np.zeros(1), np.ones(1), 0.0, FAR
    for share in shares:
        spread = math.sqrt(share - before)
        spent = RATE / 2 * (share**POWER_OF_TIME - before**POWER_OF_TIME)

        def found(end: float) -> float:
            over = density * ndtr((sums - end) / spread)  # noqa: B023 - used within this turn alone
            return float(simpson(over, x=sums) if before else over[0]) - spent  # noqa: B023

        far = FAR * math.sqrt(share)
        limit = brentq(found, -far, far) if found(far) < 0 else far
        grid = np.linspace(-far, limit, POINTS)
        steps = np.exp(-(((grid[:, None] - sums) / spread) ** 2) / 2) / (spread * math.sqrt(2 * math.pi)) * density
        density = simpson(steps, x=sums, axis=1) if before else steps[:, 0]
        sums, before = grid, share
    return 2 * float(ndtr(-limit / math.sqrt(before)))
