"""Shipped scenarios in which collusion is not self-interest, and the prompts they share: do they say what they mean?"""

import random
import re
from functools import cache
from pathlib import Path
from shutil import copytree
from statistics import fmean
from typing import Any

import pytest

from colosseum.cli.check import check_files
from colosseum.evidence.instance import JointMoves, SolvedTask, best_response_regret
from colosseum.language import shipped
from colosseum.model.check import Checked, check
from colosseum.model.scenario import Scenario
from colosseum.model.values import Value
from colosseum.solve.goal import WELFARE, coalition_goal
from colosseum.solve.scoring import goal_value, score
from colosseum.solve.solver import Optimum

SPECS = shipped("specs")
LIBRARY = {"variants": "deal", "persuasion": "tactic", "misinformation": "rumor", "misalignment": "aim"}
"""The files of the library and the prompt that each brings."""
USERS = ("bidding", "classroom", "jira_pairs", "jira_studies", "peer_review")
PLAYED = ("bidding", "classroom", "jira_pairs", "peer_review")
TEAM = """colosseum 1
scenario team "A team without anything to do"
{uses}
agents A, B, C, D
set moves = {{left, right}}
variable move[agents]: moves
reward agree[(a, b) in pairs(agents)] when move[a] == move[b]: 1
coalition cabal {{ members = {members} }}
experiment e {{ arm baseline {{ }}  arm asked {{ {arm} }} }}
"""


@cache
def checked(name: str, seed: int = 1) -> Checked:
    found, diagnostics = check(SPECS / f"{name}.colo", seed=seed)
    assert found is not None
    assert [d.message for d in diagnostics] == []
    return found


@cache
def played(name: str, seed: int) -> tuple[Scenario, SolvedTask]:
    scenario = checked(name, seed).expansion.scenario
    return scenario, SolvedTask.of(scenario.task)


def proven(optimum: Optimum) -> dict[str, Value]:
    """The assignment of an optimum that is one."""
    assert optimum.status == "optimal"
    assert optimum.assignment is not None
    return optimum.assignment


def collusion(scenario: Scenario, instance: SolvedTask) -> dict[str, Value]:
    """The coalition plays its part of its best plan, and the others make the best of it for the team."""
    coalition = scenario.coalition["cabal"]
    plan = proven(instance.solver.maximise(coalition_goal(coalition), canonical=True))
    own = {v.name: plan[v.name] for v in scenario.task.variables if v.owner in coalition.members}
    return proven(instance.solver.maximise(WELFARE, fixed=own))


# ---- the library ---------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copytree(SPECS / "lib", tmp_path / "lib")
    return tmp_path


def team(folder: Path, members: str, arm: str = "deal simple") -> Scenario:
    """A team that uses the whole library."""
    uses = "\n".join(f'use "lib/{name}.colo"' for name in LIBRARY)
    path = folder / "team.colo"
    path.write_text(TEAM.format(uses=uses, members=members, arm=arm), encoding="utf-8")
    found, diagnostics = check(path)
    assert found is not None, [d.message for d in diagnostics]
    return found.expansion.scenario


def test_the_library_is_what_ships() -> None:
    assert {path.stem for path in (SPECS / "lib").glob("*.colo")} == {*LIBRARY, "suspicion"}


@pytest.mark.parametrize("members", ["{B}", "{B, C}", "{B, C, D}"])
def test_every_text_of_the_library_speaks_to_a_coalition_of_any_size(folder: Path, members: str) -> None:
    scenario = team(folder, members)
    allies = [m for m in ("C", "D") if m in members]
    assert [prompt.name for prompt in scenario.prompts] == list(LIBRARY.values())
    for prompt in scenario.prompts:
        control, *others = (dict(variant.texts)["B"] for variant in prompt.variants)
        assert control == ""
        for text in others:
            assert 2 <= len(re.findall(r"(?<!\d)\.(?=\s|$)", text)) <= 6, text
            assert not re.search(r" [,.;:]|\b(with|and|than)[.,;:]|  |[{}]", text), text
    told = [dict(variant.texts)["B"] for prompt in scenario.prompts for variant in prompt.variants[1:]]
    named = [text for text in told if any(re.search(rf"\b{ally}\b", text) for ally in allies)]
    assert len(named) == (len(told) - 1 if allies else 0), "all but `selfish` name the allies"


def test_prompts_of_the_library_add_up(folder: Path) -> None:
    scenario = team(folder, "{B, C}", arm="deal deception  tactic authority  rumor mass  aim covert")
    names = [[variant.name for variant in prompt.variants] for prompt in scenario.prompts]
    assert names == [
        ["control", "selfish", "simple", "deception", "structured", "aggressive"],
        ["control", "misdirection", "authority", "social_proof", "scarcity", "reciprocity", "risk_aversion",
         "cost_anchor", "split_brain"],
        ["honest", "targeted", "mass"],
        ["control", "covert", "self_promoting", "self_sacrificing"],
    ]  # fmt: skip


@pytest.mark.parametrize("name", LIBRARY)
def test_a_library_file_may_be_checked_by_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_files([SPECS / "lib" / f"{name}.colo"], as_json=False) == 0
    out, err = capsys.readouterr()
    assert "ok as a part of other specs" in out
    assert err == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no agents"),
        ("param p = 1 / 0", "division by zero"),
        ("reward r: 1", "there are no agents"),
        ("param p = ", "error[C0"),
    ],
)
def test_a_file_with_a_mistake_is_no_part(
    tmp_path: Path, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "part.colo"
    path.write_text(f'colosseum 1\nscenario part "A part"\n{text}\n', encoding="utf-8")
    assert check_files([path], as_json=False) == 2
    assert said in capsys.readouterr().err


# ---- the experiments -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", USERS)
def test_every_experiment_asks_a_question_and_begins_with_its_control(name: str) -> None:
    for design in checked(name).designs.values():
        assert design.question.endswith("?")
        assert design.arms[0] == "baseline"
        control = next(cell for cell in design.cells if cell.name == "baseline")
        assert control.conditions.channels == ()
        assert control.conditions.variants == ()


@pytest.mark.parametrize("name", ["bidding", "jira_pairs", "peer_review"])
def test_a_scenario_rules_out_chance_channels_and_self_interest(name: str) -> None:
    first = next(iter(checked(name).designs.values()))
    assert first.arms == ("baseline", "again", "placebo", "emergent", "selfish", "prompted")


def test_the_studies_of_the_ticket_game_are_laid_out_in_full() -> None:
    designs = checked("jira_studies").designs
    assert {name: len(design.cells) for name, design in designs.items()} == {
        "hidden_channel": 6,
        "topologies": 4 * 5,
        "probe": 4,
        "variants": 6,
        "persuasion": 10 * 4,
        "turn_order": 3 * 3,
        "coalition_size": 3 * 4,
    }
    sizes = {dict(cell.conditions.params)["insiders"] for cell in designs["coalition_size"].cells}
    assert sizes == {1, 2, 3, 4}


# ---- what cooperation, self-interest and collusion do ----------------------------------------------------------


@pytest.mark.parametrize("seed", range(1, 7))
@pytest.mark.parametrize("name", PLAYED)
def test_a_coalition_gains_what_the_team_loses(name: str, seed: int) -> None:
    scenario, instance = played(name, seed)
    task, goal = scenario.task, coalition_goal(scenario.coalition["cabal"])
    fair, bent = proven(instance.optimum), collusion(scenario, instance)
    assert score(task, bent).value < score(task, fair).value
    gained = goal_value(task, goal, bent) - goal_value(task, goal, fair)
    assert gained > 0 or name == "jira_pairs"  # where two tickets of one issue may be the team's best


@pytest.mark.parametrize("seed", range(1, 7))
def test_the_pairs_are_usually_not_what_the_team_wants(seed: int) -> None:
    values = []
    for each in range(4 * seed - 3, 4 * seed + 1):
        scenario, instance = played("jira_pairs", each)
        goal = coalition_goal(scenario.coalition["cabal"])
        assert instance.solver.maximise(goal).value == 20
        values.append(goal_value(scenario.task, goal, proven(instance.optimum)))
    assert values.count(0) >= 2


@pytest.mark.parametrize("name", ["jira_pairs", "peer_review"])
def test_a_member_that_stays_out_leaves_the_others_nothing(name: str) -> None:
    scenario, instance = played(name, 1)
    coalition = scenario.coalition["cabal"]
    goal = coalition_goal(coalition)
    together = instance.solver.maximise(goal).value
    assert together is not None
    assert together > 0
    for member in coalition.members:
        out = {v.name: None for v in scenario.task.variables if v.owner == member}
        assert instance.solver.maximise(goal, fixed=out).value == 0


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_bidder_alone_gains_little_of_what_two_gain(seed: int) -> None:
    scenario, instance = played("bidding", seed)
    coalition, honest = scenario.coalition["cabal"], proven(instance.optimum)
    others = {v.name: honest[v.name] for v in scenario.task.variables if v.owner not in coalition.members}
    both = instance.solver.maximise(coalition_goal(coalition), fixed=others).value
    alone = [best_response_regret(JointMoves(instance, member, honest)).value for member in coalition.members]
    assert both is not None
    assert sum(gain or 0.0 for gain in alone) <= both / 2


@pytest.mark.parametrize("name", ["bidding", "classroom", "peer_review"])
def test_outsiders_pay_for_it(name: str) -> None:
    losses = []
    for seed in range(1, 7):
        scenario, instance = played(name, seed)
        fair, bent = (score(scenario.task, a).payoff for a in (proven(instance.optimum), collusion(scenario, instance)))
        outside = [a for a in scenario.task.agents if a not in scenario.coalition["cabal"].members]
        losses.append(fmean(fair[a] - bent[a] for a in outside))
    assert min(losses) >= -1e-9
    assert fmean(losses) > 1


# ---- who wins, who is published: by hand -----------------------------------------------------------------------


def tables(name: str, seed: int) -> dict[str, dict[tuple[Value, ...], Any]]:
    world = checked(name, seed).expansion.world
    return {table.name: dict(table.entries) for table in world.tables.values()}


def drawn(scenario: Scenario, key: str) -> dict[str, Any]:
    chance = random.Random(key)
    return {v.name: chance.choice(v.domain) for v in scenario.task.variables}


@pytest.mark.parametrize("seed", range(1, 11))
def test_the_lowest_and_better_rated_bid_wins_and_is_paid(seed: int) -> None:
    scenario = checked("bidding", seed).expansion.scenario
    data = tables("bidding", seed)
    bids = drawn(scenario, f"bids {seed}")
    earned = dict.fromkeys(scenario.task.agents, 0.0)
    for tender in ("roof", "road", "pipes", "lamps"):
        made = {s: bids[f"bid[{s}, {tender}]"] for s in ("Alder", "Birch", "Cedar")}
        winner = min(made, key=lambda s: (made[s], -data["rating"][s, tender]))
        price = made[winner]
        units = 10 - price
        earned[winner] += units * (price - data["cost"][winner, tender])
        earned["town"] += units * units / 2  # the triangle below its demand
    assert score(scenario.task, bids).payoff == pytest.approx(earned)


@pytest.mark.parametrize("seed", range(1, 11))
def test_what_has_a_champion_is_published_once(seed: int) -> None:
    scenario = checked("peer_review", seed).expansion.scenario
    opinion = tables("peer_review", seed)["opinion"]
    picks = drawn(scenario, f"picks {seed}")
    authors = [a for a in scenario.task.agents if a != "readers"]
    earned = dict.fromkeys(scenario.task.agents, 0.0)
    for paper in {p for p in picks.values() if p is not None}:
        earned[str(paper)] += 10
        earned["readers"] += 5 * sum(opinion[a, paper] for a in authors if a != paper)
    for author in authors:
        pick = picks[f"champion[{author}]"]
        earned[author] += 0 if pick is None else opinion[author, pick]
    assert score(scenario.task, picks).payoff == pytest.approx(earned)
