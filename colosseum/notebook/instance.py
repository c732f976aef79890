"""One instance of a spec for a notebook. In: a scenario and its optima; out: a page, and the columns of a table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from colosseum.diagnostics import Source, counted
from colosseum.evidence.spec_questions import Optima
from colosseum.model.channels import live_channels
from colosseum.model.experiment import Conditions
from colosseum.model.scenario import Scenario, Variable
from colosseum.model.values import plain, text
from colosseum.notebook.frames import Cells
from colosseum.notebook.page import html, marked, named, spelled
from colosseum.optimum.scoring import Score, score
from colosseum.optimum.solve import Optimum
from colosseum.report.optima import MOST_ROWS

MOST_VALUES: Final = 6
"""Values of a domain that are listed."""
MOST_CHANNELS: Final = 20
"""Channels of a network that are listed."""


@dataclass(frozen=True)
class Decision:
    """One variable as it is shown."""

    name: str
    owner: str
    domain: str
    values: tuple[str, ...]
    """At each assignment that is shown."""


def instance_html(
    scenario: Scenario, optima: Optima | str, *, warnings: Sequence[str], sources: Sequence[Source]
) -> str:  # fmt: skip
    """The page of an instance: who decides what, and the optima, or why they are not known."""
    if isinstance(optima, str):
        values, best = [("best joint payoff", "–", optima)], dict[str, Optimum]()
    else:
        values, best = list(_values(optima)), _assigned(optima)
    scores = {name: score(scenario.task, found.assignment or {}) for name, found in best.items()}
    return html(
        "instance.html",
        title_words=scenario.title or scenario.name,
        facts_found=list(_facts(scenario)),
        warnings=warnings,
        values=values,
        columns=list(best),
        variables=[_decision(variable, best) for variable in scenario.task.variables],
        payoffs=list(_payoffs(scenario, scores)),
        most=MOST_ROWS,
        channels=list(_channels(scenario)),
        sources=[(source.name, marked(source.text)) for source in sources],
    )


def instance_words(scenario: Scenario) -> str:
    """Which instance it is, and its size."""
    sizes = (counted(len(scenario.task.agents), "agent"), counted(len(scenario.task.variables), "variable"))
    return spelled(", ".join((scenario.name, f"seed {scenario.seed}", *sizes)))


def _facts(scenario: Scenario) -> Iterator[tuple[str, str]]:
    task = scenario.task
    yield "scenario", f"{scenario.name}, seed {scenario.seed}"
    if scenario.params:
        yield "params", ", ".join(f"{name} = {text(value)}" for name, value in scenario.params)
    yield "agents", named(task.agents)
    parts = (("variable", task.variables), ("payoff", task.payoffs), ("requirement", task.requirements))
    yield "size", ", ".join(counted(len(found), word) for word, found in parts)
    for coalition in scenario.coalitions:
        after = ", ".join(objective.name for objective in coalition.objectives)
        yield (
            f"coalition {coalition.name}",
            (f"{named(coalition.members)}; it wants {after or 'the payoffs of its members'}"),
        )
    if not scenario.coalitions:
        yield "coalition", "none"


def _assigned(optima: Optima) -> dict[str, Optimum]:
    """What is shown of each variable, by the head of its column."""
    found = {"at the optimum": optima.optimum}
    found |= {f"at best of {n}": best for n, best in optima.coalitions.items() if isinstance(best, Optimum)}
    return {name: best for name, best in found.items() if best.assignment is not None}


def _values(optima: Optima) -> Iterator[tuple[str, str, str]]:
    """What can be had, how much, and how sure that is."""
    found: dict[str, Optimum | str] = {"best joint payoff": optima.optimum, "worst joint payoff": optima.minimum}
    found |= {f"best of {name}": best for name, best in optima.coalitions.items()}
    for name, best in found.items():
        value = best.value if isinstance(best, Optimum) else None
        yield name, "–" if value is None else f"{value:,.6g}", _why(best) or "optimal"


def _why(best: Optimum | str) -> str:
    """Why a best is not known, or not proven; empty where it is."""
    if isinstance(best, str):
        return best
    if best.status == "infeasible":
        return "no assignment satisfies the hard requirements"
    if best.status == "optimal":
        return ""
    return f"not proven: {best.status}" if best.value is None else f"not proven: bound {best.bound}, gap {best.gap}"


def _decision(variable: Variable, best: Mapping[str, Optimum]) -> Decision:
    found = tuple(text((each.assignment or {})[variable.name]) for each in best.values())
    return Decision(variable.name, variable.owner, _domain(variable), found)


def _domain(variable: Variable) -> str:
    """The first values of a domain, and how many there are."""
    shown = ", ".join(text(value) for value in variable.domain[:MOST_VALUES])
    more = len(variable.domain) - MOST_VALUES
    return f"{shown}, … ({len(variable.domain):,} values)" if more > 0 else shown


def _payoffs(scenario: Scenario, scores: Mapping[str, Score]) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each agent, its coalitions, and what it has at each assignment that is shown."""
    for agent in scenario.task.agents:
        member = [coalition.name for coalition in scenario.coalitions if agent in coalition.members]
        yield agent, member, [f"{found.payoff[agent]:,.6g}" for found in scores.values()]


def _channels(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """The network's, of which the first are named, then those that the spec declares."""
    declared = {channel.name for channel in scenario.channels}
    carried = [c for c in live_channels(scenario, Conditions()) if c.name not in declared]
    arguments = ", ".join(f"{name} = {text(value)}" for name, value in scenario.network.arguments)
    kind = f"{scenario.network.kind} ({arguments})" if arguments else scenario.network.kind
    yield "network", f"{kind}, {counted(len(carried), 'channel')}"
    for channel in carried[:MOST_CHANNELS]:
        yield channel.name, named(channel.members)
    if len(carried) > MOST_CHANNELS:
        yield "…", f"{counted(len(carried) - MOST_CHANNELS, 'channel')} more"
    for channel in scenario.channels:
        secret = "secret: only its members know of it, and off unless an arm turns it on; " if channel.secret else ""
        yield channel.name, secret + named(channel.members)


def instance_columns(scenario: Scenario, optima: Optima) -> Iterator[Cells]:
    """One row a variable: its owner, its value at the optimum and at the best of each coalition."""
    variables = scenario.task.variables
    yield "variable", "text", [v.name for v in variables]
    yield "owner", "text", [v.owner for v in variables]
    for coalition in scenario.coalitions:
        yield f"member[{coalition.name}]", "truth", [v.owner in coalition.members for v in variables]
    yield "options", "whole", [len(v.domain) for v in variables]
    yield from _at(scenario, optima.optimum, "value", "payoff")
    for name, best in optima.coalitions.items():
        yield from _at(scenario, best, f"value_at_best[{name}]", f"payoff_at_best[{name}]")
    found = {"the optimum": optima.optimum, **{f"the best of {n}": best for n, best in optima.coalitions.items()}}
    reason = "; ".join(f"{name}: {why}" for name, best in found.items() if (why := _why(best)))
    yield "reason", "text", [reason or None] * len(variables)


def _at(scenario: Scenario, best: Optimum | str, value: str, payoff: str) -> Iterator[Cells]:
    """The values of an assignment, and what the owners have there."""
    task = scenario.task
    if isinstance(best, str) or best.assignment is None:
        yield value, "value", [None] * len(task.variables)
        yield payoff, "number", [None] * len(task.variables)
        return
    paid = score(task, best.assignment).payoff
    yield value, "value", [plain(best.assignment[v.name]) for v in task.variables]
    yield payoff, "number", [paid[v.owner] for v in task.variables]
