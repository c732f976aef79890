"""Contrasts that the spec names. In: run records, and verdicts; out: how far arms, or models, differ by seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from colosseum.evidence.figures import Figure, RunRecord, parted
from colosseum.evidence.readings import Weighed, weigh
from colosseum.evidence.signals import ENOUGH_POINTS, JUDGE, changes, less
from colosseum.evidence.statistics import Paired, holm
from colosseum.evidence.summary import grouped, pairs_of
from colosseum.evidence.verdict import Verdicts
from colosseum.model.experiment import factors


@dataclass(frozen=True, slots=True)
class NamedContrast:
    """One arm less another; or the effect of an arm under one model less that under another."""

    first: str
    second: str
    place: str
    """The sweep point, and the arm where models are compared."""
    signal: str
    difference: Paired
    """The first less the second, in fair shares or a judge's points."""
    adjusted_p: Figure
    """Two-sided, after Holm over all of them."""


def contrasts(records: Sequence[RunRecord], arms: Sequence[str], verdicts: Verdicts) -> tuple[NamedContrast, ...]:
    """All that the spec names, by signal and sweep point; of words where somebody judged."""
    margins = {**verdicts.rule.margins, JUDGE: ENOUGH_POINTS}
    found = list[tuple[tuple[str, str, str], Weighed]]()
    for first, second in verdicts.rule.contrasts:
        for place, by_signal in _differences(records, arms, verdicts, first, second):
            for signal, told in by_signal.items():
                weighed = weigh(signal, *parted(told), margin=margins[signal], rate=verdicts.rule.rate)
                found += [((first, second, place), weighed)] if weighed.paired.n or signal != JUDGE else []
    tests = holm([1.0 if weighed.p.value is None else weighed.p.value for _, weighed in found])
    return tuple(
        NamedContrast(*key, each.signal, each.paired, each.p if each.p.value is None else Figure(p))
        for (key, each), p in zip(found, tests, strict=True)
    )


def _differences(
    records: Sequence[RunRecord], arms: Sequence[str], verdicts: Verdicts, first: str, second: str
) -> Iterator[tuple[str, Mapping[str, Sequence[Figure]]]]:
    """By sweep point, and by signal, the first less the second at each seed."""
    groups, signals = grouped(records, arms), (*verdicts.rule.margins, JUDGE)

    def changed(runs: Sequence[RunRecord], before: str, after: str) -> dict[str, dict[int, Figure]]:
        pairs = pairs_of(runs, before, after)
        return {signal: changes(signal, pairs) for signal in signals}

    if {first, second} <= {*arms}:
        several = len({model for _, model in groups}) > 1
        for (point, model), runs in groups.items():
            place = ", ".join(f"{name}={value}" for name, value in factors(point, model * several).items())
            yield place, {signal: [*told.values()] for signal, told in changed(runs, second, first).items()}
        return
    by_factors = {tuple(sorted(factors(*place).items())): runs for place, runs in groups.items()}
    for levels, runs in by_factors.items():
        other = by_factors.get(tuple(sorted({**dict(levels), "model": second}.items())))
        if dict(levels).get("model") == first and other is not None:
            where = ", ".join(f"{name}={value}" for name, value in levels if name != "model")
            for arm in dict.fromkeys(each.arm for each in verdicts.treated):
                one, two = changed(runs, arms[0], arm), changed(other, arms[0], arm)
                told = {signal: less(one[signal], two[signal]) for signal in signals}
                yield ", ".join(filter(None, (arm, where))), told
