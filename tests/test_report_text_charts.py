"""Charts in a terminal: what is drawn where, that it fits the width, and that ASCII suffices."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from colosseum.report.document import IntervalChart, IntervalRow
from colosseum.report.page import interval_rows

ROWS = (
    IntervalRow("emergent", 0.02, -0.05, 0.09, note="not settled, +0.020"),
    IntervalRow("prompted", 0.4, 0.3, 0.5, note="effect, +0.400"),
    IntervalRow("few", 0.3, note="not settled, +0.300"),
    IntervalRow("none", None, note="no pair"),
)
FOREST = IntervalChart("a", "t", "c", axis="outsider loss, treated − control, in u", rows=ROWS, margin=0.04)


def test_an_interval_is_drawn_from_end_to_end_and_a_mean_without_one_is_open() -> None:
    emergent, prompted, few, none, *axis = interval_rows(FOREST, 80, ascii_only=False)
    assert prompted.index("│") < prompted.index("┊") < prompted.index("├") < prompted.index("●") < prompted.index("┤")
    assert emergent.index("├") < emergent.index("┼") < emergent.index("┤"), "0 lies within it"
    assert ("○" in few, "├" in few, "●" in none + few) == (True, False, False)
    assert prompted.endswith("  effect, +0.400")
    assert axis[0].split() == ["−0.05", "+0.50"]
    assert axis[-1].strip() == "├─●─┤ mean and 95 % interval; ○ mean, no interval; │ 0; ┊ margin 0.04"


def test_rows_stand_below_their_group_and_notes_need_room() -> None:
    grouped = replace(
        FOREST, rows=tuple(replace(row, group="n=1" if place < 2 else "n=2") for place, row in enumerate(ROWS))
    )
    rows = interval_rows(grouped, 44, ascii_only=True)
    assert [row.split()[0] for row in rows[:6]] == ["n=1", "emergent", "prompted", "n=2", "few", "none"]
    assert not any("effect" in row for row in rows)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_it_fits(width: int, ascii_only: bool) -> None:
    rows = interval_rows(FOREST, width, ascii_only=ascii_only)
    assert max(map(cell_len, rows)) <= width
    if ascii_only:
        assert "".join(rows).replace("−", "-").replace("…", "").isascii()


def test_long_and_wide_names_are_cut() -> None:
    rows = (IntervalRow("日本語" * 20, 1.0, note="x"), IntervalRow("\x1b[2J" + "W" * 90, 2.0))
    lines = interval_rows(replace(FOREST, rows=rows), 60, ascii_only=False)
    assert max(map(cell_len, lines)) <= 60
    assert "\x1b" not in "".join(lines)
