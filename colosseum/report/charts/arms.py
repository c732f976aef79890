"""Every run as a dot, by arm. In: run records and their summary; out: a chart with means and 95 % intervals."""

from collections.abc import Iterator, Sequence
from typing import Final

from colosseum.diagnostics import counted
from colosseum.evidence.figures import SCALARS, RunRecord
from colosseum.evidence.registry import REGISTRY, label
from colosseum.evidence.statistics import Interval
from colosseum.evidence.summary import ArmSummary, Summary, grouped
from colosseum.model.sweeps import factors
from colosseum.report.charts.sweep import sweep_of
from colosseum.report.charts.words import MOST_DOTS, quoted, signed, slug, thinned
from colosseum.report.document import Dot, IntervalChart, IntervalRow
from colosseum.report.numbers import decimals

SHOWN: Final = ("normalized_regret", "outsider_payoff", "coalition_payoff")
"""Figures with a chart in every report, besides those of the signal."""
RAW: Final = {"outsider_loss": "outsider_payoff"}
"""The figure of a single run behind a signal, where it has another name."""
MOST_ROWS: Final = 24


def arms_chart(records: Sequence[RunRecord], summary: Summary, figure: str, *, where: str = "") -> IntervalChart | str:
    """Runs by arm, sweep points one below the other. `where` names the sweep point, if there is only one.

    Raises KeyError if there is no such figure.
    """
    if figure not in SCALARS:
        raise KeyError(figure)
    rows = list(_rows(records, summary, figure))
    arms = [arm for point in summary.points for arm in point.arms]
    if not any(row.dots for row in rows):
        reasons = [reason for arm in arms for reason, _ in (*arm.scalars[figure].nulls, *arm.failures)]
        return reasons[0] if reasons else "no run is complete"
    shown = (rows if len(rows) <= MOST_ROWS else [row for row in rows if row.dots])[:MOST_ROWS]
    return IntervalChart(
        slug(f"arms-{figure}"),
        f"{label(figure).capitalize()} by arm, a dot for each run" + (f": {where}" if where else ""),
        " ".join(_caption(rows, shown, summary, figure)),
        axis=REGISTRY[figure].axis,
        rows=tuple(shown),
        zero=False,
        series=summary.arms,
    )


def _rows(records: Sequence[RunRecord], summary: Summary, figure: str) -> Iterator[IntervalRow]:
    runs = grouped(records, summary.arms)
    several = len({point.model for point in summary.points}) > 1
    places = [factors(point.point, point.model if several else "") for point in summary.points]
    sweep, known = sweep_of(places), sum(arm.scalars[figure].n for point in summary.points for arm in point.arms)
    for point, place in zip(summary.points, places, strict=True):
        decimal = decimals([arm.scalars[figure].mean.value for arm in point.arms], digits=3)
        for arm in point.arms:
            found = [
                (value, run)
                for run in runs[point.point, point.model]
                if run.arm == arm.arm and run.figures and (value := run.figures.scalars[figure].value) is not None
            ]
            found.sort(key=lambda each: each[0])
            dots = tuple(
                _dot(*each) for each in thinned(found, max(2, len(found) * MOST_DOTS // max(known, MOST_DOTS)))
            )
            yield _row(arm, figure, sweep.place(place), dots, decimal, len(found))


def _row(arm: ArmSummary, figure: str, place: str, dots: tuple[Dot, ...], decimal: int, count: int) -> IntervalRow:
    average = arm.scalars[figure]
    mean, ends = average.mean.value, average.interval
    low, high = (ends.low, ends.high) if isinstance(ends, Interval) else (None, None)
    note = (average.mean.reason or "no run" if mean is None else signed(mean, decimal)) + f", n = {count:,}"
    return IntervalRow(arm.arm, mean, low, high, group=place, series=arm.arm, note=note, dots=dots)


def _dot(value: float, run: RunRecord) -> Dot:
    where = f"{run.arm}, seed {run.seed}" + (f", repeat {run.repeat}" if run.repeat else "")
    return Dot(value, f"{where}: {signed(value, decimals([value], digits=4))}", run.trial)


def _caption(rows: Sequence[IntervalRow], shown: Sequence[IntervalRow], summary: Summary, figure: str) -> Iterator[str]:
    """The largest differences from the control, and what is not drawn."""
    base = {row.group: row.mean for row in rows if row.name == summary.control}
    treated = [(row, row.mean, base.get(row.group)) for row in rows if row.name != summary.control]
    far = [(mean - control, row) for row, mean, control in treated if mean is not None and control is not None]
    places = decimals([gap for gap, _ in far], digits=2)
    words = [
        f"{signed(gap, places, sign='+')} {quoted(row.name)}" + (f" at {row.group}" if row.group else "")
        for gap, row in sorted(far, key=lambda each: -abs(each[0]))[:3]
    ]
    if words:
        yield f"Mean against {quoted(summary.control)}, the farthest: {', '.join(words)}."
    yield "Bars are 95 % intervals of the mean over seeds."
    if len(shown) < len(rows):
        yield f"{len(shown)} of {len(rows)} rows are drawn."
    arms = [arm for point in summary.points for arm in point.arms]
    if sum(arm.complete for arm in arms) > MOST_DOTS:
        yield "Not every run is drawn: dots are thinned evenly by rank. Means are of all."
    if failed := sum(arm.failed for arm in arms):
        yield f"{counted(failed, 'run')} failed."
    if nulls := [null for arm in arms for null in arm.scalars[figure].nulls]:
        yield f"{counted(sum(count for _, count in nulls), 'run')} without a value: {nulls[0][0]}."
