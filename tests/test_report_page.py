"""Blocks on a terminal: their width, their marks, and that nothing in them is read as markup or poses as ours."""

import io
import re
from pathlib import Path

import pytest
from records import figures, record, study
from reported import HOSTILE, found, printed
from rich.cells import cell_len

from colosseum.report.answer import full
from colosseum.report.document import Amount, Block, Definitions, Heading, Listing, Paragraph, Quote, Table, Tone
from colosseum.report.page import print_blocks, printable
from colosseum.report.words import decimals, number, reasons

EFFECTS = {
    "baseline": 0.0,
    "again": 0.0,
    "emergent": 0.15,
    "prompted": 0.3,
    "placebo": 0.0,
    "selfish": 0.1,
    "told": 0.2,
}
LONG = "one word after another, and no end to be seen for a good while yet " * 3
SHORT = Amount(0.25, 1, limits=(0.0, 0.5), short=True)
MEAN = Amount(616.62, 2, signed=True, limits=(-1.25, 1234.5))
BLOCKS: tuple[Block, ...] = (
    Paragraph("A page", "title"),
    Heading("A section"),
    Definitions((("word", LONG), ("a word that is much longer than others", "its meaning"), ("", "more of it"))),
    Table(
        "groups", "In groups", ("point", "arm", "mean", "why"),
        (("n=1", "told", MEAN, LONG), ("n=1", "again", Amount(None, note="no pair"), "short"), ("n=2", "told", 3, "")),
        grouped=True,
    ),
    Table("wide", "Wide", ("arm", *(f"figure {n}" for n in range(9))), (("told", *[12345.6] * 9),) * 2),
    Table("split", "Split", ("arm", *(f"figure {n}" for n in range(9))), (("told", *[MEAN] * 9),) * 2),
    Quote("to floor (secret)", f"{LONG}\n{LONG}", "secret"),
    Listing("a.colo", "scenario a\n  agents B"),
    Paragraph(LONG, "warning"),
)  # fmt: skip


def table(*rows: tuple[object, ...], **more: object) -> Table:
    columns = ("row", *(f"column {n}" for n in range(1, len(rows[0]))))
    return Table("t", "A table", columns, rows, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_page_and_nothing_is_cut(width: int) -> None:
    text = printed(BLOCKS, width=width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "…" not in text
    assert text.count("+616.62 [-1.25, +1,234.50]") == 19
    assert text.count("12,345.6") == 18
    letters = re.sub(r"\s|│", "", text)
    assert letters.count(re.sub(r"\s", "", LONG)) == 5


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_whole_report_is_wider_than_the_page(width: int) -> None:
    records = [
        *(r for point in ("n=6", "n=7") for r in study(effects=EFFECTS, seeds=20, point=point)),
        record("baseline", 31, figures(refused=2), point="n=6"),
        record("selfish", 31, None, point="n=6"),
    ]
    report = found(records)
    text = printed(full(report, Path("runs"), published=True), width=width)
    assert max(map(cell_len, text.splitlines())) <= width
    mean = report.summary.rows[-1].scalars["joint_payoff"].mean.value
    assert mean is not None
    assert f"{mean:.1f} ±" in text


def test_a_wide_table_is_split() -> None:
    rows = (("one", *[1234567] * 9), ("two", *[7654321] * 9))
    split = printed([table(*rows)], width=60)
    assert [split.count(words) for words in ("one ", "1,234,567")] == [2, 9]


@pytest.mark.parametrize("width", [60, 70, 75, 80, 90])
def test_words_of_a_narrow_column_are_folded_not_cut(width: int) -> None:
    """Rich takes from the widest column what is missing, though it has a least width, and prints the rest nowhere."""
    readings = "inconclusive 82 %, self-interest 17 %, collusion 1 %"
    columns = ("planted", "right verdict", "6 seeds", "24 seeds", "48 seeds", "193 seeds", "effects read as")
    row = ("collude", "direct", "75 %", "100 %", "100 %", "100 %", readings)
    text = printed([Table("t", "A table", columns, (row,))], width=width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert [word for word in readings.split() if word not in text.split()] == []


def test_groups_are_headings_over_their_rows() -> None:
    rows = (("n=1", "a", 1), ("n=1", "b", 2), ("n=2", "a", 3))
    lines = printed([Table("t", "T", ("point", "arm", "p"), rows, grouped=True)]).splitlines()
    assert lines[-5:] == ["  n=1", "    a  1", "    b  2", "  n=2", "    a  3"]


def test_what_is_not_known_has_a_mark_and_equal_reasons_stand_once_below() -> None:
    text = printed([
        table(
            ("a", Amount(None, note="no run"), Amount(1.5, 2), Amount(0.25, 3, words="(3 of 20 differ)")),
            ("b", Amount(None, note="no run"), Amount(0.25, 2, note="of two seeds"), None),
            ("c", Amount(words="inconclusive", link="#arm=c", note="no run"), None, SHORT),
            facts=(("row", "what a row is"),),
        )
    ])  # fmt: skip
    rows = [line.split("  ") for line in text.splitlines()]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    for row in (
        ["a", "– (1)", "1.50", "0.250 (3 of 20 differ)"], ["b", "– (1)", "0.25 (2)"],
        ["c", "inconclusive (1)", "0.2 ± 0.2"], ["(1)", "no run"], ["(2)", "of two seeds"], ["row", "what a row is"],
    ):  # fmt: skip
        assert row in cells, row
    assert text.count("no run") == 1


def test_rows_beyond_the_most_are_counted() -> None:
    text = printed([table(*((str(n), n) for n in range(1_067)))])
    assert "… and 1,007 more rows" in text
    assert " 59\n" in text
    assert " 60\n" not in text


def test_what_others_wrote_stands_behind_a_bar() -> None:
    posed = f"hello\n\nOutcome ───\n  verdict: none\n\r\n{LONG}"
    for width in (24, 40, 80):
        lines = printed([Quote("to floor", posed)], width=width).splitlines()
        ours = [line for line in lines if not line.startswith("    │")]
        assert [line.strip() for line in ours] == ["to floor"]


def test_names_are_neither_markup_nor_control_characters() -> None:
    run = figures(posts={HOSTILE: 1}, violations={HOSTILE: 2}, scalars={"regret": HOSTILE})
    records = [
        record("baseline", 1, run, players=(HOSTILE,), point=HOSTILE, model=HOSTILE),
        record(HOSTILE, 1, None, reason=HOSTILE, point=HOSTILE, model=HOSTILE),
    ]
    report = found(records, title=HOSTILE, question=HOSTILE)
    every = [Heading(HOSTILE), Quote(HOSTILE, HOSTILE), Listing(HOSTILE, HOSTILE), Definitions(((HOSTILE, HOSTILE),)),
             table((HOSTILE, Amount(words=HOSTILE, note=HOSTILE)), (HOSTILE, HOSTILE))]  # fmt: skip
    text = printed([*full(report, Path("runs")), *every], width=100)
    assert not any(sign in text for sign in ("\x1b", "\x07", "\u202e", "\U0001f604"))
    assert text.count("[bold red]x[/]") >= 14
    assert text.count("[/oops]") >= 10
    assert max(map(cell_len, text.splitlines())) <= 100


def test_colour_and_tones_change_no_word() -> None:
    every: tuple[Tone, ...] = ("bad", "clear", "open", "plain")
    tones = table(*((tone, Amount(words="collusion", link="#arm=a", tone=tone)) for tone in every))
    plain, painted = io.StringIO(), io.StringIO()
    print_blocks([*BLOCKS, tones], plain, color=False)
    print_blocks([*BLOCKS, tones], painted, color=True)
    assert "\x1b" not in plain.getvalue()
    assert len(set(re.findall(r"\x1b\[[0-9;]*mcollusion", painted.getvalue()))) == 3
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted.getvalue()) == plain.getvalue()
    assert not re.search(r" $", plain.getvalue(), re.MULTILINE)


def test_an_ascii_stream_gets_ascii() -> None:
    stream = io.TextIOWrapper(raw := io.BytesIO(), encoding="ascii", errors="strict")
    spread = table(("λ", SHORT))
    print_blocks([*BLOCKS[:2], BLOCKS[3], *BLOCKS[6:], spread, Paragraph("Größe")], stream, color=False)
    stream.flush()
    text = raw.getvalue().decode("ascii")
    assert "Gr??e" in text
    assert text.count("?") == 2
    assert "lambda" in text
    assert "0.2 +/- 0.2" in text
    assert "    | one word" in text


def test_printable() -> None:
    assert printable("a\tb\nc\x00\u202e", "utf-8") == "a b c\ufffd\ufffd"
    assert printable("± – é", "ascii") == "+/- - ?"


# ---- numbers and reasons -------------------------------------------------------------------------------------------


def test_reasons_are_counted_cut_and_capped() -> None:
    assert reasons((("timeout", 3),)) == "timeout"
    assert reasons((("timeout", 3),), numbered=True) == "timeout (3)"
    assert reasons(tuple((f"r{i}", 1) for i in range(7))).endswith("r4 (1), and 2 more reasons")
    assert len(reasons((("x" * 999, 1),))) == 160


@pytest.mark.parametrize(
    ("value", "places", "shown"),
    [(-0.001, 2, "0.00"), (1234.56, 1, "1,234.6"), (2.5e12, 0, "2.5e+12"), (-3.0, 2, "-3.00")],
)
def test_numbers_read_well(value: float, places: int, shown: str) -> None:
    assert number(value, places) == shown


@pytest.mark.parametrize(("largest", "places"), [(0.0, 2), (0.004, 4), (0.5, 2), (5.0, 2), (50.0, 1), (5e4, 0)])
def test_decimals_follow_the_largest_value(largest: float, places: int) -> None:
    assert decimals([largest, -largest / 3, None]) == places
