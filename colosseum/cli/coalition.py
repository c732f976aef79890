"""Whose figures are asked for. In: a scenario, a coalition's name and members as options; out: a coalition."""

from collections.abc import Sequence
from dataclasses import replace

from colosseum.cli.words import stop
from colosseum.diagnostics import closest
from colosseum.model.scenario import Coalition, Scenario, Task


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
