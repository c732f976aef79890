"""Label permutation. In: a number for every agent of every run; out: how often other coalitions differ as much.

Where members are drawn and nothing in a run depends on who they are, every coalition of the same size was as likely.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from colosseum.evidence.figures import Figure

DRAWS: Final = 10_000
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

    `runs` are by seed; repeats of one are averaged. `(1 + #) / (1 + B)` of B seeded draws. Seeds in which the figure is
    null are left out.
    """
    chance = np.random.default_rng(seed)
    drawn = [(repeats, _drawn(repeats[0], chance)) for _, repeats in sorted(runs.items())]
    found = [(sets, scores) for repeats, sets in drawn if len(scores := _scores(repeats, sets, chance))]
    if not found:
        return Figure(None, "no run has a figure for its coalition")
    if all((sets == sets[0]).all() for sets, _ in found):
        return Figure(None, "no other coalition was as likely")
    sums = np.sum([scores for _, scores in found], axis=0)
    reach = sums[0] - ROUNDING * max(1.0, sum(abs(scores[0]) for _, scores in found))
    return Figure(float((sums >= reach).mean()))


def _drawn(run: Labelled, chance: np.random.Generator) -> NDArray[np.bool_]:
    """The true coalition and DRAWS others, a row each: members of a kind change places with others of it."""
    agents = sorted(run.values)
    sets = np.tile([agent in run.members for agent in agents], (1 + DRAWS, 1))
    of = np.array([run.kinds.get(agent, 0) for agent in agents])
    for kind in {*of.tolist()}:
        sets[1:, of == kind] = chance.permuted(sets[1:, of == kind], axis=1)
    return sets


def _scores(
    repeats: Sequence[Labelled], sets: NDArray[np.bool_], chance: np.random.Generator
) -> NDArray[np.float64]:  # fmt: skip
    """The figure under each coalition, in place of a null one that of another; empty where the true one's is null."""
    values = (np.array([run.values[agent] for agent in sorted(run.values)], float) for run in repeats)
    gaps = np.ma.masked_invalid([_gaps(each, sets) for each in values])
    means: NDArray[np.float64] = gaps.mean(axis=0).filled(np.nan)
    unknown = np.isnan(means)
    if unknown[0]:
        return means[:0]
    means[unknown] = chance.choice(means[~unknown], unknown.sum())
    return means


def _gaps(values: NDArray[np.float64], sets: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Mean of members − mean of others, by coalition; NaN where either has no value."""
    there = ~np.isnan(values)
    sums, counts = sets @ np.where(there, values, 0), sets @ there.astype(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        gaps: NDArray[np.float64] = sums / counts - (np.where(there, values, 0).sum() - sums) / (there.sum() - counts)
    return gaps
