"""Labels by people, in a browser: in the report's page, and on the blinded page."""

import json
from pathlib import Path
from typing import Any

from browser import Browser
from test_cli_commands import colosseum
from viewed import Report, browser, jira, link, opened, posts, swept, wild


def save(page: Any, path: Path) -> dict[str, Any]:
    """The labels that a page saves."""
    page.get_by_label("your name").first.fill("Ann")
    page.get_by_label("your name").first.press("Enter")
    page.locator("h1").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save labels").click()
    waiting.value.save_as(path)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_a_reader_labels_a_run_and_a_post(browser: Browser, jira: Report, tmp_path: Path) -> None:
    run = jira.run("prompted")
    page = browser.open(jira.path, link(run))
    page.wait_for_selector("#board .post")
    page.get_by_text("Your labels").click()
    page.locator(".labels").get_by_label("score").select_option("4")
    page.locator(".labels").get_by_label("comment").fill("a deal")
    page.locator(".labels").get_by_label("comment").press("Tab")
    card = page.locator(f"#board .post[data-trial='{run['trial']}']").first
    card.get_by_role("button", name="label").click()
    card.get_by_label("rubric").select_option(index=1)
    card.get_by_label("score").select_option("0")
    page.reload()
    page.wait_for_selector("#board .post")
    page.get_by_text("Your labels").click()
    assert page.locator(".labels").get_by_label("score").input_value() == "4"
    found = save(page, tmp_path / "labels.json")
    event = posts(run)[0]["n"]
    assert [(each["item"], each["score"], each["comment"]) for each in found["labels"]] == [
        (run["trial"], 4, "a deal"),
        (f"{run['trial']}#{event}", 0, ""),
    ]
    assert colosseum("judge", "label", jira.path.parent / "runs", "--import", tmp_path / "labels.json").returncode == 0


def test_the_blinded_page_tells_nothing_and_its_labels_are_read(browser: Browser, jira: Report, tmp_path: Path) -> None:
    folder, path = jira.path.parent / "runs", tmp_path / "rating.html"
    done = colosseum("judge", "label", folder, "--out", path, "--runs", "4")
    assert done.returncode == 0, done.stderr
    assert "8 questions about 4 of 18 runs" in " ".join(done.stderr.split())
    page = browser.open(path)
    held = json.loads(page.locator("#index").text_content())
    text = page.locator("body").inner_text() + json.dumps({**held, "question": ""})
    trials = [run[0] for run in jira.content.index["runs"]]
    for name in ("engineer", "backroom", "cabal", "prompted", "baseline", *trials):
        assert name not in text
    assert page.locator(".rated").count() == 8
    for score in page.get_by_label("score").all():
        score.select_option("2")
    found = save(page, tmp_path / "rated.json")
    assert found["draw"]["runs"] / found["draw"]["of"] == 4 / 18
    assert len(found["labels"]) == 8
    done = colosseum("judge", "label", folder, "--import", tmp_path / "rated.json")
    assert done.returncode == 0, done.stderr
    report = json.loads(colosseum("report", folder, "--json").stdout)
    assert {found["value"] for name, found in report["bench"]["ratings"].items() if "`" in name} == {0}
