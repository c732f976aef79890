"""The benchmark's families: what they write is sound, and at sizes that can be enumerated the optimum is the best."""

import json
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from bench.families import FAMILIES, family, main
from bench.imports import GAME, rows, spans, terrarium
from conftest import SPECS, checked

from colosseum.imports.importing import import_runs
from colosseum.model.check import check
from colosseum.solve.goal import WELFARE, Goal, bent, payoff_of
from colosseum.solve.scoring import goal_value, hard_broken
from colosseum.solve.solver import Solver


@pytest.mark.parametrize("name", FAMILIES)
def test_optima_of_a_family_are_those_of_enumeration(name: str, tmp_path: Path) -> None:
    path = tmp_path / "family.colo"
    path.write_text(family(name, *FAMILIES[name].smallest, seed=7), encoding="utf-8")
    checked, diagnostics = check(path)
    assert checked is not None, diagnostics
    scenario = checked.expansion.scenario
    task, solver = scenario.task, Solver(scenario.task)
    names = [v.name for v in task.variables]
    every = [dict(zip(names, values, strict=True)) for values in product(*(v.domain for v in task.variables))]
    feasible = [x for x in every if not hard_broken(task.requirements, x)]
    assert len(feasible) > 1
    goals: list[Goal] = [WELFARE, payoff_of(task.agents[0]), bent(scenario.coalitions[0], strength=0.7)]
    for goal in goals:
        worths = [goal_value(task, goal, x) for x in feasible]
        assert solver.maximise(goal).value == pytest.approx(max(worths), abs=1e-9)
        assert solver.minimise(goal).value == pytest.approx(min(worths), abs=1e-9)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_written_from_its_seed_alone(name: str, tmp_path: Path) -> None:
    sizes = FAMILIES[name].smallest
    path = tmp_path / "made.colo"
    assert main([name, *map(str, sizes), "--seed", "5", "-o", str(path)]) == 0
    assert path.read_text(encoding="utf-8") == family(name, *sizes, seed=5) != family(name, *sizes, seed=6)


def test_what_is_no_family_is_refused() -> None:
    with pytest.raises(ValueError, match="no family"):
        family("chess", 8, 8, seed=1)
    with pytest.raises(ValueError, match="engineers, tickets"):
        family("tickets", 8, seed=1)


def test_a_path_counts_own_functions_by_their_file(tmp_path: Path) -> None:
    out, root = tmp_path / "path.json", Path(__file__).parent.parent
    command = [sys.executable, "-m", "tests.bench.path", str(out), "explain", "regret"]
    subprocess.run(command, check=True, capture_output=True, cwd=root)
    found = json.loads(out.read_text(encoding="utf-8"))
    files = {Path(file).relative_to(root).as_posix(): calls for file, calls in found["by_file"].items()}
    assert files["colosseum/cli/command.py"] > 0
    assert found["files"] == len(files)
    assert found["calls"] == sum(files.values())
    assert 1 < found["depth"] < found["calls"]


def test_logs_whose_import_is_measured_are_whole(tmp_path: Path) -> None:
    for number in (0, 10):
        terrarium(tmp_path / "outputs", number)
    (tmp_path / "spans.jsonl").write_text("".join(spans(100)), encoding="utf-8")
    (tmp_path / "rows.jsonl").write_text("".join(rows(1)), encoding="utf-8")
    game, tickets = checked(GAME), checked(SPECS / "jira_published.colo")
    found = [*import_runs(tickets, [tmp_path / "outputs"], tmp_path / "a").runs,
             *import_runs(game, [tmp_path / "spans.jsonl"], tmp_path / "b", reader="otel").runs,
             *import_runs(game, [tmp_path / "rows.jsonl"], tmp_path / "c").runs]  # fmt: skip
    assert [(run.became, run.decisions) for run in found] == [("new", 6), ("new", 6), ("new", 3), ("new", 3)]
    assert [run.posts for run in found] == [24, 32, 32, 100]
