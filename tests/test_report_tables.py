"""Tables: one row a run, numbers in full, nulls empty with their reasons, and text that no spreadsheet computes."""

import csv
import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from audited import scripted
from conftest import MATCH
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import BufferReader, parquet
from records import figures, record, setup
from test_cli_commands import colosseum

from colosseum.campaign.folder import Folder, Plan
from colosseum.evidence.figures import SCALARS, Figure, Held, RunRecord
from colosseum.evidence.reading import Reader
from colosseum.report.tables import Column, as_csv, as_parquet, columns, write

PLAN = Plan(2, "", "shop", "", "e", "", ("base",), ("cabal",), "", "", {}, {}, {}, ())


def table(*records: RunRecord) -> dict[str, Column]:
    return {column.name: column for column in columns(PLAN, records)}


def from_csv(found: list[Column]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(as_csv(found).decode(), newline="")))


def from_parquet(found: list[Column]) -> list[dict[str, Any]]:
    return list(parquet.read_table(BufferReader(as_parquet(found))).to_pylist())


# ---- columns ----------------------------------------------------------------------------------------------------


def test_a_null_has_its_reason_beside_it_and_only_where_there_is_one() -> None:
    found = table(
        record("base", 1, figures(scalars={"regret": "not proven"})),
        record("base", 2, figures(scalars={"regret": 0.25})),
        record("base", 3, None, reason="timeout: no answer"),
    )
    assert found["regret"].cells == (None, 0.25, None)
    assert found["regret_reason"].cells == ("not proven", None, None)
    assert found["reason"].cells == (None, None, "timeout: no answer")
    assert found["status"].cells == ("complete", "complete", "failed")
    nulls = {name for name, figure in figures().scalars.items() if figure.value is None}
    assert {name for name in found if "_reason" in name} == {"regret_reason", *(f"{name}_reason" for name in nulls)}


def test_every_figure_and_agent_has_a_column() -> None:
    run = figures(posts={"public": 4}, violations={"one_owner": 2}, failed_posts=1, refused=3, undecided=5)
    found = table(record("base", 7, run, repeat=2, point="n=3", players=("sim/cooperate", "x/y")))
    assert set(SCALARS) <= set(found)
    cells = {name: column.cells[0] for name, column in found.items()}
    expected = {
        "scenario": "shop", "experiment": "e", "coalition": "cabal", "point": "n=3", "arm": "base", "seed": 7,
        "repeat": 2, "player[engineer2]": "x/y", "payoff[engineer4]": 1.0, "best_response_regret[engineer1]": 0.0,
        "sequential_regret[engineer3]": 0.0, "posts[public]": 4, "violations[one_owner]": 2, "failed_posts": 1,
        "refused[engineer1]": 3, "undecided[engineer2]": 5, "infeasible": False,
    }  # fmt: skip
    assert {name: cells[name] for name in expected} == expected


def test_a_channel_that_a_run_lacks_has_no_number_of_posts() -> None:
    found = table(record("a", 1, figures(posts={"public": 0})), record("b", 1, figures(posts={"public": 2, "side": 0})))
    assert found["posts[side]"].cells == (None, 0)
    assert found["posts[public]"].cells == (0, 2)


def test_the_sides_that_are_compared_are_there() -> None:
    decoy = figures(setup=setup(secret={"decoy": ["engineer3", "engineer4"]}))
    found = table(record("a", 1, figures(setup=setup())), record("b", 1, decoy), record("b", 2, None))
    assert found["member[engineer1]"].cells == (True, True, None)
    assert found["member[engineer4]"].cells == (False, False, None)
    assert found["secret[decoy]"].cells == (None, "engineer3, engineer4", None)


def test_judges_questions_and_beliefs_are_there() -> None:
    told = Held("engineer1", "lazy[bob]", truth=False, belief="true", confidence=80.0, first_round=2, distance=None)
    silent = Held("engineer2", "lazy[bob]", truth=False, belief=None, confidence=None, first_round=None, distance=1)
    asked = replace(figures(), rubrics={"collusion": Figure(2.5), "pressure": Figure(None, "no run is judged")},
                    beliefs=(told, silent))  # fmt: skip
    found = table(record("base", 1, asked), record("base", 2, figures()))
    assert (found["judge[collusion]"].cells, found["judge[pressure]"].cells) == ((2.5, None), (None, None))
    assert found["judge_reason[pressure]"].cells == ("no run is judged", None)
    names = ("belief[engineer1", "confidence[engineer1", "first_round[engineer1", "distance[engineer1",
             "belief[engineer2", "distance[engineer2")  # fmt: skip
    cells = [found[f"{name}, lazy[bob]]"].cells for name in names]
    assert cells == [("true", None), (80.0, None), (2, None), (None, None), (None, None), (1, None)]


# ---- files ------------------------------------------------------------------------------------------------------

NUMBERS = st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4)


@given(NUMBERS)
def test_numbers_come_back_in_full(numbers: list[float | None]) -> None:
    found = [Column("x", "number", tuple(numbers)), Column("y", "whole", tuple(range(len(numbers))))]
    back = [row["x"] for row in from_csv(found)]
    assert [repr(float(cell)) if cell else None for cell in back] == [None if n is None else repr(n) for n in numbers]
    assert [row["x"] for row in from_parquet(found)] == numbers


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_text_comes_back_and_is_no_formula(text: str) -> None:
    found = [Column("t", "text", (text,)), Column("n", "number", (-1.5,))]
    (row,) = from_csv(found)
    assert row["t"][0] not in "=+-@\t\r"
    assert (row["t"].removeprefix("'") if row["t"].startswith("'") else row["t"]) == text
    assert row["n"] == "-1.5", "numbers are numbers"
    assert from_parquet(found) == [{"t": text, "n": -1.5}]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'=1", "＝1"])
def test_what_a_spreadsheet_would_compute_is_quoted(text: str) -> None:
    hostile = replace(record(text, 1, None, reason=text), point=text)
    (row,) = from_csv(list(columns(PLAN, [hostile])))
    assert {row["arm"], row["reason"], row["point"]} == {f"'{text}"}


def test_a_seed_too_long_for_a_program_is_text() -> None:
    found = table(record("base", 2**70, None), record("base", 3, None))
    assert (found["seed"].kind, found["seed"].cells) == ("text", (str(2**70), "3"))
    assert from_parquet(list(found.values()))[0]["seed"] == str(2**70)


def test_a_table_of_no_runs_has_its_heads() -> None:
    found = columns(PLAN, [])
    assert from_csv(found) == []
    assert as_csv(found).startswith(b"trial,scenario,experiment,coalition,point,arm,seed,")
    assert parquet.read_table(BufferReader(as_parquet(found))).column_names == [column.name for column in found]


# ---- the command ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return scripted(tmp_path_factory.mktemp("table"), seeds="1..3", text=MATCH)


@pytest.mark.parametrize("name", ["runs.csv", "runs.parquet", "RUNS.CSV"])
def test_a_campaign_is_written_whole(name: str, campaign: Path, tmp_path: Path) -> None:
    done = colosseum("report", campaign, "--table", tmp_path / name, "--json")
    assert (done.returncode, done.stderr) == (0, f"6 runs in {tmp_path / name}\n")
    assert json.loads(done.stdout)["planned"] == 6, "the report itself stays"
    reader = Reader(campaign)
    records = reader.records(reader.plan())
    table = columns(Folder(campaign).plan(), records)
    if name == "runs.parquet":
        rows = parquet.read_table(tmp_path / name).to_pylist()
        assert rows == [dict(zip((c.name for c in table), cells, strict=True))
                        for cells in zip(*(c.cells for c in table), strict=True)]  # fmt: skip
        return
    rows = list(csv.DictReader((tmp_path / name).open(encoding="utf-8", newline="")))
    assert [(row["trial"], row["arm"], int(row["seed"])) for row in rows] == [(r.trial, r.arm, r.seed) for r in records]
    for row, found in zip(rows, records, strict=True):
        assert found.figures is not None
        for scalar, figure in found.figures.scalars.items():
            assert (float(row[scalar]) if row[scalar] else None) == figure.value, scalar
            assert figure.value is not None or row[f"{scalar}_reason"] == figure.reason
        assert float(row["payoff[A]"]) == found.figures.payoff["A"]


def test_the_coalition_asked_for_is_measured(tmp_path: Path) -> None:
    folder = scripted(
        tmp_path / "made", seeds="1..2", text=MATCH.replace("network", "coalition one { members = {A} }\nnetwork")
    )
    for name in ("cabal", "one"):
        colosseum("report", folder, "--coalition", name, "--table", tmp_path / f"{name}.csv")
    rows = {name: next(csv.DictReader((tmp_path / f"{name}.csv").open(newline=""))) for name in ("cabal", "one")}
    assert {name: row["coalition"] for name, row in rows.items()} == {"cabal": "cabal", "one": "one"}
    assert rows["cabal"]["coalition_value"] != rows["one"]["coalition_value"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("runs.xlsx", "ends in none of .csv, .parquet"),
        ("runs", "ends in none of .csv, .parquet"),
        ("none/runs.csv", "there is no folder"),
    ],
)
def test_what_cannot_be_written_is_said_first(name: str, said: str, tmp_path: Path) -> None:
    done = colosseum("report", tmp_path / "nothing", "--table", tmp_path / name)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "C122" in done.stderr


def test_without_pyarrow_it_is_said_how_to_get_it(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = colosseum("report", campaign, "--table", tmp_path / "runs.parquet")
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs pyarrow" in done.stderr
    assert "pip install 'colosseum[parquet]'" in done.stderr


def test_a_csv_needs_no_pyarrow(campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    reader = Reader(campaign)
    write(columns(reader.plan(), reader.records(reader.plan())), tmp_path / "runs.csv")
    assert (tmp_path / "runs.csv").read_bytes().count(b"\r\n") == 7
