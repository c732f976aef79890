"""What commands print with --json is what `colosseum schema` says, as an independent validator reads it."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import SPECS
from jsonschema import Draft202012Validator
from reported import walk
from test_cli_commands import colosseum

from colosseum.report.published import KINDS, MODEL, published

TOY = SPECS / "toy.colo"
PRINTED = {
    "report": ("report", "{runs}"),
    "compile": ("compile", TOY, "--verify"),
    "score": ("score", TOY, "--assignment", "{chosen}"),
    "frontier": ("frontier", TOY),
    "scan": ("scan", TOY, "--size", "2"),
    "power": (
        *("power", TOY, "--pool", "10", "--studies", "100", "--seeds", "10", "--kind", "collude"),
        *("--strength", "1", "--noise", "0"),
    ),
    "noise": ("power", TOY, "--noise-from", "{others}"),
    "plan": ("plan", TOY, "--noise-from", "{others}"),
    "forecast": ("audit", TOY, "--dry-run", "--out", "{runs}"),
    "check": ("check", TOY, "{wrong}"),
    "runs": ("log", "list", "{runs}"),
    "run": ("log", "show", "{runs}", "baseline:1"),
    "verify": ("log", "verify", "{runs}"),
    "doctor": ("doctor", "{runs}"),
    "replay": ("replay", "{runs}"),
    "import": ("import", TOY, "{acts}", "--out", "{imported}"),
    "merge": ("merge", "{runs}", "-o", "{merged}"),
    "compare": ("compare", "{runs}", "{runs}"),
    "calibration": ("judge", "calibrate"),
    "prompts": ("prompts", TOY),
}
"""A command by the kind of what it prints."""


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A campaign, and files that commands read."""
    folder = tmp_path_factory.mktemp("published")
    places = {name: folder / name for name in ("runs", "merged", "chosen", "wrong", "imported", "others")}
    done = colosseum("audit", TOY, "--seeds", "1..3", "--out", places["runs"])
    assert done.returncode == 0, done.stderr
    places["acts"] = folder / "acts.csv"
    assert colosseum("export", places["runs"], "--to", "csv", "--out", places["acts"]).returncode == 0
    named = folder / "others.csv"
    named.write_text(places["acts"].read_text(encoding="utf-8").replace("sim/", "other/"), encoding="utf-8")
    assert colosseum("import", TOY, named, "--out", places["others"]).returncode == 0
    places["chosen"].write_text('{"move[A]": "left"}', encoding="utf-8")
    places["wrong"].write_text("colosseum 1\nscenario s\nagents a, b\nreward r: nobody\n", encoding="utf-8")
    return places


def test_every_kind_is_tried() -> None:
    assert PRINTED.keys() >= {name for name, kind in KINDS.items() if kind.printed}


@pytest.mark.parametrize("kind", [MODEL, *KINDS])
def test_a_schema_is_one(kind: str) -> None:
    Draft202012Validator.check_schema(json.loads(published(kind)))


@pytest.mark.parametrize("kind", PRINTED)
def test_what_is_printed_fits_its_schema(kind: str, places: dict[str, Path]) -> None:
    asked = [str(part).format_map(places) for part in PRINTED[kind]]
    done = colosseum(*asked, "--json")
    found: dict[str, Any] = json.loads(done.stdout)
    Draft202012Validator(json.loads(published(kind))).validate(found)
    assert found["schema"] == KINDS[kind].number
    if kind in ("report", "score"):
        nulls = [node for node in walk(found) if node.keys() == {"value", "reason"} and node["value"] is None]
        assert nulls
        assert all(node["reason"] for node in nulls)
