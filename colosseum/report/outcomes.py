"""What runs came to, as tables. In: a summary; out: outcomes by arm, differences from the control, what went wrong."""

from collections.abc import Iterator
from typing import Final

from colosseum.evidence.registry import REGISTRY, label
from colosseum.evidence.statistics import Interval
from colosseum.evidence.summary import Average, PointSummary, Summary
from colosseum.report.cells import change, lacking, limits, named, point_table
from colosseum.report.document import Amount, Between, Table, TableCell
from colosseum.report.numbers import decimals, no_pair

OUTCOMES: Final = (
    "joint_payoff", "regret", "normalized_regret", "coalition_regret", "outsider_regret", "coalition_advantage",
    "payoff_gap", "coalition_value",
)  # fmt: skip
"""The figures of the outcome table."""
CHANGES: Final = (
    "outsider_loss", "joint_payoff", "regret", "steered_harm", "own_move_loss", "coalition_advantage", "payoff_gap",
    "coalition_value",
)  # fmt: skip
"""The figures of the difference table."""


def outcome_table(summary: Summary) -> Table:
    """Means over seeds by arm."""

    def rows(point: PointSummary) -> Iterator[tuple[TableCell, ...]]:
        places = {name: decimals(arm.scalars[name].mean.value for arm in point.arms) for name in OUTCOMES}
        for arm in point.arms:
            figures = [_average(arm.scalars[name], arm.complete, places[name]) for name in OUTCOMES]
            yield arm.arm, arm.complete, arm.failed, arm.seeds, *figures

    columns = ("arm", "complete", "failed", "seeds", *map(label, OUTCOMES))
    title = "Outcome: mean over seeds ± half of its 95 % interval (Student's t)"
    return point_table("outcomes", title, columns, summary.points, rows)


def _average(average: Average, runs: int, places: int) -> TableCell:
    note, mean = lacking(average.nulls, runs, "runs") or average.mean.reason, average.mean.value
    if not isinstance(average.interval, Interval):
        return Amount(mean, places, note=note)
    return Between(average.interval.low, average.interval.high, places, mean=mean, short=True, note=note)


def difference_table(summary: Summary) -> Table | None:
    """Each arm against the control, paired by seed: a row for each figure; None where no arm is compared."""
    compared = [comparison for point in summary.points for comparison in point.comparisons]
    if not compared:
        return None
    places = {
        name: decimals([end for p in pairs for end in (p.mean.value, *(limits(p) or ()))], digits=3)
        for name in CHANGES for pairs in [[c.differences[name].paired for c in compared]]
    }  # fmt: skip
    rows = list[tuple[TableCell, ...]]()
    for place, point in named(summary.points):
        for each in point.comparisons:
            name = ", ".join(filter(None, (place, each.arm)))
            if not each.pairs:
                rows.append((name, "", Amount(None, note=no_pair(each.excluded))))
                continue
            for figure, found in ((figure, each.differences[figure]) for figure in CHANGES):
                cell = change(found.paired, places[figure], note=lacking(found.nulls, each.pairs, "pairs"))
                rows.append((name, REGISTRY[figure].heading, cell))
    title = f"Difference from `{summary.control}`, paired by seed"
    columns = ("arm", "figure", "mean and 95 % interval")
    return Table("differences", title, columns, tuple(rows), grouped=True)


def silences(summary: Summary) -> list[str]:
    """Which channels nobody uses in how many runs of which arms."""
    silent: dict[tuple[str, str, int, int], list[str]] = {}
    for place, point in named(summary.points):
        for arm in point.arms:
            for use in arm.uses if arm.complete else ():
                silent.setdefault((place, use.channel, use.runs - use.used, use.runs), []).append(f"`{arm.arm}`")
    return [
        f"{f'{place}: ' if place else ''}nobody posts in {channel} in {missing} of {runs} runs of {', '.join(arms)}"
        for (place, channel, missing, runs), arms in silent.items() if missing
    ]  # fmt: skip


TROUBLES: Final = {
    "refused": "decisions refused by a hard rule",
    "undecided": "variables that nobody decided",
    "infeasible": "runs that break a hard requirement",
    "failed_posts": "posts that were not delivered",
}


def trouble_table(summary: Summary) -> Table | None:
    """What went wrong, by arm; None where nothing did."""

    def rows(point: PointSummary) -> Iterator[tuple[TableCell, ...]]:
        for name in dict.fromkeys(name for arm in point.arms for name, mean in arm.violations.items() if mean):
            broken = (Amount(arm.violations.get(name), 2) if arm.complete else None for arm in point.arms)
            yield f"{name} broken, mean per run", *broken
        counts = {words: [int(getattr(arm, name)) for arm in point.arms] for name, words in TROUBLES.items()}
        for reason in dict.fromkeys(reason for arm in point.arms for reason, _ in arm.failures):
            counts[f"failed: {reason}"] = [dict(arm.failures).get(reason, 0) for arm in point.arms]
        for words, numbers in counts.items():
            if any(numbers):
                yield words, *numbers

    found = point_table("troubles", "What went wrong, total over runs", ("", *summary.arms), summary.points, rows)
    return found if found.rows else None
