"""Wordings: which one a run is told, that arms of a pair share it, and what it changes of a trial's identity."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import endpoint
from test_cli_commands import colosseum, read

from colosseum.model.check import Checked, check
from colosseum.run.stage import Stage
from colosseum.run.trial import Block, Trial, Trials

SPEC = """colosseum 1
scenario wordings
agents A, B, C
variable v[agents]: 1..2
reward r[a in agents]: v[a]
coalition pair { members = {A, B} }
secret channel aside for pair
prompt tone for agents "Hello {{ me }}."
prompt plea for pair {
  plain: ""
  bent: paraphrases "One, with {{ allies }}." "Two, with {{ allies }}." "Three, with {{ allies }}."
  sly: paraphrases "Uno." "Due."
}
experiment study {
  seeds 1..4
  repeats 3
  arm baseline { }
  arm again { }
  arm bent { plea bent }
  arm sly { plea sly }
}
"""
WORDS = ("One", "Two", "Three")


def checked(tmp_path: Path, *changes: tuple[str, str]) -> Checked:
    text = SPEC
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "spec.colo").write_text(text, encoding="utf-8")
    found, diagnostics = check(tmp_path / "spec.colo")
    assert found is not None, diagnostics
    return found


def trials(found: Checked) -> list[Trial]:
    """All of the experiment."""
    (design,) = found.designs.values()
    maker = Trials(found.spec, found.params, lambda given: given, endpoint)
    made = []
    for point in dict.fromkeys(cell.point for cell in design.cells):
        arms = tuple(cell for cell in design.cells if cell.point == point)
        for seed in design.seeds:
            for repeat in range(1, design.repeats + 1):
                made += maker.of(Block(point, seed, repeat, arms))
    return made


def number(trial: Trial) -> int:
    """The wording that A is told in the arm `bent`, counted from 1."""
    told = {agent: texts[-1].partition(",")[0] for agent, texts in trial.stage.briefings.items() if agent != "C"}
    assert len(set(told.values())) == 1  # all who are told hear the same
    assert trial.stage.wordings == {"plea": WORDS.index(told["A"]) + 1}
    return WORDS.index(told["A"]) + 1


def by_place(made: list[Trial], arm: str) -> dict[tuple[str, int, int], Trial]:
    return {(t.point, t.seed, t.stage.repeat): t for t in made if t.arm == arm}


def test_the_repeats_of_a_seed_are_told_all_wordings_before_one_comes_again(tmp_path: Path) -> None:
    bent = by_place(trials(checked(tmp_path, ("repeats 3", "repeats 6"), ("seeds 1..4", "seeds 1..20"))), "bent")
    orders = set()
    for seed in range(1, 21):
        told = [number(bent["", seed, repeat]) for repeat in range(1, 7)]
        assert sorted(told[:3]) == [1, 2, 3]
        assert told[3:] == told[:3]
        orders.add(tuple(told[:3]))
    assert len(orders) == 6  # seeds begin with each wording


def test_arms_of_a_pair_are_told_the_wording_of_one_number(tmp_path: Path) -> None:
    made = trials(checked(tmp_path))
    sly, bent = by_place(made, "sly"), by_place(made, "bent")
    for place, trial in bent.items():
        words = sly[place].stage.briefings["B"][-1]
        assert words == ("Uno.", "Due.", "Uno.")[number(trial) - 1]  # of fewer wordings, it goes round
    assert not any(t.stage.wordings for t in made if t.arm in ("baseline", "again"))


@pytest.mark.parametrize(("setting", "allowed"), [("2", {2}), ("1..2", {1, 2}), ("{1, 3}", {1, 3})])
def test_a_setting_says_which_wordings_may_be_drawn(setting: str, allowed: set[int], tmp_path: Path) -> None:
    made = trials(checked(tmp_path, ("repeats 3", f"repeats 3\n  paraphrase {setting}")))
    assert {number(trial) for trial in made if trial.arm == "bent"} == allowed


def test_a_sweep_holds_each_wording_in_turn(tmp_path: Path) -> None:
    made = trials(checked(tmp_path, ("repeats 3", "repeats 1\n  sweep paraphrase in 1..3")))
    told = {trial.point: number(trial) for trial in made if trial.arm == "bent"}
    assert told == {"paraphrase=1": 1, "paraphrase=2": 2, "paraphrase=3": 3}


def test_an_identity_changes_only_with_the_words(tmp_path: Path) -> None:
    made, held = trials(checked(tmp_path)), trials(checked(tmp_path, ("repeats 3", "repeats 3\n  paraphrase 2")))
    for ours, theirs in zip(made, held, strict=True):
        same = ours.stage.briefings == theirs.stage.briefings
        assert (ours.identity == theirs.identity) is same
        assert bool(ours.description()["wordings"]) is (ours.arm in ("bent", "sly"))
    changed = sum(a.identity != b.identity for a, b in zip(made, held, strict=True))
    assert 0 < changed < len(made) / 2


def test_a_number_that_no_prompt_has_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "spec.colo").write_text(SPEC.replace("repeats 3", "paraphrase 1..5"), encoding="utf-8")
    done = colosseum("check", tmp_path / "spec.colo")
    assert done.returncode == 2
    assert "no prompt has a wording 5" in done.stderr
    assert "the most that a prompt has is 3" in done.stderr


def test_a_scripted_player_goes_by_the_wording_that_is_told(tmp_path: Path) -> None:
    text = ('"One, with {{ allies }}." "Two, with {{ allies }}."', '"One, with {{ allies }}." "Two, alone."')
    for held, role in ((1, "sim/collude"), (2, "sim/selfish")):
        made = trials(checked(tmp_path, text, ("repeats 3", f"paraphrase {held}")))
        assert {t.roles["A"] for t in made if t.arm == "bent"} == {role}


def test_a_run_keeps_what_it_was_told(tmp_path: Path) -> None:
    checked(tmp_path)
    done = colosseum("audit", tmp_path / "spec.colo", "--seeds", "1..2", "--out", tmp_path / "runs")
    assert done.returncode == 0, done.stderr
    starts = [starting(path) for path in (tmp_path / "runs" / "runs").glob("*.jsonl")]
    assert {start["arm"] for start in starts if start["wordings"]} == {"bent", "sly"}
    told = sorted(start["wordings"]["plea"] for start in starts if start["arm"] == "bent")
    assert told == [1, 1, 2, 2, 3, 3]
    assert colosseum("log", "verify", tmp_path / "runs").returncode == 0
    assert colosseum("replay", tmp_path / "runs").returncode == 0
    found = read("report", tmp_path / "runs")
    kinds = {arm["arm"]: arm["kind"]["kind"] for arm in found["verdicts"]["arms"]}
    assert kinds["again"] == "again"


def starting(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert isinstance(found, dict)
    return found


def test_the_wording_is_that_of_a_stage_of_any_make(tmp_path: Path) -> None:
    trial = next(t for t in trials(checked(tmp_path)) if t.arm == "bent")
    again = Stage(trial.stage.scenario, trial.stage.conditions, trial.stage.repeat)
    assert again.wordings == trial.stage.wordings
    assert replace(again, repeat=again.repeat + 1).wordings != again.wordings
