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


def test_a_null_has_a_dash_and_its_reason_and_a_number_has_none(tmp_path: Path) -> None:
    words = page(tmp_path, ann=1, bob=2)
    assert "ann 1 0 – (1) bob 2 0 – (1) eve 1 – (2) – (1)" in words
    assert "(1) no turn order is given (2) no own decision can change its payoff" in words
    words = page(tmp_path, "--order", "ann,bob", ann=3, bob=2)
    assert "ann 3 – (1) 0 bob 2 – (1) 0 eve 1 – (2) – (2)" in words
    assert "(1) own decisions take part in breaking a hard requirement" in words
    assert "breaks: enough" in words
    assert "ann 1 0 0 bob 2 0 0" in page(tmp_path, "--order", "ann,bob", ann=1, bob=2)


def test_what_was_undecided_stands_there_with_what_it_counted_as(tmp_path: Path) -> None:
    assert re.search(r"undecided, so counted as: units\[bob\] = [0-3]$", page(tmp_path, ann=1))
    assert "undecided" not in page(tmp_path, ann=1, bob=1)


def test_every_figure_says_what_it_is_or_why_it_is_missing(tmp_path: Path) -> None:
    words = page(tmp_path, ann=1, bob=2)
    assert "regret 0 what the team missed of its best joint payoff" in words
    assert "coalition value – there is no coalition" in words
    words = page(tmp_path, "--members", "ann", ann=1, bob=2)
    for figure in (
        "least λ 0 the least strength",
        "greatest among optima 3", "place among optima 0.333333 where an optimal outcome lies", "ann * 1",
    ):  # fmt: skip
        assert figure in words, figure
