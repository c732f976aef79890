"""One instance of a spec. In: a `.colo` file, a seed and params; out: its optimum for a notebook, and as a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from os import PathLike
from typing import TYPE_CHECKING, Final

from colosseum.cli.compile import solve
from colosseum.cli.words import Stop
from colosseum.diagnostics import counted, has_errors
from colosseum.model.channels import live_channels
from colosseum.model.check import Checked, check
from colosseum.model.experiment import Conditions
from colosseum.model.scenario import Scenario, Variable
from colosseum.model.values import Value, plain, text
from colosseum.notebook.failing import ColosseumError, in_words, place_of
from colosseum.notebook.frames import Cells, frame
from colosseum.notebook.page import html, marked, named, spelled
from colosseum.optimum.scoring import Score, score
from colosseum.optimum.solve import Optimum
from colosseum.report.optima import MOST_ROWS, Optima

if TYPE_CHECKING:
    from pandas import DataFrame

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


class Model:
    """A spec at one seed; its last expression in a cell shows who decides what, and the provable optimum.

    It is solved when that is first needed.
    """

    def __init__(
        self, spec: str | PathLike[str], *, seed: int | None = None, params: Mapping[str, object] | None = None
    ) -> None:
        """`seed` defaults to the first of the first experiment; `params` are numbers, or names as text.

        Raises ColosseumError with everything that is wrong with the spec.
        """
        given = {_named_param(name): _param(name, value) for name, value in (params or {}).items()}
        with in_words():
            checked, diagnostics = check(place_of(spec), seed=_seed(seed), params=given)
            if checked is None or has_errors(diagnostics):
                raise Stop(*diagnostics)
        self._checked: Checked = checked
        self.warnings: tuple[str, ...] = tuple(f"{d.code}: {d.message}" for d in diagnostics)

    @property
    def scenario(self) -> Scenario:
        """The scenario as it was expanded for the seed."""
        return self._checked.expansion.scenario

    @cached_property
    def optima(self) -> Optima:
        """The best and the worst for all, and the best for each coalition, with proofs. Raises ColosseumError."""
        with in_words():
            return solve(self._checked)

    def to_pandas(self) -> "DataFrame":
        """One row a variable: its owner, its value at the optimum and at the best of each coalition.

        `options` is the size of the domain; `payoff`, in the spec's own units, is of the owner with all that it
        decides. Where a best is not known its columns are null, and `reason` says why. Raises ColosseumError where
        nothing can be solved, and ImportError without pandas.
        """
        return frame(_columns(self.scenario, self.optima))

    def __repr__(self) -> str:
        return f"<colosseum.Model {spelled(', '.join(_named(self.scenario)))}>"

    def _repr_html_(self) -> str:
        scenario = self.scenario
        try:
            optima = self.optima
        except ColosseumError as fault:
            values, best = [("best joint payoff", "–", str(fault))], dict[str, Optimum]()
        else:
            values, best = list(_values(optima)), _assigned(optima)
        scores = {name: score(scenario.task, found.assignment or {}) for name, found in best.items()}
        sources = self._checked.spec.composition.sources
        return html(
            "model.html",
            title_words=scenario.title or scenario.name,
            facts_found=list(_facts(scenario)),
            warnings=self.warnings,
            values=values,
            columns=list(best),
            variables=[_decision(variable, best) for variable in scenario.task.variables],
            payoffs=list(_payoffs(scenario, scores)),
            most=MOST_ROWS,
            channels=list(_channels(scenario)),
            sources=[(source.name, marked(source.text)) for source in sources],
        )


def _seed(given: object) -> int | None:
    """A seed, also of numpy. Raises ColosseumError."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 0:
        raise ColosseumError(f"the seed has to be a whole number from 0 on, not {given!r}"[:300])
    return int(given)


def _named_param(name: object) -> str:
    if not isinstance(name, str):
        raise ColosseumError(f"a param has a name, not {name!r}"[:300])
    return name


def _param(name: str, value: object) -> Value:
    """A param as a spec has it: also numbers of numpy are numbers. Raises ColosseumError."""
    match value:
        case bool() | str():
            return value
        case Integral():
            return int(value)
        case Real() if abs(float(value)) < float("inf"):
            return float(value)
    raise ColosseumError(f"the param `{name}` has to be a number, a truth or a name, not {value!r}"[:300])


def _named(scenario: Scenario) -> Iterator[str]:
    yield scenario.name
    yield f"seed {scenario.seed}"
    yield counted(len(scenario.task.agents), "agent")
    yield counted(len(scenario.task.variables), "variable")


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


def _columns(scenario: Scenario, optima: Optima) -> Iterator[Cells]:
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
