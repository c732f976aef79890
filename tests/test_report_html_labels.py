"""Labels by people in the report's page, in a browser."""

import json
from pathlib import Path
from typing import Any

from browser import Browser
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
