"""Draws keyed by identity: worked numbers, and what may not change them."""

import re
from pathlib import Path

import pytest
from specs_made import HEAD, checked

from colosseum.language import shipped
from colosseum.model import draws
from colosseum.model.values import Elements, Fault, Value, text

LEVELS = ("low", "medium", "high", "critical")


def test_the_key_is_text_joined_by_unit_separators() -> None:
    assert draws.key(1, "effort", ("ticket1",)) == "1\x1feffort\x1fticket1"
    assert draws.key(7, "t", (("a", "b"), 3)) == "7\x1ft\x1fa\x1fb\x1f3"
    assert draws.key(7, "n") == "7\x1fn"


def test_worked_numbers() -> None:
    key = draws.key(1, "effort", ("ticket1",))
    assert draws.digest(key) == 11_395_074_655_794_161_405
    assert draws.integer(key, 2, 8) == 6
    assert draws.integer(key, 5, 5) == 5
    assert draws.unit(key) == 0.617728234872327
    assert draws.uniform(key, 0.2, 1.0) == 0.6941825878978616
    assert draws.normal(key, 10, 2) == 10.599039433777
    assert draws.choice(key, LEVELS) == "high"
    assert draws.sample(key, Elements(LEVELS), 2).items == ("high", "critical")
    assert draws.sample(key, Elements(LEVELS), Elements((1, 2, 3))).items == ("high",)
    assert draws.shuffle(key, LEVELS) == ("high", "critical", "low", "medium")


def test_the_whole_recipe_by_hand() -> None:
    from hashlib import blake2b

    h = int.from_bytes(blake2b(b"3\x1ft\x1fA", digest_size=8).digest(), "big")
    key = draws.key(3, "t", ("A",))
    assert draws.integer(key, 10, 19) == 10 + ((h * 10) >> 64)
    assert draws.unit(key) == (h >> 11) / 2**53
    ranks = {x: int.from_bytes(blake2b(f"3\x1ft\x1fA\x1f{x}".encode(), digest_size=8).digest(), "big") for x in LEVELS}
    assert draws.choice(key, LEVELS) == min(LEVELS, key=ranks.__getitem__)
    assert draws.shuffle(key, LEVELS) == tuple(sorted(LEVELS, key=ranks.__getitem__))


# ---- the worked numbers of the reference --------------------------------------------------------------------------


def reference_rows(heading: str) -> list[list[str]]:
    """The cells of the table in the reference's section on draws whose first heading is this one."""
    reference = (shipped("grammar") / "README.md").read_text(encoding="utf-8")
    section = reference.split("\n## Draws\n")[1].split("\n## ")[0]
    table = section.split(f"\n| {heading} |")[1].split("\n\n")[0]
    return [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


@pytest.mark.parametrize(("draw", "_recipe", "value"), reference_rows("draw"), ids=lambda cell: cell[:20])
def test_a_spec_draws_what_the_reference_says(draw: str, _recipe: str, value: str, tmp_path: Path) -> None:
    spec = f"""{HEAD}agents A
    set levels = {{low, medium, high, critical}}
    set tasks = ticket[1..2]
    table effort[tasks] ~ {draw}
    variable pick[agents]: tasks
    reward r: 1 if pick[A] == ticket1 else 0
    """
    assert text(entries(tmp_path, spec)["effort"][("ticket1",)]) == value


@pytest.mark.parametrize(("appended", "digest"), reference_rows("appended"))
def test_the_digests_in_the_reference(appended: str, digest: str) -> None:
    key = draws.key(1, "effort", ("ticket1",))
    assert str(draws.digest(key + draws.SEPARATOR + appended)) == digest


def test_the_reference_shows_every_draw_and_its_h() -> None:
    reference = (shipped("grammar") / "README.md").read_text(encoding="utf-8")
    shown = {row[0].partition("(")[0] for row in reference_rows("draw")}
    assert shown == {"choice", "integer", "uniform", "normal", "sample", "shuffle"}
    h = re.search(r"its `h` is (\d+)", reference)
    assert h is not None
    assert int(h[1]) == draws.digest(draws.key(1, "effort", ("ticket1",)))


@pytest.mark.parametrize("k", range(5))
def test_a_sample_has_k_elements_in_declared_order(k: int) -> None:
    found = draws.sample("key", Elements(LEVELS), k).items
    assert len(found) == k
    assert list(found) == [level for level in LEVELS if level in found]


def test_a_fifth_level_takes_a_fifth_of_the_draws_and_moves_no_other() -> None:
    keys = [draws.key(1, "p", (i,)) for i in range(2000)]
    before = [draws.choice(k, LEVELS) for k in keys]
    after = [draws.choice(k, (*LEVELS, "urgent")) for k in keys]
    moved = [b for a, b in zip(before, after, strict=True) if a != b]
    assert set(moved) == {"urgent"}
    assert 300 < len(moved) < 500


def test_draws_are_spread_evenly() -> None:
    keys = [draws.key(1, "p", (i,)) for i in range(5000)]
    assert 0.48 < sum(draws.unit(k) for k in keys) / 5000 < 0.52
    assert abs(sum(float(draws.normal(k, 0, 1)) for k in keys) / 5000) < 0.05
    counts = [sum(draws.integer(k, 1, 4) == i for k in keys) for i in range(1, 5)]
    assert all(1100 < c < 1400 for c in counts)


@pytest.mark.parametrize(
    "arguments", [(5, 1), (0.5, 2), ("a", 2), (None, 2), (True, 2)], ids=["empty", "half", "name", "none", "condition"]
)
def test_an_integer_needs_whole_ends_in_order(arguments: tuple[Value, Value]) -> None:
    with pytest.raises(Fault):
        draws.integer("key", *arguments)


# ---- identity ---------------------------------------------------------------------------------------------------

GAME = """param n = 3
agents engineer[1..n]
set tasks = ticket[1..4]
set levels = {low, high}
table effort[tasks] ~ integer(2, 8)
table level[agents, tasks] of levels ~ choice(levels)
private table skill[agents, tasks] ~ uniform(0.2, 1.0)
table mood[agents] ~ normal(0, 1)
table likes[agents] ~ sample(tasks, 1..2)
variable pick[agents]: tasks
reward r[a in agents, t in tasks] when pick[a] == t: effort[t] * skill[a, t] + mood[a]
"""


def entries(folder: Path, text: str, **params: Value) -> dict[str, dict[tuple[Value, ...], Value]]:
    world = checked(folder, text, **params).expansion.world
    return {name: table.entries for name, table in world.tables.items()}


def test_one_more_agent_changes_no_other_number(tmp_path: Path) -> None:
    few, many = entries(tmp_path, HEAD + GAME), entries(tmp_path, HEAD + GAME, n=4)
    for name, table in few.items():
        assert {k: many[name][k] for k in table} == table
    assert len(many["mood"]) == 4


def test_the_order_of_statements_changes_no_number(tmp_path: Path) -> None:
    turned = HEAD + "\n".join(reversed(GAME.strip().splitlines())) + "\n"
    assert entries(tmp_path, turned) == entries(tmp_path, HEAD + GAME)


def test_another_seed_changes_numbers(tmp_path: Path) -> None:
    one = "reward r[a in agents, t in tasks] when pick[a] == t: effort[t] * skill[a, t] + mood[a]"
    other = GAME + "experiment e { seeds 2 arm base { } }\n"
    assert one in GAME
    assert entries(tmp_path, HEAD + other)["mood"] != entries(tmp_path, HEAD + GAME)["mood"]
