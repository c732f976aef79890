"""Runs read back. In: a campaign's folder; out: a RunRecord for every trial, its figures computed from trace and scenario.

Nothing is taken from the trace but what happened: every figure is recomputed.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from colosseum.audit.campaign import Campaign
from colosseum.audit.trace import BrokenTrace, Json, read_trace
from colosseum.audit.turn import matches
from colosseum.evidence.figures import RunFigures, RunRecord
from colosseum.evidence.metrics import Instance, measure
from colosseum.model import serial
from colosseum.model.scenario import Scenario, Task
from colosseum.model.values import Value


class Unreadable(Exception):
    """The folder is not a campaign, or a part of it is missing or was changed."""


@dataclass(frozen=True)
class Listed:
    """A trial as the campaign lists it."""

    trial: str
    arm: str
    point: str
    seed: int
    repeat: int
    model: str
    players: dict[str, str]
    scenario: str


@dataclass(frozen=True)
class Plan:
    """What campaign.json says."""

    schema: int
    colosseum: str
    scenario: str
    title: str
    experiment: str
    question: str
    arms: tuple[str, ...]
    coalition: str | None
    spec: str
    trials: tuple[Listed, ...]


@dataclass
class Reader:
    """Reads one campaign; scenarios and optima are computed once each."""

    folder: Path
    instances: dict[str, tuple[Scenario, Instance]] = field(default_factory=dict)

    def plan(self) -> Plan:
        """The list of trials. Raises Unreadable."""
        path = self.folder / "campaign.json"
        try:
            return TypeAdapter(Plan).validate_json(path.read_bytes())
        except OSError as error:
            raise Unreadable(f"{self.folder} holds no campaign: cannot read {path.name} ({error.strerror})") from None
        except ValidationError as error:
            raise Unreadable(f"{path} is damaged: {error.error_count()} entries do not fit") from None

    def records(self, plan: Plan) -> Iterator[RunRecord]:
        """Every trial that was run. Raises Unreadable where a trace or scenario cannot be trusted."""
        campaign = Campaign(self.folder)
        for listed in plan.trials:
            if campaign.trace(listed.trial).exists():
                yield self._complete(listed, plan, campaign.trace(listed.trial))
            elif campaign.failure(listed.trial).exists():
                yield _record(listed, "failed", failure_reason(campaign.failure(listed.trial)), None)

    def _complete(self, listed: Listed, plan: Plan, path: Path) -> RunRecord:
        try:
            events = list(read_trace(path))
        except BrokenTrace as broken:
            raise Unreadable(f"a trace cannot be trusted: {broken}") from None
        if events[0].get("trial") != listed.trial:
            raise Unreadable(f"{path.name} is the trace of another trial")
        scenario, instance = self._instance(listed.scenario)
        figures = run_figures(scenario, instance, events, coalition=plan.coalition)
        return _record(listed, "complete", "", figures)

    def _instance(self, found: str) -> tuple[Scenario, Instance]:
        if found not in self.instances:
            path = self.folder / "scenarios" / f"{found}.json"
            try:
                scenario = serial.load(path.read_bytes())
            except OSError as error:
                raise Unreadable(f"cannot read {path}: {error.strerror}") from None
            except ValidationError:
                raise Unreadable(f"{path} is damaged") from None
            if serial.content_hash(scenario) != found:
                raise Unreadable(f"{path} was changed: its content does not fit its name")
            self.instances[found] = (scenario, Instance.of(scenario.task))
        return self.instances[found]


def _record(listed: Listed, status: str, reason: str, figures: RunFigures | None) -> RunRecord:
    return RunRecord(
        listed.trial, listed.point, listed.arm, listed.seed, listed.repeat, listed.model, listed.players, status, reason,
        figures,
    )  # fmt: skip


def failure_reason(path: Path) -> str:
    """Why a run failed, from its unfinished trace."""
    for raw in reversed(path.read_text(encoding="utf-8").splitlines()):
        line = json.loads(raw)
        if line.get("event") == "failed":
            return f"{line['kind']}: {line['reason']}"
    return "the run was cut off"


def run_figures(
    scenario: Scenario, instance: Instance, events: list[dict[str, Json]], *, coalition: str | None
) -> RunFigures:
    """All figures of a complete run from its events."""
    outcome = next(e for e in events if e["event"] == "outcome")
    order = next(e["agents"] for e in events if e["event"] == "order")
    assert isinstance(order, list)
    measured = measure(
        instance,
        realised(outcome["assignment"], scenario.task),
        coalition=scenario.coalition.get(coalition) if coalition else None,
        order=[str(a) for a in order],
    )
    posts = Counter(str(e["channel"]) for e in events if e["event"] == "post")
    live = next(e["channels"] for e in events if e["event"] == "channels")
    assert isinstance(live, list)
    failed = [e for e in events if e["event"] == "mistake" and e["tool"] == "post"]
    refused = Counter(str(e["agent"]) for e in events if e["event"] == "refused")
    undecided = outcome["undecided"]
    assert isinstance(undecided, list)
    owners = Counter(scenario.task.variable[str(v)].owner for v in undecided)
    return RunFigures(
        scalars=measured.scalars,
        payoff=measured.score.payoff,
        best_response_regret=measured.best_response_regret,
        sequential_regret=measured.sequential_regret,
        violations=measured.score.violations,
        posts={str(name): posts[str(name)] for name in live},
        failed_posts=len(failed),
        refused={a: refused[a] for a in scenario.task.agents},
        undecided={a: owners[a] for a in scenario.task.agents},
        infeasible=not measured.score.feasible,
    )


def realised(assignment: Json, task: Task) -> dict[str, Value]:
    """The assignment of an outcome event in the scenario's own values. Raises Unreadable."""
    if not isinstance(assignment, dict) or assignment.keys() != task.variable.keys():
        raise Unreadable("an outcome does not fit its scenario's variables")
    found: dict[str, Value] = {}
    for name, given in assignment.items():
        fitting = [v for v in task.variable[name].domain if matches(given, v)]
        if not fitting:
            raise Unreadable(f"an outcome gives `{name}` a value outside its domain")
        found[name] = fitting[0]
    return found
