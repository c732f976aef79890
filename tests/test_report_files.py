"""Charts and tables as files: figures equal when made again, tables that read back, what is missing said."""

import csv
import io
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from test_report_charts import hostile_charts

from colosseum.diagnostics import ColosseumError
from colosseum.report.document import Amount, IntervalChart, IntervalRow, Table
from colosseum.report.files import check_file
from colosseum.report.paper import csv_of, figure_files, write_files

EVIL = "a|b & 100% $x_1$ {~^} #1 \\end `c` <i>*\u202e\nnew"
TABLE = Table("one", "first\n\\input{evil}", ("arm", "n", "mean_λ"), (
    ("=1+1", 3, 0.1 + 0.2), (EVIL, None, -1e-9), ("plain", 4, None),
))  # fmt: skip


def chart(name: str = "one") -> IntervalChart:
    told = IntervalRow("told", Amount(0.2, limits=(0.1, 0.3)), tone="bad", note="effect", dots=(0.1, 0.3))
    rows = (told, IntervalRow("lost", Amount()))
    return IntervalChart(name, "Title", "What is seen.", axis="loss, u", rows=rows, margin=0.04)


def test_every_chart_becomes_four_files_that_are_the_same_again(tmp_path: Path) -> None:
    kept = tmp_path / "figures" / "mine.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    assert write_files([chart("one"), chart("two"), TABLE], kept.parent) == (9, [])
    endings = ("pdf", "svg", "png", "csv")
    again = {path.name: path.read_bytes() for path in kept.parent.iterdir()}
    assert set(again) == {"mine.txt", *(f"{name}.{ending}" for name in ("one", "two") for ending in endings)}
    write_files([chart("one"), chart("two"), TABLE], kept.parent)
    assert {path.name: path.read_bytes() for path in kept.parent.iterdir()} == again


def test_without_the_extra_tables_are_written_and_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    number, missing = write_files([chart("one"), chart("two")], tmp_path / "figures")
    assert number == len(list((tmp_path / "figures").iterdir())) == 2
    assert missing == ["PDF, SVG, PNG need matplotlib: `pip install 'colosseum[figures]'`"]


def test_fonts_are_embedded_and_names_are_no_mathematics() -> None:
    for each in {type(chart): chart for chart in hostile_charts()}.values():
        assert not isinstance(each, str)
        files = figure_files(each)
        assert files["png"].startswith(b"\x89PNG")
        assert b"/FontFile2" in files["pdf"], "TrueType, whole"
        ElementTree.fromstring(files["svg"])


def test_csv_reads_back_in_full() -> None:
    head, *rows = csv.reader(io.StringIO(csv_of(TABLE).decode(), newline=""))
    assert head == ["arm", "n", "mean_λ"]
    assert rows[0] == ["'=1+1", "3", repr(0.1 + 0.2)], "a formula is no formula"
    assert (rows[1][1], float(rows[1][2]), rows[2][2]) == ("", -1e-9, "")
    assert csv_of(Table("", "", ("a", "b"), ())).decode() == "a,b\r\n"


def test_limits_and_notes_of_cells_have_columns() -> None:
    table = Table("", "", ("arm", "loss", "limits"), (
        ("a", Amount(0.25, 2, signed=True), Amount(places=3, signed=True, limits=(0.1, 0.4))),
        ("b", Amount(None, note="no run"), Amount(0.0, 3, words="3 of 20 differ")),
    ))  # fmt: skip
    head, one, two = csv.reader(io.StringIO(csv_of(table).decode(), newline=""))
    assert head == ["arm", "loss", "loss note", "limits", "limits low", "limits high", "limits note"]
    assert one == ["a", "0.25", "", "", "0.1", "0.4", ""]
    assert two == ["b", "", "no run", "0.0", "", "", "3 of 20 differ"]


def test_a_folder_that_cannot_be_is_refused_at_once(tmp_path: Path) -> None:
    for folder, words in ((tmp_path / ("f" * 300), "File name too long"), (tmp_path / "file", "it is no folder")):
        (tmp_path / "file").touch()
        with pytest.raises(ColosseumError, match=words):
            check_file("--figures", folder)
