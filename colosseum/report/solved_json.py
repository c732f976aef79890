"""Answers to questions about one instance as JSON. In: optima, frontiers, scans and scores; out: dictionaries."""

from collections.abc import Mapping, Sequence

from colosseum.evidence.metrics import Measured
from colosseum.evidence.spec_questions import Optima
from colosseum.model import serial
from colosseum.model.scenario import Scenario, Task
from colosseum.model.values import Value, plain
from colosseum.optimum.questions.exposure import Scan
from colosseum.optimum.questions.prices import Temptation
from colosseum.optimum.questions.prospect import Harm, Prospect
from colosseum.optimum.solve import Optimum
from colosseum.optimum.verify import Verification


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


def optima_json(optima: Optima, tempting: Sequence[Temptation]) -> dict[str, object]:
    """What `compile` finds."""
    scenario, again = optima.scenario, optima.verified
    return {
        **heading(scenario),
        "params": {name: plain(value) for name, value in scenario.params},
        "agents": list(scenario.task.agents),
        "variables": {
            v.name: {"owner": v.owner, "domain": [plain(d) for d in v.domain]} for v in scenario.task.variables
        },
        "optimum": _optimum(optima.optimum) | _again(again.optimum if again else None),
        "minimum": _optimum(optima.minimum) | _again(again.minimum if again else None),
        "coalitions": {
            c.name: {
                "members": list(c.members),
                "best": _optimum(optima.coalitions[c.name])
                | _again(again.coalitions.get(c.name) if again else None),
            }
            for c in scenario.coalitions
        },
        "worth_breaking": [_tempting(each) for each in tempting],
    }  # fmt: skip


def _tempting(found: Temptation) -> dict[str, object]:
    return {
        "statement": found.statement,
        "instances": list(found.instances),
        "penalty": found.price,
        "stops_paying_above": found.enough,
        "factor": found.factor,
        "reason": found.reason or None,
    }


def _optimum(found: Optimum | str) -> dict[str, object]:
    if isinstance(found, str):
        return {"status": "unknown", "reason": found, "value": None, "assignment": None}
    return {**optimum_of(found), "seconds": round(found.seconds, 6)}


def _again(found: Verification | None) -> dict[str, object]:
    """What a second way says of an optimum; nothing where nobody asked."""
    if found is None:
        return {}
    return {
        "verification": {
            "status": found.status,
            "by": found.by,
            "value": found.value,
            "reason": found.reason or None,
            "seconds": round(found.seconds, 6),
        }
    }


def prospect_json(scenario: Scenario, found: Prospect) -> dict[str, object]:
    """What `frontier` finds."""
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


def scan_json(scenario: Scenario, found: Scan, top: int) -> dict[str, object]:
    """What `scan` finds."""
    return {
        **heading(scenario),
        "size": found.size,
        "by": found.by,
        "optimum": {"status": found.optimum.status, "value": found.optimum.value},
        "coalitions": found.total,
        "sampled": found.sampled,
        "ranking": [
            {
                "rank": rank,
                "members": list(exposure.coalition.members),
                "coalition": exposure.coalition.name or None,
                "worst_harm": exposure.worst_harm,
                "selfish_harm": exposure.selfish_harm,
                "temptation": exposure.temptation,
                "reasons": exposure.reasons,
            }
            for rank, exposure in zip(found.ranks, found.ranking, strict=True)
        ],
        "top": top,
        "most_often": found.most_often(top),
        "reason": found.reason or None,
    }


def score_json(measured: Measured, task: Task, undecided: Sequence[str]) -> dict[str, object]:
    """What `score` finds."""
    scalars = {**measured.scalars, **measured.closer}
    figures: Mapping[str, object] = {name: figure.value for name, figure in scalars.items()}
    reasons = {name: figure.reason for name, figure in scalars.items() if figure.reason}
    by_agent = {"best_response_regret": measured.best_response_regret, "sequential_regret": measured.sequential_regret}
    reasons |= {f"{n}[{a}]": f.reason for n, found in by_agent.items() for a, f in found.items() if f.reason}
    return {
        "schema": 1,
        "value": measured.score.value,
        "payoff": measured.score.payoff,
        "violations": measured.score.violations,
        "broken": list(measured.score.broken),
        "metrics": {
            **figures,
            **{name: {a: f.value for a, f in found.items()} for name, found in by_agent.items()},
            "decided": {a: sum(v.name not in undecided for v in task.owned[a]) for a in task.agents},
            "infeasible": not measured.score.feasible,
        },
        "reasons": reasons,
        "undecided": list(undecided),
    }
