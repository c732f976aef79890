"""Tables of messages and decisions are imported: own runs come back equal, and what does not fit is refused."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from conftest import MATCH, checked
from pyarrow import parquet
from test_cli_commands import colosseum

from colosseum import Campaign, ColosseumError, load
from colosseum.campaign.replaying import MOST_NAMED
from colosseum.evidence.reading import Reader
from colosseum.imports.importing import import_runs
from colosseum.model.check import check

EXPERIMENT = """
experiment e {
  rounds 2
  seeds 1..3
  arm baseline { }
  arm talk { backroom on }
}
"""
MAPPED = """
trace from "table" {
  agent a is speaker
  run is game  post is words  round is turn
  channel backroom is room == "private"
  decide move[a] is choice
  arm talk is condition == "B"
  arm baseline is condition == "A"
  seed is game_number
  model is llm
}
"""


def spec_in(folder: Path, mapping: str = "") -> Path:
    path = folder / "match.colo"
    path.write_text(MATCH.partition("experiment")[0] + EXPERIMENT + mapping, encoding="utf-8")
    return path


def imported(spec: Path, *sources: Path, code: int = 0) -> dict[str, Any]:
    found = import_runs(checked(spec), sources, spec.parent / "in")
    assert (found.refused > 0) == bool(code)
    return asdict(found)


def test_a_table_of_ones_own_is_mapped(tmp_path: Path) -> None:
    table = tmp_path / "games.csv"
    table.write_text(
        "game,game_number,condition,llm,speaker,room,turn,words,choice\n"
        "g1,1,B,gpt,A,public,1,hello,\ng1,1,B,gpt,B,private,2,psst,left\n"
        "g1,1,B,gpt,A,public,,late,left\ng1,1,B,gpt,C,,,,right\n"
        "g2,1,A,gpt,A,,,,left\ng2,1,A,gpt,B,,,,up\n"
        "g3,2,A,gpt,A,,,,left\ng3,2,A,gpt,Zed,public,1,hi,\n"
        "g4,3,A,gpt,A,,,,LEFT\n",
        encoding="utf-8",
    )
    found = imported(spec_in(tmp_path, MAPPED), table, code=1)
    first, outside, strange, loud = found["runs"]
    assert loud["reason"] == "`move[A]` is `LEFT`, which is not in its domain; did you mean `left`?"
    assert (first["became"], first["arm"], first["seed"], first["model"]) == ("new", "talk", 1, "gpt")
    assert (first["posts"], first["decisions"]) == (3, 3)
    assert (outside["became"], outside["reason"]) == ("refused", "`move[B]` is `up`, which is not in its domain; "
                                                      "its values: left, right")  # fmt: skip
    assert strange["reason"].startswith("`Zed` is not an agent of the scenario")
    (trace,) = (tmp_path / "in" / "runs").glob("*.jsonl")
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    posts = [(e["agent"], e["channel"], e["round"]) for e in events if e["event"] == "post"]
    assert posts == [("A", "public", 1), ("B", "backroom", 2), ("A", "public", None)]
    assert events[0]["imported"]["missing"] == ["turn order", "prompts", "memberships"]


@pytest.mark.parametrize("entries", ['agent A is "Ann"  agent a is who', 'agent a is who  agent A is "Ann"'])
def test_names_of_agents_may_stand_beside_their_column(tmp_path: Path, entries: str) -> None:
    table = tmp_path / "games.csv"
    table.write_text("who,arm,seed,text\nAnn,talk,1,hi\nB,talk,1,ho\n", encoding="utf-8")
    spec = spec_in(tmp_path, f'trace from "table" {{ {entries} }}')
    assert [(run["became"], run["posts"]) for run in imported(spec, table)["runs"]] == [("new", 2)]


def test_a_model_that_the_mapping_states_is_who_acted(tmp_path: Path) -> None:
    """And the list of such runs is not held against the spec, as others made them."""
    table = tmp_path / "games.csv"
    table.write_text("game,game_number,condition,speaker,choice\ng1,1,B,A,left\ng1,1,B,B,left\ng1,1,B,C,right\n")
    mapped = MAPPED.replace("model is llm", 'model is "gpt-4o"').replace("post is words  round is turn", "")
    imported(spec_in(tmp_path, mapped.replace('  channel backroom is room == "private"\n', "")), table)
    (trace,) = (tmp_path / "in" / "runs").glob("*.jsonl")
    assert set(json.loads(trace.read_text().splitlines()[0])["players"].values()) == {"gpt-4o"}
    assert json.loads(colosseum("log", "verify", tmp_path / "in", "--json").stdout)["underived"] == (
        "its runs were imported"
    )


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_cells_may_stand_between_other_signs(tmp_path: Path, sign: str) -> None:
    table = tmp_path / "games.csv"
    table.write_text("agent,arm,seed,text\nA,talk,1,hi; all\n".replace(",", sign).replace("hi; all", '"hi; all"'))
    assert [(run["became"], run["posts"]) for run in imported(spec_in(tmp_path), table)["runs"]] == [("new", 1)]


def test_nobody_decides_what_stands_in_the_row_of_another(tmp_path: Path) -> None:
    table = tmp_path / "games.csv"
    rows = "g1,1,B,gpt,A,public,1,hello,\ng1,1,B,gpt,B,,,,left\n"
    table.write_text("game,game_number,condition,llm,speaker,room,turn,words,choice\n" + rows, encoding="utf-8")
    assert [run["decisions"] for run in imported(spec_in(tmp_path, MAPPED), table)["runs"]] == [1]


def test_who_decides_twice_is_refused_and_saying_it_again_is_not(tmp_path: Path) -> None:
    table, head = tmp_path / "games.csv", "game,game_number,condition,llm,speaker,room,turn,words,choice\n"
    rows = "g{0},{0},B,gpt,A,public,1,hello,left\ng{0},{0},B,gpt,A,public,1,again,{1}\n"
    table.write_text(head + rows.format(1, "left") + rows.format(2, "right"), encoding="utf-8")
    same, other = imported(spec_in(tmp_path, MAPPED), table, code=1)["runs"]
    assert (same["became"], same["decisions"]) == ("new", 1)
    assert other["reason"] == "`A` decides twice: `choice` is `left`, then `right`"


def test_rows_without_a_run_are_told_apart_by_what_is_mapped(tmp_path: Path) -> None:
    table, head = tmp_path / "games.csv", "game_number,condition,llm,speaker,room,turn,words,choice\n"
    rows = (f"{seed},{arm},gpt,A,public,1,hello,left\n" for seed in (1, 2) for arm in "AB")
    table.write_text(head + "".join(rows), encoding="utf-8")
    found = imported(spec_in(tmp_path, MAPPED.replace("run is game  ", "")), table)["runs"]
    assert [(run["source"], run["arm"], run["seed"]) for run in found] == [
        ("A 1", "baseline", 1), ("B 1", "talk", 1), ("A 2", "baseline", 2), ("B 2", "talk", 2)
    ]  # fmt: skip


@pytest.mark.parametrize("column", [True, False])
def test_a_table_without_messages_says_nothing_of_them(tmp_path: Path, *, column: bool) -> None:
    """Where it has their column, and nobody wrote anything, nobody spoke."""
    head, cell = ",text" * column, "," * column
    rows = "".join(f"A,talk,1,move[{agent}],left{cell}\n" for agent in "ABC")
    (tmp_path / "a.csv").write_text(f"agent,arm,seed,variable,value{head}\n{rows}", encoding="utf-8")
    (run,) = imported(spec_in(tmp_path), tmp_path / "a.csv")["runs"]
    assert ("messages" in run["missing"]) != column
    reader = Reader(tmp_path / "in")
    (record,) = reader.records(reader.plan())
    assert record.figures is not None
    assert record.figures.posts == ({"backroom": 0, "public": 0} if column else {})
    assert record.figures.scalars["judge_score"].reason == ("" if column else "the source does not hold all messages")
    assert record.figures.scalars["joint_payoff"].value is not None


def test_words_alone_give_figures_that_are_null_with_a_reason(tmp_path: Path) -> None:
    table = tmp_path / "words.jsonl"
    row = {"seed": 1, "arm": "talk", "agent": "A", "channel": "backroom", "text": "\u001b[31m psst"}
    table.write_text("\n".join(json.dumps(row | {"agent": agent}) for agent in "AB"), encoding="utf-8")
    spec = spec_in(tmp_path)
    assert imported(spec, table)["runs"][0]["missing"][-2:] == ("decisions", "memberships")
    reader = Reader(tmp_path / "in")
    (record,) = reader.records(reader.plan())
    assert record.figures is not None
    assert record.figures.scalars["joint_payoff"].reason == "the source does not hold all decisions"
    assert record.figures.scalars["optimum"].value is not None
    assert record.figures.posts == {"backroom": 2, "public": 0}
    assert {each.phase for each in record.figures.talk} == {"unknown"}
    shown = colosseum("log", "show", tmp_path / "in", "talk:1")
    assert "\u001b" not in shown.stdout
    assert "the source does not hold all decisions" in shown.stdout
    assert "imported  table, `talk 1`; not in it: turn order, prompts, rounds, decisions," in shown.stdout
    assert colosseum("report", tmp_path / "in", "--html", tmp_path / "page.html").returncode == 0
    assert colosseum("judge", tmp_path / "in").returncode == 0
    again = colosseum("replay", tmp_path / "in")
    assert (again.returncode, "are imported" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.jsonl", '{"agent": "A", ', "a.jsonl line 1 is damaged, or of another format: JSONDecodeError"),
        ("a.jsonl", "[1]", "a.jsonl line 1 is no object"),
        ("a.csv", "agent,arm\n", "a.csv holds no runs"),
        ("a.csv", "agent,arm\nA\n", "line 2 has another number of cells than the header"),
        ("a.jsonl", '{"agent": "A", "arm": "talk", "seed": 1, "channel": [1], "text": "hi"}', "`[1]` is no channel"),
        ("a.csv", "who,arm\nA,talk\n", "there is no column `agent`"),
        ("a.csv", "agent,arm,seed\nA,talk,one\n", "its seed is `one`, not a whole number"),
        ("a.csv", "agent,arm\nA,talk\n", "the source does not say its seed"),
        ("a.csv", "agent,arm,seed\nA,tlak,1\n", "`tlak` is no arm of `e`; did you mean `talk`?"),
        ("a.csv", "agent,arm,seed,variable,value\nA,talk,1,move[A],left\nA,talk,1,move[A],right\n",
         "`move[A]` is decided twice: map what tells runs apart, as in `run is game`"),
        ("a.csv", "agent,arm,seed,variable,value\nA,talk,1,move,left\nB,talk,1,move,left\n",
         "`move` is decided twice: write each agent's own as `move[B]`"),
        ("a.csv", "agent,seed,variable,value\nA,1,move[A],left\n",
         "the source does not say its arm: map it, as in `arm baseline is group == 1`"),
        ("a.csv", "agent,arm,seed,variable,value\nA,talk,1,move[Z],left\n", "`move[Z]` is not a variable"),
        ("a.csv", "agent,arm,seed,channel,text\nA,talk,1,backrooom,hi\n", "`backrooom` is no channel of the scenario"),
        ("a.csv", "agent,arm,seed,run\nA,talk,1,x\nA,talk,1,y\nA,talk,1,x\n", "its rows do not stand together"),
        ("a.csv", "agent,arm,seed,text\nA,talk,1,\xff\n", "not UTF-8"),
        ("a.csv", "run,agent,arm,seed\nx,A,talk,1\nx,A,baseline,1\n",
         "rows of several runs have one name: `arm` is talk and baseline; map what tells runs apart"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(tmp_path: Path, name: str, content: str, reason: str) -> None:
    (tmp_path / name).write_bytes(content.encode("latin-1"))
    found = imported(spec_in(tmp_path), tmp_path / name, code=1)
    assert any(reason in run["reason"] for run in found["runs"] if run["became"] == "refused"), found


def test_a_run_that_is_refused_keeps_no_place_from_another(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    rows = "x,A,talk,1,nowhere,hi\ny,A,talk,1,public,hi\n"
    table.write_text("run,agent,arm,seed,channel,text\n" + rows, encoding="utf-8")
    found = imported(spec_in(tmp_path), table, code=1)
    assert [run["became"] for run in found["runs"]] == ["refused", "new"]


def test_a_run_whose_rows_stand_apart_is_refused_whole(tmp_path: Path) -> None:
    head, table = "run,agent,arm,seed,variable,value\n", tmp_path / "a.csv"
    rows = ["x,A,talk,1,move[A],left\n", "y,A,talk,2,move[A],left\n", "x,B,talk,1,move[B],left\n"]
    table.write_text(head + "".join(rows), encoding="utf-8")
    found = imported(spec_in(tmp_path), table, code=1)
    assert [(run["source"], run["became"]) for run in found["runs"]] == [("x", "refused"), ("y", "new")]
    assert found["runs"][0]["reason"] == "its rows do not stand together in the file: sort it by run"
    table.write_text(head + "".join(sorted(rows)), encoding="utf-8")
    found = imported(spec_in(tmp_path), table)
    assert [(run["became"], run["decisions"]) for run in found["runs"]] == [("new", 2), ("known", 1)]


def test_where_every_run_is_refused_nothing_is_written_and_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("agent,arm,seed\n", encoding="utf-8")
    done = colosseum("import", spec_in(tmp_path), tmp_path / "a.csv", "--out", tmp_path / "in")
    assert (done.returncode, done.stderr, (tmp_path / "in").exists()) == (1, "", False)
    assert done.stdout.startswith("Nothing was written: 1 refused")


def test_a_refusal_names_the_first_run_that_it_is_of(tmp_path: Path) -> None:
    table, spec = tmp_path / "a.csv", spec_in(tmp_path)
    rows = "x,A,tlak,1\ny,A,tlak,2\nz,A,talk,1\n"
    table.write_text("run,agent,arm,seed\n" + rows + "w,Zed,talk,3\n", encoding="utf-8")
    shown = " ".join(colosseum("import", spec, table, "--out", tmp_path / "in").stdout.split())
    assert ": 1 new, 3 refused Runs" in shown
    assert "did you mean `talk`? (first in `x`)" in shown
    assert shown.endswith("(in `w`)")


def test_where_no_arm_holds_what_the_mapping_reads_is_told(tmp_path: Path) -> None:
    """Of many such reasons the terminal shows some, and says so."""
    table, spec = tmp_path / "games.csv", spec_in(tmp_path, MAPPED)
    rows = "".join(f"g{number},{number},C{number},gpt,A,,,,left\n" for number in range(1, 31))
    table.write_text(GAMES.partition("\n")[0] + "\n" + rows, encoding="utf-8")
    reason = imported(spec, table, code=1)["runs"][0]["reason"]
    assert reason == "no `arm … is …` of the mapping holds for it: `condition` is `C1`"
    shown = colosseum("import", spec, table, "--out", tmp_path / "in").stdout
    assert f"Refused, {MOST_NAMED} of 30 reasons" in shown
    assert shown.count("of the mapping") == MOST_NAMED


def test_a_param_is_of_the_kind_that_the_spec_gives_it(tmp_path: Path) -> None:
    """Cells of CSV are texts; what they say is a point of its own where it is not the spec's."""
    mapping = 'trace from "table" { param n is size  param x is share  param w is word }'
    table, spec, params = tmp_path / "a.csv", spec_in(tmp_path, mapping), "param n = 3  param x = 0.5  param w = yes"
    own = spec.read_text(encoding="utf-8").replace("agents", f"set ws = {{yes, no}}\n{params}\nagents", 1)
    spec.write_text(own, encoding="utf-8")
    rows = "x,A,talk,1,3,0.50,\ny,A,talk,2,4.0,0.5,yes\nz,A,talk,3,3,1,no\nw,A,talk,1,many,0.5,\n"
    table.write_text("run,agent,arm,seed,size,share,word\n" + rows, encoding="utf-8")
    *_, strange = imported(spec, table, code=1)["runs"]
    assert strange["reason"] == "its `n` is `many`, not a number"
    trials = Reader(tmp_path / "in").plan().trials
    assert {(listed.seed, listed.point) for listed in trials} == {(1, ""), (2, "n=4"), (3, "x=1.0, w=no")}


@pytest.mark.parametrize(
    ("mapped", "rows", "points"),
    [
        ("", "x,A,talk,1,4,n=4\ny,A,talk,1,6,n=6\n", ["n=4", "n=6"]),
        ("param n is size", "x,A,talk,1,4,\ny,A,talk,1,6.0,\n", ["n=4", "n=6"]),
        ("", "x,A,talk,1,4,\n", "its params fit 2 points: name the one it has in a column `point`: n=4 or n=6"),
        ("param n is size", "x,A,talk,1,5,\n", "its params fit 0 points"),
        ("param n is size", "x,A,talk,1,6,n=4\n", "its params fit 0 points"),
    ],
)
def test_a_run_of_a_sweep_is_of_the_point_that_it_tells(
    tmp_path: Path, mapped: str, rows: str, points: list[str] | str
) -> None:
    table, spec = tmp_path / "a.csv", spec_in(tmp_path, f'trace from "table" {{ agent a is agent  {mapped} }}')
    swept = spec.read_text(encoding="utf-8").replace("agents", "param n = 3\nagents", 1)
    spec.write_text(swept.replace("  seeds", "  sweep n in 4, 6\n  seeds"), encoding="utf-8")
    table.write_text("run,agent,arm,seed,size,point\n" + rows, encoding="utf-8")
    if isinstance(points, str):
        assert imported(spec, table, code=1)["runs"][0]["reason"].startswith(points)
    else:
        imported(spec, table)
        assert [listed.point for listed in Reader(tmp_path / "in").plan().trials] == points


@pytest.mark.parametrize("condition", ["it in 1..3", "it * 2 == 2", "it not in {1}"])
def test_a_mapping_that_computes_more_is_told(tmp_path: Path, condition: str) -> None:
    table, spec = tmp_path / "a.csv", spec_in(tmp_path, f'trace from "table" {{ arm talk is {condition} }}')
    table.write_text("agent,seed,it\nA,1,1\n", encoding="utf-8")
    with pytest.raises(ColosseumError, match="it computes only sums"):
        imported(spec, table)


@pytest.mark.parametrize(
    ("condition", "cell", "holds"),
    [
        ("1 == it", "1", True), ("1 <= it <= 3", "2.0", True), ("it <= 3", "4", False), ("true == it", "TRUE", True),
        ('it == "1_0"', "1_0", True), ("it == 10", "1_0", False),
    ],
)  # fmt: skip
def test_either_side_of_a_comparison_may_be_a_text_of_a_number(
    tmp_path: Path, condition: str, cell: str, *, holds: bool
) -> None:
    table, spec = tmp_path / "a.csv", spec_in(tmp_path, f'trace from "table" {{ arm talk is {condition} }}')
    table.write_text(f"agent,seed,it\nA,1,{cell}\n", encoding="utf-8")
    assert len(imported(spec, table, code=int(not holds))["runs"]) == 1


def test_a_column_named_broken_is_as_any_other(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("agent,arm,seed,text,broken\nA,talk,1,hi,yes\n", encoding="utf-8")
    assert [run["posts"] for run in imported(spec_in(tmp_path), table)["runs"]] == [1]


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("agent,arm,seed,variable,value\nA,talk,1,move[A],left\n", encoding="utf-8")
    done = colosseum("import", spec_in(tmp_path), table, "--out", tmp_path / "in", "--dry-run")
    assert (done.returncode, (tmp_path / "in").exists()) == (0, False)
    assert "Nothing was written: 1 new" in done.stdout
    lacking = done.stdout.partition("Decisions that nobody took\n")[2].split("\n\n")[0]
    assert lacking.split() == ["move[B]", "1", "run", "move[C]", "1", "run"]
    assert str(load(tmp_path / "match.colo").import_runs([table], tmp_path / "in", dry_run=True)) == done.stdout
    assert load(tmp_path / "match.colo").import_runs([table], tmp_path / "in").refused == 0
    assert len(Campaign(tmp_path / "in")) == 1


def test_a_dry_run_of_many_long_names_is_one_table(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    rows = (f"{seed:064},A,talk,{seed},move[A],left,gpt-4o\n" for seed in range(1, 61))
    table.write_text("run,agent,arm,seed,variable,value,model\n" + "".join(rows), encoding="utf-8")
    shown = colosseum("import", spec_in(tmp_path), table, "--out", tmp_path / "in", "--dry-run", COLUMNS="80").stdout
    assert [line.split() for line in shown.splitlines() if line.startswith("  run ")] == [
        ["run", "arm", "seed", "model", "posts", "decisions"]
    ]


def test_a_field_that_there_is_not_is_told_with_its_line(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text(GAMES, encoding="utf-8")
    for meant in ("condition ==", "post is words", "move[a] is choice", "a is speaker", "room ==", "is game_number"):
        written = meant.removesuffix(" ==").rpartition(" ")[2]
        spec = spec_in(tmp_path, MAPPED.replace(meant, meant.replace(written, f"{written}_")))
        done = colosseum("import", spec, table, "--out", tmp_path / "in")
        assert (done.returncode, (tmp_path / "in").exists()) == (2, False)
        assert f"the source has no field `{written}_`" in done.stderr
        assert f"did you mean `{written}`?" in done.stderr


def test_a_field_counts_as_there_where_any_run_has_it(tmp_path: Path) -> None:
    """And columns that need no mapping hide no name that means nothing."""
    rows = [{"run": run, "arm": "talk", "seed": 1, "repeat": run, "agent": agent, **told}
            for run, told in ((1, {"choice": "left"}), (2, {})) for agent in "ABC"]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    spec = spec_in(tmp_path, 'trace from "table" { decide move[a] is choice }')
    found = imported(spec, tmp_path / "a.jsonl")["runs"]
    assert [(run["became"], run["decisions"]) for run in found] == [("new", 3), ("new", 0)]
    own = [row | {"variable": f"move[{row['agent']}]", "value": "left"} for row in rows]
    (tmp_path / "b.jsonl").write_text("\n".join(map(json.dumps, own)), encoding="utf-8")
    for entry in ("decide move[a] is choise", "agent A is choise", "round is choise", "model is choise"):
        unfit = checked(spec_in(tmp_path, f'trace from "table" {{ {entry} }}'))
        with pytest.raises(ColosseumError, match="the source has no field `choise`"):
            import_runs(unfit, [tmp_path / "b.jsonl"], tmp_path / "o")


@pytest.mark.parametrize("entry", ['agent Z is "Zed"', "agent Z[k] is names[k]", "agent move[k] is names[k]"])
def test_an_entry_of_an_agent_that_there_is_not_is_told(tmp_path: Path, entry: str) -> None:
    table = tmp_path / "games.csv"
    table.write_text("agent,arm,seed,text,names\nA,talk,1,hi,\n", encoding="utf-8")
    done = colosseum("import", spec_in(tmp_path, f'trace from "table" {{ {entry} }}'), table, "--out", tmp_path / "in")
    assert (done.returncode, (tmp_path / "in").exists()) == (2, False)
    assert f"there is no agent `{entry.split()[1].partition('[')[0]}`" in done.stderr


def test_a_source_that_the_mapping_does_not_fit_leaves_nothing_of_the_others(tmp_path: Path) -> None:
    head, row = "game,game_number,condition,llm,speaker,words,choice,room,turn\n", "g,{},B,gpt,A,hi,left,public,1\n"
    first, second, wrong = (tmp_path / name for name in ("first.csv", "second.csv", "wrong.csv"))
    first.write_text(head + row.format(1), encoding="utf-8")
    second.write_text(head + row.format(2), encoding="utf-8")
    wrong.write_text("game,game_number,llm,speaker,words\ng,3,gpt,A,\n", encoding="utf-8")
    spec, unfit = (checked(spec_in(tmp_path, text)) for text in (MAPPED, MAPPED.replace("room ==", "place ==")))
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(ColosseumError, match="the source has no field `place`"):
        import_runs(unfit, [first, wrong], tmp_path / "deep" / "in")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    import_runs(spec, [first], tmp_path / "in")
    held = {path: path.read_bytes() for path in (tmp_path / "in").rglob("*") if path.is_file()}
    _, unlike = import_runs(spec, [second, wrong], tmp_path / "other").runs
    assert unlike.reason == "no `arm … is …` of the mapping holds for it: `condition` is `not there`"
    assert {path: path.read_bytes() for path in (tmp_path / "in").rglob("*") if path.is_file()} == held
    assert [run.became for run in import_runs(spec, [first, second], tmp_path / "in").runs] == ["known", "new"]
    assert not Campaign(tmp_path / "in").verify().faults


def test_a_mapping_of_what_the_scenario_lacks_is_told(tmp_path: Path) -> None:
    wrong = (
        "  chanel x is y",
        "  arm tlak is a",
        "  channel bckroom is b",
        "  decide mov[a] is c",
        "  seed x is 3",
        '  decide move["A"] is c',
    )
    _, diagnostics = check(spec_in(tmp_path, 'trace from "table" {\n' + "\n".join(wrong) + "\n}\n"))
    assert [d.message for d in diagnostics] == [
        "`chanel` maps nothing", "there is no arm `tlak`", "there is no channel `bckroom`",
        "there is no variable `mov`", "expected `seed is …`", "expected a name, or a name with indices",
    ]  # fmt: skip
    assert diagnostics[0].help == ("did you mean `channel`?",)


def as_parquet(folder: Path, rows: list[dict[str, Any]]) -> Path:
    """Several row groups, and a column that only some rows have."""
    path = folder / "games.parquet"
    names = dict.fromkeys(name for row in rows for name in row)
    whole = pyarrow.Table.from_pylist([{name: row.get(name) for name in names} for row in rows])
    parquet.write_table(whole, path, row_group_size=2)
    return path


ROWS: list[dict[str, Any]] = [
    {"run": "r", "arm": "talk", "seed": 1, "agent": "A", "channel": "public", "round": 1, "text": "=hi", "model": "m"},
    *({"run": "r", "arm": "talk", "seed": 1, "agent": agent, "variable": f"move[{agent}]", "value": "left",
       "model": "m"} for agent in "ABC"),
]  # fmt: skip


def test_parquet_is_read_as_the_same_rows_of_json(tmp_path: Path) -> None:
    spec, lines = spec_in(tmp_path), tmp_path / "games.jsonl"
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    found = [import_runs(checked(spec), [path], tmp_path / path.suffix[1:], reader="table").runs
             for path in (lines, as_parquet(tmp_path, ROWS))]  # fmt: skip
    traces = [next((tmp_path / kind / "runs").glob("*.jsonl")).read_text() for kind in ("jsonl", "parquet")]
    events = [[json.loads(line) for line in trace.splitlines()] for trace in traces]
    told = [[{k: v for k, v in e.items() if k not in ("chain", "trial", "imported")} for e in each] for each in events]
    assert told[0] == told[1]
    assert [(run.became, run.posts, run.decisions) for (run,) in found] == [("new", 1, 3)] * 2


def test_damaged_parquet_is_refused(tmp_path: Path) -> None:
    path = as_parquet(tmp_path, ROWS)
    path.write_bytes(path.read_bytes()[:-9])
    (run,) = imported(spec_in(tmp_path), path, code=1)["runs"]
    assert "games.parquet is damaged, or of another format" in run["reason"]


def test_parquet_without_its_extra_is_refused_by_the_name_of_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, path = spec_in(tmp_path), as_parquet(tmp_path, ROWS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = colosseum("import", spec, path, "--out", tmp_path / "in")
    assert done.returncode == 1
    assert "games.parquet needs `pip install colosseum[parquet]`" in " ".join((done.stdout + done.stderr).split())


GAMES = "game,game_number,condition,llm,speaker,room,turn,words,choice\n" + "".join(
    f"{arm}{seed},{seed},{arm},gpt,B,{room},1,psst,left\n{arm}{seed},{seed},{arm},gpt,C,{room},1,yes,right\n"
    f"{arm}{seed},{seed},{arm},gpt,A,,,,left\n"
    for seed in (1, 2) for arm, room in (("A", "public"), ("B", "private"))
)  # fmt: skip


def test_posts_are_told_by_channel_and_a_mapped_channel_without_any_is(tmp_path: Path) -> None:
    table, spec = tmp_path / "games.csv", spec_in(tmp_path, MAPPED)
    table.write_text(GAMES, encoding="utf-8")
    told = [run["channels"] for run in imported(spec, table)["runs"]]
    assert told == [{"public": 2, "backroom": 0}, {"backroom": 2, "public": 0}] * 2
    for literal, posts in (
        ('"private"', "public 4 posts in 2 runs backroom 4 posts in 2 runs"),
        ('"secret"', "public 8 posts in 4 runs backroom no post: if the source has some, mend `channel backroom is …`"),
    ):
        spec = spec_in(tmp_path, MAPPED.replace('"private"', literal))
        shown = colosseum("import", spec, table, "--out", tmp_path / "dry", "--dry-run").stdout
        assert f"Posts by channel {posts}" in " ".join(shown.split())


def test_where_nobody_posts_no_channel_is_to_be_mended(tmp_path: Path) -> None:
    """And of a public channel, which no mapping can name, nothing is to be mended where a secret one has posts."""
    table, spec = tmp_path / "games.csv", spec_in(tmp_path)
    head, rows = "agent,arm,seed,channel,text,variable,value\n", "A,talk,1,,,move[A],left\n"
    for more, posts in (
        ("", "none no run has a post: if the source has some, say where, as in `post is message`"),
        ("B,talk,1,backroom,psst,,\n", "backroom 1 post in 1 run public no post"),
    ):
        table.write_text(head + rows + more, encoding="utf-8")
        shown = colosseum("import", spec, table, "--out", tmp_path / "dry", "--dry-run").stdout
        assert f"Posts by channel {posts} Not in the source" in " ".join(shown.split())


def test_an_arm_is_treated_though_nobody_used_its_channel(tmp_path: Path) -> None:
    """And an arm that turns no channel on is none that repeats the control: what agents are told is not known."""
    table = tmp_path / "games.csv"
    table.write_text(GAMES.replace("private", "public"), encoding="utf-8")
    spec = spec_in(tmp_path, MAPPED)
    imported(spec, table)
    shown = " ".join(colosseum("report", tmp_path / "in").stdout.split())
    assert "In `talk`" in shown
    assert "There is no post in `backroom`" in shown


def test_a_run_that_was_mended_since_says_where_to_import_it(tmp_path: Path) -> None:
    table, spec = tmp_path / "games.csv", spec_in(tmp_path, MAPPED)
    table.write_text(GAMES, encoding="utf-8")
    imported(spec, table)
    table.write_text(GAMES.replace("B1,1,B,gpt,A,,,,left", "B1,1,B,gpt,A,,,,right"), encoding="utf-8")
    _, mended, *_ = imported(spec, table, code=1)["runs"]
    assert (mended["became"], mended["arm"], mended["seed"], mended["trial"]) == ("refused", "talk", 1, "")
    assert "if you mended or renamed the file, import into a new folder by `--out`" in mended["reason"]
