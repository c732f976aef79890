"""What commands that solve a spec print alike. In: a scenario and optima; out: both as JSON."""

from collections.abc import Mapping

from colosseum.model import serial
from colosseum.model.scenario import Scenario
from colosseum.model.values import Value, plain
from colosseum.optimum.solve import Optimum


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
