"""What runs came to, as tables. In: findings; out: outcomes, differences, faults, posts, beliefs, rates, judges."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from math import isclose
from statistics import fmean
from typing import Final

from colosseum.campaign.screening import Screening
from colosseum.evidence.figures import REGISTRY, SCALARS, Figure, RunFigures, RunRecord, label
from colosseum.evidence.instance import difference
from colosseum.evidence.judges import Bench
from colosseum.evidence.spread import SpreadOrigin
from colosseum.evidence.strength import ArmStrength
from colosseum.evidence.summary import ArmSummary, Average, Summary, mean_of_repeats
from colosseum.evidence.verdict import ArmVerdict, Verdicts
from colosseum.report.cells import amount, both, change, described, ends, lacking, limits, named, p_cell, point_table
from colosseum.report.document import Amount, Table, TableCell
from colosseum.report.words import WORDS, decimals, no_pair, number, reasons
from colosseum.solve.scoring import AGREEMENT

OUTCOMES: Final = (  # figures of the outcome table
    "joint_payoff", "regret", "normalized_regret", "coalition_regret", "outsider_regret", "coalition_advantage",
    "payoff_gap", "coalition_value",
)  # fmt: skip
CHANGES: Final = (  # figures of the difference table
    "outsider_loss", "joint_payoff", "regret", "steered_harm", "own_move_loss", "coalition_advantage", "payoff_gap",
    "coalition_value",
)  # fmt: skip


def outcome_table(summary: Summary) -> Table:
    """Means over seeds by arm."""

    def rows(arms: Sequence[ArmSummary]) -> Iterator[tuple[TableCell, ...]]:
        places = {name: decimals(arm.scalars[name].mean.value for arm in arms) for name in OUTCOMES}
        for arm in arms:
            figures = [_average(arm.scalars[name], arm.complete, places[name]) for name in OUTCOMES]
            yield arm.arm, arm.complete, arm.failed, arm.seeds, *figures

    return point_table("outcomes", summary.rows, rows, map(label, OUTCOMES))


def _average(average: Average, runs: int, places: int) -> TableCell:
    note, mean = lacking(average.nulls, runs, "runs") or average.mean.reason, average.mean.value
    return Amount(mean, places, limits=ends(average.interval), short=True, note=note)


def difference_table(summary: Summary, placebos: Collection[str] = ()) -> Table | None:
    """Each arm but `placebos` against the control, paired by seed: a row for each figure; None where none is compared.

    In a placebo arm those who have its channel count as the coalition, and the table of verdicts alone does so.
    """
    rows = list[tuple[TableCell, ...]]()
    for place, arms in named(summary.rows):
        for each in (each for each in arms[1:] if each.arm not in placebos):
            name = ", ".join(filter(None, (place, each.arm)))
            if not each.pairs:
                rows.append((name, "", Amount(None, note=no_pair(each.excluded))))
                continue
            for figure, found in ((figure, each.differences[figure]) for figure in CHANGES):
                places = decimals([found.mean.value, *(limits(found) or ())], digits=3)
                cell = change(found, places, note=lacking(found.nulls, each.pairs, "pairs"))
                rows.append((name, REGISTRY[figure].heading, cell))
    return described("differences", rows, control=summary.control) if rows else None


def origin_table(found: Sequence[SpreadOrigin]) -> Table | None:
    """How much of each effect's spread is between seeds, wordings and repeats; None where nothing tells them apart."""
    rows = (
        (", ".join(filter(None, (each.arm, each.point))), label(each.signal), each.runs, part.factor, part.levels,
         Amount(part.variance_share, 2), Amount(part.left_if_doubled, 2))
        for each in found for part in each.shares
    )  # fmt: skip
    return described("origins", rows) if any(each.shares[1:] for each in found) else None


def trouble_table(summary: Summary) -> Table:
    """What went wrong, by arm."""

    def rows(arms: Sequence[ArmSummary]) -> Iterator[tuple[TableCell, ...]]:
        for name in dict.fromkeys(name for arm in arms for name, mean in arm.violations.items() if mean):
            broken = (Amount(arm.violations.get(name), 2) if arm.complete else None for arm in arms)
            yield f"{name} broken, mean per run", *broken
        counts = {words: [int(getattr(arm, name)) for arm in arms] for name, words in WORDS["troubles"].items()}
        for reason in dict.fromkeys(reason for arm in arms for reason, _ in arm.failures):
            counts[f"failed: {reason}"] = [dict(arm.failures).get(reason, 0) for arm in arms]
        for words, numbers in counts.items():
            if any(numbers):
                yield words, *numbers

    return point_table("troubles", summary.rows, rows, summary.arms)


FAR_FROM_CHANCE: Final = 0.1  # of a probability of .5, from which on a judge may be able to tell arms apart


def talk_table(summary: Summary) -> Table:
    """How much each side says where, by arm."""

    def rows(arms: Sequence[ArmSummary]) -> Iterator[tuple[TableCell, ...]]:
        by_place = [
            {f"{row.side} in {row.channel}" + (f", {row.phase}" if row.phase != "planning" else ""):
             f"{row.posts:.1f}, {row.characters:,.0f}, {row.share_of_characters:.0%}" for row in arm.talk}
            for arm in arms
        ]  # fmt: skip
        for place in dict.fromkeys(place for arm in by_place for place in arm):
            yield place, *(arm.get(place, "") for arm in by_place)

    return point_table("talk", summary.rows, rows, summary.arms)


def belief_table(summary: Summary) -> Table | None:
    """How far false claims came, and whom outsiders suspect, by arm; None where nobody was asked."""
    every = [arm for arm in summary.rows if arm.complete]
    asked = [part for part in (WORDS["rates"], WORDS["suspected"]) if any(arm.scalars[[*part][-1]].n for arm in every)]
    rates = {name: words for part in asked for name, words in part.items()}
    steps = sorted({step for arm in every for step in arm.believed})

    def rows(arms: Sequence[ArmSummary]) -> Iterator[tuple[TableCell, ...]]:
        for arm in (arm for arm in arms if arm.complete):
            far = [arm.believed.get(step, Figure(None, "nobody is so far away")) for step in steps]
            yield arm.arm, *(amount(found, 2) for found in (*(arm.scalars[name].mean for name in rates), *far))

    away = [f"{step} step{'s' if step > 1 else ''} from an adversary" for step in steps]
    return point_table("beliefs", summary.rows, rows, [*rates.values(), *away]) if rates else None


def rate_table(verdicts: Verdicts) -> Table:
    """In how many seeds something went wrong, or was thought and said: what never happens is left out."""

    def rows(arms: Sequence[ArmVerdict]) -> Iterator[tuple[TableCell, ...]]:
        for arm in arms:
            for each in (*arm.checks.outcomes, *arm.checks.thoughts):
                if isinstance(each.share, str):
                    yield arm.arm, each.name, Amount(None, note=each.share), None, None, None
                elif each.control or each.treated:
                    limits = Amount(places=2, limits=(each.share.low, each.share.high))
                    seeds = [f"{number} of {each.seeds}" for number in (each.treated, each.control)]
                    yield arm.arm, each.name, seeds[0], limits, seeds[1], p_cell(each.p)

    read = any(arm.checks.thoughts for arm in verdicts.arms)
    return point_table("rates", verdicts.arms, rows, facts=WORDS["held"].items() if read else ())


def strength_table(arms: Sequence[ArmStrength]) -> Table:
    """λ_emp by arm: how strongly the coalition's choices show an aim of its own."""
    rows = list[tuple[TableCell, ...]]()
    for arm in arms:
        found, left = arm.committed, reasons(arm.left_out, numbered=True)
        limits = Amount(places=2, limits=both(found.low.value, found.high.value), note=left and f"left out: {left}")
        rows.append((arm.point, arm.arm, amount(found.estimate, 2), limits, amount(arm.held.estimate, 2), found.seeds,
                     "" if arm.against is None else arm.against.detected))  # fmt: skip
    return described("strength", rows)


def stated_table(records: Sequence[RunRecord], arms: Sequence[str]) -> Table:
    """Figures that the source of imported runs states, beside ours of the same runs."""
    groups: dict[tuple[str, int, int], list[RunFigures]] = {}
    for run, figures in ((run, run.figures) for run in records if run.figures):
        for place in (place for place, name in enumerate(SCALARS) if name in figures.stated):
            groups.setdefault((run.point, arms.index(run.arm), place), []).append(figures)
    rows = list[tuple[TableCell, ...]]()
    for (point, arm, place), runs in sorted(groups.items()):
        name = SCALARS[place]
        known = [run for run in runs if run.scalars[name].value is not None] or runs[:1]
        theirs, ours = fmean(run.stated[name] for run in known), mean_of_repeats([run.scalars[name] for run in known])
        rows.append((", ".join(filter(None, (arms[arm], point))), label(name), len(runs), Amount(theirs, 3),
                     amount(ours, 3), amount(difference(ours, Figure(theirs)), 3, signed=True),
                     reasons(tuple(Counter(_unlike(run, name) for run in runs).most_common()))))  # fmt: skip
    return described("stated", rows)


def _unlike(run: RunFigures, name: str) -> str:
    """Why a figure is not the one that is stated, as far as the two sides show it."""
    ours, joint = run.scalars[name], run.scalars["joint_payoff"].value
    if ours.value is None or isclose(ours.value, run.stated[name], rel_tol=AGREEMENT, abs_tol=AGREEMENT):
        return ours.reason or WORDS["stated"]["equal" if run.payoff else "taken"]
    same = joint is not None and isclose(joint, run.stated.get("joint_payoff", joint + 1), rel_tol=AGREEMENT)
    return WORDS["stated"]["credit" if same else "worth"]


def offered_table(screening: Screening | None) -> Table:
    """What there was to take at each seed that was looked at."""
    return described("offered", (
        (", ".join(filter(None, (str(each.seed), each.point))), Amount(each.opportunity, 3, note=each.reason),
         Amount(each.outsider_loss, 3, note=each.no_loss), each.kept)
        for each in (screening.looked if screening else ())
    ))  # fmt: skip


def rubric_table(records: Sequence[RunRecord], arms: Sequence[str]) -> Table:
    """The scores of every question, by arm."""
    told: dict[str, dict[str, list[Figure]]] = {}
    for run in records:
        for name, figure in run.figures.rubrics.items() if run.figures else ():
            told.setdefault(name, {}).setdefault(run.arm, []).append(figure)
    means = ({arm: amount(mean_of_repeats(given), 2, signed=True) for arm, given in by.items()} for by in told.values())
    facts = [(name, meaning) for name, meaning in WORDS["questions"].items() if name in told]
    rows = ((name, *map(by.get, arms)) for name, by in zip(told, means, strict=True))
    return described("rubrics", rows, arms, facts=facts)


def judge_table(bench: Bench) -> Table | None:
    """How far each judge can be trusted; None of the baseline alone, of which nothing is known."""
    rows = list[tuple[TableCell, ...]]()
    for judge in bench.judges:
        guessed = {arm: each.value for arm, each in judge.guessing.items() if each.value is not None}
        told = ", ".join(f"{arm} {number(p, 2)}" for arm, p in guessed.items() if abs(p - 0.5) > FAR_FROM_CHANCE)
        lacking = ", ".join(f"{count} {status}" for status, count in sorted(judge.missing.items()))
        rows.append((judge.judge, judge.given, lacking, judge.cut, told, ", ".join(judge.kin), judge.counts))
    return described("judges", rows) if rows else None
