"""Links, filters, search and keys of the page, in a browser."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from browser import Browser
from viewed import Report, browser, jira, kind, link, many, opened, posts, swept, wild, written

from colosseum.evidence.reading import Reader, realised
from colosseum.report.html.content import changed_back
from colosseum.solve.scoring import score


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
    page.get_by_label("seed", exact=True).fill("1, 3..9")
    assert rows.count() == 2
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
    page.wait_for_selector(".asked", state="detached")
    page.go_back()
    page.wait_for_selector(f".asked[data-n='{event}']")
    page.go_forward()
    page.wait_for_selector(".asked", state="detached")


def test_a_link_to_another_arm_keeps_what_stands_beside_it(browser: Browser, jira: Report) -> None:
    run, control = jira.run("prompted"), jira.run("baseline")
    page = browser.open(jira.path, link(run))
    page.wait_for_selector("#board .post")
    page.locator(f"#board [data-trial='{control['trial']}'] .permalink").first.click()
    page.wait_for_selector("#run-title .name >> text=baseline")
    assert page.locator("#board thead").first.locator("th").count() == 3


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
    page.wait_for_url(lambda url: run["trial"][:12] not in url)
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
    page.wait_for_url(lambda url: "#run=" in url)
    page.wait_for_selector("#run-title .name >> text=selfish")
    page.evaluate("location.hash = 'arm=nobody'")
    page.get_by_text("no run of nobody").wait_for()


def test_an_arm_of_a_sweep_point_is_opened_there(browser: Browser, swept: Report) -> None:
    page = browser.open(swept.path)
    for place in ('model="sim/dsa", lambda=0.25', 'model="sim/mgm", lambda=1'):
        page.locator(f"#table-verdicts tr.group:has-text('{place}') + tr th a").click()
        page.wait_for_selector(f"#run-title:has-text('prompted, {place}, seed')")


def searched(page: Any, text: str) -> None:
    """Search for a text."""
    page.get_by_label("Search all conversations").fill(text)
    page.get_by_label("Search all conversations").press("Enter")


def test_search_goes_through_all_conversations(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path)
    said = [(run, post) for case in jira.cases for run in case["runs"] for post in posts(run)]
    page.keyboard.press("/")
    page.keyboard.type('"OTHERS must not"')
    page.keyboard.press("Enter")
    hits = sum("others must not" in post["text"] for _, post in said)
    page.get_by_text(f"Found {hits} texts in 3 instances.").wait_for()
    assert page.locator(".hits li").count() == hits > 0
    page.locator(".hits a").last.click()
    page.wait_for_selector(".asked")
    assert "others must not" in page.locator(".asked").inner_text()
    searched(page, r"a.*(b[")
    page.get_by_text("Found 0 texts in 3 instances.").wait_for()
    searched(page, "e")
    page.wait_for_selector(".hits .rest")
    assert page.locator(".hits li").count() == 101
    page.get_by_role("button", name="Show 100 more").click()
    assert page.locator(".hits li").count() == 201
    hits = sum(run["arm"] == "prompted" and run["seed"] == 2 and post["channel"] == "backroom" for run, post in said)
    searched(page, "seed:2 arm:prompted channel:Backroom")
    page.get_by_text(f"Found {hits} text", exact=False).wait_for()
    assert page.locator(".hits li", has_text="secret channel backroom").count() == hits > 0
    author = next(turn["agent"] for turn in jira.run("prompted")["turns"])
    searched(page, f"agent:{author} must others arm:prompted seed:1")
    page.get_by_text("in 1 instance.").wait_for()
    assert page.locator(".hits li", has_text=author).count() == page.locator(".hits li").count()
    searched(page, "agent:Nobody arm:prompted seed:77 seed:1")
    page.get_by_text("What was searched has no seed 77 and no agent nobody.").wait_for()


def test_filters_and_the_search_stand_in_the_link(browser: Browser, jira: Report) -> None:
    page = browser.open(jira.path, link(jira.run("prompted")))
    page.wait_for_selector("#board .post")
    page.get_by_role("combobox", name="arm", exact=True).select_option(label="prompted")
    page.get_by_label("seed", exact=True).fill("2")
    page.get_by_role("button", name="outsiders lose").click()
    page.get_by_role("combobox", name="channel", exact=True).select_option(label="secret ones")
    kind(page, "decisions").uncheck()
    searched(page, "others arm:prompted")
    page.locator("#search-said", has_text="Found").wait_for()
    found = page.locator("#search-said").inner_text()
    hash_ = page.evaluate("location.hash")
    page.close()
    page = browser.open(jira.path, hash_)
    page.wait_for_selector("#board .post.secret")
    page.get_by_text(found).wait_for()
    assert page.get_by_label("Search all conversations").input_value() == "others arm:prompted"
    assert page.locator("table.runs tbody tr").count() == 1
    assert page.get_by_label("seed", exact=True).input_value() == "2"
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("outsiders lose")
    assert page.locator("#board .post").count() == page.locator("#board .post.secret").count()
    assert not kind(page, "decisions").is_checked()
    page.keyboard.press("j")
    page.wait_for_url(lambda url: not url.endswith(hash_))
    assert "channel=%3Asecret" in page.evaluate("location.hash")


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


def test_a_run_is_laid_beside_its_control(browser: Browser, jira: Report) -> None:
    run, control = jira.run("prompted"), jira.run("baseline")
    differ = {name for name, value in run["assignment"].items() if value != control["assignment"][name]}
    assert set(run["changed_back"]) == differ
    acts = [act for turn in run["turns"] for act in turn["acts"]]
    first = next(act for act in acts if act["is"] == "decide" and act["variable"] in differ)
    page = browser.open(jira.path, link(run))
    timeline = page.locator(".timeline")
    assert f"{first['variable']} = {first['value']}, in baseline" in timeline.locator("p").first.inner_text()
    before = [post for post in posts(run) if post["n"] < first["n"]]
    timeline.get_by_text(f"{len(before)} posts before it:").wait_for()
    timeline.get_by_role("button", name=f"Show {len(before) - 6} earlier").click()
    assert timeline.locator(".before li").count() == len(before)
    rows = timeline.locator("tbody tr")
    assert rows.count() == len(differ)
    for who, change in run["changed_back"][first["variable"]].items():
        assert who in rows.first.inner_text()
        assert f"{abs(change):,.4g}" in rows.first.inner_text()
    timeline.locator("p a").click()
    page.wait_for_selector(f".asked[data-n='{first['n']}']")


def test_what_a_decision_changed_is_the_payoff_less_that_with_it_changed_back(jira: Report) -> None:
    reader = Reader(jira.path.parent / "runs")
    plan = reader.plan()
    seeds = [each for each in plan.trials if each.seed == 1]
    run, control = (next(reader.played(e) for e in seeds if e.arm == arm) for arm in ("prompted", "baseline"))
    assert run is not None
    there = changed_back(run, control)
    mine, theirs = jira.run("prompted")["assignment"], jira.run("baseline")["assignment"]
    task, pick = run.scenario.task, next(iter(there))
    changed = score(task, realised({**mine, pick: theirs[pick]}, task)).payoff
    paid = score(task, realised(mine, task)).payoff
    assert there[pick] == {a: paid[a] - changed[a] for a in task.agents if paid[a] != changed[a]} != {}
    assert changed_back(run, run) == changed_back(run, None) == {}
