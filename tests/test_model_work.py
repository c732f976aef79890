"""How much work an expansion is: it grows with the instances, and what they have in common is made once."""

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from specs_made import HEAD, TEAM, expanded, payoff, said

from colosseum.model.check import Expansion, expand, read_spec
from colosseum.model.operations import DEEPEST

CROWD = """agents worker[1..{people}]
set jobs = job[1..{jobs}]
private table skill[agents, jobs] ~ uniform(0.2, 1)
private table cost[a in agents, j in jobs] = 3 / skill[a, j]
variable pick[agents]: jobs or none
network path
"""
HARD = "require one[j in jobs]: count(a in agents when pick[a] == j) <= 1\n"
SOFT = """require one[j in jobs] to each(a in agents when pick[a] == j):
  count(a in agents when pick[a] == j) <= 1
  penalty 20 per unit
"""
WORTH = "reward done[a in agents, j in jobs] when pick[a] == j: 20 - cost[a, j]\n"
PAIRS = "set wishes = {(a, j) for a in agents, j in jobs}\nreward wish[(a, j) in wishes] when pick[a] == j: 1\n"
LOOPS = "reward busy[a in agents]: sum(1 / skill[a, j] for j in jobs where skill[a, j] > 0.3 when pick[a] != j)\n"
CHOSEN = """table worth[jobs] ~ integer(1, 9)
reward gain[a in agents] when pick[a] != none: worth[pick[a]]
"""


def expansion(folder: Path, text: str) -> Expansion:
    path = folder / "text.colo"
    path.write_text(text, encoding="utf-8")
    spec, _ = read_spec(path)
    assert spec is not None
    found, diagnostics = expand(spec, seed=1, params={})
    assert found is not None, diagnostics
    return found


def calls(work: Callable[[], object]) -> int:
    """Functions that a piece of work calls, Python's own among them."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "rules",
    [HARD, SOFT, WORTH, PAIRS, LOOPS, CHOSEN],
    ids=["hard", "soft", "worth", "pairs", "loops", "chosen"],
)
@pytest.mark.parametrize("grows", ["people", "jobs"])
def test_work_grows_with_the_instances(tmp_path: Path, rules: str, grows: str) -> None:
    def work(times: int) -> int:
        sizes = {"people": 4, "jobs": 4} | {grows: 40 * times}
        text = HEAD + CROWD.format(**sizes) + rules
        return calls(lambda: expansion(tmp_path, text))

    work(1)  # what is imported or kept at first is no work of an expansion
    once, twice, four = work(1), work(2), work(4)
    assert four - twice <= 2.2 * (twice - once)


def test_the_excess_of_a_rule_shares_the_terms_of_its_condition(tmp_path: Path) -> None:
    task = expansion(tmp_path, HEAD + CROWD.format(people=3, jobs=3) + WORTH + SOFT).scenario.task
    required = next(r for r in task.requirements if r.name == "one[job1]")
    counted = required.condition.below[0]
    assert required.excess is not None
    assert any(part is counted for part in required.excess.below[1].below)


def test_a_sum_that_is_sound_as_a_number_is_no_condition(tmp_path: Path) -> None:
    table = "table lefts = count(a in agents when move[a] == left)\n"
    found, words = said(tmp_path, TEAM + table + "reward number: lefts\nreward condition when lefts: 1\n")
    assert found is None
    assert "this condition is a number" in words


def test_a_guard_narrows_its_own_payoff_only(tmp_path: Path) -> None:
    numbers = "variable many[agents]: 1..3 or none\ntable doubled = 2 * many[A]\n"
    guarded = expanded(tmp_path, TEAM + numbers + "reward safe when many[A] != none: doubled\n")
    assert payoff(guarded, "safe").term.scope == {"many[A]"}
    text = TEAM + numbers + "reward safe when many[A] != none: doubled\nreward unsafe: doubled\n"
    found, words = said(tmp_path, text)
    assert found is None
    assert "this payoff can be none" in words


def test_what_the_loops_of_an_index_read_is_told(tmp_path: Path) -> None:
    tables = """private table owns[agents] ~ integer(1, 3)
private table worth[a in agents, n in {k for b in agents, k in 1..owns[b]}] ~ integer(0, 9)
"""
    found, words = said(tmp_path, TEAM + tables)
    assert found is None
    assert "`worth[A, 1]` is computed from `owns[B]`, which fewer agents may see" in words


@pytest.mark.parametrize("working", [True, False])
def test_the_collector_works_afterwards_as_it_did_before(tmp_path: Path, working: bool) -> None:
    before = gc.isenabled()
    (gc.enable if working else gc.disable)()
    try:
        expansion(tmp_path, TEAM)
        assert gc.isenabled() is working
    finally:
        (gc.enable if before else gc.disable)()


@pytest.mark.parametrize(
    ("statement", "levels"),
    [
        ("reward much{index}: {last} + 1", 1),
        ("reward some{index} when {last} > 0: 1", 2),
        ("require few{index}: {last} < 1", 1),
        ("coalition cabal {{ members = {{A}}  objective gain{index}: {last} + 1 }}", 1),
    ],
)
@pytest.mark.parametrize("indexed", [True, False])
def test_terms_of_tables_of_tables_are_as_deep_as_is_allowed_and_no_deeper(
    tmp_path: Path, statement: str, levels: int, indexed: bool
) -> None:
    index, key = ("[a in agents]", "[a]") if indexed else ("", "[A]")

    def chained(number: int) -> str:
        tables = ["table depth1[a in agents] = 1 if move[a] == left else 0"]
        tables += [f"table depth{n}[a in agents] = depth{n - 1}[a] + 1" for n in range(2, number + 1)]
        last = statement.format(index=index, last=f"depth{number}{key}")
        return said(tmp_path, TEAM + "\n".join([*tables, last, ""]))[1]

    most = DEEPEST - 2 - levels  # the first table has three levels, each further one adds one
    assert chained(most) == ""
    assert f"substituted here more than {DEEPEST} levels deep" in chained(most + 1)
