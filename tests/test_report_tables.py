"""Tables for programs: numbers in full, nulls with their reasons, and text that no spreadsheet computes."""

import csv
import io
import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from audited import Wild, modelled, scripted
from conftest import MATCH, SPECS
from hypothesis import given
from hypothesis import strategies as st
from records import figures, record, setup
from reported import found
from test_cli_commands import colosseum as command

import colosseum
from colosseum.campaign.folder import Folder
from colosseum.evidence.figures import SCALARS, Figure, Holding, RunRecord
from colosseum.report.tables import KINDS, FigureTable, figure_table


def runs(*records: RunRecord) -> dict[str, tuple[Any, ...]]:
    """The columns of runs that are in no folder."""
    table = figure_table("runs", found(records), Folder(Path("/nowhere")))
    return {name: tuple(row[place] for row in table.rows) for place, name in enumerate(table.columns)}


# ---- files ------------------------------------------------------------------------------------------------------

NUMBERS = st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4)


def both(table: FigureTable) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """As it is read back from CSV and from JSON lines."""
    sheet = io.StringIO(table.to_csv().decode(), newline="")
    return list(csv.DictReader(sheet)), [json.loads(line) for line in table.to_jsonl().splitlines()]


@given(NUMBERS)
def test_numbers_come_back_in_full(numbers: list[float | None]) -> None:
    sheet, rows = both(FigureTable(("x", "y"), tuple((number, n) for n, number in enumerate(numbers))))
    assert [row["x"] for row in sheet] == ["" if number is None else repr(number) for number in numbers]
    assert rows == [{"x": number, "y": n} for n, number in enumerate(numbers)]


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_text_comes_back_and_is_no_formula(text: str) -> None:
    (line,), rows = both(FigureTable(("t", "n"), ((text, -1.5),)))
    assert line["t"][0] not in "=+-@\t\r＝＋－＠"
    assert line["t"].removeprefix("'") == text
    assert line["n"] == "-1.5", "numbers are numbers"
    assert rows == [{"t": text, "n": -1.5}]


def test_whole_numbers_of_any_size_and_cells_of_several_kinds_are_exact() -> None:
    table = FigureTable(("seed", "value", "ok"), ((2**70, True, True), (3, "left", None), (None, 0.5, False)))
    lines, rows = both(table)
    assert [tuple(line.values()) for line in lines] == [
        (str(2**70), "true", "true"), ("3", "left", ""), ("", "0.5", "false"),
    ]  # fmt: skip
    assert [row["seed"] for row in rows] == [2**70, 3, None]
    frame = table.to_pandas()
    assert list(frame["seed"])[:2] == [2**70, 3]
    assert list(frame["value"]) == [True, "left", 0.5]
    assert list(frame["ok"]) == [True, None, False]


def test_half_a_sign_is_written_in_words() -> None:
    table = FigureTable(("text",), (("a\ud800",),))
    assert (table.to_csv(), table.to_jsonl()) == (b"text\r\na\\ud800\r\n", b'{"text": "a\\ud800"}\n')
    assert list(table.to_pandas()["text"]) == ["a\ud800"]


# ---- columns ----------------------------------------------------------------------------------------------------


def test_a_null_has_its_reason_beside_it_and_only_where_there_is_one() -> None:
    table = runs(
        record("base", 1, figures(scalars={"regret": "not proven"})),
        record("base", 2, figures(scalars={"regret": 0.25})),
        record("base", 3, None, reason="timeout: no answer"),
    )
    assert table["regret"] == (None, 0.25, None)
    assert table["regret_reason"] == ("not proven", None, None)
    assert table["reason"] == (None, None, "timeout: no answer")
    nulls = {name for name, figure in figures().scalars.items() if figure.value is None}
    assert {name for name in table if "_reason" in name} == {"regret_reason", *(f"{name}_reason" for name in nulls)}


def test_columns_stand_in_the_same_order_whichever_run_failed() -> None:
    small = record("base", 1, figures(setup=setup(), payoff={"engineer9": 1.0}), point="n=9")
    large = record("told", 1, figures(setup=setup(secret={"decoy": ["engineer3"]})), point="n=4")
    lost = [replace(each, status="failed", figures=None, reason="timeout") for each in (small, large)]
    whole = list(runs(small, large))
    assert list(runs(*lost, replace(small, seed=2), replace(large, seed=2))) == whole
    assert whole.index("payoff[engineer9]") == whole.index("payoff[engineer4]") + 1


def test_every_figure_agent_judge_and_belief_has_a_column() -> None:
    held = Holding("engineer1", "lazy[bob]", truth=False, belief="true", confidence=80.0, first_round=2, distance=None)
    run = replace(
        figures(posts={"public": 4}, violations={"one_owner": 2}, failed_posts=1, refused=3, undecided=5,
                setup=setup(secret={"decoy": ["engineer3", "engineer4"]})),
        rubrics={"collusion": Figure(2.5), "pressure": Figure(None, "no run is judged")}, beliefs=(held,),
    )  # fmt: skip
    table = runs(record("base", 7, run, repeat=2, point="n=3", players=("sim/cooperate", "x/y")))
    assert set(SCALARS) <= set(table)
    expected = {
        "scenario": "jira", "experiment": "e", "coalition": "cabal", "point": "n=3", "arm": "base", "seed": 7,
        "repeat": 2, "player[engineer2]": "x/y", "payoff[engineer4]": 1.0, "best_response_regret[engineer1]": 0.0,
        "sequential_regret[engineer3]": 0.0, "posts[public]": 4, "violations[one_owner]": 2, "failed_posts": 1,
        "refused[engineer1]": 3, "undecided[engineer2]": 5, "infeasible": False, "member[engineer1]": True,
        "member[engineer4]": False, "secret[decoy]": "engineer3, engineer4", "judge[collusion]": 2.5,
        "judge[pressure]": None, "judge_reason[pressure]": "no run is judged",
        "belief[engineer1, lazy[bob]]": "true", "confidence[engineer1, lazy[bob]]": 80.0,
        "first_round[engineer1, lazy[bob]]": 2, "distance[engineer1, lazy[bob]]": None,
    }  # fmt: skip
    assert {name: table[name] for name in expected} == {name: (cell,) for name, cell in expected.items()}


def test_a_channel_that_a_run_lacks_has_no_number_of_posts() -> None:
    table = runs(record("a", 1, figures(posts={"public": 0})), record("b", 1, figures(posts={"public": 2, "side": 0})))
    assert (table["posts[side]"], table["posts[public]"]) == ((None, 0), (0, 2))


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_without_rows_has_its_heads(kind: str, tmp_path: Path) -> None:
    table = figure_table(kind, found([]), Folder(tmp_path))
    assert (table.rows, len(table.columns) >= 4) == ((), True)
    assert list(table.to_pandas().columns) == list(table.columns)
    assert both(table) == ([], [])


# ---- a campaign -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> colosseum.Campaign:
    folder: Path = tmp_path_factory.mktemp("table") / "runs"
    done = command("audit", SPECS / "jira.colo", "--seeds", "1..3", "--out", folder)
    assert done.returncode == 0, done.stderr
    return colosseum.Campaign(folder)


def test_runs_pairs_and_agents_have_the_figures_of_the_report(campaign: colosseum.Campaign) -> None:
    runs, pairs, agents = (campaign.figures(kind).to_pandas() for kind in ("runs", "pairs", "agents"))
    assert (len(runs), len(pairs), len(agents)) == (18, 15, 108)
    assert (runs["seed"].dtype, runs["regret"].dtype, runs["calls"].sum()) == ("int64", "float64", 0)
    for row, made in zip(runs.to_dict("records"), campaign.findings.records, strict=True):
        assert made.figures is not None
        assert row["trial"] == made.trial
        for name, figure in made.figures.scalars.items():
            assert (row[name] if row[name] == row[name] else None) == figure.value
            assert figure.value is not None or row[f"{name}_reason"] == figure.reason
    for treated in campaign.findings.summary.rows[1:]:
        mean = pairs[pairs["arm"] == treated.arm]["regret"].mean()
        assert mean == pytest.approx(treated.differences["regret"].mean.value)
    assert agents["member"].sum() == 2 * 18
    assert agents["payoff"].sum() == pytest.approx(runs["joint_payoff"].sum())


def test_acts_and_posts_are_those_of_the_traces(campaign: colosseum.Campaign) -> None:
    acts, posts = (campaign.figures(kind).to_pandas() for kind in ("acts", "posts"))
    events = [json.loads(line) for path in (campaign.folder / "runs").glob("*.jsonl")
              for line in path.read_bytes().splitlines() if not path.name.endswith(".calls.jsonl")]  # fmt: skip
    assert Counter(acts["kind"]) == Counter(e["event"] for e in events if e["event"] in ("post", "decide"))
    assert len(posts) == campaign.figures("agents").to_pandas()["posts"].sum()
    assert Counter(posts["text"]) == Counter(event["text"] for event in events if event["event"] == "post")
    assert set(posts["secret"]) == {True, False}


def test_verdicts_have_what_was_weighed_and_why_something_is_null(campaign: colosseum.Campaign) -> None:
    table = campaign.figures("verdicts").to_pandas()
    assert list(table["arm"]) == ["again", "placebo", "emergent", "emergent", "selfish", "prompted", "prompted"]
    assert [row.call for row in campaign.verdicts] == list(table["call"])
    by_place = {(row["arm"], row["signal"]): row for row in table.to_dict("records")}
    for arm in campaign.findings.verdicts.arms:
        row, part = by_place[arm.arm, "actions"], arm.action.parts[0]
        assert (row["mean"], row["n"], row["n_nonzero"]) == (part.estimate.value, part.paired.n, part.paired.n_nonzero)
    unknown = table[table["low"].isna() | table["adjusted_p"].isna()]
    assert len(unknown)
    assert unknown["reason"].notna().all()


def test_failed_runs_have_a_row_and_an_arm_without_a_pair_its_reason(tmp_path: Path) -> None:
    lost = colosseum.Campaign(modelled(tmp_path, script=Wild(breaks="Differ.")))
    table = lost.figures().to_pandas()
    assert set(table["status"]) == {"failed", "complete"}
    assert table.loc[table["status"] == "failed", "reason"].str.startswith("bad_request: ").all()
    assert table.loc[table["status"] == "failed", "regret"].isna().all()
    (row,) = lost.verdicts
    assert (row.arm, row.verdict, row.mean, row.n) == ("prompted", None, None, 0)
    assert "pair" in str(row.reason)


def test_another_kind_is_refused(campaign: colosseum.Campaign) -> None:
    with pytest.raises(colosseum.ColosseumError, match="there is no table `pair`"):
        campaign.figures("pair")


def test_without_pandas_the_extra_is_named(campaign: colosseum.Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'colosseum\[pandas\]'"):
        campaign.figures().to_pandas()


# ---- the command ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["runs.csv", "RUNS.CSV"])
def test_the_command_writes_the_table_of_runs(name: str, campaign: colosseum.Campaign, tmp_path: Path) -> None:
    done = command("report", campaign.folder, "--table", tmp_path / name, "--json")
    assert (done.returncode, done.stderr) == (0, f"18 runs in {tmp_path / name}\n")
    assert json.loads(done.stdout)["planned"] == 18, "the report itself stays"
    assert (tmp_path / name).read_bytes() == campaign.figures().to_csv()


def test_the_coalition_asked_for_is_measured(tmp_path: Path) -> None:
    text = MATCH.replace("network", "coalition one { members = {A} }\nnetwork")
    folder, rows = scripted(tmp_path / "made", seeds="1..2", text=text), {}
    for name in ("cabal", "one"):
        command("report", folder, "--coalition", name, "--table", tmp_path / f"{name}.csv")
        rows[name] = next(csv.DictReader((tmp_path / f"{name}.csv").open(newline="")))
        assert rows[name] | {"coalition": name} == rows[name]
    assert rows["cabal"]["coalition_value"] != rows["one"]["coalition_value"]


@pytest.mark.parametrize(
    ("name", "said"),
    [("runs.xlsx", ".csv"), ("runs", ".jsonl"), ("none/runs.csv", "there is no folder")],
)  # fmt: skip
def test_what_cannot_be_written_is_said_first(name: str, said: str, tmp_path: Path) -> None:
    done = command("report", tmp_path / "nothing", "--table", tmp_path / name)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "C122" in done.stderr
