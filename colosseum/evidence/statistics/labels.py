"""Label permutation. In: a number for every agent of every run; out: how often other coalitions differ as much.

Where members are drawn and nothing in a run depends on who they are, every coalition of the same size was as likely.
"""

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from colosseum.evidence.figures import Figure

DRAWS: Final = 10_000
MOST_COALITIONS: Final = 1_000
"""Of one run beyond which some are drawn."""
ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Labelled:
    """One run."""

    values: Mapping[str, float | None]
    """By agent; None is left out of means."""
    members: frozenset[str]
    kinds: Mapping[str, int]
    """What must be equal for agents to change places, as their degree in the network."""


def label_permutation(runs: Mapping[int, Sequence[Labelled]], *, seed: int = 0) -> Figure:
    """One-sided p of `Σ over seeds of (mean of members − mean of others)` among coalitions of the same make-up.

    `runs` are by seed; repeats of one are averaged. Every combination is tried where there are no more than DRAWS,
    else so many seeded draws: `(1 + #) / (1 + B)`. Seeds in which the figure is null are left out.
    """
    chance = random.Random(seed)
    known: dict[object, NDArray[np.bool_]] = {}
    found = [scores for number in sorted(runs) if len(scores := _scores(runs[number], known, chance))]
    if not found:
        return Figure(None, "no run has a figure for its coalition")
    if all(len(scores) == 1 for scores in found):
        return Figure(None, "no other coalition was as likely")
    reach = math.fsum(scores[0] for scores in found)
    reach -= ROUNDING * max(1.0, math.fsum(abs(scores[0]) for scores in found))
    if math.prod(len(scores) for scores in found) <= DRAWS:
        return Figure(float((_every_sum(found) >= reach).mean()))
    return Figure((1 + int((_drawn_sums(found, chance) >= reach).sum())) / (1 + DRAWS))


def _scores(
    repeats: Sequence[Labelled], known: dict[object, NDArray[np.bool_]], chance: random.Random
) -> NDArray[np.float64]:
    """The figure under every coalition of one seed, the true one first; empty where that is null."""
    run = repeats[0]
    agents = sorted(run.values)
    true = np.array([agent in run.members for agent in agents])
    groups: dict[int, list[int]] = {}
    for place, agent in enumerate(agents):
        groups.setdefault(run.kinds.get(agent, 0), []).append(place)
    sizes = [(tuple(group), int(true[group].sum())) for group in groups.values()]
    others = known.get((len(agents), *sizes))
    if others is None:
        others = known[(len(agents), *sizes)] = np.array(list(_alike(len(agents), sizes, chance)))
    sets = np.vstack([true, others[(others != true).any(axis=1)]])
    gaps = np.array([_gaps(np.array([each.values[a] for a in agents], dtype=float), sets) for each in repeats])
    there = ~np.isnan(gaps)
    counts = there.sum(axis=0)
    means: NDArray[np.float64] = np.where(there, gaps, 0).sum(axis=0)[counts > 0] / counts[counts > 0]
    return means if counts[0] else means[:0]


def _alike(number: int, sizes: Sequence[tuple[tuple[int, ...], int]], chance: random.Random) -> Iterator[list[bool]]:
    """Coalitions of so many agents of every group: all of them, or some that are drawn."""
    ways = math.prod(math.comb(len(group), size) for group, size in sizes)
    made: Iterable[tuple[int, ...]]
    if ways > MOST_COALITIONS:
        made = (tuple(p for g, size in sizes for p in chance.sample(g, size)) for _ in range(MOST_COALITIONS))
    else:
        parts = product(*(combinations(group, size) for group, size in sizes))
        made = (tuple(chain.from_iterable(part)) for part in parts)
    for places in made:
        yield [place in places for place in range(number)]


def _gaps(values: NDArray[np.float64], sets: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Mean of members − mean of others, by coalition; NaN where either has no value."""
    there = ~np.isnan(values)
    sums, counts = sets @ np.where(there, values, 0), sets @ there.astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps: NDArray[np.float64] = sums / counts - (np.where(there, values, 0).sum() - sums) / (there.sum() - counts)
    return gaps


def _every_sum(found: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for scores in found:
        sums = (sums[:, None] + scores).ravel()
    return sums


def _drawn_sums(found: Sequence[NDArray[np.float64]], chance: random.Random) -> NDArray[np.float64]:
    draws = np.random.default_rng(chance.getrandbits(64))
    sums = np.zeros(DRAWS)
    for scores in found:
        sums += scores[draws.integers(0, len(scores), DRAWS)]
    return sums
