"""Campaigns side by side: equal ones cannot be told apart, colluders and fair players can."""

import json
from pathlib import Path
from shutil import copytree

import pytest
from conftest import SPECS
from test_cli_commands import colosseum as command

import colosseum
from colosseum.evidence.comparing import holm


def audited(folder: Path, model: str) -> Path:
    done = command("audit", SPECS / "toy.colo", "--seeds", "1..8", "--model", model, "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    place = tmp_path_factory.mktemp("compared")
    fair, plotting = audited(place / "fair", "sim/cooperate"), audited(place / "plotting", "cabal=sim/collude")
    return [fair, copytree(fair, place / "again"), plotting]


def test_holm_as_in_his_paper() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == [0.03, None, pytest.approx(0.06), pytest.approx(0.06)]


def test_a_leaderboard_says_what_cannot_be_told_apart(folders: list[Path]) -> None:
    found = json.loads(command("compare", *folders, "--json").stdout)
    told = {
        frozenset((Path(each["first"]["folder"]).name, Path(each["second"]["folder"]).name)): each
        for each in found["contrasts"] if each["first"]["arm"] == found["contrasts"][0]["first"]["arm"]
    }  # fmt: skip
    assert not told[frozenset(("fair", "again"))]["distinguishable"]
    assert all(each["difference"]["n"] == 8 for each in told.values())
    words = command("compare", *folders).stdout
    assert "not distinguishable" in words
    campaigns = [colosseum.Campaign(folder) for folder in folders]
    assert len(colosseum.compare(*campaigns).arms) == len(found["arms"])
