"""What is settled before the runs: the rule in campaign.json, its digest, and what a look or a change does to it."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from audited import SPEC, audit, spec
from conftest import SPECS
from pydantic import TypeAdapter
from test_cli_commands import Done, colosseum

from colosseum.campaign.folder import Folder
from colosseum.campaign.margins import margins_for
from colosseum.campaign.registering import Registered, agreed, fixed, sealed
from colosseum.model.check import check

GAME = SPEC.replace("rounds 1", "rounds 1  seeds 1..4")


def made(folder: Path, *more: object, text: str = GAME) -> Registered:
    folder.mkdir(exist_ok=True)
    done: Done = audit(spec(folder, text), folder / "runs", *more)
    assert done.returncode == 0, done.stderr
    found = Folder(folder / "runs").plan().registered
    assert found is not None
    return found


def test_the_rule_stands_in_the_campaign_before_any_run(tmp_path: Path) -> None:
    found = made(tmp_path, "--seeds", "1")
    assert (found.signal, found.margins) == ("outsider_loss", {"outsider_loss": 0.04})
    assert (found.seeds, found.repeats, found.ended, found.looks) == (4, 1, 0, ())
    assert found.digest == sealed(found).digest
    kept: dict[str, Any] = json.loads((tmp_path / "runs" / "campaign.json").read_bytes())["registered"]
    assert kept["digest"] == found.digest


def test_a_plan_is_what_the_audit_keeps(tmp_path: Path) -> None:
    told = colosseum("plan", spec(tmp_path, GAME), "--seeds", "1..6", "--out", tmp_path / "runs", "--json")
    plan: dict[str, Any] = json.loads(told.stdout)
    assert not (tmp_path / "runs").exists()
    found = made(tmp_path, "--seeds", "1..6")
    assert (found.digest, found.seeds) == (plan["registered"]["digest"], 6)


def test_a_plan_tells_which_arms_are_compared(tmp_path: Path) -> None:
    text = GAME.rstrip().removesuffix("}") + "  compare prompted with baseline\n}\n"
    told = colosseum("plan", spec(tmp_path, text))
    assert "compared prompted with baseline" in " ".join(told.stdout.split())
    assert made(tmp_path, text=text).contrasts == (("prompted", "baseline"),)


def test_the_same_command_and_planned_seeds_change_nothing(tmp_path: Path) -> None:
    first = made(tmp_path, "--seeds", "1..2")
    assert made(tmp_path, "--seeds", "1..2") == first
    assert made(tmp_path, "--seeds", "1..4") == first


def test_more_seeds_than_planned_are_a_look(tmp_path: Path) -> None:
    first = made(tmp_path)
    again = made(tmp_path, "--seeds", "1..6")
    assert (again.digest, again.seeds, again.looks) == (first.digest, 4, (4,))
    assert made(tmp_path, "--seeds", "1..6").looks == (4,)
    assert made(tmp_path, "--seeds", "1..9").looks == (4, 6)


def test_more_seeds_that_are_asked_for_at_once_are_planned(tmp_path: Path) -> None:
    assert made(tmp_path, "--seeds", "1..6").seeds == 6


def test_a_rule_that_is_changed_after_the_runs_says_so(tmp_path: Path) -> None:
    first = made(tmp_path)
    later = made(tmp_path, text=GAME.replace("rounds 1", "rounds 1  margin 0.5  signal payoff_gap"))
    assert (later.signal, later.margins) == ("payoff_gap", {"payoff_gap": 0.5})
    assert first.ended == 0
    assert later.ended == len(Folder(tmp_path / "runs").plan().trials) > 0
    assert later.digest != first.digest


def test_a_configuration_that_was_left_is_settled_as_before_when_it_is_asked_for_again(tmp_path: Path) -> None:
    first = made(tmp_path, "--seeds", "1..6")
    looked = made(tmp_path, "--seeds", "1..7")
    other = made(tmp_path, "--temperature", "0.1", "--seeds", "1..6")
    assert other.configuration != first.configuration
    assert made(tmp_path, "--seeds", "1..7") == looked
    assert looked.looks == (6,)
    assert made(tmp_path, "--seeds", "1..8").looks == (6, 7)
    assert made(tmp_path, "--temperature", "0.1", "--seeds", "1..6") == other
    assert len(Folder(tmp_path / "runs").plan().elsewhere) == 1


def test_a_command_that_is_refused_changes_nothing_that_was_settled(tmp_path: Path) -> None:
    first, spec, runs = made(tmp_path), tmp_path / "match.colo", tmp_path / "runs"
    before = {path: path.read_bytes() for path in runs.rglob("*") if path.is_file()}
    written = spec.read_text(encoding="utf-8")
    for text in (written, written.replace("\n", "\n# changed\n", 1).replace('"', '"Anew: ', 1)):
        spec.write_text(text, encoding="utf-8")
        for model in (("--model", "openai/nobody"), ("--model", "nobody"), ("--judge", "nobody")):
            done = audit(spec, runs, *model, "--seeds", "1..9")
            assert done.returncode == 2, done.stderr
            assert {path: path.read_bytes() for path in runs.rglob("*") if path.is_file()} == before
    assert audit(spec, tmp_path / "none", "--model", "openai/nobody").returncode == 2
    assert not (tmp_path / "none").exists()
    spec.write_text(written, encoding="utf-8")
    assert made(tmp_path) == first


def test_the_digest_covers_what_is_settled(tmp_path: Path) -> None:
    found = made(tmp_path, "--seeds", "1")
    other: dict[str, Any] = {
        "signal": "x", "margins": {}, "seeds": 9, "arms": (), "question": "x", "configuration": "x",
        "purposes": {"quiet": "treated"}, "contrasts": (("prompted", "baseline"),),
    }  # fmt: skip
    for change, value in other.items():
        assert sealed(replace(found, **{change: value})).digest != found.digest, change
    assert sealed(replace(found, looks=(3,), ended=2)).digest == found.digest


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ("members ~ sample(agents, 2)", ""),
        ("members ~ sample(some, 2)", "members are drawn from some agents only"),
        ("members = {A, B}", "members are not drawn"),
    ],
)
def test_whether_members_could_have_been_anybody(members: str, expected: str, tmp_path: Path) -> None:
    text = f"""colosseum 1
scenario s "t"
agents A, B, C
set some = {{A, B}}
variable move[agents]: 1..2
reward r[a in agents]: move[a]
coalition cabal {{ {members} }}
"""
    (tmp_path / "s.colo").write_text(text, encoding="utf-8")
    found, _ = check(tmp_path / "s.colo")
    assert found is not None
    assert fixed(found.spec, "cabal") == expected
    assert fixed(found.spec, "nobody") == "there is no coalition"


def test_margins_are_those_of_the_signal_unless_one_is_named() -> None:
    assert margins_for("coalition_value") == {"coalition_value": 0.1, "regret": 0.04}
    assert margins_for("payoff_gap", 0.0) == {"payoff_gap": 0.0}


def changed(folder: Path, parts: dict[str, object], *, reseal: bool = False) -> Path:
    """The runs, with this in what was settled."""
    path = folder / "runs" / "campaign.json"
    content = json.loads(path.read_bytes())
    content["registered"] |= parts
    if reseal:
        found = TypeAdapter(Registered).validate_python(content["registered"])
        content["registered"]["digest"] = sealed(found).digest
    path.write_text(json.dumps(content))
    return folder / "runs"


@pytest.mark.parametrize(
    "parts",
    [
        {"margins": {"outsider_loss": 5.0}},
        {"margins": {"outsider_loss": math.nan}},
        {"margins": {"charm": 1.0}},
        {"signal": "payoff_gap"},
        {"digest": "0" * 64},
        {"looks": [-1]},
    ],
)
def test_what_was_settled_and_is_changed_shows_everywhere(parts: dict[str, object], tmp_path: Path) -> None:
    made(tmp_path, "--seeds", "1..2")
    folder = changed(tmp_path, parts)
    for command in (("report", folder), ("log", "verify", folder), ("replay", folder), ("merge", folder, "-o", "new")):
        done = colosseum(*command)
        assert done.returncode == (1 if "verify" in command else 2), command
        assert "is damaged" in done.stdout + done.stderr
    again = made(tmp_path, "--seeds", "1..2")
    assert (again.margins, again.ended) == ({"outsider_loss": 0.04}, 4)


def test_what_was_settled_is_held_against_the_spec(tmp_path: Path) -> None:
    made(tmp_path, "--seeds", "1..2")
    folder = changed(tmp_path, {"margins": {"outsider_loss": 5.0}}, reseal=True)
    assert colosseum("report", folder).returncode == 0
    done = colosseum("replay", folder)
    assert done.returncode == 1
    assert "what was settled is not what the spec says of margins" in " ".join(done.stdout.split())


def test_a_look_that_was_taken_out_is_found(tmp_path: Path) -> None:
    made(tmp_path, "--seeds", "1..4")
    assert made(tmp_path, "--seeds", "1..6").looks == (4,)
    done = colosseum("log", "verify", changed(tmp_path, {"looks": []}))
    assert done.returncode == 1
    assert "6 seeds are more than the 4 that were planned" in " ".join(done.stdout.split())


def test_folders_that_become_one_keep_the_least_plan_and_every_look(tmp_path: Path) -> None:
    one = made(tmp_path, "--seeds", "1..4")
    more = sealed(replace(one, seeds=40))
    looked = replace(one, looks=(4, 8), ended=3)
    assert agreed([more, one], seeds=4) == one
    assert agreed([more, one], seeds=40) == replace(one, looks=(4,))
    assert agreed([one, looked, None], seeds=20) == looked
    assert agreed([None], seeds=20) is None


def test_merged_shards_of_an_extended_study_keep_its_look(tmp_path: Path) -> None:
    made(tmp_path / "a", "--seeds", "1..2")
    made(tmp_path / "b", "--seeds", "3..4")
    made(tmp_path / "b", "--seeds", "1..9")
    folders = [tmp_path / name / "runs" for name in "ab"]
    for _ in range(2):
        done = colosseum("merge", *folders, "-o", tmp_path / "all")
        assert done.returncode == 0, done.stderr
        found = Folder(tmp_path / "all").plan().registered
        assert found is not None
        assert (found.seeds, found.looks) == (4, (2,))
        assert colosseum("log", "verify", tmp_path / "all").returncode == 0


def test_a_coalition_that_is_chosen_after_the_runs_has_no_rule_that_was_settled(tmp_path: Path) -> None:
    two = GAME.replace("network complete", "coalition rivals { members = {A, B} }\nnetwork complete")
    made(tmp_path, text=two.replace("rounds 1", "rounds 1  margin 0.5"))
    folder = tmp_path / "runs"
    for more, margin, words in (
        ((), 0.5, "Rule, settled before the runs:"),
        (("--coalition", "cabal"), 0.5, "Rule, settled before the runs:"),
        (("--coalition", "rivals"), 0.04, "Rule, not settled beforehand:"),
    ):
        assert words in colosseum("report", folder, "--full", *more).stdout
        found = json.loads(colosseum("report", folder, *more, "--json").stdout)
        assert found["verdicts"]["rule"]["margins"] == {"outsider_loss": margin}
        assert (found["registered"] is None) == ("rivals" in more)


def test_a_plan_takes_every_option_that_its_digest_depends_on(tmp_path: Path) -> None:
    options = ("--model", "sim/greedy", "--temperature", "0.3", "--max-tokens", "99", "--tools", "text")
    told = colosseum("plan", spec(tmp_path, GAME), *options, "--json", COLOSSEUM_EXTRA_BODY='{"top_p": 0.5}')
    assert told.returncode == 0, told.stderr
    done = audit(spec(tmp_path, GAME), tmp_path / "runs", "--seeds", "1", *options, "--extra-body", '{"top_p": 0.5}')
    assert done.returncode == 0, done.stderr
    found = Folder(tmp_path / "runs").plan().registered
    assert found is not None
    assert json.loads(told.stdout)["registered"]["digest"] == found.digest


def test_a_detour_through_another_configuration_hides_no_seeds_and_no_looks(tmp_path: Path) -> None:
    """Whoever looks at seeds, asks for another spec in between, and then for other seeds, has extended the study."""
    text, out = (SPECS / "toy.colo").read_text(encoding="utf-8"), tmp_path / "out"
    one, other = tmp_path / "one.colo", tmp_path / "other.colo"
    one.write_text(text, encoding="utf-8")
    other.write_text(text.replace("objective differ: 3", "objective differ: 4"), encoding="utf-8")
    for path, seeds in ((one, "1..20"), (other, "1"), (one, "21..40")):
        done = colosseum("audit", path, "--seeds", seeds, "--out", out)
        assert done.returncode == 0, done.stderr
    plan = Folder(out).plan()
    assert plan.registered is not None
    assert (plan.seeds, plan.registered.seeds, plan.registered.looks) == (40, 20, (20,))
    assert colosseum("log", "verify", out).returncode == 0
