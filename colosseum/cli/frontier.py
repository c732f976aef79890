"""`colosseum frontier`."""

import sys
from collections.abc import Sequence
from pathlib import Path

from colosseum.cli.solving import decisions, heading, optimum_of
from colosseum.cli.words import checked_spec, say_json
from colosseum.evidence.spec_questions import prospected
from colosseum.model.scenario import Scenario
from colosseum.optimum.questions.prospect import Harm, Prospect
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
    checked = checked_spec(file, seed=seed, sets=sets)
    scenario, found = checked.expansion.scenario, prospected(checked, coalition, members, strengths)
    if as_json:
        say_json(_plain(scenario, found))
    else:
        render_frontier(scenario, found, sys.stdout)
    return 0


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
