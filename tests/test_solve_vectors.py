"""Ticket games whose figures were computed elsewhere (arXiv 2602.15198's implementation): ours agree to 1e-9.

Each game is scored through the shipped specs, with its agents, tickets and costs written as the CSV files they read.
A decision that was skipped is none; one that is missing was never taken, which is none as well.
"""

import csv
import json
import shutil
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from test_cli_commands import read

from colosseum.evidence.instance import SolvedTask
from colosseum.evidence.metrics import Measured, measure
from colosseum.language.files import shipped
from colosseum.model.check import check
from colosseum.model.scenario import Scenario
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE
from colosseum.solve.solver import Solver

VECTORS = sorted((Path(__file__).parent / "vectors").glob("jira_*.json"))
CASES = [(path, case) for path in VECTORS for case in range(len(json.loads(path.read_text())["cases"]))]


def write_spec(vector: dict[str, Any], folder: Path) -> Path:
    """The shipped ticket specs with this game's agents, coalition and data."""
    (folder / "data").mkdir()
    specs = shipped("specs")
    shutil.copy(specs / "jira.colo", folder)
    lines = (specs / "jira_real.colo").read_text(encoding="utf-8").splitlines()
    names = {
        "override agents": ", ".join(vector["agents"]),
        "override coalition": f"cabal {{ members = {{{', '.join(vector['colluders'])}}} }}",
    }
    changed = [
        next((f"{start} {rest}" for start, rest in names.items() if line.startswith(start)), line) for line in lines
    ]
    if len(vector["agents"]) - len(vector["colluders"]) < 2:  # too few outsiders to draw the decoy's members from
        changed.append("override secret channel decoy for agents")
    file = folder / "jira_real.colo"
    file.write_text("\n".join(changed), encoding="utf-8")
    tasks = vector["tasks"]
    write_csv(folder / "data/sprint_tasks.csv", [["tasks"], *([t] for t in tasks)])
    write_csv(folder / "data/sprint_priority.csv", [["tasks", "priority"], *tasks.items()])
    costs = [[a, *(vector["costs"][a][t] for t in tasks)] for a in vector["agents"]]
    write_csv(folder / "data/sprint_cost.csv", [["agents", *tasks], *costs])
    return file


def write_csv(path: Path, rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


@cache
def game(path: Path) -> tuple[dict[str, Any], Scenario, SolvedTask]:
    vector = json.loads(path.read_text(encoding="utf-8"))
    with TemporaryDirectory() as folder:
        checked, diagnostics = check(write_spec(vector, Path(folder)))
    assert checked is not None, diagnostics
    scenario = checked.expansion.scenario
    return vector, scenario, SolvedTask.of(scenario.task)


def realised(case: dict[str, Any], scenario: Scenario) -> dict[str, Value]:
    given = case["assignment"]
    return {v.name: None if given.get(v.owner) in (None, "skip") else given[v.owner] for v in scenario.task.variables}


def figures(path: Path, number: int) -> tuple[dict[str, Any], dict[str, Any], Measured]:
    vector, scenario, instance = game(path)
    case = vector["cases"][number]
    measured = measure(
        instance, realised(case, scenario), coalition=scenario.coalition["cabal"], order=vector["turn_order"]
    )
    return vector, case, measured


def near(value: object) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("path", VECTORS, ids=lambda p: p.stem)
def test_the_optimum_is_the_published_one(path: Path) -> None:
    vector, scenario, instance = game(path)
    assert instance.optimum.status == "optimal"
    assert instance.optimum.canonical
    assert instance.optimum.value == near(vector["optimum"])
    assert Solver(scenario.task).maximise(WELFARE).value == near(vector["optimum"])


@pytest.mark.parametrize(("path", "number"), CASES, ids=lambda v: v.stem if isinstance(v, Path) else str(v))
def test_every_figure_is_the_published_one(path: Path, number: int) -> None:
    vector, case, measured = figures(path, number)
    scalars = {name: figure.value for name, figure in measured.scalars.items()}
    assert measured.score.value == near(case["joint_reward"])
    assert measured.score.payoff == near(case["local_rewards"])
    assert {a: f.value for a, f in measured.best_response_regret.items()} == near(case["per_agent_regret"])
    assert {a: f.value for a, f in measured.sequential_regret.items()} == near(case["sequential_regret"])
    assert scalars["coalition_regret"] == near(case["coalition_mean_regret"])
    assert scalars["outsider_regret"] == near(case["outsider_mean_regret"])
    assert scalars["coalition_advantage"] == near(case["outsider_mean_regret"] - case["coalition_mean_regret"])
    assert scalars["payoff_gap"] == near(case["payoff_gap"])
    assert scalars["coalition_value"] == near(case["coalition_reward_sum"])
    assert scalars["regret"] == near(vector["optimum"] - case["joint_reward"])


def test_the_command_says_the_same(tmp_path: Path) -> None:
    path = VECTORS[-1]
    vector = json.loads(path.read_text(encoding="utf-8"))
    case = next(c for c in vector["cases"] if c["label"] == "partial")
    file = write_spec(vector, tmp_path)
    decisions = tmp_path / "decisions.json"
    decisions.write_text(json.dumps({f"pick[{a}]": t for a, t in case["assignment"].items()}), encoding="utf-8")
    said = read("score", file, "--assignment", decisions, "--order", ",".join(vector["turn_order"]))
    figures = said["figures"]
    assert figures["score"]["value"] == near(case["joint_reward"])
    assert figures["score"]["payoff"] == near(case["local_rewards"])
    assert figures["scalars"]["optimum"]["value"] == near(vector["optimum"])
    for name, expected in (("best_response_regret", "per_agent_regret"), ("sequential_regret", "sequential_regret")):
        assert {agent: each["value"] for agent, each in figures[name].items()} == near(case[expected])
    assert figures["scalars"]["payoff_gap"]["value"] == near(case["payoff_gap"])
    assert said["undecided"] == [f"pick[{a}]" for a in vector["agents"] if a not in case["assignment"]]
