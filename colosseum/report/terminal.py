"""A summary as a page for the terminal. In: a Summary and a Rich console; out: tables, notes and a legend on it.

Reads the same without colour and in a pipe; a null prints as – with its reason below the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console

from colosseum.audit.campaign.registering import Registered
from colosseum.evidence.judges import Bench
from colosseum.evidence.statistics import ENOUGH_NONZERO, Interval
from colosseum.evidence.summary import ArmSummary, Average, Comparison, Difference, PointSummary, Summary
from colosseum.evidence.verdict import Verdicts
from colosseum.report.numbers import decimals, number, probability, reasons
from colosseum.report.page import Grid, list_facts, say, say_heading, show_grid
from colosseum.report.said import show_beliefs, show_judges
from colosseum.report.verdicts import show_published, show_verdicts

OUTCOMES: Final = {
    "joint_payoff": "joint payoff",
    "regret": "regret",
    "normalized_regret": "normalized regret",
    "coalition_regret": "coalition regret",
    "outsider_regret": "outsider regret",
    "coalition_advantage": "CA",
    "payoff_gap": "payoff gap",
    "coalition_value": "coalition value",
}
"""The figures of the outcome table and what they are called there."""
CHANGES: Final = {
    "outsider_loss": "outsider loss / u",
    "joint_payoff": "joint payoff",
    "regret": "regret",
    "steered_harm": "steered harm",
    "own_move_loss": "own-move loss",
    "coalition_advantage": "CA",
    "payoff_gap": "payoff gap",
    "coalition_value": "coalition value",
}
"""The figures of the difference table and what they are called there."""
CAUTION: Final = (
    "An effect of an arm is not yet collusion: for that it must exceed what any channel does (an arm `placebo`) "
    "and what self-interest does (an arm `selfish`)."
)
NO_RUN: Final = "no complete run"
MOST_ROWS: Final = 12
"""Channels or requirements beyond these are summed in one row."""


@dataclass(frozen=True)
class Judgement:
    """What is said of the arms, and by what rule."""

    verdicts: Verdicts
    registered: Registered | None
    judges: Sequence[str]
    bench: Bench
    """Of them, those that were asked."""
    published: bool = False
    """Also by the published rule."""


def render(
    summary: Summary,
    *,
    title: str,
    question: str,
    console: Console,
    facts: Sequence[tuple[str, str]] = (),
    judgement: Judgement | None = None,
) -> None:
    """Print the whole report; `facts` stand at its head, after ours.

    Names and reasons may come from strangers: `page` makes them inert.
    """
    _render_header(summary, title, question, facts, console)
    if not any(arm.complete or arm.failed for point in summary.points for arm in point.arms):
        say(console)
        say(console, "There are no runs yet.")
        return
    if judgement:
        show_verdicts(judgement.verdicts, console, registered=judgement.registered, judges=judgement.judges)
        if judgement.published:
            show_published(summary, console)
        show_judges(judgement.bench, console)
    several_models = len({point.model for point in summary.points}) > 1
    for point in summary.points:
        names = [point.point] if point.point else []
        swept = "model=" in point.point
        names += [f"model {point.model}"] if several_models and not swept else []
        if names:
            say_heading(console, ", ".join(names))
        _render_point(point, summary.control, console)
    _render_legend(summary, console)
    if judgement is None and any(point.comparisons for point in summary.points):
        say(console)
        say(console, CAUTION)


def _render_header(
    summary: Summary, title: str, question: str, more: Sequence[tuple[str, str]], console: Console
) -> None:
    arms = [arm for point in summary.points for arm in point.arms]
    say(console, title, style="bold")
    if question:
        say(console, question)
    say(console)
    if summary.scripted:
        say(console, "SCRIPTED PLAYERS: no model was asked.", style="bold yellow")
        say(console)
    complete, failed = sum(arm.complete for arm in arms), sum(arm.failed for arm in arms)
    facts = [
        ("model", ", ".join(dict.fromkeys(point.model for point in summary.points))),
        ("runs", f"{complete} complete, {failed} failed"),
        ("control", f"arm `{summary.control}`" if summary.control else ""),
    ]
    teams: dict[str, list[str]] = {}
    for name in summary.arms:
        team = sorted({player for arm in arms if arm.arm == name for player in arm.players})
        teams.setdefault(", ".join(team) or "nobody yet", []).append(name)
    facts += [("who acted" if n == 0 else "", f"{', '.join(teams[team])}: {team}") for n, team in enumerate(teams)]
    list_facts(console, [(word, meaning) for word, meaning in (*facts, *more) if meaning])


def _render_point(point: PointSummary, control: str, console: Console) -> None:
    _render_outcomes(point.arms, console)
    if point.comparisons:
        _render_differences(point.comparisons, control, console)
    active = [arm for arm in point.arms if arm.complete]
    if _render_counts("Posts delivered, mean per run", {arm.arm: arm.posts for arm in active}, console):
        _list_notes([("blank", "the arm has no such channel")], console)
    if any(value for arm in active for value in arm.violations.values()):
        _render_counts("Broken rules, mean per run", {arm.arm: arm.violations for arm in active}, console)
    show_beliefs(active, console)
    _render_troubles(point.arms, console)


def _render_outcomes(arms: Sequence[ArmSummary], console: Console) -> None:
    say(console)
    say(console, "Outcome: mean over seeds ± half of its 95 % interval", style="bold")
    notes: dict[str, int] = {}
    runs = {
        "complete": [arm.complete for arm in arms],
        "failed": [arm.failed for arm in arms],
        "seeds": [arm.seeds for arm in arms],
    }
    if runs["seeds"] == runs["complete"]:
        del runs["seeds"]
    rows = [list(map(str, counts)) for counts in runs.values()]
    for name in OUTCOMES:
        averages = [arm.scalars[name] for arm in arms]
        places = decimals(a.mean.value for a in averages)
        rows.append([_mean_cell(a, arm.complete, places, notes) for a, arm in zip(averages, arms, strict=True)])
    rows.append([number(sum(a.violations.values()), 2) if a.complete else f"– {_mark(NO_RUN, notes)}" for a in arms])
    labels = (*runs, *OUTCOMES.values(), "violations")
    grid = Grid(labels, tuple(arm.arm for arm in arms), tuple(map(tuple, rows)))
    show_grid(console, grid.transposed())
    facts = [(f"({mark})", note) for note, mark in notes.items()]
    if any(arm.scalars[name].n and isinstance(arm.scalars[name].interval, str) for arm in arms for name in OUTCOMES):
        facts.append(("no ±", "there is one seed only, or all seeds agree"))
    _list_notes(facts, console)


def _mean_cell(average: Average, runs: int, places: int, notes: dict[str, int]) -> str:
    missing = sum(count for _, count in average.nulls)
    mark = ""
    if missing:
        share = "every run" if missing == runs else f"{missing} of {runs} runs, left out of the mean"
        mark = " " + _mark(f"missing in {share}: {reasons(average.nulls)}", notes)
    elif average.mean.value is None:
        mark = " " + _mark(NO_RUN, notes)
    if average.mean.value is None:
        return f"–{mark}"
    half = average.interval.high - average.interval.mean if isinstance(average.interval, Interval) else None
    return number(average.mean.value, places) + ("" if half is None else f" ± {number(half, places)}") + mark


def _render_differences(comparisons: Sequence[Comparison], control: str, console: Console) -> None:
    say(console)
    say(console, f"Difference from `{control}`, paired by seed", style="bold")
    notes: dict[str, int] = {}
    labels: list[str] = []
    rows: list[tuple[str, ...]] = []
    shown: list[Difference] = []
    places = {name: decimals(_limits(comparisons, name), digits=3) for name in CHANGES}
    for comparison in comparisons:
        labels.append(comparison.arm)
        rows.append(("", "", "", "") if comparison.pairs else ("–", "no pair", "", ""))
        for name, label in CHANGES.items() if comparison.pairs else ():
            shown.append(comparison.differences[name])
            labels.append(f"  {label}")
            rows.append(_change_cells(shown[-1], comparison.pairs, places[name], notes))
    grid = Grid(tuple(labels), ("mean", "95 % interval", "pairs differ", "sign-test p"), tuple(rows), turns=False)
    show_grid(console, grid if any(row[3] for row in rows) else grid.part(range(3)))
    facts = [(f"({mark})", note) for note, mark in notes.items()]
    if any(isinstance(d.paired.interval, Interval) and not d.paired.reliable for d in shown):
        facts.append(("~", f"not reliable: fewer than {ENOUGH_NONZERO} pairs differ; go by the sign test"))
    facts += [
        (
            c.arm,
            f"{c.pairs} pairs; left out: {reasons(c.excluded, numbered=True)}",
        )
        for c in comparisons
        if c.excluded
    ]
    _list_notes(facts, console)


def _limits(comparisons: Sequence[Comparison], name: str) -> list[float | None]:
    """What is shown of a figure in all arms, so that it has equally many decimals in each."""
    all_paired = [comparison.differences[name].paired for comparison in comparisons]
    ends = [end for p in all_paired if isinstance(p.interval, Interval) for end in (p.interval.low, p.interval.high)]
    return [*ends, *(p.mean.value for p in all_paired)]


def _change_cells(difference: Difference, pairs: int, places: int, notes: dict[str, int]) -> tuple[str, str, str, str]:
    """Mean, interval, how many pairs differ and, where the interval may not be relied on, the sign test's p."""
    paired = difference.paired
    missing = sum(count for _, count in difference.nulls)
    mark = ""
    if missing:
        share = "every pair" if missing == pairs else f"{missing} of {pairs} pairs, left out of the mean"
        mark = " " + _mark(f"missing in {share}: {reasons(difference.nulls)}", notes)
    if paired.mean.value is None:
        return f"–{mark}", "", "", ""
    match paired.interval:
        case Interval(low=low, high=high):
            doubt = "" if paired.reliable else "~"
            limits = f"{doubt}[{number(low, places, sign='+')}, {number(high, places, sign='+')}]"
        case reason:
            limits = reason if paired.n_nonzero else "no pair differs"
    certain = paired.reliable and isinstance(paired.interval, Interval)
    p = "" if certain or paired.sign_test.value is None else probability(paired.sign_test.value)
    return number(paired.mean.value, places, sign="+") + mark, limits, f"{paired.n_nonzero}/{paired.n}", p


def _render_counts(heading: str, arms: Mapping[str, Mapping[str, float]], console: Console) -> bool:
    """Means by name and arm; says whether a cell was left blank, as an arm may lack a name."""
    totals: dict[str, float] = {}
    for counts in arms.values():
        for name, mean in counts.items():
            totals[name] = totals.get(name, 0.0) + mean
    if not totals:
        return False
    kept = [name for name in totals if name in sorted(totals, key=lambda n: -totals[n])[:MOST_ROWS]]
    rest = [name for name in totals if name not in kept]
    rows = [tuple(number(c[name], 2) if name in c else "" for c in arms.values()) for name in kept]
    if rest:
        rows.append(tuple(number(sum(c.get(name, 0.0) for name in rest), 2) for c in arms.values()))
    labels = (*kept, *([f"{len(rest)} others"] if rest else []))
    say(console)
    say(console, heading, style="bold")
    show_grid(console, Grid(labels, tuple(arms), tuple(rows)))
    return not all(all(row) for row in rows)


def _render_troubles(arms: Sequence[ArmSummary], console: Console) -> None:
    totals = {
        "refused decisions": [arm.refused for arm in arms],
        "undecided variables": [arm.undecided for arm in arms],
        "infeasible runs": [arm.infeasible for arm in arms],
        "failed posts": [arm.failed_posts for arm in arms],
    }
    troubles = {name: counts for name, counts in totals.items() if any(counts)}
    if troubles:
        say(console)
        say(console, "Other outcomes, total over runs", style="bold")
        cells = tuple(tuple(map(str, counts)) for counts in troubles.values())
        show_grid(console, Grid(tuple(troubles), tuple(arm.arm for arm in arms), cells))
    failures = [(arm.arm, reasons(arm.failures, numbered=True)) for arm in arms if arm.failures]
    if failures:
        say(console)
        say(console, "Failed runs, by reason", style="bold red")
        list_facts(console, failures)


def _render_legend(summary: Summary, console: Console) -> None:
    say(console)
    say(console, "How to read this", style="bold")
    facts = [
        ("joint payoff", "what the team earned together; more is better"),
        ("regret", "what the team missed of its best joint payoff; 0 is best"),
        ("normalized regret", "regret as a share: 0 is the best outcome, 1 the worst"),
        ("coalition regret", "what a member could still gain by its own moves alone"),
        ("outsider regret", "the same for everybody else"),
        ("CA", "outsider − coalition regret; above 0: members chose better"),
        ("payoff gap", "a member's mean payoff − an outsider's"),
        ("coalition value", "the coalition's own objective: what it is after"),
    ]
    if any(point.comparisons for point in summary.points):
        facts += [
            ("outsider loss / u", f"what outsiders earn less than in `{summary.control}`; above 0: harm"),
            ("u", "a fair share: best joint payoff / number of agents"),
            ("steered harm", "more lost by others' moves, whatever members do"),
            ("own-move loss", "more lost by members' moves, given the others'"),
            ("95 % interval", "Student t; where nothing differs, 1 in 20 misses 0"),
        ]
    list_facts(console, facts)


def _list_notes(facts: Sequence[tuple[str, str]], console: Console) -> None:
    if facts:
        say(console)
        list_facts(console, facts)


def _mark(note: str, notes: dict[str, int]) -> str:
    """The number of a note below the table; equal notes share it."""
    return f"({notes.setdefault(note, len(notes) + 1)})"
