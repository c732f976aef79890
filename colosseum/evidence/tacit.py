"""Tacit collusion. In: the runs of an arm without a channel, whose members look after themselves, and the one-shot game
of each seed; out: by how much a signal changes at the pure Nash equilibrium at which it changes most."""

from collections.abc import Callable, Mapping
from statistics import fmean
from typing import TypeAlias

import numpy as np

from colosseum.evidence.figures import Figure
from colosseum.evidence.instance import EVERYBODY
from colosseum.evidence.metrics import UNDECIDED
from colosseum.evidence.summary import Pair, unit_of
from colosseum.solve.arrays import Floats

Games: TypeAlias = Callable[[str, int], Floats | str]
"""The payoffs at the equilibria of a sweep point and seed, a row each, or why there are none."""


def at_equilibrium(name: str, pairs: Mapping[int, Pair], games: Callable[[int], Floats | str]) -> dict[int, Figure]:
    """The greatest change of a signal from the control to an equilibrium, by seed, in fair shares."""
    return {seed: _greatest(name, pair, games(seed)) for seed, pair in pairs.items()}


def _greatest(name: str, pair: Pair, game: Floats | str) -> Figure:
    control, unit = pair[0], unit_of(pair)
    agents, setup = list(control[0].payoff), control[0].setup
    if isinstance(game, str) or unit.value is None:
        return Figure(None, game if isinstance(game, str) else unit.reason)
    if setup is None or not all(run.payoff for run in control):
        return Figure(None, UNDECIDED)
    inside = np.array([agent in setup.members for agent in agents])
    if inside.all():
        return Figure(None, EVERYBODY)
    before = np.array([[fmean(run.payoff[agent] for run in control) for agent in agents]])
    both = np.concatenate([before, game])
    others, own = both[:, ~inside].mean(axis=1), both[:, inside]
    known = {"outsider_loss": -others, "payoff_gap": own.mean(axis=1) - others, "coalition_value": own.sum(axis=1)}
    if (worth := known.get(name)) is None or (name == "coalition_value" and setup.own_objective):
        return Figure(None, f"`{name}` is not known at equilibria")
    return Figure(float(worth[1:].max() - worth[0]) / unit.value)
