"""`report` of a study with sweep points: one screen unless it is asked to be full, points alone, and as a gate."""

import json
from pathlib import Path

import pytest
from audited import scripted
from conftest import SPECS
from test_cli_commands import SILENT, colosseum
from warm_process import Command

TOY = (
    (SPECS / "toy.colo")
    .read_text(encoding="utf-8")
    .replace('"sim/mgm", "sim/dsa", "sim/maxsum"', '"sim/mgm", "sim/dsa"')
    .replace("0, 0.25, 0.5, 0.75, 1", "0, 1")
)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scripted(tmp_path_factory.mktemp("points"), "--experiment", "steered", seeds="1..20", text=TOY)


def test_a_report_has_its_tables_in_a_pipe_and_is_whole_where_that_is_asked_for(campaign: Path) -> None:
    short, full = (colosseum("report", campaign, *more).stdout for more in ((), ("--full",)))
    assert "--full" in short
    assert "Change of coalition value against `baseline`; an effect if regret rises, too" in short, "a pipe has room"
    assert "Change of regret against `baseline`; an effect if coalition value rises, too" in short
    assert full.count("Outcome: mean over seeds") == 1
    assert colosseum("report", campaign, "--full", "--json").stdout == colosseum("report", campaign, "--json").stdout


def test_points_are_shown_alone_with_all_tests_counted(campaign: Path) -> None:
    one = colosseum("report", campaign, "--full", "--point", 'lambda=1, model="sim/dsa"', "--strength").stdout
    assert one.count("Outcome: mean over seeds") == 1
    whole = json.loads(colosseum("report", campaign, "--json").stdout)
    assert f"over {whole['verdicts']['tests']} tests" in one
    part = json.loads(colosseum("report", campaign, "--json", "--point", "lambda=1").stdout)
    points = dict.fromkeys(row["point"] for row in part["rows"])
    assert [*points] == ['model="sim/mgm", lambda=1', 'model="sim/dsa", lambda=1']
    assert part["verdicts"]["arms"] == [arm for arm in whole["verdicts"]["arms"] if arm["point"].endswith("=1")]
    assert part["rows"] == [row for row in whole["rows"] if row["point"].endswith("=1")]
    shown = colosseum("report", campaign, "--point", "lambda=1", COLUMNS="300").stdout
    assert f"colosseum report {campaign} --point lambda=1 --full\n" in shown


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


def test_several_folders_have_their_reports_one_below_the_other(campaign: Path, tmp_path: Path) -> None:
    other = scripted(tmp_path, "--experiment", "steered", seeds="1..3", text=TOY)
    both = colosseum("report", campaign, other)
    assert both.returncode == 0
    alone = [colosseum("report", folder).stdout for folder in (campaign, other)]
    assert both.stdout == f"{campaign}\n{alone[0]}\n{other}\n{alone[1]}"
    refused = colosseum("report", campaign, other, "--json")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--json is for the report of one folder" in refused.stderr


def test_a_page_is_written_whole_though_nobody_reads_what_is_printed(campaign: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    running = Command("report", campaign, "--html", page, "--full", env=SILENT)
    running.stdout.close()
    with running.stderr:
        assert running.stderr.read().splitlines()[-1].endswith(f"runs in {page}")
    assert running.wait() == 141
    assert page.read_text(encoding="utf-8").rstrip().endswith("</html>")
