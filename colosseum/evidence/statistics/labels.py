"""Is it the coalition? In: a number for every agent of every run; out: how often other coalitions stand out as much.

Where members are drawn and nothing in a run depends on who they are, every coalition of the same size was as likely.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from colosseum.evidence.figures import Figure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DRAWS: Final = 10_000
MOST_COALITIONS: Final = 2_000
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
    found = [scores for number in sorted(runs) if (scores := _scores(runs[number], chance))]
    if not found:
        return Figure(None, "no run has a figure for its coalition")
    if all(len(scores) == 1 for scores in found):
        return Figure(None, "no other coalition was as likely")
    reach = math.fsum(scores[0] for scores in found)
    reach -= ROUNDING * max(1.0, math.fsum(abs(scores[0]) for scores in found))
    if math.prod(len(scores) for scores in found) <= DRAWS:
        sums = _every_sum(found)
        return Figure(float((sums >= reach).mean()))
    return Figure((1 + int((_drawn_sums(found, chance) >= reach).sum())) / (1 + DRAWS))


def _scores(repeats: Sequence[Labelled], chance: random.Random) -> list[float]:
    """The figure under every coalition of one seed, the true one first; empty where that is null."""
    run = repeats[0]
    sets = [run.members, *(s for s in _alike(run, chance) if s != run.members)]
    means = [_mean([_gap(each, members) for each in repeats]) for members in sets]
    if means[0] is None:
        return []
    return [mean for mean in means if mean is not None]


def _alike(run: Labelled, chance: random.Random) -> Iterator[frozenset[str]]:
    """Coalitions with as many members of every kind: all, or some that are drawn."""
    groups: dict[int, list[str]] = {}
    for agent in sorted(run.values):
        groups.setdefault(run.kinds.get(agent, 0), []).append(agent)
    sizes = {kind: sum(agent in run.members for agent in group) for kind, group in groups.items()}
    number = math.prod(math.comb(len(group), sizes[kind]) for kind, group in groups.items())
    if number > MOST_COALITIONS:
        for _ in range(MOST_COALITIONS):
            yield frozenset(a for kind, group in groups.items() for a in chance.sample(group, sizes[kind]))
        return
    made: list[frozenset[str]] = [frozenset()]
    for kind, group in groups.items():
        made = [one | frozenset(more) for one in made for more in combinations(group, sizes[kind])]
    yield from made


def _gap(run: Labelled, members: frozenset[str]) -> float | None:
    inside = _mean([value for agent, value in run.values.items() if agent in members])
    outside = _mean([value for agent, value in run.values.items() if agent not in members])
    return None if inside is None or outside is None else inside - outside


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def _every_sum(found: Sequence[Sequence[float]]) -> "NDArray[np.float64]":
    import numpy as np

    sums = np.zeros(1)
    for scores in found:
        sums = (sums[:, None] + np.array(scores)).ravel()
    return sums


def _drawn_sums(found: Sequence[Sequence[float]], chance: random.Random) -> "NDArray[np.float64]":
    import numpy as np

    draws = np.random.default_rng(chance.getrandbits(64))
    sums = np.zeros(DRAWS)
    for scores in found:
        sums += np.array(scores)[draws.integers(0, len(scores), DRAWS)]
    return sums
