"""Whom to watch, as a page for the terminal. In: a scenario and a Scan; out: a ranked table on a stream."""

from typing import Final, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from colosseum.model.scenario import Scenario
from colosseum.optimum.questions.exposure import MEASURES, Exposure, Scan
from colosseum.report.numbers import column
from colosseum.report.page import list_facts, page_on, printable, say

MOST_NAMED: Final = 8
"""Agents that are named as the most frequent ones."""
MEANINGS: Final = (
    ("worst harm", "what the team loses if they do the worst that they can"),
    ("selfish harm", "what it loses if they do what is best for themselves"),
    ("temptation", "what they gain by that"),
)


def render_scan(scenario: Scenario, found: Scan, stream: TextIO, *, top: int) -> None:
    """Print the first coalitions of the ranking, then who is in most of them."""
    with page_on(stream) as console:
        say(console, f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name, style="bold")
        say(console, _looked_at(scenario, found))
        if found.reason:
            say(console, found.reason)
            return
        ranked_by = f"ranked by {found.by.replace('_', ' ')}"
        say(console, f"What the members alone could do while everybody else decides as at the optimum, {ranked_by}")
        say(console)
        shown = found.ranking[:top]
        console.print(_table(found, shown, console))
        if len(shown) < len(found.ranking):
            say(console, f"… and {len(found.ranking) - len(shown):,} more (--top N shows more, --json lists all)")
        _render_reasons(shown, console)
        say(console)
        list_facts(console, MEANINGS)
        _render_aims(shown, console)
        _render_frequent(found, top, console)


def _looked_at(scenario: Scenario, found: Scan) -> str:
    agents = len(scenario.task.agents)
    if found.sampled:
        return (f"seed {scenario.seed}, {len(found.ranking):,} coalitions of {found.size} of {agents} agents, "
                f"drawn from {found.total:,}")  # fmt: skip
    return f"seed {scenario.seed}, all {found.total:,} coalitions of {found.size} of {agents} agents"


def _table(found: Scan, shown: tuple[Exposure, ...], console: Console) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("", justify="right")
    for heading, _ in MEANINGS:
        table.add_column(heading, justify="right")
    table.add_column("coalition", overflow="fold")
    columns = [_column([exposure.by(measure) for exposure in shown]) for measure in MEASURES]
    for rank, exposure, *cells in zip(found.ranks, shown, *columns, strict=False):
        coalition = exposure.coalition
        name = f" ({coalition.name})" if coalition.name else ""
        members = printable(", ".join(coalition.members) + name, console.encoding)
        table.add_row(Text(str(rank)), *map(Text, cells), Text(members))
    return table


def _column(values: list[float | None]) -> list[str]:
    words = iter(column([v for v in values if v is not None]))
    return ["-" if v is None else next(words) for v in values]


def _render_reasons(shown: tuple[Exposure, ...], console: Console) -> None:
    """Why dashes stand in the table."""
    for measure in MEASURES:
        for reason in dict.fromkeys(e.reasons[measure] for e in shown if measure in e.reasons):
            say(console, f"- no {measure.replace('_', ' ')}: {reason}")


def _render_aims(shown: tuple[Exposure, ...], console: Console) -> None:
    """Whose best is not the sum of what its members earn."""
    for coalition in (exposure.coalition for exposure in shown):
        if coalition.objectives:
            aims = ", ".join(objective.name for objective in coalition.objectives)
            say(console, f"  what is best for {coalition.name} is its objective ({aims}), for others what they earn")


def _render_frequent(found: Scan, top: int, console: Console) -> None:
    """Who is in most of the coalitions shown, if that says anything."""
    shown = len(found.ranking[:top])
    if shown < 2 or shown == len(found.ranking):
        return
    often = list(found.most_often(top).items())[:MOST_NAMED]
    named = ", ".join(f"{agent} {times}" for agent, times in often)
    say(console)
    say(console, f"most often among these {shown}: {named}")
