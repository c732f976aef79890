"""Tables of the page as files, in a browser."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from browser import Browser
from viewed import Report, browser, hostile, jira, link, opened, swept, wild, written

from colosseum.report.document import Amount, Table


def downloaded(page: Any, button: Any) -> str:
    """The text of the file that a button saves, which has a name of its own."""
    with page.expect_download() as waiting:
        button.click()
    assert not waiting.value.suggested_filename.startswith("table.")
    return Path(waiting.value.path()).read_text(encoding="utf-8")


def test_the_list_is_saved_as_it_is_filtered_with_all_its_digits(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path)
    rows = list(csv.DictReader(downloaded(page, page.get_by_role("button", name="Runs as CSV")).splitlines()))
    known = [dict(zip(jira.content.index["columns"], run, strict=True)) for run in jira.content.index["runs"]]
    assert [row["trial"] for row in rows] == [run["trial"] for run in known]
    assert [row["loss"] for row in rows] == ["" if run["loss"] is None else f"{run['loss']:g}" for run in known]
    page.get_by_role("combobox", name="arm", exact=True).select_option(label="prompted")
    found = json.loads(downloaded(page, page.get_by_role("button", name="Runs as JSON")))
    assert [row["trial"] for row in found] == [run["trial"] for run in known if run["arm"] == "prompted"]
    assert all(isinstance(row["harm"], float | int) for row in found)


def test_every_table_can_be_saved(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, link(jira.run("prompted")))
    page.wait_for_selector("#board .post")
    tables = page.locator("main table:not(.side, .words table)").count()
    assert page.locator(".downloads").count() == tables
    page.evaluate("for (const each of document.querySelectorAll('main details')) each.open = true")
    buttons = page.locator(".downloads button", has_text="JSON").all()
    for button in (*buttons[:3], *buttons[-3:]):  # Chromium lets a page save few files in a row
        found = json.loads(downloaded(page, button))
        assert found
        assert all(found)
    run = jira.run("prompted")
    mine = page.get_by_role("button", name="Who gained and who lost, prompted, seed 1 as JSON")
    payoff = {row["agent"].split(" ◆")[0]: row["payoff"] for row in json.loads(downloaded(page, mine))}
    assert payoff == run["payoff"]


def test_means_and_their_limits_are_numbers_in_columns_of_their_own(
    browser: Browser, jira: Report, tmp_path: Path
) -> None:
    rows = (("told", Amount(0.2, 3, limits=(0.1, 1 / 3))), ("few", Amount(-1e-7, 3, words="3 of 20 differ")))
    table = Table("made", "Made", ("arm", "loss"), (*rows, ("none", Amount(None, note="no pair"))))
    page = browser.open(written(tmp_path / "page.html", replace(jira.content, opening=[table])).path)
    found = json.loads(downloaded(page, page.locator(".downloads button", has_text="JSON").first))
    told, few, none = ({"loss": row[0], "loss low": row[1], "loss high": row[2]} for row in (
        (0.2, 0.1, 1 / 3), (-1e-7, None, None), (None, None, None),
    ))  # fmt: skip
    assert found == [{"arm": "told", **told}, {"arm": "few", **few}, {"arm": "none", **none}]


def test_no_cell_is_a_formula(browser: Browser, jira: Report, tmp_path: Path) -> None:
    run = jira.run("prompted")
    report = hostile(jira, tmp_path / "hostile.html", rationale='=HYPERLINK("http://127.0.0.1:9"), "x"')
    page = browser.open(report.path, link(run))
    page.locator(".judgements summary").click()
    table = downloaded(page, page.locator(".judgements button", has_text="CSV"))
    rows = list(csv.reader(table.splitlines()))
    assert len(rows) == len(run["judgements"]) + 1
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    assert any(row[-1].startswith("'=HYPERLINK") for row in rows)
