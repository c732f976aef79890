"""Literal data: CSV files in both forms, grids, and maps; and where their mistakes are told."""

from pathlib import Path

import pytest
from specs_made import HEAD, TEAM, checked, expanded, said

from colosseum.model.check import check
from colosseum.model.values import Value

USED = "reward r when move[A] == left: 1\n"
LONG = "agents,moves,t\nA,left,1\nA,right,2\nB,left,3\nB,right,4\nC,left,5\nC,right,6\n"
TABLE = {("A", "left"): 1, ("A", "right"): 2, ("B", "left"): 3, ("B", "right"): 4, ("C", "left"): 5, ("C", "right"): 6}


def read(folder: Path, content: str | bytes, *, indices: str = "agents, moves") -> dict[tuple[Value, ...], Value]:
    """The entries of a table `t` read from a file."""
    (folder / "t.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    found = checked(folder, f'{TEAM}table t[{indices}] from "t.csv"\n{USED}')
    return found.expansion.world.tables["t"].entries


@pytest.mark.parametrize(
    "content",
    [
        LONG,
        b"\xef\xbb\xbf" + LONG.encode(),
        LONG.replace("\n", "\r\n"),
        LONG.replace(",", " , ").rstrip("\n"),
        LONG.replace("A", '"A"') + "\n\n",
        "agents,moves,t\n" + "\n".join(reversed(LONG.strip().splitlines()[1:])),
        LONG.replace(",3", ",+3").replace(",5", ",5.0").replace(",6", ",0.6e1"),
        "agents,left,right\nA,1,2\nB,3,4\nC,5,6\n",
        "agents,right,left\nC,6,5\nA,2,1\nB,4,3\n",
        'agents, "left" ,right\nA,1,2\nB,3,4\nC,5,6\n',
    ],
    ids=["long", "mark", "crlf", "blanks", "quotes", "reversed", "numbers", "matrix", "turned", "quoted_header"],
)
def test_both_forms_of_a_file_say_the_same(tmp_path: Path, content: str | bytes) -> None:
    found = read(tmp_path, content)
    assert found == TABLE
    assert list(found) == list(TABLE)


def test_binders_may_head_the_columns(tmp_path: Path) -> None:
    content = "a,m,t\n" + LONG.partition("\n")[2]
    assert read(tmp_path, content, indices="a in agents, m in moves") == TABLE
    assert read(tmp_path, "x,t\n1,5\n2,6\n", indices="x in 1..2") == {(1,): 5, (2,): 6}


def test_cells_are_names_and_numbers(tmp_path: Path) -> None:
    content = 'agents,t\nA,"say ""hi"", you"\nB,-2.5e-1\nC,"7"\n'
    found = read(tmp_path, content, indices="agents")
    assert found == {("A",): 'say "hi", you', ("B",): -0.25, ("C",): "7"}


def test_elements_may_be_any_text(tmp_path: Path) -> None:
    (tmp_path / "tasks.csv").write_text("tasks,effort\nISSUE-0001::review,3\nISSUE-0001::docs,1\n")
    (tmp_path / "cost.csv").write_text("agents,ISSUE-0001::docs,ISSUE-0001::review\nA,1,2\nB,3,4\nC,5,6\n")
    text = f"""{TEAM}set tasks from "tasks.csv"
table cost[agents, tasks] from "cost.csv"
reward r[a in agents] when move[a] == left: cost[a, "ISSUE-0001::review"] * effort["ISSUE-0001::review"]
"""
    found = checked(tmp_path, text).expansion
    assert found.world.sets["tasks"].items == ("ISSUE-0001::review", "ISSUE-0001::docs")
    assert [p.term.evaluate({f"move[{a}]": "left" for a in "ABC"}) for p in found.scenario.task.payoffs] == [6, 12, 18]


@pytest.mark.parametrize(
    ("content", "place", "words"),
    [
        (LONG.replace("B,left,3\n", ""), "t.csv:1:1", "no value for `t[B, left]`"),
        (LONG + "A,left,9\n", "t.csv:8:8", "`t[A, left]` is given twice"),
        (LONG.replace("C,right,6", "D,right,6"), "t.csv:7:1", "`D` is not in `agents`, over which `t` runs"),
        (LONG.replace("B,left,3", "B,left,"), "t.csv:4:8", "this cell is blank"),
        (LONG.replace("B,left,3", "B,left"), "t.csv:4:1", "this line has 2 cells, the header has 3"),
        (LONG.replace("B,left,3", "B,left,1e400"), "t.csv:4:8", "this number is not finite"),
        (LONG.replace("B,left,3", 'B,left,"3'), "t.csv:4:8", "this is not a CSV cell"),
        (LONG.replace("agents", "agent"), "t.csv:1:1", "the header of this file does not fit `t`"),
        ("agents,left,rihgt\nA,1,2\nB,3,4\nC,5,6\n", "t.csv:1:13", "`rihgt` is not in `moves`, over which `t` runs"),
        ("", "text.colo:6:24", "`t.csv` is empty"),
    ],
)
def test_a_mistake_in_a_file_is_told_where_it_stands(tmp_path: Path, content: str, place: str, words: str) -> None:
    (tmp_path / "t.csv").write_text(content)
    _, found = said(tmp_path, f'{TEAM}table t[agents, moves] from "t.csv"\n{USED}')
    assert found.count("error[") == 1
    assert words in found
    assert f"{place}\n" in found.replace(f"{tmp_path}/", "")


@pytest.mark.parametrize("number", ["9" * 5000, "1" * 299, "٣", "1_0", "0x1", "nan", "inf"])
def test_no_number_breaks_the_reader(tmp_path: Path, number: str) -> None:
    (tmp_path / "t.csv").write_text(f"agents,t\nA,{number}\nB,1\nC,1\n")
    said(tmp_path, f'{TEAM}table t[agents] from "t.csv"\nreward r when move[A] == left: t[A]\n')


@pytest.mark.parametrize("name", ["", "~/x.csv", "a\\\\b.csv", "//x", "..", ".", "t.csv/", "x" * 5000])
def test_no_path_breaks_the_reader(tmp_path: Path, name: str) -> None:
    _, found = said(tmp_path, f'{TEAM}table t[agents] from "{name}"\n{USED}')
    assert found.startswith("error[C059]")


def test_a_file_may_not_lead_outside_by_a_link(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "outside.csv").write_text("agents,t\nA,1\nB,1\nC,1\n")
    (inside / "t.csv").symlink_to(tmp_path / "outside.csv")
    _, found = said(inside, f'{TEAM}table t[agents] from "t.csv"\n{USED}')
    assert "outside the spec's folder" in found


def test_none_in_a_file_is_none_unless_it_is_quoted(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('agents,t\nA,1\nB, none \nC,"none"\n')
    tables = checked(tmp_path, f'{TEAM}table t[agents] from "t.csv"\n{USED}').expansion.world.tables
    assert tables["t"].entries == {("A",): 1, ("B",): None, ("C",): "none"}
    (tmp_path / "s.csv").write_text("s,pay\ndig,1\nnone,2\n")
    assert said(tmp_path, f'{TEAM}set s from "s.csv"\n{USED}')[1].startswith("error[C057]")


def test_grids(tmp_path: Path) -> None:
    text = f"""{TEAM}set cells
         | weight  label  free
  one    |     1   "a b"  none
  "2 x"  |  -1e1   plain  on
table three[moves, moves, 1..2]
               |   1     2
  left, left   |   1     2
  left, right  |   3     4
  right, left  | -5.5  1e3
  right, right |   0     0
{USED}"""
    tables = checked(
        tmp_path, text.replace("1..2]", "pair]").replace("set cells", "set pair = 1..2\nset cells")
    ).expansion
    found = tables.world.tables
    assert found["weight"].entries == {("one",): 1, ("2 x",): -10.0}
    assert found["label"].entries == {("one",): "a b", ("2 x",): "plain"}
    assert found["free"].entries == {("one",): None, ("2 x",): True}
    assert found["three"].entries["right", "left", 1] == -5.5
    assert len(found["three"].entries) == 8


def test_a_dilemma_as_one_labelled_table(tmp_path: Path) -> None:
    text = """colosseum 1
scenario dilemma "Two who may betray each other"
agents ann, bob
set moves = {cooperate, defect}
variable move[agents]: moves
table pays[moves, moves, agents]
                       | ann  bob
  cooperate, cooperate |   3    3
  cooperate, defect    |   0    5
  defect, cooperate    |   4    1
  defect, defect       |   1    2
reward payoffs[a in agents] to a: pays[move[ann], move[bob], a]
"""
    scenario = checked(tmp_path, text).expansion.scenario
    x = {"move[ann]": "defect", "move[bob]": "cooperate"}
    assert [(p.term.evaluate(x), p.credit.shares(x)) for p in scenario.task.payoffs] == [(4, ("ann",)), (1, ("bob",))]


def test_a_file_may_have_rows_by_seed(tmp_path: Path) -> None:
    """The first column `seed` chooses the rows of an instance; another seed is refused."""
    (tmp_path / "t.csv").write_text("seed,moves,t\n1,left,1\n1,right,2\n4,left,3\n4,right,4\n", encoding="utf-8")
    spec = tmp_path / "spec.colo"
    spec.write_text(f'{TEAM}table t[moves] from "t.csv"\nreward w when move[A] == left: t[left]\n', encoding="utf-8")
    for seed, first in ((1, 1), (4, 3)):
        found, diagnostics = check(spec, seed=seed)
        assert found is not None, diagnostics
        assert found.expansion.world.tables["t"].entries[("left",)] == first
    _, (missing,) = check(spec, seed=2)
    assert (missing.code, missing.message) == ("C059", "this file has no data for seed 2")
    assert missing.help == ("its seeds: 1, 4",)


def test_a_range_of_names_may_count_what_is_declared_below(tmp_path: Path) -> None:
    text = """set roads = road[1..size(links)]
    set lots = {left, right}
    set pairs_of_lots = lot[1..size(lots)]
    agents A, B, helper[1..2]
    variable take[agents]: roads
    reward r: count(a in agents when take[a] == road6)
    """
    scenario = expanded(tmp_path, HEAD + text)
    assert scenario.task.agents == ("A", "B", "helper1", "helper2")
    assert scenario.task.variables[0].domain == tuple(f"road{i}" for i in range(1, 7))
