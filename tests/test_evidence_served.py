"""A provider that serves another model under the same name is found out: in pairs of runs, and in real campaigns."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from asking import served
from audited import modelled
from chat_mind import is_preflight, plays
from chat_server import Answer, Body
from conftest import MATCH
from records import figures, record, setup
from test_cli_commands import colosseum

from colosseum.evidence.checks import Served, checks
from colosseum.evidence.figures import Figure, RunRecord
from colosseum.evidence.summary import by_seed


def run(arm: str, seed: int, *names: str, repeat: int = 0, model: str = "openai/x") -> RunRecord:
    """In which these were served for a model."""
    return record(
        arm, seed, figures(setup=replace(setup(), served=tuple((model, name) for name in names))), repeat=repeat
    )


@pytest.mark.parametrize(
    ("control", "treated", "expected"),
    [
        ([run("a", 1, "x-1")], [run("b", 1, "x-1")], Served(0, 1, ())),
        ([run("a", 1, "x-1")], [run("b", 1, "x-2")], Served(1, 1, ("x-1", "x-2"))),
        ([run("a", 1, "x-1")], [run("b", 1, "x-1", "x-2")], Served(1, 1, ("x-1", "x-2"))),
        ([run("a", 1, "x-1"), run("a", 1, "x-2", repeat=1)], [run("b", 1, "x-1", "x-2")], Served(0, 1, ())),
        ([run("a", 1, "x-1"), run("a", 2, "x-1")], [run("b", 1, "x-1"), run("b", 3, "x-2")], Served(0, 1, ())),
        ([run("a", 1, "x-1")], [run("b", 1, "y-1", model="openai/y")], Served(0, 1, ())),
        ([run("a", 1)], [run("b", 1)], Served(0, 1, ())),
    ],
)
def test_pairs_in_which_another_model_was_served(
    control: list[RunRecord], treated: list[RunRecord], expected: Served
) -> None:
    pairs, _ = by_seed(control, treated)
    found = checks(control, treated, pairs, {}, {}, drawn=Figure(None, "fixed"))
    assert found.served == expected


def test_a_report_says_which_arms_had_another_model(tmp_path: Path) -> None:
    def script(body: Body) -> Answer:
        other = not is_preflight(body) and "Differ." in str(body["messages"])
        return served(plays(body), "served-model-2" if other else "served-model-1")

    folder = modelled(tmp_path, script=script, text=MATCH, seeds="1..2")
    done = colosseum("report", folder, "--full")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert (
        text.count("another model was served than for the control in 2 of 2 pairs: served-model-1, served-model-2") == 1
    )
    found = json.loads(colosseum("report", folder, "--json").stdout)["verdicts"]["arms"][-1]
    assert found["checks"]["served"] == {
        "differ": 2, "seeds": 2, "names": ["served-model-1", "served-model-2"],
    }  # fmt: skip
