"""A score as blocks. In: the figures of one assignment; out: tables of figures and of agents."""

from collections.abc import Iterator, Mapping

from colosseum.evidence.figures import Figure
from colosseum.evidence.metrics import Measured
from colosseum.evidence.registry import REGISTRY, label
from colosseum.model.scenario import Coalition, Scenario
from colosseum.model.values import Value, text
from colosseum.report.cells import amount
from colosseum.report.document import Amount, Block, Paragraph, Table, TableCell
from colosseum.report.optima import heading


def score_blocks(
    measured: Measured, scenario: Scenario, coalition: Coalition | None, undecided: Mapping[str, Value]
) -> Iterator[Block]:
    """The figures of the assignment, then payoff and regret by agent, then what is broken and what was filled in."""
    who = [f"coalition {coalition.name}: {', '.join(coalition.members) or 'nobody'}"] if coalition else []
    yield from heading(scenario, *who)
    yield figure_table({**measured.scalars, **(measured.closer if coalition else {})})
    yield agent_table(measured, scenario, coalition)
    if measured.score.broken:
        yield Paragraph(f"breaks: {', '.join(measured.score.broken)}")
    if undecided:
        filled = ", ".join(f"{name} = {text(value)}" for name, value in undecided.items())
        yield Paragraph(f"undecided, so counted as: {filled}")


def figure_table(named: Mapping[str, Figure]) -> Table:
    """Names, values, and what each is or why it is missing."""
    rows = [(label(key), Amount(figure.value), figure.reason or REGISTRY[key].meaning) for key, figure in named.items()]
    return Table("figures", "Figures", ("figure", "value", "what it is"), tuple(rows))


def agent_table(measured: Measured, scenario: Scenario, coalition: Coalition | None) -> Table:
    """Payoff and regret by agent."""
    rows: tuple[tuple[TableCell, ...], ...] = tuple(
        (
            agent + (" *" if coalition is not None and agent in coalition.members else ""),
            Amount(measured.score.payoff[agent]),
            *(amount(found[agent]) for found in (measured.best_response_regret, measured.sequential_regret)),
        )
        for agent in scenario.task.agents
    )  # fmt: skip
    facts = (("*", "in the coalition"),) if coalition is not None else ()
    return Table("agents", "Agents", ("agent", "payoff", "best-response regret", "sequential regret"), rows, facts)
