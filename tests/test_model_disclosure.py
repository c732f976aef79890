"""What agents are told about what they are paid: the sheets read back, what stays hidden, and what check warns of."""

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from fuzz_valid import valid
from sheet_reader import DATA, Game, Unsure, bounds, near, read
from specs_made import HEAD, TEAM, checked

from colosseum.diagnostics import Diagnostic
from colosseum.model.check import Checked, check
from colosseum.model.scenario import Scenario
from colosseum.model.terms import Assignment

ROOT = Path(__file__).parent.parent
SHIPPED = sorted(path for path in (ROOT / "specs").glob("*.colo") if path.stem != "hospital_published")
"""Without one that is played as `hospital` is, by other numbers."""
GENERATED = range(96)
"""Seeds of specs; a few of these texts have mistakes, and at least 69 are read."""
ASSIGNMENTS = 12
ASK = '\nprompt sheet_ for agents "{{ payoffs }}"\n'
"""Told to everybody, so that every agent has a sheet."""


# ---- read back ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_the_briefings_of_a_shipped_spec_say_what_any_choices_pay(path: Path) -> None:
    found, diagnostics = check(path)
    assert found is not None
    assert not diagnostics
    assert unsure(found.expansion.scenario, briefed(found.expansion.scenario)) == 0


@pytest.mark.parametrize("block", range(3))
def test_the_sheets_of_generated_specs_say_what_any_choices_pay(block: int, tmp_path: Path) -> None:
    """A third of them keep a table private, so that only all sheets together say everything."""
    readable = tried = 0
    for seed in GENERATED[block::3]:
        text = valid(random.Random(seed)) + ASK
        text = text.replace("table cost[", "private table cost[") if seed % 3 == 0 else text
        text = text.replace("sum(cost[a, i] for a in agents)", "1") if seed % 3 == 0 else text
        path = tmp_path / f"{seed}.colo"
        path.write_text(text, encoding="utf-8")
        found, _ = check(path)
        if found is not None:
            readable += 1
            tried += unsure(found.expansion.scenario, sheets(found.expansion.scenario))
    assert readable >= 23
    assert tried <= readable


def unsure(scenario: Scenario, texts: Mapping[str, str]) -> int:
    """Compare what the texts say with what is scored; how often rounded numbers left a comparison open."""
    task, chance, left = scenario.task, random.Random(7), 0
    game = read(texts)
    assert set(texts) == set(task.agents)
    check_alone(game, scenario)
    for _ in range(ASSIGNMENTS):
        x = {v.name: chance.choice(v.domain) for v in task.variables}
        try:
            said = game.paid(x)
            assert game.broken(x) == {r.statement for r in task.hard if not r.condition.evaluate(x)}
        except Unsure:
            left += 1
            continue
        for agent, true in scored(scenario, x).items():
            assert near(said[agent], true), (agent, said[agent], true, x)
            low, high = bounds(said[agent])
            assert high - low <= 0.01 * max(8, abs(true)), "so wide an interval says nothing"
    return left


def check_alone(game: Game, scenario: Scenario) -> None:
    """`If you choose …`: each line gives the payoff of that choice, to half a unit of the last digit."""
    rest = {v.name: v.domain[0] for v in scenario.task.variables}
    for agent, variables in game.alone.items():
        for name, (statements, by_choice) in variables.items():
            assert set(by_choice) == set(scenario.task.variable[name].domain)
            for choice, said in by_choice.items():
                x = {**rest, name: choice}
                true = sum(
                    float(p.term.evaluate(x)) / len(p.credit.shares(x))  # type: ignore[arg-type]
                    for p in scenario.task.payoffs
                    if p.statement in statements and agent in p.credit.shares(x) and name in p.term.scope
                )
                assert near(said, true), (agent, name, choice, said, true)


def scored(scenario: Scenario, x: Assignment) -> dict[str, float]:
    paid = dict.fromkeys(scenario.task.agents, 0.0)
    for payoff in scenario.task.payoffs:
        shares = payoff.credit.shares(x)
        for agent in shares:
            paid[agent] += float(payoff.term.evaluate(x)) / len(shares)  # type: ignore[arg-type]
    return paid


def briefed(scenario: Scenario) -> dict[str, str]:
    """The sheet inside what each agent is told in the control arm."""
    found: dict[str, str] = {}
    for prompt in scenario.prompts:
        for agent, text in prompt.variants[0].texts:
            if DATA in text:
                assert agent not in found, "told twice"
                found[agent] = text[text.index("Your payoff is") :]
    return {agent: found[agent] for agent in scenario.task.agents}


def sheets(scenario: Scenario) -> dict[str, str]:
    return dict(next(p for p in scenario.prompts if p.name == "sheet_").variants[0].texts)


# ---- what it looks like -------------------------------------------------------------------------------------------


def test_the_sheet_of_an_engineer() -> None:
    found, _ = check(ROOT / "specs" / "jira.colo")
    assert found is not None
    text = briefed(found.expansion.scenario)["engineer1"]
    assert "if pick[a] = t: 20 + 20 × weight[priority[t]] - cost[a, t], paid to a" in text
    assert "each unit by which that is missed costs 20, split equally among each a in agents where pick[a] = t" in text
    assert "- cost[engineer1] (rounded): ticket1 = 14.61, " in text
    assert "- If you choose pick[engineer1], done alone pays you: ticket1 = 20.39, " in text
    assert "cost[engineer2], cost[engineer3], cost[engineer4], cost[engineer5], cost[engineer6]: known only to" in text


def test_params_are_written_out_and_loops_are_said(tmp_path: Path) -> None:
    text = (
        TEAM
        + """param n = 7
    param low = -2
    table worth[m in moves] = 3 if m == left else n
    table left_ = count(a in agents when move[a] == left)
    reward most to A: max(low, n - left_) * (worth[left] + worth[right])
    require two: 1 <= count(a in agents when move[a] != none) <= 2 penalty n per unit
    require hard when move[A] == left: any(a in {B, C} when move[a] == left)
    """
    )
    said = sheets(checked(tmp_path, text + ASK).expansion.scenario)["B"]
    assert "- most: max(-2, 7 - left_) × (worth[left] + worth[right]), paid to A" in said
    assert "- left_ means the number of a in agents where move[a] = left" in said
    assert "- two: 1 ≤ (the number of a in agents where move[a] ≠ none) ≤ 2 should hold; each unit" in said
    assert "- hard, if move[A] = left: there is a in {B, C} where move[a] = left must hold" in said


def test_an_undisclosed_reward_is_not_told(tmp_path: Path) -> None:
    text = TEAM + "reward open to A when move[A] == left: 3\nreward quiet to A when move[A] == right: 41 undisclosed\n"
    scenario = checked(tmp_path, text + ASK).expansion.scenario
    assert all("open" in said and "quiet" not in said and "41" not in said for said in sheets(scenario).values())
    assert [p.statement for p in scenario.task.payoffs] == ["open", "quiet"]


def test_a_name_of_the_spec_comes_before_the_sheet(tmp_path: Path) -> None:
    text = TEAM + "param payoffs = 12\nreward r: payoffs\n"
    assert set(sheets(checked(tmp_path, text + ASK).expansion.scenario).values()) == {"12"}


# ---- what stays hidden ------------------------------------------------------------------------------------------


def test_numbers_of_others_are_in_no_sheet(tmp_path: Path) -> None:
    """Not in the tables, not in what a choice pays, not in who shares it, not in sets that follow from a coalition."""
    text = (
        HEAD
        + """agents A, B, C
    set moves = {left, right}
    variable move[agents]: moves
    private table price[agents] = 1000
    private table own[a in agents, b in agents] to b = 7001 if b == A else 7002 if b == B else 7003
    reward lent[a in agents, b in agents] to a when move[a] == left: own[a, b]
    reward mine[a in agents] to a when move[a] == left: price[a] + (1 if a == A else 2 if a == B else 3)
    reward ring[a in cabal] to cabal when move[a] == left: 1
    coalition cabal { members = {B, C} }
    set rest = agents - cabal
    reward out[a in rest] to a when move[a] == right: 1
    """
    )
    said = sheets(checked(tmp_path, text + ASK).expansion.scenario)
    for agent, mine in {"A": "7001", "B": "7002", "C": "7003"}.items():
        assert [n for n in ("7001", "7002", "7003") if n in said[agent]] == [mine]
    assert "- cabal: known only to those whom it is about" in said["A"]
    assert "- cabal: B, C" in said["B"]
    assert "- rest: A" not in said["A"]
    assert "lent alone" not in said["A"]


def test_a_penalty_that_the_reader_may_not_see_is_in_no_sheet(tmp_path: Path) -> None:
    text = (
        HEAD
        + """agents A, B
    variable move[agents]: 0..1
    private table fee[a in agents] to B = 8001 if a == A else 8002
    require stay[a in agents]: move[a] == 0 penalty fee[a]
    """
    )
    said = sheets(checked(tmp_path, text + ASK).expansion.scenario)
    assert "800" not in said["A"]
    assert "stay alone pays you: 0 = 0, 1 = -8002" in said["B"]


def test_who_alone_knows_a_number_is_named(tmp_path: Path) -> None:
    text = (
        HEAD
        + """agents Ann, Bo
    variable buy[agents]: 0..2
    private table cost[a in agents] ~ integer(1, 9)
    private table stock to Bo ~ integer(1, 9)
    reward r[a in agents] to a: -cost[a] * buy[a] + stock
    """
    )
    said = sheets(checked(tmp_path, text + ASK).expansion.scenario)
    assert "- cost[Bo]: known only to the agent named" in said["Ann"]
    assert "- stock: known only to Bo" in said["Ann"]
    assert "cost[Bo]" not in said["Bo"]


# ---- what check says ----------------------------------------------------------------------------------------------


def warned(found: tuple[Checked | None, list[Diagnostic]], code: str) -> list[Diagnostic]:
    assert found[0] is not None
    return [d for d in found[1] if d.code == code]


UNTOLD = (
    TEAM
    + """param bonus = 4
table worth[moves] = {left: 2.5, right: 3}
reward r[a in agents] to a when move[a] != none: 10 * worth[move[a]] + bonus
"""
)


@pytest.mark.parametrize(
    ("prompts", "reached"),
    [
        ("", True),  # nobody is told anything: a spec without prompts is no briefing that lacks something
        ('prompt p for agents "Pick."', False),
        ('prompt p for agents "{{ payoffs }}"', True),
        ('prompt p for {A, B} "{{ payoffs }}"', False),
        ('prompt p for agents { a: "Pick." b: "{{ payoffs }}" }', True),
        ('prompt p for agents "10 × {{ worth["left"] }} or {{ worth["right"] }}, and {{ bonus }}"', True),
        ('prompt p for agents "10 × {{ worth["left"] }} or {{ worth["right"] }}"', False),
    ],
)
def test_check_warns_of_what_reaches_no_prompt(prompts: str, reached: bool, tmp_path: Path) -> None:
    path = tmp_path / "text.colo"
    path.write_text(UNTOLD + prompts.replace('["', "[").replace('"]', "]"), encoding="utf-8")
    assert bool(warned(check(path), "W012")) is not reached
    path.write_text(path.read_text(encoding="utf-8").replace("+ bonus", "+ bonus undisclosed"), encoding="utf-8")
    assert not warned(check(path), "W012")
