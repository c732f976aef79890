"""Optima as blocks. In: a scenario and its optima; out: values with proofs, who does what, what everybody earns."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from colosseum.diagnostics import Source, counted
from colosseum.evidence.spec_questions import Optima
from colosseum.model.channels import live_channels
from colosseum.model.experiment import Conditions
from colosseum.model.scenario import Scenario, Variable
from colosseum.model.values import Value, text
from colosseum.optimum.scoring import score
from colosseum.optimum.solve import Optimum
from colosseum.optimum.verify import Verification
from colosseum.report.document import Amount, Block, Definitions, Listing, Paragraph, Table, TableCell

MOST_VALUES: Final = 6
"""Values of a domain that are listed."""
MOST_CHANNELS: Final = 20
"""Channels of a network that are listed."""


def instance_words(scenario: Scenario) -> str:
    """Which instance it is, and its size."""
    sizes = (counted(len(scenario.task.agents), "agent"), counted(len(scenario.task.variables), "variable"))
    return ", ".join((scenario.name, f"seed {scenario.seed}", *sizes))


def scenario_words(scenario: Scenario) -> Iterator[Block]:
    """The name, the seed and how large it is."""
    yield Paragraph(f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name, "title")
    task = scenario.task
    parts = (("agent", task.agents), ("variable", task.variables), ("payoff", task.payoffs))
    sizes = [counted(len(found), word) for word, found in (*parts, ("requirement", task.requirements))]
    yield Paragraph(f"seed {scenario.seed}, {', '.join(sizes)}")


def optima_blocks(optima: Optima) -> Iterator[Block]:
    """The values, then who does what at the optimum and what everybody earns."""
    yield from scenario_words(optima.scenario)
    yield value_table(optima)
    if optima.optimum.assignment is not None:
        yield from assignment_tables(optima, optima.optimum.assignment)


def instance_blocks(
    scenario: Scenario, optima: Optima | str, *, warnings: Sequence[str], sources: Sequence[Source]
) -> Iterator[Block]:
    """One instance: who decides what, the optima or why they are not known, who can write to whom, and the spec."""
    yield from scenario_words(scenario)
    yield Definitions(tuple(_facts(scenario)))
    if warnings:
        yield Definitions(tuple(("warning", words) for words in warnings))
    if isinstance(optima, str):
        yield Paragraph(f"The optimum is not known: {optima}", "bad")
    else:
        yield value_table(optima)
    domains = tuple((v.name, v.owner, _domain(v)) for v in scenario.task.variables)
    yield Table("variables", "Variables", ("variable", "decided by", "it may be"), domains)
    if not isinstance(optima, str) and optima.optimum.assignment is not None:
        yield from assignment_tables(optima, optima.optimum.assignment)
    yield Definitions(tuple(_channels(scenario)), "Who can write to whom")
    yield from (Listing(source.name, source.text) for source in sources)


def _facts(scenario: Scenario) -> Iterator[tuple[str, str]]:
    if scenario.params:
        yield "params", ", ".join(f"{name} = {text(value)}" for name, value in scenario.params)
    for coalition in scenario.coalitions:
        after = ", ".join(objective.name for objective in coalition.objectives) or "the payoffs of its members"
        yield f"coalition {coalition.name}", f"{', '.join(coalition.members) or 'nobody'}; it wants {after}"
    if not scenario.coalitions:
        yield "coalition", "none"


def _domain(variable: Variable) -> str:
    """The first values of a domain, and how many there are."""
    shown = ", ".join(text(value) for value in variable.domain[:MOST_VALUES])
    more = len(variable.domain) > MOST_VALUES
    return f"{shown}, … ({len(variable.domain):,} values)" if more else shown


def _channels(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """The network's, of which the first are named, then those that the spec declares."""
    declared = {channel.name for channel in scenario.channels}
    carried = [c for c in live_channels(scenario, Conditions()) if c.name not in declared]
    arguments = ", ".join(f"{name} = {text(value)}" for name, value in scenario.network.arguments)
    kind = f"{scenario.network.kind} ({arguments})" if arguments else scenario.network.kind
    yield "network", f"{kind}, {counted(len(carried), 'channel')}"
    yield from ((channel.name, ", ".join(channel.members)) for channel in carried[:MOST_CHANNELS])
    if len(carried) > MOST_CHANNELS:
        yield "…", f"{counted(len(carried) - MOST_CHANNELS, 'channel')} more"
    for channel in scenario.channels:
        secret = "secret: only its members know of it, and off unless an arm turns it on; " if channel.secret else ""
        yield channel.name, secret + (", ".join(channel.members) or "nobody")


def value_table(optima: Optima) -> Table:
    """The best and the worst for all, and the best for each coalition, with proofs."""
    again, rows = optima.verified, list[tuple[TableCell, ...]]()
    rows.append(("best joint payoff", *_row(optima.optimum), *([_again(again.optimum)] if again else [])))
    rows.append(("worst joint payoff", *_row(optima.minimum), *([_again(again.minimum)] if again else [])))
    for coalition in optima.scenario.coalitions:
        name = f"best of {coalition.name} ({', '.join(coalition.members) or 'nobody'})"
        known = [_again(again.coalitions.get(coalition.name))] if again else []
        rows.append((name, *_row(optima.coalitions[coalition.name]), *known))
    columns = ("objective", "value", "proof", *(["verified"] if again else []))
    return Table("optima", "What can be had", columns, tuple(rows))


def _again(found: Verification | None) -> str:
    """What a second way says of a value."""
    if found is None:
        return "–"
    if found.status == "agrees":
        return f"by {found.by}"
    return f"no: {found.reason}" if found.status == "not verified" else f"WRONG: {found.reason}"


def _row(found: Optimum | str) -> tuple[TableCell, TableCell]:
    if isinstance(found, str):
        return Amount(None), found
    if found.value is None:
        return Amount(None), found.status
    proof = "optimal" if found.status == "optimal" else f"not proven: bound {found.bound}, gap {found.gap}"
    return Amount(found.value), proof


def assignment_tables(optima: Optima, assignment: Mapping[str, Value]) -> Iterator[Block]:
    """Decisions and payoffs at the optimum and at each coalition's best."""
    task = optima.scenario.task
    others = {n: o.assignment for n, o in optima.coalitions.items() if isinstance(o, Optimum) and o.assignment}
    where = ("at the optimum", *(f"at best of {name}" for name in others))
    decided = tuple(
        (v.name, v.owner, *(text(found[v.name]) for found in (assignment, *others.values()))) for v in task.variables
    )
    yield Table("decisions", "Decisions", ("decision", "by", *where), decided)
    scores = [score(task, found) for found in (assignment, *others.values())]
    paid: tuple[tuple[TableCell, ...], ...] = tuple(
        (agent, *(Amount(found.payoff[agent]) for found in scores)) for agent in task.agents
    )
    yield Table("payoffs", "Payoffs", ("payoff of", *where), paid)
    if broken := scores[0].broken:
        more = f" and {len(broken) - 5} more" if len(broken) > 5 else ""
        yield Paragraph(f"the optimum itself breaks {', '.join(broken[:5])}{more}")
