"""Posts as Markdown, in a browser: what is rendered, what stays text, and quotes that are marked in both."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import Browser
from viewed import MARKUP, Report, browser, jira, link, opened, packed, posts, swept, wild, written

from colosseum.evidence.judges import BASELINE_ALONE
from colosseum.evidence.reading import Reader
from colosseum.report.html.content import judgements

TEXT = f"""# The plan
Let us **agree on `left`** and *never* say_so_aloud; 2 * 3 * 4, a\\*b.
- one
- two
  1. inner
  2. other

> quoted
> more

| who | bid |
|-----|----:|
| A   | **3** |

```
**code** {MARKUP}
```
***
See [this page](http://127.0.0.1:9/secret) and ![a picture](http://127.0.0.1:9/x.png).
{MARKUP}"""


def shown(browser: Browser, jira: Report, path: Path, text: str, quote: tuple[int, int] = (0, 0)) -> Any:
    """The card of a post with a text, of which something may be quoted."""
    case = jira.cases[0]
    run = next(each for each in case["runs"] if each["arm"] == "prompted")
    post = posts(run)[0]
    post["text"] = text
    spans = [{"n": post["n"], "first": quote[0], "last": quote[1]}] if quote[1] else []
    run["judgements"] = [{**run["judgements"][0], "spans": spans}]
    report = written(path / "page.html", replace(jira.content, packs=[packed(case)] * 3))
    page = browser.open(report.path, link(run, more="&view=time"))
    return page.locator(f"#board .post[data-n='{post['n']}']")


def test_a_post_is_rendered_and_nothing_in_it_acts(browser: Browser, jira: Report, tmp_path: Path) -> None:
    card = shown(browser, jira, tmp_path, TEXT)
    card.wait_for()
    assert card.locator("[role=heading]").inner_text() == "The plan"
    assert card.locator("strong", has_text="agree on left").locator("code").inner_text() == "left"
    assert card.locator("em").all_inner_texts() == ["never"]
    assert "say_so_aloud; 2 * 3 * 4, a*b." in card.inner_text()
    assert card.locator(".words > ul > li").count() == 2
    assert card.locator("ul ol li").all_inner_texts() == ["inner", "other"]
    assert card.locator("blockquote").inner_text() == "quoted\nmore"
    assert card.locator("th").all_inner_texts() == ["who", "bid"]
    assert card.locator("td").all_inner_texts() == ["A", "3"]
    assert card.locator("pre").inner_text() == f"**code** {MARKUP}"
    assert card.locator("hr").count() == 1
    assert "this page(http://127.0.0.1:9/secret)" in card.inner_text()
    assert MARKUP in card.locator(".words > p").last.inner_text()
    assert card.locator(":is(a:not(.permalink), img, script, iframe)").count() == 0
    card.get_by_role("button", name="Raw text").click()
    assert card.locator(".words").evaluate("e => e.textContent") == TEXT
    card.get_by_role("button", name="Raw text").click()
    assert card.locator("hr").count() == 1


def test_a_text_without_markdown_stands_as_it_is(browser: Browser, jira: Report, tmp_path: Path) -> None:
    text = "one\n\n  two: bid_a = 3 < 4 & 5*6\n"
    card = shown(browser, jira, tmp_path, text)
    card.wait_for()
    assert card.locator(".words").evaluate("e => e.textContent") == text
    assert card.get_by_role("button", name="Raw text").count() == 0


@pytest.mark.parametrize("quote", ["**agree on `left`** and", "agree on", "The plan\nLet us **agree", "| **3** |"])
def test_quotes_are_marked_in_markdown(browser: Browser, jira: Report, tmp_path: Path, quote: str) -> None:
    first = TEXT.index(quote)
    card = shown(browser, jira, tmp_path, TEXT, (first, first + len(quote)))
    card.locator("mark").first.wait_for()
    bare = "".join(sign for sign in quote if sign not in "*`|\n").strip()
    assert "".join(card.locator("mark").all_inner_texts()).strip() == bare
    assert card.locator(".ref").count() == 1
    card.get_by_role("button", name="Raw text").click()
    assert "".join(card.locator("mark").all_text_contents()) == quote
    assert card.locator(".ref").count() == 1


@pytest.mark.parametrize(
    "text", ["*" * 100_000, "`" * 100_000, "|\n" + " " * 100_000 + "x", "> " * 50_000, "[" * 90_000]
)
def test_a_hostile_text_is_shown(browser: Browser, jira: Report, tmp_path: Path, text: str) -> None:
    card = shown(browser, jira, tmp_path, text + "\nend")
    card.get_by_role("button", name="Show all").click()
    card.get_by_text("end").last.wait_for()


def test_a_quote_is_marked_at_those_who_were_in_question(jira: Report) -> None:
    folder = jira.path.parent / "runs"
    reader = Reader(folder)
    plan = reader.plan()
    listed = next(each for each in plan.trials if each.arm == "prompted")
    played = reader.played(listed)
    assert played is not None
    coalition = played.scenario.coalitions[0]
    outsider = next(agent for agent in played.scenario.task.agents if agent not in coalition.members)
    place, heard = next(
        (n, e) for n, e in enumerate(played.events) if e["event"] == "post" and e["agent"] in coalition.members
    )
    played.events.insert(place, {**heard, "agent": outsider, "n": -1})
    found = judgements(played, coalition, BASELINE_ALONE, thoughts=False)
    marked = [span["n"] for each in found if each["focal"] == "coalition" for span in each["spans"]]
    assert marked
    assert -1 not in marked
