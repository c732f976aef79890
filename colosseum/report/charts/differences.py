"""Paired differences from the control. In: effects; out: a forest plot, each difference a dot that leads to its run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from colosseum.evidence.calls import Call
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.registry import label
from colosseum.evidence.summary import by_seed, grouped
from colosseum.report.cells import PLACES, limits
from colosseum.report.charts.effects import Effect, Effects
from colosseum.report.charts.words import MOST_DOTS, quoted, signed, slug, thinned
from colosseum.report.document import Dot, IntervalChart, IntervalRow, Tone

TONES: Final[Mapping[Call, Tone]] = {Call.EFFECT: "bad", Call.NO_EFFECT: "clear", Call.NOT_SETTLED: "open"}


def differences_chart(effects: Effects, signal: str, *, records: Sequence[RunRecord] = ()) -> IntervalChart | str:
    """One row for each arm and sweep point, in u. Raises KeyError if the verdict does not use this signal.

    With the runs of the study in `records`, a dot names its seed and leads to the treated run.
    """
    margin, name = effects.margins[signal], label(signal)
    if not any(part.differences for effect in effects.all if (part := effect.part(signal))):
        return effects.why_none(signal)
    runs = grouped(records, (effects.control, *effects.arms))
    return IntervalChart(
        slug(f"differences-{signal}"),
        f"Change of {name} against {quoted(effects.control)}",
        "A dot is a seed, a bar the 95 % interval of the mean; a row without one has too few pairs that differ, and "
        f"exact tests decide there. An effect below the margin, {margin:g} u, is too small to matter.",
        axis=f"{name}, treated − control, in u",
        rows=tuple(_row(effects, effect, signal, runs.get(effect.key, ())) for effect in effects.all),
        margin=margin,
    )


def _row(effects: Effects, effect: Effect, signal: str, runs: Sequence[RunRecord]) -> IntervalRow:
    """An arm at a sweep point; if there is only one arm, the row has the name of the point."""
    part, mean, place = effect.part(signal), effect.mean(signal), effects.sweep.place(effect.key)
    name, group = (place, "") if place and len(effects.arms) == 1 else (effect.arm, place)
    if part is None or mean is None or effect.verdict is None:
        return IntervalRow(name, None, group=group, note="no pair")
    call, (low, high) = effect.verdict.action.call, limits(part.paired) or (None, None)
    dots = sorted(_dots(effects, effect, part.differences, runs), key=lambda dot: dot.value)
    return IntervalRow(
        name, mean, low, high, group=group, tone=TONES[call], note=f"{call}, {signed(mean, PLACES, sign='+')}",
        dots=tuple(thinned(dots, max(2, MOST_DOTS // len(effects.all)))),
    )  # fmt: skip


def _dots(effects: Effects, effect: Effect, differences: Sequence[float], runs: Sequence[RunRecord]) -> Iterator[Dot]:
    """With seeds and runs where every pair has a difference; else it is not known which has none."""
    treated = [run for run in runs if run.arm == effect.arm]
    pairs, _ = by_seed([run for run in runs if run.arm == effects.control], treated)
    trials = {run.seed: run.trial for run in reversed(treated)}
    seeds = list(pairs) if len(pairs) == len(differences) else [None] * len(differences)
    for seed, value in zip(seeds, differences, strict=True):
        words = f"{signed(value, PLACES, sign='+')} u"
        yield Dot(value, words) if seed is None else Dot(value, f"seed {seed}: {words}", trials[seed])
