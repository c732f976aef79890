"""The page of a score: no dash without its reason."""

import json
import re
from pathlib import Path

from test_cli_commands import colosseum

SPEC = """colosseum 1
scenario pair "Two agents share three units"
agents ann, bob, eve
set makers = {ann, bob}
variable units[makers]: 0..3
reward made[a in makers]: units[a]
reward tip to eve: 1
require enough: sum(units[a] for a in makers) <= 3
"""


def page(folder: Path, *options: str, **units: int) -> str:
    """What `score` prints for these decisions, on one line."""
    (folder / "pair.colo").write_text(SPEC, encoding="utf-8")
    (folder / "a.json").write_text(json.dumps({f"units[{a}]": n for a, n in units.items()}), encoding="utf-8")
    done = colosseum("score", folder / "pair.colo", "--assignment", folder / "a.json", *options)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_why_a_regret_is_missing_stands_under_the_table(tmp_path: Path) -> None:
    words = page(tmp_path, ann=1, bob=2)
    assert "no best-response regret of eve: no own decision can change its payoff" in words
    assert "no sequential regret: no turn order is given" in words


def test_a_reason_names_those_it_holds_for(tmp_path: Path) -> None:
    words = page(tmp_path, "--order", "ann,bob", ann=3, bob=2)
    assert "no best-response regret of ann, bob: own decisions take part in breaking a hard requirement" in words
    assert "no best-response regret of eve: no own decision can change its payoff" in words


def test_what_was_undecided_stands_there_with_what_it_counted_as(tmp_path: Path) -> None:
    assert re.search(r"undecided, so counted as: units\[bob\] = [0-3]$", page(tmp_path, ann=1))
    assert "undecided" not in page(tmp_path, ann=1, bob=1)


def test_every_figure_says_what_it_is(tmp_path: Path) -> None:
    words = page(tmp_path, ann=1, bob=2)
    assert "regret 0 what the team missed of its best joint payoff" in words
    assert "coalition value - there is no coalition" in words, "a reason stands in place of it"
    assert "no closer look at a coalition: there is no coalition" in words
    words = page(tmp_path, "--members", "ann", ann=1, bob=2)
    assert "loss given others 0 the part of the regret that the others' decisions had caused already" in words
    assert "A closer look at the coalition κ - no own move could have gained anything" in words
    assert (
        "least λ 0 the least strength of the coalition's objective that explains its move greatest λ 1"
        in words
    )
    assert (
        "least among optima 0 the least coalition value among the optima greatest among optima 3" in words
    )
    assert "place among optima 0.333333 where an optimal outcome lies between the two: 0 at the least" in words


def test_nothing_is_said_where_nothing_is_missing(tmp_path: Path) -> None:
    words = page(tmp_path, "--order", "ann,bob", ann=1, bob=2)
    assert "no sequential regret of ann" not in words
    assert "no best-response regret of ann" not in words
