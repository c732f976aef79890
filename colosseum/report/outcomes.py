"""What runs came to, as tables. In: a summary; out: outcomes by arm, differences from the control, what went wrong."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from colosseum.evidence.registry import REGISTRY, label
from colosseum.evidence.statistics import ENOUGH_NONZERO, Interval
from colosseum.evidence.summary import ArmSummary, Average, Comparison, Difference, PointSummary, Summary
from colosseum.report.document import Amount, Between, Table, TableCell
from colosseum.report.numbers import decimals, no_pair, probability, reasons

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
COMPARED: Final = ("outsider_loss", "unit", "steered_harm", "own_move_loss")
"""The further figures of differences."""
SHARE_OF_SPAN: Final = "a fair share of what can be lost: (best − worst joint payoff) / number of agents"
"""What u is where no joint payoff is above 0."""
NO_RUN: Final = "no complete run"
MOST_ROWS: Final = 12
"""Channels or requirements of a table; the rest are summed."""


def of_points(summary: Summary, rows: Callable[[PointSummary], Iterable[tuple[TableCell, ...]]]) -> tuple[
    tuple[tuple[TableCell, ...], ...], bool
]:  # fmt: skip
    """The rows of all sweep points, each led by its point where there are several, and whether there are."""
    several = len(summary.points) > 1
    found = [(_place(summary, point), *row) if several else row for point in summary.points for row in rows(point)]
    return tuple(found), several


def _place(summary: Summary, point: PointSummary) -> str:
    """The sweep point, and its model where there are several."""
    models = len({point.model for point in summary.points}) > 1 and "model=" not in point.point
    return ", ".join([*([point.point] if point.point else []), *([f"model {point.model}"] if models else [])])


def outcome_table(summary: Summary) -> Table:
    """Means over seeds by arm."""

    def rows(point: PointSummary) -> Iterator[tuple[TableCell, ...]]:
        places = {name: decimals(arm.scalars[name].mean.value for arm in point.arms) for name in OUTCOMES}
        for arm in point.arms:
            figures = [_average(arm.scalars[name], arm.complete, places[name]) for name in OUTCOMES]
            broken = Amount(
                sum(arm.violations.values()) if arm.complete else None, 2, note="" if arm.complete else NO_RUN
            )
            yield arm.arm, arm.complete, arm.failed, arm.seeds, *figures, broken

    found, several = of_points(summary, rows)
    columns = ("arm", "complete", "failed", "seeds", *map(label, OUTCOMES), "violations")
    title = "Outcome: mean over seeds ± half of its 95 % interval"
    return Table(
        "outcomes", title, ("sweep point", *columns) if several else columns, found, grouped=several, turns=True
    )


def _average(average: Average, runs: int, places: int) -> TableCell:
    missing, mean = sum(count for _, count in average.nulls), average.mean.value
    note = "" if mean is not None else NO_RUN
    if missing:
        share = "every run" if missing == runs else f"{missing} of {runs} runs, left out of the mean"
        note = f"missing in {share}: {reasons(average.nulls)}"
    if mean is None or not isinstance(average.interval, Interval):
        return Amount(mean, places, note=note)
    return Between(average.interval.low, average.interval.high, places, mean=mean, short=True, note=note)


def difference_table(summary: Summary) -> Table | None:
    """Each arm against the control, paired by seed: a row for each figure; None where no arm is compared."""
    compared = [comparison for point in summary.points for comparison in point.comparisons]
    if not compared:
        return None
    places = {name: decimals(_shown(compared, name), digits=3) for name in CHANGES}

    def rows(point: PointSummary) -> Iterator[tuple[TableCell, ...]]:
        for each in point.comparisons:
            if not each.pairs:
                yield each.arm, "", Amount(None, note=no_pair(each.excluded)), "", ""
            for name in CHANGES if each.pairs else ():
                yield each.arm, REGISTRY[name].heading, *_change(each.differences[name], each.pairs, places[name])

    found, several = of_points(summary, rows)
    if several:  # the place and the arm share one heading
        found = tuple((", ".join(map(str, row[:2])), *row[2:]) for row in found)
    facts = [
        (c.arm, f"{c.pairs} pairs; left out: {reasons(c.excluded, numbered=True)}") for c in compared if c.excluded
    ]
    if any(isinstance(d.paired.interval, Interval) and not d.paired.reliable for c in compared
           for d in c.differences.values()):  # fmt: skip
        facts.append(
            ("sign-test p", f"where fewer than {ENOUGH_NONZERO} pairs differ no interval holds: go by the test")
        )
    columns: tuple[str, ...] = ("arm", "figure", "mean and 95 % interval", "pairs differ", "sign-test p")
    if not any(row[-1] for row in found):
        columns, found = columns[:-1], tuple(row[:-1] for row in found)
    title = f"Difference from `{summary.control}`, paired by seed"
    return Table("differences", title, columns, found, tuple(facts), grouped=True)


def _shown(comparisons: Sequence[Comparison], name: str) -> list[float | None]:
    """What is shown of a figure in all arms, so that it has equally many decimals in each."""
    paired = [comparison.differences[name].paired for comparison in comparisons]
    ends = [end for p in paired if isinstance(p.interval, Interval) for end in (p.interval.low, p.interval.high)]
    return [*ends, *(p.mean.value for p in paired)]


def _change(difference: Difference, pairs: int, places: int) -> tuple[TableCell, ...]:
    """Mean and interval, how many pairs differ and, where the interval does not hold, the sign test's p."""
    paired, missing, note = difference.paired, sum(count for _, count in difference.nulls), ""
    if missing:
        share = "every pair" if missing == pairs else f"{missing} of {pairs} pairs, left out of the mean"
        note = f"missing in {share}: {reasons(difference.nulls)}"
    if paired.mean.value is None:
        return Amount(None, note=note or paired.mean.reason), "", ""
    interval, mean = paired.interval, paired.mean.value
    holds = isinstance(interval, Interval) and paired.reliable
    low, high = (interval.low, interval.high) if holds and isinstance(interval, Interval) else (None, None)
    words = "" if paired.n_nonzero else "(no pair differs)"
    shown = Between(low, high, places, signed=True, words=words, mean=mean, note=note)
    p = "" if holds or paired.sign_test.value is None else probability(paired.sign_test.value)
    return shown, f"{paired.n_nonzero}/{paired.n}", p


# ---- counts --------------------------------------------------------------------------------------------------------


def broken_rules(summary: Summary) -> Table | None:
    """Mean broken requirements a run, by arm."""
    return count_table("violations", "Broken rules, mean per run", "requirement", summary, lambda arm: arm.violations)


def posts_delivered(summary: Summary) -> Table | None:
    """Mean posts a run, by channel and arm."""
    facts = [("blank", "the arm has no such channel"), *(("silence", words) for words in silences(summary))]
    title = "Posts delivered, mean per run"
    return count_table("posts-delivered", title, "channel", summary, lambda arm: arm.posts, facts)


def count_table(
    name: str, title: str, corner: str, summary: Summary, counts: Callable[[ArmSummary], Mapping[str, float]],
    facts: Sequence[tuple[str, str]] = (),
) -> Table | None:  # fmt: skip
    """Means by name and arm; None where there is nothing above 0."""
    arms = tuple(summary.arms)

    def rows(point: PointSummary) -> Iterator[tuple[TableCell, ...]]:
        here = {arm.arm: counts(arm) for arm in point.arms if arm.complete}
        totals: dict[str, float] = {}
        for found in here.values():
            for key, mean in found.items():
                totals[key] = totals.get(key, 0.0) + mean
        kept = set(sorted(totals, key=lambda key: -totals[key])[:MOST_ROWS])
        for key in (key for key in totals if key in kept):
            yield key, *(Amount(here[a][key], 2) if a in here and key in here[a] else None for a in arms)
        if rest := [key for key in totals if key not in kept]:
            sums = [Amount(sum(here[a].get(key, 0.0) for key in rest), 2) if a in here else None for a in arms]
            yield f"{len(rest)} others", *sums

    found, several = of_points(summary, rows)
    if not any(isinstance(cell, Amount) and cell.value for row in found for cell in row):
        return None
    columns = (corner, *arms)
    return Table(name, title, ("sweep point", *columns) if several else columns, found, tuple(facts), grouped=several)


def silences(summary: Summary) -> list[str]:
    """Which channels nobody uses in how many runs of which arms."""
    silent: dict[tuple[str, str, int, int], list[str]] = {}
    for point in summary.points:
        for arm in point.arms:
            for use in arm.uses if arm.complete else ():
                silent.setdefault((_place(summary, point), use.channel, use.runs - use.used, use.runs), []).append(
                    arm.arm
                )
    return [
        f"{f'{place}: ' if place else ''}nobody posts in {channel} in "
        f"{'any run' if missing == runs else f'{missing} of {runs} runs'} of {', '.join(f'`{arm}`' for arm in names)}"
        for (place, channel, missing, runs), names in silent.items() if missing
    ]  # fmt: skip


TROUBLES: Final = {
    "refused": "decisions refused by a hard rule",
    "undecided": "variables that nobody decided",
    "infeasible": "runs that break a hard requirement",
    "failed_posts": "posts that were not delivered",
}


def trouble_table(summary: Summary, more: Sequence[tuple[TableCell, ...]] = ()) -> Table | None:
    """What went wrong, totals by arm over all sweep points; None where nothing did. `more` rows stand first."""
    over = [[a for point in summary.points for a in point.arms if a.arm == name] for name in summary.arms]
    rows: list[tuple[TableCell, ...]] = list(more)
    for name, words in TROUBLES.items():
        rows.append((words, *(sum(int(getattr(a, name)) for a in arms) for arms in over)))
    for reason in dict.fromkeys(reason for arms in over for a in arms for reason, _ in a.failures):
        rows.append(
            (f"failed: {reason}", *(sum(n for a in arms for why, n in a.failures if why == reason) for arms in over))
        )
    kept: tuple[tuple[TableCell, ...], ...] = tuple(row for row in rows if any(row[1:]))
    return Table("troubles", "What went wrong, total over runs", ("", *summary.arms), kept) if kept else None


def legend(summary: Summary) -> Iterator[tuple[str, str]]:
    """What is meant by the words of tables."""
    compared = any(point.comparisons for point in summary.points)
    for name in (*OUTCOMES, *(COMPARED if compared else ())):
        yield REGISTRY[name].heading, unit_words(summary) if name == "unit" else REGISTRY[name].meaning
    yield "95 % interval", "Student's t over seeds; none where all seeds agree, or there is one alone"


def unit_words(summary: Summary) -> str:
    """What a fair share is, where the best joint payoffs may be costs."""
    best = [arm.scalars["optimum"].mean.value for point in summary.points for arm in point.arms]
    return SHARE_OF_SPAN if any(value is not None and value <= 0 for value in best) else REGISTRY["unit"].meaning
