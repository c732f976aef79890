"""Who can learn what is private: rows behind filters and hard rules, and what `explain --flows` prints."""

from pathlib import Path

import pytest
from specs_made import HEAD, checked
from test_cli_commands import colosseum

from colosseum.model.lint import flow_lines, flows

TEAM = """agents A, B, C
private table cost[agents] ~ integer(1, 9)
table open_cost[agents] = 3
variable n[agents]: 0..2
reward own[a in agents]: n[a] * cost[a]
"""


@pytest.mark.parametrize(
    ("rule", "learners", "cells"),
    [
        ("reward r[a in agents where cost[a] > 5]: n[a]", "ABC", "ABC"),
        ("reward r[a in agents where a != C and cost[a] > 5]: n[a]", "ABC", "ABC"),
        ("require r: n[A] * cost[A] + n[B] * cost[B] <= 99", "AB", "AB"),
        ("require r when cost[A] > 5: n[B] <= 1", "B", "A"),
        ("require r: sum(n[a] for a in agents when cost[B] > 20 and a != B) <= 9", "", ""),
        ("require r[a in agents]: n[a] * cost[a] <= 99", "", ""),
        ("require r: sum(n[a] * cost[a] for a in agents) <= 99 penalty 2", "", ""),
        ("require r: sum(n[a] * open_cost[a] for a in agents) <= 99", "", ""),
        ("reward r[a in agents where open_cost[a] > 5]: n[a]", "", ""),
    ],
)
def test_rows_reach_those_who_notice_what_hangs_on_them(rule: str, learners: str, cells: str, tmp_path: Path) -> None:
    found = list(flows(checked(tmp_path, HEAD + TEAM + rule + "\n").expansion.sheets))
    assert "".join(agent for flow in found for agent in flow.learners) == learners
    assert [cell for flow in found for cell in flow.cells] == [f"cost[{agent}]" for agent in cells]


def test_the_flows_of_a_spec_are_printed(tmp_path: Path) -> None:
    text = HEAD + TEAM + "require cap: n[A] * cost[B] <= 9\nsecret channel aside for {A, B}\n"
    lines = list(flow_lines(checked(tmp_path, text).expansion.sheets))
    assert lines == [
        "cost: seen by A (1 of 3); B (1 of 3); C (1 of 3)",
        "aside: known to its members, A, B",
        "cap: tells A about cost[B] by which choices are allowed: n[A] * cost[B] <= 9",
    ]
    (tmp_path / "f.colo").write_text(text, encoding="utf-8")
    printed = colosseum("explain", "--flows", tmp_path / "f.colo").stdout
    assert " ".join(printed.split()) == " ".join(" ".join(lines).split())
