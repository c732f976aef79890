"""Pictures as files: SVG that stands alone, PNG with text in it, tables that read back, all of them or none."""

import csv
import io
import re
import struct
import sys
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from colosseum.diagnostics import ColosseumError
from colosseum.report.files import check_pictures
from colosseum.report.html.pictures import export
from colosseum.report.html.pictures.export import NoFigures, rasterise, standalone, write_figures
from colosseum.report.html.pictures.picture import Picture, Table, draw
from colosseum.report.html.pictures.shapes import Mark, Rule, Shape, Text
from colosseum.report.html.pictures.shapes import Path as Line
from colosseum.report.html.pictures.tabular import csv_of, latex_of, markdown_of

LETTERS = pytest.mark.skipif(export._family() is None, reason="needs a font with letters")
EVIL = "a|b & 100% $x_1$ {~^} #1 \\end `c` <i>*\u202e\nnew"
TABLE = Table(("arm", "n", "mean_λ"), (("=1+1", 3, 0.1 + 0.2), (EVIL, None, -1e-9), ("plain", 4, None)))


def picture(name: str = "one", table: Table = TABLE) -> Picture:
    shapes: list[Shape] = [
        Text(10, 20, "λ ≥ 0.5 − Δ", "strong"),
        Rule(10, 30, 300, 30, "secret"),
        Mark(100, 60, "triangle", "series-2", 6, "a run", "abc"),
        Line(((10, 80), (60, 80), (60, 95), (10, 95)), "edge-members", closed=True, hatch="members"),
    ]
    return draw(name, "Title & more", "What is seen.", height=100, shapes=shapes, table=table, hatched=True)


def pixels(png: bytes) -> tuple[int, int, list[tuple[int, ...]]]:
    """Width, height and the colours of a PNG of 8 bits without interlacing."""
    wide, high, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (depth, kind) == (8, 6), "RGBA"
    place, data = 8, b""
    while place < len(png):
        size, name = struct.unpack(">I4s", png[place : place + 8])
        data += png[place + 8 : place + 8 + size] if name == b"IDAT" else b""
        place += 12 + size
    lines, above, found = zlib.decompress(data), bytes(4 * wide), list[tuple[int, ...]]()
    for row in range(high):
        start = row * (4 * wide + 1)
        above = _unfiltered(lines[start], lines[start + 1 : start + 1 + 4 * wide], above)
        found += [tuple(above[at : at + 4]) for at in range(0, 4 * wide, 4)]
    return wide, high, found


def _unfiltered(kind: int, line: bytes, above: bytes) -> bytes:
    found = bytearray(line)
    for at, value in enumerate(line):
        left, up = found[at - 4] if at >= 4 else 0, above[at]
        corner = above[at - 4] if at >= 4 else 0
        nearest = min((left, up, corner), key=lambda each: abs(left + up - corner - each))
        found[at] = (value + (0, left, up, (left + up) // 2, nearest)[kind]) % 256
    return bytes(found)


@LETTERS
def test_every_picture_becomes_five_files(tmp_path: Path) -> None:
    kept = tmp_path / "figures" / "mine.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    assert write_figures([picture("one"), picture("two")], kept.parent) == 10
    assert {path.name for path in kept.parent.iterdir()} == {
        "mine.txt", *(f"{name}.{ending}" for name in ("one", "two") for ending in ("svg", "png", "csv", "md", "tex")),
    }  # fmt: skip
    assert kept.read_text() == "mine"
    again = {path.name: path.read_bytes() for path in kept.parent.iterdir()}
    write_figures([picture("one"), picture("two")], kept.parent)
    assert {path.name: path.read_bytes() for path in kept.parent.iterdir()} == again


def test_svg_stands_alone() -> None:
    svg = standalone(picture())
    root = ElementTree.fromstring(svg)
    assert "var(" not in svg
    assert "@media" not in svg
    assert "--picture" not in svg
    assert not list(root.iter("{http://www.w3.org/2000/svg}a")), "there is no page to lead to"
    assert root.find("{http://www.w3.org/2000/svg}style") is not None
    assert ">a run</title>" in svg


@LETTERS
def test_a_png_has_colours_and_text() -> None:
    wide, high, found = pixels(rasterise(standalone(picture()), family=export._family()))
    assert (wide, high) == (1440, 300)
    assert set(found) > {(255, 255, 255, 255), (0xD5, 0x5E, 0x00, 255)}
    text = [colour for at, colour in enumerate(found) if at // wide < 75]
    assert min(text) < (60, 60, 60, 255), "ink"


@LETTERS
def test_a_font_is_chosen_by_the_letters_that_it_can_draw() -> None:
    assert not export.has_letters("No Such Font")
    chosen = export._family()
    assert chosen is not None
    assert export.has_letters(chosen)


def test_fonts_beyond_the_usual_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "FAMILIES", ("No Such Font",))
    export._family.cache_clear()
    try:
        found = export._family()
        assert found is None or (found in export._installed() and export.has_letters(found))
        monkeypatch.setenv("PATH", "")
        assert export._installed() == []
    finally:
        export._family.cache_clear()


def test_without_a_font_that_has_letters_there_are_no_figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(export, "_family", lambda: None)
    with pytest.raises(NoFigures, match="need a font with letters"):
        write_figures([picture()], tmp_path / "figures")
    assert not (tmp_path / "figures").exists()


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    export._family.cache_clear()
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(NoFigures, match=r"need resvg-py") as raised:
        write_figures([picture()], tmp_path / "figures")
    assert "colosseum[figures]" in raised.value.help
    assert not (tmp_path / "figures").exists()


@LETTERS
def test_all_files_or_none(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OSError, match="taken"):
        write_figures([picture()], tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "a file"
    folder = tmp_path / "figures"
    with pytest.raises(OSError, match="x"):
        write_figures([picture("one"), Picture("x" * 300, "t", "c", picture().svg, TABLE)], folder)
    assert not folder.exists()
    folder.mkdir()
    with pytest.raises(OSError, match="x"):
        write_figures([picture("one"), Picture("x" * 300, "t", "c", picture().svg, TABLE)], folder)
    assert not list(folder.iterdir())


def test_csv_reads_back_in_full() -> None:
    head, *rows = csv.reader(io.StringIO(csv_of(TABLE).decode(), newline=""))
    assert head == ["arm", "n", "mean_λ"]
    assert rows[0] == ["'=1+1", "3", repr(0.1 + 0.2)], "a formula is no formula"
    assert (rows[1][1], float(rows[1][2]), rows[2][2]) == ("", -1e-9, "")
    assert csv_of(Table(("a", "b"), ())).decode() == "a,b\r\n"


def test_markdown_has_its_cells_and_no_markup() -> None:
    lines = markdown_of(TABLE).splitlines()
    assert lines[1] == "| --- | ---: | ---: |"
    assert len(lines) == 5
    for line in lines:
        assert len(re.findall(r"(?<!\\)\|", line)) == 4
    assert r"\<i\>\*" in lines[3]
    assert "| 0.3 |" in lines[2]


def test_latex_has_its_cells_and_no_commands() -> None:
    text = latex_of(TABLE, "first\n\\input{evil}")
    assert text.splitlines()[0] == "% first \\input{evil}", "one line of comment"
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 4
    assert all(len(re.findall(r"(?<!\\)&", row)) == 2 for row in rows)
    assert r"a\textbar{}b \& 100\% \$x\_1\$ \{\textasciitilde{}\textasciicircum{}\} \#1 \textbackslash{}end" in text
    assert r"mean\_$\lambda$" in text
    assert r"\begin{tabular}{lrr}" in text


def test_a_folder_that_cannot_be_is_refused_at_once(tmp_path: Path) -> None:
    for folder, words in ((tmp_path / ("f" * 300), "File name too long"), (tmp_path / "file", "it is no folder")):
        (tmp_path / "file").touch()
        with pytest.raises(ColosseumError, match=words):
            check_pictures(folder)
