"""Runs as charts. In: run records, counted posts; out: every run as a dot by arm, and posts by round."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from colosseum.evidence.figures import RunRecord
from colosseum.evidence.registry import REGISTRY, label
from colosseum.evidence.statistics import Interval
from colosseum.evidence.summary import ArmSummary, Summary, grouped
from colosseum.report.cells import named
from colosseum.report.charts.words import MOST_DOTS, signed, slug, thinned
from colosseum.report.document import IntervalChart, IntervalRow, Plot, Spot
from colosseum.report.numbers import decimals

Side: TypeAlias = Literal["members", "outsiders"]
Kind: TypeAlias = tuple[Side, bool]
"""Who posts, and whether the channel is secret."""
Posts: TypeAlias = Counter[tuple[str, int, Kind]]
"""By arm, round and kind."""
KINDS: Final[dict[Kind, str]] = {
    ("outsiders", False): "outsiders, in public", ("members", False): "members, in public",
    ("outsiders", True): "outsiders, in secret", ("members", True): "members, in secret",
}  # fmt: skip
SHOWN: Final = ("normalized_regret", "outsider_payoff", "coalition_payoff")
"""Figures with a chart in every report, besides those of the signal."""
RAW: Final = {"outsider_loss": "outsider_payoff"}
"""The figure of a single run behind a signal, where it has another name."""


def arms_chart(records: Sequence[RunRecord], summary: Summary, figure: str, *, where: str = "") -> IntervalChart | str:
    """Runs by arm, sweep points one below the other. `where` names the sweep point, if there is only one.

    Raises KeyError if there is no such figure.
    """
    runs = grouped(records, summary.arms)
    every = [arm for point in summary.points for arm in point.arms]
    most = max(2, MOST_DOTS // max(1, len(every)))
    rows = tuple(
        _row(arm, figure, [run for run in runs[point.point, point.model] if run.arm == arm.arm], place, most)
        for place, point in named(summary.points) for arm in point.arms
    )  # fmt: skip
    if not any(row.dots for row in rows):
        reasons = [reason for arm in every for reason, _ in (*arm.scalars[figure].nulls, *arm.failures)]
        return reasons[0] if reasons else "no run is complete"
    whole = all(arm.complete <= most for arm in every)
    drawn = "A dot is a run." if whole else "A dot is a run; not every run is drawn."
    return IntervalChart(
        slug(f"arms-{figure}"),
        f"{label(figure).capitalize()} by arm, a dot for each run" + (f": {where}" if where else ""),
        f"{drawn} Bars are 95 % intervals of the mean over seeds.",
        axis=REGISTRY[figure].axis,
        rows=rows,
        zero=False,
        series=summary.arms,
    )


def _row(arm: ArmSummary, figure: str, runs: Sequence[RunRecord], place: str, most: int) -> IntervalRow:
    """An arm at a sweep point, with at most so many of its runs, evenly by rank."""
    found = sorted(
        ((value, run) for run in runs if run.figures and (value := run.figures.scalars[figure].value) is not None),
        key=lambda each: each[0],
    )
    dots = tuple(
        Spot(value, title=f"{_place(run)}: {signed(value, decimals([value], digits=4))}", run=run.trial)
        for value, run in thinned(found, most)
    )
    mean, ends = arm.scalars[figure].mean, arm.scalars[figure].interval
    low, high = (ends.low, ends.high) if isinstance(ends, Interval) else (None, None)
    note = (mean.reason or "no run" if mean.value is None else signed(mean.value)) + f", n = {len(found):,}"
    return IntervalRow(arm.arm, mean.value, low, high, group=place, series=arm.arm, note=note, dots=dots)


def _place(run: RunRecord) -> str:
    return f"{run.arm}, seed {run.seed}" + (f", repeat {run.repeat}" if run.repeat else "")


def posts_chart(posts: Posts, runs: Mapping[str, int]) -> Plot | str:
    """A panel for each arm, a line for each side and kind of channel with any post; `runs` says how many an arm has."""
    used = [kind for kind in KINDS if any(found == kind for _, _, found in posts)]
    rounds = sorted({number for _, number, _ in posts})
    if not used:
        return "nobody posted"

    def spot(arm: str, number: int, kind: Kind) -> Spot:
        mean = posts[arm, number, kind] / runs[arm]
        return Spot(number, mean, title=f"{KINDS[kind]}, round {number}: {mean:.3g}")

    return Plot(
        "posts",
        "Posts by round: who posts, and where",
        "Mean posts a run in each round.",
        across="round",
        up="posts a run",
        panels={
            arm: {KINDS[kind]: tuple(spot(arm, n, kind) for n in range(rounds[0], rounds[-1] + 1)) for kind in used}
            for arm in runs
        },
        joined=True,
        guides=(("up", 0.0, ""),),
        series=tuple(KINDS.values()),
    )
