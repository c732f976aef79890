"""Runs read back. In: a campaign's folder; out: a RunRecord for every trial, figures computed from trace and scenario.

Nothing is taken from the trace but what happened: every figure is recomputed.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from colosseum.audit.campaign.folder import Campaign
from colosseum.audit.trace import BrokenTrace, read_trace
from colosseum.audit.turn import matches
from colosseum.evidence.figures import RunFigures, RunRecord
from colosseum.evidence.instance import Instance
from colosseum.evidence.metrics import Measured, measure
from colosseum.model import serial
from colosseum.model.scenario import Coalition, Scenario, Task
from colosseum.model.values import Value


class Unreadable(Exception):  # noqa: N818 - what is wrong, in words
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
    coalitions: tuple[str, ...]
    """In declared order; figures are of the first unless another is asked for."""
    configuration: str
    """Equal for runs that belong into one report."""
    spec: str
    trials: tuple[Listed, ...]


@dataclass
class Reader:
    """Reads one campaign; scenarios are read and tasks are solved once each."""

    folder: Path
    instances: dict[str, tuple[Scenario, Instance]] = field(default_factory=dict)
    """By scenario."""
    solved: dict[Task, Instance] = field(default_factory=dict)
    """Scenarios that differ in who may talk or conspire have one task."""
    measured: dict[tuple[int, Coalition | None, str], Measured] = field(default_factory=dict)
    """By instance, coalition and what happened: many runs of one instance end alike."""

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
        except OSError as error:
            raise Unreadable(f"cannot read {path}: {error.strerror}") from None
        if events[0].get("trial") != listed.trial:
            raise Unreadable(f"{path.name} is the trace of another trial")
        scenario, instance = self._instance(listed.scenario)
        happened = read_events(events, scenario.task, path.name)
        coalition = scenario.coalition.get(plan.coalitions[0]) if plan.coalitions else None
        key = (id(instance), coalition, repr((happened.assignment, happened.order)))
        if key not in self.measured:
            self.measured[key] = measure(instance, happened.assignment, coalition=coalition, order=happened.order)
        return _record(listed, "complete", "", run_figures(self.measured[key], happened, scenario.task))

    def _instance(self, found: str) -> tuple[Scenario, Instance]:
        if found not in self.instances:
            path = self.folder / "scenarios" / f"{found}.json"
            try:
                scenario = serial.load(path.read_bytes())
            except OSError as error:
                raise Unreadable(f"cannot read {path}: {error.strerror}") from None
            except serial.NotAModel as wrong:
                raise Unreadable(f"{path} {wrong}") from None
            if serial.content_hash(scenario) != found:
                raise Unreadable(f"{path} was changed: its content does not fit its name")
            if scenario.task not in self.solved:
                self.solved[scenario.task] = Instance.of(scenario.task)
            self.instances[found] = (scenario, self.solved[scenario.task])
        return self.instances[found]


def _record(listed: Listed, status: str, reason: str, figures: RunFigures | None) -> RunRecord:
    return RunRecord(
        listed.trial, listed.point, listed.arm, listed.seed, listed.repeat, listed.model, listed.players,
        status, reason, figures,
    )  # fmt: skip


def failure_reason(path: Path) -> str:
    """Why a run failed, from its unfinished trace."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        return f"its trace cannot be read: {error.strerror}"
    for raw in reversed(lines):
        try:
            line = json.loads(raw)
            if line["event"] == "failed":
                return f"{line['kind']}: {line['reason']}"
        except (ValueError, KeyError, TypeError):
            continue
    return "the run was cut off"


@dataclass(frozen=True)
class Happened:
    """What figures are computed from."""

    assignment: dict[str, Value]
    order: list[str]
    undecided: list[str]
    channels: list[str]
    posts: Counter[str]
    """By channel."""
    refused: Counter[str]
    """By agent."""
    failed_posts: int


def read_events(events: Sequence[Mapping[str, Any]], task: Task, name: str) -> Happened:
    """What happened, from the events of a complete run. Raises Unreadable."""
    kinds = Counter(event["event"] for event in events)
    if any(kinds[kind] != 1 for kind in ("order", "channels", "outcome")):
        raise Unreadable(f"{name}: its events are not those of a complete run")
    single = {event["event"]: event for event in events}
    try:
        happened = Happened(
            assignment=realised(single["outcome"]["assignment"], task),
            order=[str(agent) for agent in single["order"]["agents"]],
            undecided=[task.variable[variable].name for variable in single["outcome"]["undecided"]],
            channels=[str(channel) for channel in single["channels"]["channels"]],
            posts=Counter(str(e["channel"]) for e in events if e["event"] == "post"),
            refused=Counter(str(e["agent"]) for e in events if e["event"] == "refused"),
            failed_posts=sum(e["event"] == "mistake" and e["tool"] == "post" for e in events),
        )
    except (KeyError, TypeError):
        raise Unreadable(f"{name}: an event lacks a part") from None
    if sorted(happened.order) != sorted(task.agents):
        raise Unreadable(f"{name}: its agents are not the scenario's")
    return happened


def run_figures(measured: Measured, happened: Happened, task: Task) -> RunFigures:
    """All figures of a complete run."""
    owners = Counter(task.variable[variable].owner for variable in happened.undecided)
    return RunFigures(
        scalars=measured.scalars,
        payoff=measured.score.payoff,
        best_response_regret=measured.best_response_regret,
        sequential_regret=measured.sequential_regret,
        violations=measured.score.violations,
        posts={channel: happened.posts[channel] for channel in happened.channels},
        failed_posts=happened.failed_posts,
        refused={agent: happened.refused[agent] for agent in task.agents},
        undecided={agent: owners[agent] for agent in task.agents},
        infeasible=not measured.score.feasible,
    )


def realised(assignment: Any, task: Task) -> dict[str, Value]:
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
