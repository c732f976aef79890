"""All mistakes at once: one in the text hides none in the meaning, and causes none."""

import re
from pathlib import Path
from shutil import copytree

import pytest
from specs_made import HEAD, TEAM, said

from colosseum.diagnostics import render_text
from colosseum.language import shipped
from colosseum.language.parser import doubts_in
from colosseum.model.check import check

HERE = Path(__file__).parent
SPECS = [shipped("specs") / name for name in ("toy.colo", "jira.colo", "jira_real.colo")]
SPECS += [HERE / "good" / f"model_{name}.colo" for name in ("auction", "peer_review", "spectrum", "staffing")]
TOKEN = re.compile(r'"""(?s:.*?)"""|"[^"\n]*"|#[^\n]*|\w+|\s+|\.\.|[<>=!]=|.', re.DOTALL)
SIGNS = re.compile(r"[=~:,(){}\[\]|]|\.\.\Z")
STEP = 31
"""Every so many tokens of a spec one is broken."""


@pytest.mark.parametrize("broken", ["param n = = 3", "table cost[agents = 3", "set s = {x y}", "reward r ="])
def test_a_mistake_in_the_text_hides_no_other(tmp_path: Path, broken: str) -> None:
    _, words = said(tmp_path, f"{TEAM}{broken}\nreward typo[a in agents]: 1 if move[a] == lft else 0\n")
    assert "error[C041]: `lft` is not the name of anything" in words
    assert words.count("error[") == 2


@pytest.mark.parametrize(
    ("broken", "used"),
    [
        ("param n = = 3", "param m = n + 1"),
        ("set tools = {saw drill}", "table price[tools] ~ integer(1, 3)\nreward r when move[A] == left: price[saw]"),
        ("set tools = tool[1..3", "reward r when move[A] == left: 1 if tool2 in tools else 0"),
        ("table cost[agents = 3", "reward r[a in agents] when move[a] == left: cost[a]"),
        ("coalition cabal { members {A, B} }", "channel back for cabal\nprompt p for cabal \"{{ cabal | join }}\""),
        ("secret channel back {A}", "experiment e { arm base { } arm loud { back on } }"),
        ("table cost[agents] ~ ;integer(1, 2)", "reward r[a in agents] when move[a] == left: cost[a]"),
        ("set tools from tools.csv", "table price[tools] = 1\nreward r when move[A] == left: weight[saw]"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_text_causes_no_other(tmp_path: Path, broken: str, used: str) -> None:
    _, words = said(tmp_path, f"{TEAM}{broken}\n{used}\n")
    assert words.count("error[") == 1, words


def test_agents_that_cannot_be_read_are_not_missed(tmp_path: Path) -> None:
    _, words = said(tmp_path, f"{HEAD}agents A B, C\nset moves = {{left, right}}\nvariable move[agents]: moves\n")
    assert words.count("error[") == 1, words


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_a_broken_statement_of_a_good_spec_has_no_consequences(path: Path, tmp_path: Path) -> None:
    copytree(shipped("specs"), tmp_path, dirs_exist_ok=True)
    tokens = TOKEN.findall(path.read_text(encoding="utf-8"))
    places = [i for i, t in enumerate(tokens) if t.strip() and not t.startswith("#")]
    for number, place in enumerate(places[::STEP]):
        without = [*tokens[:place], *tokens[place + 1 :]] if SIGNS.match(tokens[place]) else tokens
        beside = [*tokens[:place], (";", ")", "=")[number % 3], *tokens[place:]]
        for changed in (without, beside):
            (tmp_path / "any.colo").write_text("".join(changed), encoding="utf-8")
            _, diagnostics = check(tmp_path / "any.colo")
            if any(d.code < "C030" for d in diagnostics):
                assert all(d.code < "C030" for d in diagnostics), render_text(diagnostics)


@pytest.mark.parametrize(
    ("stretch", "name", "covered"),
    [
        ("table cost[agents = 3", "cost", True),
        ("table cost[agents = 3", "price", False),
        ("set s = ticket[1..8", "ticket3", True),
        ("private table costagents]", "cost", True),
        ("table [agents] = 3", "cost", True),
        ("private table [agents] = 3", "cost", True),
        ("secret channel for cabal", "back", True),
        ("set s from s.csv", "beds", True),
    ],
)
def test_what_a_broken_stretch_may_declare(stretch: str, name: str, covered: bool) -> None:
    assert doubts_in([stretch]).covers(name) is covered


def test_a_broken_set_among_the_agents_is_no_agent(tmp_path: Path) -> None:
    text = f"{HEAD}set crew = {{D E}}\nagents crew, F\nvariable take[c in crew]: 1..2\nreward r[c in crew]: take[c]\n"
    _, words = said(tmp_path, text)
    assert words.count("error[") == 1, words
