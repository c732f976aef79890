"""Label permutation. In: a number for every agent of every run; out: how often other coalitions differ as much.

Where members are drawn and nothing in a run depends on who they are, every coalition of the same size was as likely.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from colosseum.evidence.figures import Figure

DRAWS: Final = 10_000
ROUNDING: Final = 1e-9
MakeUp: TypeAlias = tuple[tuple[bool, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """One run."""

    values: Mapping[str, float | None]
    """By agent; None is left out of means."""
    members: frozenset[str]
    kinds: Mapping[str, int]
    """What must be equal for agents to change places, as their degree in the network."""

    @property
    def agents(self) -> list[str]:
        """In a fixed order."""
        return sorted(self.values)

    @property
    def make_up(self) -> MakeUp:
        """By agent whether it is a member, and its kind."""
        agents = self.agents
        return tuple(a in self.members for a in agents), tuple(self.kinds.get(a, 0) for a in agents)


def label_permutation(runs: Mapping[int, Sequence[Labelled]]) -> Figure:
    """One-sided p of `Σ over seeds of (mean of members − mean of others)` among coalitions of the same make-up.

    `runs` are by seed; repeats of one are averaged. `(1 + #) / (1 + B)` of B seeded draws. Seeds in which the figure is
    null are left out.
    """
    in_order = [repeats for _, repeats in sorted(runs.items())]
    drawn, after = _drawn(tuple(repeats[0].make_up for repeats in in_order))
    chance = deepcopy(after)
    scored = [(sets, _scores(repeats, sets, chance)) for sets, repeats in zip(drawn, in_order, strict=True)]
    found = [(sets, scores) for sets, scores in scored if len(scores)]
    if not found:
        return Figure(None, "no run has a figure for its coalition")
    if all((sets == sets[0]).all() for sets, _ in found):
        return Figure(None, "no other coalition was as likely")
    sums = np.sum([scores for _, scores in found], axis=0)
    reach = sums[0] - ROUNDING * max(1.0, sum(abs(scores[0]) for _, scores in found))
    return Figure(float((sums >= reach).mean()))


@lru_cache(1)
def _drawn(make_ups: tuple[MakeUp, ...]) -> tuple[list[NDArray[np.bool_]], np.random.Generator]:
    """For each run the true coalition and DRAWS others, a row each, and chance as it is then: arms mostly share them.

    Members of a kind change places with others of it.
    """
    chance, found = np.random.default_rng(0), list[NDArray[np.bool_]]()
    for members, kinds in make_ups:
        sets, of = np.tile(members, (1 + DRAWS, 1)), np.array(kinds)
        for kind in {*kinds}:
            sets[1:, of == kind] = chance.permuted(sets[1:, of == kind], axis=1)
        found.append(sets)
    return found, chance


def _scores(
    repeats: Sequence[Labelled], sets: NDArray[np.bool_], chance: np.random.Generator
) -> NDArray[np.float64]:  # fmt: skip
    """The figure under each coalition, in place of a null one that of another; empty where the true one's is null."""
    gaps = np.array([_gaps(np.array([run.values[agent] for agent in run.agents], float), sets) for run in repeats])
    there = ~np.isnan(gaps)
    with np.errstate(invalid="ignore"):
        means: NDArray[np.float64] = np.where(there, gaps, 0).sum(axis=0) / there.sum(axis=0)
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
