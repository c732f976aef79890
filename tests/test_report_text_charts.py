"""Charts in a terminal: what is drawn where, that it fits the width, and that ASCII suffices."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from colosseum.report.document import IntervalChart, IntervalRow, LineChart, Plane, PlanePoint, Spot
from colosseum.report.text_charts import interval_rows, line_rows, plane_rows, text_rows

ROWS = (
    IntervalRow("emergent", 0.02, -0.05, 0.09, note="not settled, +0.020"),
    IntervalRow("prompted", 0.4, 0.3, 0.5, note="effect, +0.400"),
    IntervalRow("few", 0.3, note="not settled, +0.300"),
    IntervalRow("none", None, note="no pair"),
)
FOREST = IntervalChart(
    "a", "t", "c", axis="outsider loss, treated − control, in u", rows=ROWS, margin=0.04, signed=True
)
LINES = {
    "emergent": (Spot(1, 0.0), Spot(2, 0.1), Spot(10, 0.2)),
    "prompted": (Spot(1, 0.0), Spot(2, None), Spot(10, 0.5)),
}
ALONG = LineChart("b", "t", "c", across="n", up="outsider loss, in u", panels={"": LINES}, margin=0.04, signed=True)
CURVE = ((56.0, 31.0), (60.0, 28.0), (66.5, 0.0))
PLANE = Plane("c", "t", "c", across="F_n", up="F_c", curve=CURVE, points=(
    *(PlanePoint(x, y, name) for (x, y), name in zip(CURVE, "321", strict=True)), PlanePoint(58.0, 5.0, "prompted"),
))  # fmt: skip


def test_an_interval_is_drawn_from_end_to_end_and_a_mean_without_one_is_open() -> None:
    emergent, prompted, few, none, *axis = interval_rows(FOREST, 80, ascii_only=False)
    assert prompted.index("│") < prompted.index("┊") < prompted.index("├") < prompted.index("●") < prompted.index("┤")
    assert emergent.index("├") < emergent.index("┼") < emergent.index("┤"), "0 lies within it"
    assert ("○" in few, "├" in few, "●" in none + few) == (True, False, False)
    assert prompted.endswith("  effect, +0.400")
    assert axis[1].split() == ["0", "0.04", "+0.50"], "-0.05 has no room"
    assert axis[-1].strip() == "├─●─┤ mean and 95 % interval; ○ mean, no interval; │ 0; ┊ margin"


def test_rows_stand_below_their_group_and_notes_need_room() -> None:
    grouped = replace(
        FOREST, rows=tuple(replace(row, group="n=1" if place < 2 else "n=2") for place, row in enumerate(ROWS))
    )
    rows = interval_rows(grouped, 44, ascii_only=True)
    assert [row.split()[0] for row in rows[:6]] == ["n=1", "emergent", "prompted", "n=2", "few", "none"]
    assert not any("effect" in row for row in rows)


def test_lines_are_marked_by_letters_with_gaps_joined() -> None:
    title, *rows = line_rows(ALONG, 60, ascii_only=True)
    assert title == "outsider loss, in u"
    assert rows[0].startswith("+0.50 +")
    assert rows[0].endswith("b"), "the greatest at the greatest number"
    assert next(row for row in rows if "*" in row).index("*") == 7, "both begin at 0"
    assert [line.split() for line in rows[-4:-2]] == [["1", "2", "n", "10"], ["a", "emergent"]]
    assert sum(row.count("b") for row in rows[:-4]) == 1, "of b one mark is alone, the other meets a's"
    one = line_rows(replace(ALONG, panels={"prompted": {"x": LINES["prompted"]}}), 60, ascii_only=False)
    assert one[0] == "prompted"
    assert not any("several" in row for row in one)


def test_a_plane_marks_points_by_their_sign() -> None:
    rows = plane_rows(PLANE, 60, ascii_only=False)
    assert (rows[0].strip(), rows[1].split()[1][1]) == ("F_c", "3")
    assert any(row.endswith("1") for row in rows)
    assert sum("o" in row for row in rows) == 1
    assert rows[-1].split() == ["56.0", "F_n", "66.5"]


@pytest.mark.parametrize("chart", [FOREST, ALONG, PLANE, replace(PLANE, points=PLANE.points[:1], curve=())])
@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_every_chart_fits(chart: IntervalChart | LineChart | Plane, width: int, ascii_only: bool) -> None:
    rows = text_rows(chart, width, ascii_only=ascii_only)
    assert max(map(cell_len, rows)) <= width
    if ascii_only:
        assert "".join(rows).replace("−", "-").replace("…", "").isascii()


def test_long_and_wide_names_are_cut() -> None:
    rows = (IntervalRow("日本語" * 20, 1.0, note="x"), IntervalRow("\x1b[2J" + "W" * 90, 2.0))
    lines = interval_rows(replace(FOREST, rows=rows), 60, ascii_only=False)
    assert max(map(cell_len, lines)) <= 60
    assert "\x1b" not in "".join(lines)
