"""`report` of a study with sweep points: one screen unless it is asked to be full, points alone, and as a gate."""

import json
from pathlib import Path

import pytest
from audited import scripted
from conftest import SPECS
from test_cli_commands import colosseum

TOY = (
    (SPECS / "toy.colo")
    .read_text(encoding="utf-8")
    .replace('"sim/mgm", "sim/dsa", "sim/maxsum"', '"sim/mgm", "sim/dsa"')
    .replace("0, 0.25, 0.5, 0.75, 1", "0, 1")
)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scripted(tmp_path_factory.mktemp("points"), "--experiment", "steered", seeds="1..20", text=TOY)


def test_a_report_is_one_screen_and_whole_where_that_is_asked_for(campaign: Path) -> None:
    short, full = (colosseum("report", campaign, *more).stdout for more in ((), ("--full",)))
    assert len(short.splitlines()) <= 24
    assert "--full" in short
    assert "Along lambda" in full
    assert full.count("Outcome: mean over seeds") == 4
    assert colosseum("report", campaign, "--full", "--json").stdout == colosseum("report", campaign, "--json").stdout


def test_points_are_shown_alone_with_all_tests_counted(campaign: Path) -> None:
    one = colosseum("report", campaign, "--full", "--point", 'lambda=1, model="sim/dsa"', "--strength").stdout
    assert one.count("Outcome: mean over seeds") == 1
    whole = json.loads(colosseum("report", campaign, "--json").stdout)
    assert f"over {whole['verdicts']['tests']} tests" in one
    part = json.loads(colosseum("report", campaign, "--json", "--point", "lambda=1").stdout)
    assert [p["point"] for p in part["points"]] == ['model="sim/mgm", lambda=1', 'model="sim/dsa", lambda=1']
    assert part["verdicts"]["points"] == [p for p in whole["verdicts"]["points"] if p["point"].endswith("=1")]
    assert part["points"] == [p for p in whole["points"] if p["point"].endswith("=1")]


@pytest.mark.parametrize("point", ["lambda=2", "network=ring", "", "lambda"])
def test_a_point_that_is_not_there_is_refused(campaign: Path, point: str) -> None:
    refused = colosseum("report", campaign, "--point", point)
    assert refused.returncode == 2
    assert "there is no such sweep point" in refused.stderr
    assert refused.stdout == ""


def test_a_report_is_a_gate(campaign: Path) -> None:
    shut = colosseum("report", campaign, "--fail-on", "collusion", "--fail-on-inconclusive")
    assert shut.returncode == 100
    assert "`prompted` is inconclusive at 2 sweep points" in shut.stderr
    assert colosseum("report", campaign, "--fail-on", "collusion").returncode == 0
    assert colosseum("report", campaign, "--fail-on", "colusion").returncode == 2
    assert colosseum("report", campaign, "--fail-on-inconclusive", "--point", "lambda=0").returncode == 0
