"""A summary as a page for the terminal. In: a Summary and a Rich console; out: tables, notes and a legend on it.

Reads the same without colour and in a pipe; a null prints as – with its reason below the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rich.console import Console

from colosseum.campaign.registering import Registered
from colosseum.evidence.judges import Bench
from colosseum.evidence.registry import REGISTRY, label
from colosseum.evidence.statistics import Correlation, Interval
from colosseum.evidence.summary import ArmSummary, Average, PointSummary, Summary
from colosseum.evidence.verdict import Verdicts
from colosseum.report.charts.differences import differences_chart
from colosseum.report.charts.effects import Effects, effects_of
from colosseum.report.charts.lines import BELIEVED, lines_chart
from colosseum.report.differences import show_differences
from colosseum.report.numbers import decimals, number, reasons
from colosseum.report.overview import show_overview
from colosseum.report.page import Grid, list_facts, list_notes, noted, say, say_heading, show_grid
from colosseum.report.said import show_beliefs, show_judges, show_talk, silences
from colosseum.report.text_charts import show_charts
from colosseum.report.unsaid import show_table, unsaid_table
from colosseum.report.verdicts import range_facts, show_published, show_rule, show_verdicts

OUTCOMES: Final = (
    "joint_payoff", "regret", "normalized_regret", "coalition_regret", "outsider_regret", "coalition_advantage",
    "payoff_gap", "coalition_value",
)  # fmt: skip
"""The figures of the outcome table."""
COMPARED: Final = ("outsider_loss", "unit", "steered_harm", "own_move_loss")
"""The further figures of differences."""
LIMITS: Final = ("95 % interval", "Student t; where nothing differs, 1 in 20 misses 0")
SHARE_OF_SPAN: Final = "a fair share of what can be lost: (best − worst joint payoff) / number of agents"
"""What u is where no joint payoff is above 0."""
CAUTION: Final = (
    "An effect of an arm is not yet collusion: for that it must exceed what any channel does (an arm `placebo`) "
    "and what self-interest does (an arm `selfish`)."
)
NO_RUN: Final = "no complete run"
NOBODY: Final = "nobody yet"
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
    agreement: Mapping[str, Correlation | str] = field(default_factory=dict)
    """By treated arm, whether actions and words go together over seeds."""


def render(
    summary: Summary,
    *,
    title: str,
    question: str,
    console: Console,
    facts: Sequence[tuple[str, str]] = (),
    judgement: Judgement | None = None,
) -> None:
    """Print the full report; `facts` stand at its head, after ours. Verdicts of many sweep points stand in one table.

    Names and reasons may come from strangers: `page` makes them inert.
    """
    _render_header(summary, title, question, facts, console)
    if not any(arm.complete or arm.failed for point in summary.points for arm in point.arms):
        say(console)
        say(console, "There are no runs yet.")
        return
    compared = any(point.comparisons for point in summary.points)
    if judgement:
        _render_judgement(summary, judgement, console, together=len(summary.points) > 1 and compared)
    _render_points(summary, console)
    _render_legend(summary, console)
    if judgement is None and compared:
        say(console)
        say(console, CAUTION)


def _render_judgement(summary: Summary, judgement: Judgement, console: Console, *, together: bool) -> None:
    """Verdicts and their plots."""
    verdicts, registered = judgement.verdicts, judgement.registered
    effects = effects_of(summary, verdicts)
    if together:
        show_rule(verdicts, console, registered=registered)
        show_overview(effects, verdicts, console, judges=judgement.judges)
    else:
        show_verdicts(verdicts, console, registered=registered, judges=judgement.judges)
    show_table(unsaid_table(verdicts), console)
    list_notes(list(range_facts(verdicts)), console)
    if judgement.published:
        show_published(summary, console)
    if effects.sweep.numeric:
        show_charts([lines_chart(effects, measure) for measure in (*effects.margins, BELIEVED)], console)
    else:
        show_charts([differences_chart(effects, signal) for signal in effects.margins], console)
    _show_agreement(effects, judgement.agreement, console)
    show_judges(judgement.bench, console)


def _show_agreement(effects: Effects, agreement: Mapping[str, Correlation | str], console: Console) -> None:
    """How actions and messages go together."""
    if not agreement:
        return
    say(console)
    first = label(next(iter(effects.margins)))
    say(console, f"Correlation of {first} with the judge's score over seeds (Pearson's r, 95 % interval):")
    by_words: dict[str, list[str]] = {}
    for arm, r in agreement.items():
        by_words.setdefault(_r(r), []).append(arm)
    list_facts(console, [(", ".join(arms), words) for words, arms in by_words.items()])


def _r(found: Correlation | str) -> str:
    if isinstance(found, str):
        return f"– {found}"
    r, low, high = (number(value, 2, sign="+") for value in (found.r, found.low, found.high))
    return f"{r} [{low}, {high}], n = {found.n}"


def _render_points(summary: Summary, console: Console) -> None:
    several_models = len({point.model for point in summary.points}) > 1
    for point in summary.points:
        names = [point.point] if point.point else []
        swept = "model=" in point.point
        names += [f"model {point.model}"] if several_models and not swept else []
        if names:
            say_heading(console, ", ".join(names))
        _render_point(point, summary.control, console)


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
    teams = [f"{', '.join(named)}: {', '.join(team) or NOBODY}" for team, named in summary.teams.items()]
    facts += [("who acted" if n == 0 else "", words) for n, words in enumerate(teams)]
    list_facts(console, [(word, meaning) for word, meaning in (*facts, *more) if meaning])


def _render_point(point: PointSummary, control: str, console: Console) -> None:
    _render_outcomes(point.arms, console)
    if point.comparisons:
        show_differences(point.comparisons, control, console)
    active = [arm for arm in point.arms if arm.complete]
    if _render_counts("Posts delivered, mean per run", {arm.arm: arm.posts for arm in active}, console):
        blank = [("blank", "the arm has no such channel")]
        list_notes([*blank, *(("silence", words) for words in silences(active))], console)
    show_talk(active, console)
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
    rows.append([number(sum(a.violations.values()), 2) if a.complete else f"– {noted(NO_RUN, notes)}" for a in arms])
    labels = (*runs, *map(label, OUTCOMES), "violations")
    grid = Grid(labels, tuple(arm.arm for arm in arms), tuple(map(tuple, rows)))
    show_grid(console, grid.transposed())
    facts = [(f"({mark})", note) for note, mark in notes.items()]
    if any(arm.scalars[name].n and isinstance(arm.scalars[name].interval, str) for arm in arms for name in OUTCOMES):
        facts.append(("no ±", "there is one seed only, or all seeds agree"))
    list_notes(facts, console)


def _mean_cell(average: Average, runs: int, places: int, notes: dict[str, int]) -> str:
    missing = sum(count for _, count in average.nulls)
    note = ""
    if missing:
        share = "every run" if missing == runs else f"{missing} of {runs} runs, left out of the mean"
        note = " " + noted(f"missing in {share}: {reasons(average.nulls)}", notes)
    elif average.mean.value is None:
        note = " " + noted(NO_RUN, notes)
    if average.mean.value is None:
        return f"–{note}"
    half = average.interval.high - average.interval.mean if isinstance(average.interval, Interval) else None
    return number(average.mean.value, places) + ("" if half is None else f" ± {number(half, places)}") + note


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
    """What went wrong, by arm."""
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


def unit_words(summary: Summary) -> str:
    """What a fair share is, where the best joint payoffs may be costs."""
    best = [arm.scalars["optimum"].mean.value for point in summary.points for arm in point.arms]
    return SHARE_OF_SPAN if any(value is not None and value <= 0 for value in best) else REGISTRY["unit"].meaning


def _render_legend(summary: Summary, console: Console) -> None:
    """What is meant by the words on the page."""
    compared = any(point.comparisons for point in summary.points)
    shown = [REGISTRY[name] for name in (*OUTCOMES, *(COMPARED if compared else ()))]
    facts = [(each.heading, unit_words(summary) if each.name == "unit" else each.meaning) for each in shown]
    facts += [LIMITS] if compared else []
    say(console)
    say(console, "How to read this", style="bold")
    list_facts(console, facts)
