"""Instances as blocks. In: a scenario, its optima or a score; out: values with proofs, decisions and payoffs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Final

from colosseum.diagnostics import Source, counted
from colosseum.evidence.figures import Figure
from colosseum.evidence.metrics import Measured
from colosseum.evidence.registry import REGISTRY, label
from colosseum.evidence.spec_questions import Optima
from colosseum.model.channels import live_channels
from colosseum.model.experiment import Conditions
from colosseum.model.scenario import Coalition, Scenario, Variable
from colosseum.model.values import Value, text
from colosseum.report.cells import amount
from colosseum.report.document import Amount, Block, Definitions, Listing, Paragraph, Table, TableCell
from colosseum.solve.scoring import score
from colosseum.solve.solver import NOT_PROVEN, Optimum
from colosseum.solve.verify import Verification

SECRET: Final = "secret: off unless an arm turns it on"
MOST_VALUES: Final = 6
"""Values of a domain that are listed."""


def heading(scenario: Scenario, *words: str) -> Iterator[Block]:
    """Its name and title, then its seed and what is asked of it."""
    yield Paragraph(f"{scenario.name}: {scenario.title}" if scenario.title else scenario.name, "title")
    yield Paragraph(", ".join((f"seed {scenario.seed}", *words)))


def size_words(scenario: Scenario) -> str:
    """How many agents and variables it has."""
    return f"{counted(len(scenario.task.agents), 'agent')}, {counted(len(scenario.task.variables), 'variable')}"


def optima_blocks(optima: Optima) -> Iterator[Block]:
    """The values, then who does what at the optimum and what everybody earns."""
    yield from heading(optima.scenario, size_words(optima.scenario))
    yield value_table(optima)
    yield from assignment_tables(optima)


def instance_blocks(
    scenario: Scenario, optima: Optima | str, *, warnings: Sequence[str], sources: Sequence[Source]
) -> Iterator[Block]:
    """One instance: the optima or why they are not known, who decides what, who can write to whom, and the spec."""
    if isinstance(optima, str):
        yield from heading(scenario, size_words(scenario))
        yield Paragraph(f"The optimum is not known: {optima}", "bad")
    else:
        yield from optima_blocks(optima)
    yield from (Paragraph(words, "warning") for words in warnings)
    yield Definitions(tuple(_facts(scenario)), "The instance")
    domains = tuple((v.name, v.owner, _domain(v)) for v in scenario.task.variables)
    yield Table("variables", "Variables", ("variable", "decided by", "it may be"), domains)
    declared = {channel.name for channel in scenario.channels}
    network = [channel for channel in live_channels(scenario, Conditions()) if channel.name not in declared]
    rows = tuple((c.name, SECRET if c.secret else "", ", ".join(c.members)) for c in (*network, *scenario.channels))
    title = f"Who can write to whom: the network ({scenario.network.kind}) and declared channels"
    yield Table("channels", title, ("channel", "", "members"), rows)
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


def value_table(optima: Optima) -> Table:
    """The best and the worst for all, and the best for each coalition, with proofs."""
    again = optima.verified
    asked = {"best joint payoff": optima.optimum, "worst joint payoff": optima.minimum} | {
        f"best of {each.name} ({', '.join(each.members) or 'nobody'})": optima.coalitions[each.name]
        for each in optima.scenario.coalitions
    }
    ways = (again.optimum, again.minimum, *map(again.coalitions.get, optima.coalitions)) if again else ()
    rows = tuple(
        (name, Amount(None if isinstance(found, str) else found.value), (open_words(found) or "optimal") + _again(way))
        for (name, found), way in zip_longest(asked.items(), ways)
    )
    return Table("optima", "What can be had", ("objective", "value", "proof"), rows)


def _again(found: Verification | None) -> str:
    """What a second way says of a value."""
    if found is None:
        return ""
    if found.status == "agrees":
        return f", verified by {' and '.join(filter(None, (', '.join(found.by[:-1]), found.by[-1])))}"
    return f", {'not verified' if found.status == 'not verified' else 'WRONG'}: {found.reason}"


def open_words(best: Optimum | str) -> str:
    """Why a best is not known, or not proven; empty where it is."""
    if isinstance(best, str):
        return best
    if best.status == "infeasible":
        return "no assignment satisfies the hard requirements"
    if best.status == "optimal":
        return ""
    known = "" if best.value is None else f"bound {best.bound}, gap {best.gap}; "
    return f"not proven: {known}{best.reason or NOT_PROVEN}"


def assignment_tables(optima: Optima) -> Iterator[Block]:
    """Decisions and payoffs at the optimum and at each coalition's best; nothing where the optimum is not known."""
    task, best = optima.scenario.task, optima.optimum.assignment
    if best is None:
        return
    others = {n: o.assignment for n, o in optima.coalitions.items() if isinstance(o, Optimum) and o.assignment}
    where, every = ("at the optimum", *(f"at best of {name}" for name in others)), (best, *others.values())
    decided = tuple((v.name, v.owner, *(text(found[v.name]) for found in every)) for v in task.variables)
    yield Table("decisions", "Decisions", ("decision", "by", *where), decided)
    scores = [score(task, found) for found in every]
    paid: tuple[tuple[TableCell, ...], ...] = tuple(
        (agent, *(Amount(found.payoff[agent]) for found in scores)) for agent in task.agents
    )
    yield Table("payoffs", "Payoffs", ("payoff of", *where), paid)
    if broken := scores[0].broken:
        yield Paragraph(f"the optimum itself breaks {counted(len(broken), 'rule')}, such as {broken[0]}")


# ---- scores --------------------------------------------------------------------------------------------------------


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
