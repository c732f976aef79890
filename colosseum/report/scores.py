"""A score as a page for the terminal. In: the figures of one assignment; out: tables on a stream."""

from collections.abc import Iterator, Sequence
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from colosseum.evidence.figures import Figure
from colosseum.evidence.metrics import Measured
from colosseum.model.scenario import Coalition, Scenario


def render_scores(
    measured: Measured, scenario: Scenario, coalition: Coalition | None, undecided: Sequence[str], stream: TextIO
) -> None:
    """Print the scalar figures, then payoff and regret by agent, then what is broken."""
    console = Console(file=stream, highlight=False)
    console.print(Text(f"{scenario.name}, seed {scenario.seed}", style="bold"))
    if coalition is not None:
        console.print(Text(f"coalition {coalition.name}: {', '.join(coalition.members) or 'nobody'}"))
    console.print()
    figures = Table(box=None, pad_edge=False, show_header=False)
    figures.add_column(overflow="fold")
    figures.add_column(justify="right", overflow="fold")
    figures.add_column(overflow="fold", style="dim")
    for name, figure in measured.scalars.items():
        figures.add_row(Text(name.replace("_", " ")), _cell(figure), Text(figure.reason))
    console.print(figures)
    console.print()
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
    for words, names in (("breaks", measured.score.broken), ("undecided", undecided)):
        if names:
            console.print(Text(f"{words}: {', '.join(names)}"))


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
