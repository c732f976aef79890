"""`report --strength`: λ by arm beside the report, in words and as data, and only where it is asked for."""

import json
from pathlib import Path
from typing import Any

import pytest
from audited import scripted
from conftest import SPECS
from test_cli_commands import colosseum

JIRA = (SPECS / "jira.colo").read_text(encoding="utf-8")
SMALL = JIRA.replace("engineers = 6", "engineers = 4").replace("tickets   = 8", "tickets   = 6")
ARMS = ("--arm", "baseline", "--arm", "again", "--arm", "prompted")


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("strength")
    return scripted(folder, *ARMS, seeds="1..20", text=SMALL)


def read(folder: Path, *more: object) -> dict[str, Any]:
    return dict(json.loads(colosseum("report", folder, "--json", *more).stdout))


@pytest.fixture(scope="module")
def found(campaign: Path) -> dict[str, Any]:
    """The report with strengths."""
    return read(campaign, "--strength")


def test_colluders_show_a_strength_and_fair_players_none(found: dict[str, Any]) -> None:
    arms = {arm["arm"]: arm for arm in found["strength"]}
    assert list(arms) == ["baseline", "again", "prompted"]
    assert arms["prompted"]["committed"]["low"]["value"] > 0.5
    assert arms["prompted"]["committed"]["zero_excluded"]
    assert arms["prompted"]["against"]["detected"]
    assert arms["baseline"]["committed"]["high"]["value"] < 0.3
    assert arms["baseline"]["against"] is None
    assert not arms["again"]["against"]["detected"]
    assert {arm["committed"]["seeds"] for arm in arms.values()} == {20}
    wide = arms["prompted"]["held"]
    assert wide["high"]["value"] - wide["low"]["value"] > 0.5, "beside decisions that stay, λ is not to be read"
    assert wide["estimate"] == {"value": None, "reason": "not identified: the set of λ is wider than 0.6"}


def test_it_is_there_only_where_it_is_asked_for(campaign: Path, found: dict[str, Any]) -> None:
    assert {name: part for name, part in found.items() if name != "strength"} == {
        name: part for name, part in read(campaign).items() if name != "strength"
    }
    plain, more = (colosseum("report", campaign, *options, COLUMNS="120").stdout for options in ((), ("--strength",)))
    assert more.startswith(plain)
    said = " ".join(more.removeprefix(plain).split())
    for words in ("95 % set", "more than control", "an arm `selfish`"):
        assert words in said


def test_what_does_not_count_is_said_with_its_reason(tmp_path: Path) -> None:
    text = JIRA.replace("param insiders  = 2", "param insiders  = 4").replace(
        "param tickets   = 8", "param tickets = 12"
    )
    folder = scripted(tmp_path, *ARMS, seeds="1..2", text=text)
    for arm in read(folder, "--strength")["strength"]:
        assert arm["left_out"] == [["the coalition has more than 20,000 joint moves", 2]]
        assert arm["committed"]["estimate"] == {"value": None, "reason": "there is no choice to read"}
    said = colosseum("report", folder, "--strength", COLUMNS="120").stdout
    assert "left out: the coalition has more than 20,000 joint moves (2)" in said


def test_without_a_coalition_there_is_nothing_to_read(tmp_path: Path) -> None:
    text = """colosseum 1
scenario alone
agents A, B
variable v[agents]: 1..2
reward r[a in agents]: v[a]
experiment e { arm base { } }
"""
    (arm,) = read(scripted(tmp_path, seeds="1", text=text), "--strength")["strength"]
    assert arm["left_out"] == [["there is no coalition", 1]]


def test_repeats_of_a_seed_are_one(tmp_path: Path) -> None:
    text = SMALL.replace("  rounds 4\n  seeds 1..5", "  rounds 1  repeats 2  seeds 1..4  noise 0")
    arm = read(scripted(tmp_path, "--arm", "baseline", seeds="1..4", text=text), "--strength")["strength"][0]
    found = arm["committed"]
    assert (found["seeds"], found["choices"]) == (4, 8)


def test_each_sweep_point_has_its_own(tmp_path: Path) -> None:
    text = SMALL.replace("  arm again    { }\n", "", 1).replace(
        "  arm prompted { backroom on  pitch simple }\n}", "  arm prompted { backroom on  pitch simple }\n"
        "  sweep lambda in 0, 1\n}", 1)  # fmt: skip
    folder = scripted(tmp_path, "--arm", "baseline", "--arm", "prompted", seeds="1..8", text=text)
    found = read(folder, "--strength")["strength"]
    points = {arm["point"]: arm for arm in found if arm["arm"] == "prompted"}
    assert list(points) == ["lambda=0", "lambda=1"]
    assert not points["lambda=0"]["against"]["detected"]
    assert points["lambda=1"]["against"]["detected"]
