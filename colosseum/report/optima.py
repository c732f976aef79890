"""Optima as a page for the terminal. In: a scenario and its optima; out: a table on a stream."""

from collections.abc import Mapping
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from colosseum.diagnostics import counted
from colosseum.evidence.spec_questions import Optima
from colosseum.model.values import Value, text
from colosseum.optimum.scoring import score
from colosseum.optimum.solve import Optimum
from colosseum.optimum.verify import Verification
from colosseum.report.page import page_on

MOST_ROWS = 60
"""Variables beyond these are not listed; `--json` has them all."""


def render_optima(optima: Optima, stream: TextIO) -> None:
    """Print the values, then who does what at the optimum and what everybody earns."""
    with page_on(stream) as console:
        _render_values(optima, console)
        if optima.optimum.assignment is not None:
            console.print()
            _render_assignment(optima, optima.optimum.assignment, console)


def _render_values(optima: Optima, console: Console) -> None:
    scenario = optima.scenario
    title = f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name
    console.print(Text(title, style="bold"))
    task = scenario.task
    parts = (("agent", task.agents), ("variable", task.variables), ("payoff", task.payoffs))
    sizes = [counted(len(found), word) for word, found in (*parts, ("requirement", task.requirements))]
    console.print(Text(f"seed {scenario.seed}, {', '.join(sizes)}"))
    console.print()
    values = Table(box=None, pad_edge=False, header_style="dim")
    columns = [("objective", "left"), ("value", "right"), ("proof", "left")]
    for heading, justify in (*columns, ("verified", "left")) if optima.verified else columns:
        values.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type]
    again = optima.verified
    values.add_row(Text("best joint payoff"), *_row(optima.optimum), *([_again(again.optimum)] if again else []))
    values.add_row(Text("worst joint payoff"), *_row(optima.minimum), *([_again(again.minimum)] if again else []))
    for coalition in scenario.coalitions:
        name = Text(f"best of {coalition.name} ({', '.join(coalition.members) or 'nobody'})")
        known = [_again(again.coalitions.get(coalition.name))] if again else []
        values.add_row(name, *_row(optima.coalitions[coalition.name]), *known)
    console.print(values)


def _again(found: Verification | None) -> Text:
    """What a second way says of a value."""
    if found is None:
        return Text("-")
    if found.status == "agrees":
        return Text(f"by {found.by}")
    return Text(f"no: {found.reason}") if found.status == "not verified" else Text(f"WRONG: {found.reason}")


def _row(found: Optimum | str) -> tuple[Text, Text]:
    if isinstance(found, str):
        return Text("-"), Text(found)
    if found.value is None:
        return Text("-"), Text(found.status)
    proof = "optimal" if found.status == "optimal" else f"not proven: bound {found.bound}, gap {found.gap}"
    return Text(f"{found.value:.6g}"), Text(proof)


def _render_assignment(optima: Optima, assignment: Mapping[str, Value], console: Console) -> None:
    """Variables with their values at the optimum and at each coalition's best."""
    task = optima.scenario.task
    others = {n: o.assignment for n, o in optima.coalitions.items() if isinstance(o, Optimum) and o.assignment}
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("decision", "at the optimum", *(f"at best of {name}" for name in others)):
        table.add_column(Text(heading), overflow="fold")
    for variable in task.variables[:MOST_ROWS]:
        cells = [assignment[variable.name], *(o[variable.name] for o in others.values())]
        table.add_row(Text(variable.name), *(Text(text(c)) for c in cells))
    console.print(table)
    if len(task.variables) > MOST_ROWS:
        console.print(Text(f"… and {counted(len(task.variables) - MOST_ROWS, 'more variable')} (--json lists all)"))
    console.print()
    payoffs = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("payoff of", "at the optimum", *(f"at best of {name}" for name in others)):
        payoffs.add_column(Text(heading), justify="left" if heading == "payoff of" else "right", overflow="fold")
    scores = [score(task, a) for a in (assignment, *others.values())]
    for agent in task.agents:
        payoffs.add_row(Text(agent), *(Text(f"{s.payoff[agent]:.6g}") for s in scores))
    console.print(payoffs)
    broken = scores[0].broken
    if broken:
        more = f" and {len(broken) - 5} more" if len(broken) > 5 else ""
        console.print()
        console.print(Text(f"the optimum itself breaks {', '.join(broken[:5])}{more}"))
