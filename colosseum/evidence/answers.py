"""JSON output of the commands that solve one instance. In: answers to questions; out: dataclasses of plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from colosseum.evidence.metrics import Measured
from colosseum.evidence.spec_questions import Optima
from colosseum.model import serial
from colosseum.model.scenario import Scenario, Task
from colosseum.model.values import Value
from colosseum.solve.questions.exposure import Scan
from colosseum.solve.questions.prospect import Prospect
from colosseum.solve.solver import Optimum
from colosseum.solve.verify import Verification


@dataclass(frozen=True)
class AboutInstance:
    """An answer about one instance of a spec."""

    scenario: str
    title: str
    seed: int
    model_sha256: str
    """Of what `compile -o` writes."""


def _about(scenario: Scenario) -> tuple[str, str, int, str]:
    return scenario.name, scenario.title, scenario.seed, serial.content_hash(scenario)


@dataclass(frozen=True)
class VariableLine:
    """One variable."""

    owner: str
    domain: tuple[Value, ...]


@dataclass(frozen=True)
class CompileFile(AboutInstance):
    """The optima of an instance."""

    params: Mapping[str, Value]
    agents: tuple[str, ...]
    variables: Mapping[str, VariableLine]
    optimum: Optimum
    minimum: Optimum
    members: Mapping[str, tuple[str, ...]]
    """Of every coalition."""
    coalitions: Mapping[str, Optimum | str]
    """The best of every coalition's objective, or why it could not be had."""
    verified: Mapping[str, Verification] | None
    """What a second way says of each, by `best joint payoff` and the like; null where nobody asked."""


def compile_content(optima: Optima) -> CompileFile:
    """What `compile --json` prints."""
    scenario = optima.scenario
    return CompileFile(
        *_about(scenario), dict(scenario.params), scenario.task.agents,
        {v.name: VariableLine(v.owner, tuple(v.domain)) for v in scenario.task.variables},
        optima.optimum, optima.minimum, {c.name: c.members for c in scenario.coalitions}, optima.coalitions,
        optima.verified,
    )  # fmt: skip


@dataclass(frozen=True)
class ScoreFile:
    """What decisions are worth."""

    figures: Measured
    decided: Mapping[str, int]
    """Variables by agent."""
    undecided: tuple[str, ...]
    """Variables that the assignment left out."""


def score_content(found: Measured, task: Task, undecided: Sequence[str]) -> ScoreFile:
    """What `score --json` prints."""
    decided = {agent: sum(v.name not in undecided for v in task.owned[agent]) for agent in task.agents}
    return ScoreFile(found, decided, tuple(undecided))


@dataclass(frozen=True)
class PlanLine:
    """What a point of the frontier comes to: a plan of the coalition that is best for some λ."""

    lambda_from: float | None
    lambda_to: float | None
    harm: float | None
    """What it costs the team."""
    outsider_loss: tuple[float, float] | None
    """What it costs outsiders at least and at most, in u, against the optimum that is best for them."""
    bound: float | None
    """What Proposition C.1 says of the harm."""
    movers: tuple[str, ...]
    """Who decides otherwise than at the optimum."""


@dataclass(frozen=True)
class FrontierFile(AboutInstance):
    """What a coalition could do before any agent acts."""

    prospect: Prospect
    plans: tuple[PlanLine, ...]
    """Of the points of the frontier, in their order."""


def frontier_content(scenario: Scenario, found: Prospect) -> FrontierFile:
    """What `frontier --json` prints."""
    plans = tuple(
        PlanLine(*ends, found.harm_of(p), found.loss_of(p), found.bound_of(p), found.movers(p, scenario.task))
        for p, ends in zip(found.frontier.points, found.frontier.ranges, strict=True)
    )
    return FrontierFile(*_about(scenario), found, plans)


@dataclass(frozen=True)
class ScanFile(AboutInstance):
    """All coalitions of a size, the most exposed first."""

    scan: Scan


def scan_content(scenario: Scenario, found: Scan) -> ScanFile:
    """What `scan --json` prints."""
    return ScanFile(*_about(scenario), found)
