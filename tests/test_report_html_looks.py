"""How the page looks in a browser: narrow, dark, printed, for readers who use the keyboard, with thousands of runs."""

import re
from pathlib import Path

import pytest
from browser import Browser
from viewed import Report, browser, hostile, jira, kind, link, many, opened, swept, wild, written


def test_many_columns_scroll_in_a_pane(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, link(jira.run("prompted")))
    for box in page.locator(".beside input").all():
        box.check()
    head = page.locator(".pane > table > thead th")
    assert head.count() == 7
    page.locator("#board .ending").last.scroll_into_view_if_needed()
    assert head.last.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    wide = browser.open(jira.path, page.evaluate("location.hash"), width=1440)
    assert wide.locator(".pane").evaluate("pane => pane.scrollWidth <= pane.clientWidth")


def test_everything_is_reached_by_tab_and_has_a_name(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, link(jira.run("prompted")))
    page.wait_for_selector("#board .post")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('#viewer :is(button, a, select, input, th)')]
        .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.[0]?.textContent.trim()))
        .map(e => e.outerHTML)"""
    )
    assert nameless == []
    assert page.evaluate("[...document.querySelectorAll('[tabindex]')].every(e => e.tabIndex <= 0)")
    page.locator("#search").focus()
    seen = set()
    for _ in range(70):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.closest('.runs, .filters, .controls, #board')?.className ?? ''"))
    assert {"runs", "filters", "controls"} <= seen


def test_thousands_of_runs_are_few_elements(browser: Browser, jira: Report, tmp_path: Path) -> None:
    page = browser.open(written(tmp_path / "a.html", many(jira, 2_000)).path)
    count = "document.querySelectorAll('#viewer *').length"
    assert page.evaluate(count) < 1_000
    for name in ("team loss", "run", "judge"):
        page.locator(".runs thead button", has_text=re.compile(f"^{name}$")).click()
    for _ in range(5):
        page.get_by_role("button", name="Next page").click()
    page.get_by_label("actions and words disagree").check()
    assert page.evaluate(count) < 1_000
    assert "of 2,000 runs" in page.locator("#runs-said").inner_text()


def test_print_has_the_conversation_and_no_tools(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, link(jira.run("prompted")))
    page.wait_for_selector("#board .post")
    page.locator("#theme").click()
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#board .post").first.is_visible()
    assert page.locator("#run-title").is_visible()
    for tool in (".controls", ".runs-part", ".search", ".begin", ".permalink", ".steps", ".downloads", ".labels"):
        assert not page.locator(tool).first.is_visible()
    folded = page.locator("main details:not(.keys, .labels, .runs-part details)")
    for inside in folded.evaluate_all("all => all.map((each) => each.children[1].getBoundingClientRect().height)"):
        assert inside > 0


def test_print_cuts_no_text(browser: Browser, jira: Report, tmp_path: Path) -> None:
    page = browser.open(hostile(jira, tmp_path / "hostile.html").path, link(jira.run("prompted")))
    page.get_by_role("button", name="Show all 160,000 signs").first.wait_for()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.get_by_role("button", name="Show all").count() == 0


@pytest.mark.parametrize("width", [360, 390, 768])
def test_narrow_screens_need_no_scrolling_sideways(browser: Browser, jira: Report, width: int) -> None:
    page = browser.open(jira.path, link(jira.run("prompted")), width=width, height=800)
    page.wait_for_selector("#board .post:visible")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    columns = page.locator("#board tr:has(.post)").first.locator(":scope > td:visible")
    assert columns.count() == (1 if width < 640 else 2)
    if width < 640:
        before = columns.first.inner_text()
        page.locator(".switch button", has_text="baseline").click()
        assert columns.count() == 1
        assert columns.first.inner_text() != before


def test_light_and_dark(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, dark=True)
    button = page.locator("#theme")
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert button.get_attribute("aria-pressed") == "false"


@pytest.mark.parametrize("dark", [False, True])
def test_words_can_be_read(browser: Browser, jira: Report, wild: Report, dark: bool) -> None:
    for report in (jira, wild):
        page = browser.open(report.path, link(report.run("prompted")), dark=dark)
        page.wait_for_selector("#board .post")
        for words in ("briefings", "mistakes", "private notes"):
            kind(page, words).check()
        assert page.evaluate(FAINT) == []


FAINT = """() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => parts(color).slice(0, 3).map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, place) => sum + v * [0.2126, 0.7152, 0.0722][place], 0);
  const grounds = new Map([[null, 'rgb(255, 255, 255)']]);
  const ground = (e) => {
    if (!grounds.has(e)) {
      const color = getComputedStyle(e).backgroundColor;
      grounds.set(e, (parts(color)[3] ?? 1) > 0 ? color : ground(e.parentElement));
    }
    return grounds.get(e);
  };
  const faint = new Set();
  for (const e of document.querySelectorAll('#viewer *:not(:disabled)')) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility()) continue;
    const [one, other] = [light(getComputedStyle(e).color), light(ground(e))].sort((a, b) => b - a);
    if ((one + 0.05) / (other + 0.05) < 4.5) faint.add(`${e.tagName}.${e.className}: ${e.textContent.slice(0, 40)}`);
  }
  return [...faint];
}"""
"""Elements whose words stand out too little from what is behind them."""
