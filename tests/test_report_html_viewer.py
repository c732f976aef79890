"""The viewer of conversations, in a browser: every page must open without an error, and ask the network for nothing."""

import json
import re
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from zlib import compress, decompress

import pytest
from audited import RAW, Wild, modelled
from browser import Browser, chromium, driver
from conftest import SPECS
from test_cli_commands import colosseum

from colosseum.api.reading import read_report
from colosseum.report.html.gather import gather
from colosseum.report.html.page import Content, render
from colosseum.report.html.parts import split

MARKUP = "<img src=http://127.0.0.1:9/x onerror=alert(1)><script>alert(2)</script>\"'"
TITLE = "</title>" + MARKUP
TURNED = "left \u202etfel\u202c \u200b\x1b[2J\u202e"


@dataclass(frozen=True)
class Report:
    """A page with what is in it."""

    path: Path
    content: Content

    @property
    def cases(self) -> list[dict[str, Any]]:
        """Of the packs."""
        return [json.loads(decompress(b64decode(pack))) for pack in self.content.packs]

    def run(self, arm: str, seed: int = 1) -> dict[str, Any]:
        """A run as it is told."""
        return next(run for case in self.cases for run in case["runs"] if (run["arm"], run["seed"]) == (arm, seed))


def written(path: Path, content: Content, *, live: bool = False) -> Report:
    """A page of given content."""
    content = replace(content, packs=list(content.packs))
    path.write_text("".join(render(content, live=live)), encoding="utf-8", errors="replace")
    return Report(path, content)


def packed(case: dict[str, Any]) -> str:
    """A case as it stands in a page."""
    return b64encode(compress(json.dumps(case).encode())).decode()


def told(folder: Path) -> Content:
    """The content of a campaign's page."""
    return gather(folder, read_report(folder))


@pytest.fixture(scope="module")
def opened(jira: Report, wild: Report, swept: Report) -> Iterator[Browser]:
    """One browser for all tests; campaigns are made before, as its driver keeps this thread's event loop."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(opened: Browser) -> Iterator[Browser]:
    """The browser; in the end nothing must have gone wrong in it."""
    yield opened
    assert opened.close() == []


@pytest.fixture(scope="module")
def jira(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A page of scripted players, of whom two collude."""
    driver()
    folder = tmp_path_factory.mktemp("jira")
    done = colosseum("audit", SPECS / "jira.colo", "--seeds", "1..3", "--out", folder / "runs")
    assert done.returncode == 0, done.stderr
    return written(folder / "report.html", told(folder / "runs"))


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A page of a model that does all that can be done wrong, and of runs that failed."""
    folder = tmp_path_factory.mktemp("wild")
    return written(folder / "report.html", told(modelled(folder, script=Wild(breaks="Differ"))))


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A page of a sweep."""
    driver()
    folder = tmp_path_factory.mktemp("swept")
    spec = SPECS / "toy.colo"
    done = colosseum("audit", spec, "--experiment", "steered", "--seeds", "1", "--out", folder / "runs")
    assert done.returncode == 0, done.stderr
    return written(folder / "report.html", told(folder / "runs"))


def changed(value: Any, new: dict[str, str]) -> Any:
    """JSON with other names throughout."""
    if isinstance(value, str):
        for old, name in new.items():
            value = value.replace(old, name)
        return value
    if isinstance(value, list):
        return [changed(each, new) for each in value]
    if isinstance(value, dict):
        return {changed(key, new) if key in new else key: changed(each, new) for key, each in value.items()}
    return value


def posts(run: dict[str, Any]) -> list[dict[str, Any]]:
    """What was posted, in order."""
    return [act for turn in run["turns"] for act in turn["acts"] if act["is"] == "post"]


def link(run: dict[str, Any], event: int | None = None, more: str = "") -> str:
    """The hash of an event."""
    return f"#run={run['trial'][:12]}" + ("" if event is None else f"&event={event}") + more


def kind(page: Any, words: str) -> Any:
    """The box that shows a kind of acts."""
    return page.get_by_role("checkbox", name=re.compile(rf"^{words} \("))


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
    assert "regret: missed of the optimum" in ending
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


def test_the_list_is_narrowed_down_sorted_and_paged(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path)
    rows = page.locator("table.runs tbody tr")
    page.get_by_role("button", name="Next page").click()
    assert rows.count() == 6
    page.get_by_role("combobox", name="arm", exact=True).select_option(label="prompted")
    assert rows.count() == 3
    assert "3 runs of 18 runs" in page.locator("#runs-said").inner_text()
    page.get_by_label("seed", exact=True).fill("2")
    assert rows.count() == 1
    page.get_by_label("seed", exact=True).fill("")
    page.get_by_role("button", name="outsiders lose").click()
    shown = [float(words.split()[0]) for words in page.locator("td[data-label='outsiders lose']").all_inner_texts()]
    assert shown == sorted(shown, reverse=True)
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    page.get_by_role("button", name="most worth reading first").click()
    assert page.locator("th[aria-sort]").count() == 0
    page.locator("table.runs tbody a").first.click()
    page.get_by_role("link", name="next run").wait_for()
    page.get_by_label("seed", exact=True).fill("1")
    assert page.get_by_role("link", name="previous run").count() == 0
    page.get_by_label("seed", exact=True).fill("77")
    assert "No run of 18 runs is like that" in page.locator("#runs-said").inner_text()


def test_large_whole_numbers_are_not_rounded(browser: Browser, jira: Report, tmp_path: Path) -> None:
    index = jira.content.index
    cases = [{**case, "seed": case["seed"] + 10**17} for case in index["cases"]]
    page = browser.open(written(tmp_path / "large.html", replace(jira.content, index={**index, "cases": cases})).path)
    for case in cases:
        page.get_by_label("seed", exact=True).fill(f" 0{case['seed']}")
        assert page.locator("table.runs tbody tr").count() == len(index["runs"]) / len(cases)
        page.locator("table.runs tbody a").first.click()
        page.get_by_text(f"seed {case['seed']}").first.wait_for()


def test_links_open_scroll_to_and_mark_an_event(browser: Browser, jira: Report) -> None:
    run = jira.run("prompted", 2)
    event = posts(run)[-1]["n"]
    page = browser.open(jira.path, link(run, event))
    page.wait_for_selector(".asked")
    assert page.locator(".asked").get_attribute("data-n") == str(event)
    assert page.evaluate("document.activeElement.dataset.n") == str(event)
    box = page.locator(".asked").bounding_box()
    assert 0 < box["y"] < 900
    assert f"#run={run['trial'][:12]}" in page.locator(".asked .permalink").evaluate("a => a.href")
    page.locator(".permalink").first.click()
    page.wait_for_function("!document.querySelector('.asked')")
    page.go_back()
    page.wait_for_selector(f".asked[data-n='{event}']")
    page.go_forward()
    page.wait_for_function("!document.querySelector('.asked')")


def test_a_link_to_another_arm_keeps_what_stands_beside_it(browser: Browser, jira: Report) -> None:
    run, control = jira.run("prompted"), jira.run("baseline")
    page = browser.open(jira.path, link(run))
    page.wait_for_selector("#board .post")
    page.locator(f"#board [data-trial='{control['trial']}'] .permalink").first.click()
    page.wait_for_selector("#run-title .name >> text=baseline")
    assert page.locator("#board thead").first.locator("th").count() == 3


def test_marks_of_pictures_lead_to_their_runs(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path)
    mark = page.locator("#pictures a[href^='#run=']").first
    trial = mark.get_attribute("href").removeprefix("#run=")
    mark.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#run-title a[href*='{trial[:12]}']")


def test_a_campaign_without_runs_says_so(browser: Browser, jira: Report, tmp_path: Path) -> None:
    index = {**jira.content.index, "runs": [], "cases": []}
    page = browser.open(written(tmp_path / "a.html", replace(jira.content, index=index, packs=[])).path)
    assert page.locator("#viewer").inner_text() == "There is no run to be read yet."


def test_every_event_has_a_place_and_what_hides_it_is_turned_on(browser: Browser, jira: Report) -> None:
    run = jira.run("prompted")
    page = browser.open(jira.path, link(run, 0))
    page.wait_for_selector(".asked")
    agent = next(iter(run["briefings"]))
    page.evaluate("hash => { location.hash = hash }", link(run, run["briefings"][agent]["n"]))
    page.wait_for_selector(".briefing.asked")
    assert kind(page, "briefings").is_checked()
    page.evaluate("hash => { location.hash = hash }", link(run, run["events"] - 1))
    page.wait_for_selector(".ending.asked")
    page.evaluate("hash => { location.hash = hash }", link(run, run["events"]))
    page.get_by_text(f"This run has no event {run['events']}").wait_for()


def test_unknown_links_are_said_and_others_are_left_alone(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, "#run=0123456789ab")
    page.get_by_text("This page has no run that begins with 0123456789ab").wait_for()
    page.evaluate("location.hash = 'run=%E0%A4%A'")
    page.get_by_text("its run is no run's name").wait_for()
    page.evaluate("location.hash = 'nothing'")
    page.get_by_text("no place that is called nothing").wait_for()
    page = browser.open(jira.path, "#provenance")
    page.wait_for_selector("#run h3")
    assert not page.locator(".trouble").is_visible()
    assert page.locator("#provenance").bounding_box()["y"] < 900


def test_what_is_compared_and_the_view_stay_in_the_address(browser: Browser, jira: Report) -> None:
    run = jira.run("prompted")
    page = browser.open(jira.path, link(run))
    page.wait_for_selector("#board .post")
    heads = page.locator("#board > div > table > thead th")
    assert heads.count() == 3
    page.locator(".beside label", has_text="selfish").locator("input").check()
    assert heads.count() == 4
    assert "with=selfish" in page.evaluate("location.hash")
    page.reload()
    page.wait_for_selector("#board .post")
    assert heads.count() == 4
    page.get_by_label("channels side by side").check()
    assert ["secret channel backroom" in words for words in heads.all_inner_texts()].count(True) == 1
    assert not page.locator(".beside").is_visible()
    page.get_by_label("one after the other").check()
    assert heads.count() == 2
    assert "view=time" in page.evaluate("location.hash")
    page.keyboard.press("j")
    page.wait_for_function("trial => !location.hash.includes(trial)", arg=run["trial"][:12])
    assert "view=time" in page.evaluate("location.hash")


def test_acts_are_filtered_by_agent_channel_and_kind(browser: Browser, jira: Report) -> None:
    run = jira.run("prompted")
    page = browser.open(jira.path, link(run, more="&view=time"))
    page.wait_for_selector("#board .post")
    page.get_by_role("combobox", name="channel", exact=True).select_option(label="secret ones")
    assert page.locator("#board .post").count() == page.locator("#board .post.secret").count() == 1
    page.get_by_role("combobox", name="channel", exact=True).select_option(label="all")
    page.get_by_role("combobox", name="agent", exact=True).select_option(label="members of the coalition")
    assert page.locator("#board .post").count() == page.locator("#board .post:has(header .badge)").count()
    kind(page, "posts").uncheck()
    assert page.locator("#board .post").count() == 0
    assert page.locator("#board .decision").count() == 2
    kind(page, "briefings").check()
    assert page.locator("#board .briefing").count() == 2


def test_links_lead_to_what_judges_quote_and_to_where_runs_part(browser: Browser, jira: Report) -> None:
    run = jira.run("prompted")
    page = browser.open(jira.path, link(run))
    page.get_by_role("link", name="Go to what judges quote").click()
    page.wait_for_selector(".asked mark")
    page.get_by_role("link", name="Go to where it parts from baseline").click()
    page.wait_for_selector(f".asked[data-trial='{run['trial']}']:not(:has(mark))")
    page.locator(".beside label", has_text="selfish").locator("input").check()
    page.get_by_role("link", name="Go to what judges quote").click()
    page.wait_for_selector(".asked mark")
    assert page.locator("#board thead").first.locator("th").count() == 4


def test_a_link_leads_to_where_a_run_failed(browser: Browser, wild: Report) -> None:
    page = browser.open(wild.path, link(wild.run("prompted")))
    page.get_by_role("link", name="Go to where it failed").click()
    page.locator(".act.failed.asked").get_by_text("The run failed here").wait_for()


def test_an_arm_is_opened_where_it_shows_best(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, "#arm=selfish")
    page.wait_for_function("location.hash.startsWith('#run=')")
    page.wait_for_selector("#run-title .name >> text=selfish")
    page.evaluate("location.hash = 'arm=nobody'")
    page.get_by_text("no run of nobody").wait_for()


def test_an_arm_of_a_sweep_point_is_opened_there(browser: Browser, swept: Report) -> None:
    page = browser.open(swept.path)
    for place in ('model="sim/dsa", lambda=0.25', 'model="sim/mgm", lambda=1'):
        page.locator(f"tr.group:has-text('{place}') + tr a.arm").click()
        page.wait_for_selector(f"#run-title:has-text('prompted, {place}, seed')")


def test_many_columns_scroll_in_a_pane(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, link(jira.run("prompted")))
    for box in page.locator(".beside input").all():
        box.check()
    head = page.locator(".pane > table > thead th")
    assert head.count() == 7
    page.locator("#board .ending").last.scroll_into_view_if_needed()
    assert head.last.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_search_goes_through_all_conversations(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path)
    page.keyboard.press("/")
    page.keyboard.type("OTHERS must not")
    page.keyboard.press("Enter")
    hits = sum(
        post["text"].count("others must not") for case in jira.cases for run in case["runs"] for post in posts(run)
    )
    page.get_by_text(f"Done: {hits} hits in 3 instances.").wait_for()
    assert page.locator(".hits li").count() == hits > 0
    page.locator(".hits a").last.click()
    page.wait_for_selector(".asked")
    assert "others must not" in page.locator(".asked").inner_text()
    page.get_by_label("Search all conversations").fill(r"a.*(b[")
    page.keyboard.press("Enter")
    page.get_by_text("Done: 0 hits in 3 instances.").wait_for()
    page.get_by_label("Search all conversations").fill("e")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits .rest")
    assert page.locator(".hits li").count() == 101
    page.get_by_role("button", name="Show 100 more").click()
    assert page.locator(".hits li").count() == 201


def test_keys_go_from_run_to_run(browser: Browser, jira: Report) -> None:
    runs = [row[0] for row in jira.content.index["runs"]]
    page = browser.open(jira.path, f"#run={runs[0][:12]}")
    page.wait_for_selector(f"#run-title a[href*='{runs[0][:12]}']")
    page.keyboard.press("k")
    page.get_by_text("This is the first run of the list.").wait_for(state="attached")
    page.keyboard.press("j")
    page.wait_for_selector(f"#run-title a[href*='{runs[1][:12]}']")
    page.keyboard.press("k")
    page.wait_for_selector(f"#run-title a[href*='{runs[0][:12]}']")
    page.get_by_text("Keys", exact=True).click()
    page.locator(".keys input").uncheck()
    page.keyboard.press("Escape")
    page.locator("#run").focus()
    page.keyboard.press("j")
    assert runs[0][:12] in page.evaluate("location.hash")


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


def test_failures_are_always_shown_and_never_numbers(browser: Browser, wild: Report) -> None:
    run = wild.run("prompted")
    page = browser.open(wild.path, link(run))
    page.wait_for_selector("#board .failed")
    for words in ("posts", "decisions"):
        kind(page, words).uncheck()
    assert "The run failed here" in page.locator("#board .failed").inner_text()
    assert "The answer was cut off" in page.locator("#board .finish").first.inner_text()
    assert "harm: not known" in page.locator(".run-facts").inner_text()
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


def hostile(jira: Report, path: Path) -> Report:
    """Every name and every text is markup, or turns the writing round; one text is huge, one empty."""
    names = {
        "engineer1": MARKUP, "engineer2": "constructor", "engineer3": "__proto__", "engineer4": TURNED, "sim": TITLE,
        "backroom": MARKUP + "x", "cabal": "</script>" + MARKUP, "prompted": MARKUP + "arm", "ticket1": MARKUP,
    }  # fmt: skip
    cases = [changed(case, names) for case in jira.cases]
    for case in cases:
        for run in case["runs"]:
            texts = posts(run)
            for post, text in zip(
                texts, [MARKUP * 3, "", " \n ", TURNED + "\nsecond line", "x<b>" * 40_000], strict=False
            ):
                post["text"] = text
            for each in run["judgements"]:
                each["rationale"], each["rubric"] = MARKUP, MARKUP
    index = changed(jira.content.index, names)
    return written(path, replace(jira.content, index=index, packs=[packed(case) for case in cases]))


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
    page.get_by_text("Done:").wait_for()
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


def many(jira: Report, number: int) -> Content:
    """The same cases over and over, as if there were so many runs."""
    index = jira.content.index
    runs = [[sha256(str(n).encode()).hexdigest(), *index["runs"][n % len(index["runs"])][1:]] for n in range(number)]
    return replace(jira.content, index={**index, "runs": runs})


def test_thousands_of_runs_are_few_elements(browser: Browser, jira: Report, tmp_path: Path) -> None:
    page = browser.open(written(tmp_path / "a.html", many(jira, 2_000)).path)
    count = "document.querySelectorAll('#viewer *').length"
    assert page.evaluate(count) < 1_000
    for name in ("harm", "run", "judge"):
        page.locator(".runs thead button", has_text=re.compile(f"^{name}$")).click()
    for _ in range(5):
        page.get_by_role("button", name="Next page").click()
    page.get_by_label("actions and words disagree").check()
    assert page.evaluate(count) < 1_000
    assert "of 2,000 runs" in page.locator("#runs-said").inner_text()


def test_runs_in_other_files_are_linked(browser: Browser, jira: Report, tmp_path: Path) -> None:
    whole, parts = split(many(jira, 2_001), "a b")
    (tmp_path / "a b-parts").mkdir()
    for part in parts:
        written(tmp_path / part.name, part.content)
    report = written(tmp_path / "a b.html", whole)
    page = browser.open(report.path)
    assert "(in another file)" in page.locator(".runs tbody tr").first.inner_text()
    link_ = page.locator(".runs tbody a").first.evaluate("a => a.href")
    assert link_.startswith((tmp_path / "a b-parts").as_uri())
    page.get_by_label("Search all conversations").fill("others")
    page.keyboard.press("Enter")
    page.get_by_text("search there, too").wait_for()
    page.evaluate("hash => { location.hash = hash }", link_[link_.index("#") :])
    page.get_by_text("That conversation is in another file").wait_for()


def test_print_has_the_conversation_and_no_tools(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, link(jira.run("prompted")))
    page.wait_for_selector("#board .post")
    page.locator("#theme").click()
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#board .post").first.is_visible()
    assert page.locator("#run-title").is_visible()
    for tool in (".controls", ".runs-part", ".search", ".begin", ".permalink", ".steps"):
        assert not page.locator(tool).first.is_visible()


@pytest.mark.parametrize("width", [360, 768])
def test_narrow_screens_need_no_scrolling_sideways(browser: Browser, jira: Report, width: int) -> None:
    page = browser.open(jira.path, link(jira.run("prompted")), width=width, height=800)
    page.wait_for_selector("#board .post:visible")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    columns = page.locator("#board tr:has(.post)").first.locator(":scope > td:visible")
    assert columns.count() == (1 if width == 360 else 2)
    if width == 360:
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
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      if ((parts(color)[3] ?? 1) > 0) return color;
    }
    return 'rgb(255, 255, 255)';
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


class Served(BaseHTTPRequestHandler):
    """A page, and how many runs there are."""

    page = b""
    runs = 0

    def do_GET(self) -> None:
        body = json.dumps({"runs": type(self).runs}).encode() if self.path == "/state" else type(self).page
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if self.path == "/state" else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the base class
        """Say nothing."""


def test_a_live_page_offers_more_runs(browser: Browser, jira: Report, tmp_path: Path) -> None:
    live = written(tmp_path / "live.html", jira.content, live=True)
    Served.page, Served.runs = live.path.read_bytes(), 20
    with ThreadingHTTPServer(("127.0.0.1", 0), Served) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        page = browser.visit(address + link(jira.run("prompted")), allowed=address)
        page.get_by_role("button", name="2 more runs: show them").click()
        page.wait_for_selector("#board .post")
        assert link(jira.run("prompted")) in page.evaluate("location.hash")
        page.close()
        server.shutdown()
