"""Own runs are exported and read back equal: posts, decisions and figures, whoever played and in every format."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from audited import HOSTILE, SPEC, Wild, modelled, scripted
from chat_server import Answer, Body, thinks
from conftest import SPECS, checked
from test_cli_commands import colosseum

from colosseum import Campaign, load
from colosseum.evidence.figures import RunRecord
from colosseum.evidence.reading import Reader
from colosseum.evidence.talk import MISTAKES
from colosseum.imports.exporting import WRITERS
from colosseum.imports.importing import import_runs
from colosseum.imports.table_reader import FORMULA

READ_BY = {"csv": "table", "eval": "inspect", "otlp": "otel"}
THOUGHT = "I shall say left."


def thinking(body: Body) -> Answer:
    """Does all that can be done wrong, and thinks."""
    return thinks(Wild()(body), THOUGHT)


@pytest.fixture(scope="module", params=["scripted", "model"])
def own(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(request.param)
    return scripted(folder) if request.param == "scripted" else modelled(folder, script=thinking)


def happened(folder: Path) -> dict[Any, list[Any]]:
    """By run, what was said in order, and what was decided; of posts that were not delivered, that there were."""
    found: dict[Any, list[Any]] = {}
    for path in (p for p in (folder / "runs").glob("*.jsonl") if p.name.count(".") == 1):
        events = [json.loads(line) for line in path.read_bytes().splitlines()]
        acts = found.setdefault((events[0]["arm"], events[0]["seed"], events[0]["repeat"]), [])
        order = next(e["agents"] for e in events if e["event"] == "order")
        channels = next(e["channels"] for e in events if e["event"] == "channels")
        acts.append((order, sorted((c["name"], c["members"], c["secret"]) for c in channels)))
        for kind in ("post", "decide", "thought", "mistake", "outcome"):
            for e in (e for e in events if e["event"] == kind and (kind != "mistake" or e["tool"] == "post")):
                names = ("channel", "text", "variable", "value", "assignment", "undecided")
                acts.append((kind, e.get("agent"), e.get("round"), *(e.get(name) for name in names)))
        acts.sort(key=lambda act: str(act[5]) if act[0] == "decide" else "")
    return found


@pytest.mark.parametrize("to", WRITERS)
def test_what_is_exported_comes_back_equal(own: Path, tmp_path: Path, to: str) -> None:
    written = Campaign(own).export(to, tmp_path / f"x{WRITERS[to][0]}")
    assert (written.runs, written.left_out) == (len(happened(own)), 0)
    found = import_runs(checked(own.parent / "match.colo"), [written.path], tmp_path / "in", reader=READ_BY[to])
    assert {run.became for run in found.runs} == {"new"}
    assert happened(tmp_path / "in") == happened(own)
    ours, theirs = ({(r.arm, r.seed): r for r in reader.records(reader.plan())}
                    for reader in (Reader(own), Reader(tmp_path / "in")))  # fmt: skip
    assert {cell: compared(r) for cell, r in theirs.items()} == {cell: compared(r) for cell, r in ours.items()}
    assert [spent(r) for r in (Reader(own), Reader(tmp_path / "in"))] == [spent(Reader(own))] * 2
    again = import_runs(checked(own.parent / "match.colo"), [written.path], tmp_path / "in", reader=READ_BY[to])
    assert {run.became for run in again.runs} == {"known"}
    assert not Campaign(tmp_path / "in").verify().faults
    assert [Campaign(folder).findings.report.imported for folder in (own, tmp_path / "in")] == [None, READ_BY[to]]
    tables = [Campaign(each).export("csv", tmp_path / f"{n}.csv").path for n, each in enumerate((own, tmp_path / "in"))]
    assert said(tables[0]) == said(tables[1])


def said(table: Path) -> list[Any]:
    """The messages, delivered or not, and the thoughts of a table of runs, in order."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["text"]]
    names = ("arm", "seed", "repeat", "round", "agent", "kind", "channel", "text")
    return sorted([[row[name] for name in names] for row in rows], key=lambda cells: cells[:3])


def test_a_deal_of_the_spec_is_read_alike_whether_runs_are_played_or_imported(tmp_path: Path) -> None:
    """The source does not say what agents were told, so that of the arm's design counts."""
    toy = load(SPECS / "toy.colo")
    assert colosseum("audit", SPECS / "toy.colo", "--seeds", "1..20", "--out", tmp_path / "own").returncode == 0
    path = Campaign(tmp_path / "own").export("csv", tmp_path / "x.csv").path
    path.write_text(re.sub(r"sim/\w+", "m", path.read_text(encoding="utf-8")), encoding="utf-8")
    toy.import_runs([path], tmp_path / "in")
    found = [Campaign(folder).findings.verdicts.arms for folder in (tmp_path / "own", tmp_path / "in")]
    readings = [[(arm.arm, arm.kind, arm.fits) for arm in arms] for arms in found]
    assert readings[0] == readings[1]
    assert [arm for arm, kind, _ in readings[1] if kind.told] == ["prompted"]


@pytest.mark.parametrize("to", WRITERS)
def test_names_may_hold_blanks_and_quotes(tmp_path: Path, to: str) -> None:
    text = re.sub(r"\bB\b", '"=B()"', re.sub(r"\bA\b", """"Ann O'Neil\"""", SPEC))
    own = scripted(tmp_path, text=text)
    written = Campaign(own).export(to, tmp_path / f"x{WRITERS[to][0]}")
    found = import_runs(checked(tmp_path / "match.colo"), [written.path], tmp_path / "in", reader=READ_BY[to])
    assert [run.reason for run in found.runs if run.became != "new"] == []
    assert happened(tmp_path / "in") == happened(own)


def spent(reader: Reader) -> dict[Any, tuple[int, int, int, float, int]]:
    """By run, what its answers took; a retry and an answer that was lost leave no trace that is exported."""
    found = {(t.arm, t.seed, t.repeat): reader.folder.result(t.trial) for t in reader.plan().trials}
    spent = {cell: result.expense for cell, result in found.items() if result}
    return {cell: (e.calls, e.prompt_tokens, e.completion_tokens, e.cost, e.unpriced) for cell, e in spent.items()}


def compared(record: RunRecord) -> Any:
    """All figures but of what is not exported: what agents were told, decisions that a rule refused, invalid calls."""
    assert record.figures is not None
    setup = replace(record.figures.setup, told={}, rest="", served=())
    lapses = record.figures.lapses | {MISTAKES: 0}
    return record.model, replace(record.figures, setup=setup, refused={}, lapses=lapses)


@pytest.mark.parametrize("to", WRITERS)
def test_parts_are_left_out(tmp_path: Path, to: str) -> None:
    folder = modelled(tmp_path, script=thinking)
    words = {parts: content(Campaign(folder).export(to, tmp_path / f"x{WRITERS[to][0]}", without=parts).path)
             for parts in ("", "thoughts", "raw")}  # fmt: skip
    assert [THOUGHT in found for found in words.values()] == [True, False, True]
    assert ["you have no channel" in found for found in words.values()] == [True, True, False]


def content(path: Path) -> str:
    if path.suffix != ".eval":
        return path.read_text(encoding="utf-8")
    with ZipFile(path) as log:
        return "\n".join(log.read(name).decode() for name in log.namelist())


def test_a_spreadsheet_computes_nothing(tmp_path: Path) -> None:
    folder = modelled(tmp_path, text=SPEC)
    Campaign(folder).export("csv", tmp_path / "x.csv")
    with open(tmp_path / "x.csv", encoding="utf-8", newline="") as file:
        cells = {cell for row in csv.DictReader(file) for cell in row.values()}
    assert HOSTILE in cells
    assert not any(cell.startswith(FORMULA) for cell in cells)


def test_nothing_is_written_where_something_is_wrong(tmp_path: Path) -> None:
    folder = scripted(tmp_path / "own")
    for options, words in (
        (("--to", "cvs"), "did you mean `csv`?"), (("--to", "csv", "--without", "words"), "parts: thoughts, raw"),
        (("--to", "eval", "--out", tmp_path / "x.csv"), "does not end in .eval"),
    ):  # fmt: skip
        done = colosseum("export", folder, *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
    path = next((folder / "runs").glob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"left", b"lift", 1))
    done = colosseum("export", folder, "--to", "otlp", "--out", tmp_path / "x.jsonl")
    assert done.returncode == 2
    assert "was changed, lost or moved" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["own"]


def test_runs_that_are_not_complete_are_counted(tmp_path: Path) -> None:
    folder = modelled(tmp_path, script=Wild(breaks="Differ"))
    done = colosseum("export", folder, "--to", "csv", "--out", tmp_path / "x.csv")
    assert done.stderr == f"1 run in {tmp_path / 'x.csv'}; 1 left out: not complete\n"
