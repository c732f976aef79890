"""What commands that solve a spec share: errors in the spec's words, whose figures are asked for, optima as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from colosseum.cli.words import Stop, stop
from colosseum.diagnostics import closest, report
from colosseum.model import serial
from colosseum.model.check import Checked
from colosseum.model.scenario import Coalition, Scenario, Task
from colosseum.model.values import Fault, Value, plain
from colosseum.optimum.lowering.lower import NotLowered
from colosseum.optimum.solve import Optimum


@contextmanager
def solving(checked: Checked) -> Iterator[None]:
    """Within the block, a term that is too large or undefined is a Stop that points at it."""
    try:
        yield
    except NotLowered as fault:
        symbol = checked.spec.symbols.get(fault.name.partition("[")[0])
        raise Stop(report("C100", symbol.span if symbol else None, str(fault), help=fault.help)) from None
    except Fault as fault:
        raise Stop(report(fault.code, fault.span, fault.message, help=fault.help)) from None


def require_feasible(optimum: Optimum) -> None:
    """Some assignment satisfies the hard requirements. Raises Stop."""
    if optimum.status == "infeasible":
        raise stop("C101", "no assignment satisfies the hard requirements", help="drop one, or give it a `penalty`")


def chosen_coalition(scenario: Scenario, name: str | None, members: str | None) -> Coalition | None:
    """The coalition of a name, else the first, with other members where some are named. Raises Stop."""
    if name is not None and name not in scenario.coalition:
        known = list(scenario.coalition)
        help_ = closest(name, known) or f"coalitions: {', '.join(known) or 'none'}"
        raise stop("C122", f"there is no coalition `{name}`", help=help_)
    chosen = scenario.coalition[name] if name else next(iter(scenario.coalitions), None)
    if members is None:
        return chosen
    named = tuple(dict.fromkeys(m.strip() for m in members.split(",") if m.strip()))
    require_agents(named, scenario.task, "--members")
    inside = tuple(a for a in scenario.task.agents if a in named)
    return replace(chosen, members=inside) if chosen else Coalition("members", inside, ())


def require_agents(named: Sequence[str], task: Task, option: str) -> None:
    """All names are agents, and there are some. Raises Stop."""
    strange = next((a for a in named if a not in task.agents), None)
    if strange is not None or not named:
        what = f"there is no agent `{strange}`" if strange else "names no agent"
        help_ = closest(strange or "", task.agents) or f"agents: {', '.join(task.agents)}"
        raise stop("C122", f"`{option}`: {what}", help=help_)


def heading(scenario: Scenario) -> dict[str, object]:
    """Which scenario, and exactly which."""
    return {
        "schema": 1,
        "scenario": scenario.name,
        "title": scenario.title,
        "seed": scenario.seed,
        "model_sha256": serial.content_hash(scenario),
    }


def optimum_of(found: Optimum) -> dict[str, object]:
    """A best assignment with its proof."""
    return {
        "status": found.status,
        "value": found.value,
        "bound": found.bound,
        "canonical": found.canonical,
        "assignment": None if found.assignment is None else decisions(found.assignment),
    }


def decisions(assignment: Mapping[str, Value]) -> dict[str, object]:
    """An assignment by the written names of variables."""
    return {name: plain(value) for name, value in assignment.items()}
