"""The viewer of conversations, in a browser: every page must open without an error, and ask the network for nothing."""

import re
from dataclasses import replace
from pathlib import Path

from audited import RAW
from browser import Browser
from viewed import Report, browser, hostile, jira, kind, link, opened, packed, posts, swept, wild, written

from colosseum.report.html.page import exact


def test_a_page_opens_with_the_run_that_shows_what_was_found(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path)
    page.wait_for_selector("#run h3")
    first = page.locator(".begin a").first
    assert page.locator("#run h3 .name").first.inner_text() == first.inner_text().split(",")[0]
    assert page.evaluate("scrollY") == 0
    assert [row.split()[0] for row in page.locator("table.runs tbody th").all_inner_texts()] == [
        jira.content.index["runs"][n][2] for n in range(12)
    ]
    assert "18 runs, most worth reading first" in page.locator("#runs-said").inner_text()


BODIES = """all => all.map((card) => [...card.querySelector('.words').childNodes]
  .filter((node) => node.nodeName !== 'BUTTON').map((node) => node.textContent).join(''))"""
"""The words of posts, without the buttons among them."""


def test_all_that_was_said_and_decided_is_there(browser: Browser, jira: Report) -> None:
    run, control = jira.run("prompted"), jira.run("baseline")
    page = browser.open(jira.path, link(run))
    page.wait_for_selector("#board .post")
    for each in (run, control):
        shown = page.locator(f"#board .post[data-trial='{each['trial']}']")
        bodies = shown.evaluate_all(BODIES)
        assert bodies == [post["text"] for post in posts(each)]
    decided = page.locator(f"#board .decision[data-trial='{run['trial']}']")
    assert decided.count() == len(run["assignment"])
    best = next(iter(jira.cases[0]["optima"].values()))["assignment"]
    for card in decided.all_inner_texts():
        variable, value = re.search(r"(pick\[\w+\]) = (\w+|none)", card).groups()  # type: ignore[union-attr]
        assert value == (run["assignment"][variable] or "none")
        assert ("the same" if best[variable] == run["assignment"][variable] else "another choice") in card
    ending = page.locator("#board .ending").last.inner_text()
    assert "judge of random set" in ending
    assert "Who gained and who lost" in ending


def test_secret_channels_and_members_are_named(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, link(jira.run("prompted")))
    secret = page.locator("#board .post.secret").first
    secret.wait_for()
    assert "secret channel backroom" in secret.inner_text()
    assert "◆ cabal" in secret.inner_text()
    public = page.locator("#board .post:not(.secret)").first
    assert "secret" not in public.inner_text()


def test_judged_words_are_marked_and_opened_by_the_keyboard(browser: Browser, jira: Report) -> None:
    run = jira.run("prompted")
    quote = next(each for each in run["judgements"] if each["spans"])
    page = browser.open(jira.path, link(run))
    page.wait_for_selector("#board mark")
    span = quote["spans"][0]
    text = next(post["text"] for post in posts(run) if post["n"] == span["n"])
    assert page.locator("#board mark").first.inner_text() == text[span["first"] : span["last"]]
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    note = page.locator("#board .quote-note:visible").inner_text()
    assert f"{quote['rubric']}: {quote['score']} of 5" in note
    assert quote["rationale"] in note
    page.get_by_text(re.compile(r"^\d+ judgements")).click()
    assert page.locator(".judgements tbody tr").count() == len(run["judgements"])


def test_spans_are_counted_in_code_points(browser: Browser, jira: Report, tmp_path: Path) -> None:
    case = jira.cases[0]
    run = next(each for each in case["runs"] if each["arm"] == "prompted")
    post = posts(run)[0]
    post["text"] = "😀😀 \x1b dé👩‍🚀 agree 😀 end"
    first = post["text"].index("agree")
    quote = {**run["judgements"][0], "spans": [{"n": post["n"], "first": first, "last": first + 7}]}
    missing = {**quote, "score": None, "status": "unquoted", "reason": "it stands nowhere", "spans": []}
    run["judgements"] = [quote, missing]
    page = browser.open(written(tmp_path / "a.html", replace(jira.content, packs=[packed(case)] * 3)).path, link(run))
    page.wait_for_selector("#board mark")
    assert page.locator("#board mark").all_inner_texts() == ["agree 😀"]
    assert "dé👩‍🚀 " in page.locator(f"[data-trial='{run['trial']}'] .words").first.inner_text()
    page.get_by_text("2 judgements, 1 without a score").click()
    assert "no score (unquoted): it stands nowhere" in page.locator(".judgements tbody").inner_text()


def test_large_seeds_are_not_rounded(browser: Browser, jira: Report, tmp_path: Path) -> None:
    index = jira.content.index
    cases = [{**case, "seed": exact(case["seed"] + 10**17)} for case in index["cases"]]
    page = browser.open(written(tmp_path / "large.html", replace(jira.content, index={**index, "cases": cases})).path)
    for case in cases:
        page.get_by_label("seed", exact=True).fill(f" 0{case['seed']}")
        assert page.locator("table.runs tbody tr").count() == len(index["runs"]) / len(cases)
        page.locator("table.runs tbody a").first.click()
        page.get_by_text(f"seed {case['seed']}").first.wait_for()


def test_a_campaign_without_runs_says_so(browser: Browser, jira: Report, tmp_path: Path) -> None:
    index = {**jira.content.index, "runs": [], "cases": []}
    page = browser.open(written(tmp_path / "a.html", replace(jira.content, index=index, packs=[])).path)
    assert page.locator("#viewer").inner_text() == "There is no run to be read yet."


def test_failures_are_always_shown_and_never_numbers(browser: Browser, wild: Report) -> None:
    run = wild.run("prompted")
    page = browser.open(wild.path, link(run))
    page.wait_for_selector("#board .failed")
    for words in ("posts", "decisions"):
        kind(page, words).uncheck()
    assert "The run failed here" in page.locator("#board .failed").inner_text()
    assert "The answer was cut off" in page.locator("#board .finish").first.inner_text()
    assert "team loss: not known" in page.locator(".run-facts").inner_text()
    kind(page, "decisions").check()
    decision = page.locator(f"#board .decision[data-trial='{run['trial']}']").first.inner_text()
    assert decision.count("– the run did not end") == 2
    for words, name in (("mistakes", "mistake"), ("refused decisions", "refused"), ("private notes", "note")):
        assert page.locator(f"#board .{name}").count() == 0
        kind(page, words).check()
        assert page.locator(f"#board .{name}").count() > 0


def test_control_characters_are_seen(browser: Browser, wild: Report) -> None:
    page = browser.open(wild.path, link(wild.run("prompted")))
    page.wait_for_selector("#board .post")
    for words in ("mistakes", "private notes", "briefings"):
        kind(page, words).check()
    text = page.evaluate("document.getElementById('viewer').textContent")
    assert [sign for sign in RAW if sign in text] == []
    assert "[ESC]" in text
    assert "[U+202E]" in text


def test_hostile_content_does_nothing(browser: Browser, jira: Report, tmp_path: Path) -> None:
    report = hostile(jira, tmp_path / "hostile.html")
    run = jira.run("prompted")
    page = browser.open(report.path, link(run))
    page.wait_for_selector("#board .post")
    for words in ("briefings", "private notes", "mistakes"):
        kind(page, words).check()
    page.locator("#board details summary").first.click()
    page.locator(".judgements summary").click()
    page.get_by_label("Search all conversations").fill("onerror")
    page.keyboard.press("Enter")
    page.locator("#search-said", has_text="Found").wait_for()
    for view in ("channels", "time"):
        page.locator(f"input[value={view}]").check()
    page.locator(".hits a").first.click()
    page.wait_for_timeout(200)
    assert page.locator("#viewer :is(img, script, iframe, object, style, link)").count() == 0
    assert page.locator("#viewer [style]").count() == 0
    assert "\u202e" not in page.locator("#viewer").evaluate("e => e.textContent")
    assert page.locator("#board .name", has_text="onerror=alert(1)").count() > 0
    assert "[native code]" not in page.locator("#viewer").inner_text()


def test_huge_and_empty_texts(browser: Browser, jira: Report, tmp_path: Path) -> None:
    run = jira.run("prompted")
    page = browser.open(hostile(jira, tmp_path / "hostile.html").path, link(run, more="&view=time"))
    page.wait_for_selector("#board .post")
    shown = page.locator("#board").inner_text()
    assert "(an empty text)" in shown
    assert "(nothing but white space: 3 signs)" in shown
    assert "second line" in shown
    huge = page.locator("#board .post", has=page.get_by_role("button", name="Show all 160,000 signs"))
    assert len(huge.inner_text()) < 5_000
    huge.get_by_role("button", name="Show all").click()
    assert len(page.locator("#board .post", has_text="Show less").inner_text()) > 160_000


def test_a_damaged_pack_is_said(browser: Browser, jira: Report, tmp_path: Path) -> None:
    packs = [*list(jira.content.packs)[:2], "bm90IGEgcGFjaw=="]
    page = browser.open(
        written(tmp_path / "a.html", replace(jira.content, packs=packs)).path, link(jira.run("prompted", 3))
    )
    page.get_by_text("This conversation cannot be read").wait_for()
    page.get_by_label("Search all conversations").fill("others must not")
    page.keyboard.press("Enter")
    page.get_by_text("1 instance cannot be read").wait_for()
