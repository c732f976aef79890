"""Which run a paired difference is of. In: run records, an effect and a signal; out: a seed and a trial for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from colosseum.evidence.figures import RunRecord
from colosseum.evidence.signals import changes, changes_of_decoys, known
from colosseum.evidence.summary import by_seed, grouped
from colosseum.evidence.verdict import CONTRASTED
from colosseum.model.sweeps import factors
from colosseum.report.plots.effects import Effect, Effects


@dataclass(frozen=True)
class Source:
    """The treated run that a difference is of."""

    seed: int
    trial: str
    """Of its first repeat."""


Groups: TypeAlias = Mapping[tuple[str, str], Sequence[RunRecord]]
"""Runs by sweep point and model."""


def groups_of(records: Sequence[RunRecord], effects: Effects) -> Groups:
    """The runs that are compared with each other."""
    return grouped(records, (effects.control, *effects.arms))


def sources(groups: Groups, effects: Effects, effect: Effect, signal: str) -> tuple[Source, ...]:
    """One for each difference of a signal, in their order; none where they are not found to be of these runs."""
    several = len({model for _, model in groups}) > 1
    part = next((part for part in effect.parts if part.signal == signal), None)
    for (point, model), runs in groups.items():
        if part is None or factors(point, model if several else "") != effect.factors:
            continue
        treated = [run for run in runs if run.arm == effect.arm]
        pairs, _ = by_seed([run for run in runs if run.arm == effects.control], treated)
        placebo = effect.verdict is not None and effect.verdict.kind.kind == "placebo"
        own = changes_of_decoys if placebo and set(effects.margins) <= CONTRASTED else changes
        found = known(own(signal, pairs))
        if tuple(found.values()) == part.differences:
            trials = {run.seed: run.trial for run in reversed(treated)}
            return tuple(Source(seed, trials[seed]) for seed in found)
    return ()
