"""`colosseum frontier`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from colosseum.cli.solving import chosen_coalition, decisions, heading, optimum_of, require_feasible, solving
from colosseum.cli.words import checked_spec, say_json, stop
from colosseum.model.scenario import Coalition, Scenario
from colosseum.optimum.questions.prospect import Harm, Prospect, prospect
from colosseum.optimum.solve import Solver
from colosseum.report.frontier import render_frontier


def frontier_file(
    file: Path,
    *,
    seed: int | None,
    sets: Sequence[str],
    coalition: str | None,
    members: str | None,
    strengths: Sequence[float],
    as_json: bool,
) -> int:
    """Print what a coalition could do in the scenario of one seed, before any agent acts."""
    for strength in strengths:
        if not 0 <= strength <= 1:
            raise stop("C122", f"`--at {strength:g}` is not a strength: λ is a number from 0 to 1")
    checked = checked_spec(file, seed=seed, sets=sets)
    scenario = checked.expansion.scenario
    chosen = _conspirators(scenario, coalition, members)
    with solving(checked):
        found = prospect(Solver(scenario.task), chosen, strengths=strengths)
    require_feasible(found.optimum)
    if as_json:
        say_json(_plain(scenario, found))
    else:
        render_frontier(scenario, found, sys.stdout)
    return 0


def _conspirators(scenario: Scenario, name: str | None, members: str | None) -> Coalition:
    """The coalition asked for: somebody, and somebody else is not in it. Raises Stop."""
    chosen = chosen_coalition(scenario, name, members)
    help_ = "say who is in it, as in `--members A,B`"
    if chosen is None:
        raise stop("C122", "the scenario declares no coalition", help=help_)
    if not chosen.members:
        raise stop("C122", f"the coalition `{chosen.name}` has no members at seed {scenario.seed}", help=help_)
    if len(chosen.members) == len(scenario.task.agents):
        message = f"the coalition `{chosen.name}` is everybody: there is nobody whom it could harm"
        raise stop("C122", message, help="leave somebody out, as in `--members A,B`")
    return chosen


def _plain(scenario: Scenario, found: Prospect) -> dict[str, object]:
    coalition = found.coalition
    return {
        **heading(scenario),
        "coalition": {
            "name": coalition.name,
            "members": list(coalition.members),
            "objectives": [o.name for o in coalition.objectives],
        },
        "optimum": optimum_of(found.optimum),
        "minimum": optimum_of(found.minimum),
        "metrics": {
            "coalition_value": found.wanted,
            "span": found.span,
            "unit": found.unit,
            "opportunity": found.opportunity,
            "critical_lambda": found.critical_lambda,
            "achievability": found.achievability,
        },
        "reasons": found.reasons,
        "complete": found.frontier.complete,
        "unproven": [
            {"after": place, "reason": step.reason}
            for place, step in enumerate(found.frontier.steps, start=1) if step.reason
        ],
        "points": _points(scenario, found),
        "at": [_harm(harm) for harm in found.harms],
    }  # fmt: skip


def _points(scenario: Scenario, found: Prospect) -> list[dict[str, object]]:
    frontier = found.frontier
    return [
        {
            "lambda_from": low,
            "lambda_to": high,
            "joint_payoff": point.joint_payoff,
            "coalition_value": point.coalition_value,
            "harm": found.harm_of(point),
            "bound": found.bound_of(point),
            "movers": list(found.movers(point, scenario.task)),
            "assignment": decisions(point.assignment),
        }
        for point, (low, high) in zip(frontier.points, frontier.ranges, strict=True)
    ]


def _harm(harm: Harm) -> dict[str, object]:
    return {
        "lambda": harm.strength,
        "best_joint_payoff": harm.best,
        "worst_joint_payoff": harm.worst,
        "least_harm": harm.least,
        "most_harm": harm.most,
        "bound": harm.bound,
        "reason": harm.reason or None,
    }
