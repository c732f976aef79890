"""Screening: seeds without the opportunity asked for make no runs, every part of a campaign agrees, and all is said."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from conftest import SPECS, checked
from plans import trials_of
from test_cli_commands import Done, colosseum

from colosseum.campaign.screening import Looked, Screening, joined
from colosseum.model.check import expand
from colosseum.model.scenario import Scenario
from colosseum.solve.goal import coalition_goal
from colosseum.solve.scoring import goal_value, score

SHOP = """colosseum 1
scenario shop
param scale = 1
agents ann, bob, cat
set stalls = {a, b, c}
table worth[agents, stalls] ~ integer(1, 9)
table kept[agents] ~ integer(-3, 4)
variable at[agents]: stalls
reward sold[x in agents]: scale * worth[x, at[x]]
reward crowd[(x, y) in pairs(agents)] when at[x] == at[y]: -4
coalition cabal { members = {ann, bob} }
coalition other { members = {bob, cat} }
experiment e {
  rounds 1  seeds 1..12  opportunity 0.1
  arm baseline { }
  arm again { }
}
"""


def opportunity_of(scenario: Scenario) -> float:
    """By going through all assignments: the first of the best is x*."""
    task, goal = scenario.task, coalition_goal(scenario.coalitions[0])
    names = [v.name for v in task.variables]
    every = [dict(zip(names, values, strict=True)) for values in product(*(v.domain for v in task.variables))]
    best, least = (end(score(task, x).value for x in every) for end in (max, min))
    first = next(x for x in every if score(task, x).value > best - 1e-9)
    unit = (best if best > 0 else best - least) / len(task.agents)
    return (max(goal_value(task, goal, x) for x in every) - goal_value(task, goal, first)) / unit


def expected(spec: str, seeds: range, **params: int) -> dict[int, float]:
    found = {}
    for seed in seeds:
        expansion, _ = expand(checked(spec).spec, seed=seed, params=params)
        assert expansion is not None
        found[seed] = opportunity_of(expansion.scenario)
    return found


def audit(folder: Path, *more: object, spec: str = SHOP) -> Done:
    folder.mkdir(exist_ok=True)
    (folder / "spec.colo").write_text(spec, encoding="utf-8")
    return colosseum("audit", folder / "spec.colo", "--out", folder / "out", *more, COLUMNS="300")


def plan(folder: Path) -> dict[str, Any]:
    return {**json.loads((folder / "out" / "campaign.json").read_bytes()), "trials": trials_of(folder / "out")}


def kept(found: dict[str, Any], point: str = "") -> list[int]:
    return [each["seed"] for each in found["screening"]["looked"] if each["kept"] and each["point"] == point]


# ---- which seeds are run ----------------------------------------------------------------------------------------


def test_what_is_found_is_the_definition_and_only_what_passes_is_run(tmp_path: Path) -> None:
    done = audit(tmp_path)
    assert done.returncode == 0
    found, real = plan(tmp_path), expected(SHOP, range(1, 13))
    assert {e["seed"]: e["opportunity"] for e in found["screening"]["looked"]} == pytest.approx(real, abs=1e-9)
    assert all(e["outsider_loss"] >= 0 and not e["no_loss"] for e in found["screening"]["looked"])
    passing = [seed for seed, value in real.items() if value >= 0.1]
    assert 2 < len(passing) < 11, "this spec has both kinds"
    assert kept(found) == passing
    assert sorted((t["seed"], t["arm"]) for t in found["trials"]) == [
        (s, a) for s in passing for a in ("again", "baseline")
    ]


def test_the_bound_itself_passes(tmp_path: Path) -> None:
    real = expected(SHOP, range(1, 13))
    some = sorted(value for value in real.values() if value)[2]
    audit(tmp_path, spec=SHOP.replace("opportunity 0.1", f"opportunity {some:.17g}"))
    assert kept(plan(tmp_path)) == [seed for seed, value in real.items() if value >= some - 1e-12]


def test_each_sweep_point_has_its_own(tmp_path: Path) -> None:
    spec = SHOP.replace("  arm again { }", "  arm again { }\n  sweep scale in 1, 3")
    audit(tmp_path, spec=spec)
    for scale in (1, 3):
        real = expected(SHOP, range(1, 13), scale=scale)
        assert kept(plan(tmp_path), f"scale={scale}") == [seed for seed, value in real.items() if value >= 0.1]
    assert kept(plan(tmp_path), "scale=1") != kept(plan(tmp_path), "scale=3"), "this spec tells them apart"


def test_every_arm_s_instance_must_pass_whichever_arms_are_run(tmp_path: Path) -> None:
    spec = SHOP.replace("arm again { }", "arm again { scale 3 }")
    one, three = (expected(SHOP, range(1, 13), scale=scale) for scale in (1, 3))
    both = [seed for seed in one if min(one[seed], three[seed]) >= 0.1]
    assert 0 < len(both) < sum(value >= 0.1 for value in one.values())
    audit(tmp_path / "all", spec=spec)
    assert kept(plan(tmp_path / "all")) == both
    audit(tmp_path / "one", "--arm", "baseline", spec=spec)
    assert plan(tmp_path / "one")["screening"] == plan(tmp_path / "all")["screening"]


def test_what_can_be_taken_of_a_team_that_can_only_lose_is_a_share_of_what_it_can_lose(tmp_path: Path) -> None:
    spec = SHOP.replace("coalition cabal", "reward rent: -100\ncoalition cabal")
    audit(tmp_path, spec=spec)
    looked = {each["seed"]: each["opportunity"] for each in plan(tmp_path)["screening"]["looked"]}
    assert looked == pytest.approx(expected(spec, range(1, 13)))
    assert len(kept(plan(tmp_path))) > 2


def test_an_instance_without_a_fair_share_is_left_out_and_says_why(tmp_path: Path) -> None:
    spec = SHOP.replace("at[x]]", "at[x]] * max(kept[ann], 0)").replace(": -4", ": -4 * max(kept[ann], 0)")
    audit(tmp_path, spec=spec)
    looked = plan(tmp_path)["screening"]["looked"]
    unknown = [each for each in looked if each["opportunity"] is None]
    assert unknown
    assert {(each["reason"], each["kept"]) for each in unknown} == {("every assignment is worth the same", False)}
    said = colosseum("report", tmp_path / "out", "--full", COLUMNS="300").stdout
    assert f"not known at {unknown[0]['seed']}" in said
    assert "every assignment is worth the same" in said


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (SHOP.replace("opportunity 0.1", "opportunity 50"), "the greatest is "),
        (SHOP.replace("coalition cabal { members = {ann, bob} }\n", "").replace(
            "coalition other { members = {bob, cat} }\n", ""), "there is no coalition"),
    ],
)  # fmt: skip
def test_where_nothing_passes_nothing_is_run(spec: str, said: str, tmp_path: Path) -> None:
    for more in ((), ("--dry-run",)):
        done = audit(tmp_path, *more, spec=spec)
        assert done.returncode == 2
        assert "C092" in done.stderr
        assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_seed_that_makes_no_scenario_is_named_as_ever(tmp_path: Path) -> None:
    spec = SHOP.replace("table kept", "set open ~ sample(stalls, 0..1)\ntable kept").replace(
        "coalition cabal", "variable lent[agents]: open\ncoalition cabal")  # fmt: skip
    (tmp_path / "lent.colo").write_text(spec, encoding="utf-8")
    codes = {seed: colosseum("compile", tmp_path / "lent.colo", "--seed", seed).returncode for seed in range(1, 13)}
    bad, good = (next(seed for seed in codes if bool(codes[seed]) is wrong) for wrong in (True, False))
    for more in ((), ("--dry-run",)):
        done = audit(tmp_path, *more, spec=spec.replace("seeds 1..12", f"seeds {good}, {bad}"))
        assert done.returncode == 2
        assert "has nothing to choose from" in done.stderr
        assert f"this happens at seed {bad}" in done.stderr
    assert not (tmp_path / "out").exists()


# ---- every part of a campaign agrees ----------------------------------------------------------------------------


def test_shards_become_the_whole(tmp_path: Path) -> None:
    for number in (1, 2):
        audit(tmp_path / str(number), "--shard", f"{number}/2")
    audit(tmp_path / "whole")
    parts = [tmp_path / "1" / "out", tmp_path / "2" / "out"]
    done = colosseum("merge", *parts, "-o", tmp_path / "all", "--json")
    assert json.loads(done.stdout)["missing"] == 0
    merged = json.loads((tmp_path / "all" / "campaign.json").read_bytes())
    assert (merged["screening"], trials_of(tmp_path / "all")) == tuple(
        plan(tmp_path / "whole")[k] for k in ("screening", "trials")
    )


def test_more_seeds_are_looked_at_and_known_ones_not_again(tmp_path: Path) -> None:
    audit(tmp_path, "--seeds", "1..4")
    path = tmp_path / "out" / "campaign.json"
    before = plan(tmp_path)
    marked = next(each for each in before["screening"]["looked"] if not each["kept"])
    marked["opportunity"] = 0.05125
    path.write_text(json.dumps(before), encoding="utf-8")
    audit(tmp_path, "--seeds", "3..12")
    looked = {each["seed"]: each for each in plan(tmp_path)["screening"]["looked"]}
    assert list(looked) == list(range(1, 13))
    assert looked[marked["seed"]] == marked, "it was not looked for again"
    assert kept(plan(tmp_path)) == [seed for seed, value in expected(SHOP, range(1, 13)).items() if value >= 0.1]
    assert {t["seed"] for t in plan(tmp_path)["trials"]} == set(kept(plan(tmp_path)))


def test_what_is_settled_before_counts_the_seeds_that_are_looked_at(tmp_path: Path) -> None:
    for more in ((), ("--seeds", "1..15")):
        audit(tmp_path, *more, "--fresh")
        told = json.loads(colosseum("plan", tmp_path / "spec.colo", *more, "--json").stdout)
        assert plan(tmp_path)["registered"]["digest"] == told["registered"]["digest"]
        assert told["registered"]["seeds"] == (15 if more else 12)
        looked = told["screening"]["looked"]
        assert sum(each["kept"] for each in looked) < len(looked) == told["registered"]["seeds"]
    said = colosseum("plan", tmp_path / "spec.colo", COLUMNS="300").stdout
    run = sum(value >= 0.1 for value in expected(SHOP, range(1, 13)).values())
    assert f"{run} of 12 seeds have an opportunity of at least 0.1" in said
    more_run = sum(value >= 0.1 for value in expected(SHOP, range(1, 16)).values())
    assert told["seeds"] == more_run, "what it can show is that of the seeds that are run"
    audit(tmp_path, "--seeds", "1..16")
    assert plan(tmp_path)["registered"]["looks"] == [15], "fewer than planned are run, and yet it is extended"


def test_another_bound_is_another_configuration_whose_runs_are_the_same(tmp_path: Path) -> None:
    audit(tmp_path)
    less = audit(tmp_path, spec=SHOP.replace("opportunity 0.1", "opportunity 0"))
    runs = 2 * sum(value >= 0.1 for value in expected(SHOP, range(1, 13)).values())
    assert f"{runs} of them from before" in less.stderr
    assert len(plan(tmp_path)["trials"]) == 24


def test_processes_make_the_same(tmp_path: Path) -> None:
    audit(tmp_path / "one", "--jobs", 1)
    audit(tmp_path / "two", "--jobs", 2)
    assert plan(tmp_path / "one")["trials"] == plan(tmp_path / "two")["trials"]


# ---- all is said ------------------------------------------------------------------------------------------------

WORDS = "2 of 4 seeds have an opportunity of at least 0.1; left out: 5..6"


def test_a_real_spec_says_it_everywhere(tmp_path: Path) -> None:
    spec = (SPECS / "jira.colo").read_text(encoding="utf-8").replace("seeds 1..5", "seeds 3..6  opportunity 0.1")
    dry = audit(tmp_path, "--dry-run", spec=spec)
    assert f"Screened: {WORDS}." in dry.stdout
    again = json.loads(audit(tmp_path, "--dry-run", "--json", spec=spec).stdout)
    done = audit(tmp_path, "--arm", "baseline", "--arm", "again", spec=spec)
    assert f"screened: {WORDS}" in done.stderr
    assert f"screened  {WORDS}" in done.stdout
    assert f"screened {WORDS}" in " ".join(colosseum("report", tmp_path / "out", "--full").stdout.split())
    found = json.loads(colosseum("report", tmp_path / "out", "--json").stdout)["screening"]
    assert found == again["screening"]
    looked = found["looked"]
    assert (found["least"], len(looked), sum(each["kept"] for each in looked)) == (0.1, 4, 2)
    assert [looked[3][name] for name in ("seed", "opportunity", "kept")] == [6, 0.0, False]


def test_what_shards_looked_at_is_joined_in_the_order_of_the_spec() -> None:
    late, first, second = (Looked("late", 1, 0.5, "", True), *(Looked("early", n, 0.2, "", True) for n in (1, 2)))
    parts = Screening(0.1, (late, second)), None, Screening(0.1, (first, Looked("late", 1, None, "no time", False)))
    for order in (parts, parts[::-1]):
        assert joined(order, ("early", "late")) == Screening(0.1, (first, second, late)), "what is known counts"


def test_without_a_bound_nothing_is_said(tmp_path: Path) -> None:
    done = audit(tmp_path, "--seeds", "1..2", spec=SHOP.replace("opportunity 0.1", ""))
    assert "screened" not in done.stdout + done.stderr
    assert plan(tmp_path)["screening"] is None
    assert json.loads(colosseum("report", tmp_path / "out", "--json").stdout)["screening"] is None
