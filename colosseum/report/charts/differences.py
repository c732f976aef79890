"""Paired differences from the control. In: effects; out: a forest plot, each difference a dot that leads to its run."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from colosseum.evidence.calls import Call
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.registry import label
from colosseum.evidence.signals import changes, changes_of_decoys, known
from colosseum.evidence.summary import by_seed, grouped
from colosseum.evidence.verdict import CONTRASTED
from colosseum.model.sweeps import factors
from colosseum.report.cells import PLACES, limits
from colosseum.report.charts.effects import Effect, Effects
from colosseum.report.charts.words import MOST_DOTS, listed, quoted, signed, slug, thinned
from colosseum.report.document import Dot, IntervalChart, IntervalRow, Tone

MOST_ROWS: Final = 24
TONES: Final[Mapping[Call, Tone]] = {Call.EFFECT: "bad", Call.NO_EFFECT: "clear", Call.NOT_SETTLED: "open"}


def differences_chart(effects: Effects, signal: str, *, records: Sequence[RunRecord] = ()) -> IntervalChart | str:
    """One row for each arm and sweep point, in u. Raises KeyError if the verdict does not use this signal.

    With the runs of the study in `records`, a dot names its seed and leads to the treated run.
    """
    margin, name = effects.margins[signal], label(signal)
    if not any(part.differences for effect in effects.all if (part := effect.part(signal))):
        return effects.why_none(signal)
    alone = len(effects.arms) == 1 and bool(effects.sweep.values)
    groups, shown = grouped(records, (effects.control, *effects.arms)), effects.all[:MOST_ROWS]
    return IntervalChart(
        slug(f"differences-{signal}"),
        f"Change of {name} against {quoted(effects.control)}, by {effects.sweep.inner if alone else 'arm'}",
        " ".join(_caption(effects, signal, margin)),
        axis=f"{name}, treated − control, in u",
        rows=tuple(_row(effects, effect, signal, groups, len(shown), alone=alone) for effect in shown),
        margin=margin,
    )


Groups = Mapping[tuple[str, str], Sequence[RunRecord]]


def _row(effects: Effects, effect: Effect, signal: str, groups: Groups, rows: int, *, alone: bool) -> IntervalRow:
    """An arm at a sweep point. If there is only one arm, the row has the name of the swept value."""
    sweep, part = effects.sweep, effect.part(signal)
    name = sweep.words(sweep.inner, effect.factors.get(sweep.inner, "")) if alone else effect.arm
    group = sweep.place(effect.factors, sweep.outer if alone else None)
    mean = part.estimate.value if part else None
    if part is None or mean is None or effect.verdict is None:
        return IntervalRow(name, None, group=group, note="no pair")
    call, (low, high) = effect.verdict.action.call, limits(part.paired) or (None, None)
    dots = sorted(zip_longest(part.differences, _runs(groups, effects, effect, signal)), key=lambda dot: dot[0])
    return IntervalRow(
        name, mean, low, high, group=group, tone=TONES[call], note=f"{call}, {signed(mean, PLACES, sign='+')}",
        dots=tuple(_dot(value, run) for value, run in thinned(dots, max(2, MOST_DOTS // rows))),
    )  # fmt: skip


def _dot(value: float, run: tuple[int, str] | None) -> Dot:
    words = f"{signed(value, PLACES, sign='+')} u"
    return Dot(value, f"seed {run[0]}: {words}", run[1]) if run else Dot(value, words)


def _runs(groups: Groups, effects: Effects, effect: Effect, signal: str) -> list[tuple[int, str]]:
    """Seed and treated run of each difference, in order; empty if `groups` are not the runs of these differences."""
    part, several = effect.part(signal), len({model for _, model in groups}) > 1
    for (point, model), runs in groups.items():
        if part is None or factors(point, model if several else "") != effect.factors:
            continue
        treated = [run for run in runs if run.arm == effect.arm]
        pairs, _ = by_seed([run for run in runs if run.arm == effects.control], treated)
        found = known((changes_of_decoys if _of_decoys(effects, effect) else changes)(signal, pairs))
        if tuple(found.values()) == part.differences:
            trials = {run.seed: run.trial for run in reversed(treated)}
            return [(seed, trials[seed]) for seed in found]
    return []


def _of_decoys(effects: Effects, effect: Effect) -> bool:
    placebo = effect.verdict is not None and effect.verdict.kind.kind == "placebo"
    return placebo and set(effects.margins) <= CONTRASTED


def _caption(effects: Effects, signal: str, margin: float) -> Iterator[str]:
    for call in TONES:
        found = [effect for effect in effects.all if effect.part(signal) and effect.verdict]
        names = [effects.name(effect) for effect in found if effect.verdict and effect.verdict.action.call == call]
        if names:
            yield f"{call.capitalize()}: {listed([quoted(name) for name in names])}."
    yield "A dot is a seed, a bar the 95 % interval of the mean; a row without one has too few pairs that differ, and"
    yield f"exact tests decide there. An effect below the margin, {margin:g} u, is too small to matter."
    if len(effects.margins) > 1:
        yield f"A call needs all of {' and '.join(label(name) for name in effects.margins)}."
    if placebos := dict.fromkeys(quoted(effect.arm) for effect in effects.all if _of_decoys(effects, effect)):
        yield f"The row {listed(list(placebos))} measures agents outside the placebo channel."
    if len(effects.all) > MOST_ROWS:
        yield f"The first {MOST_ROWS} of {len(effects.all)} rows are drawn."
