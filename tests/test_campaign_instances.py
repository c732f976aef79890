"""Instances that `check` did not see: only the first seed is expanded there, an audit meets the others."""

from pathlib import Path

from test_cli_commands import colosseum

SPEC = """colosseum 1
scenario late "Draws that go wrong at some seeds"
agents ann, bob
set items = {x, y}
table size_of[items] ~ integer(0, 2)
set offered ~ sample(items, 0..2)
variable pick of ann: offered
variable n[agents]: 0..2
reward rate when n[ann] > 0: 6 / size_of[x]
reward more: n[bob]
require never: n[ann] + n[bob] >= 2 + size_of[y]
experiment e { seeds 5 arm baseline { } arm again { } }
"""


def test_a_seed_that_makes_no_scenario_is_a_diagnostic_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "late.colo"
    file.write_text(SPEC, encoding="utf-8")
    done = colosseum("audit", file, "--seeds", "5,6,1", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "`pick` has nothing to choose from" in done.stderr
    assert "division by zero" in done.stderr
    assert "this happens at seed 6" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_seed_that_nothing_satisfies_is_an_outcome(tmp_path: Path) -> None:
    file = tmp_path / "late.colo"
    rule = SPEC.replace("6 / size_of[x]", "size_of[x]").replace(": offered", ": items").replace("2 + s", "3 + s")
    file.write_text(rule, encoding="utf-8")
    impossible = [seed for seed in range(1, 9) if "[C101]" in colosseum("compile", file, "--seed", str(seed)).stderr]
    assert impossible
    done = colosseum("audit", file, "--seeds", f"5,{impossible[0]}", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert "are infeasible: what was decided breaks a hard rule" in done.stdout
