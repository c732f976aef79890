"""A score as a page for the terminal. In: the figures of one assignment; out: tables on a stream."""

from collections.abc import Iterator, Mapping
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from colosseum.evidence.figures import Figure
from colosseum.evidence.metrics import Measured
from colosseum.evidence.registry import REGISTRY, label
from colosseum.model.scenario import Coalition, Scenario
from colosseum.model.values import Value, text
from colosseum.report.page import page_on


def render_scores(
    measured: Measured, scenario: Scenario, coalition: Coalition | None, undecided: Mapping[str, Value], stream: TextIO
) -> None:
    """Print the scalar figures, then payoff and regret by agent, then what is broken and what was filled in."""
    with page_on(stream) as console:
        _render_figures(measured, scenario, coalition, console)
        _render_agents(measured, scenario, coalition, console)
        if measured.score.broken:
            console.print(Text(f"breaks: {', '.join(measured.score.broken)}"))
        if undecided:
            filled = ", ".join(f"{name} = {text(value)}" for name, value in undecided.items())
            console.print(Text(f"undecided, so counted as: {filled}"))


def _render_figures(measured: Measured, scenario: Scenario, coalition: Coalition | None, console: Console) -> None:
    console.print(Text(f"{scenario.name}, seed {scenario.seed}", style="bold"))
    if coalition is not None:
        console.print(Text(f"coalition {coalition.name}: {', '.join(coalition.members) or 'nobody'}"))
    console.print()
    console.print(_table(measured.scalars))
    console.print()
    reasons = {figure.reason for figure in measured.closer.values()}
    if len(reasons) == 1 and "" not in reasons:
        console.print(Text(f"no closer look at a coalition: {reasons.pop()}", style="dim"))
        console.print()
    elif measured.closer:
        console.print(Text("A closer look at the coalition", style="bold"))
        console.print(_table(measured.closer))
        console.print()


def _table(named: Mapping[str, Figure]) -> Table:
    """Names, values, and what each is or why it is missing."""
    figures = Table(box=None, pad_edge=False, show_header=False)
    figures.add_column(overflow="fold")
    figures.add_column(justify="right", overflow="fold")
    figures.add_column(overflow="fold", style="dim")
    for name, figure in named.items():
        figures.add_row(Text(label(name)), _cell(figure), Text(figure.reason or REGISTRY[name].meaning))
    return figures


def _render_agents(measured: Measured, scenario: Scenario, coalition: Coalition | None, console: Console) -> None:
    agents = Table(box=None, pad_edge=False, header_style="dim")
    agents.add_column("agent", overflow="fold")
    for heading in ("payoff", "best-response regret", "sequential regret"):
        agents.add_column(heading, justify="right")
    for agent in scenario.task.agents:
        mark = " *" if coalition is not None and agent in coalition.members else ""
        regrets = (measured.best_response_regret[agent], measured.sequential_regret[agent])
        agents.add_row(Text(agent + mark), Text(f"{measured.score.payoff[agent]:.6g}"), *map(_cell, regrets))
    console.print(agents)
    for words in _missing(measured):
        console.print(Text(words, style="dim"))
    if coalition is not None:
        console.print(Text("* in the coalition", style="dim"))


def _missing(measured: Measured) -> Iterator[str]:
    """Why dashes stand in the table by agent: one line for each column and reason."""
    columns = {
        "best-response regret": measured.best_response_regret, "sequential regret": measured.sequential_regret,
    }  # fmt: skip
    for heading, figures in columns.items():
        reasons = {agent: figure.reason for agent, figure in figures.items() if figure.value is None}
        for reason in dict.fromkeys(reasons.values()):
            affected = [agent for agent, given in reasons.items() if given == reason]
            who = "" if len(affected) == len(figures) else f" of {', '.join(affected)}"
            yield f"no {heading}{who}: {reason}"


def _cell(figure: Figure) -> Text:
    return Text("-" if figure.value is None else f"{figure.value:.6g}")
