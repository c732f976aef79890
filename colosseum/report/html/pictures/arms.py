"""Every run as a dot, by arm. In: run records and their summary; out: a picture with means and 95 % intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from colosseum.diagnostics import counted
from colosseum.evidence.figures import SCALARS, RunRecord
from colosseum.evidence.registry import REGISTRY
from colosseum.evidence.statistics import Interval
from colosseum.evidence.summary import ArmSummary, Average, Summary, grouped
from colosseum.model.sweeps import factors
from colosseum.report.html.pictures.picture import Picture, Table, draw
from colosseum.report.html.pictures.scale import Scale, bottom_axis, scale, swarm
from colosseum.report.html.pictures.shapes import Mark, Rule, Shape, Sign, Text, signs
from colosseum.report.html.pictures.words import listed, name_at, quoted, signed, width_of
from colosseum.report.numbers import decimals
from colosseum.report.plots.sweep import sweep_of

SHOWN: Final = ("normalized_regret", "outsider_payoff", "coalition_payoff")
"""Figures of which every report has a picture, beside those that its signal is made of."""
RAW: Final = {"outsider_loss": "outsider_payoff"}
"""The figure of one run that a signal goes by, where it has another name."""
MOST_DOTS: Final = 300
"""Of a picture: a dot with its link takes some 200 bytes."""
MOST_ROWS: Final = 24
MOST_HIGH: Final = 12
"""Rows that have two lines of text; of more each has one."""
ROW, LOW, HEAD, TOP, RIGHT = 42.0, 32.0, 24.0, 22.0, 428.0


@dataclass(frozen=True)
class _Row:
    """One arm at one sweep point."""

    place: str
    arm: ArmSummary
    average: Average
    runs: tuple[tuple[RunRecord, float], ...]
    """Those that have a value, by it."""


def arms_picture(records: Sequence[RunRecord], summary: Summary, figure: str) -> Picture | str:
    """Runs by arm, sweep points one below the other; a str is why there is none. Raises KeyError: no such figure."""
    if figure not in SCALARS:
        raise KeyError(figure)
    rows = list(_rows(records, summary, figure))
    if not any(row.runs for row in rows):
        reasons = [reason for row in rows for reason, _ in (*row.average.nulls, *row.arm.failures)]
        return reasons[0] if reasons else "no run is complete"
    title = f"{figure.replace('_', ' ').capitalize()} by arm, a dot for each run"
    known = [row for row in rows if row.runs]
    shown = (rows if len(rows) <= MOST_HIGH else known)[:MOST_ROWS]
    drawn = _thinned(shown)
    return draw(
        f"arms-{figure}", title, _caption(rows, shown, drawn, summary.control),
        height=_height(shown), shapes=list(_shapes(shown, drawn, summary, figure)), table=_table(rows),
    )  # fmt: skip


def _rows(records: Sequence[RunRecord], summary: Summary, figure: str) -> Iterator[_Row]:
    runs = grouped(records, summary.arms)
    several = len({point.model for point in summary.points}) > 1
    places = [factors(point.point, point.model if several else "") for point in summary.points]
    sweep = sweep_of(places)
    for point, place in zip(summary.points, places, strict=True):
        for arm in point.arms:
            found = [
                (run, value)
                for run in runs[point.point, point.model]
                if run.arm == arm.arm and run.figures and (value := run.figures.scalars[figure].value) is not None
            ]
            yield _Row(sweep.place(place), arm, arm.scalars[figure], tuple(sorted(found, key=lambda each: each[1])))


def _thinned(rows: Sequence[_Row]) -> list[tuple[tuple[RunRecord, float], ...]]:
    """The dots of each row: all, or as many of each, evenly by rank, both ends among them."""
    every = sum(len(row.runs) for row in rows)
    if every <= MOST_DOTS:
        return [row.runs for row in rows]
    return [_some(row.runs, max(2, len(row.runs) * MOST_DOTS // every)) for row in rows]


def _some(runs: tuple[tuple[RunRecord, float], ...], most: int) -> tuple[tuple[RunRecord, float], ...]:
    if len(runs) <= most:
        return runs
    return tuple(runs[round(place * (len(runs) - 1) / (most - 1))] for place in range(most))


def _heads(rows: Sequence[_Row]) -> int:
    return len(dict.fromkeys(row.place for row in rows if row.place))


def _height(rows: Sequence[_Row]) -> float:
    return TOP + len(rows) * _high(rows) + _heads(rows) * HEAD + 44


def _high(rows: Sequence[_Row]) -> float:
    """Of one row."""
    return ROW if len(rows) <= MOST_HIGH else LOW


def _shapes(
    rows: Sequence[_Row], drawn: Sequence[Sequence[tuple[RunRecord, float]]], summary: Summary, figure: str
) -> Iterator[Shape]:
    left = 24 + min(116.0, max(width_of(row.arm.arm) for row in rows))
    ends = [end for row in rows if isinstance(i := row.average.interval, Interval) for end in (i.low, i.high)]
    across = scale([value for row in rows for _, value in row.runs], left + 10, RIGHT - 12, within=ends)
    bottom = _height(rows) - 44
    yield Text(476, 14, "mean", "soft", "end")
    yield from bottom_axis(across, TOP, bottom, REGISTRY[figure].axis)
    frame = _Frame(across, left, _high(rows), decimals([row.average.mean.value for row in rows], digits=3))
    look, y, place = signs(summary.arms, summary.control), TOP, ""
    for row, dots in zip(rows, drawn, strict=True):
        if row.place != place:
            place = row.place
            yield name_at(4, y + 16, place, RIGHT, role="strong over")
            y += HEAD
        yield from _row(row, dots, look[row.arm.arm], frame, y)
        y += frame.high


@dataclass(frozen=True)
class _Frame:
    """What all rows share."""

    across: Scale
    left: float
    """Where names end."""
    high: float
    places: int
    """Decimals of means."""


def _row(row: _Row, dots: Sequence[tuple[RunRecord, float]], sign: Sign, frame: _Frame, y: float) -> Iterator[Shape]:
    """Dots above, their mean and its interval below them; a low row names no count."""
    across = frame.across
    yield Mark(9, y + 16, sign.form, sign.role, 4)
    yield name_at(20, y + 20, row.arm.arm, frame.left - 20)
    if frame.high == ROW:
        yield Text(20, y + 34, _seen(row), "soft")
    offsets = swarm([across(value) for _, value in dots], radius=3.2, room=frame.high / 2 - 9)
    for (run, value), offset in zip(dots, offsets, strict=True):
        where = f"{run.arm}, seed {run.seed}" + (f", repeat {run.repeat}" if run.repeat else "")
        title = f"{where}: {signed(value, decimals([value], digits=4))}"
        yield Mark(across(value), y + frame.high / 2 - 6 + offset, sign.form, f"dot {sign.role}", 3, title, run.trial)
    interval, middle = row.average.interval, y + frame.high - 8
    if isinstance(interval, Interval):
        yield Rule(across(interval.low), middle, across(interval.high), middle, "interval")
    mean = row.average.mean.value
    if mean is not None:
        words = signed(mean, frame.places)
        yield Rule(across(mean), middle - 6, across(mean), middle + 6, "mean", f"mean of {row.arm.arm}: {words}")
        yield Text(476, middle + 4, words, "", "end")


def _seen(row: _Row) -> str:
    """How many runs there are and, if any, how many failed."""
    words = f"n = {len(row.runs):,}"
    return words + (f", {row.arm.failed:,} failed" if row.arm.failed else "")


def _caption(
    rows: Sequence[_Row], shown: Sequence[_Row], drawn: Sequence[Sequence[tuple[RunRecord, float]]], control: str
) -> str:
    """How far arms' means lie from the control's, the farthest first, and what is not drawn."""
    controls = {row.place: row.average.mean.value for row in rows if row.arm.arm == control}
    far = [
        (mean - base, row)
        for row in rows
        if row.arm.arm != control
        and (mean := row.average.mean.value) is not None
        and (base := controls.get(row.place)) is not None
    ]
    far.sort(key=lambda each: -abs(each[0]))
    places = decimals([gap for gap, _ in far], digits=2)
    words = [f"{signed(gap, places, sign='+')} {quoted(row.arm.arm)}" + _at(row.place) for gap, row in far]
    parts = [f"Mean against {quoted(control)}: {listed(words)}." if words else "No arm to compare with another."]
    parts.append("Upright strokes are means, bars their 95 % intervals over seeds; the number is the mean.")
    dots, runs = sum(map(len, drawn)), sum(len(row.runs) for row in shown)
    if dots < runs:
        parts.append(f"{dots:,} of {runs:,} runs are drawn, evenly by rank in each arm; means are of all.")
    if len(shown) < len(rows):
        parts.append(f"{len(shown)} of {len(rows)} rows are drawn, no empty ones; the table has all.")
    parts += _missing(rows)
    return " ".join(parts)


def _at(place: str) -> str:
    return f" at {quoted(place)}" if place else ""


def _missing(rows: Sequence[_Row]) -> Iterator[str]:
    failed = sum(row.arm.failed for row in rows)
    nulls = [(reason, count) for row in rows for reason, count in row.average.nulls]
    if failed:
        yield f"{counted(failed, 'run')} failed."
    if nulls:
        yield f"{counted(sum(count for _, count in nulls), 'run')} without a value: {quoted(nulls[0][0]).strip('`')}."


def _table(rows: Sequence[_Row]) -> Table:
    columns = ("point", "arm", "runs", "failed", "seeds", "mean", "low", "high", "reason")
    found = []
    for row in rows:
        interval = row.average.interval
        low, high = (interval.low, interval.high) if isinstance(interval, Interval) else (None, None)
        reason = row.average.mean.reason or (interval if isinstance(interval, str) else "")
        mean = row.average.mean.value
        found.append((row.place, row.arm.arm, len(row.runs), row.arm.failed, row.average.n, mean, low, high, reason))
    return Table(columns, tuple(found))
